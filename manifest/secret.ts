/** Where a secret comes from: `{ fromEnv: NAME }` or `{ fromFile: path }`; a literal one is refused and never repeated. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import type { SecretSource } from '../resources/kind';
import { environmentPattern, nearest } from '../resources/names';

import { isNull, type Node } from './node';
import { join, type Reading, readMembers, readText } from './reading';

const forms = '`{ fromEnv: NAME }` or `{ fromFile: path }`';

/** The source a secret names; undefined after an error. Reads neither the variable nor the file. A relative `fromFile` is
 * beside the manifest in the text, and relative to `root`, with forward slashes, in the result. */
export function readSecret(
  reading: Reading,
  node: Node,
  path: string,
  root: string,
): SecretSource | undefined {
  const spot = { at: node.at, path };
  if (isNull(node)) {
    const message = `\`${path}\` is null, but a secret cannot be cleared: write ${forms}, or leave the line out`;
    reading.findings.error('null-value', spot, message);
    return undefined;
  }
  if (node.type !== 'map') {
    reading.source.mask(node.range);
    const message = `\`${path}\` must not stand in a manifest as it is: write ${forms}`;
    reading.findings.error('literal-secret', spot, message);
    return undefined;
  }
  const allowed = ['fromEnv', 'fromFile'];
  const isSlip = (key: string) => allowed.includes(key) || nearest(key, allowed) !== undefined;
  const stranger = node.entries.find(({ key }) => !isSlip(key));
  if (stranger !== undefined) {
    // Somebody may have written the secret itself here.
    reading.source.mask(node.range);
    const message = `a key of \`${path}\` is unknown: write ${forms}`;
    reading.findings.error('unknown-key', { at: stranger.keyAt, path }, message);
    return undefined;
  }
  const members = readMembers(reading, node, allowed, path);
  const [first, second] = members.values();
  if (first === undefined || second !== undefined) {
    if (first !== undefined || node.entries.length === 0) {
      reading.findings.error('secret-source', spot, `\`${path}\` takes one source: ${forms}`);
    }
    return undefined;
  }
  const text = readText(reading, first.value, join(path, first.key));
  if (text === undefined) {
    reading.source.mask(first.value.range);
    return undefined;
  }
  const at = { at: first.value.at, path: join(path, first.key) };
  if (first.key === 'fromEnv') {
    if (new RegExp(environmentPattern).test(text)) return { fromEnv: text };
    // Somebody may have written the secret itself here.
    reading.source.mask(first.value.range);
    const message = `\`${at.path}\` must be the name of an environment variable: letters, digits and underscores`;
    reading.findings.error('secret-source', at, text === '' ? `${message}; it is empty` : message);
    return undefined;
  }
  if (text !== '') return { fromFile: fromRoot(text, reading.source.origin.absolute, root) };
  reading.findings.error('secret-source', at, `\`${at.path}\` must be the path of a file; it is empty`);
  return undefined;
}

function fromRoot(path: string, manifest: string, root: string): string {
  if (isAbsolute(path)) return path;
  return relative(root, resolve(dirname(manifest), path)).replaceAll('\\', '/');
}
