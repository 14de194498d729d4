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

/** Put before a closing bracket that stands no deeper than its key: YAML forbids it, and nearly every reader of YAML takes it. */
const pad = ' '.repeat(100);
/** Characters to parse again for such brackets: each costs another reading of all. */
const mostAgain = 100_000_000;

/** Of mistakes of syntax the first is returned: it often spoils all lines below. */
export function eventsOf(text: string): Event[] | Refused {
  /** Where the brackets are. */
  const padded: number[] = [];
  for (let given = text; ; ) {
    try {
      return withoutPads(parseEvents(given, {}), padded);
    } catch (error) {
      if (!(error instanceof YAMLException) || error.mark === undefined) throw error;
      const { reason, mark } = error;
      const position = mark.position - padded.length * pad.length;
      const isBracket = reason.startsWith('deficient') && /[\]}]/.test(text.charAt(position));
      if (isBracket && padded.at(-1) !== position && padded.length * text.length < mostAgain) {
        padded.push(position);
        given = given.slice(0, mark.position) + pad + given.slice(mark.position);
      } else if (reason.startsWith('nesting')) return tooDeep(position);
      else return refusedSyntax(position, syntaxMessage(reason, text, position));
    }
  }
}

/** With the offsets of the text as it was given. No event has a pad inside of it. */
function withoutPads(events: Event[], padded: readonly number[]): Event[] {
  if (padded.length === 0) return events;
  const all = [...padded, Number.POSITIVE_INFINITY];
  let before = 0;
  return events.map((event) => {
    const offsets = Object.entries(event).filter(([name]) => /(?:start|end)$/i.test(name)) as [
      string,
      number,
    ][];
    const last = Math.max(...offsets.map(([, offset]) => offset));
    while (last - before * pad.length > (all[before] ?? 0)) before += 1;
    const moved = offsets.map(([name, offset]) => [name, offset < 0 ? offset : offset - before * pad.length]);
    return { ...event, ...Object.fromEntries(moved) };
  });
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

/** By the parser's reasons, in our words: it quotes the text, which may be a secret. */
const syntaxMessages: readonly (readonly [RegExp, string])[] = [
  [/^tab /, 'a tab cannot indent YAML: use spaces'],
  [/\btag\b/, tagMessage],
  [/\balias\b/, aliasMessage],
  [/multiline key/, 'a key must stand on one line, followed by a colon'],
  [
    /^deficient/,
    'a closing quote or bracket is missing above; or this line goes on with what was opened there: then indent it',
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
  [/directive|%YAML/, 'a YAML directive is not right here'],
];

function syntaxMessage(reason: string, text: string, offset: number): string {
  const [, known] = syntaxMessages.find(([pattern]) => pattern.test(reason)) ?? [];
  if (known !== undefined) return known;
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  if (/^[@`%,]/.test(text.slice(offset))) return 'a string cannot begin with this character: quote it';
  if (text[offset] === ':' && before.includes(': ')) {
    return 'a key and its value must not be followed by another colon on the same line: use quotes, or a line of its own';
  }
  if (/^ *\t/.test(before)) return 'a tab cannot indent YAML: use spaces';
  if (text[offset] === ':' || before.trim() === '') return 'the indentation does not fit the lines above';
  return 'this does not belong here: check the indentation, quotes and brackets above';
}
