/** Reads YAML or JSON, and reports each mistake with its line and column. */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { errorMessage, ServiceError } from './machine';
import { compile, describeError, type SchemaOf } from './schema';

export class SourceDocument {
  readonly #mistakes: { path: string[]; message: string; offset: number }[] = [];

  /** `source` is the file, or a word for it. If no text was parsed, mistakes have no position. */
  constructor(
    private readonly source: string,
    readonly value: unknown,
    private readonly parsed?: Document,
    private readonly lines?: LineCounter,
  ) {}

  note(path: string[], message: string, what: 'value' | 'key' = 'value'): void {
    this.#mistakes.push({ path, message, offset: this.#findOffset(path, what) });
  }

  /** Returns the value. Throws a ServiceError with every violation of the schema. */
  checkedBy<Value>(schema: SchemaOf<Value>): Value {
    for (const error of compile(schema)(this.value)) {
      const [, ...parts] = error.instancePath.split('/');
      const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      const unknown: string | undefined = error.params.additionalProperty;
      const key = unknown ?? error.propertyName;
      const message = unknown === undefined ? describeError(error) : 'unknown key';
      if (key === undefined) this.note(path, message);
      else this.note([...path, key], message, 'key');
    }
    this.refuse();
    return this.value as Value;
  }

  /** Throws a ServiceError if there are mistakes. It has a line for each, in the order of the text. */
  refuse(): void {
    // Only the first syntax error is reported, because it may cause the others.
    for (const { pos, code, message } of this.parsed?.errors.slice(0, 1) ?? []) {
      const reason = code === 'MULTIPLE_DOCS' ? 'expected one document, found several' : message;
      // Tags, and the text after a colon, may be tokens.
      const masked = reason.replace(/(?<=: ).*|!\S+/s, '***');
      this.#mistakes.push({ path: [], message: masked, offset: pos[0] });
    }
    if (this.#mistakes.length === 0) return;
    const inOrder = this.#mistakes.toSorted((left, right) => left.offset - right.offset);
    const messages = inOrder.map(({ path, message, offset }) => {
      const { line, col } = this.lines?.linePos(offset) ?? {};
      const place = line === undefined ? this.source : `${this.source}:${line}:${col}`;
      // Tokens are keys of a seed, and no message may show one.
      const shownPath = path[0] === 'tokens' && path.length > 1 ? path.with(1, '(token)') : path;
      return [place, ...(path.length > 0 ? [`/${shownPath.join('/')}`] : []), message].join(': ');
    });
    throw new ServiceError(messages.join('\n'));
  }

  /** Returns the offset of a value. A value that is not in the text has the offset of the nearest one around it. */
  #findOffset(path: string[], what: 'value' | 'key'): number {
    const parent = this.parsed?.getIn(path.slice(0, -1), true);
    const pairs = what === 'key' && isMap(parent) ? parent.items : [];
    const key = pairs.map((pair) => pair.key).find((node) => isScalar(node) && node.value === path.at(-1));
    const depths = Array.from({ length: path.length + 1 }, (_, index) => path.length - index);
    const around = depths.map((depth) => this.parsed?.getIn(path.slice(0, depth), true));
    const nearest = [key, ...around].find((node) => isNode(node) && node.range);
    return isNode(nearest) ? (nearest.range?.[0] ?? 0) : 0;
  }
}

/** Throws a ServiceError with the first mistake of syntax. */
export function readSource(text: string, source: string): SourceDocument {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  new SourceDocument(source, undefined, parsed, lines).refuse();
  try {
    return new SourceDocument(source, parsed.toJS(), parsed, lines);
  } catch (error) {
    // The text has an alias without an anchor, or aliases that multiply. The message may contain a token.
    throw new ServiceError(`${source}: ${errorMessage(error).replace(/(?<=: ).*/s, '***')}`);
  }
}
