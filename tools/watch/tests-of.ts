/** Which tests stand for a compiled file: itself, the test of its name, else those that are nearest to it by imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const isTest = (file: string): boolean => file.endsWith('.test.js');

/** Test files below `dist/test` for changed files below `dist`, each once; paths relative to the root. */
export function testsOf(root: string, changed: readonly string[]): readonly string[] {
  const all = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => posix.join('dist', file))
    .sort();
  const tests = new Set(all.filter((file) => file.startsWith('dist/test/') && isTest(file)));
  let importers: ReadonlyMap<string, readonly string[]> | undefined;
  const importersOf = (file: string): readonly string[] => {
    importers ??= readImporters(root, all);
    return importers.get(file) ?? [];
  };
  /** Of one file, without a look at who imports its importers. */
  const direct = (file: string): readonly string[] => {
    const named = file.replace(/^dist\/(.*)\.js$/u, 'dist/test/$1.test.js');
    return tests.has(named) ? [named] : importersOf(file).filter((one) => tests.has(one));
  };
  const found = changed.flatMap((file) => {
    if (isTest(file)) return tests.has(file) ? [file] : [];
    const seen = new Set([file]);
    for (let level = [file]; level.length > 0; ) {
      const nearest = level.flatMap(direct);
      if (nearest.length > 0) return nearest;
      level = [...new Set(level.flatMap(importersOf))].filter((one) => !seen.has(one));
      for (const one of level) seen.add(one);
    }
    return [];
  });
  return [...new Set(found)];
}

/** Who requires a compiled file of ours, by its path relative to the root. */
function readImporters(root: string, files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/require\("(\.[^"]+)"\)/gu)) {
      const path = posix.join(dirname(file), target);
      for (const one of [`${path}.js`, `${path}/index.js`]) {
        importers.set(one, [...(importers.get(one) ?? []), file]);
      }
    }
  }
  return importers;
}
