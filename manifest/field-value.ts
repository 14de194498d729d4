/** The value of one field of an entry, judged by its definition. */
import type { Field, FieldValue, Position, Reference } from '../resources/kind';

import { stringViolation } from '../resources/violations';
import type { Spot } from './findings';
import { isNull, type Node } from './node';
import { type Reading, readBoolean, readList, readText, tellViolation } from './reading';
import { resolve, type Scope, type Target } from './scope';

/** A reading whose names are known. */
export interface Scoped extends Reading {
  readonly scope: Scope;
}

/** One member of a set, with its place. */
export interface Member extends Target {
  readonly at: Position;
}

/** The value of a field that is neither a secret nor an exact set; undefined after an error. */
export function readField(
  reading: Scoped,
  field: Field,
  node: Node,
  path: string,
): { value: FieldValue | Reference; shown: string } | undefined {
  if (isNull(node) && field.nullable) return { value: null, shown: 'null' };
  if (field.type === 'boolean') {
    const value = readBoolean(reading, node, path);
    return value === undefined ? undefined : { value, shown: String(value) };
  }
  if (field.type === 'set') {
    const members = readMembersOfSet(reading, field, node, path);
    if (members === undefined) return undefined;
    const texts = members.map((member) => (typeof member.value === 'string' ? member.value : member.shown));
    return { value: texts, shown: texts.join(', ') };
  }
  const text = readText(reading, node, path, field.format === 'text');
  if (text === undefined) return undefined;
  return readTextValue(reading, field, text, { at: node.at, path }, node);
}

/** The members of a list field, each once; undefined when it is no list. A member that is wrong is left out, with an error. */
export function readMembersOfSet(
  reading: Scoped,
  field: Field,
  node: Node,
  path: string,
): readonly Member[] | undefined {
  const list = readList(reading, node, path, '[a, b]');
  if (list === undefined) return undefined;
  const members = new Map<string, Member>();
  for (const [index, item] of list.items.entries()) {
    const spot = { at: item.at, path: `${path}[${index}]` };
    const text = readText(reading, item, spot.path);
    if (text === undefined) continue;
    const found = readTextValue(reading, field, text, spot, item);
    if (found === undefined) continue;
    const key = typeof found.value === 'string' ? found.value : found.value.address;
    const earlier = members.get(key);
    if (earlier === undefined) members.set(key, { ...found, at: item.at });
    else
      reading.findings.error(
        'same-twice',
        spot,
        `\`${found.shown}\` stands twice in \`${path}\``,
        earlier.at,
      );
  }
  return [...members.values()];
}

function readTextValue(
  reading: Scoped,
  field: Field,
  text: string,
  spot: Spot,
  node: Node,
): Target | undefined {
  if (field.refersTo !== undefined)
    return resolve(reading.scope, reading.findings, field.refersTo, text, spot);
  const violation = stringViolation(field, text, reading.scope.profile);
  if (violation === undefined) return { value: text, shown: text };
  if (violation.rule === 'literal-secret') reading.source.mask(node.range);
  tellViolation(reading, violation, text, spot);
  return undefined;
}
