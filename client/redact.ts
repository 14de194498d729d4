/** Makes text from the service fit to show: without the secrets that were sent, control characters, or excess length. */

const WINDOW = 8;
const MASK = '(secret)';

/** `text` with every part of a secret masked; a service may echo one whole, cut off, or line by line. */
export function redact(text: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret !== '')
    .flatMap(spellings)
    .map(lower);
  const compared = lower(text);
  const hidden = new Uint8Array(text.length);
  for (const form of forms) {
    const width = Math.min(WINDOW, form.length);
    for (let start = 0; start + width <= text.length; start += 1) {
      if (form.includes(compared.slice(start, start + width))) hidden.fill(1, start, start + width);
    }
  }
  let shown = '';
  for (let index = 0; index < text.length; index += 1) {
    if (hidden[index] === 0) shown += text[index];
    else if (index === 0 || hidden[index - 1] === 0) shown += MASK;
  }
  return shown;
}

/** One line of at most 500 characters that cannot move a terminal's cursor. */
export function oneLine(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return line.length > 500 ? `${line.slice(0, 499)}…` : line;
}

function spellings(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(Buffer.from(secret).toString()),
    Buffer.from(secret).toString('base64'),
  ];
}

/** Host names come back in lower case; only ASCII, since other letters may change the length. */
function lower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
