/** Applies a plan: every step in its order, each recorded, until all is done, failed, blocked or not tried. */
import { randomBytes } from 'node:crypto';
import type { Api } from '../../client/api';
import { ApiError, Conflict, Invalid, Unauthorized } from '../../client/errors';
import { LONG_PIECE, redactor } from '../../client/text';
import type { Observed } from '../../observation/evidence';
import { definitionOf, type Registry } from '../../resources/kind';
import { registry as kinds } from '../../resources/registry';
import { settled, UnexpectedAnswer } from '../../resources/safe-calls';
import type { WantedSecret } from '../../resources/secrets';
import { digest, saltedHash } from '../ledger/digest';
import type { JournalSink, Ledger } from '../ledger/ledger';
import { JournalFailed, RunningLedger } from '../ledger/state';
import type { Action, Plan, Step } from '../plan/plan';
import { move, refreshBaseline, Stale, update } from './change';
import { create, replace } from './create';
import { cleanUp, forget, remove } from './remove';
import { schedule } from './schedule';
import {
  type Digests,
  OwnWrites,
  queuesOf,
  References,
  type Run,
  resolveTask,
  type Task,
  Unresolved,
} from './task';

export interface ApplyOptions {
  readonly api: Api;
  /** For the calls of one step, where an interruption lets a begun one finish (`StepwiseApi.forStep`); by default `api`. */
  readonly forStep?: () => Api;
  readonly plan: Plan;
  /** Those that it was planned with. */
  readonly ledger: Ledger;
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

/**
 * Applies the plan. Failures are results; it only throws for a plan that must not be applied, before the first call,
 * and `JournalFailed` when what changed without a call could not be recorded.
 */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { api, plan, secrets, signal, forStep = () => api, onEvent = () => {}, concurrency = 8 } = options;
  if (plan.stops.length > 0) throw new PlanStopped(plan.stops.map((stop) => stop.message).join('\n'));
  const run = startRun(options);
  const written = neededSecrets(plan).flatMap(({ address, field }) => secrets.value(address, field) ?? []);
  const redact = redactor(written, LONG_PIECE);
  const results = new Map<string, StepResult>();
  const finish = (step: Step, rest: Omit<StepResult, 'step' | 'address'>): void => {
    const result = { step: step.id, address: step.address, ...rest };
    results.set(step.id, result);
    onEvent({ type: 'finished', result });
  };
  const tasks = new Map<Step, Task>();
  const taskOf = (step: Step): Task => {
    const task = tasks.get(step) ?? resolveTask(run, step, definitionOf(step.kind, run.registry));
    tasks.set(step, task);
    return task;
  };
  let halting: unknown = null;
  const units = plan.steps.map((step) => ({ id: step.id, needs: step.needs, step }));
  await schedule(units, {
    concurrency,
    queues: ({ step }) => queuesOf(run, () => taskOf(step)),
    stopped: () => halting !== null || signal?.aborted === true,
    onBlocked: ({ step }, by) =>
      finish(step, { status: 'blocked', message: `it needs "${by}", which failed` }),
    run: async (together) => {
      const steps = together.map(({ step }) => step);
      for (const { id, address } of steps) onEvent({ type: 'started', step: id, address });
      const attempts = await attempt(steps, taskOf, () => ({ ...run, api: forStep() }));
      return attempts.map((ended) => {
        finish(ended.step, resultOf(ended, redact));
        if (!('error' in ended)) return true;
        if (haltReason(ended.error) !== null) halting ??= ended.error;
        return false;
      });
    },
  });
  const interrupted = signal?.aborted === true;
  if (!(halting instanceof JournalFailed)) await refreshBaseline(run, plan);
  for (const step of plan.steps.filter(({ id }) => !results.has(id))) {
    const message = interrupted ? 'interrupted' : (haltReason(halting) ?? 'not reached');
    finish(step, { status: 'not-tried', message });
  }
  const steps = plan.steps.flatMap(({ id }) => results.get(id) ?? []);
  const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
  for (const { status } of steps) counts[status] += 1;
  return { steps, counts, interrupted };
}

function startRun(options: ApplyOptions): Run {
  const { api, plan, secrets, registry = kinds, now = () => new Date() } = options;
  const ledger = new RunningLedger(options.ledger, options.journal, now);
  // What was started at an address ends before another object moves there.
  const moved = new Set(plan.steps.filter(({ action }) => action === 'move').map(({ key }) => key));
  const continued = plan.steps
    .filter((step) => makesNew(step) && !moved.has(step.key))
    .flatMap(({ key }) => ledger.pending.get(key)?.nonce ?? []);
  const seen = Object.values(options.observed.lists).flatMap((list) =>
    list.state === 'read' ? list.items.map(({ id }) => id) : [],
  );
  return {
    organization: plan.organization,
    api,
    ledger,
    references: new References(plan, ledger),
    own: new OwnWrites(registry),
    registry,
    digests: options.digests ?? { digest, saltedHash },
    secrets,
    random: options.random ?? ((bytes) => randomBytes(bytes).toString('hex')),
    continued: new Set(continued),
    seen: new Set(seen),
    note: ({ address }, text) => options.onEvent?.({ type: 'note', text: `${address} ${text}` }),
  };
}

function makesNew({ action }: Step): boolean {
  return action === 'create' || action === 'replace';
}

/** Does the tasks of one group in one go, or one; returns the id that each made or touched. */
type Verb = (run: Run, tasks: readonly Task[]) => Promise<readonly (string | undefined)[]>;

function one(verb: (run: Run, task: Task) => Promise<string | undefined>): Verb {
  return (run, tasks) => Promise.all(tasks.map((task) => verb(run, task)));
}

const verbs: Readonly<Record<Action, Verb>> = {
  create,
  replace: one(replace),
  adopt: one(update),
  update: one(update),
  delete: remove,
  forget: one(forget),
  move: one(move),
  sweep: one(cleanUp),
};

type Attempt = { readonly step: Step } & ({ readonly id: string | undefined } | { readonly error: unknown });

/** Tries steps of one group; one by one where the service refuses them together, so that the bad one is known. Each try has an API of its own, which an interruption ends. */
async function attempt(
  steps: readonly Step[],
  taskOf: (step: Step) => Task,
  runOfStep: () => Run,
): Promise<readonly Attempt[]> {
  const ended = await settled(attemptTogether(runOfStep(), steps, taskOf));
  if ('value' in ended) return steps.map((step, index) => ({ step, id: ended.value[index] }));
  const { error } = ended;
  const splits = steps.length > 1 && (error instanceof Invalid || error instanceof Conflict);
  if (!splits) return steps.map((step) => ({ step, error }));
  const attempts: Attempt[] = [];
  for (const step of steps) attempts.push(...(await attempt([step], taskOf, runOfStep)));
  return attempts;
}

async function attemptTogether(run: Run, steps: readonly Step[], taskOf: (step: Step) => Task) {
  const tasks = steps.map((step) => {
    if (step.approval?.given === false) throw new Error(`${step.id} is not approved: ${step.approval.line}`);
    return taskOf(step);
  });
  return tasks[0] === undefined ? [] : verbs[tasks[0].step.action](run, tasks);
}

function resultOf(attempt: Attempt, redact: (text: string) => string): Omit<StepResult, 'step' | 'address'> {
  const { step } = attempt;
  if (!('error' in attempt)) {
    const isNew = makesNew(step) && attempt.id !== undefined;
    return { status: 'done', ...(isNew ? { objectId: attempt.id } : {}) };
  }
  const { error } = attempt;
  // Not a limit, a lock or a permission: the content of the request.
  const isRefusal = error instanceof Invalid && error.context.status === 422;
  const message = redact(failureMessage(step, error));
  return { status: 'failed', message, ...(isRefusal ? { refused: true } : {}) };
}

/** Why every other step would fail too, or could not be recorded; null for other failures. */
function haltReason(error: unknown): string | null {
  if (error instanceof JournalFailed) return 'the journal of the ledger could not be written';
  return error instanceof Unauthorized ? 'the token was refused' : null;
}

const foreseen = [ApiError, Unresolved, Stale, UnexpectedAnswer] as const;

/** What happened, where, what to do; an error that nobody foresaw is called one. */
function failureMessage(step: Step, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof JournalFailed) {
    return `${step.id} stopped: ${message}. What the service did last may be missing in the ledger; make its folder writable and apply again`;
  }
  if (foreseen.some((known) => error instanceof known)) return message;
  return `${step.id} failed unexpectedly: ${message}. This is a bug in tether; what was done so far is recorded, and applying again is safe`;
}
