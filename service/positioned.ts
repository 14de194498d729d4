// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import type { ErrorObject } from 'ajv';
import { isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { messageOf } from './failure';

/** One mistake: where in the document (a JSON pointer), what, and where in the text when there is a text. */
export interface Mistake {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** A place in a text, both counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the place of a document path in the text: of its value, or of its key.
 * Undefined when the document came without a text.
 */
export type Locate = (path: readonly string[], what?: 'key') => Position | undefined;

/** An unusable document, all of its mistakes in one message, one per line. */
export class PositionedError extends Error {
  constructor(
    /** The file, or a word for what was given in its place. */
    readonly file: string,
    readonly mistakes: readonly Mistake[],
  ) {
    super(mistakes.map((mistake) => describe(file, mistake)).join('\n'));
  }
}

function describe(file: string, { path, message, line, column }: Mistake): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return path === '' ? `${place}: ${message}` : `${place}: ${path}: ${message}`;
}

/** The value of a text, its syntax mistakes (then the value is undefined), and how to find a path in it. */
export function readPositioned(text: string): { value: unknown; mistakes: Mistake[]; locate: Locate } {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, merge: false });
  const positionAt = (offset: number): Position => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  const mistakes = document.errors.map((error) => ({
    path: '',
    // Without the parser's own line and column: the position is put in front of every mistake.
    message: error.message.replace(/( at line \d+, column \d+)?:?(\n.*)?$/s, ''),
    ...positionAt(error.pos[0]),
  }));
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
  if (mistakes.length > 0) return { value: undefined, mistakes, locate };
  try {
    return { value: document.toJS({ maxAliasCount: 100 }), mistakes, locate };
  } catch (error) {
    const message = messageOf(error);
    return { value: undefined, mistakes: [{ path: '', message, line: 1, column: 1 }], locate };
  }
}

/** The mistakes behind a schema's errors, in the order of the text. */
export function explainMistakes(errors: readonly ErrorObject[], locate: Locate): Mistake[] {
  const mistakes = errors
    .filter(({ keyword }) => keyword !== 'propertyNames')
    .map((error) => {
      const parts = error.instancePath.split('/').slice(1).map(unescapePart);
      const wrongKey: unknown = error.params.additionalProperty ?? error.propertyName;
      if (typeof wrongKey !== 'string') return mistakeAt(parts, explain(error), locate);
      return mistakeAt([...parts, wrongKey], explain(error), (path) => locate(path, 'key'));
    });
  return inOrder(mistakes);
}

/** The mistakes in the order of the text. */
export function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
}

/** A mistake at a document path, with its position when there is a text. */
export function mistakeAt(parts: readonly string[], message: string, locate: Locate): Mistake {
  const path = parts.map((part) => `/${part}`).join('');
  return { path, message, ...locate(parts) };
}

/** A part of a JSON pointer as the key that it means. */
export function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

function explain({ keyword, params, message, parentSchema }: ErrorObject): string {
  if (keyword === 'additionalProperties') return 'unknown key';
  if (keyword === 'enum') return `must be one of ${JSON.stringify(params.allowedValues)}`;
  const description: unknown = parentSchema?.description;
  if (keyword === 'pattern' && typeof description === 'string') return `must be ${description}`;
  return message ?? keyword;
}
