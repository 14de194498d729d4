// Reads the `include` parameter.

/** The names asked for, once the route's schema has refused unknown ones; empty means none. */
export function readInclude(value: unknown): Set<string> {
  return new Set(typeof value === 'string' ? value.split(',').filter((name) => name !== '') : []);
}
