/** One call from request to result: paced, retried by its class, within its deadline, failing with an `ApiError`. */
import type { Perform, Request } from './api';
import { createError, type Failure, Invalid } from './errors';
import { queryString, routeOf, unsafePart } from './json-api';
import type { ClientEvent, Settings } from './options';
import { classify, isIdempotent, type Retry } from './outcome';
import { backoff, type Pacer, requestedDelay, sharedPacer } from './pace';
import { type Redact, redactor } from './text';
import { createTransport, type Exchange, type Send } from './transport';

/** What the calls of one step share. */
interface Step {
  /** Whether one of its writes has left. */
  begun: boolean;
}

/** The one way to the service, for calls that stand alone and for those of a step; a read-only one refuses everything but GET in its transport. */
export function createPerforms(
  settings: Settings,
  access: 'read' | 'write',
): { readonly alone: Perform; ofStep(): Perform } {
  const send = createTransport(settings, access === 'read');
  const pacer = sharedPacer(settings.clock, settings.address, settings.token);
  const performOf =
    (step: Step | null): Perform =>
    async (request) => {
      refuseUnsafe(request);
      return new Operation(settings, pacer, send, request, step).run();
    };
  return { alone: performOf(null), ofStep: () => performOf({ begun: false }) };
}

/** Throws `Invalid` for what must never leave: a path that leads elsewhere, an empty secret (who knows what it sets). */
function refuseUnsafe({ method, path, secrets }: Request<unknown>): void {
  const part = unsafePart(path);
  const empty = Object.entries(secrets ?? {}).find(([, value]) => value === '');
  if (part === undefined && empty === undefined) return;
  const what = part === undefined ? `${empty?.[0]} is empty` : `${JSON.stringify(part)} is not an id or name`;
  const route = routeOf(path);
  const context = { method, route, status: null, attempts: 0, details: [] };
  throw new Invalid(`${method} ${route}: ${what}; nothing was sent`, 'not-sent', context);
}

class Operation<Result> {
  #attempts = 0;
  /** Attempts that count against the most allowed. */
  #counted = 0;
  /** Whether an attempt of this operation may have been applied. */
  #uncertain = false;
  #deadline = Number.POSITIVE_INFINITY;
  readonly #route: string;
  readonly #body: string | null;
  readonly #redact: Redact;
  /** Whether it may be sent after an interruption: it finishes what an earlier call of its step began. */
  readonly #finishes: boolean;

  constructor(
    private readonly settings: Settings,
    private readonly pacer: Pacer,
    private readonly send: Send,
    private readonly request: Request<Result>,
    private readonly step: Step | null,
  ) {
    this.#route = routeOf(request.path);
    this.#body = request.body === undefined ? null : JSON.stringify(request.body);
    this.#redact = redactor([settings.token, ...Object.values(request.secrets ?? {})]);
    this.#finishes = step?.begun === true && isIdempotent(request);
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
      const late = delay === null || clock.now() + delay >= this.#deadline;
      if (late || signal.aborted) throw this.#error(failure);
      this.#emit({
        type: failure.kind === 'RateLimited' ? 'wait' : 'retry',
        attempt: this.#attempts,
        delayMs: delay,
        reason: failure.text,
      });
      await clock.sleep(delay, signal);
      if (signal.aborted) throw this.#error(failure);
    }
  }

  async #attempt(): Promise<Exchange> {
    const { settings, pacer, request } = this;
    const { clock } = settings;
    await pacer.enter(settings.concurrency, settings.signal);
    try {
      const patience = Math.min(settings.deadlineMs, this.#deadline - clock.now());
      const inTime = await pacer.slot(1000 / settings.rate, patience, settings.signal);
      const mayBeSent = settings.signal.aborted ? this.#finishes && pacer.closedFor() === 0 : inTime;
      if (!mayBeSent) throw this.#error(settings.signal.aborted ? this.#interrupted() : this.#gateClosed());
      const started = clock.now();
      // From the first slot on: the wait for one's turn among thousands of calls is no fault of the service.
      if (this.#attempts === 0) this.#deadline = started + settings.deadlineMs;
      if (this.step !== null && request.method !== 'GET') this.step.begun = true;
      const exchange = await this.send({
        method: request.method,
        route: this.#route,
        query: queryString(request.query),
        body: this.#body,
        timeoutMs: Math.max(1, Math.min(settings.timeoutMs, this.#deadline - started)),
      });
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
    // The limit counts all requests of the token, so everybody waits, not only this operation.
    if (limited || asked !== null) this.pacer.close(asked ?? own);
    return asked ?? own;
  }

  #gateClosed(): Failure {
    const seconds = Math.ceil(this.pacer.closedFor() / 1000);
    const outcome = this.#uncertain ? 'ambiguous' : this.#attempts === 0 ? 'not-sent' : 'rejected';
    const text = `rate limited: the service asked to wait for another ${seconds} s; try again later`;
    return { kind: 'RateLimited', outcome, status: null, details: [], text };
  }

  #interrupted(): Failure {
    const text = 'interrupted; nothing more was sent';
    return { kind: 'NotSent', outcome: 'not-sent', status: null, details: [], text };
  }

  #error(failure: Failure): Error {
    const { method } = this.request;
    return createError(failure, {
      method,
      route: this.#route,
      attempts: this.#attempts,
      uncertain: this.#uncertain,
    });
  }

  #emit(event: Distribute<ClientEvent>): void {
    try {
      this.settings.onEvent({ ...event, method: this.request.method, route: this.#route });
    } catch {
      // A listener that fails must not cost the result of a request that was applied.
    }
  }
}

type Distribute<Event> = Event extends ClientEvent ? Omit<Event, 'method' | 'route'> : never;
