/** What one exchange means for its request: done, to be tried again, or failed. Pure. */

import type { Request } from './api';
import {
  AnswerLost,
  type ApiError,
  BadAnswer,
  Conflict,
  type ErrorDetail,
  Invalid,
  NotFound,
  NotSent,
  type Outcome,
  RateLimited,
  ServerError,
  Unauthorized,
} from './errors';

import { isRecord, Unreadable } from './json-api';
import type { Settings } from './options';
import { oneLine, type Redact } from './text';
import type { Exchange } from './transport';

/** Which class of the error tree a failure becomes. */
export type FailureKind =
  | 'Unauthorized'
  | 'NotFound'
  | 'Conflict'
  | 'Invalid'
  | 'RateLimited'
  | 'ServerError'
  | 'NotSent'
  | 'AnswerLost'
  | 'BadAnswer';

export interface Failure {
  readonly kind: FailureKind;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly details: readonly ErrorDetail[];
  /** What happened and what to do, without method and route. */
  readonly text: string;
}

export type Verdict<Result> =
  | { readonly verdict: 'done'; readonly result: Result }
  | { readonly verdict: 'failed'; readonly failure: Failure }
  | {
      readonly verdict: 'again';
      /** What it fails with when it may not be tried again. */
      readonly failure: Failure;
      /** `deadline`: as long as the deadline allows (the service asked for patience); `attempts`: a few times. */
      readonly until: 'deadline' | 'attempts';
    };

/** What the texts of a verdict tell of the client. */
export type Client = Pick<Settings, 'address' | 'tokenFrom' | 'maxAnswerBytes'>;

/** `redact` masks the secrets in all texts that come from the service. */
export function judge<Result>(
  request: Request<Result>,
  exchange: Exchange,
  client: Client,
  redact: Redact,
): Verdict<Result> {
  if (exchange.kind === 'none') return judgeNone(request, exchange, client.address);
  const { status } = exchange;
  const content = parseContent(exchange.body);
  const details = readErrorDetails(content.document, redact);
  const redirectsTo = oneLine(redact(originOf(exchange.headers.location)));
  const said = describeDetails(details);
  const failure = (kind: FailureKind, outcome: Outcome, text?: string): Failure => ({
    kind,
    outcome,
    status,
    details,
    text: text ?? describeAnswer({ status, said, html: content.html, redirectsTo }, client),
  });

  if (status >= 200 && status < 300) {
    if (exchange.broken === 'too large') {
      const text = describeTooLarge(client.maxAnswerBytes, client.address) + afterwards(request);
      return failed(failure(lostOr('BadAnswer', request), 'ambiguous', text));
    }
    if (content.html) return failed(failure(lostOr('BadAnswer', request), 'ambiguous'));
    // Who answers a write with anything but a document has perhaps not done it.
    const blank = exchange.body === null || exchange.body.every((byte) => byte <= 0x20);
    if (request.expects === 'nothing' && (blank || content.document !== undefined)) {
      return { verdict: 'done', result: request.read(undefined) };
    }
    if (content.document === undefined) {
      const advice = request.method === 'GET' ? ': is the address right?' : '';
      const why = exchange.broken === null ? `is no JSON:API document${advice}` : 'was cut off';
      const lost = failure('AnswerLost', 'ambiguous', `the answer (${status}) ${why}${afterwards(request)}`);
      const unreadable = { ...lost, kind: lostOr('BadAnswer', request) };
      return request.repeatable ? { verdict: 'again', failure: unreadable, until: 'attempts' } : failed(lost);
    }
    try {
      return { verdict: 'done', result: request.read(content.document) };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const what = oneLine(redact(error.message));
      const text = `the answer (${status}) is not what the API promises: ${what}${afterwards(request)}`;
      return failed(failure(lostOr('BadAnswer', request), 'ambiguous', text));
    }
  }
  if (status === 429)
    return { verdict: 'again', failure: failure('RateLimited', 'rejected'), until: 'deadline' };
  if (status >= 500 || status === 408) {
    if (status === 501 || status === 505) return failed(failure('ServerError', 'rejected'));
    if (request.repeatable) {
      return { verdict: 'again', failure: failure('ServerError', 'ambiguous'), until: 'attempts' };
    }
    const lost = failure('AnswerLost', 'ambiguous');
    return failed({ ...lost, text: lost.text + afterwards(request) });
  }
  const refused = failure(refusals[status] ?? (status >= 400 ? 'Invalid' : 'BadAnswer'), 'rejected');
  const passes = (status === 409 || status === 422) && request.passes?.(said) === true;
  return passes ? { verdict: 'again', failure: refused, until: 'deadline' } : failed(refused);
}

const refusals: Readonly<Record<number, FailureKind>> = {
  401: 'Unauthorized',
  404: 'NotFound',
  409: 'Conflict',
};

/** Failures that will be the same the next time. */
const lasting =
  /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

function judgeNone<Result>(
  request: Request<Result>,
  exchange: Exchange & { kind: 'none' },
  address: string,
): Verdict<Result> {
  const text = describeNone(exchange.code, exchange.sent, address);
  const base = { status: null, details: [] };
  if (!exchange.sent) {
    const failure: Failure = { ...base, kind: 'NotSent', outcome: 'not-sent', text };
    return lasting.test(exchange.code) ? failed(failure) : { verdict: 'again', failure, until: 'attempts' };
  }
  const failure: Failure = {
    ...base,
    kind: 'AnswerLost',
    outcome: 'ambiguous',
    text: text + afterwards(request),
  };
  return request.repeatable ? { verdict: 'again', failure, until: 'attempts' } : failed(failure);
}

function failed(failure: Failure): { verdict: 'failed'; failure: Failure } {
  return { verdict: 'failed', failure };
}

/** A write whose answer says nothing readable may have been applied; a read has only a bad answer. */
function lostOr(kind: FailureKind, request: Request<unknown>): FailureKind {
  return request.method === 'GET' ? kind : 'AnswerLost';
}

function afterwards(request: Request<unknown>): string {
  return request.method === 'GET' ? '' : '; it may have been applied: look before trying again';
}

interface Content {
  /** Undefined when there is none or it is not JSON. */
  readonly document: unknown;
  readonly html: boolean;
}

function parseContent(body: Uint8Array | null): Content {
  if (body === null || body.length === 0) return { document: undefined, html: false };
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (/^\s*</.test(text)) return { document: undefined, html: true };
    const document: unknown = JSON.parse(text);
    return { document: isRecord(document) ? document : undefined, html: false };
  } catch {
    return { document: undefined, html: false };
  }
}

// What people read when a request fails: what happened and what to do.
/** An answer that is no success; `said` is what the service wrote and `redirectsTo` where it points, both cleaned. */
export interface Refused {
  readonly status: number;
  readonly said: string;
  readonly html: boolean;
  readonly redirectsTo: string;
}

/** What it says, for a client of this address whose token came from there. */
export function describeAnswer(
  { status, said, html, redirectsTo }: Refused,
  { address, tokenFrom }: Pick<Settings, 'address' | 'tokenFrom'>,
): string {
  const quoted = said === '' ? '' : `: ${said}`;
  const advice = html || status === 404 ? adviceOnAddress(html, address) : '';
  if (status >= 300 && status < 400) {
    return `the service redirects (${status}) to ${redirectsTo}: not followed, the token stays here; use its final address`;
  }
  if (status === 401) return `the token was refused (401)${quoted}: check ${tokenFrom}${advice}`;
  if (status === 404) return `not found, or the token may not see it (404)${quoted}${advice}`;
  if (status === 403) return `forbidden (403)${quoted}: the token lacks a permission${advice}`;
  if (status === 429) {
    return `the service limits the rate (429)${quoted}: ask less often (--rate, under Pulumi tether:rate) or try again later`;
  }
  if (status >= 500) return `the service failed (${status})${quoted}: try again later${advice}`;
  if (status < 300) return `(${status})${advice}`;
  return `refused (${status})${quoted}${advice}`;
}

/** For an answer of more bytes than a client takes. */
export function describeTooLarge(maxAnswerBytes: number, address: string): string {
  const most =
    maxAnswerBytes >= mebibyte ? `${Math.floor(maxAnswerBytes / mebibyte)} MiB` : `${maxAnswerBytes} bytes`;
  return `the answer is larger than ${most}, the most this client reads: check that ${address} is the API and no download; createClient takes a higher maxAnswerBytes`;
}

const mebibyte = 1024 * 1024;

/** For an exchange without an answer; `code` is `timeout` or that of a system or TLS error. */
export function describeNone(code: string, sent: boolean, address: string): string {
  const { host } = new URL(address);
  if (sent) {
    if (code === 'timeout') return `no answer from ${host} in time`;
    if (code.startsWith('HPE_')) {
      return `${host} does not speak HTTP as expected (${code}): check the address and its port`;
    }
    return `the connection to ${host} broke before the answer was complete (${code})`;
  }
  if (code === 'timeout') return `no connection to ${host} in time: check the address and the network`;
  if (code === 'ECONNREFUSED') return `nothing listens at ${host} (${code}): check the address`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `the host name ${host} cannot be resolved (${code}): check the address`;
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return `${host} does not speak TLS as expected (${code}): check the address and its port`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|HOSTNAME/.test(code)) {
    return `the certificate of ${host} is not trusted (${code}): NODE_EXTRA_CA_CERTS names a file with further authorities`;
  }
  return `no connection to ${host} (${code}): check the address and the network`;
}

function adviceOnAddress(html: boolean, address: string): string {
  const wrongEnd = !address.endsWith('/api/v2');
  if (html) return `; the answer is HTML, not JSON:API: is the address right? It should end in /api/v2`;
  return wrongEnd ? `; is the address right? ${address} does not end in /api/v2` : '';
}

/** Only the origin: the rest of a redirect may carry what is nobody's business. */
export function originOf(location: string | undefined): string {
  if (location === undefined) return 'an unnamed place';
  return URL.canParse(location) ? new URL(location).origin : 'another path of the same host';
}

// The error object of an answer, in all the forms that services of this API have been seen to use.
const MOST = 20;
/** Characters of one text that are looked at. */
const LONGEST = 4000;

/** The members of `errors`: objects (status a string or a number) or plain texts; anything else gives none. */
export function readErrorDetails(document: unknown, redact: Redact): ErrorDetail[] {
  if (!isRecord(document)) return [];
  const errors = Array.isArray(document.errors) ? document.errors : [document.errors];
  const clean = (value: unknown): string | undefined =>
    typeof value === 'string' || typeof value === 'number'
      ? oneLine(redact(String(value).slice(0, LONGEST)))
      : undefined;
  return errors.slice(0, MOST).flatMap((error: unknown) => {
    if (typeof error === 'string') return [{ detail: clean(error) ?? '' }];
    if (!isRecord(error)) return [];
    const source = isRecord(error.source) ? error.source : {};
    const members = {
      status: clean(error.status),
      title: clean(error.title),
      detail: clean(error.detail),
      pointer: clean(source.pointer),
      parameter: clean(source.parameter),
    };
    const given = Object.entries(members).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0 ? [] : [Object.fromEntries(given) as ErrorDetail];
  });
}

/** `title: detail (pointer)` of each, joined, at most 1,000 characters; empty when the service said nothing. */
export function describeDetails(details: readonly ErrorDetail[]): string {
  const texts = details
    .map((error) => {
      const text = [error.title, error.detail].filter((part) => part !== undefined).join(': ');
      const place = error.pointer ?? error.parameter;
      return place === undefined ? text : `${text} (${place})`;
    })
    .filter((text) => text !== '');
  const joined = texts.join('; ');
  return joined.length > 1000 ? `${joined.slice(0, 999)}…` : joined;
}

// From a failure of the last attempt to the error that leaves the client.
const classes = {
  AnswerLost,
  BadAnswer,
  Conflict,
  Invalid,
  NotFound,
  NotSent,
  RateLimited,
  ServerError,
  Unauthorized,
};

/** The error for an operation; one whose earlier attempt may have been applied is never called "not sent". */
export function createError(
  failure: Failure,
  operation: { method: string; route: string; attempts: number; uncertain: boolean },
): ApiError {
  const { method, route, attempts, uncertain } = operation;
  const kind = failure.kind === 'NotSent' && uncertain ? 'AnswerLost' : failure.kind;
  const outcome = uncertain ? 'ambiguous' : failure.outcome;
  const tries = attempts > 1 ? ` (after ${attempts} attempts)` : '';
  const doubt =
    uncertain && failure.outcome !== 'ambiguous' ? '; an earlier attempt may have been applied' : '';
  return new classes[kind](`${method} ${route}: ${failure.text}${doubt}${tries}`, outcome, {
    method,
    route,
    status: failure.status,
    attempts,
    details: failure.details,
  });
}
