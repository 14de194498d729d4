/** Links that are wanted, from single lines and exact sets: what they are and how they are made. */
import type { DesiredValues, Position, ResourceDefinition } from '../resources/kind';

import { addressOf } from '../resources/names';
import type { DesiredEntry } from './desired';
import { checkEntry, type OwnedSet } from './entries';
import type { Member, Scoped } from './field-value';
import type { Target } from './scope';

/** One wanted link, from a single line or as a member of an exact set. */
export interface Link {
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** Ends by field, as one text each: ids, or addresses of entries. */
  readonly ends: Readonly<Record<string, string>>;
  /** Null for a single line. */
  readonly set: LinkSet | null;
  readonly path: string;
}

/** "Exactly these": a set around one end of a link. */
export interface LinkSet {
  readonly definition: ResourceDefinition;
  /** Field of the end that stands fast, its value, and its text for comparing. */
  readonly fixedField: string;
  readonly fixed: Target;
  readonly memberField: string;
  /** For people: `the sources of app`. */
  readonly label: string;
  readonly file: string;
  readonly at: Position;
  readonly path: string;
  /** The other ends, by text. */
  readonly members: ReadonlyMap<string, Position>;
}

/** What the lines of one file ask for. */
export interface Lines {
  readonly links: readonly Link[];
  readonly sets: readonly LinkSet[];
}

/** An end as one text, for keys. */
function endText(target: Target): string {
  return typeof target.value === 'string' ? target.value : target.value.address;
}

/** The links of a list field of an entry (`projects`), and the set it makes. */
export function ownedLines(reading: Scoped, owned: OwnedSet): Lines {
  const definition = reading.kinds.find((one) => one.kind === owned.linkKind);
  const [own, other] = endsAround(definition, owned);
  if (definition === undefined || own === undefined || other === undefined) return { links: [], sets: [] };
  const { entry } = owned;
  const fixed = { value: { address: entry.address }, shown: entry.address.slice(entry.kind.length + 1) };
  const label = `the ${owned.path.slice(owned.path.lastIndexOf('.') + 1)} of ${fixed.shown}`;
  const place = { at: owned.at, path: owned.path };
  return expand(
    reading,
    definition,
    { field: own, target: fixed, at: entry.at },
    other,
    owned.members,
    label,
    place,
    {},
  );
}

function endsAround(definition: ResourceDefinition | undefined, owned: OwnedSet): (string | undefined)[] {
  const refers = (kind: string) =>
    definition?.pair.find((name) => definition.fields[name]?.refersTo === kind);
  const own = refers(owned.entry.kind);
  return [own, definition?.pair.find((name) => name !== own)];
}

/** One end of a link as it was written. */
export interface PlacedEnd {
  readonly field: string;
  readonly target: Target;
  readonly at: Position;
}

/** The links of an exact set: one for each member. */
export function expand(
  reading: Scoped,
  definition: ResourceDefinition,
  fixed: PlacedEnd,
  memberField: string,
  members: readonly Member[],
  label: string,
  place: { readonly at: Position; readonly path: string },
  more: DesiredValues,
): Lines {
  const set: LinkSet = {
    definition,
    fixedField: fixed.field,
    fixed: fixed.target,
    memberField,
    label,
    file: reading.source.origin.file,
    at: place.at,
    path: place.path,
    members: new Map(members.map((member) => [endText(member), member.at])),
  };
  const links = members.map((member, index) => {
    const other = { field: memberField, target: member, at: member.at };
    return makeLink(reading, definition, [fixed, other], member.at, `${place.path}[${index}]`, set, more);
  });
  return { links, sets: [set] };
}

/** One link of two ends, judged by its definition. */
export function makeLink(
  reading: Scoped,
  definition: ResourceDefinition,
  written: readonly PlacedEnd[],
  at: Position,
  path: string,
  set: LinkSet | null,
  more: DesiredValues,
): Link {
  const ends = definition.pair.flatMap((name) => written.find((end) => end.field === name) ?? []);
  const inputs = Object.fromEntries(ends.map((end) => [end.field, end.target.value]));
  const entry: DesiredEntry = {
    kind: definition.kind,
    address: addressOf(definition, ends.map((end) => end.target.shown).join('/')),
    file: reading.source.origin.file,
    at,
    fieldsAt: Object.fromEntries(ends.map((end) => [end.field, end.at])),
    inputs: { ...inputs, ...more },
    secrets: {},
    protect: null,
    allowDuplicate: false,
  };
  checkEntry(reading, definition, entry, new Set(Object.keys(entry.inputs)), () => path);
  const texts = Object.fromEntries(ends.map((end) => [end.field, endText(end.target)]));
  return { definition, entry, ends: texts, set, path };
}
