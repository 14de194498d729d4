/** Links that are wanted, from lines of link sections and from list fields of entries: single ones, and exact sets around one end. */
import type { DesiredValues, LinkEnd, Position, ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import type { DesiredEntry } from './desired';
import { checkAcross, type Member, type OwnedSet, readFields, readSet } from './entries';
import type { Spot } from './issues';
import { type Scope, textOfTarget } from './names';
import type { End, Lines, Link, LinkSet } from './sets';
import type { Node } from './yaml';

const nothing: Lines = { links: [], sets: [] };

/** Reads the list of a link section. */
export function readLines(scope: Scope, definition: ResourceDefinition, section: Node | undefined): Lines {
  return joinLines((section?.items ?? []).map((line) => readLine(scope, definition, line)));
}

export function joinLines(all: readonly Lines[]): Lines {
  return { links: all.flatMap((one) => one.links), sets: all.flatMap((one) => one.sets) };
}

function readLine(scope: Scope, definition: ResourceDefinition, line: Node): Lines {
  const { members, source, at, path } = line;
  const { ends } = definition.section;
  if (members === undefined || !haveEnds(scope, definition, line, members)) return nothing;
  const { inputs, targets } = readFields(scope, definition, members);
  const { file } = source.origin;
  const written = ends.flatMap(({ field }): End[] => {
    const target = targets.get(field);
    return target === undefined ? [] : [{ ...target, field }];
  });
  const listed = ends.find(({ plural }) => plural !== undefined && members.has(plural));
  if (listed === undefined) {
    if (written.length < ends.length) return nothing;
    return { links: [makeLink(scope, definition, written, { at, path, file }, null, inputs)], sets: [] };
  }
  const plural = listed.plural ?? '';
  const field = definition.fields[listed.field];
  const list = members.get(plural);
  const others = field && list && readSet(scope, field, list);
  const [fixed] = written;
  if (others === undefined || fixed === undefined) return nothing;
  const spot = { at, path: `${path}.${plural}`, file };
  const label = `the ${plural} of ${fixed.shown}`;
  return expand(scope, { definition, fixed, memberField: listed.field, label, ...spot }, others, inputs);
}

/** Tells ends that are missing, doubled, or both lists. */
function haveEnds(
  { issues }: Scope,
  { section }: ResourceDefinition,
  { at, path }: Node,
  members: ReadonlyMap<string, Node>,
): boolean {
  const mistakes = section.ends.flatMap((end): [Position, string][] => {
    const one = members.get(end.singular);
    const many = listOf(end, members);
    if (one !== undefined && many !== undefined) {
      const message = `\`${end.singular}\` and \`${end.plural}\` exclude each other: one link, or exactly these`;
      return [[many.key.at, message]];
    }
    if (one !== undefined || many !== undefined) return [];
    const plural = end.plural === undefined ? '' : ` (or \`${end.plural}: […]\` for exactly these)`;
    return [[at, `this line of \`${section.name}\` needs \`${end.singular}\`${plural}`]];
  });
  const lists = section.ends.filter((end) => listOf(end, members) !== undefined);
  const last = lists.at(-1);
  const list = last && listOf(last, members);
  if (lists.length > 1 && list !== undefined) {
    const names = lists.map((end) => `\`${end.plural}\``).join(' and ');
    const message = `${names} cannot both be lists: fix one end, and write a line for each of the other`;
    mistakes.push([list.key.at, message]);
  }
  for (const [position, message] of mistakes) issues.error('link-ends', { at: position, path }, message);
  return mistakes.length === 0;
}

function listOf({ plural }: LinkEnd, members: ReadonlyMap<string, Node>): Node | undefined {
  return plural === undefined ? undefined : members.get(plural);
}

/** The links of a list field of an entry (`projects`), and the set it makes. */
export function ownedLines(scope: Scope, { entry, linkKind, members, key }: OwnedSet): Lines {
  const definition = scope.kinds.find((one) => one.kind === linkKind);
  const own = definition?.pair.find((name) => definition.fields[name]?.refersTo === entry.kind);
  const memberField = definition?.pair.find((name) => name !== own);
  if (definition === undefined || own === undefined || memberField === undefined) return nothing;
  const shown = entry.address.slice(entry.kind.length + 1);
  const fixed = { field: own, value: { address: entry.address }, shown, at: entry.at };
  const label = `the ${key.path.slice(key.path.lastIndexOf('.') + 1)} of ${shown}`;
  return expand(scope, { definition, fixed, memberField, label, file: entry.file, ...key }, members, {});
}

/** An exact set and its links: one for each member. */
function expand(
  scope: Scope,
  part: Omit<LinkSet, 'members'>,
  members: readonly Member[],
  inputs: DesiredValues,
): Lines {
  const set = { ...part, members: new Map(members.map((member) => [textOfTarget(member), member.at])) };
  const { definition, fixed, memberField: field, file } = set;
  const links = members.map((member) =>
    makeLink(scope, definition, [fixed, { ...member, field }], { ...member, file }, set, inputs),
  );
  return { links, sets: [set] };
}

/** One link of two ends, checked by its definition. `inputs` has its other fields. */
function makeLink(
  scope: Scope,
  definition: ResourceDefinition,
  written: readonly End[],
  { at, path, file }: Spot & { readonly file: string },
  set: LinkSet | null,
  inputs: DesiredValues,
): Link {
  const ends = definition.pair.flatMap((name) => written.find((end) => end.field === name) ?? []);
  const ofEnds = <Value>(of: (end: End) => Value) =>
    Object.fromEntries(ends.map((end) => [end.field, of(end)]));
  const entry: DesiredEntry = {
    kind: definition.kind,
    address: addressOf(definition, ends.map((end) => end.shown).join('/')),
    file,
    at,
    fieldsAt: ofEnds((end) => end.at),
    inputs: { ...inputs, ...ofEnds((end) => end.value) },
    secrets: {},
    protect: null,
    allowDuplicate: false,
  };
  checkAcross(scope, definition, entry, new Set(Object.keys(entry.inputs)), () => path);
  return { definition, entry, ends: ofEnds(textOfTarget), set, path };
}
