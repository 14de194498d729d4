/** No chain of imports in the product is long, because a reader may have to follow it to its end. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../../..');
const maxFiles = 15;

const folders = [
  'client',
  'resources',
  'observation',
  'manifest',
  'reconciler',
  'provider',
  'cli',
  'service',
];
const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name)),
);

function readImports(file: string): readonly string[] {
  const matches = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'/g);
  const paths = [...matches].map(([, path = '']) => resolve(file, '..', path));
  return paths.flatMap(
    (path) => files.find((name) => [`${path}.ts`, join(path, 'index.ts')].includes(name)) ?? [],
  );
}

const chains = new Map<string, readonly string[]>();

/** Returns the longest chain of imports that begins with the file. The import rules forbid a cycle. */
function findChain(file: string): readonly string[] {
  const longest = chains.get(file) ?? [
    file,
    ...(readImports(file)
      .map(findChain)
      .sort((left, right) => right.length - left.length)[0] ?? []),
  ];
  chains.set(file, longest);
  return longest;
}

describe('the longest chain of imports', () => {
  it(`has at most ${maxFiles} files: move what is shared below, or pass a value`, () => {
    for (const chain of files.map(findChain)) {
      const names = chain.map((file) => file.slice(root.length + 1));
      assert.ok(chain.length <= maxFiles, names.join(' > '));
    }
  });
});
