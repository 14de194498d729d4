/** Whether a file that is not read, because of its name, is a manifest all the same. */
import { isMap, isScalar, parseAllDocuments } from 'yaml';
import { readPlainFile } from '../resources/plain-file';
import { mostBytes } from './source';

const mention = /^.*\bapiVersion["']?\s*:\s*["']?tether\//m;
const atBeginning = /^(?:\{\s*)?["']?apiVersion["']?\s*:\s*["']?tether\//m;

/** The line of its `apiVersion: tether/…`, null where it has none. Throws when the file cannot be read. */
export function manifestLine(path: string): number | null {
  const bytes = readPlainFile(path, mostBytes);
  // Nobody can tell of what is too large; no manifest is.
  if (bytes.length > mostBytes) return null;
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (!mention.test(text)) return null;
  const found = placeOf(text);
  return found === null ? null : text.slice(0, found).split('\n').length;
}

/** The offset of the key on the first level of a document; null when it stands deeper, in the middle of something else. */
function placeOf(text: string): number | null {
  // What cannot be parsed may have been a manifest all the same.
  const broken = () => atBeginning.exec(text)?.index ?? null;
  try {
    const documents = [...parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' })];
    for (const { contents } of documents) {
      for (const { key, value } of isMap(contents) ? contents.items : []) {
        if (!isScalar(key) || key.value !== 'apiVersion' || !isScalar(value)) continue;
        if (String(value.value).startsWith('tether/')) return key.range?.[0] ?? 0;
      }
    }
    return documents.some(({ errors }) => errors.length > 0) ? broken() : null;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return broken();
  }
}
