/** The script that commits the ledger back: ledger and journal, never the lock, also when others push meanwhile. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PipelineWorld } from '../support/pipeline-world';
import { type Ended, runProcess } from '../support/run-process';

describe('ci/commit-ledger.sh', () => {
  let world: PipelineWorld;
  let clone: string;

  beforeEach(async () => {
    world = await PipelineWorld.open();
    clone = world.clone();
  });
  afterEach(async () => {
    await world.close();
  });

  const write = (name: string, text: string): void => writeFileSync(join(clone, name), text);
  const commitLedger = async (): Promise<Ended> => {
    const ended = await runProcess('ci/commit-ledger.sh', ['main'], { cwd: clone, env: world.machine });
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  const state = (): readonly string[] => world.files().filter((file) => file.startsWith('tether.ledger'));

  it('does nothing when there is nothing', async () => {
    const before = world.head();
    await commitLedger();
    assert.equal(world.head(), before);
  });

  it('commits ledger and journal and leaves lock, plan and report alone', async () => {
    for (const name of ['tether.ledger.json', 'tether.ledger.json.journal', 'tether.ledger.json.lock'])
      write(name, '{}\n');
    write('plan.txt', 'plan');
    await commitLedger();
    assert.deepEqual(state(), ['tether.ledger.json', 'tether.ledger.json.journal']);
    assert.ok(!world.files().includes('plan.txt'));
    assert.match(world.git(clone, 'log', '-1', '--format=%s'), /\[skip ci\]$/u);
  });

  it('takes a journal that was folded in off the branch', async () => {
    write('tether.ledger.json', '{}\n');
    write('tether.ledger.json.journal', '{}\n');
    await commitLedger();
    rmSync(join(clone, 'tether.ledger.json.journal'));
    await commitLedger();
    assert.deepEqual(state(), ['tether.ledger.json']);
  });

  it('runs twice without a second commit', async () => {
    write('tether.ledger.json', '{}\n');
    await commitLedger();
    const before = world.head();
    await commitLedger();
    assert.equal(world.head(), before);
  });

  it('keeps what others pushed meanwhile', async () => {
    const other = world.clone();
    writeFileSync(join(other, 'more.tether.yaml'), '# more\n');
    world.commit(other, 'More');
    write('tether.ledger.json', '{}\n');
    await commitLedger();
    assert.deepEqual(state(), ['tether.ledger.json']);
    assert.ok(world.files().includes('more.tether.yaml'));
  });

  it('fails and says what to save when the branch cannot be pushed', async () => {
    world.git(clone, 'remote', 'set-url', '--push', 'origin', '/nowhere');
    write('tether.ledger.json', '{}\n');
    const { code, stderr } = await runProcess('ci/commit-ledger.sh', ['main'], {
      cwd: clone,
      env: world.machine,
    });
    assert.equal(code, 1);
    assert.match(stderr, /save tether\.ledger\.json\* from this run/u);
  });
});
