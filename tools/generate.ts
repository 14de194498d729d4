/** Writes every generated file: schema, references, API coverage and gaps. With --check: fails when they are stale. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { summary } from '../bench/goals';
import { type Results, resultsFile } from '../bench/results';
import { manifestSchema } from '../manifest/schema';
import { readProfile } from '../resources/profile';
import { registry } from '../resources/registry';
import { apiCoverage, gapTable, readProofs } from './api-coverage';
import { commandReference } from './generated/command-reference';
import { jsonReference } from './generated/json-reference';
import { manifestReference } from './generated/manifest-reference';
import { outputSchema } from './generated/output-schema';

const root = resolve(__dirname, '..', '..');

/** Path below the root → content. */
export function generated(): ReadonlyMap<string, string> {
  const profiles = ['default', 'hcp-terraform'].map((name) => readProfile(name, root));
  const proofs = readProofs(root);
  return new Map([
    ['docs/api-coverage.md', apiCoverage(proofs)],
    ['docs/spec-gaps.md', gapTable(proofs)],
    ['schemas/manifest.schema.json', `${JSON.stringify(manifestSchema(registry), null, 2)}\n`],
    ['schemas/output.schema.json', `${JSON.stringify(outputSchema(), null, 2)}\n`],
    ['docs/reference/commands.md', commandReference()],
    ['docs/reference/json.md', jsonReference()],
    ['docs/reference/manifest.md', manifestReference(registry, profiles)],
    ...withFigures(),
  ]);
}

/** Pages with the figures of the last full bench between two marks. */
function withFigures(): readonly (readonly [string, string])[] {
  const file = join(root, resultsFile);
  if (!existsSync(file)) return [];
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
  return (['README.md', 'docs/performance.md'] as const).map((path) => {
    const isShort = path === 'README.md';
    const { node, processors } = results;
    const table = `With Node ${node.slice(1)} on ${processors} processors.\n\n${summary(results, isShort)}`;
    const marks = /(<!-- figures: [^>]*-->\n).*?(<!-- end of figures -->)/su;
    return [
      path,
      readFileSync(join(root, path), 'utf8').replace(
        marks,
        (_all, begin, end) => `${begin}\n${table}\n${end}`,
      ),
    ];
  });
}

function main(check: boolean): number {
  let stale = 0;
  for (const [path, content] of generated()) {
    const file = join(root, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
    stale += 1;
    if (check) process.stderr.write(`${path} is stale: run \`make docs\`\n`);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      process.stdout.write(`wrote ${path}\n`);
    }
  }
  return check && stale > 0 ? 1 : 0;
}

if (require.main === module) process.exitCode = main(process.argv.includes('--check'));
