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
      secrets.filter((secret) => secret !== '').flatMap((secret) => cutPieces(secret, piece)),
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

/** Returns a function that marks, by 1, the characters of a lower-case text that belong to one of these pieces. */
function createFinder(allPieces: readonly string[]): (text: string) => Uint8Array {
  const pieces = new Set(allPieces);
  const widths = new Set(allPieces.map((piece) => piece.length));
  // A secret begins at few places. The first two characters exclude most others without a copy.
  const beginnings = new Uint8Array(1 << 16);
  for (const piece of pieces) beginnings[hashFirstTwo(piece, 0)] = 1;
  // A piece of one character may be followed by any other.
  if (widths.has(1)) beginnings.fill(1);
  return (text) => {
    const hidden = new Uint8Array(text.length);
    for (let start = 0; start < text.length; start += 1) {
      if (beginnings[hashFirstTwo(text, start)] === 0) continue;
      for (const width of widths) {
        if (pieces.has(text.slice(start, start + width))) hidden.fill(1, start, start + width);
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

/** Returns all texts that show `piece` characters of a secret, in lower case. */
function cutPieces(secret: string, piece: number): string[] {
  return spellings(secret).flatMap((spelling) => {
    const form = lower(spelling);
    // An encoding needs more characters for the same part.
    const width = Math.min(form.length, Math.ceil((piece * form.length) / Math.max(piece, secret.length)));
    return Array.from({ length: form.length - width + 1 }, (_, start) => form.slice(start, start + width));
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
