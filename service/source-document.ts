// Reads YAML, of which JSON is a part, so that each mistake in it is reported with its line and column.

import { readFileSync } from 'node:fs';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { messageOf, ServiceError } from './machine';
import { compile, expectation, type SchemaOf } from './schema';

interface Mistake {
  path: string[];
  message: string;
  offset: number;
}

/** A document and the mistakes found in it so far. */
export class SourceDocument {
  readonly #mistakes: Mistake[] = [];

  /** `source` is the file it came from, or a word for it. Without a parsed text, mistakes have no position. */
  constructor(
    readonly value: unknown,
    private readonly source: string,
    private readonly parsed?: { document: Document; lines: LineCounter },
  ) {}

  /** Notes a mistake at the value of the path, or at its key. */
  note(path: string[], message: string, what: 'value' | 'key' = 'value'): void {
    this.#mistakes.push({ path, message, offset: this.#offsetOf(path, what) });
  }

  /** Returns the value. Throws a ServiceError with all that the schema refuses. */
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

  /** Throws a ServiceError when there are mistakes, with a line for each in the order of the text. */
  refuse(): void {
    if (this.#mistakes.length === 0) return;
    const inOrder = this.#mistakes.toSorted((one, other) => one.offset - other.offset);
    const lines = inOrder.map(({ path, message, offset }) => {
      // Tokens are keys of a seed, and no message may show one.
      const shown = path[0] === 'tokens' && path.length > 1 ? path.with(1, '(token)') : path;
      return [this.#place(offset), ...(path.length > 0 ? [`/${shown.join('/')}`] : []), message].join(': ');
    });
    throw new ServiceError(lines.join('\n'));
  }

  /** Throws a ServiceError that says why the text is no YAML. */
  refuseSyntax(offset: number, reason: string): never {
    // What follows a colon, and tags, may be tokens.
    throw new ServiceError(`${this.#place(offset)}: ${reason.replace(/(?<=: ).*|!\S+/s, '***')}`);
  }

  #place(offset: number) {
    if (this.parsed === undefined) return this.source;
    const { line, col } = this.parsed.lines.linePos(offset);
    return `${this.source}:${line}:${col}`;
  }

  /** What is not in the text is at the nearest thing around it. */
  #offsetOf(path: string[], what: 'value' | 'key'): number {
    const document = this.parsed?.document;
    const parent = document?.getIn(path.slice(0, -1), true);
    if (what === 'key' && isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
      if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
    }
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const nearest = document?.getIn(path.slice(0, depth), true);
      if (isNode(nearest) && nearest.range) return nearest.range[0];
    }
    return 0;
  }
}

/** Reads a file. Throws a ServiceError, which says `unread` when there is nothing to read. */
export function readSourceFile(file: string, unread: string): SourceDocument {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ServiceError(`${file}: ${unread}: ${messageOf(error)}`);
  }
  return readSource(text, file);
}

/** Throws a ServiceError with the first mistake of syntax. */
export function readSource(text: string, source: string): SourceDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const parsed = { document, lines };
  const [error] = document.errors;
  if (error) {
    const isSecond = error.code === 'MULTIPLE_DOCS';
    const reason = isSecond ? 'expected one document, found several' : error.message;
    new SourceDocument(null, source, parsed).refuseSyntax(error.pos[0], reason);
  }
  try {
    return new SourceDocument(document.toJS(), source, parsed);
  } catch (failure) {
    // An alias without an anchor, or aliases that multiply each other.
    return new SourceDocument(null, source, parsed).refuseSyntax(0, messageOf(failure));
  }
}
