/** From what a provider was given and the variables to where the calls go, with which token and how fast. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadOption } from '../client/errors';
import { parseAddress } from '../client/options';
import { type Profile, readProfile } from '../resources/profile';
import type { Surroundings } from './surroundings';

/** Configuration under `tether:`, as texts. */
export interface Given {
  readonly address?: string;
  readonly token?: string;
  /** Name of the variable that holds the token. */
  readonly tokenEnv?: string;
  readonly profile?: string;
  /** Requests a second. */
  readonly rate?: string;
  /** True for a provider that a program made: what it was given wins over `TETHER_*` variables. */
  readonly explicit: boolean;
}

export interface Account {
  readonly address: string;
  readonly token: string;
  /** Where a person has to look when it is refused. */
  readonly tokenFrom: string;
  readonly rate: number;
}

/** The configuration lacks something or names something that is not there; one line, no secret. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

/** The names under which a configuration is read. */
export const settings = ['address', 'token', 'tokenEnv', 'profile', 'rate'] as const;

/** The name or file of the profile. */
export function profileNameOf(given: Given, around: Surroundings): string {
  const variable = around.variable('TETHER_PROFILE');
  const told = given.explicit ? (given.profile ?? variable) : (variable ?? given.profile);
  return told ?? 'default';
}

/** The profile. Throws `ProfileError`. */
export function profileOf(given: Given, around: Surroundings): Profile {
  return readProfile(profileNameOf(given, around), around.folder());
}

/** The base URL of the service as the client writes it; undefined when nobody says. Throws `BadOption` for one that cannot be used. */
export function serviceAddressOf(given: Given, profile: Profile, around: Surroundings): string | undefined {
  const variable = around.variable('TETHER_ADDRESS');
  const told = given.explicit ? (given.address ?? variable) : (variable ?? given.address);
  const address = told ?? profileAddress(profile, around);
  return address === undefined ? undefined : parseAddress(address);
}

/** Whether a recorded address is that of the service, however it was written. */
export function isAddressOf(service: string, recorded: string): boolean {
  try {
    return parseAddress(recorded) === service;
  } catch {
    return false;
  }
}

/** All of it. Throws one `AccountError` that names everything missing. */
export function accountOf(given: Given, profile: Profile, around: Surroundings): Account {
  const problems: string[] = [];
  let address: string | undefined;
  try {
    address = serviceAddressOf(given, profile, around);
    if (address === undefined) {
      problems.push('no address: set TETHER_ADDRESS or `pulumi config set tether:address URL`, with /api/v2');
    }
  } catch (error) {
    if (!(error instanceof BadOption)) throw error;
    problems.push(error.message);
  }
  const found = tokenOf(given, profile, around);
  if (found === undefined) problems.push(noToken(given));
  const rate = given.rate === undefined ? undefined : Number(given.rate);
  if (rate !== undefined && !(rate > 0)) problems.push('tether:rate must be a number above 0');
  if (address === undefined || found === undefined || problems.length > 0) {
    throw new AccountError(problems.join('; '));
  }
  // A little below what the service allows, so that other users of the same token have room.
  return { address, ...found, rate: rate ?? (profile.limits.requestsPerSecond * 28) / 30 };
}

function noToken(given: Given): string {
  if (given.tokenEnv !== undefined) {
    return `no token: tether:tokenEnv names the variable ${given.tokenEnv}, which is not set`;
  }
  return given.explicit && given.address !== undefined
    ? 'no token: this provider was given an address of its own and needs a tether:tokenEnv or tether:token of its own'
    : 'no token: set TETHER_TOKEN, or `pulumi config set --secret tether:token`';
}

type Token = Pick<Account, 'token' | 'tokenFrom'>;

function tokenOf(given: Given, profile: Profile, around: Surroundings): Token | undefined {
  const own =
    given.tokenEnv === undefined
      ? from(given.token, 'tether:token')
      : from(around.variable(given.tokenEnv), `${given.tokenEnv}, which tether:tokenEnv names`);
  if (!given.explicit) return environmentToken(around) ?? own ?? profileToken(profile, around);
  // A token of the environment must not travel to an address that a program gave to this provider alone.
  if (own !== undefined || given.tokenEnv !== undefined || given.address !== undefined) return own;
  return environmentToken(around) ?? profileToken(profile, around);
}

function from(token: string | undefined, tokenFrom: string): Token | undefined {
  return token === undefined ? undefined : { token, tokenFrom };
}

function environmentToken(around: Surroundings): Token | undefined {
  const direct = from(around.variable('TETHER_TOKEN'), 'TETHER_TOKEN');
  if (direct !== undefined) return direct;
  const file = around.variable('TETHER_TOKEN_FILE');
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(around.folder(), file), 'utf8').trim();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which cannot be read (${code})`);
  }
  if (text === '') throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which is empty`);
  return { token: text, tokenFrom: `${file}, which TETHER_TOKEN_FILE names` };
}

function profileToken(profile: Profile, around: Surroundings): Token | undefined {
  const names = profile.environment?.token ?? [];
  return names.map((name) => from(around.variable(name), name)).find((one) => one !== undefined);
}

function profileAddress(profile: Profile, around: Surroundings): string | undefined {
  const address = firstVariable(profile.environment?.address, around);
  const host = firstVariable(profile.environment?.hostname, around);
  const named = address ?? (host === undefined ? undefined : `https://${host}`);
  if (named === undefined || !URL.canParse(named)) return named;
  // Tools of that product name the host alone; the API lives under /api/v2.
  return new URL(named).pathname === '/' ? `${named.replace(/\/+$/u, '')}/api/v2` : named;
}

function firstVariable(names: readonly string[] | undefined, around: Surroundings): string | undefined {
  return (names ?? []).map((name) => around.variable(name)).find((value) => value !== undefined);
}
