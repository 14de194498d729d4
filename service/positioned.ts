// Reads YAML or JSON so that a mistake in it can be reported with its line and column.

import { readFileSync } from 'node:fs';
import {
  constructFromEvents,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE_PLAIN,
  YAMLException,
} from 'js-yaml';
import { messageOf, ServiceError } from './machine';
import { compile, expectation, type SchemaOf } from './schema';

/** Counted from 1. */
interface Position {
  line: number;
  col: number;
}

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

/** Throws a DocumentError with the first mistake of syntax. */
export function readPositioned(given: string, source: string): Positioned {
  try {
    const { text, events } = parse(given);
    const [value = null, ...others] = constructFromEvents(events, { source: text, maxAliases: 100 });
    if (others.length > 0) {
      const [first] = events;
      const [one, two] = text.matchAll(/^(?:---|\.\.\.)/gm);
      const marker = first?.type === EVENT_DOCUMENT && first.explicitStart ? two : one;
      YAMLException.throwAt(text, marker?.index ?? 0, 'expected one document, found several');
    }
    const { values, keys } = placesOf(events, text, given);
    const locate: Locate = (path, what) => {
      const found = what === 'key' ? keys.get(JSON.stringify(path)) : undefined;
      if (found !== undefined) return found;
      // What is not there is at the nearest thing around it.
      for (let depth = path.length; depth >= 0; depth -= 1) {
        const nearest = values.get(JSON.stringify(path.slice(0, depth)));
        if (nearest !== undefined) return nearest;
      }
      return undefined;
    };
    return new Positioned(value, source, locate);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { buffer = given, position = 0 } = error.mark ?? {};
    const at = positionsIn(buffer, given)(position);
    // Reasons quote tags and aliases, which may be tokens.
    const message = error.reason.replace(/(?<=: ).*|!<.*>|".*"/s, '***');
    throw new DocumentError(source, [{ path: [], message, at }]);
  }
}

/** Put before a closing bracket that begins a line: YAML forbids one no deeper than its key, and nearly every reader of YAML takes it. */
const pad = ' '.repeat(100);

/** With pads, which are in the text then, only where it is not YAML for want of them. */
function parse(given: string): { text: string; events: Event[] } {
  try {
    return { text: given, events: parseEvents(given, {}) };
  } catch (error) {
    const position = error instanceof YAMLException ? error.mark?.position : undefined;
    if (position === undefined || !/[\]}]/.test(given.charAt(position))) throw error;
    const text = given.replace(/(?<=\n)(?= *[\]}])/g, pad);
    const events = parseEvents(text, {});
    // A line inside of a string is no bracket, and has to stay as it is.
    const isChanged = (event: Event) =>
      event.type === EVENT_SCALAR && text.slice(event.valueStart, event.valueEnd).includes(pad);
    if (events.some(isChanged)) throw error;
    return { text, events };
  }
}

/** Where offsets of a text, each behind the one before, are in the text that was given, which may have no pads. */
function positionsIn(text: string, given: string) {
  const padding = new RegExp(`${pad}(?= *[\\]}])`, 'y');
  let [line, start, end] = [1, 0, text.indexOf('\n')];
  return (offset: number): Position => {
    for (; end >= 0 && end < offset; line += 1) {
      padding.lastIndex = end + 1;
      start = text !== given && padding.test(text) ? padding.lastIndex : end + 1;
      end = text.indexOf('\n', start);
    }
    return { line, col: offset - start + 1 };
  };
}

/** Of values, and of their keys, by path as JSON. */
function placesOf(events: Event[], text: string, given: string) {
  const values = new Map<string, Position>();
  const keys = new Map<string, Position>();
  const positionOf = positionsIn(text, given);
  const placeOf = (event: Event | undefined) => {
    const start = startOf(event);
    return start === undefined ? undefined : positionOf(start);
  };
  let index = 1;
  const walk = (path: readonly string[], before: Position): void => {
    const event = events[index++];
    const place = placeOf(event) ?? before;
    values.set(JSON.stringify(path), place);
    if (event?.type !== EVENT_SEQUENCE && event?.type !== EVENT_MAPPING) return;
    for (let item = 0; events[index]?.type !== EVENT_POP; item += 1) {
      const key = event.type === EVENT_MAPPING ? events[index++] : undefined;
      const start = placeOf(key) ?? place;
      const name = key?.type === EVENT_SCALAR ? getScalarValue(text, key) : String(item);
      if (key !== undefined) keys.set(JSON.stringify([...path, name]), start);
      walk([...path, name], start);
    }
    index += 1;
  };
  walk([], { line: 1, col: 1 });
  return { values, keys };
}

/** Undefined where nothing stands. */
function startOf(event: Event | undefined): number | undefined {
  if (event === undefined || event.type === EVENT_DOCUMENT || event.type === EVENT_POP) return undefined;
  if (event.type === EVENT_ALIAS) return event.anchorStart - 1;
  if (event.type !== EVENT_SCALAR) return event.start;
  const { style, valueStart } = event;
  if (valueStart < 0) return undefined;
  return style === SCALAR_STYLE_PLAIN ? valueStart : valueStart - 1;
}
