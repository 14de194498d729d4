/** Paths below the base URL: every part that comes from outside is encoded or refused. */
import { Invalid } from './errors.js';

/** A path from a template, each part encoded; throws `Invalid` for a part that no encoding makes safe. */
export function route(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.reduce((path, text, index) => path + encodePart(parts[index - 1] ?? '') + text);
}

/** `?name=value&…` with `[` and `]` in names encoded, or nothing. */
export function queryString(query: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encodePart(part: string): string {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  if (part === '' || part === '.' || part === '..' || /\p{Cs}/u.test(part)) {
    throw new Invalid(`${JSON.stringify(part)} is not an id or a name: nothing was sent`, 'not-sent', {
      method: '',
      route: '',
      status: null,
      attempts: 0,
      details: [],
    });
  }
  return encodeURIComponent(part);
}
