/** What a client is made from, with the defaults; the address is checked, so that the token can only go where it should. */
import { setMaxListeners } from 'node:events';
import { BadOption } from './errors';
import { type Clock, systemClock } from './pace';

/** What the client tells while it works: never a token, a body or a header. */
export type ClientEvent =
  | {
      /** `wait`: the service asked for a pause; `retry`: the same request is sent again after a failure. */
      readonly type: 'retry' | 'wait';
      readonly method: string;
      readonly route: string;
      /** The attempt that failed, from 1. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      /** One request that left, or tried to; `status` is null when no answer came. */
      readonly type: 'request';
      readonly method: string;
      readonly route: string;
      readonly status: number | null;
      readonly ms: number;
    };

export interface ClientOptions {
  /** Base URL with /api/v2; https, or http to a loopback host. */
  readonly address: string;
  readonly token: string;
  /** Where the token came from, for messages: `TETHER_TOKEN`; default `the token`. */
  readonly tokenFrom?: string;
  /** Requests a second, evenly spaced over all clients with this address and token; default 28. */
  readonly rate?: number;
  /** Requests in flight at once over all clients with this address and token; default 16. */
  readonly concurrency?: number;
  /** Milliseconds for one attempt, from connecting to the last byte; default 30,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for one operation with its retries, counted from when it may first send; default 120,000. */
  readonly deadlineMs?: number;
  /** Most attempts of one operation, pauses that the service asked for not counted; default 5. */
  readonly attempts?: number;
  /** Most bytes of one answer after decompression; default 64 MiB. */
  readonly maxAnswerBytes?: number;
  /** URL of a proxy; without it no proxy is used, whatever the environment says. */
  readonly proxy?: string;
  readonly onEvent?: (event: ClientEvent) => void;
  /** When it aborts, requests in flight finish, and nothing more is sent: what waits or would be retried fails at once. */
  readonly signal?: AbortSignal;
  /** For tests: time and chance. */
  readonly clock?: Clock;
  /** For tests: a number from 0 up to 1. */
  readonly random?: () => number;
}

/** Options with nothing left open. */
export interface Settings extends Required<Omit<ClientOptions, 'proxy'>> {
  readonly proxy: URL | null;
}

/** Fills in the defaults; throws `BadOption` for what cannot work, before anything is sent. */
export function settle(options: ClientOptions): Settings {
  const tokenFrom = options.tokenFrom ?? 'the token';
  return {
    address: parseAddress(options.address),
    token: parseToken(options.token, tokenFrom),
    tokenFrom,
    rate: positive('rate', options.rate ?? 28),
    concurrency: positive('concurrency', options.concurrency ?? 16),
    timeoutMs: positive('timeoutMs', options.timeoutMs ?? 30_000),
    deadlineMs: positive('deadlineMs', options.deadlineMs ?? 120_000),
    attempts: positive('attempts', options.attempts ?? 5),
    maxAnswerBytes: positive('maxAnswerBytes', options.maxAnswerBytes ?? 64 * 1024 * 1024),
    proxy: options.proxy === undefined ? null : parseProxy(options.proxy),
    onEvent: options.onEvent ?? (() => {}),
    signal: ownSignal(options.signal),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** A signal of our own, since everything that waits listens to it: far more than Node takes for no leak. */
function ownSignal(signal: AbortSignal | undefined): AbortSignal {
  const own = AbortSignal.any(signal === undefined ? [] : [signal]);
  setMaxListeners(0, own);
  return own;
}

function positive(option: string, value: number): number {
  if (value > 0) return value;
  throw new BadOption(option, `${option} must be a number above 0`);
}

function parseToken(token: string, from: string): string {
  if (token === '') throw new BadOption('token', 'no token: set TETHER_TOKEN or TETHER_TOKEN_FILE');
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new BadOption(
    'token',
    `the token holds a space, a line break or another character that no token has: check ${from}`,
  );
}

function parseProxy(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw new BadOption('proxy', 'the proxy must be an http or https URL');
}

/** Returns the address without a trailing slash; throws `BadOption` with all that is wrong unless it is https, or http to loopback. */
export function parseAddress(text: string): string {
  if (!URL.canParse(text)) {
    throw new BadOption('address', `the address is not a URL: it should look like https://host/api/v2`);
  }
  const url = new URL(text);
  const wrong = [
    ...(url.username !== '' || url.password !== ''
      ? ['the address holds a user name or password: leave it out, the token is all that is needed']
      : []),
    ...(url.search !== '' || url.hash !== ''
      ? ['the address holds a ? or #: it should look like https://host/api/v2']
      : []),
    ...wrongProtocol(url),
  ];
  if (wrong.length > 0) throw new BadOption('address', wrong.join('; '));
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function wrongProtocol({ protocol, host, hostname }: URL): readonly string[] {
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return [
      `the address http://${host} is http: the token would travel in the clear; use https (http is for loopback only)`,
    ];
  }
  if (protocol === 'http:' || protocol === 'https:') return [];
  return [`the address starts with ${protocol}//: it should start with https://`];
}

/** True for a host that never leaves this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
