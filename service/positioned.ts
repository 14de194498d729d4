// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { codeOf, messageOf } from './machine';
import { compile, expectation, type SchemaError, type SchemaOf } from './schema';

/** A mistake at a path of a document, with its position when there is a text. */
export interface Mistake {
  path: readonly string[];
  message: string;
  /** Both counted from 1. */
  line?: number;
  column?: number;
}

/** The position of a path's value, or key; undefined when there is no text. */
type Locate = (path: readonly string[], what?: 'key') => Pick<Mistake, 'line' | 'column'> | undefined;

/** An unusable document: a line for each mistake, in the order of the text. */
export class PositionedError extends Error {
  constructor(source: string, mistakes: readonly Mistake[]) {
    const inOrder = mistakes.toSorted(
      (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
    );
    const lines = inOrder.map(({ path, message, line, column }) => {
      const place = line === undefined ? source : `${source}:${line}:${column}`;
      return [place, ...(path.length > 0 ? [`/${path.join('/')}`] : []), message].join(': ');
    });
    super(lines.join('\n'));
  }
}

type ErrorClass = new (source: string, mistakes: readonly Mistake[]) => PositionedError;

/** A document, and what was found wrong in it. */
export class Positioned {
  readonly #mistakes: Mistake[] = [];

  /** `source` is the file it came from, or a word for what was given in its place. */
  constructor(
    readonly value: unknown,
    private readonly source: string,
    private readonly Failure: ErrorClass,
    private readonly locate: Locate = () => undefined,
  ) {}

  note(path: readonly string[], message: string, what?: 'key'): void {
    this.#mistakes.push({ path, message, ...this.locate(path, what) });
  }

  noteAll(errors: readonly SchemaError[]): void {
    for (const error of errors.filter(({ keyword }) => keyword !== 'propertyNames')) {
      const path = partsOf(error.instancePath);
      const unknown: unknown = error.params.additionalProperty;
      const key = unknown ?? error.propertyName;
      const message = unknown === undefined ? expectation(error) : 'unknown key';
      if (key === undefined) this.note(path, message);
      else this.note([...path, String(key)], message, 'key');
    }
  }

  /** Throws the `Failure` with all mistakes, when there are any. */
  refuse(): void {
    if (this.#mistakes.length > 0) throw new this.Failure(this.source, this.#mistakes);
  }
}

/** Reads a file. Throws a `Failure`, which begins with `unread` when there is nothing to read. */
export function readPositionedFile(file: string, Failure: ErrorClass, unread: string): Positioned {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Failure(file, [{ path: [], message: `${unread}: ${whyUnread(error)}` }]);
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
    path: [],
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
    return new Positioned(document.toJS({ maxAliasCount: 100 }), source, Failure, locate);
  } catch (error) {
    throw new Failure(source, [{ path: [], message: messageOf(error), line: 1, column: 1 }]);
  }
}

/** The document's value, where it has the form of the schema. Throws what was found wrong. */
export function checkedBy<Value>(schema: SchemaOf<Value>, document: Positioned): Value {
  const validate = compile(schema);
  if (!validate(document.value)) document.noteAll(validate.errors ?? []);
  document.refuse();
  return document.value as Value;
}

/** The parts of a JSON pointer, each as the key that it means. */
export function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
