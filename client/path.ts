/** Paths below the base URL: every part that comes from outside is encoded or refused. */

/** `/one/two`, each part encoded. */
export function routeOf(path: readonly string[]): string {
  return path.map((part) => `/${encodeURIComponent(Buffer.from(part).toString())}`).join('');
}

/** The first part that no encoding makes safe. */
export function unsafePart(path: readonly string[]): string | undefined {
  // A URL parser reads `..` and `%2e%2e` alike as "one level up", and an empty part names the list above.
  return path.find((part) => part === '' || part === '.' || part === '..' || /\p{Cs}/u.test(part));
}

/** `?name=value&…` with `[` and `]` in names encoded, or nothing. */
export function queryString(query: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
