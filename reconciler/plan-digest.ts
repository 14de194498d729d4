/** One digest over everything that decides what a plan would write, so that a reviewed plan can be named later. Pure. */
import { createHash } from 'node:crypto';
import type { Manifests } from '../manifest/desired';
import type { Plan, Step } from './plan/plan';

export interface DigestedPlan {
  readonly plan: Plan;
  /** What it was made from: the profile counts, by name and content. */
  readonly manifests: Manifests;
  readonly address: string;
}

/**
 * 16 hexadecimal digits of a SHA-256. Equal exactly where the same would be written to the same service: in which file a line
 * stands, why a step is there and the ledger's serial don't count, what it is known to risk does; of a secret its reference counts,
 * never its value.
 */
export function planDigest({ plan, manifests, address }: DigestedPlan): string {
  const { profileName, profile } = manifests;
  return createHash('sha256')
    .update(canonical({ address, profileName, profile, ...writtenBy(plan) }))
    .digest('hex')
    .slice(0, 16);
}

/** What stops an apply counts too: a plan that was reviewed as one that writes nothing stays one. */
function writtenBy({ organization, steps, blockers }: Plan): object {
  return {
    organization,
    steps: [...steps].sort((one, two) => (one.id < two.id ? -1 : 1)).map(writtenByStep),
    blockers: blockers.map(({ code, address = '' }) => `${code} ${address}`),
  };
}

/** Whether a secret changed is known only where its value is at hand; that it is written stands in `secrets`. */
function writtenByStep({ because, reason, file, changes, ...step }: Step): object {
  return {
    ...step,
    changes: changes
      .filter((change) => change.secret === undefined)
      .map(({ baseline, conflict, ...change }) => change),
  };
}

/** JSON with sorted keys. Lists of texts are sets in this API, and no order of theirs means anything. */
function canonical(value: object): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (Array.isArray(inner))
      return inner.every((one) => typeof one === 'string') ? [...inner].sort() : inner;
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [two]) => (one < two ? -1 : 1)));
  });
}
