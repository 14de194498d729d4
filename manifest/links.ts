/** Wanted links, from lines of link sections and from list fields of entries: single ones, and exact sets around one end. */
import type { DesiredValues, LinkEnd, ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { nameInAddress } from './desired';
import { entryOf, readFields, readSet } from './entries';
import { type EntryNode, type Scope, type Target, textOfTarget } from './names';
import type { Node, Spot } from './node';
import { carriedFields } from './schema';
import type { Lines, Link, LinkSet } from './sets';

/** Adds what one line of a link section asks for. */
export function readLine(scope: Scope, definition: ResourceDefinition, line: Node, lines: Lines): void {
  const { ends } = definition.section;
  if (line.members === undefined || !haveEnds(definition, line)) return;
  const { inputs, targets } = readFields(scope, definition, line);
  const listed = ends.find((end) => listOf(end, line));
  if (listed === undefined) {
    if (ends.some(({ field }) => !targets.has(field))) return;
    lines.links.push(linkOf(scope, definition, targets, null, line, inputs));
    return;
  }
  const list = listOf(listed, line);
  const field = definition.fields[listed.field];
  const members = list && field ? readSet(scope, field, list) : [];
  const fixedField = ends.find((end) => end !== listed)?.field ?? '';
  const fixed = targets.get(fixedField);
  if (fixed === undefined) return;
  const label = `the ${listed.plural} of ${fixed.shown}`;
  const set = { definition, fixed, fixedField, memberField: listed.field, label, spot: line };
  addSet(scope, set, members, inputs, lines);
}

/** Tells ends that are missing, doubled, or both lists. */
function haveEnds({ section }: ResourceDefinition, line: Node): boolean {
  const { ends, name } = section;
  const lists = ends.flatMap((end) => listOf(end, line)?.key ?? []);
  const mistakes = ends.flatMap((end): [Spot, string][] => {
    const { singular, plural } = end;
    const one = line.get(singular);
    const many = listOf(end, line);
    if (one && many) {
      return [[many.key, `\`${singular}\` and \`${plural}\` exclude each other: one link, or exactly these`]];
    }
    const instead = plural === undefined ? '' : ` (or \`${plural}: […]\` for exactly these)`;
    return one || many ? [] : [[line, `this line of \`${name}\` needs \`${singular}\`${instead}`]];
  });
  const [, second] = lists;
  if (second !== undefined) {
    const names = ends.map(({ plural }) => `\`${plural}\``).join(' and ');
    const message = `${names} cannot both be lists: fix one end, and write a line for each of the other`;
    mistakes.push([second, message]);
  }
  for (const [spot, message] of mistakes) spot.error('link-ends', message);
  return mistakes.length === 0;
}

function listOf({ plural }: LinkEnd, line: Node): Node | undefined {
  return plural === undefined ? undefined : line.get(plural);
}

/** Adds the links that the list fields of an entry (`projects`) stand for, and the sets they make. */
export function addOwnedSets(
  scope: Scope,
  { definition: owner, address, node }: EntryNode,
  lines: Lines,
): void {
  for (const [written, field] of carriedFields(owner)) {
    const list = node.get(written);
    const definition = scope.kinds.find((one) => one.kind === field.exactSetOf);
    if (list?.items === undefined || definition === undefined) continue;
    const members = readSet(scope, field, list);
    const fixedField = definition.pair.find((name) => definition.fields[name]?.refersTo === owner.kind);
    const memberField = definition.pair.find((name) => name !== fixedField);
    // Of an address that is declared twice the first one counts.
    if (scope.addresses.get(address) !== node.key.at || !fixedField || !memberField) continue;
    const fixed = { value: { address }, shown: nameInAddress(address), spot: node.key };
    const label = `the ${written} of ${fixed.shown}`;
    addSet(scope, { definition, fixed, fixedField, memberField, label, spot: list.key }, members, {}, lines);
  }
}

function addSet(
  scope: Scope,
  part: Omit<LinkSet, 'members'>,
  members: Target[],
  inputs: DesiredValues,
  { links, sets }: Lines,
): void {
  const set = { ...part, members: new Map(members.map((member) => [textOfTarget(member), member])) };
  const { definition, fixed, fixedField, memberField } = set;
  sets.push(set);
  for (const member of members) {
    const ends = new Map([
      [fixedField, fixed],
      [memberField, member],
    ]);
    links.push(linkOf(scope, definition, ends, set, member.spot, inputs));
  }
}

/** The link between two of these targets, checked by its definition. `inputs` has its other fields. */
function linkOf(
  scope: Scope,
  definition: ResourceDefinition,
  targets: Map<string, Target>,
  set: LinkSet | null,
  spot: Spot,
  inputs: DesiredValues,
): Link {
  const pair = definition.pair.flatMap((field) => {
    const end = targets.get(field);
    return end === undefined ? [] : [{ field, ...end }];
  });
  const ofEnds = <Value>(of: (end: Target) => Value) =>
    Object.fromEntries(pair.map((end) => [end.field, of(end)]));
  const address = addressOf(definition, pair.map((end) => end.shown).join('/'));
  const values = { ...inputs, ...ofEnds((end) => end.value) };
  const fields = { inputs: values, secrets: {}, spots: ofEnds((end) => end.spot) };
  const entry = entryOf(scope, definition, address, spot, fields);
  return { definition, entry, ends: ofEnds(textOfTarget), set, spot };
}
