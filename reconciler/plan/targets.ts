/** Limits a plan to some addresses and what they depend on. Pure. */
import { splitAddress } from '../../manifest/desired';
import { isReference } from '../../resources/values';
import { type Context, canonicalAddress, definitionFor } from './context';
import type { Draft } from './draft';
import type { Step } from './plan';

/** The addresses among `targets` that speak of this organization, without its name in front. */
export function targetsIn(organization: string, targets: readonly string[]): readonly string[] {
  return targets.flatMap((target) => {
    const split = splitAddress(target);
    return split.organization === null || split.organization === organization ? [split.address] : [];
  });
}

/** Keeps of the draft what was asked for; returns the targets that name nothing here. */
export function limitToTargets(
  context: Context,
  draft: Draft,
  targets: readonly string[],
): readonly string[] {
  const wanted = new Set(targets.map((target) => canonicalAddress(context, target)));
  const isWanted = (address: string, key?: string): boolean =>
    wanted.has(canonicalAddress(context, address)) || (key !== undefined && wanted.has(key));
  const keep = new Set<string>();
  const byId = new Map(draft.steps.map((step) => [step.id, step]));
  const add = (step: Step): void => {
    if (keep.has(step.id)) return;
    keep.add(step.id);
    for (const other of dependencies(context, draft, step)) add(other);
    for (const need of step.needs) {
      const other = byId.get(need);
      if (other !== undefined && !isOnlyBeside(context, step, other)) add(other);
    }
  };
  const asked = draft.steps.filter((step) => isWanted(step.address, step.key));
  for (const step of asked) add(step);
  const known = new Set(
    [
      ...asked.map((step) => [step.address, step.key]),
      ...draft.unchanged.map((address) => [address]),
      ...draft.undetermined.map(({ address }) => [address]),
      ...draft.problems.map(({ address }) => [address]),
    ]
      .flat()
      .map((address) => canonicalAddress(context, address)),
  );
  const kept = draft.steps.filter((step) => keep.has(step.id));
  const withoutRest = kept.map((step) => ({ ...step, needs: step.needs.filter((need) => keep.has(need)) }));
  draft.steps.splice(0, draft.steps.length, ...withoutRest);
  const addresses = new Set(kept.map((step) => step.address));
  const stays = ({ address }: { address: string }): boolean => isWanted(address) || addresses.has(address);
  retain(draft.unchanged, (address) => isWanted(address));
  retain(draft.undetermined, stays);
  retain(draft.problems, stays);
  retain(draft.notes, stays);
  // It says of a create that it will be done; every other warning is about the manifests, planned or not.
  retain(draft.warnings, ({ rule, path }) => rule !== 'similar-object' || addresses.has(path));
  retain(draft.vanished, (address) => addresses.has(address));
  retain(draft.stops, (stop) => stop.address !== undefined && stays({ address: stop.address }));
  draft.baselineRefresh.length = 0;
  return targets.filter(
    (target) => !known.has(canonicalAddress(context, target)) && !hasEntry(context, target),
  );
}

/** Room is made by deleting something else, and what a set adds comes before what it lets go: neither was asked for. */
function isOnlyBeside(context: Context, step: Step, other: Step): boolean {
  if (other.address === step.address) return false;
  const letsGo = step.action === 'delete' && definitionFor(context, step).pair.length > 0;
  return other.action === 'delete' || (letsGo && other.action === 'create');
}

function hasEntry(context: Context, target: string): boolean {
  const address = canonicalAddress(context, target);
  return context.desired.entries.some((entry) => canonicalAddress(context, entry.address) === address);
}

/** Steps of the objects a link refers to: an attachment brings its client's pending steps along. */
function dependencies(context: Context, draft: Draft, step: Step): readonly Step[] {
  const addresses = Object.values(step.inputs).flatMap((value) =>
    isReference(value) ? [value.address] : [],
  );
  if (definitionFor(context, step).pair.length > 0) {
    return draft.steps.filter((other) => addresses.includes(other.address) && other.reason !== 'replaced');
  }
  if (step.action !== 'replace') return [];
  return draft.steps.filter(
    (other) =>
      (other.address === step.address && other.reason === 'replaced') ||
      (other.action === 'create' &&
        Object.values(other.inputs).some((value) => isReference(value) && value.address === step.address)),
  );
}

function retain<Item>(items: Item[], wanted: (item: Item) => boolean): void {
  const kept = items.filter(wanted);
  items.splice(0, items.length, ...kept);
}
