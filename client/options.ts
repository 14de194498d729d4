/** Options of a client, with their defaults, and checks that the token goes only where it should. */
import { setMaxListeners } from 'node:events';
import { isLoopback, parseAddress } from './address';
import { BadOption } from './errors';
import { type Clock, systemClock } from './pace';

export type RequestEvent =
  | {
      /** The service asked for a `wait`. */
      readonly type: 'retry' | 'wait';
      /** The number of the attempt that failed, from 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      /** A request was sent, or could not be. */
      readonly type: 'request';
      /** It is null when there was no response. */
      readonly status: number | null;
      readonly ms: number;
    };

/** An event never holds a token, a body or a header. */
export type ClientEvent = RequestEvent & { readonly method: string; readonly route: string };

export interface ClientOptions {
  /** The base URL with /api/v2. It is https, or http to a loopback host. */
  readonly address: string;
  readonly token: string;
  /** The name of the token in messages. The default is `the token`. */
  readonly tokenFrom?: string;
  /** Requests per second of all clients with this address and token. The default is 29. */
  readonly rate?: number;
  /** Requests in flight of the same clients. The default is 32. */
  readonly concurrency?: number;
  /** The milliseconds of one attempt, from connecting to the last byte. The default is 30,000. */
  readonly timeoutMs?: number;
  /** The milliseconds of a call with its retries, from when it may first send. The default is 120,000. */
  readonly deadlineMs?: number;
  /** Attempts of a call. The default is 5. Those that a rate limit or a temporary lock ended do not count. */
  readonly attempts?: number;
  /** The maximum size of one decompressed response. The default is 16 MiB. */
  readonly maxAnswerBytes?: number;
  /** The URL of a proxy that tunnels to the service. Loopback does not use it. The environment is not read. */
  readonly proxy?: string;
  readonly onEvent?: (event: ClientEvent) => void;
  /** After its abort, requests in flight finish and all others fail at once. */
  readonly signal?: AbortSignal;
  /** The clock. Tests use their own, and their own `random`. */
  readonly clock?: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random?: () => number;
}

export interface Settings extends Required<Omit<ClientOptions, 'proxy'>> {
  readonly proxy: URL | null;
  /** The header of each request. */
  readonly authorization: string;
  readonly mediaType: string;
}

/** The defaults of the options that must be above 0. */
export const clientDefaults = {
  rate: 29,
  concurrency: 32,
  timeoutMs: 30_000,
  deadlineMs: 120_000,
  attempts: 5,
  maxAnswerBytes: 16 * 1024 * 1024,
};

/** Throws `BadOption` for an option that cannot work. */
export function withDefaults(options: ClientOptions): Settings {
  const { tokenFrom = 'the token', onEvent = () => {}, clock = systemClock, random = Math.random } = options;
  const numbers = { ...clientDefaults };
  for (const option of Object.keys(clientDefaults) as (keyof typeof clientDefaults)[]) {
    numbers[option] = options[option] ?? clientDefaults[option];
    if (!(numbers[option] > 0)) throw new BadOption(`${option} must be a number above 0`);
  }
  const address = parseAddress(options.address);
  const token = parseToken(options.token, tokenFrom);
  const isDirect = options.proxy === undefined || isLoopback(new URL(address).hostname);
  return {
    ...numbers,
    address,
    token,
    authorization: `Bearer ${token}`,
    mediaType: 'application/vnd.api+json',
    tokenFrom,
    proxy: isDirect ? null : parseProxy(options.proxy),
    onEvent,
    signal: copySignal(options.signal),
    clock,
    random,
  };
}

/** Returns a signal to which all waiting calls may listen. Node would warn about so many listeners. */
function copySignal(signal?: AbortSignal): AbortSignal {
  const copy = AbortSignal.any(signal === undefined ? [] : [signal]);
  setMaxListeners(0, copy);
  return copy;
}

function parseToken(token: string, from: string): string {
  if (!token) throw new BadOption('no token: set TETHER_TOKEN or TETHER_TOKEN_FILE');
  if (/^(['"]).*\1$/.test(token)) {
    throw new BadOption(`the token stands in quotes, which are no part of it: check ${from}`);
  }
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const what = 'a space, a line break or another character that no token has';
  throw new BadOption(`the token holds ${what}: check ${from}`);
}

/** A proxy without a scheme is http. Throws `BadOption`. */
export function parseProxy(text: string, from = 'the proxy'): URL {
  const url = text.includes('://') ? text : `http://${text}`;
  if (/^socks/i.test(url)) {
    throw new BadOption(`${from}: SOCKS proxies are not supported, only http and https`);
  }
  // Such a character in a password would begin another part of the URL, and the rest would be shown.
  if (/^https?:\/\/[^/?#\\]+\/?$/i.test(url) && URL.canParse(url)) return new URL(url);
  const form = 'it should look like http://host:port or http://user:password@host:port';
  const advice = 'in the user name and password write / as %2F, ? as %3F, # as %23, \\ as %5C';
  throw new BadOption(`${from} is not the URL of a proxy: ${form}; ${advice}`);
}
