/** Writes the manifest's schema and reference, and the planning table. With --check, it fails if one is stale. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { manifestSchema } from '../manifest/schema';
import { builtInProfiles, readProfile } from '../resources/profile';
import { manifestReference } from './generated/manifest-reference';
import { planningTable } from './generated/planning-table';

const root = resolve(__dirname, '..', '..');

/** Returns the content of each generated file. The keys are paths below the root. */
export function generated(): ReadonlyMap<string, string> {
  const profiles = builtInProfiles.map((name) => readProfile(name, root));
  return new Map([
    ['docs/architecture.md', withTable('docs/architecture.md')],
    ['docs/reference/manifest.schema.json', `${JSON.stringify(manifestSchema(), null, 2)}\n`],
    ['docs/reference/manifest.md', manifestReference(profiles)],
  ]);
}

/** Returns the page with the present table between its marks. */
function withTable(path: string): string {
  const marks = /(<!-- planning table -->\n).*?(<!-- end of planning table -->)/su;
  const page = readFileSync(join(root, path), 'utf8');
  return page.replace(marks, (_all, begin, end) => `${begin}\n${planningTable()}\n\n${end}`);
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
