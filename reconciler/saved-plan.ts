/** A plan in a file: a contract on what was reviewed, refused when it is damaged and stale when anything is different. */
import { type Circumstances, circumstancesOf, type PlanSource, sha256 } from './circumstances';
import type { PlanOptions } from './plan/options';
import type { Plan } from './plan/plan';
import { savedPlanProblems } from './saved-plan-schema';

/** What stands in the file. References to secrets, never a value. */
export interface SavedPlan extends Circumstances {
  readonly format: 'tether/plan';
  readonly version: 1;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** As given to `plan`; `apply --plan` reads the same. */
  readonly paths: readonly string[];
  readonly options: PlanOptions;
  readonly plan: Plan;
  /** SHA-256 over all the rest, so that an edited or damaged file is noticed. */
  readonly digest: string;
}

/** A file that is no saved plan, or not one of this version, or not as it was saved. */
export class SavedPlanError extends Error {
  override readonly name = 'SavedPlanError';
}

const hour = 3_600_000;

/** The file's text. */
export function savePlan(
  given: PlanSource & {
    readonly paths: readonly string[];
    readonly options: PlanOptions;
    /** 24 when left out. */
    readonly expiresInHours?: number;
  },
): string {
  const { plan, paths, options, now, expiresInHours = 24 } = given;
  const body: Omit<SavedPlan, 'digest'> = {
    format: 'tether/plan',
    version: 1,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + expiresInHours * hour).toISOString(),
    paths: [...paths],
    options,
    ...circumstancesOf(given),
    plan,
  };
  const plain = JSON.parse(JSON.stringify(body)) as Omit<SavedPlan, 'digest'>;
  return `${JSON.stringify({ ...plain, digest: digestOf(plain) }, null, 2)}\n`;
}

/** Parses and checks the file's text. Throws `SavedPlanError`; whether it is stale is another question. */
export function readSavedPlan(text: string): SavedPlan {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== 'tether/plan') {
    throw new SavedPlanError('this is not a saved plan: make one with tether plan --out FILE');
  }
  if ('version' in value && typeof value.version === 'number' && value.version > 1) {
    throw new SavedPlanError(
      `the saved plan has version ${value.version}; this tether knows version 1. Use the tether that saved it, or save it again`,
    );
  }
  const problems = savedPlanProblems(value);
  if (problems.length > 0) {
    throw new SavedPlanError(`the saved plan is damaged (${problems.join('; ')}): save it again`);
  }
  const saved = value as SavedPlan;
  const { digest, ...body } = saved;
  if (digest !== digestOf(body)) {
    throw new SavedPlanError(
      'the saved plan was edited or damaged after it was saved: save it again instead of editing it',
    );
  }
  return saved;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SavedPlanError(
      'this is not a saved plan, or only part of one: make one with tether plan --out FILE',
    );
  }
}

function digestOf(body: Omit<SavedPlan, 'digest'>): string {
  return sha256(JSON.stringify(body));
}

export type { PlanSource } from './circumstances';
export { comparePlans } from './compare-plans';
export { staleness } from './staleness';
