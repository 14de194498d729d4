/** Which tests stand for a compiled file: itself, the test of its name, else those that import it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const isTest = (file: string): boolean => file.endsWith('.test.js');

/** Test files below `dist/test` for changed files below `dist`, each once; paths relative to the root. */
export function testsOf(root: string, changed: readonly string[]): readonly string[] {
  const all = readdirSync(join(root, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter(isTest)
    .map((file) => posix.join('dist/test', file))
    .sort();
  const found = changed.flatMap((file) => {
    if (isTest(file)) return all.includes(file) ? [file] : [];
    const named = file.replace(/^dist\/(.*)\.js$/u, 'dist/test/$1.test.js');
    return all.includes(named) ? [named] : all.filter((test) => imports(root, test).has(file));
  });
  return [...new Set(found)];
}

/** What a compiled file requires of ours, as paths relative to the root. */
function imports(root: string, file: string): ReadonlySet<string> {
  const text = readFileSync(join(root, file), 'utf8');
  return new Set(
    [...text.matchAll(/require\("(\.[^"]+)"\)/gu)].flatMap(([, target = '']) => {
      const path = posix.join(dirname(file), target);
      return [`${path}.js`, `${path}/index.js`];
    }),
  );
}
