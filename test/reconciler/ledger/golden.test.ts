/** A ledger and a journal that an earlier version wrote are read as it read them, and nothing is left to do. */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLedger } from '../../../reconciler/ledger/file';
import { type Ledger, serializeLedger } from '../../../reconciler/ledger/ledger';
import { inspectLedger } from '../../../reconciler/ledger/open';
import type { SeedObject } from '../../../service';
import { withRealDigests } from '../../support/cheap-digests';
import { World } from '../../support/world';

const fixtures = join(__dirname, '../../../../test/reconciler/ledger/fixtures');
const ledgerFile = 'tether.ledger.json';

describe('files of an earlier version', () => {
  withRealDigests();
  let world: World;
  afterEach(() => world.close());

  const textOf = (name: string, file: string) => readFileSync(join(fixtures, name, file), 'utf8');

  /** A folder as an earlier version left it, beside the service as it was then. */
  async function restore(name: string): Promise<void> {
    const seed: SeedObject = JSON.parse(textOf(name, 'seed.json'));
    world = await World.start(seed);
    for (const file of readdirSync(join(fixtures, name)).filter((one) => /^(main|tether)\./.test(one))) {
      copyFileSync(join(fixtures, name, file), join(world.folder, file));
    }
  }

  const digestsIn = ({ objects }: Ledger) =>
    Object.values(objects).flatMap(({ digests }) => Object.values(digests));

  for (const name of readdirSync(fixtures)) {
    it(`hold the same ledger: ${name}`, async () => {
      await restore(name);
      const stored = textOf(name, ledgerFile);
      assert.equal(serializeLedger(parseLedger(stored, ledgerFile)), stored);
      const folded = await inspectLedger(world.folder);
      assert.equal(folded && serializeLedger(folded), textOf(name, 'folded.json'));
    });
  }

  it('leave nothing to do once the journal of a killed run is taken in', async () => {
    await restore('unfolded-journal');
    assert.match((await world.expect(0, ['plan'])).stdout, /^No changes\./m);
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual(world.writes(), []);
    const { serial, objects } = JSON.parse(textOf('unfolded-journal', 'folded.json'));
    assert.equal(world.ledger.serial, serial);
    assert.deepEqual(world.ledger.objects, objects);
    assert.ok(!world.has(`${ledgerFile}.journal`));
  });

  it('get the digests of today from the next apply that writes, and no step or write of the service for it', async () => {
    await restore('unfolded-journal');
    const before = digestsIn(JSON.parse(textOf('unfolded-journal', 'folded.json')));
    assert.equal(before.length, 3);
    world.write('main.tether.yaml', world.read('main.tether.yaml').replace('[network, jobs]', '[network]'));
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), ['DELETE /run-triggers/:run_trigger_id']);
    const after = digestsIn(world.ledger);
    assert.equal(new Set(after).size, 3);
    for (const text of after) assert.match(text, /^scrypt:16384:8:1(:[\w-]+){3}$/);
    assert.equal(new Set(after.map((text) => text.split(':')[4])).size, 1);
  });

  it('let an interrupted create go on with what it made, and then leave nothing to do', async () => {
    await restore('interrupted-create');
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
  });
});
