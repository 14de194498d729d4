/** Applies a plan: every step in its order, each recorded, until all is done, failed, blocked or not tried. */
import { randomBytes } from 'node:crypto';
import type { Api } from '../../client/api';
import { ApiError, Invalid, Unauthorized } from '../../client/errors';
import { LONG_PIECE, redactor } from '../../client/text';
import type { Observed } from '../../observation/evidence';
import { definitionOf, type Registry } from '../../resources/kind';
import { registry as kinds } from '../../resources/registry';
import { UnexpectedAnswer } from '../../resources/safe-calls';
import type { WantedSecret } from '../../resources/secrets';
import { digest, intentHash } from '../ledger/digest';
import type { JournalSink, Ledger } from '../ledger/ledger';
import type { Plan, Step } from '../plan/plan';
import { refreshBaseline, Stale } from './change';
import { execute, queuesOf } from './execute';
import { OwnWrites } from './own-writes';
import { JournalFailed, RunningLedger } from './running-ledger';
import { schedule, type Work } from './schedule';
import { type Digests, References, type Run, resolveTask, type Task, Unresolved } from './task';

export interface ApplyOptions {
  readonly api: Api;
  /** The API for one step, where an interruption lets a begun one finish (`StepwiseApi.forStep`); by default `api`. */
  readonly forStep?: () => Api;
  /** Checked by the guards: one with stops is refused. */
  readonly plan: Plan;
  /** As it was planned with. */
  readonly ledger: Ledger;
  /** What the plan was made from: an answer to a create that names something of it is not about a new object. */
  readonly observed: Observed;
  readonly journal: JournalSink;
  /** Every value of `neededSecrets(plan)`. */
  readonly secrets: Run['secrets'];
  /** Aborting starts no further step; calls in flight finish and are recorded. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Steps under way at once; default 8. */
  readonly concurrency?: number;
  readonly registry?: Registry;
  /** For tests: time, and so many random bytes as hex. */
  readonly now?: () => Date;
  readonly random?: (bytes: number) => string;
  /** For tests: cheaper ones than scrypt. */
  readonly digests?: Digests;
}

/** `blocked`: a step it needs did not succeed. `not-tried`: interrupted, or the object cannot be seen. */
export type StepStatus = 'done' | 'failed' | 'blocked' | 'not-tried';

export interface StepResult {
  /** Step id of the plan. */
  readonly step: string;
  readonly address: string;
  readonly status: StepStatus;
  /** For failed and blocked: what happened, where, what to do. */
  readonly message?: string;
  /** For failed: the service judged what was asked for wrong (422), and will again. */
  readonly refused?: true;
  /** For done creates: the new id. */
  readonly objectId?: string;
}

/** What an apply did, step by step. */
export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly counts: Readonly<Record<StepStatus, number>>;
  readonly interrupted: boolean;
}

/** Progress while it runs, in the order things happen. */
export type ApplyEvent =
  | { readonly type: 'started'; readonly step: string; readonly address: string }
  | { readonly type: 'finished'; readonly result: StepResult }
  | { readonly type: 'note'; readonly text: string };

/** A plan that must not be applied: its stops say why. Nothing was done. */
export class PlanStopped extends Error {
  override readonly name = 'PlanStopped';
}

/** Everything the plan writes and somebody must resolve before the first step, in plan order, each once. */
export function neededSecrets(plan: Plan): readonly WantedSecret[] {
  const needed = new Map<string, WantedSecret>();
  for (const { address, secrets } of plan.steps) {
    for (const [field, source] of Object.entries(secrets)) {
      needed.set(JSON.stringify([address, field]), { address, field, source });
    }
  }
  return [...needed.values()];
}

interface Unit extends Work {
  readonly step: Step;
  /** Found out when it is first asked for. */
  readonly task: () => Task;
}

/**
 * Applies the plan. Failures are results; it only throws for a plan that must not be applied, before the first call,
 * and `JournalFailed` when what changed without a call could not be recorded.
 */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { plan, signal, onEvent = () => {}, concurrency = 8 } = options;
  if (plan.stops.length > 0) throw new PlanStopped(plan.stops.map((stop) => stop.message).join('\n'));
  const run = startRun(options);
  const units = unitsOf(run, options);
  const secrets = neededSecrets(plan).flatMap(
    ({ address, field }) => options.secrets.value(address, field) ?? [],
  );
  const redact = redactor(secrets, LONG_PIECE);
  const results = new Map<string, StepResult>();
  const finish = ({ step }: Unit, rest: Omit<StepResult, 'step' | 'address'>): void => {
    const result = { step: step.id, address: step.address, ...rest };
    results.set(step.id, result);
    onEvent({ type: 'finished', result });
  };
  const failure = (error: unknown, step: Step) => ({
    status: 'failed' as const,
    message: redact(failureMessage(step, error)),
    ...(isRefusal(error) ? { refused: true as const } : {}),
  });
  let halting: { readonly error: unknown; readonly reason: string } | undefined;
  await schedule(units, {
    concurrency,
    queues: ({ task }) => queuesOrNone(run, task),
    stopped: () => halting !== undefined || signal?.aborted === true,
    onBlocked: (unit, by) => finish(unit, { status: 'blocked', message: `it needs "${by}", which failed` }),
    run: async (together) => {
      for (const { step } of together) onEvent({ type: 'started', step: step.id, address: step.address });
      const executed = await execute(
        () => ({ ...run, api: options.forStep?.() ?? options.api }),
        together.map(({ task }) => task),
      );
      return together.map((unit, index) => {
        const one = executed[index] ?? { ok: false, error: new Error('it has no outcome') };
        finish(unit, one.ok ? success(unit.step, one.objectId) : failure(one.error, unit.step));
        if (!one.ok) halting ??= haltingFailure(one.error);
        return one.ok;
      });
    },
  });
  const interrupted = signal?.aborted === true;
  if (!(halting?.error instanceof JournalFailed)) await refreshBaseline(run, plan);
  for (const unit of units.filter((one) => !results.has(one.id))) {
    finish(unit, {
      status: 'not-tried',
      message: interrupted ? 'interrupted' : (halting?.reason ?? 'not reached'),
    });
  }
  const steps = units.flatMap((unit) => results.get(unit.id) ?? []);
  const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
  for (const { status } of steps) counts[status] += 1;
  return { steps, counts, interrupted };
}

function startRun(options: ApplyOptions): Run {
  const { plan, registry = kinds, now = () => new Date() } = options;
  const ledger = new RunningLedger(options.ledger, options.journal, now);
  const definitions = new Map(registry.map((definition) => [definition.kind, definition]));
  // What was started at an address ends before another object moves there.
  const moved = new Set(plan.steps.filter((step) => step.action === 'move').map((step) => step.key));
  const continued = plan.steps
    .filter((step) => (step.action === 'create' || step.action === 'replace') && !moved.has(step.key))
    .flatMap((step) => ledger.pending.get(step.key)?.nonce ?? []);
  const seen = Object.values(options.observed.lists).flatMap((list) =>
    list.state === 'read' ? list.items.map(({ id }) => id) : [],
  );
  return {
    organization: plan.organization,
    api: options.api,
    ledger,
    references: new References(plan, ledger),
    own: new OwnWrites(definitions),
    definitions,
    digests: options.digests ?? { digest, intentHash },
    secrets: options.secrets,
    random: options.random ?? ((bytes) => randomBytes(bytes).toString('hex')),
    continued: new Set(continued),
    seen: new Set(seen),
    note: ({ step }, text) => options.onEvent?.({ type: 'note', text: `${step.address} ${text}` }),
  };
}

function unitsOf(run: Run, { plan, registry = kinds }: ApplyOptions): readonly Unit[] {
  return plan.steps.map((step) => {
    const definition = definitionOf(step.kind, registry);
    let known: Task | undefined;
    const task = () => {
      known ??= resolveTask(run, step, definition);
      return known;
    };
    return { id: step.id, needs: step.needs, step, task };
  });
}

function queuesOrNone(run: Run, task: () => Task) {
  try {
    return queuesOf(run, task());
  } catch {
    // A step whose object cannot be found out fails when it is executed.
    return { queues: [], group: null };
  }
}

function success({ action }: Step, objectId: string | undefined): Pick<StepResult, 'status' | 'objectId'> {
  const made = action === 'create' || action === 'replace';
  return { status: 'done', ...(made && objectId !== undefined ? { objectId } : {}) };
}

/** Failures after which every other step would fail too, or could not be recorded. */
function haltingFailure(error: unknown) {
  if (error instanceof JournalFailed)
    return { error, reason: 'the journal of the ledger could not be written' };
  if (error instanceof Unauthorized) return { error, reason: 'the token was refused' };
  return undefined;
}

/** Not a limit, a lock or a permission: the content of the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof Invalid && error.context.status === 422;
}

const foreseen = [ApiError, JournalFailed, Unresolved, Stale, UnexpectedAnswer] as const;

/** What happened, where, what to do; an error that nobody foresaw is called one. */
function failureMessage(step: Step, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof JournalFailed) {
    return `${step.id} stopped: ${message}. What the service did last may be missing in the ledger; make its folder writable and apply again`;
  }
  if (foreseen.some((known) => error instanceof known)) return message;
  return `${step.id} failed unexpectedly: ${message}. This is a bug in tether; what was done so far is recorded, and applying again is safe`;
}
