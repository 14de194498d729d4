/** Applies a plan: each step in its order, and recorded, until all is done, failed, blocked or not tried. */
import { randomBytes } from 'node:crypto';
import type { Api } from '../../client/api';
import { ApiError, Conflict, errorCode, Invalid, OperationalError, Unauthorized } from '../../client/errors';
import { clientDefaults } from '../../client/options';
import { longPiece, redactor } from '../../client/text';
import type { Observed } from '../../observation/evidence';
import type { Registry } from '../../resources/kind';
import { registry as kinds } from '../../resources/registry';
import { UnexpectedAnswer } from '../../resources/safe-calls';
import type { WantedSecret } from '../../resources/secrets';
import { digestsFor } from '../ledger/digest';
import type { Ledger } from '../ledger/ledger';
import { JournalFailed, type OpenLedger, RunningLedger } from '../ledger/state';
import type { Plan, Step } from '../plan/plan';
import { move, refreshBaseline, update } from './change';
import { canComeAlong, create, replace, temporaryNames } from './create';
import { cleanUp, forget, remove } from './remove';
import { schedule } from './schedule';
import { isNew, isUnsent, OwnWrites, queuesOf, References, type Run, resolveTask, Stale } from './task';

export interface ApplyOptions extends Pick<OpenLedger, 'journal'> {
  readonly api: Api;
  /** For one step (`StepwiseApi.forStep`); default `api`. */
  readonly forStep?: () => Api;
  readonly plan: Plan;
  /** As it was planned with, like `observed`. */
  readonly ledger: Ledger;
  readonly observed: Observed;
  /** All that `neededSecrets` names. */
  readonly secrets: Run['secrets'];
  /** Of a plan that is applied as soon as it is made: what it looked at less than half a minute ago is deleted without another look. */
  readonly looks?: Run['looks'];
  /** When aborted, no further step starts; calls in flight finish and are recorded. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly registry?: Registry;
  /** For tests: steps at once (with 1, calls come in one order), time, the random end of a temporary name. */
  readonly concurrency?: number;
  readonly now?: () => Date;
  readonly random?: () => string;
}

/** `blocked`: a step it needs did not succeed. `not-tried`: interrupted, or the object cannot be seen. */
export type StepStatus = 'done' | 'failed' | 'blocked' | 'not-tried';

export interface StepResult {
  readonly step: string;
  readonly address: string;
  readonly status: StepStatus;
  /** Unless done. */
  readonly message?: string;
  /** Of one that failed: stable, as `error.code` of a whole run. */
  readonly code?: string;
  /** The service judged what was asked for wrong (422), and will again. */
  readonly refused?: true;
  /** For done creates: the new id. */
  readonly objectId?: string;
}

export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly counts: Readonly<Record<StepStatus, number>>;
  readonly interrupted: boolean;
}

export type ApplyEvent =
  | { readonly type: 'started'; readonly step: string; readonly address: string }
  | { readonly type: 'finished'; readonly result: StepResult }
  | { readonly type: 'note'; readonly text: string };

/** The plan has blockers. Nothing was done. */
export class PlanBlocked extends OperationalError {}

/** Those that the plan writes, in its order, each once. */
export function neededSecrets(plan: Plan): readonly WantedSecret[] {
  const needed = plan.steps.flatMap(({ address, secrets }) =>
    Object.entries(secrets).map(([field, source]) => ({ address, field, source })),
  );
  return [...new Map(needed.map((one) => [JSON.stringify([one.address, one.field]), one])).values()];
}

/** Failures are results; throws only `PlanBlocked`, and `JournalFailed` for what changed without a call. */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { blockers } = options.plan;
  if (blockers.length > 0) throw new PlanBlocked(blockers.map(({ message }) => message).join('\n'));
  return new Applier(options).run();
}

class Applier {
  private readonly shared: Run;
  private readonly redact: (text: string) => string;
  private readonly results = new Map<string, StepResult>();
  /** After this failure nothing more is started. */
  private halting: unknown = null;

  constructor(private readonly options: ApplyOptions) {
    const { plan, secrets } = options;
    const written = neededSecrets(plan).flatMap(({ address, field }) => secrets.value(address, field) ?? []);
    this.redact = redactor(written, longPiece);
    this.shared = startRun(options);
  }

  async run(): Promise<ApplyResult> {
    // As many as the client lets be in flight: its pace decides how many that are.
    const { plan, signal, onEvent, concurrency = clientDefaults.concurrency } = this.options;
    if (plan.names !== undefined) await this.shared.ledger.write({ event: 'names', names: plan.names });
    await schedule(plan.steps, {
      concurrency,
      queues: (step) => queuesOf(() => resolveTask(this.shared, step)),
      stopped: () => this.halting !== null || signal?.aborted === true,
      onBlocked: (step, by) => this.end(step, 'blocked', { message: `it needs "${by}", which failed` }),
      along: (step, waiting) => waiting.filter((one) => canComeAlong(this.shared, step, one)),
      run: async (steps, along) => {
        for (const { id, address } of steps) onEvent?.({ type: 'started', step: id, address });
        await this.attempt(steps, along);
        return [...steps, ...along].map(({ id }) => {
          const result = this.results.get(id);
          return result && result.status === 'done';
        });
      },
    });
    const interrupted = signal?.aborted === true;
    if (!(this.halting instanceof JournalFailed)) await refreshBaseline(this.shared, plan);
    const message = interrupted ? 'interrupted' : (haltReason(this.halting) ?? 'not reached');
    const steps = plan.steps.map(
      (step) => this.results.get(step.id) ?? this.end(step, 'not-tried', { message }),
    );
    const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
    for (const { status } of steps) counts[status] += 1;
    return { steps, counts, interrupted };
  }

  /** One by one where the service refuses several together, to know the bad one. */
  private async attempt(steps: readonly Step[], along: readonly Step[] = []): Promise<void> {
    const { api, onEvent, forStep = () => api } = this.options;
    // An interruption ends the API of each try.
    const run = { ...this.shared, api: forStep() };
    const [ended] = await Promise.allSettled([this.callVerb(run, steps, along)]);
    if (ended.status === 'fulfilled') {
      for (const [index, step] of [...steps, ...along].entries()) {
        const id = isNew(step) ? ended.value[index] : undefined;
        // What did not come along has its own turn.
        const cameAlong = index >= steps.length;
        if (id === undefined && cameAlong) continue;
        if (cameAlong) onEvent?.({ type: 'started', step: step.id, address: step.address });
        this.end(step, 'done', id === undefined ? {} : { objectId: id });
      }
      return;
    }
    const error: unknown = ended.reason;
    const isRefused = error instanceof Invalid || error instanceof Conflict;
    for (const step of steps) {
      if (isRefused && steps.length > 1) await this.attempt([step]);
      else this.fail(step, error);
    }
  }

  /** Returns the id that each step made or touched. */
  private async callVerb(run: Run, steps: readonly Step[], along: readonly Step[]) {
    for (const { id, approval } of steps) {
      if (approval?.given === false) throw new Error(`${id} is not approved: ${approval.line}`);
    }
    const [first, ...others] = steps.map((step) => resolveTask(run, step));
    if (first === undefined) return [];
    const { action } = first.step;
    if (action === 'create') return create([first, ...others], along);
    if (action === 'replace') return replace(first, along);
    if (action === 'delete') return remove([first, ...others]);
    return Promise.all([first, ...others].map(verbs[action]));
  }

  private fail(step: Step, error: unknown) {
    if (haltReason(error) !== null) this.halting ??= error;
    // Not a limit, a lock or a permission: the content of the request.
    const isRefusal = error instanceof Invalid && error.context.status === 422;
    const isInterrupted = this.options.signal?.aborted && isUnsent(this.shared, step, error);
    if (isInterrupted) return this.end(step, 'not-tried', { message: 'interrupted' });
    const message = this.redact(failureMessage(step, error));
    this.end(step, 'failed', { message, code: errorCode(error), ...(isRefusal ? { refused: true } : {}) });
  }

  private end({ id, address }: Step, status: StepStatus, more: Partial<StepResult>) {
    const result = { step: id, address, status, ...more };
    this.results.set(id, result);
    this.options.onEvent?.({ type: 'finished', result });
    return result;
  }
}

function startRun({
  api,
  plan,
  observed,
  secrets,
  onEvent,
  registry = kinds,
  looks = new Map(),
  now = () => new Date(),
  random = () => randomBytes(6).toString('hex'),
  ...before
}: ApplyOptions): Run {
  const ledger = new RunningLedger(before.ledger, before.journal, now);
  // What was started at an address ends before another object moves there.
  const moved = new Set(plan.steps.filter(({ action }) => action === 'move').map(({ key }) => key));
  const continued = plan.steps
    .filter((step) => isNew(step) && !moved.has(step.key))
    .flatMap(({ key }) => ledger.pending.get(key)?.nonce ?? []);
  const seen = Object.values(observed.lists).flatMap((list) => (list.state === 'read' ? list.items : []));
  return {
    organization: plan.organization,
    api,
    ledger,
    digests: digestsFor(before.ledger),
    references: new References(plan, ledger),
    own: new OwnWrites(registry),
    looks,
    registry,
    secrets,
    continued: new Set(continued),
    temporaryNames: new Map(temporaryNames(plan, registry, random).map((name) => [name.key, name])),
    seen: new Set(seen.map(({ id }) => id)),
    note: ({ address }, text) => onEvent?.({ type: 'note', text: `${address} ${text}` }),
  };
}

/** Done one by one, unlike creates and deletes of links. */
const verbs = { adopt: update, update, forget, move, cleanup: cleanUp } as const;

/** Why every other step would fail too, or go unrecorded. */
function haltReason(error: unknown) {
  if (error instanceof JournalFailed) return 'the journal of the ledger could not be written';
  return error instanceof Unauthorized ? 'the token was refused' : null;
}

function failureMessage({ id }: Step, error: unknown) {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof JournalFailed) {
    return `${id} stopped: ${message}. What the service did last may be missing in the ledger; make its folder writable and apply again`;
  }
  if ([ApiError, Stale, UnexpectedAnswer].some((known) => error instanceof known)) return message;
  return `${id} failed unexpectedly: ${message}. This is a bug in tether; what was done so far is recorded, and applying again is safe`;
}
