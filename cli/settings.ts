/** From flags, variables and the profile to where the calls go, with which token and how fast. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Profile } from '../resources/profile';
import { codeOf, UserError } from './errors';
import type { ManifestFlags, NetworkFlags } from './flags';
import { type Io, variable } from './io';

export interface Connection {
  readonly address: string;
  /** `--address` or a variable. */
  readonly addressFrom: string;
  readonly token: string;
  /** Where a person has to look when it is refused. */
  readonly tokenFrom: string;
  /** Requests a second. */
  readonly rate: number;
  /** For one attempt. */
  readonly timeoutMs?: number;
  /** For one operation with its retries. */
  readonly deadlineMs?: number;
}

/** The flag, else `TETHER_PROFILE`; absent: what the manifests say. */
export function profileOf(flags: ManifestFlags, io: Io): string | undefined {
  return flags.profile ?? variable(io, 'TETHER_PROFILE');
}

/** Everything a client needs; throws one `UserError` that names all that is missing. */
export function connectionOf(flags: NetworkFlags, io: Io, profiles: readonly Profile[]): Connection {
  const address = addressOf(flags, io, profiles);
  const token = tokenOf(io, profiles);
  const missing = [
    ...(address === undefined
      ? [
          `no address: give --address or set TETHER_ADDRESS to the base URL of the service, with /api/v2${alsoRead(profiles, ['address', 'hostname'])}`,
        ]
      : []),
    ...(token === undefined
      ? [
          `no token: set TETHER_TOKEN, or TETHER_TOKEN_FILE to a file that holds it${alsoRead(profiles, ['token'])}`,
        ]
      : []),
  ];
  if (address === undefined || token === undefined) throw new UserError(missing.join('\n'));
  return {
    address: address.value,
    addressFrom: address.from,
    token: token.value,
    tokenFrom: token.from,
    rate: flags.rate ?? rateOf(profiles),
    ...(flags.timeout === undefined ? {} : timesOf(flags.timeout)),
  };
}

/** Patience for one attempt leaves room for retries. */
function timesOf(seconds: number): Pick<Connection, 'timeoutMs' | 'deadlineMs'> {
  return { timeoutMs: seconds * 1000, deadlineMs: Math.max(120_000, seconds * 4000) };
}

/** A little below what the service allows, so that other users of the same token have room. */
function rateOf(profiles: readonly Profile[]): number {
  const allowed = Math.min(30, ...profiles.map((profile) => profile.limits.requestsPerSecond));
  return (allowed * 28) / 30;
}

/** A setting, and where a person finds it. */
interface Told {
  readonly value: string;
  readonly from: string;
}

/** The token of the environment, or of the file it names; never of a flag, which other users of the machine can see. */
function tokenOf(io: Io, profiles: readonly Profile[]): Told | undefined {
  const direct = told(io, 'TETHER_TOKEN');
  if (direct !== undefined) return direct;
  const file = variable(io, 'TETHER_TOKEN_FILE');
  if (file !== undefined) return tokenFrom(file, io);
  return firstVariable(io, profiles, 'token');
}

function tokenFrom(file: string, io: Io): Told {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (cause) {
    throw new UserError(`TETHER_TOKEN_FILE names ${file}, which cannot be read (${codeOf(cause)})`);
  }
  const token = text.trim();
  if (token === '') throw new UserError(`TETHER_TOKEN_FILE names ${file}, which is empty`);
  return { value: token, from: `${file}, which TETHER_TOKEN_FILE names` };
}

function addressOf(flags: NetworkFlags, io: Io, profiles: readonly Profile[]): Told | undefined {
  if (flags.address !== undefined) return { value: flags.address, from: '--address' };
  return told(io, 'TETHER_ADDRESS') ?? profileAddress(io, profiles);
}

function profileAddress(io: Io, profiles: readonly Profile[]): Told | undefined {
  const address = firstVariable(io, profiles, 'address');
  if (address !== undefined) return { ...address, value: withVersion(address.value) };
  const host = firstVariable(io, profiles, 'hostname');
  return host && { ...host, value: withVersion(`https://${host.value}`) };
}

/** Tools of that product name the host alone; the API lives under /api/v2. */
function withVersion(address: string): string {
  const trimmed = address.replace(/\/+$/, '');
  return URL.canParse(trimmed) && new URL(trimmed).pathname === '/' ? `${trimmed}/api/v2` : trimmed;
}

type Setting = keyof NonNullable<Profile['environment']>;

function firstVariable(io: Io, profiles: readonly Profile[], what: Setting): Told | undefined {
  const names = variablesOf(profiles, [what]);
  return names.map((name) => told(io, name)).find((one) => one !== undefined);
}

function told(io: Io, name: string): Told | undefined {
  const value = variable(io, name);
  return value === undefined ? undefined : { value, from: name };
}

function variablesOf(profiles: readonly Profile[], settings: readonly Setting[]): readonly string[] {
  const names = settings.flatMap((what) => profiles.flatMap((profile) => profile.environment?.[what] ?? []));
  return [...new Set(names)];
}

/** What the profiles read besides, for a message; empty where they read nothing. */
function alsoRead(profiles: readonly Profile[], settings: readonly Setting[]): string {
  const names = variablesOf(profiles, settings);
  return names.length === 0 ? '' : ` (this profile also reads ${names.join(', ')})`;
}
