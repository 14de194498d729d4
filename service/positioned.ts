// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import { readFileSync } from 'node:fs';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { messageOf, ServiceError } from './machine';
import { compile, expectation, type SchemaOf } from './schema';

/** Counted from 1. */
type Position = ReturnType<LineCounter['linePos']>;

interface Mistake {
  path: string[];
  message: string;
  /** Absent where there is no text. */
  at?: Position | undefined;
}

/** The position of a path's value, or key. */
type Locate = (path: string[], what?: 'key') => Position | undefined;

/** An unusable document: a line for each mistake, in the order of the text. Tokens, which are keys of a seed, are masked. */
export class DocumentError extends ServiceError {
  constructor(source: string, mistakes: Mistake[]) {
    const start = { line: 0, col: 0 };
    const inOrder = mistakes.toSorted(
      ({ at: one = start }, { at: other = start }) => one.line - other.line || one.col - other.col,
    );
    const lines = inOrder.map(({ path, message, at }) => {
      const place = at === undefined ? source : `${source}:${at.line}:${at.col}`;
      const shown = path[0] === 'tokens' && path.length > 1 ? path.with(1, '(token)') : path;
      return [place, ...(path.length > 0 ? [`/${shown.join('/')}`] : []), message].join(': ');
    });
    super(lines.join('\n'));
  }
}

/** A document and its mistakes. */
export class Positioned {
  readonly #mistakes: Mistake[] = [];

  /** `source`: the file it came from, or a word for it. */
  constructor(
    readonly value: unknown,
    private readonly source: string,
    private readonly locate: Locate = () => undefined,
  ) {}

  note(path: string[], message: string, what?: 'key'): void {
    this.#mistakes.push({ path, message, at: this.locate(path, what) });
  }

  /** The value. Throws what is wrong by the schema. */
  checkedBy<Value>(schema: SchemaOf<Value>): Value {
    for (const error of compile(schema)(this.value)) {
      const [, ...parts] = error.instancePath.split('/');
      const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const unknown: string | undefined = error.params.additionalProperty;
      const key = unknown ?? error.propertyName;
      const message = unknown === undefined ? expectation(error) : 'unknown key';
      if (key === undefined) this.note(path, message);
      else this.note([...path, key], message, 'key');
    }
    this.refuse();
    return this.value as Value;
  }

  /** Throws when there are mistakes. */
  refuse(): void {
    if (this.#mistakes.length > 0) throw new DocumentError(this.source, this.#mistakes);
  }
}

/** Reads a file. Throws a DocumentError, which begins with `unread` when there is nothing to read. */
export function readPositionedFile(file: string, unread: string): Positioned {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new DocumentError(file, [{ path: [], message: `${unread}: ${messageOf(error)}` }]);
  }
  return readPositioned(text, file);
}

/** Throws a DocumentError with every mistake of syntax. */
export function readPositioned(text: string, source: string): Positioned {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const mistakes = document.errors.map(({ message, pos: [start] }) => {
    return { path: [], message, at: counter.linePos(start) };
  });
  if (mistakes.length > 0) throw new DocumentError(source, mistakes);
  const locate: Locate = (path, what) => {
    const parent = document.getIn(path.slice(0, -1), true);
    const keys = what === 'key' && isMap(parent) ? parent.items.map(({ key }) => key) : [];
    const nodes = keys.filter((key) => isScalar(key) && key.value === path.at(-1));
    // What is not there is at the nearest thing around it.
    for (let depth = path.length; depth >= 0; depth -= 1) {
      nodes.push(document.getIn(path.slice(0, depth), true));
    }
    const range = nodes.find(isNode)?.range;
    return range ? counter.linePos(range[0]) : undefined;
  };
  try {
    return new Positioned(document.toJS({ maxAliasCount: 100 }), source, locate);
  } catch (error) {
    throw new DocumentError(source, [{ path: [], message: messageOf(error), at: { line: 1, col: 1 } }]);
  }
}
