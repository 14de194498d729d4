/** Removes compiled files whose source is gone, so that no deleted test or module lives on in dist/. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiled = /\.(?:d\.ts|js|js\.map)$/u;

if (existsSync(dist)) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !compiled.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const source = join(root, relative(dist, file).replace(compiled, '.ts'));
    if (!existsSync(source)) rmSync(file);
  }
}
