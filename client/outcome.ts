/** What follows from an exchange: a result, another attempt or an error. The protocol as a table. Pure. */
import type { Request } from './api';
import * as errors from './errors';
import { describeDetails, isRecord, type JsonRecord, readErrorDetails, Unreadable } from './json-api';
import { endsInApiPath, type Settings } from './options';
import { oneLine, type Redact } from './text';
import type { Exchange } from './transport';

/** How long a request is sent again: never, for the allowed number of attempts, or until the deadline. */
export type Retry = 'never' | 'attempts' | 'deadline';

export type Classified<Result> =
  | { state: 'done'; result: Result }
  | { state: 'failed'; failure: errors.Failure; retry: Retry };

type AnswerContext = Pick<Settings, 'address' | 'tokenFrom' | 'maxAnswerBytes' | 'proxy'>;

/** The error, what became of the request, and whether it is sent again: for a write that is ambiguous, see `failureOf`. */
type Rule = readonly [error: errors.FailureKind, outcome: errors.Outcome, retry: Retry];

const rules = {
  /** No connection, now and the next time. */
  unreachable: [errors.NotSent, 'not-sent', 'never'],
  notConnected: [errors.NotSent, 'not-sent', 'attempts'],
  /** Bytes left and no status came. */
  noAnswer: [errors.AnswerLost, 'ambiguous', 'attempts'],
  /** 2xx, and then something else than the API promises. */
  unexpected: [errors.BadAnswer, 'ambiguous', 'never'],
  noDocument: [errors.BadAnswer, 'ambiguous', 'attempts'],
  /** 408 and 5xx: nobody knows how far the service came. */
  serverFailed: [errors.ServerError, 'ambiguous', 'attempts'],
} as const satisfies Readonly<Record<string, Rule>>;

const refused = (error: errors.FailureKind): Rule => [error, 'rejected', 'never'];

/** What a status means, and what is said before and after the words of the service. */
type Refusal = readonly [rule: Rule, text: string, advice?: string];

const refusals: Readonly<Record<number, Refusal>> = {
  401: [refused(errors.Unauthorized), 'the token was refused', ': check TOKEN'],
  403: [refused(errors.Forbidden), 'forbidden', ': the token lacks a permission'],
  404: [refused(errors.NotFound), 'not found, or the token may not see it'],
  408: [rules.serverFailed, 'the service timed out waiting for the request'],
  409: [refused(errors.Conflict), 'refused'],
  429: [
    [errors.RateLimited, 'rejected', 'deadline'],
    'rate limited',
    ': lower --rate (under Pulumi tether:rate) or try again later',
  ],
  // Here the server says that it did nothing.
  501: [refused(errors.ServerError), 'not supported by the service'],
  505: [refused(errors.ServerError), 'not supported by the service'],
};

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
    const rule = sent ? rules.noAnswer : isLasting ? rules.unreachable : rules.notConnected;
    const { host } = new URL(client.address);
    const proxy = sent || tunnel === 200 ? null : client.proxy;
    const by = proxy === null ? host : `the proxy ${proxy.host}`;
    const said = isRefused ? describeTunnel(tunnel, host, by) : describeNone(code, sent, by);
    const text = proxy === null ? said : said.replace('the address', 'HTTPS_PROXY');
    return failureOf(request, rule, { status: null, details: [], text });
  }
  const { status, headers, body, broken } = exchange;
  const content = parseContent(body);
  const html = content === 'html';
  const document = html ? null : content;
  const details = readErrorDetails(document, redact);
  const fail = (rule: Rule, text: string) => failureOf(request, rule, { status, details, text });
  if (status < 200 || status >= 300) {
    if (status < 400) {
      const where = oneLine(redact(originOf(headers.location)));
      const advice = 'not followed, the token stays here; use its final address';
      return fail(refused(errors.BadAnswer), `the service redirects (${status}) to ${where}: ${advice}`);
    }
    return fail(...explainRefusal(request, status, describeDetails(details), html, client));
  }
  if (broken === 'too large') return fail(rules.unexpected, describeTooLarge(client));
  if (html) return fail(rules.unexpected, `the answer (${status}) is HTML, not JSON:API: ${doubt(client)}`);
  // An answer to a write that is no document proves nothing.
  const isBlank = body === null || body.every((byte) => byte <= 0x20);
  if (request.expects === 'nothing' && (isBlank || document !== null)) {
    return { state: 'done', result: request.read(undefined) };
  }
  if (document === null) {
    const { 'content-encoding': encoding = '' } = headers;
    const usual = request.method === 'GET' ? ': is the address right?' : '';
    const advice = /^(x-gzip|gzip|)$/i.test(encoding)
      ? usual
      : `: it is encoded as ${oneLine(redact(encoding), 40)}, and only gzip was asked for`;
    const why = broken === null ? `is not a JSON:API document${advice}` : 'was cut off';
    return fail(rules.noDocument, `the answer (${status}) ${why}`);
  }
  try {
    return { state: 'done', result: request.read(document) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const what = oneLine(redact(error.message));
    return fail(rules.unexpected, `the answer (${status}) is not what the API promises: ${what}`);
  }
}

/** Of 4xx or 5xx, whose errors read `said`. */
function explainRefusal(
  { retryable }: Request<unknown>,
  status: number,
  said: string,
  html: boolean,
  client: AnswerContext,
): [Rule, string] {
  const other: Refusal =
    status < 500 ? [refused(errors.Invalid), 'refused'] : [rules.serverFailed, 'the service failed'];
  const [[error, outcome, usually], text, advice = ''] = refusals[status] ?? other;
  const isLocked = (status === 409 || status === 422) && retryable?.(said) === true;
  const retry = isLocked ? 'deadline' : usually;
  const words = said === '' ? '' : `: ${said}`;
  const isElsewhere = html || (status === 404 && !endsInApiPath(client.address));
  const what = html ? 'the answer is HTML, not JSON:API: ' : '';
  // What ends here may be the answer of something else than the API.
  const where = isElsewhere && status < 500 && retry === 'never' ? `; ${what}${doubt(client)}` : '';
  const by = status === 401 ? ` by ${new URL(client.address).host}` : '';
  const hint = advice.replace('TOKEN', () => client.tokenFrom);
  return [[error, outcome, retry], `${text} (${status})${by}${words}${hint}${where}`];
}

/** A write that may have been applied says so, and is not sent again where that could make a second object. */
function failureOf(
  request: Request<unknown>,
  [error, outcome, retry]: Rule,
  answer: Pick<errors.Failure, 'status' | 'details' | 'text'>,
) {
  const isAmbiguous = outcome === 'ambiguous';
  const isWrite = request.method !== 'GET';
  const mayMakeSecond = isAmbiguous && !isIdempotent(request);
  const isUnread = isAmbiguous && isWrite && error === errors.BadAnswer;
  const kind = mayMakeSecond || isUnread ? errors.AnswerLost : error;
  const later = isAmbiguous && kind === errors.ServerError ? ': try again later' : '';
  const advice = isWrite && kind === errors.AnswerLost ? '; it may have been applied' : later;
  return {
    state: 'failed' as const,
    failure: { ...answer, kind, outcome, text: answer.text + advice },
    retry: mayMakeSecond ? 'never' : retry,
  };
}

export function isIdempotent({ method, idempotent }: Request<unknown>): boolean {
  return idempotent ?? method !== 'POST';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Null for what is neither. */
function parseContent(body: Uint8Array | null): JsonRecord | 'html' | null {
  try {
    const text = utf8.decode(body ?? undefined);
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
