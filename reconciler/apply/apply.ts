/** Applies a plan step by step, and records each one. In the end a step is done, failed, blocked or not tried. */
import {
  ApiError,
  bugSentence,
  Conflict,
  errorCode,
  Invalid,
  OperationalError,
  Unauthorized,
} from '../../client/errors';
import { clientDefaults } from '../../client/options';
import { type Redact, redactor } from '../../client/text';
import { groupBy } from '../../resources/groups';
import { findDefinition } from '../../resources/registry';
import type { WantedSecret } from '../../resources/secrets';
import { LockLost } from '../ledger/store';
import { isClientStep, type LinkStep, type Plan, readMember, type Step } from '../plan/plan';
import { applyClientStep } from './clients';
import { applyLinkSteps } from './links';
import { type ApplyOptions, type ApplyResult, type Done, Run, type StepResult, type StepStatus } from './run';
import { LedgerNotSaved } from './run-ledger';
import { schedule } from './schedule';

/** The plan has blockers. Nothing was done. */
export class PlanBlocked extends OperationalError {}

/** Returns the secrets that the plan writes. Only one step of an address writes secrets. */
export function neededSecrets({ steps }: Plan): readonly WantedSecret[] {
  return steps.flatMap((step) =>
    Object.entries(readMember(step, 'secrets') ?? {}).map(([field, source]) => ({
      address: step.address,
      field,
      source,
    })),
  );
}

/** Returns failures as results. Rejects with `PlanBlocked`, or with `LedgerNotSaved` if no step was started. */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { blockers } = options.plan;
  if (blockers.length > 0) throw new PlanBlocked(blockers.map(({ message }) => message).join('\n'));
  return new Applier(options).apply();
}

type Steps = readonly [Step, ...Step[]];

class Applier {
  private readonly run: Run;
  private readonly redact: Redact;
  private readonly results = new Map<string, StepResult>();
  /** After this failure, no further step starts. */
  private halting: unknown = null;

  constructor(private readonly options: ApplyOptions) {
    const { plan, secrets } = options;
    this.redact = redactor(
      neededSecrets(plan).flatMap(({ address, field }) => secrets.value(address, field) ?? []),
    );
    this.run = new Run(options);
  }

  async apply(): Promise<ApplyResult> {
    const { plan, signal, onEvent, concurrency = clientDefaults.concurrency } = this.options;
    // A ledger that cannot be saved must be found before the service is changed.
    await this.run.ledger.save();
    await schedule(groupSteps(plan.steps), {
      concurrency,
      chooseQueue: ({ steps }) => this.chooseQueue(steps[0]),
      stopped: () => this.halting !== null || signal?.aborted === true,
      isDone: (id) => this.isDone(id),
      onBlocked: ({ steps }, by) => {
        const create = plan.steps.find(({ id, action }) => id === by && action === 'create');
        // Only the delete of a client waits for everything, also for a create that a user may no longer want.
        const [step] = steps;
        const isLast = isClientStep(step) && step.action === 'delete' && create !== undefined;
        const wayOut = isLast ? `; to go on without it, take ${create.address} out of the manifests` : '';
        const message = `it needs "${by}", which was not done${wayOut}`;
        for (const step of steps) this.end(step, 'blocked', { message });
      },
      run: async ({ steps }) => {
        for (const { id, address } of steps) onEvent?.({ type: 'started', step: id, address });
        await this.attempt(steps);
      },
    });
    for (const client of plan.toRecord) this.run.ledger.setValues(client);
    await this.saveLast();
    const interrupted = signal?.aborted === true;
    const message = interrupted ? 'interrupted' : (haltReason(this.halting) ?? 'not reached');
    const steps = plan.steps.map(
      (step) => this.results.get(step.id) ?? this.end(step, 'not-tried', { message }),
    );
    const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
    for (const { status } of steps) counts[status] += 1;
    return { steps, counts, interrupted };
  }

  private isDone(step: string): boolean {
    return this.results.get(step)?.status === 'done';
  }

  private chooseQueue(step: Step): string | null {
    if (!isClientStep(step)) {
      const { batch, queue } = findDefinition(step.kind);
      const isQueued = batch !== undefined || step.action === 'create';
      return isQueued ? queue(this.run.toCallKey(step)) : null;
    }
    if (step.action !== 'create' && step.action !== 'replace') return `client ${step.objectId}`;
    // Equal clients are created one after the other. After a lost answer, a client is identified by the values that were sent.
    const { name, serviceProvider, httpUrl, apiUrl } = step.inputs;
    return `create ${JSON.stringify([name, serviceProvider, httpUrl, apiUrl])}`;
  }

  /** Executes the steps together. If the service refuses them, it executes each alone to find the bad one. */
  private async attempt(steps: Steps): Promise<void> {
    try {
      const done = await this.execute(steps);
      for (const [index, step] of steps.entries()) this.end(step, 'done', done[index] ?? {});
    } catch (error) {
      const isRefused = error instanceof Invalid || error instanceof Conflict;
      for (const step of steps) {
        if (isRefused && steps.length > 1) await this.attempt([step]);
        else this.fail(step, error);
      }
    }
  }

  private async execute(steps: Steps): Promise<readonly Done[]> {
    const [first] = steps;
    const unapproved = steps.find((step) => readMember(step, 'approval')?.given === false);
    // This is a second check, because a blocked plan is never applied.
    if (unapproved !== undefined) throw new Error(`${unapproved.id} is not approved`);
    return isClientStep(first)
      ? [await applyClientStep(this.run, first)]
      : applyLinkSteps(this.run, steps as readonly [LinkStep, ...LinkStep[]]);
  }

  /** Saves at the end. If that fails, the ledger may lack the last step, so the step counts as failed. */
  private async saveLast(): Promise<void> {
    try {
      await this.run.ledger.save();
    } catch (error) {
      // A save that failed earlier was reported by its step.
      if (this.halting instanceof LedgerNotSaved) return;
      if (this.options.plan.steps.length === 0) throw error;
      const last = this.options.plan.steps.findLast(({ id }) => this.isDone(id));
      if (last !== undefined) this.fail(last, error);
    }
  }

  private fail(step: Step, error: unknown): void {
    if (haltReason(error) !== null) this.halting ??= error;
    const isUnsent = error instanceof ApiError && error.outcome === 'not-sent';
    if (this.options.signal?.aborted && isUnsent) this.end(step, 'not-tried', { message: 'interrupted' });
    // The service may repeat a secret, and the message may hold a part of it.
    else
      this.end(step, 'failed', { message: this.redact(failureMessage(step, error)), code: errorCode(error) });
  }

  private end({ id, address }: Step, status: StepStatus, more: Done & Pick<StepResult, 'code'>): StepResult {
    const result = { step: id, address, status, ...more };
    this.results.set(id, result);
    this.options.onEvent?.({ type: 'finished', result });
    return result;
  }
}

/** Groups links of one client that need the same steps, so that one call creates or deletes them. */
function groupSteps(plan: readonly Step[]) {
  const groups = groupBy(plan, ({ id, action, kind, key, needs }) => {
    const isAlone = findDefinition(kind).batch === undefined;
    return isAlone ? id : JSON.stringify([action, kind, key[1], needs]);
  });
  return [...groups.values()].map((steps) => {
    const [{ needs, after }] = steps;
    return { ids: steps.map(({ id }) => id), needs, after, steps };
  });
}

/** Returns the reason why every other step would fail too, or could not be recorded. */
function haltReason(error: unknown): string | null {
  if (error instanceof LedgerNotSaved) return 'the ledger could not be saved';
  if (error instanceof LockLost) return 'the lock of the ledger was lost';
  return error instanceof Unauthorized ? 'the token was refused' : null;
}

function failureMessage({ id }: Step, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof LockLost) return `${message}. Nothing more was written: run the same command again`;
  if (error instanceof OperationalError) return message;
  return `${id} failed unexpectedly: ${message}. ${bugSentence}. What was done so far is recorded, and applying again is safe`;
}
