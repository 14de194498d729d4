/** Reads wanted links, from lines and from list fields of entries: single ones, and exact sets around one end. */
import { type DesiredValues, definitionOf, type ResourceDefinition } from '../resources/kind';
import { addressOf } from '../resources/names';
import { nameInAddress } from './desired';
import { entryOf, noFields, readFields, readSet } from './entries';
import type { EntryNode, Scope } from './names';
import type { Node, Spot } from './node';
import type { Target } from './references';
import { carriedFields, linkForms } from './schema';
import type { Lines, LinkSet } from './sets';

export function readLine(scope: Scope, definition: ResourceDefinition, line: Node, lines: Lines): void {
  if (line.members === undefined) return;
  const { ends } = definition.section;
  const { inputs, targets } = readFields(scope, definition, line);
  const lists = ends.flatMap((end) => {
    const list = line.get(end.plural ?? '');
    const field = definition.fields[end.field];
    return list && field ? [{ ...end, members: readSet(scope, field, list) }] : [];
  });
  if (!hasForm(definition, line)) return;
  const [listed] = lists;
  const fixedField = ends.find(({ field }) => field !== listed?.field)?.field ?? '';
  const fixed = targets.get(fixedField);
  if (listed !== undefined && fixed !== undefined) {
    const label = `the ${listed.plural} of ${fixed.shown}`;
    const { field: memberField, members } = listed;
    addSet(scope, { definition, fixed, fixedField, memberField, members, label, spot: line }, inputs, lines);
  } else if (ends.every(({ field }) => targets.has(field))) {
    addLink(scope, definition, targets, null, line, inputs, lines);
  }
}

/** Whether a line has the keys of a single link or of a set; if not, it is reported. */
function hasForm(definition: ResourceDefinition, line: Node): boolean {
  const forms = linkForms(definition);
  const given = new Set(forms.flat().filter((key) => line.get(key) !== undefined));
  if (forms.some((form) => form.length === given.size && form.every((key) => given.has(key)))) return true;
  const choices = forms.map((form) => form.map((key) => `\`${key}\``).join(' with '));
  line.error('link-ends', `a line of \`${definition.section.name}\` has ${choices.join(', or ')}`);
  return false;
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

function addSet(scope: Scope, set: LinkSet, inputs: DesiredValues, lines: Lines): void {
  const { definition, fixed, fixedField, memberField } = set;
  lines.sets.push(set);
  for (const member of set.members.values()) {
    const ends = new Map([
      [fixedField, fixed],
      [memberField, member],
    ]);
    addLink(scope, definition, ends, set, member.spot, inputs, lines);
  }
}

/** `inputs` are all fields but the ends. */
function addLink(
  scope: Scope,
  definition: ResourceDefinition,
  ends: ReadonlyMap<string, Target>,
  set: LinkSet | null,
  spot: Spot,
  inputs: DesiredValues,
  lines: Lines,
): void {
  const values: Record<string, DesiredValues[string]> = { ...inputs };
  const spots: Record<string, Spot> = {};
  const shown: string[] = [];
  for (const field of definition.pair) {
    const end = ends.get(field);
    if (end === undefined) continue;
    values[field] = end.value;
    spots[field] = end.spot;
    shown.push(end.shown);
  }
  const address = addressOf(definition, shown.join('/'));
  const entry = entryOf(scope, definition, address, spot, { inputs: values, secrets: noFields, spots });
  lines.links.push({ definition, entry, set, spot });
}
