/** Clients of the API. Each call is paced, and retried within its deadline. */
import type { Api, Perform, ReadApi, Request } from './api';
import { createError, type Failure, NotSent, RateLimited, refused, unanswered } from './errors';
import { toRoute, unsafePart } from './json-api';
import { nameReads } from './names';
import { oauthClientReads, oauthClientWrites } from './oauth-clients';
import { type ClientOptions, type RequestEvent, type Settings, withDefaults } from './options';
import { classify, isIdempotent } from './outcome';
import { backoff, requestedDelay, sharedPacer } from './pace';
import { runTriggerReads, runTriggerWrites } from './run-triggers';
import { redactor } from './text';
import { createTransport, type Exchange, type Outgoing } from './transport';

export interface StepwiseApi extends Api {
  /**
   * Returns a client for the calls of one step. After the step has sent a write, its other calls are sent even after the signal's abort,
   * except creates and calls that would have to wait. `beforeWrite` is called right before each attempt of a write, and may throw to stop it.
   */
  forStep(beforeWrite?: () => void | Promise<void>): Api;
}

/** Sends nothing before the first call. Throws `BadOption`. */
export function createClient(options: ClientOptions): StepwiseApi {
  const settings = withDefaults(options);
  const service = openConnection(settings, false);
  const createApi = (perform: Perform): Api => ({
    ...createReads(settings, service, perform),
    wait: (milliseconds) => settings.clock.sleep(milliseconds, settings.signal),
    oauthClients: { ...oauthClientReads(perform), ...oauthClientWrites(perform) },
    runTriggers: { ...runTriggerReads(perform), ...runTriggerWrites(perform) },
  });
  return {
    ...createApi(service.performIn(null)),
    forStep: (beforeWrite = () => {}) => createApi(service.performIn({ hasWritten: false, beforeWrite })),
  };
}

/** Its transport refuses all methods but GET. Throws `BadOption`. */
export function createReadOnlyClient(options: ClientOptions): ReadApi {
  const settings = withDefaults(options);
  const service = openConnection(settings, true);
  return createReads(settings, service, service.performIn(null));
}

function createReads({ address }: Settings, { serviceNow }: Service, perform: Perform): ReadApi {
  return {
    address,
    serviceNow,
    perform,
    oauthClients: oauthClientReads(perform),
    runTriggers: runTriggerReads(perform),
    names: nameReads(perform),
  };
}

interface Step {
  hasWritten: boolean;
  readonly beforeWrite: () => void | Promise<void>;
}

interface Service {
  /** Calls outside a step have null. */
  performIn(step: Step | null): Perform;
  readonly serviceNow: ReadApi['serviceNow'];
}

export function openConnection(settings: Settings, readOnly: boolean): Service {
  const { clock, signal, token } = settings;
  const transport = createTransport(settings, readOnly);
  const pacer = sharedPacer(clock, settings.address, token);
  /** `ahead` is how far the service's clock is ahead of ours, and `newest` is its newest date. */
  let [ahead, newest] = [0, Number.NEGATIVE_INFINITY];
  const send = async (outgoing: Outgoing): Promise<Exchange> => {
    const exchange = await transport(outgoing);
    if (exchange.kind === 'none') return exchange;
    pacer.follow(exchange.headers['x-ratelimit-limit']);
    const date = Date.parse(exchange.headers.date ?? '');
    if (date >= newest) [ahead, newest] = [date - clock.now(), date];
    return exchange;
  };

  /** Returns the milliseconds until the next attempt. */
  const delayAfter = (exchange: Exchange, attempts: number): number => {
    const usualMs = backoff(attempts, settings.random());
    if (exchange.kind === 'none') return usualMs;
    const { status, headers } = exchange;
    const mayAsk = status === 429 || status === 503;
    const requestedMs = mayAsk ? requestedDelay(headers, clock.now(), status) : null;
    // The limit belongs to the token, so all calls wait.
    if (status === 429 || requestedMs !== null) pacer.close(requestedMs ?? usualMs);
    return requestedMs ?? usualMs;
  };

  const perform = async <Result>(request: Request<Result>, step: Step | null): Promise<Result> => {
    const { method, path, query, body, secrets = {}, permission } = request;
    const where = { method, route: toRoute(path) };
    refuseUnsafe(request, where);
    const redact = redactor([token, ...Object.values(secrets)]);
    // After an interruption, a step that has written may be finished.
    const mayFinish = step?.hasWritten === true && isIdempotent(request);
    let [attempts, counted, deadline] = [0, 0, Number.POSITIVE_INFINITY];
    /** True after an attempt that may have been applied. */
    let uncertain = false;
    let lastFailure: Failure | null = null;
    const fail = (failure: Failure) => createError(failure, { ...where, attempts, uncertain, permission });
    const emit = (event: RequestEvent): void => {
      try {
        settings.onEvent({ ...event, ...where });
      } catch {
        // A listener must not cost the result of a request that was applied.
      }
    };
    const attempt = async (): Promise<Exchange> => {
      const patienceMs = Math.min(settings.deadlineMs, deadline - clock.now());
      if (!(await pacer.turn({ ...settings, patienceMs }, signal))) {
        const outcome = attempts === 0 ? 'not-sent' : 'rejected';
        throw fail(unanswered(RateLimited, outcome, describeGate(pacer.closedFor())));
      }
      try {
        const writer = method === 'GET' ? null : step;
        await writer?.beforeWrite();
        // Nobody would wait for the answer.
        if (lastFailure !== null && clock.now() >= deadline) throw fail(lastFailure);
        if (signal.aborted && !(mayFinish && pacer.closedFor() === 0)) throw fail(interrupted);
        const started = clock.now();
        // The deadline begins here, because a wait behind thousands of other calls is no fault of the service.
        if (attempts === 0) deadline = started + settings.deadlineMs;
        if (writer !== null) writer.hasWritten = true;
        const exchange = await send({
          ...where,
          query,
          body: body === undefined ? null : JSON.stringify(body),
          timeoutMs: Math.max(1, Math.min(settings.timeoutMs, deadline - started)),
        });
        attempts += 1;
        const status = exchange.kind === 'response' ? exchange.status : null;
        emit({ type: 'request', status, ms: clock.now() - started });
        return exchange;
      } finally {
        pacer.leave();
      }
    };

    for (;;) {
      const exchange = await attempt();
      const classified = classify(request, exchange, settings, redact);
      if (classified.state === 'done') return classified.result;
      const { failure, retry } = classified;
      lastFailure = failure;
      if (failure.outcome === 'ambiguous' && method !== 'GET') uncertain = true;
      // Only the deadline limits waits that the service asked for.
      if (retry === 'attempts') counted += 1;
      if (retry === 'never' || counted >= settings.attempts) throw fail(failure);
      const delayMs = delayAfter(exchange, attempts);
      if (clock.now() + delayMs >= deadline || signal.aborted) throw fail(failure);
      const type = failure.kind === RateLimited ? 'wait' : 'retry';
      emit({ type, attempt: attempts, delayMs, reason: failure.text });
      await clock.sleep(delayMs, signal);
      if (signal.aborted) throw fail(failure);
    }
  };

  return {
    performIn: (step) => (request) => perform(request, step),
    serviceNow: () => clock.now() + ahead,
  };
}

/** Throws `Invalid` for a path that leads elsewhere, and for an empty secret, because nobody knows what it would set. */
function refuseUnsafe({ path, secrets = {} }: Request<unknown>, where: Pick<Outgoing, 'method' | 'route'>) {
  const part = unsafePart(path);
  if (part !== undefined) throw refused(where, `${JSON.stringify(part)} is not an id or name`);
  const empty = Object.keys(secrets).find((field) => secrets[field] === '');
  if (empty !== undefined) throw refused(where, `${empty} is empty`);
}

const interrupted = unanswered(NotSent, 'not-sent', 'interrupted; nothing more was sent');

function describeGate(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return `rate limited: the service asked to wait for another ${seconds} s; try again later`;
}
