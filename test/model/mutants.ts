/** `make mutants`: takes mends out of a copy of the compiled product, one at a time, and counts the courses until the model finds each. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutant {
  /** The number of the mend, and what happens without it. */
  readonly name: string;
  /** Stands once in the compiled product, or as often as `times` says. */
  readonly anchor: RegExp;
  readonly instead: string;
  readonly times?: number;
}

const mutants: readonly Mutant[] = [
  {
    name: '1 attachments are missing though their client shows them',
    anchor: /shownBy: 'oauthClientId',/gu,
    instead: '',
  },
  {
    name: '2 the organization is edited in a folder that has a ledger',
    anchor: /throw new LedgerMismatch\(/gu,
    instead: 'void new LedgerMismatch(',
  },
  {
    name: '2 a manifest with another ending is passed over',
    anchor: /issues\.error\('other-ending'/gu,
    instead: "void ('other-ending'",
  },
  {
    name: '2 a file that cannot be read is passed over',
    anchor: /issues\.error\('unreadable'/gu,
    instead: "void ('unreadable'",
  },
  {
    name: '3 steps wait for each other in a circle',
    anchor: /allWaiting\(waiting, step\.id\)/gu,
    instead: 'new Set([step.id, ...(waiting.get(step.id) ?? [])])',
  },
  {
    name: '7 key takes null',
    anchor: /(\n {4}key: \{\s+type: 'string',)/gu,
    instead: '$1 nullable: true,',
  },
  {
    name: '7 rsaPublicKey takes null',
    anchor: /(\n {4}rsaPublicKey: \{\s+type: 'string',)/gu,
    instead: '$1 nullable: true,',
  },
  {
    name: '10 a replace does not ask the ledger for protection',
    anchor: /\(wanted \?\? ledger\.objects\[key\]\)\?\.protect/gu,
    instead: '(wanted === undefined ? ledger.objects[key] : undefined)?.protect',
  },
  {
    name: '10 leaving the line out lifts protection',
    anchor: /entry\.protect \?\? held\?\.protect \?\? false/gu,
    instead: 'entry.protect ?? false',
  },
  {
    name: '12 no look follows a refused create (V7)',
    anchor: /if \(!mayBeThere\(failure\)\)/gu,
    instead: "if (!mayBeThere(failure) || ['NotFound', 'Invalid'].includes(failure.name))",
  },
  {
    name: '12 an id that was listed before is taken for a new one (V4)',
    anchor: /if \(!intent\.existed\(made\.id\)\)/gu,
    instead: 'if (true)',
  },
  {
    name: '12 an answer with other values passes',
    anchor: /(function refuseOtherValues\([^)]*\) \{)/gu,
    instead: '$1 return;',
  },
];

const root = resolve(__dirname, '../../..');
const product = ['client', 'resources', 'observation', 'manifest', 'reconciler'];
const most = Number(process.env.COURSES ?? 300);

function compiled(place: string): string[] {
  return product.flatMap((folder) => {
    const entries = readdirSync(join(place, 'dist', folder), { recursive: true, encoding: 'utf8' });
    return entries
      .filter((entry) => entry.endsWith('.js'))
      .map((entry) => join(place, 'dist', folder, entry));
  });
}

/** A line for each whose anchor does not stand in the compiled product as often as it has to. */
export function adrift(some = mutants): string[] {
  const texts = compiled(root).map((file) => readFileSync(file, 'utf8'));
  return some.flatMap(({ name, anchor, times = 1 }) => {
    const found = texts.reduce((sum, text) => sum + [...text.matchAll(anchor)].length, 0);
    return found === times
      ? []
      : `${name}: its anchor stands ${found} times in the product, not ${times}: adapt it`;
  });
}

/** A copy of what was compiled, with the text replaced. */
function mutate({ anchor, instead }: Mutant): string {
  const place = mkdtempSync(join(tmpdir(), 'tether-mutant-'));
  for (const part of ['dist', 'profiles', 'schemas', 'package.json'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  for (const file of compiled(place)) {
    const text = readFileSync(file, 'utf8');
    const mutated = text.replace(anchor, instead);
    if (mutated !== text) writeFileSync(file, mutated);
  }
  return place;
}

/** The first course from a seed on that fails, and which promise it breaks. */
function firstFailure(
  place: string,
  seed: number,
  courses: number,
): { seed: number; oracle: string } | undefined {
  const env = { ...process.env, FIRST: '1', SEED: String(seed), COURSES: String(courses) };
  const soak = join(place, 'dist/test/model/soak.js');
  const { stdout } = spawnSync(process.execPath, [soak], { cwd: place, env, encoding: 'utf8' });
  const [, found, oracle = ''] = /^found by seed (\d+): (.*)$/mu.exec(stdout) ?? [];
  return found === undefined ? undefined : { seed: Number(found), oracle };
}

/** Throws when the unchanged product fails that course too, because such a course says nothing about a mutant. */
function hunt(place: string): string | undefined {
  const failure = firstFailure(place, 1, most);
  if (failure === undefined) return undefined;
  if (firstFailure(root, failure.seed, 1) !== undefined) {
    throw new Error(
      `course ${failure.seed} fails without a mutant: SEED=${failure.seed} COURSES=1 make soak shows it`,
    );
  }
  return `found by course ${failure.seed}: ${failure.oracle}`;
}

function main(): number {
  const only = process.env.ONLY ?? '';
  const chosen = mutants.filter(({ name }) => name.startsWith(only));
  // At first: nobody waits an hour to hear that the last one is gone.
  const lost = adrift(chosen);
  if (lost.length > 0) {
    process.stderr.write(`${lost.join('\n')}\n`);
    return 1;
  }
  let missed = 0;
  for (const mutant of chosen) {
    const place = mutate(mutant);
    let found: string | undefined;
    try {
      found = hunt(place);
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`);
      return 1;
    } finally {
      rmSync(place, { recursive: true });
    }
    if (found === undefined) missed += 1;
    process.stdout.write(`${mutant.name}: ${found ?? `not found in ${most} courses`}\n`);
  }
  return missed === 0 ? 0 : 1;
}

if (require.main === module) process.exitCode = main();
