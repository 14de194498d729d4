/** Options of a client: defaults, checks that the token goes only where it should, and where both front ends find them. */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BadOption } from './errors';
import { type Clock, systemClock } from './pace';

/** What became of one request. */
export type RequestEvent =
  | {
      /** `wait`: the service asked for it; `retry`: after a failure. */
      readonly type: 'retry' | 'wait';
      /** The attempt that failed, from 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      /** One that left, or tried to. */
      readonly type: 'request';
      /** Null when no answer came. */
      readonly status: number | null;
      readonly ms: number;
    };

/** Never holds a token, a body or a header. */
export type ClientEvent = RequestEvent & { readonly method: string; readonly route: string };

export interface ClientOptions {
  /** Base URL with /api/v2; https, or http to a loopback host. */
  readonly address: string;
  readonly token: string;
  /** Where it came from, for messages: `TETHER_TOKEN`; default `the token`. */
  readonly tokenFrom?: string;
  /** Requests a second over all clients with this address and token; default 28. */
  readonly rate?: number;
  /** Requests in flight over the same; default 16. */
  readonly concurrency?: number;
  /** Milliseconds for one attempt, from connecting to the last byte; default 30,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for a call with its retries, from when it may first send; default 120,000. */
  readonly deadlineMs?: number;
  /** Most attempts of a call, pauses that the service asked for not counted; default 5. */
  readonly attempts?: number;
  /** Most bytes of one answer after decompression; default 64 MiB. */
  readonly maxAnswerBytes?: number;
  /** Its URL; without it none is used, whatever the environment says. */
  readonly proxy?: string;
  readonly onEvent?: (event: ClientEvent) => void;
  /** After its abort requests in flight finish, and what waits or would be retried fails at once. */
  readonly signal?: AbortSignal;
  /** For tests, as is `random`. */
  readonly clock?: Clock;
  /** From 0 up to 1. */
  readonly random?: () => number;
}

export interface Settings extends Required<Omit<ClientOptions, 'proxy'>> {
  readonly proxy: URL | null;
}

/** Defaults of the options that must be above 0. */
const defaults = {
  rate: 28,
  concurrency: 16,
  timeoutMs: 30_000,
  deadlineMs: 120_000,
  attempts: 5,
  maxAnswerBytes: 64 * 1024 * 1024,
};

/** Fills in the defaults; throws `BadOption` for what cannot work. */
export function settle(options: ClientOptions): Settings {
  const numberOf = (option: keyof typeof defaults): number => {
    const value = options[option] ?? defaults[option];
    if (value > 0) return value;
    throw new BadOption(option, `${option} must be a number above 0`);
  };
  const tokenFrom = options.tokenFrom ?? 'the token';
  return {
    address: parseAddress(options.address),
    token: parseToken(options.token, tokenFrom),
    tokenFrom,
    rate: numberOf('rate'),
    concurrency: numberOf('concurrency'),
    timeoutMs: numberOf('timeoutMs'),
    deadlineMs: numberOf('deadlineMs'),
    attempts: numberOf('attempts'),
    maxAnswerBytes: numberOf('maxAnswerBytes'),
    proxy: options.proxy === undefined ? null : parseProxy(options.proxy),
    onEvent: options.onEvent ?? (() => {}),
    signal: ownSignal(options.signal),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** Its own: all waiting calls listen to it, more than Node allows without a warning. */
function ownSignal(signal: AbortSignal | undefined): AbortSignal {
  const own = AbortSignal.any(signal === undefined ? [] : [signal]);
  setMaxListeners(0, own);
  return own;
}

function parseToken(token: string, from: string): string {
  if (token === '') throw new BadOption('token', 'no token: set TETHER_TOKEN or TETHER_TOKEN_FILE');
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const what = 'a space, a line break or another character that no token has';
  throw new BadOption('token', `the token holds ${what}: check ${from}`);
}

function parseProxy(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new BadOption('proxy', 'the proxy must be an http or https URL');
}

/** The address without a trailing slash; throws `BadOption` with all that is wrong unless it is https, or http to loopback. */
export function parseAddress(text: string): string {
  const example = 'it should look like https://host/api/v2';
  if (!URL.canParse(text)) throw new BadOption('address', `the address is not a URL: ${example}`);
  const { protocol, host, hostname, username, password, search, hash, origin, pathname } = new URL(text);
  const wrong: string[] = [];
  if (username !== '' || password !== '') {
    wrong.push('the address holds a user name or password: leave it out, the token is all that is needed');
  }
  if (search !== '' || hash !== '') wrong.push(`the address holds a ? or #: ${example}`);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const advice = 'the token would travel in the clear; use https (http is for loopback only)';
    wrong.push(`the address http://${host} is http: ${advice}`);
  } else if (protocol !== 'http:' && protocol !== 'https:') {
    wrong.push(`the address starts with ${protocol}//: it should start with https://`);
  }
  if (wrong.length > 0) throw new BadOption('address', wrong.join('; '));
  return origin + pathname.replace(/\/+$/, '');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** A setting, and where it comes from: `TETHER_TOKEN`. */
export interface Setting {
  readonly value: string;
  readonly from: string;
}

export interface SettingSource {
  /** Undefined for one that is not set, or empty. */
  variable(name: string): string | undefined;
  /** Absolute; relative paths start here. */
  folder(): string;
}

/** What a profile says of the product behind the service. */
interface Product {
  readonly limits: { readonly requestsPerSecond: number };
  /** Further variables to read settings from. */
  readonly environment?: Readonly<Partial<Record<'token' | 'address' | 'hostname', readonly string[]>>>;
}

/** A setting is missing, or names what is not there; the message holds no secret. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

export function settingOf(source: SettingSource, name: string): Setting | undefined {
  const value = source.variable(name);
  return value === undefined ? undefined : { value, from: name };
}

/** `TETHER_TOKEN`, or what the file of `TETHER_TOKEN_FILE` holds. Throws `AccountError` for a file without any. */
export function environmentToken(source: SettingSource): Setting | undefined {
  const file = source.variable('TETHER_TOKEN_FILE');
  const direct = settingOf(source, 'TETHER_TOKEN');
  if (direct !== undefined || file === undefined) return direct;
  let value: string;
  try {
    value = readFileSync(resolve(source.folder(), file), 'utf8').trim();
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which cannot be read (${code})`);
  }
  if (value === '') throw new AccountError(`TETHER_TOKEN_FILE names ${file}, which is empty`);
  return { value, from: `${file}, which TETHER_TOKEN_FILE names` };
}

/** The token that the product's own tools would take. */
export function productToken(product: Product | null, source: SettingSource): Setting | undefined {
  return firstOf(product?.environment?.token, source);
}

/** The base URL that they would call: they name the host, the API lives under /api/v2. */
export function productAddress(product: Product | null, source: SettingSource): Setting | undefined {
  const host = firstOf(product?.environment?.hostname, source);
  const address =
    firstOf(product?.environment?.address, source) ?? (host && { ...host, value: `https://${host.value}` });
  if (address === undefined) return undefined;
  const trimmed = address.value.replace(/\/+$/, '');
  const isHost = URL.canParse(trimmed) && new URL(trimmed).pathname === '/';
  return { ...address, value: isHost ? `${trimmed}/api/v2` : trimmed };
}

function firstOf(names: readonly string[] = [], source: SettingSource): Setting | undefined {
  return names.map((name) => settingOf(source, name)).find((setting) => setting !== undefined);
}

/** Requests a second: a little below what the service allows, so that others with the token have room; at most 28. */
export function usualRate(product: Product | null): number {
  return (Math.min(30, product?.limits.requestsPerSecond ?? 30) * 28) / 30;
}
