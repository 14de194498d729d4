/** Finds the members of sets, such as projects, that a successor takes over from a client, and those that lose it. */
import type { DesiredEntry } from '../../manifest/desired';
import { type DesiredValues, type Found, isReference, setMembers } from '../../resources/kind';
import { findDefinition, setFields } from '../../resources/registry';
import type { Facts } from './facts';
import { keyText, type LedgerKey, parseKey, toLedgerKey } from './plan';

/** Returns the members that the new client gets at once: the old ones that the service shows, except those that the plan removes. */
export function carriedSets(facts: Facts, { address }: DesiredEntry, found: Found) {
  const carried: Record<string, readonly string[]> = {};
  for (const set of setFields) {
    if (!(set.field in found.values)) continue;
    const link = findDefinition(set.kind);
    const isExact = facts.sets.some(
      ({ kind, fixed }) => kind === set.kind && isEndAt(fixed[set.end], address, found.id),
    );
    const declaredMembers = membersInLines(facts, set, address, found.id);
    const owners = new Map([[found.id, address]]);
    carried[set.field] = setMembers(found.values[set.field]).filter((member) => {
      const ends = { [set.end]: found.id, [set.far]: member };
      const isManaged = facts.recordedLinks.has(keyText(toLedgerKey(link, ends)));
      return (
        declaredMembers.includes(member) ||
        facts.isLinkForgotten(link, ends, owners) ||
        !(isExact || isManaged)
      );
    });
  }
  return carried;
}

/** Returns those of these keys that name a link of a client with which its successor was created, and the keys of the links there. */
export function inheritedKeys(
  keys: Iterable<string>,
  oldId: string,
  { id, values }: Pick<Found, 'id' | 'values'>,
): ReadonlyMap<string, string> {
  const members = setFields.flatMap(({ field }) => setMembers(values[field]));
  const inherited = [...keys].map(parseKey).filter((key) => {
    return key.includes(oldId) && key.some((part) => members.includes(part));
  });
  return new Map(
    inherited.map((key) => [keyText(key), key.map((part) => (part === oldId ? id : part)).join('/')]),
  );
}

/** Returns the members that a client has, and that its successor, if there is one, neither has nor gets from a line. */
export function droppedMembers(facts: Facts, address: string, old: Found, successor?: Found) {
  return setFields.flatMap((set) => {
    const declaredMembers = membersInLines(facts, set, address, successor?.id);
    const keptMembers = [...setMembers(successor?.values[set.field]), ...declaredMembers];
    return setMembers(old.values[set.field]).filter((member) => !keptMembers.includes(member));
  });
}

/** Returns the keys of the attachments that end with the delete of a client, except those that a `forget` line names. */
export function lostAttachments(
  facts: Facts,
  { id, values }: Pick<Found, 'id' | 'values'>,
  affected: readonly string[],
): readonly LedgerKey[] {
  return setFields.flatMap(({ field, kind, end, far }) => {
    const definition = findDefinition(kind);
    const members = setMembers(values[field]).filter((member) => affected.includes(member));
    return members
      .map((member) => ({ [end]: id, [far]: member }))
      .filter((ends) => !facts.isLinkForgotten(definition, ends))
      .map((ends) => toLedgerKey(definition, ends));
  });
}

/** Returns the members that lines give to the client with this address or id. */
function membersInLines(
  { entries }: Facts,
  { kind, end, far }: (typeof setFields)[number],
  address: string,
  id: string | undefined,
) {
  const clientLines = entries.filter(
    (entry) => entry.kind === kind && isEndAt(entry.inputs[end], address, id),
  );
  return clientLines.map(({ inputs }) => inputs[far]);
}

function isEndAt(end: DesiredValues[string] | undefined, address: string, id: string | undefined) {
  return isReference(end) ? end.address === address : end === id;
}
