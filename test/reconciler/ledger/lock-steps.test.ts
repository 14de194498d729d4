/** The lock against processes that are stopped, or killed, at any of their system calls. */
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { createInterface, type Interface } from 'node:readline';
import { acquireLock, freeLock } from '../../../reconciler/ledger/lock';
import { endedProcess } from '../../support/ended-process';
import { holderWith } from '../../support/lock-holders';
import { temporaryFolder } from '../../support/temporary-folder';

/** Why one does not get it: another has it for as long as it waits, or stands between making and writing the file. */
const refusals = /LedgerError: .*(still locked after 1 s|does not say who holds it)/;

const script = join(__dirname, '../../support/lock-taker.js');

/** A process that takes the lock and releases it, one system call after the other. */
class Taker {
  readonly child: ChildProcessWithoutNullStreams = spawn(execPath, [script]);
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface = createInterface({ input: this.child.stdout });
  /** From the moment it has the lock to the end of its round. */
  isInside = false;
  hadIt = false;
  /** What it says on failing to get it. */
  failure = '';
  isDone = false;

  constructor() {
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  /** Runs up to its first system call on the lock. */
  async begin(file: string): Promise<void> {
    Object.assign(this, { isInside: false, hadIt: false, failure: '', isDone: false });
    await this.step(file);
  }

  /** Makes the call that it stands before, and goes on to the next; false at the end of the round. */
  async step(line = 'on'): Promise<boolean> {
    if (this.isDone) return false;
    this.child.stdin.write(`${line}\n`);
    for (;;) {
      const { value } = await this.lines.next();
      const event = String(value);
      if (event === 'has it') this.isInside = this.hadIt = true;
      if (event.startsWith('failed')) this.failure = event;
      // Its last call is the one that removes the lock.
      if (event === 'end') {
        this.isInside = false;
        this.isDone = true;
      }
      if (event === 'end' || event.startsWith('before')) return !this.isDone;
    }
  }

  async close(): Promise<void> {
    this.child.stdin.end();
    await once(this.child, 'close');
  }
}

describe('the lock of a ledger, with processes stopped at each system call', () => {
  const folder = temporaryFolder();
  const dead = endedProcess();
  const takers: Taker[] = [];
  const file = () => join(folder(), 'x.lock');
  const leaveDeadLock = () => writeFileSync(file(), JSON.stringify(holderWith({ pid: dead })));

  before(() => {
    for (let count = 0; count < 3; count += 1) takers.push(new Taker());
  });
  after(() => Promise.all(takers.map((taker) => taker.close())));

  /** Runs the takers in the order of the schedule, which names one by its number for each step, then each to its end. */
  async function play(schedule: readonly number[], name: string): Promise<void> {
    for (const taker of takers) await taker.begin(file());
    const finish = takers.flatMap((_, index) => Array<number>(200).fill(index));
    for (const index of [...schedule, ...finish]) {
      if (takers[index]?.isDone !== false) continue;
      await takers[index].step();
      const inside = takers.filter((taker) => taker.isInside).length;
      assert.ok(inside <= 1, `${name}: ${inside} processes have the lock`);
    }
    const failures = takers.map(({ failure }) => failure).filter((failure) => failure !== '');
    for (const failure of failures) assert.match(failure, refusals, name);
    assert.ok(
      takers.some((taker) => taker.hadIt),
      `${name}: nobody got it`,
    );
    assert.deepEqual(readdirSync(folder()), [], name);
  }

  const beginnings: [string, () => void][] = [
    ['takes over from a dead process', leaveDeadLock],
    ['finds none', () => {}],
  ];
  for (const [what, prepare] of beginnings) {
    describe(`that each ${what}`, () => {
      it('has one holder, wherever one stops, a second stops, and a third comes by', async () => {
        const steps = Array.from({ length: 14 }, (_, index) => index);
        for (const first of steps) {
          for (const second of steps.slice(0, 10)) {
            prepare();
            const schedule = [
              ...Array<number>(first).fill(0),
              ...Array<number>(second).fill(1),
              ...Array<number>(200).fill(2),
              ...Array<number>((first + second) % 2 === 0 ? 200 : 0).fill(1),
            ];
            await play(schedule, `stopped after ${first} and ${second} calls`);
          }
        }
      });

      it('has one holder in any order of the calls of three', async () => {
        let state = 20_260_131;
        for (let number = 0; number < 60; number += 1) {
          prepare();
          const schedule = Array.from({ length: 45 }, () => {
            state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
            return Math.floor((state / 2 ** 32) * 3);
          });
          await play(schedule, `order ${schedule.join('')}`);
        }
      });
    });
  }

  it('is free again after one was killed at any call, if need be as the message says', async () => {
    let remedies = 0;
    for (let calls = 0; ; calls += 1) {
      leaveDeadLock();
      const taker = new Taker();
      await taker.begin(file());
      for (let made = 0; made < calls; made += 1) await taker.step();
      const wasDone = taker.isDone;
      taker.child.kill('SIGKILL');
      await once(taker.child, 'close');
      remedies += (await takeAsTold()) ? 1 : 0;
      assert.deepEqual(readdirSync(folder()), [], `killed after ${calls} calls`);
      if (wasDone) break;
    }
    // Between the making of the claim and its renaming, and only there.
    assert.ok(remedies > 0 && remedies < 6, `${remedies}`);
  });

  /** Takes the lock and releases it; true when that took the remedy of the message first. */
  async function takeAsTold(): Promise<boolean> {
    const clock = { now: Date.now, sleep: async () => {} };
    const take = async () => (await acquireLock(file(), 'next', { clock })).release();
    try {
      await take();
      return false;
    } catch (error) {
      const [, token] = /`tether ledger unlock ([0-9a-f]{16})`/.exec(String(error)) ?? [];
      assert.ok(token, String(error));
      const claim = `${file()}.claim`;
      await freeLock(file(), token).catch((problem: unknown) => {
        assert.match(String(problem), /claim: This lock does not say who holds it\..*delete this file/s);
        assert.equal(readFileSync(claim, 'utf8'), '');
        rmSync(claim);
        return freeLock(file(), token);
      });
      await take();
      return true;
    }
  }
});
