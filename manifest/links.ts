/** Wanted links, from lines and from list fields of entries: single ones, and exact sets around one end. */
import { type DesiredValues, definitionOf, type ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { nameInAddress } from './desired';
import { entryOf, readFields, readSet } from './entries';
import type { EntryNode, Scope, Target } from './names';
import type { Node, Spot } from './node';
import { carriedFields } from './schema';
import type { Lines, Link, LinkSet } from './sets';

export function readLine(scope: Scope, definition: ResourceDefinition, line: Node, lines: Lines): void {
  if (line.members === undefined) return;
  const { ends } = definition.section;
  const { inputs, targets } = readFields(scope, definition, line);
  const lists = ends.flatMap((end) => {
    const list = line.get(end.plural ?? '');
    const field = definition.fields[end.field];
    return list && field ? [{ ...end, members: readSet(scope, field, list) }] : [];
  });
  if (!haveEnds(definition, line)) return;
  const [listed] = lists;
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
  for (const end of ends) {
    const { singular, plural } = end;
    const one = line.get(singular);
    const many = line.get(plural ?? '');
    const instead = plural === undefined ? '' : ` (or \`${plural}: […]\` for exactly these)`;
    if (!one && !many) mistakes.push([line, `this line of \`${name}\` needs \`${singular}\`${instead}`]);
    if (!one || !many) continue;
    const message = `\`${singular}\` and \`${plural}\` exclude each other: one link, or exactly these`;
    mistakes.push([many.key, message]);
  }
  const [, second] = ends.flatMap(({ plural = '' }) => line.get(plural) ?? []);
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
  const { definition: owner, address, node } = entry;
  for (const { written, field } of carriedFields(owner)) {
    const list = node.get(written);
    if (field.exactSetOf === undefined || list?.items === undefined) continue;
    const definition = definitionOf(field.exactSetOf, scope.kinds);
    const members = readSet(scope, field, list);
    const fixedField = definition.pair.find((name) => definition.fields[name]?.refersTo === owner.kind);
    const memberField = definition.pair.find((name) => name !== fixedField);
    // Of an address that is declared twice the first one counts.
    if (scope.addresses.get(address) !== node.key.at || !fixedField || !memberField) continue;
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
  const pair = definition.pair.flatMap((field) => {
    const end = targets.get(field);
    return end ? [{ field, ...end }] : [];
  });
  const ofEnds = <Value>(of: (end: Target) => Value) =>
    Object.fromEntries(pair.map((end) => [end.field, of(end)]));
  const address = addressOf(definition, pair.map((end) => end.shown).join('/'));
  const values = { ...inputs, ...ofEnds((end) => end.value) };
  const fields = { inputs: values, secrets: {}, spots: ofEnds((end) => end.spot) };
  const entry = entryOf(scope, definition, address, spot, fields);
  return { definition, entry, set, spot };
}
