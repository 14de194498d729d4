// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { codeOf, messageOf } from './machine';
import { compile, expectation, type SchemaError, type SchemaOf } from './schema';

/** One mistake at a JSON pointer into the document, with its position when there is a text. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
  /** Both counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The position of a document path's value, or key; undefined when there is no text. */
export type Locate = (path: readonly string[], what?: 'key') => Pick<Mistake, 'line' | 'column'> | undefined;

/** A document, and how to find a path of it in its text. */
export interface Positioned {
  readonly value: unknown;
  readonly locate: Locate;
  /** The file it came from, or a word for what was given in its place. */
  readonly source: string;
}

/** An unusable document: a line for each mistake, in the order of the text. */
export class PositionedError extends Error {
  constructor(source: string, mistakes: readonly Mistake[]) {
    const inOrder = [...mistakes].sort(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    );
    const lines = inOrder.map(({ path, message, line, column }) => {
      const place = line === undefined ? source : `${source}:${line}:${column}`;
      return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
    });
    super(lines.join('\n'));
  }
}

type ErrorClass = new (source: string, mistakes: readonly Mistake[]) => PositionedError;

/** Reads a file. Throws a `Failure`, which begins with `unread` when there is nothing to read. */
export function readPositionedFile(file: string, Failure: ErrorClass, unread: string): Positioned {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(file, [{ path: '', message: `${unread}: ${whyUnread(error)}` }]);
  }
  return readPositioned(text, file, Failure);
}

function whyUnread(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  return code === 'EACCES' ? 'this user may not read it' : messageOf(error);
}

/** Reads a text that messages call `source`. Throws a `Failure` with every mistake of syntax. */
export function readPositioned(text: string, source: string, Failure: ErrorClass): Positioned {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, merge: false });
  const positionAt = (offset: number) => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  const mistakes = document.errors.map((error) => ({
    path: '',
    // Without the parser's own line and column.
    message: error.message.replace(/( at line \d+, column \d+)?:?(\n.*)?$/s, ''),
    ...positionAt(error.pos[0]),
  }));
  if (mistakes.length > 0) throw new Failure(source, mistakes);
  const locate: Locate = (path, what) => {
    const parent = what === 'key' ? document.getIn(path.slice(0, -1), true) : undefined;
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
      : undefined;
    if (pair && isScalar(pair.key) && pair.key.range) return positionAt(pair.key.range[0]);
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true);
      if (isNode(node) && node.range) return positionAt(node.range[0]);
    }
    return undefined;
  };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), locate, source };
  } catch (error) {
    throw new Failure(source, [{ path: '', message: messageOf(error), line: 1, column: 1 }]);
  }
}

/** The document's value, where it has the form of the schema. Throws a `Failure` with every mistake. */
export function checkedBy<Value>(
  schema: SchemaOf<Value>,
  { value, locate, source }: Positioned,
  Failure: ErrorClass,
): Value {
  const validate = compile(schema);
  if (validate(value)) return value;
  throw new Failure(source, explainMistakes(validate.errors ?? [], locate));
}

export function explainMistakes(errors: readonly SchemaError[], locate: Locate): Mistake[] {
  return errors
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .map((error) => {
      const parts = partsOf(error.instancePath);
      const unknown: unknown = error.params.additionalProperty;
      const key = unknown ?? error.propertyName;
      const message = unknown === undefined ? expectation(error) : 'unknown key';
      if (key === undefined) return mistakeAt(parts, message, locate);
      return mistakeAt([...parts, String(key)], message, (path) => locate(path, 'key'));
    });
}

/** A mistake at a document path, with its position when there is a text. */
export function mistakeAt(parts: readonly string[], message: string, locate: Locate): Mistake {
  return { path: parts.map((part) => `/${part}`).join(''), message, ...locate(parts) };
}

/** The parts of a JSON pointer, each as the key that it means. */
export function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
