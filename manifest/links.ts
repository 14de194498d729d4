/** Links that are wanted, from lines of link sections and from list fields of entries: single ones, and exact sets around one end. */
import type { DesiredValues, LinkEnd, Position, ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { type DesiredEntry, nameInAddress } from './desired';
import { checkAcross, type Member, type OwnedSet, readFields, readSet } from './entries';
import type { Spot } from './issues';
import { type Scope, textOfTarget } from './names';
import type { End, Lines, Link, LinkSet } from './sets';
import type { Node } from './yaml';

/** Reads one line of a link section and adds what it asks for. */
export function readLine(scope: Scope, definition: ResourceDefinition, line: Node, lines: Lines): void {
  const { members, source, at, path } = line;
  const { ends } = definition.section;
  if (members === undefined || !haveEnds(scope, definition, line, members)) return;
  const { inputs, targets } = readFields(scope, definition, members);
  const { file } = source.origin;
  const written = ends.flatMap(({ field }): End[] => {
    const target = targets.get(field);
    return target === undefined ? [] : [{ ...target, field }];
  });
  const listed = ends.find((end) => listOf(end, members) !== undefined);
  if (listed === undefined) {
    if (written.length < ends.length) return;
    lines.links.push(makeLink(scope, definition, written, { at, path, file }, null, inputs));
    return;
  }
  const list = listOf(listed, members);
  const field = definition.fields[listed.field];
  const others = field && list && readSet(scope, field, list);
  const [fixed] = written;
  if (others === undefined || fixed === undefined) return;
  const label = `the ${listed.plural} of ${fixed.shown}`;
  const spot = { at, path: `${path}.${listed.plural}`, file };
  addSet(scope, { definition, fixed, memberField: listed.field, label, ...spot }, others, inputs, lines);
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
  const lists = section.ends.flatMap((end) => {
    const list = listOf(end, members);
    return list === undefined ? [] : [{ name: `\`${end.plural}\``, at: list.key.at }];
  });
  const last = lists.at(-1);
  if (last !== undefined && lists.length > 1) {
    const names = lists.map(({ name }) => name).join(' and ');
    const message = `${names} cannot both be lists: fix one end, and write a line for each of the other`;
    mistakes.push([last.at, message]);
  }
  for (const [position, message] of mistakes) issues.error('link-ends', { at: position, path }, message);
  return mistakes.length === 0;
}

function listOf({ plural }: LinkEnd, members: ReadonlyMap<string, Node>): Node | undefined {
  return plural === undefined ? undefined : members.get(plural);
}

/** Adds the links of a list field of an entry (`projects`), and the set it makes. */
export function addOwnedSet(scope: Scope, { entry, linkKind, members, key }: OwnedSet, lines: Lines): void {
  const definition = scope.kinds.find((one) => one.kind === linkKind);
  const own = definition?.pair.find((name) => definition.fields[name]?.refersTo === entry.kind);
  const memberField = definition?.pair.find((name) => name !== own);
  if (definition === undefined || own === undefined || memberField === undefined) return;
  const shown = nameInAddress(entry.address);
  const fixed = { field: own, value: { address: entry.address }, shown, at: entry.at };
  const label = `the ${key.path.slice(key.path.lastIndexOf('.') + 1)} of ${shown}`;
  addSet(scope, { definition, fixed, memberField, label, file: entry.file, ...key }, members, {}, lines);
}

/** An exact set and its links: one for each member. */
function addSet(
  scope: Scope,
  part: Omit<LinkSet, 'members'>,
  members: readonly Member[],
  inputs: DesiredValues,
  { links, sets }: Lines,
): void {
  const set = { ...part, members: new Map(members.map((member) => [textOfTarget(member), member.at])) };
  const { definition, fixed, memberField: field, file } = set;
  sets.push(set);
  for (const member of members) {
    const ends = [fixed, { ...member, field }];
    links.push(makeLink(scope, definition, ends, { ...member, file }, set, inputs));
  }
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
