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

/** Everything a client needs; `profile` is null where no manifest could be read. Throws one `UserError` that names all that is missing. */
export function connectionOf(flags: NetworkFlags, io: Io, profile: Profile | null): Connection {
  const address = addressOf(flags, io, profile);
  const token = tokenOf(io, profile);
  const missing = [
    ...(address === undefined
      ? [
          `no address: give --address or set TETHER_ADDRESS to the base URL of the service, with /api/v2${alsoRead(profile, ['address', 'hostname'])}`,
        ]
      : []),
    ...(token === undefined
      ? [
          `no token: set TETHER_TOKEN, or TETHER_TOKEN_FILE to a file that holds it${alsoRead(profile, ['token'])}`,
        ]
      : []),
  ];
  if (address === undefined || token === undefined) throw new UserError(missing.join('\n'));
  return {
    address: address.value,
    addressFrom: address.from,
    token: token.value,
    tokenFrom: token.from,
    rate: flags.rate ?? rateOf(profile),
    ...(flags.timeout === undefined ? {} : timesOf(flags.timeout)),
  };
}

/** Patience for one attempt leaves room for retries. */
function timesOf(seconds: number): Pick<Connection, 'timeoutMs' | 'deadlineMs'> {
  return { timeoutMs: seconds * 1000, deadlineMs: Math.max(120_000, seconds * 4000) };
}

/** A little below what the service allows, so that other users of the same token have room. */
function rateOf(profile: Profile | null): number {
  const allowed = Math.min(30, profile?.limits.requestsPerSecond ?? 30);
  return (allowed * 28) / 30;
}

/** A setting, and where a person finds it. */
interface Told {
  readonly value: string;
  readonly from: string;
}

/** The token of the environment, or of the file it names; never of a flag, which other users of the machine can see. */
function tokenOf(io: Io, profile: Profile | null): Told | undefined {
  const direct = told(io, 'TETHER_TOKEN');
  if (direct !== undefined) return direct;
  const file = variable(io, 'TETHER_TOKEN_FILE');
  if (file !== undefined) return tokenFrom(file, io);
  return firstVariable(io, profile, 'token');
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

function addressOf(flags: NetworkFlags, io: Io, profile: Profile | null): Told | undefined {
  if (flags.address !== undefined) return { value: flags.address, from: '--address' };
  return told(io, 'TETHER_ADDRESS') ?? profileAddress(io, profile);
}

function profileAddress(io: Io, profile: Profile | null): Told | undefined {
  const address = firstVariable(io, profile, 'address');
  if (address !== undefined) return { ...address, value: withVersion(address.value) };
  const host = firstVariable(io, profile, 'hostname');
  return host && { ...host, value: withVersion(`https://${host.value}`) };
}

/** Tools of that product name the host alone; the API lives under /api/v2. */
function withVersion(address: string): string {
  const trimmed = address.replace(/\/+$/, '');
  return URL.canParse(trimmed) && new URL(trimmed).pathname === '/' ? `${trimmed}/api/v2` : trimmed;
}

type Setting = keyof NonNullable<Profile['environment']>;

function firstVariable(io: Io, profile: Profile | null, what: Setting): Told | undefined {
  const names = variablesOf(profile, [what]);
  return names.map((name) => told(io, name)).find((one) => one !== undefined);
}

function told(io: Io, name: string): Told | undefined {
  const value = variable(io, name);
  return value === undefined ? undefined : { value, from: name };
}

function variablesOf(profile: Profile | null, settings: readonly Setting[]): readonly string[] {
  return settings.flatMap((what) => profile?.environment?.[what] ?? []);
}

/** What the profile reads besides, for a message; empty where it reads nothing. */
function alsoRead(profile: Profile | null, settings: readonly Setting[]): string {
  const names = variablesOf(profile, settings);
  return names.length === 0 ? '' : ` (this profile also reads ${names.join(', ')})`;
}
