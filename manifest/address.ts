/** Addresses as people write them in `moved`, `forget` and `approved`. */
import type { ResourceDefinition } from '../resources/kind';
import { addressOf, isId, nameProblem, suggestion } from '../resources/names';

import type { Scoped } from './field-value';
import type { Spot } from './findings';
import type { Node } from './node';
import { readText } from './reading';
import { resolve } from './scope';

export interface ReadAddress {
  readonly definition: ResourceDefinition;
  /** Links by alias where one exists. */
  readonly address: string;
  readonly spot: Spot;
}

/** True for a text that names a link, whatever its two ends are. */
export function namesLink(text: string, kinds: Scoped['kinds']): boolean {
  const [kind] = text.split('/');
  return kinds.some((one) => one.kind === kind && one.section.form === 'links');
}

/** Reads an address; undefined after an error. The object itself need not be in a manifest. */
export function readAddress(reading: Scoped, node: Node, path: string): ReadAddress | undefined {
  const text = readText(reading, node, path);
  if (text === undefined) return undefined;
  const spot = { at: node.at, path };
  const [kind = '', ...parts] = text.split('/');
  const definition = reading.kinds.find((one) => one.kind === kind);
  if (definition === undefined) {
    const kinds = reading.kinds.map((one) => one.kind);
    const near = suggestion(kind, kinds, 'the kinds');
    reading.findings.error(
      'bad-address',
      spot,
      `\`${text}\` is no address, since there is no kind \`${kind}\`${near}`,
    );
    return undefined;
  }
  const { form, ends } = definition.section;
  const shape = [kind, ...(form === 'links' ? ends.map((end) => `<${end.singular}>`) : ['<name>'])];
  if (parts.length !== shape.length - 1 || parts.includes('')) {
    reading.findings.error(
      'bad-address',
      spot,
      `\`${text}\` is no address of this kind: write ${shape.join('/')}`,
    );
    return undefined;
  }
  if (form === 'links') return readLinkAddress(reading, definition, parts, spot);
  const problem = nameProblem(parts[0] ?? '', reading.kinds);
  if (problem === undefined) return { definition, address: text, spot };
  reading.findings.error('bad-address', spot, `\`${text}\` is no address: \`${parts[0]}\` ${problem}`);
  return undefined;
}

function readLinkAddress(
  reading: Scoped,
  definition: ResourceDefinition,
  parts: readonly string[],
  spot: Spot,
): ReadAddress | undefined {
  const shown = definition.section.ends.map((end, index) => {
    const part = parts[index] ?? '';
    const refersTo = definition.fields[end.field]?.refersTo ?? '';
    const kind = reading.kinds.find((one) => one.kind === refersTo);
    if (kind === undefined) return resolve(reading.scope, reading.findings, refersTo, part, spot)?.shown;
    const claimed = reading.scope.claims.get(part);
    if (claimed !== undefined) return claimed.slice(kind.kind.length + 1);
    const problem = isId(part, kind.idPrefix ?? '') ? undefined : nameProblem(part, reading.kinds);
    if (problem === undefined) return part;
    reading.findings.error('bad-address', spot, `\`${part}\` ${problem}`);
    return undefined;
  });
  if (shown.includes(undefined)) return undefined;
  return { definition, address: addressOf(definition, shown.join('/')), spot };
}
