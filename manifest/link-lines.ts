/** Lines of link sections: single links, and exact sets around one end. */
import type { DesiredValues, Field, LinkEnd, Position, ResourceDefinition } from '../resources/kind';

import { manifestName } from './entries';
import { readField, readMembersOfSet, type Scoped } from './field-value';
import { expand, type Lines, type Link, type LinkSet, makeLink } from './links';
import type { MapEntry, Node } from './node';
import { join, readList, readMap, readMembers } from './reading';
import type { Target } from './scope';

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

function readLine(reading: Scoped, definition: ResourceDefinition, item: Node, path: string): Lines {
  const nothing = { links: [], sets: [] };
  const map = readMap(reading, item, path, exampleLine(definition));
  if (map === undefined) return nothing;
  const ends = definition.section.ends;
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

function exampleLine(definition: ResourceDefinition): string {
  return `{ ${definition.section.ends.map((end) => `${end.singular}: …`).join(', ')} }`;
}
