/** Finds the members of sets, such as projects, that a replacement takes over from its predecessor. */
import type { DesiredEntry } from '../../manifest/desired';
import { type DesiredValues, type Found, isReference, setMembers } from '../../resources/kind';
import { definitionOf, setFields } from '../../resources/registry';
import type { Facts } from './facts';

/** Returns the members that the new client gets at once. These are the old ones, except those that the plan removes. */
export function carriedSets(
  facts: Facts,
  { kind, address }: DesiredEntry,
  found: Found,
): Record<string, readonly string[]> {
  const carried: Record<string, readonly string[]> = {};
  for (const set of setFields) {
    if (set.owner !== kind) continue;
    const link = definitionOf(set.kind);
    const isOwn = (end: DesiredValues[string] | undefined) =>
      isReference(end) ? end.address === address : end === found.id;
    const isExact = facts.sets.some((one) => one.kind === set.kind && isOwn(one.fixed[set.end]));
    const wanted = facts.entries.filter((one) => one.kind === set.kind && isOwn(one.inputs[set.end]));
    const managed = [...facts.recordedLinks.values()].filter(
      ({ definition, ends }) => definition === link && ends[set.end] === found.id,
    );
    const owners = new Map([[found.id, address]]);
    const isForgotten = (member: string) =>
      facts.isLinkForgotten(link, { [set.end]: found.id, [set.far]: member }, owners);
    carried[set.field] = setMembers(found.values[set.field]).filter(
      (member) =>
        // While a name is unknown, it may mean any member.
        facts.hasUnknownNames ||
        wanted.some(({ inputs }) => inputs[set.far] === member) ||
        isForgotten(member) ||
        (!isExact && !managed.some(({ ends }) => ends[set.far] === member)),
    );
  }
  return carried;
}
