/** Clients of the API, and the way of each call: paced, retried, within its deadline. */
import type { Api, Method, Perform, ReadApi, Request } from './api';
import { createError, type Failure, NotFound, NotSent, RateLimited, refused, unanswered } from './errors';
import { routeOf, unsafePart } from './json-api';
import { nameReads } from './names';
import { oauthClientReads, oauthClientWrites } from './oauth-clients';
import { type ClientOptions, type RequestEvent, type Settings, withDefaults } from './options';
import { classify, isIdempotent, type Retry } from './outcome';
import { backoff, type Pacer, requestedDelay, sharedPacer } from './pace';
import { runTriggerReads, runTriggerWrites } from './run-triggers';
import { redactor } from './text';
import { createTransport, type Exchange, type Send } from './transport';

export interface StepwiseApi extends Api {
  /** The calls of one step. Once a write has left, the others may be sent after the signal's abort, except creates and what would have to wait. */
  forStep(): Api;
}

/** Throws `BadOption`; nothing is sent before the first call. */
export function createClient(options: ClientOptions): StepwiseApi {
  const settings = withDefaults(options);
  const service = connect(settings, false);
  const apiOf = (perform: Perform): Api => ({
    ...readsOf(settings, service, perform),
    wait: (milliseconds) => settings.clock.sleep(milliseconds, settings.signal),
    oauthClients: { ...oauthClientReads(perform), ...oauthClientWrites(perform) },
    runTriggers: { ...runTriggerReads(perform), ...runTriggerWrites(perform) },
  });
  return {
    ...apiOf(service.performIn(null)),
    forStep: () => apiOf(service.performIn({ hasWritten: false })),
  };
}

/** Its transport refuses every method but GET. Throws `BadOption`. */
export function createReadOnlyClient(options: ClientOptions): ReadApi {
  const settings = withDefaults(options);
  const service = connect(settings, true);
  return readsOf(settings, service, service.performIn(null));
}

function readsOf(settings: Settings, service: Service, perform: Perform): ReadApi {
  return {
    address: settings.address,
    serviceNow: service.now,
    perform,
    oauthClients: oauthClientReads(perform),
    runTriggers: runTriggerReads(perform),
    names: nameReads(perform),
  };
}

interface Step {
  hasWritten: boolean;
}

interface Service {
  /** Null is for calls outside a step. */
  performIn(step: Step | null): Perform;
  now(): number;
}

/** The one way to the service. */
function connect(settings: Settings, readOnly: boolean): Service {
  const { clock, address, token } = settings;
  const sendPlain = createTransport(settings, readOnly);
  const pacer = sharedPacer(clock, address, token);
  let newest = { date: Number.NEGATIVE_INFINITY, arrivedAt: 0 };
  const send: Send = async (outgoing) => {
    const exchange = await sendPlain(outgoing);
    const date = exchange.kind === 'answer' ? Date.parse(exchange.headers.date ?? '') : Number.NaN;
    if (date >= newest.date) newest = { date, arrivedAt: clock.now() };
    return exchange;
  };
  return {
    performIn: (step) => async (request) => new Call(request, settings, pacer, send, step).run(),
    now: () => (Number.isFinite(newest.date) ? newest.date + clock.now() - newest.arrivedAt : clock.now()),
  };
}

class Call<Result> {
  private readonly where: { readonly method: Method; readonly route: string };
  private attempts = 0;
  private counted = 0;
  /** An attempt may have been applied. */
  private uncertain = false;
  private deadline = Number.POSITIVE_INFINITY;

  constructor(
    private readonly request: Request<Result>,
    private readonly settings: Settings,
    private readonly pacer: Pacer,
    private readonly send: Send,
    private readonly step: Step | null,
  ) {
    this.where = { method: request.method, route: routeOf(request.path) };
  }

  async run(): Promise<Result> {
    this.refuseUnsafe();
    const { request, settings, step } = this;
    const { clock, signal, token } = settings;
    const redact = redactor([token, ...Object.values(request.secrets ?? {})]);
    // After an interruption, to finish its step.
    const mayFinish = step?.hasWritten === true && isIdempotent(request);
    for (;;) {
      const exchange = await this.attempt(mayFinish);
      const classified = classify(request, exchange, settings, redact);
      if (classified.state === 'done') return classified.result;
      const { failure, retry } = classified;
      if (failure.kind === NotFound && this.uncertain && request.missingIsSuccess) {
        return request.read(undefined);
      }
      if (failure.outcome === 'ambiguous' && request.method !== 'GET') this.uncertain = true;
      const delay = this.delayAfter(exchange, retry);
      const isOver = delay === null || clock.now() + delay >= this.deadline;
      if (isOver || signal.aborted) throw this.error(failure);
      const type = failure.kind === RateLimited ? 'wait' : 'retry';
      this.emit({ type, attempt: this.attempts, delayMs: delay, reason: failure.text });
      await clock.sleep(delay, signal);
      if (signal.aborted) throw this.error(failure);
    }
  }

  /** Throws `Invalid` for a path that leads elsewhere, and for an empty secret: nobody knows what it sets. */
  private refuseUnsafe(): void {
    const { path, secrets = {} } = this.request;
    const part = unsafePart(path);
    if (part !== undefined) throw refused(this.where, `${JSON.stringify(part)} is not an id or name`);
    const empty = Object.keys(secrets).find((field) => secrets[field] === '');
    if (empty !== undefined) throw refused(this.where, `${empty} is empty`);
  }

  private async attempt(mayFinish: boolean): Promise<Exchange> {
    const { pacer, step, where } = this;
    const { clock, signal, concurrency, rate, deadlineMs, timeoutMs } = this.settings;
    const { query, body } = this.request;
    await pacer.enter(concurrency, signal);
    try {
      const patience = Math.min(deadlineMs, this.deadline - clock.now());
      const inTime = await pacer.slot(1000 / rate, patience, signal);
      const mayBeSent = signal.aborted ? mayFinish && pacer.closedFor() === 0 : inTime;
      if (!mayBeSent) throw this.error(signal.aborted ? interrupted : this.gateClosed());
      const started = clock.now();
      // Not earlier: waiting among thousands of calls is no fault of the service.
      if (this.attempts === 0) this.deadline = started + deadlineMs;
      if (step !== null && where.method !== 'GET') step.hasWritten = true;
      const exchange = await this.send({
        ...where,
        query,
        body: body === undefined ? null : JSON.stringify(body),
        timeoutMs: Math.max(1, Math.min(timeoutMs, this.deadline - started)),
      });
      this.attempts += 1;
      this.counted += 1;
      const status = exchange.kind === 'answer' ? exchange.status : null;
      if (exchange.kind === 'answer') pacer.answered(started, exchange.status, exchange.headers);
      this.emit({ type: 'request', status, ms: clock.now() - started });
      return exchange;
    } finally {
      pacer.leave();
    }
  }

  /** Milliseconds until the next attempt; null when there must not be one. */
  private delayAfter(exchange: Exchange, retry: Retry): number | null {
    if (retry === 'never') return null;
    const { clock, random, attempts } = this.settings;
    if (retry === 'deadline') this.counted -= 1;
    else if (this.counted >= attempts) return null;
    const own = backoff(this.attempts, random());
    if (exchange.kind === 'none') return own;
    const { status, headers } = exchange;
    const asked = status === 429 || status === 503 ? requestedDelay(headers, clock.now()) : null;
    // The limit is that of the token, so everybody waits.
    if (status === 429 || asked !== null) this.pacer.close(asked ?? own);
    return asked ?? own;
  }

  private gateClosed(): Failure {
    const seconds = Math.ceil(this.pacer.closedFor() / 1000);
    const text = `rate limited: the service asked to wait for another ${seconds} s; try again later`;
    const outcome = this.uncertain ? 'ambiguous' : this.attempts === 0 ? 'not-sent' : 'rejected';
    return unanswered(RateLimited, outcome, text);
  }

  private error(failure: Failure): Error {
    const { where, attempts, uncertain, request } = this;
    return createError(failure, { ...where, attempts, uncertain, permission: request.permission });
  }

  private emit(event: RequestEvent): void {
    try {
      this.settings.onEvent({ ...event, ...this.where });
    } catch {
      // A listener must not cost the result of a request that was applied.
    }
  }
}

const interrupted = unanswered(NotSent, 'not-sent', 'interrupted; nothing more was sent');
