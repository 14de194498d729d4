/** YAML or JSON → the events of its parser; mistakes of syntax in our words. */
import {
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_POP,
  EVENT_SCALAR,
  type Event,
  getScalarValue,
  parseEvents,
  YAMLException,
} from 'js-yaml';

/** A manifest needs five levels. */
export const deepest = 20;

/** Why a text is no manifest. */
export class Refused extends Error {
  constructor(
    readonly offset: number,
    readonly rule: string,
    message: string,
  ) {
    super(message);
  }
}

export function refusedSyntax(offset: number, message: string): Refused {
  return new Refused(offset, 'yaml-syntax', `not valid YAML: ${message}`);
}

/** Put before a line that begins with a closing bracket no deeper than its key: YAML forbids it, and nearly every reader of YAML takes it. */
const pad = ' '.repeat(100);
const mostPads = 100_000;

/** Of mistakes of syntax the first is returned: it often spoils all lines below. */
export function eventsOf(text: string): Event[] | Refused {
  const found = parse(text, []);
  if (!(found instanceof Refused && /[\]}]/.test(text.charAt(found.offset)))) return found;
  // The first line of a block scalar says how deep its others are.
  const lines = [...text.matchAll(/(?<![|>][-+\d]*\r?\n)^(?=[ \t]*[\]}])/gm)].map(({ index }) => index);
  if (lines.length > mostPads) return found;
  const again = parse(text, lines);
  if (again instanceof Refused) return again;
  // A line inside of a string is no bracket, and may be deep enough by its pad alone.
  const inside = new Set(again.flatMap((event) => padsWithin(event, lines)));
  const outside = lines.filter((line) => !inside.has(line));
  return inside.size === 0 ? again : parse(text, outside);
}

/** With the offsets of the text as it was given. */
function parse(text: string, pads: readonly number[]): Event[] | Refused {
  const ends = [...pads, text.length];
  const padded = [0, ...pads].map((start, index) => text.slice(start, ends[index])).join(pad);
  // The parser takes any tab of a line with a bracket for indentation.
  const given = text.includes('\t') ? padded.replace(/\S.*/g, (part) => part.replaceAll('\t', ' ')) : padded;
  const offsetOf = (offset: number) => {
    const before = countBelow(pads, (start, index) => start + index * pad.length < offset);
    return Math.max(offset - before * pad.length, pads[before - 1] ?? 0);
  };
  try {
    const events = parseEvents(given, {});
    return pads.length === 0 ? events : events.map((event) => withOffsets(event, offsetOf));
  } catch (error) {
    if (!(error instanceof YAMLException) || error.mark === undefined) throw error;
    const offset = offsetOf(error.mark.position);
    if (error.reason.startsWith('nesting')) return tooDeep(offset);
    return refusedSyntax(offset, syntaxMessage(error.reason, text, offset));
  }
}

function withOffsets(event: Event, offsetOf: (offset: number) => number): Event {
  const moved = Object.entries(event).map(([name, value]) => {
    const isOffset = typeof value === 'number' && value >= 0 && /(?:start|end)$/i.test(name);
    return [name, isOffset ? offsetOf(value) : value];
  });
  return Object.fromEntries(moved);
}

function padsWithin(event: Event, pads: readonly number[]): readonly number[] {
  if (event.type !== EVENT_SCALAR) return [];
  const { valueStart, valueEnd } = event;
  const [from, to] = [valueStart + 1, valueEnd].map((offset) => countBelow(pads, (start) => start < offset));
  return pads.slice(from, to);
}

/** How many at the beginning of a list are below something that the others are not. */
export function countBelow(all: readonly number[], isBelow: (one: number, index: number) => boolean): number {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(all[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function tooDeep(offset: number): Refused {
  return new Refused(offset, 'too-deep', `nested more than ${deepest} levels deep: this is not a manifest`);
}

/** What stands at a key at the top of a document, of all documents of a text; null where it is not YAML. */
export function valuesAtTop(text: string, key: string): string[] | null {
  const events = eventsOf(text);
  if (events instanceof Refused) return null;
  const found: string[] = [];
  /** In a document 1, among the keys and values of its map 2. */
  let depth = 0;
  let place = 0;
  let latest = '';
  for (const event of events) {
    const { type } = event;
    if (depth === 2 && type !== EVENT_POP) {
      const value = type === EVENT_SCALAR ? getScalarValue(text, event) : '';
      if (place % 2 === 1 && latest === key) found.push(value);
      latest = value;
      place += 1;
    }
    if (type === EVENT_POP) depth -= 1;
    else if (type !== EVENT_SCALAR && type !== EVENT_ALIAS) depth += 1;
    if (type === EVENT_DOCUMENT) place = 0;
  }
  return found;
}

export const aliasMessage =
  'a YAML alias (`*name`) for which there is no anchor (`&name`) above it; quote a string that begins with `*`';
export const tagMessage =
  'a YAML tag (`!name`) has no meaning here: remove it, or quote a string that begins with `!`';

const tabMessage = 'a tab cannot indent YAML: use spaces';

/** By the parser's reasons, in our words: it quotes the text, which may be a secret. */
const syntaxMessages: readonly (readonly [RegExp, string])[] = [
  [/^tab /, tabMessage],
  [/\btag\b/, tagMessage],
  [/\balias\b/, aliasMessage],
  [/multiline key/, 'a key must stand on one line, followed by a colon'],
  [
    /^deficient/,
    'a closing quote or bracket is missing above, or this line continues a value and must be indented',
  ],
  [
    /^missed comma|within a|expected ':'|whitespace character/,
    'a character is missing: a closing quote or bracket, a comma, a colon, or the space after one',
  ],
  [
    /escape|hexadecimal/,
    'an escape that YAML does not know: write `\\\\` for a backslash, or use single quotes',
  ],
  [/null byte|non-printable|JSON character/, 'a character that YAML does not allow'],
  [/directive|YAML version/, 'a YAML directive cannot stand here'],
];

function syntaxMessage(reason: string, text: string, offset: number): string {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  if (reason.startsWith('deficient') && /^ *\t/.test(before)) return tabMessage;
  const [, known] = syntaxMessages.find(([pattern]) => pattern.test(reason)) ?? [];
  if (known !== undefined) return known;
  if (/^[@`%]/.test(text.slice(offset))) return 'a string cannot begin with this character: quote it';
  if (text[offset] === ':' && /:\s/.test(before)) {
    return 'a key and its value must not be followed by another colon on the same line: use quotes, or a line of its own';
  }
  if (/^ *\t/.test(before)) return tabMessage;
  if (text[offset] === ':' || before.trim() === '') return 'the indentation does not fit the lines above';
  return 'this does not belong here: check the indentation, quotes and brackets above';
}
