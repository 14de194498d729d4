/** Applies a plan: every step in its order, each recorded, until all is done, failed, blocked or not tried. */
import { randomBytes } from 'node:crypto';
import type { Api } from '../../client/api';
import { Invalid, Unauthorized } from '../../client/errors';
import { LONG_PIECE, type Redact, redactor } from '../../client/text';
import type { Observed } from '../../observation/evidence';
import { definitionOf, registry as kinds, type Registry } from '../../resources/registry';
import { digest, intentHash } from '../ledger/digest';
import type { JournalSink, Ledger } from '../ledger/ledger';
import type { Plan } from '../plan/plan';
import { type Carried, carryOut, lanesOf } from './execute';
import { explain } from './explain';
import { OwnWrites } from './own-writes';
import { References } from './references';
import { refreshBaseline } from './refresh-baseline';
import type { ApplyEvent, ApplyResult, StepResult, StepStatus } from './result';
import type { Digests, Run, Task } from './run';
import { JournalFailed, RunningLedger } from './running-ledger';
import { schedule, type Work } from './schedule';
import { neededSecrets, type SecretValues } from './secret-values';

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
  readonly secrets: SecretValues;
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

/** A plan that must not be applied: its stops say why. Nothing was done. */
export class PlanStopped extends Error {
  override readonly name = 'PlanStopped';
}

const unwritable = 'the journal of the ledger could not be written';

interface Unit extends Work {
  readonly task: Task;
}

/**
 * Applies the plan. Failures are results; it only throws for a plan that must not be applied, before the first call,
 * and `JournalFailed` when what changed without a call could not be recorded.
 */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { plan, signal, onEvent = () => {}, concurrency = 8 } = options;
  refuseStopped(plan);
  const run = startRun(options);
  const units = unitsOf(plan, options.registry ?? kinds);
  const redact = redactor(
    neededSecrets(plan).flatMap(({ address, field }) => options.secrets.value(address, field) ?? []),
    LONG_PIECE,
  );
  const results = new Map<string, StepResult>();
  let halted: string | null = null;
  const finish = (unit: Unit, rest: Omit<StepResult, 'step' | 'address'>): void => {
    const result = { ...labelOf(unit.task), ...rest };
    results.set(unit.id, result);
    onEvent({ type: 'finished', result });
  };
  await schedule(units, {
    concurrency,
    lanes: (unit) => lanesOf(run, unit.task),
    stopped: () => halted !== null || signal?.aborted === true,
    onBlocked: (unit, by) => finish(unit, { status: 'blocked', message: `it needs "${by}", which failed` }),
    run: async (together) => {
      for (const { task } of together) onEvent({ type: 'started', ...labelOf(task) });
      const carried = await carryOut(
        run,
        together.map((unit) => unit.task),
      );
      carried.forEach((one, index) => {
        const unit = together[index];
        if (unit !== undefined) finish(unit, outcomeOf(one, redact));
        if (!one.ok) halted ??= haltingReason(one.error);
      });
      return carried.map((one) => one.ok);
    },
  });
  const interrupted = signal?.aborted === true;
  if (halted !== unwritable) await refreshBaseline(run, plan);
  for (const unit of units.filter((one) => !results.has(one.id))) {
    finish(unit, { status: 'not-tried', message: interrupted ? 'interrupted' : (halted ?? 'not reached') });
  }
  return summarize(
    units.flatMap((unit) => results.get(unit.id) ?? []),
    interrupted,
  );
}

function startRun(options: ApplyOptions): Run {
  const { plan, registry = kinds, now = () => new Date() } = options;
  const { random = (bytes: number) => randomBytes(bytes).toString('hex') } = options;
  const ledger = new RunningLedger(options.ledger, options.journal, now);
  const definitions = new Map(registry.map((definition) => [definition.kind, definition]));
  // What was begun at an address ends before another object moves there.
  const moved = new Set(plan.steps.filter((step) => step.action === 'move').map((step) => step.key));
  const continued = plan.steps
    .filter((step) => (step.action === 'create' || step.action === 'replace') && !moved.has(step.key))
    .flatMap((step) => ledger.pending.get(step.key)?.nonce ?? []);
  return {
    organization: plan.organization,
    api: options.api,
    forStep: options.forStep ?? (() => options.api),
    ledger,
    references: new References(plan, ledger),
    own: new OwnWrites(definitions),
    definitions,
    digests: options.digests ?? { digest, intentHash },
    secrets: options.secrets,
    random,
    continued: new Set(continued),
    seen: new Set(
      Object.values(options.observed.lists).flatMap((list) =>
        list.state === 'read' ? list.items.map(({ id }) => id) : [],
      ),
    ),
    note: ({ step }, text) => options.onEvent?.({ type: 'note', text: `${step.address} ${text}` }),
  };
}

function refuseStopped(plan: Plan): void {
  if (plan.stops.length > 0) throw new PlanStopped(plan.stops.map((stop) => stop.message).join('\n'));
}

function unitsOf(plan: Plan, registry: Registry): readonly Unit[] {
  return plan.steps.map((step) => ({
    id: step.id,
    needs: step.needs,
    task: { step, definition: definitionOf(step.kind, registry) },
  }));
}

function labelOf({ step }: Task): { step: string; address: string } {
  return { step: step.id, address: step.address };
}

/** Failures after which every other step would fail too, or could not be recorded. */
function haltingReason(error: unknown): string | null {
  if (error instanceof JournalFailed) return unwritable;
  if (error instanceof Unauthorized) return 'the token was refused';
  return null;
}

/** Not a limit, a lock or a permission: the content of the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof Invalid && error.context.status === 422;
}

function outcomeOf(carried: Carried, redact: Redact): Omit<StepResult, 'step' | 'address'> {
  if (!carried.ok) {
    return {
      status: 'failed',
      message: redact(explain(carried.task.step, carried.error)),
      ...(isRefusal(carried.error) ? { refused: true } : {}),
    };
  }
  const made = carried.task.step.action === 'create' || carried.task.step.action === 'replace';
  return {
    status: 'done',
    ...(made && carried.objectId !== undefined ? { objectId: carried.objectId } : {}),
  };
}

function summarize(steps: readonly StepResult[], interrupted: boolean): ApplyResult {
  const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
  for (const { status } of steps) counts[status] += 1;
  return { steps, counts, interrupted };
}
