/** `make mutants`: takes rules out of a copy of the compiled product, one at a time, and counts the courses until the model finds each. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

interface Mutant {
  /** The rule that is removed. */
  readonly name: string;
  /** It must match the compiled product exactly once. */
  readonly anchor: RegExp;
  readonly instead: string;
}

const mutants: readonly Mutant[] = [
  {
    name: '1 a list that cannot be read is not missing',
    anchor: /if \(unreadable\?\.state === 'unreadable'\)(.*?)if \(\w+\.length === 0\)/gsu,
    instead: 'if (false)$1if (false)',
  },
  {
    name: '2 a create is saved as pending before its POST',
    anchor: /ledger\.setPending\(address, \{.*?\}\);/gsu,
    instead: '',
  },
  {
    name: '3 the POST of a client is not repeated',
    anchor: /const mayMakeSecond = isAmbiguous && !isIdempotent\(request\);/gu,
    instead: 'const mayMakeSecond = false;',
  },
  {
    name: '4 the limit on losses',
    anchor: /if \(losses <= limit\)/gu,
    instead: 'if (true)',
  },
  {
    name: '5 an approval names the id',
    anchor: /line\.address === address && line\.id === id &&/gu,
    instead: 'line.address === address &&',
  },
  {
    name: '6 the lock',
    anchor: /release: await lock\(file,/gu,
    instead: 'release: await lock(file + Math.random(),',
  },
  {
    name: '7 a client is read again before its PATCH or DELETE',
    anchor: /(async function readUnchanged\(api, step[^)]*\) \{)/gu,
    instead: '$1 return { id: step.objectId, values: step.observed ?? {}, outputs: {} };',
  },
  {
    name: '8 no link is deleted beside an unknown one',
    anchor: /const heldEnds = findHeldEnds\(decisions\.links\);/gu,
    instead: 'const heldEnds = new Map();',
  },
  {
    name: '9 no link is deleted while a name is unknown',
    anchor: /if \(facts\.unknownNames\.length === 0\)/gu,
    instead: 'if (true)',
  },
  {
    name: '10 the digest of --expect',
    anchor: /hash\.update\(stepText\(step\)\)/gu,
    instead: 'stepText(step)',
  },
  {
    name: '11 the digest contains approvals',
    anchor: /approval: \(step\) => [^\n]*'approval'\)\?\.given,/gu,
    instead: "approval: 'left out',",
  },
  {
    name: '12 a forget line keeps a link from an exact set',
    anchor: /\[\{ declared: 'forget' \}, 'nothing'\],/gu,
    instead: '',
  },
  {
    name: '13 the list is read once more before the first POST',
    anchor: /await this\.cache\.read\((\(0, oauth_client_calls_1\.toClientList\)\(organization\))\)/gu,
    instead: 'this.options.observed.lists[$1.name].items',
  },
  {
    name: '14 the digest of a secret leaves the ledger before its PATCH',
    anchor: /ledger\.set\(address, \{ \.\.\.before, digests \}\);\s*await ledger\.save\(\);/gu,
    instead: '',
  },
  {
    name: '15 a delete waits for creates with a common end',
    anchor: /(step\.action !== 'delete' \|\| )roomMakers\.has\(step\)/gu,
    instead: '$1true',
  },
  {
    name: '16 a ledger belongs to one service',
    anchor: /if \(isEmpty \|\| \w+ === address/gu,
    instead: 'if (true',
  },
  {
    name: '17 a forget line that names nothing holds the deletes of its kind',
    anchor: /const line = lines\.find\(\(candidate\) => mayMean\(candidate, deletion, key\)\);/gu,
    instead: 'const line = undefined;',
  },
  {
    name: '18 no client is deleted if a create failed',
    anchor: /\? context\.newClients : \[\]/gu,
    instead: '? [] : []',
  },
  {
    name: '19 a new exact set deletes nothing of others unasked',
    anchor: /(\w+) \|\| newSet \? 0/gu,
    instead: '$1 ? 0',
  },
  {
    name: '20 a declared value that no answer shows is a problem',
    anchor: /(= hiddenFields\(definition, wanted, found\);\s*)if \(\w+\.length === 0\)/gu,
    instead: '$1if (true)',
  },
  {
    name: '21 clients are deleted after everything else',
    anchor: /const afterRules = \[everythingElse, room\];/gu,
    instead: 'const afterRules = [room];',
  },
];

const root = resolve(__dirname, '../../..');
const product = ['client', 'resources', 'observation', 'manifest', 'reconciler'];
const most = Number(process.env.COURSES ?? 300);
const first = Number(process.env.SEED ?? 1);

function compiled(place: string): string[] {
  return product.flatMap((folder) => {
    const entries = readdirSync(join(place, 'dist', folder), { recursive: true, encoding: 'utf8' });
    return entries
      .filter((entry) => entry.endsWith('.js'))
      .map((entry) => join(place, 'dist', folder, entry));
  });
}

/** Returns a line for each mutant whose anchor does not match exactly once. */
export function adrift(some = mutants): string[] {
  const texts = compiled(root).map((file) => readFileSync(file, 'utf8'));
  return some.flatMap(({ name, anchor }) => {
    const found = texts.reduce((sum, text) => sum + [...text.matchAll(anchor)].length, 0);
    return found === 1 ? [] : `${name}: its anchor stands ${found} times in the product, not once: adapt it`;
  });
}

/** Makes a copy of the compiled product with the text replaced. */
function mutate({ anchor, instead }: Mutant): string {
  const place = mkdtempSync(join(tmpdir(), 'tether-mutant-'));
  for (const part of ['dist', 'profiles', 'package.json'])
    cpSync(join(root, part), join(place, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  for (const file of compiled(place)) {
    const text = readFileSync(file, 'utf8');
    const mutated = text.replace(anchor, instead);
    if (mutated !== text) writeFileSync(file, mutated);
  }
  return place;
}

/** Finds the first failing course from a seed on, and the promise that it breaks. */
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
  const failure = firstFailure(place, first, most);
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
  const chosen = mutants.filter(({ name }) => name.startsWith(only === '' ? only : `${only} `));
  // All anchors are checked first, because a run takes a quarter of an hour.
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
