/** Finds the token, the address and the rate of an account, for both front ends. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { OperationalError, systemCode } from './errors';
import { rateBelow } from './pace';
import type { ProductVariables } from './product-variables';

export interface Setting {
  readonly value: string;
  /** The name of its variable, such as `TETHER_TOKEN`. */
  readonly from: string;
}

export interface SettingSource {
  /** Returns undefined for a variable that is not set. */
  variable(name: string): string | undefined;
  /** Returns the absolute path where relative paths start. */
  folder(): string;
}

interface Product {
  limits: { requestsPerSecond: number };
  environment?: ProductVariables;
}

/** A setting is missing, or names something that does not exist. */
export class AccountError extends OperationalError {}

/**
 * Returns the first of these variables that is set. Throws `AccountError` if it is empty, because CI sets unknown variables so, and the next
 * setting may be another service or a wider token.
 */
export function readSetting(
  source: Pick<SettingSource, 'variable'>,
  ...names: readonly string[]
): Setting | undefined {
  for (const from of names) {
    const value = source.variable(from);
    if (value === '') throw new AccountError(`${from} is set and empty: give it a value, or unset it`);
    if (value !== undefined) return { value, from };
  }
  return undefined;
}

/** Returns the base URL: the first of these settings, else the one that the product's tools would call. */
export function findAddress(product: Product | null, source: SettingSource, ...names: readonly string[]) {
  return readSetting(source, ...names) ?? productAddress(product, source);
}

/** Returns the token: that of the environment, else the first of these settings, else the one that the product's tools would take. */
export function findToken(
  product: Product | null,
  source: SettingSource,
  organization?: string,
  ...names: readonly string[]
): Setting | undefined {
  const { token = [] } = product?.environment ?? {};
  return environmentToken(source, organization) ?? readSetting(source, ...names, ...token);
}

/** Returns `TETHER_TOKEN_MY_ORG` for `my-org`. */
export function organizationVariable(organization: string): string {
  return `TETHER_TOKEN_${organization.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

const tokenFile = 'TETHER_TOKEN_FILE';

/** Reads the variable of the organization, else `TETHER_TOKEN`, else `TETHER_TOKEN_FILE`. Throws `AccountError` for an unusable file. */
function environmentToken(source: SettingSource, organization?: string): Setting | undefined {
  const names = organization === undefined ? [] : [organizationVariable(organization)];
  // The variable of an organization called `file` would hold a path and not a token.
  const direct = readSetting(source, ...names.filter((name) => name !== tokenFile), 'TETHER_TOKEN');
  if (direct !== undefined) return direct;
  const file = readSetting(source, tokenFile)?.value;
  if (file === undefined) return undefined;
  let value: string;
  try {
    value = readFileSync(resolve(source.folder(), file), 'utf8').trim();
  } catch (cause) {
    throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which cannot be read (${systemCode(cause)})`);
  }
  if (value === '') throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which is empty`);
  return { value, from: `${file}, which TETHER_TOKEN_FILE names` };
}

/** Returns the base URL that the product's tools would call. They name the host, and the API lives under /api/v2. */
function productAddress(product: Product | null, source: SettingSource): Setting | undefined {
  if (product?.environment === undefined) return undefined;
  const { hostname, address: names, defaultHost } = product.environment;
  const ofHost = ({ value, from }: Setting) => ({ value: `https://${value}`, from });
  const usualHost = { value: defaultHost, from: 'the profile' };
  const address = readSetting(source, ...names) ?? ofHost(readSetting(source, ...hostname) ?? usualHost);
  const trimmed = address.value.replace(/\/+$/, '');
  const isHost = URL.canParse(trimmed) && new URL(trimmed).pathname === '/';
  return { ...address, value: isHost ? `${trimmed}/api/v2` : trimmed };
}

/** Returns the requests per second. It is at most 29, because the pace stays below a limit of 30 (`rateBelow`). */
export function usualRate(product: Product | null): number {
  return rateBelow(Math.min(30, product?.limits.requestsPerSecond ?? 30));
}
