/** `make soak`: courses without end, each from its seed; a failure is printed as small as it can be made. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { libraryTool } from './course';
import { variations } from './generate';
import { playAgain, playSeed, type Recorded } from './play';
import { processTool } from './process-tool';
import { report } from './shrink';
import { Coverage } from './variations';

const number = (name: string, otherwise: number): number => {
  const text = process.env[name];
  return text === undefined || text === '' ? otherwise : Number(text);
};

async function soak(): Promise<number> {
  const { REPLAY, CLI } = process.env;
  const makeTool = CLI === undefined ? libraryTool : processTool;
  if (REPLAY !== undefined) {
    const broken = await playAgain(JSON.parse(REPLAY) as Recorded, makeTool);
    process.stdout.write(`${broken?.message ?? 'every promise held'}\n`);
    return broken === undefined ? 0 : 1;
  }
  const first = number('SEED', 1);
  const last = first + number('COURSES', Number.POSITIVE_INFINITY);
  const { TABLE } = process.env;
  const known = TABLE !== undefined && existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '{}';
  const coverage = new Coverage(JSON.parse(known) as Record<string, number>);
  let failures = 0;
  for (let seed = first; seed < last; seed += 1) {
    const played = await playSeed(seed, number('STEPS', 6), makeTool);
    coverage.add(played.tags, played.missed);
    if (played.broken !== undefined && process.env.FIRST !== undefined) {
      process.stdout.write(`found by seed ${seed}: ${played.broken.oracle}\n`);
      return 1;
    }
    if (played.broken !== undefined) {
      failures += 1;
      process.stdout.write(`${await report(played, makeTool)}\n\n`);
    }
    if (seed % 50 === 0)
      process.stdout.write(`seed ${seed}: ${failures} failures; ${coverage.summary(variations)}\n`);
    if (TABLE !== undefined) writeFileSync(TABLE, JSON.stringify(coverage.counts()));
  }
  process.stdout.write(`${coverage.table(variations)}\n${failures} failures\n`);
  return failures === 0 ? 0 : 1;
}

void soak().then((code) => process.exit(code));
