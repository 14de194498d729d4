/** Makes text safe to show: without secrets, control characters and commands for CI runners. */

const mask = '(secret)';
/** Services may repeat secrets in pieces. A piece that is shorter than this tells nothing. */
const minPiece = 8;
/** A pull request writes some of our own text. If pieces were masked there, it could guess a secret character by character. */
export const wholeSecret = Number.MAX_SAFE_INTEGER;

export type Redact = (text: string) => string;

/**
 * Returns a function that masks each part of these secrets with at least `piece` characters. A shorter secret is masked as a whole. It
 * finds them in plain text, JSON, URLs, HTML and hex, and inside base64.
 */
export function redactor(secrets: readonly string[], piece = minPiece): Redact {
  let find: ReturnType<typeof createFinder> | undefined;
  return (text) => {
    if (text === '') return text;
    find ??= createFinder(
      secrets.filter((secret) => secret !== '').flatMap((secret) => toForms(secret, piece)),
    );
    const hidden = find(lower(text));
    if (!hidden.includes(1)) return text;
    let masked = '';
    for (let index = 0; index < text.length; index += 1) {
      if (hidden[index] === 0) masked += text[index];
      else if (index === 0 || hidden[index - 1] === 0) masked += mask;
    }
    return masked;
  };
}

const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const allUnsafe = new RegExp(unsafe, 'gu');

/** Makes one safe line: `replace` gets control, format and separator characters and lone surrogates. */
export function plain(text: string, replace: (character: string) => string = escapeCharacter): string {
  return unsafe.test(text) ? text.replace(allUnsafe, replace) : text;
}

function escapeCharacter(character: string): string {
  if (/[\n\t\r]/.test(character)) return JSON.stringify(character).slice(1, -1);
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Escapes a character as JSON, JavaScript and a YAML string in double quotes do. */
export function escapedInString(character: string): string {
  const escapedUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return character.split('').map(escapedUnit).join('');
}

/** CI runners execute `##[` and `##vso[` anywhere in a line, and `::` where a line begins. */
const command = /#(?=#\w*\[)|(?<=^[^\S\r\n]*):(?=:)/gm;

/** Breaks every command of a CI runner, because names and error texts of others stand in the output. */
export function inert(text: string, replace: (character: string) => string = escapeCharacter): string {
  return text.replace(command, replace);
}

/** Makes each line of a text safe. */
export function plainLines(text: string): string {
  return text.replace(/[^\n]+/g, (line) => plain(line));
}

/** Makes one line of at most so many characters, none of them halved, with blanks for unsafe ones. */
export function oneLine(text: string, maxLength = 500): string {
  const line = plain(text, () => ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length > maxLength ? `${plain(line.slice(0, maxLength - 1), () => '')}…` : line;
}

/** A text to hide, in lower case, of which each part with at least `width` characters is hidden. */
interface Form {
  readonly text: string;
  readonly width: number;
}

/** It stands for what is before and after a form. */
const border = '\uffff';

/**
 * Returns a function that marks, by 1, the characters of a lower-case text that show a part of these forms. Forms are cut into blocks of half
 * a width, because each part holds a whole block. A set of all parts would be many times as large.
 */
function createFinder(forms: readonly Form[]): (text: string) => Uint8Array {
  /** It holds, by width and by block, the surroundings that a part with this block can show. */
  const index = new Map<number, Map<string, Set<string>>>();
  // A block begins at few places. The first two characters exclude most others without a copy.
  const beginnings = new Uint8Array(1 << 16);
  for (const { text, width } of forms) {
    const size = Math.ceil(width / 2);
    const blocks = index.get(width) ?? new Map<string, Set<string>>();
    index.set(width, blocks);
    const padding = border.repeat(width);
    const padded = padding + text + padding;
    for (let at = width; at + size <= width + text.length; at += size) {
      const block = padded.slice(at, at + size);
      const surroundings = blocks.get(block) ?? new Set();
      blocks.set(block, surroundings.add(padded.slice(at - width + size, at + width)));
      beginnings[hashFirstTwo(block, 0)] = 1;
    }
    // A block of one character may be followed by any other.
    if (size === 1) beginnings.fill(1);
  }
  return (text) => {
    const hidden = new Uint8Array(text.length);
    for (let start = 0; start < text.length; start += 1) {
      if (beginnings[hashFirstTwo(text, start)] === 0) continue;
      for (const [width, blocks] of index) {
        const size = Math.ceil(width / 2);
        for (const around of blocks.get(text.slice(start, start + size)) ?? []) {
          const at = width - size;
          // The text may have the character of a border, which belongs to no secret there.
          const isSame = (offset: number) =>
            around[at + offset] !== border && text[start + offset] === around[at + offset];
          let [before, after] = [0, size];
          while (before < at && isSame(-before - 1)) before += 1;
          while (after < width && isSame(after)) after += 1;
          if (before + after >= width) hidden.fill(1, start - before, start + after);
        }
      }
    }
    return hidden;
  };
}

/** Returns a number from the first two characters. */
function hashFirstTwo(text: string, start: number): number {
  // `charCodeAt` returns NaN after the end, which counts as 0.
  return ((text.charCodeAt(start) * 251) ^ text.charCodeAt(start + 1)) & 0xffff;
}

/** Returns the forms of a secret. Each part that shows `piece` of its characters is to be hidden. */
function toForms(secret: string, piece: number): Form[] {
  return [...new Set(spellings(secret).map(lower))].map((text) => {
    // An encoding needs more characters for the same part.
    const width = Math.ceil((piece * text.length) / Math.max(piece, secret.length));
    return { text, width: Math.min(text.length, width) };
  });
}

/** Returns the forms in which services and proxies are known to repeat a text. */
function spellings(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1)];
  // Encodings of very short secrets would match normal text.
  return [...forms, ...forms.flatMap(encodings).filter((form) => form.length >= minPiece)];
}

const entities = new Map(
  [...'&<>"\''].map((character, at) => [character, ['amp', 'lt', 'gt', 'quot', '#39'][at]]),
);

function encodings(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const inUrl = encodeURIComponent(bytes.toString());
  const strict = inUrl.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const byName = (character: string) => `&${entities.get(character)};`;
  const decimal = (character: string) => `&#${character.codePointAt(0)};`;
  const inHex = (character: string) => `&#x${character.codePointAt(0)?.toString(16)};`;
  // The base64 of bytes within a longer text depends on the number of bytes before them, modulo 3.
  const within = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    return whole.toString('base64').slice(first, Math.floor((whole.length * 8) / 6));
  });
  const base64 = [bytes.toString('base64'), ...within];
  return [
    inUrl,
    strict,
    strict.replaceAll('%20', '+'),
    hex,
    hex.replace(/../g, '%$&'),
    text.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`),
    text.replace(/[&<>]/g, byName),
    ...[byName, decimal, inHex].map((encode) => text.replace(/[&<>"']/g, encode)),
    ...[decimal, inHex].map((encode) => text.replace(/./gsu, encode)),
    ...base64.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
  ];
}

/** Services repeat host names in lower case. Only ASCII is changed, so that offsets stay the same. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
