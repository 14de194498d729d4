/** Whether a saved plan still is what somebody agreed to. */
import { type Circumstances, circumstancesOf, type PlanSource } from './circumstances';
import { comparePlans } from './compare-plans';
import type { Plan } from './plan/plan';

/** A plan of another time with what it was made from. */
interface Earlier extends Circumstances {
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly plan: Plan;
}

/** One sentence for each thing that changed since the plan was saved; empty when the fresh plan may be applied in its place. */
export function staleness(saved: Earlier, fresh: PlanSource): string[] {
  const now = circumstancesOf(fresh);
  return [
    ...(fresh.now.getTime() < Date.parse(saved.expiresAt)
      ? []
      : [`it expired: it was saved ${saved.createdAt} and good until ${saved.expiresAt}`]),
    ...(saved.address === now.address ? [] : [`the address was ${saved.address} and is ${now.address}`]),
    ...compareManifests(saved.manifests, now.manifests),
    ...compareProfiles(saved.profiles, now.profiles),
    ...compareLedgers(saved.ledger, now.ledger),
    ...comparePlans(saved.plan, fresh.plan),
  ];
}

function compareManifests(before: Circumstances['manifests'], after: Circumstances['manifests']): string[] {
  const then = new Map(before.map(({ file, sha256 }) => [file, sha256]));
  const now = new Map(after.map(({ file, sha256 }) => [file, sha256]));
  const files = [...new Set([...then.keys(), ...now.keys()])].sort();
  return files
    .filter((file) => then.get(file) !== now.get(file))
    .map((file) => {
      const what = !then.has(file) ? 'is new' : !now.has(file) ? 'is gone' : 'was changed';
      return `the manifest ${file} ${what}`;
    });
}

function compareProfiles(before: Circumstances['profiles'], after: Circumstances['profiles']): string[] {
  return Object.entries(after).flatMap(([organization, now]) => {
    const then = before[organization];
    // Another name shows in the plan already.
    if (then === undefined || then.name !== now.name || then.sha256 === now.sha256) return [];
    return [`the profile ${now.name} of ${organization} was changed`];
  });
}

function compareLedgers(before: Circumstances['ledger'], after: Circumstances['ledger']): string[] {
  if (before === null || after === null) {
    if (before === after) return [];
    return [before === null ? 'it was made without a ledger' : 'it was made with a ledger'];
  }
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap((name) => {
    const then = before[name];
    const now = after[name];
    if (then === undefined) return [`the ledger knows ${name} now: something was applied`];
    if (now === undefined) return [`the ledger does not know ${name} any more`];
    if (then.lineage !== now.lineage) return [`the ledger of ${name} is another one`];
    if (then.serial === now.serial) return [];
    return [
      `the ledger of ${name} was at serial ${then.serial} and is at ${now.serial}: something was applied`,
    ];
  });
}
