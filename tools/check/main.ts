/** `make check`: format, lint, promise rules, import rules, house rules, generated files. Runs all, then fails if any did. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { exceptions } from './exceptions';
import { checkHouse } from './house-rules';
import { listSourceFiles } from './source-files';

const root = resolve(__dirname, '../../..');

interface Outcome {
  readonly ok: boolean;
  readonly output: string;
}

/** Runs a program of node_modules or dist with this Node. */
function run(script: string, ...args: string[]): Outcome {
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(root, script), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { ok: status === 0, output: `${stdout}${stderr}${error === undefined ? '' : error.message}` };
}

function house(): Outcome {
  const findings = checkHouse(listSourceFiles(root), exceptions);
  const lines = findings.map(
    ({ rule, path, line, message }) => `${path}${line === undefined ? '' : `:${line}`}  ${rule}: ${message}`,
  );
  return { ok: findings.length === 0, output: lines.join('\n') };
}

const folders = [
  'index.ts',
  'client',
  'resources',
  'observation',
  'manifest',
  'reconciler',
  'provider',
  'cli',
  'service',
  'tools',
  'test',
  'bench',
];
const present = folders.filter((folder) => existsSync(join(root, folder)));

const checks: readonly (readonly [string, () => Outcome])[] = [
  [
    'format and lint (biome)',
    () => run('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  ],
  ['promises (eslint)', () => run('node_modules/eslint/bin/eslint.js', '--max-warnings', '0', '.')],
  [
    'imports (dependency-cruiser)',
    () =>
      run(
        'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
        '--config',
        '.dependency-cruiser.cjs',
        '--output-type',
        'err-long',
        ...present,
      ),
  ],
  ['house rules', house],
  ['generated files are current', () => run('dist/tools/generate.js', '--check')],
];

let failed = 0;
for (const [name, check] of checks) {
  const started = Date.now();
  const { ok, output } = check();
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
  );
  if (!ok) {
    failed += 1;
    process.stdout.write(`${output.trimEnd()}\n\n`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
