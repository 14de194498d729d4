// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { messageOf, ServiceError } from './machine';
import { compile, expectation, type SchemaError, type SchemaOf } from './schema';

export interface Mistake {
  path: string[];
  message: string;
  /** Counted from 1, like `column`; absent when there is no text. */
  line?: number;
  column?: number;
}

/** The position of a path's value, or key. */
type Locate = (path: string[], what?: 'key') => Pick<Mistake, 'line' | 'column'> | undefined;

/** An unusable document: a line for each mistake, in the order of the text. */
export class PositionedError extends ServiceError {
  constructor(source: string, mistakes: Mistake[]) {
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

type ErrorClass = new (source: string, mistakes: Mistake[]) => PositionedError;

/** A document and its mistakes. */
export class Positioned {
  readonly #mistakes: Mistake[] = [];

  /** `source`: the file it came from, or a word for it. */
  constructor(
    readonly value: unknown,
    private readonly source: string,
    private readonly Failure: ErrorClass,
    private readonly locate: Locate = () => undefined,
  ) {}

  note(path: string[], message: string, what?: 'key'): void {
    this.#mistakes.push({ path, message, ...this.locate(path, what) });
  }

  noteAll(errors: SchemaError[]): void {
    for (const error of errors) {
      const [, ...parts] = error.instancePath.split('/');
      const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const unknown: string | undefined = error.params.additionalProperty;
      const key = unknown ?? error.propertyName;
      const message = unknown === undefined ? expectation(error) : 'unknown key';
      if (key === undefined) this.note(path, message);
      else this.note([...path, key], message, 'key');
    }
  }

  /** Throws when there are mistakes. */
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
    throw new Failure(file, [{ path: [], message: `${unread}: ${messageOf(error)}` }]);
  }
  return readPositioned(text, file, Failure);
}

/** Throws a `Failure` with every mistake of syntax. */
export function readPositioned(text: string, source: string, Failure: ErrorClass): Positioned {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const positionAt = (offset: number) => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  const mistakes = document.errors.map(({ message, pos: [start] }) => ({
    path: [],
    message,
    ...positionAt(start),
  }));
  if (mistakes.length > 0) throw new Failure(source, mistakes);
  const locate: Locate = (path, what) => {
    const parent = document.getIn(path.slice(0, -1), true);
    const keys = what === 'key' && isMap(parent) ? parent.items.map(({ key }) => key) : [];
    const nodes = keys.filter((key) => isScalar(key) && key.value === path.at(-1));
    // What is not there is at the nearest thing around it.
    for (let depth = path.length; depth >= 0; depth -= 1) {
      nodes.push(document.getIn(path.slice(0, depth), true));
    }
    const range = nodes.find(isNode)?.range;
    return range ? positionAt(range[0]) : undefined;
  };
  try {
    return new Positioned(document.toJS({ maxAliasCount: 100 }), source, Failure, locate);
  } catch (error) {
    throw new Failure(source, [{ path: [], message: messageOf(error), line: 1, column: 1 }]);
  }
}

/** The document's value. Throws what is wrong by the schema. */
export function checkedBy<Value>(schema: SchemaOf<Value>, document: Positioned): Value {
  document.noteAll(compile(schema)(document.value));
  document.refuse();
  return document.value as Value;
}
