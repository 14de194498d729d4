/** What one exchange means for its request: done, to be tried again, or failed. Pure. */
import { describeAnswer, describeNone, describeTooLarge, originOf } from './complaint';
import { isRecord, Unreadable } from './document';
import { describeDetails, readErrorDetails } from './error-details';
import type { ErrorDetail, Outcome } from './errors';
import type { Settings } from './options';
import { oneLine, type Redact } from './redact';
import type { Request } from './request';
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
