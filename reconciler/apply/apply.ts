/** Applies a plan: each step in its order, and recorded, until all are done, failed, blocked or not tried. */
import type { Api } from '../../client/api';
import type { StepwiseApi } from '../../client/client';
import { ApiError, Conflict, errorCode, Invalid, OperationalError, Unauthorized } from '../../client/errors';
import { clientDefaults } from '../../client/options';
import { longPiece, redactor } from '../../client/text';
import type { Observed } from '../../observation/evidence';
import type { Registry } from '../../resources/kind';
import { registry as kinds } from '../../resources/registry';
import type { ResolvedSecrets, WantedSecret } from '../../resources/secrets';
import type { Ledger } from '../ledger/ledger';
import type { LedgerStore } from '../ledger/store';
import type { Plan, Step } from '../plan/plan';
import { applyClientStep, type Done } from './clients';
import { applyLinkSteps } from './links';
import type { ApplyEvent, ApplyResult, StepResult, StepStatus } from './result';
import { LedgerNotSaved, Run, RunLedger } from './run';
import { schedule, type Work } from './schedule';

export interface ApplyOptions {
  readonly api: Api | StepwiseApi;
  readonly plan: Plan;
  /** As it was planned with, like `observed`. */
  readonly ledger: Ledger;
  readonly observed: Observed;
  /** Locked by the caller. */
  readonly store: LedgerStore;
  /** All that `neededSecrets` names. */
  readonly secrets: ResolvedSecrets;
  /** When aborted, no further step starts. Calls in flight finish and are recorded. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly registry?: Registry;
  /** For tests: steps at once, and monotonic milliseconds. */
  readonly concurrency?: number;
  readonly now?: () => number;
}

/** The plan has blockers. Nothing was done. */
export class PlanBlocked extends OperationalError {}

/** The secrets that the plan writes, each once. */
export function neededSecrets(plan: Plan): readonly WantedSecret[] {
  const needed = plan.steps.flatMap(({ address, secrets }) =>
    Object.entries(secrets).map(([field, source]) => ({ address, field, source })),
  );
  return [...new Map(needed.map((one) => [JSON.stringify([one.address, one.field]), one])).values()];
}

/** Failures are results. Rejects only with `PlanBlocked`. */
export async function applyPlan(options: ApplyOptions): Promise<ApplyResult> {
  const { blockers } = options.plan;
  if (blockers.length > 0) throw new PlanBlocked(blockers.map(({ message }) => message).join('\n'));
  return new Applier(options).run();
}

/** Steps that are done in one call. */
interface Unit extends Work {
  readonly steps: readonly [Step, ...Step[]];
}

class Applier {
  private readonly shared: Run;
  private readonly redact: (text: string) => string;
  private readonly results = new Map<string, StepResult>();
  /** After this failure nothing more is started. */
  private halting: unknown = null;

  constructor(private readonly options: ApplyOptions) {
    const { api, plan, ledger, observed, store, secrets, registry = kinds, onEvent } = options;
    const { now = () => performance.now() } = options;
    const values = neededSecrets(plan).flatMap(({ address, field }) => secrets.value(address, field) ?? []);
    this.redact = redactor(values, longPiece);
    const lists = Object.values(observed.lists);
    const listed = lists.flatMap((list) => (list.state === 'read' ? list.items.map(({ id }) => id) : []));
    this.shared = new Run({
      ...{ api, secrets, registry },
      organization: plan.organization,
      ledger: new RunLedger(store, ledger, now),
      seen: listed,
      note: (message) => onEvent?.({ type: 'note', message }),
    });
  }

  async run(): Promise<ApplyResult> {
    const { plan, signal, onEvent, concurrency = clientDefaults.concurrency } = this.options;
    await schedule(this.units(plan.steps), {
      concurrency,
      queueOf: (unit) => this.queueOf(unit.steps[0]),
      stopped: () => this.halting !== null || signal?.aborted === true,
      onBlocked: ({ steps }, by) => {
        for (const step of steps)
          this.end(step, 'blocked', { message: `it needs "${by}", which was not done` });
      },
      run: async ({ steps }) => {
        for (const { id, address } of steps) onEvent?.({ type: 'started', step: id, address });
        await this.attempt(steps);
        return steps.every(({ id }) => this.results.get(id)?.status === 'done');
      },
    });
    const ledgerProblem = await this.saveLast();
    const interrupted = signal?.aborted === true;
    const message = interrupted
      ? 'interrupted'
      : (haltReason(this.halting ?? ledgerProblem) ?? 'not reached');
    const steps = plan.steps.map(
      (step) => this.results.get(step.id) ?? this.end(step, 'not-tried', { message }),
    );
    const counts: Record<StepStatus, number> = { done: 0, failed: 0, blocked: 0, 'not-tried': 0 };
    for (const { status } of steps) counts[status] += 1;
    return { steps, counts, interrupted };
  }

  /** What a failed last save leaves out of the ledger was done all the same, so it is told as a failure of the last steps. */
  private async saveLast(): Promise<unknown> {
    try {
      await this.shared.ledger.save();
      return null;
    } catch (error) {
      const last = [...this.options.plan.steps]
        .reverse()
        .find(({ id }) => this.results.get(id)?.status === 'done');
      // Where a save failed before, a failed step says so already.
      if (last !== undefined && !(this.halting instanceof LedgerNotSaved)) this.fail(last, error);
      return error;
    }
  }

  /** Links of one client go together: those that are made, or deleted, once the same steps are done. */
  private units(steps: readonly Step[]): readonly Unit[] {
    const units = new Map<string, { id: string; steps: [Step, ...Step[]]; needs: string[] }>();
    const unitOf = new Map<string, string>();
    for (const step of steps) {
      const { batch } = this.shared.definition(step);
      const [kind, end] = step.key;
      const needs = step.needs.map((id) => unitOf.get(id) ?? id);
      const group = batch === undefined ? step.id : JSON.stringify([step.action, kind, end, needs]);
      const unit = units.get(group);
      unitOf.set(step.id, unit?.id ?? step.id);
      if (unit === undefined) units.set(group, { id: step.id, steps: [step], needs });
      else unit.steps.push(step);
    }
    return [...units.values()];
  }

  private queueOf(step: Step): string | null {
    const { shared } = this;
    const { batch, createQueue, pair } = shared.definition(step);
    if (pair.length > 0) {
      const key = shared.keyOf(step);
      return batch?.queue(key) ?? (step.action === 'create' ? (createQueue?.(key) ?? null) : null);
    }
    if (step.action !== 'create' && step.action !== 'replace') return `client ${step.objectId}`;
    // Equal clients are created one after the other, because a lost answer is looked for by what was sent.
    const { name, serviceProvider, httpUrl, apiUrl } = step.inputs;
    return `create ${JSON.stringify([name, serviceProvider, httpUrl, apiUrl])}`;
  }

  /** One by one where the service refuses several together, to find the bad one. */
  private async attempt(steps: readonly Step[]): Promise<void> {
    const [first, ...others] = steps;
    if (first === undefined) return;
    const isLink = this.shared.definition(first).pair.length > 0;
    const call = async (): Promise<readonly Done[]> => {
      refuseUnapproved(steps);
      return isLink
        ? applyLinkSteps(this.shared, [first, ...others])
        : [await applyClientStep(this.shared, first)];
    };
    const [ended] = await Promise.allSettled([call()]);
    if (ended.status === 'fulfilled') {
      for (const [index, step] of steps.entries()) this.end(step, 'done', ended.value[index] ?? {});
      return;
    }
    const error: unknown = ended.reason;
    const isRefused = error instanceof Invalid || error instanceof Conflict;
    for (const step of steps) {
      if (isRefused && steps.length > 1) await this.attempt([step]);
      else this.fail(step, error);
    }
  }

  private fail(step: Step, error: unknown): void {
    if (haltReason(error) !== null) this.halting ??= error;
    const isUnsent = error instanceof ApiError && error.outcome === 'not-sent';
    if (this.options.signal?.aborted && isUnsent) this.end(step, 'not-tried', { message: 'interrupted' });
    else
      this.end(step, 'failed', { message: this.redact(failureMessage(step, error)), code: errorCode(error) });
  }

  private end({ id, address }: Step, status: StepStatus, more: Partial<StepResult>): StepResult {
    const result = { step: id, address, status, ...more };
    this.results.set(id, result);
    this.options.onEvent?.({ type: 'finished', result });
    return result;
  }
}

/** A second look: a blocked plan is never applied. */
function refuseUnapproved(steps: readonly Step[]): void {
  for (const { id, approval } of steps) {
    if (approval?.given === false) throw new Error(`${id} is not approved`);
  }
}

/** Why every other step would fail too, or go unrecorded. */
function haltReason(error: unknown): string | null {
  if (error instanceof LedgerNotSaved) return 'the ledger could not be saved';
  return error instanceof Unauthorized ? 'the token was refused' : null;
}

function failureMessage({ id }: Step, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof OperationalError) return message;
  return `${id} failed unexpectedly: ${message}. This is a bug in tether. What was done so far is recorded, and applying again is safe`;
}
