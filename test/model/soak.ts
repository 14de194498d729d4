/** `make soak` plays courses from seeds without end. It prints a failure in its smallest form. */
import { playAgain, playSeed, type Recorded } from './play';
import { report } from './shrink';

const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

/** Prints the number of courses for each kind of event. */
function table(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([tag, count]) => `${tag} ${count}`)
    .join(', ');
}

async function soak(): Promise<number> {
  // `make mutants` sets FIRST: the run ends at its first failure, in one line that mutants.ts reads.
  const { REPLAY, FIRST } = process.env;
  if (REPLAY !== undefined) {
    const broken = await playAgain(JSON.parse(REPLAY) as Recorded);
    process.stdout.write(`${broken?.message ?? 'every promise held'}\n`);
    return broken === undefined ? 0 : 1;
  }
  const first = number('SEED', 1);
  const last = first + number('COURSES', Number.POSITIVE_INFINITY);
  const counts = new Map<string, number>();
  let failures = 0;
  for (let seed = first; seed < last; seed += 1) {
    const played = await playSeed(seed, number('STEPS', 6));
    for (const tag of played.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    if (played.broken !== undefined && FIRST !== undefined) {
      process.stdout.write(`found by seed ${seed}: ${played.broken.oracle}\n`);
      return 1;
    }
    if (played.broken !== undefined) {
      failures += 1;
      process.stdout.write(`${await report(played)}\n\n`);
    }
    if (seed % 50 === 0) process.stdout.write(`seed ${seed}: ${failures} failures\n`);
  }
  process.stdout.write(`${table(counts)}\n${failures} failures\n`);
  return failures === 0 ? 0 : 1;
}

void soak().then((code) => process.exit(code));
