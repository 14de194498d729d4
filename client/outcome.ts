/** What follows from an exchange: a result, another attempt or an error. The protocol as a table. Pure. */
import type { Request } from './api';
import type { Failure, FailureKind, Outcome } from './errors';
import { describeDetails, isRecord, type JsonRecord, readErrorDetails, Unreadable } from './json-api';
import { endsInApiPath, type Settings } from './options';
import { oneLine, type Redact } from './text';
import type { Exchange } from './transport';

/** How long a request is sent again: never, for the allowed number of attempts, or until the deadline. */
export type Retry = 'never' | 'attempts' | 'deadline';

export type Classified<Result> =
  | { state: 'done'; result: Result }
  | { state: 'failed'; failure: Failure; retry: Retry };

type AnswerContext = Pick<Settings, 'address' | 'tokenFrom' | 'maxAnswerBytes' | 'proxy'>;

/** What a lost answer may have done: nothing; what can be done twice; what cannot. */
type Effect = 'read' | 'write' | 'create';

/** The error, what became of the request, and whether it is sent again. */
type Rule = readonly [
  error: FailureKind | Readonly<Record<Effect, FailureKind>>,
  outcome: Outcome,
  /** `unless create`: a few times, but never what could make a second object. */
  retry: Retry | 'unless create',
];

/** A write whose answer cannot be read may have been applied. */
const unread = { read: 'BadAnswer', write: 'AnswerLost', create: 'AnswerLost' } as const;
const failed = { read: 'ServerError', write: 'ServerError', create: 'AnswerLost' } as const;

const rules = {
  /** No connection, now and the next time. */
  unreachable: ['NotSent', 'not-sent', 'never'],
  notConnected: ['NotSent', 'not-sent', 'attempts'],
  /** Bytes left and no status came. */
  noAnswer: ['AnswerLost', 'ambiguous', 'unless create'],
  /** 2xx, and then something else than the API promises. */
  unexpected: [unread, 'ambiguous', 'never'],
  noDocument: [unread, 'ambiguous', 'unless create'],
  /** 3xx: never followed. */
  redirected: ['BadAnswer', 'rejected', 'never'],
  /** 4xx without a row of its own. */
  refused: ['Invalid', 'rejected', 'never'],
  unauthorized: ['Unauthorized', 'rejected', 'never'],
  forbidden: ['Forbidden', 'rejected', 'never'],
  notFound: ['NotFound', 'rejected', 'never'],
  conflict: ['Conflict', 'rejected', 'never'],
  /** 409 and 422 of a temporary lock. */
  locked: ['Conflict', 'rejected', 'deadline'],
  lockedInvalid: ['Invalid', 'rejected', 'deadline'],
  rateLimited: ['RateLimited', 'rejected', 'deadline'],
  /** 408 and 5xx: nobody knows how far the service came. */
  serverFailed: [failed, 'ambiguous', 'unless create'],
  /** 501, 505: the server says that it did nothing. */
  unsupported: ['ServerError', 'rejected', 'never'],
} as const satisfies Readonly<Record<string, Rule>>;

type Situation = keyof typeof rules;

const statuses: Readonly<Record<number, Situation>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  408: 'serverFailed',
  409: 'conflict',
  429: 'rateLimited',
  501: 'unsupported',
  505: 'unsupported',
};

/** Where `Request.retryable` sees a lock. */
const lockStatuses: Readonly<Record<number, Situation>> = { 409: 'locked', 422: 'lockedInvalid' };

export function classify<Result>(
  request: Request<Result>,
  exchange: Exchange,
  client: AnswerContext,
  redact: Redact,
): Classified<Result> {
  if (exchange.kind === 'none') {
    const { code, sent, tunnel = 0 } = exchange;
    // Not a number where the answer is no HTTP.
    const isRefused = tunnel > 0 && tunnel !== 200;
    // A proxy that refuses will refuse again, unless it failed itself.
    const isLasting = (isRefused && tunnel < 500) || lasting.test(code);
    const situation = sent ? 'noAnswer' : isLasting ? 'unreachable' : 'notConnected';
    const { host } = new URL(client.address);
    const proxy = sent || tunnel === 200 ? null : client.proxy;
    const by = proxy === null ? host : `the proxy ${proxy.host}`;
    const said = isRefused ? describeTunnel(tunnel, host, by) : describeNone(code, sent, by);
    const text = proxy === null ? said : said.replace('the address', 'HTTPS_PROXY');
    return failureOf(request, situation, { status: null, details: [], text });
  }
  const { status, headers, body, broken } = exchange;
  const content = parseContent(body);
  const html = content === 'html';
  const document = html ? null : content;
  const details = readErrorDetails(document, redact);
  const fail = (situation: Situation, text: string) =>
    failureOf(request, situation, { status, details, text });
  if (status < 200 || status >= 300) {
    const said = describeDetails(details);
    const text =
      status < 400
        ? `the service redirects (${status}) to ${oneLine(redact(originOf(headers.location)))}: not followed, the token stays here; use its final address`
        : describeRefusal(status, said === '' ? '' : `: ${said}`, html, client);
    return fail(situationOf(request, status, said), text);
  }
  if (broken === 'too large') return fail('unexpected', describeTooLarge(client));
  if (html) return fail('unexpected', `the answer (${status}) is HTML, not JSON:API: ${doubt(client)}`);
  // An answer to a write that is no document proves nothing.
  const isBlank = body === null || body.every((byte) => byte <= 0x20);
  if (request.expects === 'nothing' && (isBlank || document !== null)) {
    return { state: 'done', result: request.read(undefined) };
  }
  if (document === null) {
    const advice = request.method === 'GET' ? ': is the address right?' : '';
    const why = broken === null ? `is not a JSON:API document${advice}` : 'was cut off';
    return fail('noDocument', `the answer (${status}) ${why}`);
  }
  try {
    return { state: 'done', result: request.read(document) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const what = oneLine(redact(error.message));
    return fail('unexpected', `the answer (${status}) is not what the API promises: ${what}`);
  }
}

/** Of a status other than 2xx, whose errors read `said`. */
function situationOf({ retryable }: Request<unknown>, status: number, said: string): Situation {
  const locked = lockStatuses[status];
  if (locked !== undefined && retryable?.(said)) return locked;
  const others = status >= 500 ? 'serverFailed' : status >= 400 ? 'refused' : 'redirected';
  return statuses[status] ?? others;
}

function failureOf(
  request: Request<unknown>,
  situation: Situation,
  answer: Pick<Failure, 'status' | 'details' | 'text'>,
) {
  const [error, outcome, retry]: Rule = rules[situation];
  const effect = request.method === 'GET' ? 'read' : isIdempotent(request) ? 'write' : 'create';
  const kind = typeof error === 'string' ? error : error[effect];
  const mayBeApplied = kind === 'AnswerLost' && effect !== 'read';
  const later = situation === 'serverFailed' ? ': try again later' : '';
  const advice = mayBeApplied ? '; it may have been applied' : later;
  const allowed = effect === 'create' ? 'never' : 'attempts';
  return {
    state: 'failed' as const,
    failure: { ...answer, kind, outcome, text: answer.text + advice },
    retry: retry === 'unless create' ? allowed : retry,
  };
}

export function isIdempotent({ method, idempotent }: Request<unknown>): boolean {
  return idempotent ?? method !== 'POST';
}

/** Null for what is neither. */
function parseContent(body: Uint8Array | null): JsonRecord | 'html' | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body ?? undefined);
    if (/^\s*</.test(text)) return 'html';
    const document: unknown = JSON.parse(text);
    return isRecord(document) ? document : null;
  } catch {
    return null;
  }
}

function doubt({ address }: AnswerContext): string {
  return `is the address right?${endsInApiPath(address) ? '' : ` ${address} does not end in /api/v2`}`;
}

function describeRefusal(status: number, said: string, html: boolean, client: AnswerContext) {
  const isHere = status !== 404 || endsInApiPath(client.address);
  const what = html ? 'the answer is HTML, not JSON:API: ' : '';
  const advice = html || !isHere ? `; ${what}${doubt(client)}` : '';
  switch (status) {
    case 401:
      return `the token was refused (401)${said}: check ${client.tokenFrom}${advice}`;
    case 403:
      return `forbidden (403)${said}: the token lacks a permission${advice}`;
    case 404:
      return `not found, or the token may not see it (404)${said}${advice}`;
    case 429:
      return `rate limited (429)${said}: lower --rate (under Pulumi tether:rate) or try again later`;
    case 408:
      return `the service timed out waiting for the request (408)${said}`;
    case 501:
    case 505:
      return `not supported by the service (${status})${said}`;
    default:
      return status < 500 ? `refused (${status})${said}${advice}` : `the service failed (${status})${said}`;
  }
}

/** The rest of the URL may hold private data. */
function originOf(location: string | undefined): string {
  if (location === undefined) return 'an unnamed place';
  return URL.canParse(location) ? new URL(location).origin : 'another path of the same host';
}

function describeTooLarge({ maxAnswerBytes: bytes, address }: AnswerContext): string {
  const mebibytes = Math.floor(bytes / 1024 ** 2);
  const most = mebibytes > 0 ? `${mebibytes} MiB` : `${bytes} bytes`;
  return `the answer is larger than ${most} (maxAnswerBytes): check that ${address} is the API`;
}

/** Codes of what will be the same the next time. */
const lasting =
  /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

const noConnection: [codes: RegExp, text: string, advice: string][] = [
  [/^ECONNREFUSED$/, 'connection refused by HOST', 'check the address'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'the host name of HOST cannot be resolved', 'check the address'],
  [/^(EPROTO|ERR_SSL.*)$/, 'the TLS handshake with HOST failed', 'check the address and its port'],
  [/EXPIRED|NOT_YET/, 'the certificate of HOST is not valid today', 'renew it, or check the clock here'],
  [/ALTNAME|HOSTNAME/, 'the certificate of HOST is for another name', 'check the host name of the address'],
  [
    /CERT|SELF_SIGNED|UNABLE_TO/,
    'the certificate of HOST is not trusted',
    'NODE_EXTRA_CA_CERTS names a file with further authorities',
  ],
];

const checkNetwork = 'check the address and the network';
const other = [/./, 'no connection to HOST', checkNetwork] as const;

function describeTunnel(status: number, host: string, proxy: string): string {
  return status === 407
    ? `${proxy} wants a user name and password, or refused those it got (407): write them into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT`
    : `${proxy} refused a tunnel to ${host} (${status}): if that host is right, ask who runs the proxy, or list the host in NO_PROXY`;
}

function describeNone(code: string, sent: boolean, host: string): string {
  if (sent) {
    if (code === 'timeout') return `no answer from ${host} in time`;
    return code.startsWith('HPE_')
      ? `${host} does not speak HTTP as expected (${code}): check the address and its port`
      : `the connection to ${host} broke before the answer was complete (${code})`;
  }
  if (code === 'timeout') return `no connection to ${host} in time: ${checkNetwork}`;
  const [, text, advice] = noConnection.find(([codes]) => codes.test(code)) ?? other;
  return `${text.replace('HOST', () => host)} (${code}): ${advice}`;
}
