/** A process that takes a lock again and again, reports when it is not alone, and leaves the lock like one that was killed. Arguments: lock file, rounds, a dead process's number. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { argv, pid } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock } from '../../reconciler/ledger/lock';
import { holderWith } from './lock-holders';

async function contend(file: string, rounds: number, deadProcess: number): Promise<void> {
  const count = `${file}.count`;
  for (let round = 0; round < rounds; round += 1) {
    const lock = await acquireLock(file, 'contender', { lockTimeout: 60 });
    // Fails when another is inside.
    closeSync(openSync(`${file}.inside`, 'wx'));
    const before = Number(readFileSync(count, 'utf8'));
    await sleep(1);
    writeFileSync(count, String(before + 1));
    rmSync(`${file}.inside`);
    const dead = holderWith({ pid: deadProcess, token: randomBytes(8).toString('hex') });
    writeFileSync(`${file}.${pid}`, JSON.stringify(dead));
    renameSync(`${file}.${pid}`, file);
    // Not ours any more, so it stays.
    await lock.release();
  }
}

const [file, rounds, deadProcess] = argv.slice(2);
void contend(file ?? '', Number(rounds), Number(deadProcess));
