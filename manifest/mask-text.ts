/** Masks what looks like a secret in a text that has no tree, because its syntax or version is wrong. */
import type { Registry } from '../resources';
import { nearest } from '../resources/suggest';
import type { Source } from './source';

const suspicious = /secret|token|passw|private|credential|key$/i;
const reference = /^\s*\{\s*from(?:Env|File)\s*:\s*[\w./-]*\s*\}?\s*,?\s*\}?\s*(?:#.*)?$/;
const blockReference = /^\s*from(?:Env|File)\s*:\s*[\w./-]*\s*$/;

/** Masks generously: values of keys with the name of a secret, or nearly so, the lines below them, PEM blocks and long words. */
export function maskText(source: Source, kinds: Registry): void {
  const names = kinds.flatMap((kind) =>
    Object.entries(kind.fields).flatMap(([name, field]) =>
      field.writeOnly ? [field.manifestName ?? name] : [],
    ),
  );
  let offset = 0;
  /** Indentation of the key whose value goes on below it; null outside of one. */
  let below: number | null = null;
  let pem = false;
  for (const line of source.text().split('\n')) {
    const range = [offset, offset + line.length] as const;
    offset += line.length + 1;
    const indentation = line.length - line.trimStart().length;
    pem ||= line.includes('-----BEGIN');
    if (below !== null && line.trim() !== '' && indentation <= below) below = null;
    if (pem || (below !== null && !blockReference.test(line))) {
      source.mask(range);
      if (line.includes('-----END')) pem = false;
      continue;
    }
    for (const word of line.matchAll(/[A-Za-z0-9+/=_-]{40,}/g)) {
      source.mask([range[0] + word.index, range[0] + word.index + word[0].length]);
    }
    for (const key of line.matchAll(/["']?([\w.-]+)["']?\s*:/g)) {
      const name = key[1] ?? '';
      if (!suspicious.test(name) && nearest(name, names) === undefined) continue;
      const end = key.index + key[0].length;
      if (!reference.test(line.slice(end))) {
        source.mask([range[0] + end, range[1]]);
        below = indentation;
      }
      break;
    }
  }
}
