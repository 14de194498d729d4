/** Lines of link sections: single links, and exact sets around one end. */
import type { DesiredValues, Field, LinkEnd, ResourceDefinition } from '../resources';
import type { Position } from '../resources/issue';
import type { DesiredEntry } from './desired';
import { checkEntry, manifestName, type OwnedSet } from './entries';
import { type Member, readField, readMembersOfSet, type Scoped } from './field-value';
import { addressOf } from './names';
import type { MapEntry, Node } from './node';
import { join, readList, readMap, readMembers } from './reading';
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
export function endText(target: Target): string {
  return typeof target.value === 'string' ? target.value : target.value.address;
}

/** Reads the list of a link section. */
export function readLines(reading: Scoped, definition: ResourceDefinition, node: Node): Lines {
  const section = definition.section.name;
  const items = readList(reading, node, section, exampleLine(definition))?.items ?? [];
  const links: Link[] = [];
  const sets: LinkSet[] = [];
  for (const [index, item] of items.entries()) {
    const lines = readLine(reading, definition, item, `${section}[${index}]`);
    links.push(...lines.links);
    sets.push(...lines.sets);
  }
  return { links, sets };
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

function readLine(reading: Scoped, definition: ResourceDefinition, item: Node, path: string): Lines {
  const nothing = { links: [], sets: [] };
  const map = readMap(reading, item, path, exampleLine(definition));
  if (map === undefined) return nothing;
  const ends = definition.section.ends ?? [];
  const extras = Object.entries(definition.fields).filter(
    ([name]) => !ends.some((end) => end.field === name),
  );
  const names = [
    ...ends.flatMap((end) => [end.singular, ...(end.plural === undefined ? [] : [end.plural])]),
    ...extras.flatMap(([name, field]) => manifestName(name, field) ?? []),
  ];
  const members = readMembers(reading, map, names, path);
  const written = ends.map((end) => ({
    end,
    one: members.get(end.singular),
    many: members.get(end.plural ?? ''),
  }));
  if (!isLine(reading, definition, written, map.at, path)) return nothing;
  const more = readExtras(reading, extras, members, path, map.at);
  const targets = written.map(({ end, one }) => {
    const field = definition.fields[end.field];
    if (one === undefined || field === undefined) return undefined;
    const read = readField(reading, field, one.value, join(path, end.singular));
    return read === undefined ? undefined : { field: end.field, target: read as Target, at: one.value.at };
  });
  const listed = written.find(({ many }) => many !== undefined);
  if (listed?.many === undefined) {
    const found = targets.filter((target) => target !== undefined);
    if (found.length < targets.length) return nothing;
    return { links: [makeLink(reading, definition, found, map.at, path, null, more)], sets: [] };
  }
  const field = definition.fields[listed.end.field];
  const plural = listed.end.plural ?? '';
  const many = field && readMembersOfSet(reading, field, listed.many.value, join(path, plural));
  const fixed = targets.find((target) => target !== undefined);
  if (many === undefined || fixed === undefined) return nothing;
  const label = `the ${plural} of ${fixed.target.shown}`;
  const place = { at: map.at, path: join(path, plural) };
  return expand(reading, definition, fixed, listed.end.field, many, label, place, more);
}

interface WrittenEnd {
  readonly end: LinkEnd;
  readonly one: MapEntry | undefined;
  readonly many: MapEntry | undefined;
}

/** Tells ends that are missing, doubled, or both lists. */
function isLine(
  reading: Scoped,
  definition: ResourceDefinition,
  written: readonly WrittenEnd[],
  at: Position,
  path: string,
): boolean {
  let right = true;
  const wrong = (position: Position, message: string) => {
    right = false;
    reading.findings.error('link-ends', { at: position, path }, message);
  };
  for (const { end, one, many } of written) {
    if (one !== undefined && many !== undefined) {
      wrong(
        many.keyAt,
        `\`${end.singular}\` and \`${end.plural}\` exclude each other: one link, or exactly these`,
      );
    }
    if (one === undefined && many === undefined) {
      const plural = end.plural === undefined ? '' : ` (or \`${end.plural}: […]\` for exactly these)`;
      wrong(at, `this line of \`${definition.section.name}\` needs \`${end.singular}\`${plural}`);
    }
  }
  const lists = written.filter(({ many }) => many !== undefined);
  const last = lists.at(-1);
  if (lists.length > 1 && last?.many !== undefined) {
    const names = lists.map(({ end }) => `\`${end.plural}\``).join(' and ');
    wrong(
      last.many.keyAt,
      `${names} cannot both be lists: fix one end, and write a line for each of the other`,
    );
  }
  return right;
}

function readExtras(
  reading: Scoped,
  extras: readonly (readonly [string, Field])[],
  members: ReadonlyMap<string, MapEntry>,
  path: string,
  at: Position,
): DesiredValues {
  const values: Record<string, DesiredValues[string]> = {};
  for (const [name, field] of extras) {
    const written = manifestName(name, field);
    const member = written === null ? undefined : members.get(written);
    if (field.refersTo === 'organization' && written === null) values[name] = reading.scope.organization;
    if (member === undefined) {
      if (written !== null && field.required) {
        reading.findings.error(
          'missing-field',
          { at, path: join(path, written) },
          `\`${path}\` needs \`${written}\``,
        );
      }
      continue;
    }
    const read = readField(reading, field, member.value, join(path, member.key));
    if (read !== undefined) values[name] = read.value;
  }
  return values;
}

interface PlacedEnd {
  readonly field: string;
  readonly target: Target;
  readonly at: Position;
}

function expand(
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

function makeLink(
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
    protect: false,
    allowTwin: false,
  };
  checkEntry(reading, definition, entry, new Set(Object.keys(entry.inputs)), () => path);
  const texts = Object.fromEntries(ends.map((end) => [end.field, endText(end.target)]));
  return { definition, entry, ends: texts, set, path };
}

function exampleLine(definition: ResourceDefinition): string {
  return `{ ${(definition.section.ends ?? []).map((end) => `${end.singular}: …`).join(', ')} }`;
}
