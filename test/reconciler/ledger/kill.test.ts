/** A ledger whose writer is killed keeps exactly what was acknowledged. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { openLedger } from '../../../reconciler/ledger/open';
import { temporaryFolder } from '../../support/temporary-folder';

/** Small numbers that look random and are the same in each run (a linear congruential generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a ledger whose writer is killed', () => {
  const folder = temporaryFolder();
  const writer = join(__dirname, '../../support/ledger-writer.js');

  /** Starts a writer, kills it after so many acknowledged records, and returns the last number it acknowledged. */
  async function writeAndKill(first: number, inOneRun: number, acknowledged: number): Promise<number> {
    const child = spawn(execPath, [writer, folder(), String(first), String(inOneRun)]);
    let output = '';
    let complaint = '';
    child.stderr.on('data', (chunk) => {
      complaint += String(chunk);
    });
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
      if (output.split('\n').length > acknowledged) child.kill('SIGKILL');
    });
    await once(child, 'close');
    assert.equal(complaint, '');
    const whole = output.slice(0, output.lastIndexOf('\n')).split('\n');
    return Number(whole.at(-1));
  }

  async function recorded(): Promise<number[]> {
    const ledger = await openLedger({ folder: folder(), organization: 'acme' }, { write: false });
    const objects = Object.values(ledger.ledger.objects);
    return objects
      .map(({ values }) => Number(String(values.projectId).slice('prj-'.length)))
      .sort((a, b) => a - b);
  }

  for (const [when, inOneRun] of [
    ['while it appends', 0],
    ['in the middle of short runs, folding included', 2],
  ] as const) {
    it(`has exactly what was acknowledged, and at most the record under way, when killed ${when}`, async () => {
      const seed = 20_260_131 + inOneRun;
      const random = numbers(seed);
      let next = 0;
      for (let round = 0; round < 10; round += 1) {
        const last = await writeAndKill(next, inOneRun, 1 + random(25));
        const found = await recorded();
        const expected = Array.from({ length: found.length }, (_, index) => index);
        assert.deepEqual(found, expected, `round ${round}, seed ${seed}`);
        assert.ok(
          found.length === last + 1 || found.length === last + 2,
          `round ${round}, seed ${seed}: acknowledged ${last + 1}, found ${found.length}`,
        );
        next = found.length;
      }
      const ledger = await openLedger({ folder: folder(), organization: 'acme' }, { write: true });
      await ledger.finish();
      await ledger.close();
      assert.deepEqual(readdirSync(folder()), ['tether.ledger.json']);
      assert.equal((await recorded()).length, next);
    });
  }
});
