/** Which service, with which token and how fast: the settings of the surroundings, for the command line and for Pulumi alike. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** A setting, and where the user finds it: `TETHER_TOKEN`. */
export interface Setting {
  readonly value: string;
  readonly from: string;
}

/** Where settings are looked up. */
export interface SettingSource {
  /** Undefined for a variable that is not set, or empty. */
  variable(name: string): string | undefined;
  /** Absolute; relative paths start here. */
  folder(): string;
}

/** What is known of the product behind the service: the part of a profile that matters here. */
export interface Product {
  readonly limits: { readonly requestsPerSecond: number };
  /** Further variables to read settings from. */
  readonly environment?: {
    readonly token?: readonly string[];
    readonly address?: readonly string[];
    readonly hostname?: readonly string[];
  };
}

/** The settings lack something or name something that is not there; the message holds no secret. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** A variable as a setting. */
export function settingOf(source: SettingSource, name: string): Setting | undefined {
  const value = source.variable(name);
  return value === undefined ? undefined : { value, from: name };
}

/** `TETHER_TOKEN`, or what stands in the file that `TETHER_TOKEN_FILE` names. Throws `AccountError` for a file that holds none. */
export function environmentToken(source: SettingSource): Setting | undefined {
  const file = source.variable('TETHER_TOKEN_FILE');
  const direct = settingOf(source, 'TETHER_TOKEN');
  if (direct !== undefined || file === undefined) return direct;
  let token: string;
  try {
    token = readFileSync(resolve(source.folder(), file), 'utf8').trim();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which cannot be read (${code})`);
  }
  if (token === '') throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which is empty`);
  return { value: token, from: `${file}, which TETHER_TOKEN_FILE names` };
}

/** The token that the product's own tools would take. */
export function productToken(product: Product | null, source: SettingSource): Setting | undefined {
  return firstOf(product?.environment?.token, source);
}

/** The base URL that the product's own tools would call. */
export function productAddress(product: Product | null, source: SettingSource): Setting | undefined {
  const address = firstOf(product?.environment?.address, source);
  if (address !== undefined) return { ...address, value: withVersion(address.value) };
  const host = firstOf(product?.environment?.hostname, source);
  return host && { ...host, value: withVersion(`https://${host.value}`) };
}

function firstOf(names: readonly string[] = [], source: SettingSource): Setting | undefined {
  return names.map((name) => settingOf(source, name)).find((setting) => setting !== undefined);
}

/** Such tools name the host alone; the API lives under /api/v2. */
function withVersion(address: string): string {
  const trimmed = address.replace(/\/+$/, '');
  return URL.canParse(trimmed) && new URL(trimmed).pathname === '/' ? `${trimmed}/api/v2` : trimmed;
}

/** Requests a second: a little below what the service allows, so that other users of the same token have room; never above 28. */
export function usualRate(product: Product | null): number {
  return (Math.min(30, product?.limits.requestsPerSecond ?? 30) * 28) / 30;
}
