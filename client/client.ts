/** Clients of the API, and the way of each call: paced, retried, within its deadline. */
import type { Api, Perform, ReadApi, Request } from './api';
import { createError, type Failure, unanswered } from './errors';
import { queryString, routeOf, unsafePart } from './json-api';
import { oauthClientReads, oauthClientWrites } from './oauth-clients';
import { type ClientOptions, type RequestEvent, type Settings, settle } from './options';
import { classify, isIdempotent, type Retry } from './outcome';
import { backoff, type Pacer, requestedDelay, sharedPacer } from './pace';
import { runTriggerReads, runTriggerWrites } from './run-triggers';
import { type Redact, redactor } from './text';
import { createTransport, type Exchange, type Outgoing, type Send } from './transport';

export interface StepwiseApi extends Api {
  /** The calls of one step. Once it has written, the rest may be sent after the signal's abort: no POST, and nothing that has to wait. */
  forStep(): Api;
}

/** Throws `BadOption` at once; nothing is sent before the first call. */
export function createClient(options: ClientOptions): StepwiseApi {
  const settings = settle(options);
  const performOf = createPerform(settings, false);
  const apiOf = (perform: Perform): Api => {
    const { oauthClients, runTriggers, ...api } = readApi(settings, perform);
    return {
      ...api,
      oauthClients: { ...oauthClients, ...oauthClientWrites(perform) },
      runTriggers: { ...runTriggers, ...runTriggerWrites(perform) },
    };
  };
  return { ...apiOf(performOf(null)), forStep: () => apiOf(performOf({ hasWritten: false })) };
}

/** Its transport refuses every method but GET. Throws `BadOption` at once. */
export function createReadOnlyClient(options: ClientOptions): ReadApi {
  const settings = settle(options);
  return readApi(settings, createPerform(settings, true)(null));
}

function readApi({ address }: Settings, perform: Perform): ReadApi {
  return { address, perform, oauthClients: oauthClientReads(perform), runTriggers: runTriggerReads(perform) };
}

/** What the calls of one step share. */
interface Step {
  /** Whether one of its writes has left. */
  hasWritten: boolean;
}

/** The one way to the service; null for calls outside a step. */
export function createPerform(settings: Settings, readOnly: boolean): (step: Step | null) => Perform {
  const send = createTransport(settings, readOnly);
  const pacer = sharedPacer(settings.clock, settings.address, settings.token);
  return (step) => async (request) => {
    refuseUnsafe(request);
    return new Operation(settings, pacer, send, request, step).run();
  };
}

/** Throws `Invalid` for a path that leads elsewhere, and for an empty secret: nobody knows what it sets. */
function refuseUnsafe({ method, path, secrets = {} }: Request<unknown>): void {
  const part = unsafePart(path);
  const empty = Object.keys(secrets).find((field) => secrets[field] === '');
  if (part === undefined && empty === undefined) return;
  const what = part === undefined ? `${empty} is empty` : `${JSON.stringify(part)} is not an id or name`;
  const failure = unanswered('Invalid', 'not-sent', `${what}; nothing was sent`);
  throw createError(failure, { method, route: routeOf(path), attempts: 0, uncertain: false });
}

class Operation<Result> {
  #attempts = 0;
  /** Those that count against the limit. */
  #counted = 0;
  /** Whether an attempt may have been applied. */
  #uncertain = false;
  #deadline = Number.POSITIVE_INFINITY;
  readonly #outgoing: Omit<Outgoing, 'timeoutMs'>;
  readonly #redact: Redact;
  /** Whether it may be sent after an interruption, to finish its step. */
  readonly #finishes: boolean;

  constructor(
    private readonly settings: Settings,
    private readonly pacer: Pacer,
    private readonly send: Send,
    private readonly request: Request<Result>,
    private readonly step: Step | null,
  ) {
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    this.#outgoing = {
      method: request.method,
      route: routeOf(request.path),
      query: queryString(request.query),
      body,
    };
    this.#redact = redactor([settings.token, ...Object.values(request.secrets ?? {})]);
    this.#finishes = step?.hasWritten === true && isIdempotent(request);
  }

  async run(): Promise<Result> {
    const { clock, signal } = this.settings;
    for (;;) {
      const exchange = await this.#attempt();
      const classified = classify(this.request, exchange, this.settings, this.#redact);
      if (classified.state === 'done') return classified.result;
      const { failure, retry } = classified;
      if (failure.kind === 'NotFound' && this.#uncertain && this.request.missingIsSuccess) {
        return this.request.read(undefined);
      }
      if (failure.outcome === 'ambiguous') this.#uncertain = true;
      const delay = this.#delay(retry, exchange);
      const isOver = delay === null || clock.now() + delay >= this.#deadline;
      if (isOver || signal.aborted) throw this.#error(failure);
      const type = failure.kind === 'RateLimited' ? 'wait' : 'retry';
      this.#emit({ type, attempt: this.#attempts, delayMs: delay, reason: failure.text });
      await clock.sleep(delay, signal);
      if (signal.aborted) throw this.#error(failure);
    }
  }

  async #attempt(): Promise<Exchange> {
    const { settings, pacer, request, step } = this;
    const { clock, signal } = settings;
    await pacer.enter(settings.concurrency, signal);
    try {
      const patience = Math.min(settings.deadlineMs, this.#deadline - clock.now());
      const inTime = await pacer.slot(1000 / settings.rate, patience, signal);
      const mayBeSent = signal.aborted ? this.#finishes && pacer.closedFor() === 0 : inTime;
      if (!mayBeSent) throw this.#error(signal.aborted ? interrupted : this.#gateClosed());
      const started = clock.now();
      // Not earlier: waiting among thousands of calls is no fault of the service.
      if (this.#attempts === 0) this.#deadline = started + settings.deadlineMs;
      if (step !== null && request.method !== 'GET') step.hasWritten = true;
      const timeoutMs = Math.max(1, Math.min(settings.timeoutMs, this.#deadline - started));
      const exchange = await this.send({ ...this.#outgoing, timeoutMs });
      this.#attempts += 1;
      this.#counted += 1;
      const status = exchange.kind === 'answer' ? exchange.status : null;
      this.#emit({ type: 'request', status, ms: clock.now() - started });
      return exchange;
    } finally {
      pacer.leave();
    }
  }

  /** Milliseconds until the next attempt; null when there must not be one. */
  #delay(retry: Retry, exchange: Exchange): number | null {
    if (retry === 'never') return null;
    const { clock, random, attempts } = this.settings;
    if (retry === 'deadline') this.#counted -= 1;
    else if (this.#counted >= attempts) return null;
    const own = backoff(this.#attempts, random());
    if (exchange.kind === 'none') return own;
    const limited = exchange.status === 429;
    const asked = limited || exchange.status === 503 ? requestedDelay(exchange.headers, clock.now()) : null;
    // The limit is that of the token, so everybody waits.
    if (limited || asked !== null) this.pacer.close(asked ?? own);
    return asked ?? own;
  }

  #gateClosed(): Failure {
    const seconds = Math.ceil(this.pacer.closedFor() / 1000);
    const text = `rate limited: the service asked to wait for another ${seconds} s; try again later`;
    const outcome = this.#uncertain ? 'ambiguous' : this.#attempts === 0 ? 'not-sent' : 'rejected';
    return unanswered('RateLimited', outcome, text);
  }

  #error(failure: Failure): Error {
    const { method, route } = this.#outgoing;
    return createError(failure, { method, route, attempts: this.#attempts, uncertain: this.#uncertain });
  }

  #emit(event: RequestEvent): void {
    const { method, route } = this.#outgoing;
    try {
      this.settings.onEvent({ ...event, method, route });
    } catch {
      // A listener must not cost the result of a request that was applied.
    }
  }
}

const interrupted = unanswered('NotSent', 'not-sent', 'interrupted; nothing more was sent');
