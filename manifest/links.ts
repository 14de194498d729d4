/** Wanted links, from lines and from list fields of entries: single ones, and exact sets around one end. */
import { type DesiredValues, definitionOf, type LinkEnd, type ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { nameInAddress } from './desired';
import { entryOf, noFields, readFields, readSet } from './entries';
import type { EntryNode, Scope } from './names';
import type { Node, Spot } from './node';
import type { Target } from './references';
import { carriedFields } from './schema';
import type { Lines, Link, LinkSet } from './sets';

export function readLine(scope: Scope, definition: ResourceDefinition, line: Node, lines: Lines): void {
  if (line.members === undefined) return;
  const { ends } = definition.section;
  const { inputs, targets } = readFields(scope, definition, line);
  let listed: (LinkEnd & { members: ReadonlyMap<string, Target> }) | undefined;
  for (const end of ends) {
    const list = line.get(end.plural ?? '');
    const field = definition.fields[end.field];
    if (!list || !field) continue;
    const members = readSet(scope, field, list);
    listed ??= { ...end, members };
  }
  if (!haveEnds(definition, line)) return;
  if (listed === undefined) {
    if (ends.some(({ field }) => !targets.has(field))) return;
    lines.links.push(linkOf(scope, definition, targets, null, line, inputs));
    return;
  }
  const { field: memberField, plural, members } = listed;
  const fixedField = ends.find(({ field }) => field !== memberField)?.field ?? '';
  const fixed = targets.get(fixedField);
  if (fixed === undefined) return;
  const label = `the ${plural} of ${fixed.shown}`;
  addSet(scope, { definition, fixed, fixedField, memberField, members, label, spot: line }, inputs, lines);
}

function haveEnds({ section: { ends, name } }: ResourceDefinition, line: Node): boolean {
  const mistakes: [Spot, string][] = [];
  const lists: Node[] = [];
  for (const { singular, plural } of ends) {
    const one = line.get(singular);
    const many = line.get(plural ?? '');
    if (many) lists.push(many);
    if (one && many) {
      const message = `\`${singular}\` and \`${plural}\` exclude each other: one link, or exactly these`;
      mistakes.push([many.key, message]);
    } else if (!one && !many) {
      const instead = plural === undefined ? '' : ` (or \`${plural}: […]\` for exactly these)`;
      mistakes.push([line, `this line of \`${name}\` needs \`${singular}\`${instead}`]);
    }
  }
  const [, second] = lists;
  if (second) {
    const names = ends.map(({ plural }) => `\`${plural}\``).join(' and ');
    const message = `${names} cannot both be lists: fix one end, and write a line for each of the other`;
    mistakes.push([second.key, message]);
  }
  for (const [spot, message] of mistakes) spot.error('link-ends', message);
  return mistakes.length === 0;
}

/** Adds the sets, with their links, that list fields of an entry (`projects`) stand for. */
export function addOwnedSets(scope: Scope, entry: EntryNode, lines: Lines): void {
  const { definition: owner, address, node, isFirst } = entry;
  for (const { written, field } of carriedFields(owner)) {
    const list = node.get(written);
    if (field.exactSetOf === undefined || list?.items === undefined) continue;
    const definition = definitionOf(field.exactSetOf, scope.kinds);
    const members = readSet(scope, field, list);
    const fixedField = definition.pair.find((name) => definition.fields[name]?.refersTo === owner.kind);
    const memberField = definition.pair.find((name) => name !== fixedField);
    if (!isFirst || !fixedField || !memberField) continue;
    const fixed = { value: { address }, shown: nameInAddress(address), spot: node.key };
    const label = `the ${written} of ${fixed.shown}`;
    const set = { definition, fixed, fixedField, memberField, members, label, spot: list.key };
    addSet(scope, set, {}, lines);
  }
}

function addSet(scope: Scope, set: LinkSet, inputs: DesiredValues, { links, sets }: Lines): void {
  const { definition, fixed, fixedField, memberField } = set;
  sets.push(set);
  for (const member of set.members.values()) {
    const ends = new Map([
      [fixedField, fixed],
      [memberField, member],
    ]);
    links.push(linkOf(scope, definition, ends, set, member.spot, inputs));
  }
}

/** `inputs`: all fields but the ends. */
function linkOf(
  scope: Scope,
  definition: ResourceDefinition,
  targets: Map<string, Target>,
  set: LinkSet | null,
  spot: Spot,
  inputs: DesiredValues,
): Link {
  const values: Record<string, DesiredValues[string]> = { ...inputs };
  const spots: Record<string, Spot> = {};
  const shown: string[] = [];
  for (const field of definition.pair) {
    const end = targets.get(field);
    if (end === undefined) continue;
    values[field] = end.value;
    spots[field] = end.spot;
    shown.push(end.shown);
  }
  const address = addressOf(definition, shown.join('/'));
  const entry = entryOf(scope, definition, address, spot, { inputs: values, secrets: noFields, spots });
  return { definition, entry, set, spot };
}
