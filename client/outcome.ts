/** Decides what follows from an exchange: a result, another attempt or an error. */

import { endsInApiPath } from './address';
import type { Request } from './api';
import * as errors from './errors';
import { describeDetails, isRecord, type JsonRecord, readErrorDetails, Unreadable } from './json-api';
import type { Settings } from './options';
import { oneLine, type Redact } from './text';
import type { Exchange, HttpResponse, NoResponse } from './transport';

/** A failed request is never sent again, or for the allowed attempts, or until the deadline. */
type Retry = 'never' | 'attempts' | 'deadline';

export type Classified<Result> =
  | { state: 'done'; result: Result }
  | { state: 'failed'; failure: errors.Failure; retry: Retry };

type Context = Pick<Settings, 'address' | 'tokenFrom' | 'maxAnswerBytes' | 'proxy'>;

/** The error, what became of the request, and whether it is sent again. `failed` decides about writes that are ambiguous. */
type Rule = readonly [error: errors.FailureKind, outcome: errors.Outcome, retry: Retry];

const rules = {
  /** There is no connection, and a retry would not change that. */
  unreachable: [errors.NotSent, 'not-sent', 'never'],
  notConnected: [errors.NotSent, 'not-sent', 'attempts'],
  noAnswer: [errors.AnswerLost, 'ambiguous', 'attempts'],
  /** The other side does not use TLS, or refuses our handshake. */
  noTls: [errors.AnswerLost, 'ambiguous', 'never'],
  /** The service succeeded, but its answer is not what the API promises. */
  unexpected: [errors.BadAnswer, 'ambiguous', 'never'],
  cut: [errors.BadAnswer, 'ambiguous', 'attempts'],
  /** Nobody knows how far the service came. */
  serverFailed: [errors.ServerError, 'ambiguous', 'attempts'],
  limited: [errors.RateLimited, 'rejected', 'deadline'],
} as const satisfies Readonly<Record<string, Rule>>;

const refused = (error: errors.FailureKind): Rule => [error, 'rejected', 'never'];

/** The meaning of a status, and what to do about it. */
type Refusal = readonly [rule: Rule, text: string, advice?: (context: Context) => string];

const refusals: Readonly<Record<number, Refusal>> = {
  401: [
    refused(errors.Unauthorized),
    'the token was refused',
    ({ tokenFrom, address }) => `it was sent to ${new URL(address).host}: check ${tokenFrom}`,
  ],
  403: [refused(errors.Forbidden), 'forbidden', () => 'the token lacks a permission'],
  404: [refused(errors.NotFound), 'not found, or the token may not see it'],
  408: [rules.serverFailed, 'the service timed out waiting for the request'],
  409: [refused(errors.Conflict), 'refused'],
  429: [
    rules.limited,
    'rate limited',
    () => 'lower TETHER_RATE (under Pulumi tether:rate) or try again later',
  ],
  // With these statuses, a server says that it did nothing.
  501: [refused(errors.ServerError), 'not supported by the service'],
  505: [refused(errors.ServerError), 'not supported by the service'],
};

export function classify<Result>(
  request: Request<Result>,
  exchange: Exchange,
  context: Context,
  redact: Redact,
): Classified<Result> {
  if (exchange.kind === 'none') return explainSilence(request, exchange, context);
  const { status, headers, body, broken } = exchange;
  const isTooLarge = broken === 'too large';
  const document = parseDocument(body);
  const details = readErrorDetails(document, redact);
  // Another answer would be as large.
  const asked = ([error, outcome, retry]: Rule): Rule => [error, outcome, isTooLarge ? 'never' : retry];
  const fail = (rule: Rule, text: string) => failed(request, asked(rule), { status, details, text });
  const isBlank = body?.every((byte) => byte <= 0x20) === true;
  if (status >= 300 && status < 400) {
    const where = oneLine(redact(describeOrigin(headers.location)));
    const advice = 'Tether does not follow redirects; use the final address';
    // Only these two say that the request is still to be sent. A service may have executed what it redirects otherwise.
    const rule = status === 307 || status === 308 ? refused(errors.BadAnswer) : rules.unexpected;
    return fail(rule, `the service redirects (${status}) to ${where}: ${advice}`);
  }
  if (status >= 400) {
    const isForeign = document === null && broken === null && !isBlank;
    return fail(...explainRefusal(request, exchange, describeDetails(details), isForeign, context));
  }
  if (isTooLarge) return fail(rules.unexpected, describeTooLarge(context));
  if (request.expects === 'nothing' && isBlank) return { state: 'done', result: request.read(undefined) };
  if (document === null) {
    if (broken !== null) return fail(rules.cut, `the answer (${status}) was ${broken}`);
    return fail(rules.unexpected, `the answer (${status}) is not a JSON:API document: ${doubt(context)}`);
  }
  try {
    if (request.expects === 'nothing') requireSuccess(document);
    return { state: 'done', result: request.read(document) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const what = [oneLine(redact(error.message)), describeDetails(details)].filter(Boolean).join(': ');
    return fail(rules.unexpected, `the answer (${status}) is not what the API promises: ${what}`);
  }
}

/** Throws `Unreadable` for errors and for what a gateway may answer, because neither proves that a write was done. */
function requireSuccess(document: JsonRecord): void {
  const successMembers = ['data', 'included', 'links', 'meta', 'jsonapi'];
  const member = Object.keys(document).find((name) => !successMembers.includes(name));
  if (member !== undefined) throw new Unreadable(`it has \`${member}\``);
}

/** Explains an answer of 4xx or 5xx, whose errors read `said`. */
function explainRefusal(
  { retryable }: Request<unknown>,
  { status }: HttpResponse,
  said: string,
  isForeign: boolean,
  context: Context,
): [Rule, string] {
  const unlisted: Refusal =
    status < 500 ? [refused(errors.Invalid), 'refused'] : [rules.serverFailed, 'the service failed'];
  const [[error, outcome, usually], text, advice] = refusals[status] ?? unlisted;
  const isLocked = (status === 409 || status === 422) && retryable?.(said) === true;
  const retry = isLocked ? 'deadline' : usually;
  const parts = [`${text} (${status})`, said, advice?.(context) ?? ''].filter((part) => part !== '');
  // A refusal may come from a server that is not the API.
  const isElsewhere = isForeign || (status === 404 && !endsInApiPath(context.address));
  const what = isForeign ? 'the answer is not a JSON:API document: ' : '';
  const where = isElsewhere && status < 500 && retry === 'never' ? `; ${what}${doubt(context)}` : '';
  return [[error, outcome, retry], parts.join(': ') + where];
}

/** Explains a failure. A write that may have been applied is not sent again if that could make a second object. */
function failed(
  request: Request<unknown>,
  [error, outcome, retry]: Rule,
  response: Pick<errors.Failure, 'status' | 'details' | 'text'>,
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
    failure: { ...response, kind, outcome, text: response.text + advice },
    retry: mayMakeSecond ? 'never' : retry,
  };
}

export function isIdempotent({ method, idempotent }: Request<unknown>): boolean {
  return idempotent ?? method !== 'POST';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseDocument(body: Uint8Array | null): JsonRecord | null {
  try {
    const document: unknown = JSON.parse(utf8.decode(body ?? undefined));
    return isRecord(document) ? document : null;
  } catch {
    return null;
  }
}

function doubt({ address }: Context): string {
  return `is the address right?${endsInApiPath(address) ? '' : ` ${address} does not end in /api/v2`}`;
}

/** The rest of the URL may hold private data. */
function describeOrigin(location: string | undefined): string {
  if (location === undefined) return 'an unnamed place';
  return URL.canParse(location) ? new URL(location).origin : 'another path of the same host';
}

function describeTooLarge({ maxAnswerBytes: bytes, address }: Context): string {
  const mebibytes = Math.floor(bytes / 1024 ** 2);
  const most = mebibytes > 0 ? `${mebibytes} MiB` : `${bytes} bytes`;
  return `the answer is larger than ${most} (maxAnswerBytes): check that ${address} is the API`;
}

/** These codes would be the same after a retry. */
const lasting =
  /^(ENOTFOUND|EPROTO|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

function explainSilence(request: Request<unknown>, silence: NoResponse, { address, proxy }: Context) {
  const { code, sent } = silence;
  const text = describeNoResponse(silence, address, proxy, 'the address');
  const refusal = findTunnelRefusal(silence);
  // A proxy that refuses will refuse again, unless it failed itself.
  const isLasting = refusal === null ? lasting.test(code) : refusal < 500;
  const [now, always] = sent ? [rules.noAnswer, rules.noTls] : [rules.notConnected, rules.unreachable];
  return failed(request, isLasting ? always : now, { status: null, details: [], text });
}

/** Returns the status by which the proxy refused a tunnel, or null. */
function findTunnelRefusal({ proxy }: NoResponse): number | null {
  const status = proxy?.status ?? 0;
  return status > 0 && status !== 200 ? status : null;
}

/** Says why there is no answer. `setting` holds the address. */
export function describeNoResponse(
  silence: NoResponse,
  address: string,
  proxy: URL | null,
  setting: string,
): string {
  const { host } = new URL(address);
  const isProxy = silence.proxy !== undefined;
  const peer = isProxy ? `the proxy ${proxy?.host}` : host;
  const refusal = findTunnelRefusal(silence);
  if (refusal !== null) return describeTunnel(refusal, host, peer);
  return describeSilence(silence, peer, isProxy ? 'HTTPS_PROXY' : setting);
}

function describeTunnel(status: number, host: string, proxy: string): string {
  return status === 407
    ? `${proxy} wants a user name and password, or refused those it got (407): write them into HTTPS_PROXY, as http://USER:PASSWORD@HOST:PORT`
    : `${proxy} refused a tunnel to ${host} (${status}): if that host is right, ask who runs the proxy, or list the host in NO_PROXY`;
}

/** Describes a failure without an answer. `setting` names the peer. */
function describeSilence({ code, sent }: NoResponse, peer: string, setting: string): string {
  const certificate = `the certificate of ${peer}`;
  if (code === 'timeout') return `no answer from ${peer} in time`;
  if (code === 'ECONNREFUSED') return `connection refused by ${peer} (${code}): check ${setting}`;
  if (/^(ENOTFOUND|EAI_AGAIN)$/.test(code)) {
    return `the host name of ${peer} cannot be resolved (${code}): check ${setting}`;
  }
  if (/^(EPROTO$|ERR_SSL)/.test(code)) {
    return `the TLS handshake with ${peer} failed (${code}): check ${setting} and its port`;
  }
  if (/EXPIRED|NOT_YET/.test(code)) {
    return `${certificate} is not valid today (${code}): renew it, or check the clock here`;
  }
  if (/ALTNAME|HOSTNAME/.test(code)) {
    return `${certificate} is for another name (${code}): check the host name in ${setting}`;
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return `${certificate} is not trusted (${code}): NODE_EXTRA_CA_CERTS names a file with further authorities`;
  }
  if (code.startsWith('HPE_')) {
    return `${peer} does not speak HTTP as expected (${code}): check ${setting} and its port`;
  }
  return sent
    ? `the connection to ${peer} broke before the answer was complete (${code})`
    : `no connection to ${peer} (${code}): check ${setting} and the network`;
}
