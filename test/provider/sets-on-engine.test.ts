/** Sets of triggers on the real engine: exactly these, and nothing is deleted that no preview has shown. */
import assert from 'node:assert/strict';
import { InboundRunTriggers, OutboundRunTriggers, RunTrigger } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { step } from '../support/step';

const into =
  (sourceableIds: string[], more: object = {}) =>
  async () => {
    new InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds, ...more });
  };

describe('a set of run triggers on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  afterEach(() => world?.close());

  const sources = async () =>
    (await world.somebody.runTriggers.list('ws-app', 'inbound')).map((one) => one.sourceableId).sort();

  it('goes from a refusal over strangers to its destruction, and takes no stranger along', async () => {
    await step('is not created over triggers that it does not list, and names them', async () => {
      await world.somebody.runTriggers.create('ws-app', 'ws-docs');
      world.program = into(['ws-network', 'ws-dns']);
      const up = await world.up();
      assert.match(
        up.failure ?? '',
        /ws-app has inbound triggers that the set does not list: ws-docs\. Add them to sourceableIds, remove them, or set removeUnmanaged: true/,
      );
      assert.deepEqual(await sources(), ['ws-docs']);
    });

    await step('is created over them when it may delete them', async () => {
      world.program = into(['ws-network', 'ws-dns'], { removeUnmanaged: true });
      assert.equal((await world.up()).failure, undefined);
      assert.deepEqual(await sources(), ['ws-dns', 'ws-network']);
      assert.equal((await world.refreshPreview()).failure, undefined);
    });

    await step('takes no notice of the order, and shows a changed member alone', async () => {
      world.program = into(['ws-dns', 'ws-network', 'ws-dns'], { removeUnmanaged: true });
      assert.deepEqual((await world.preview()).steps, { same: 1 });
      world.program = into(['ws-dns', 'ws-jobs', 'ws-network'], { removeUnmanaged: true });
      const up = await world.up();
      assert.deepEqual(up.changes, ['update InboundRunTriggers app [sourceableIds[2]]']);
      assert.deepEqual(await sources(), ['ws-dns', 'ws-jobs', 'ws-network']);
    });

    await step('leaves a stranger until a refresh has shown it', async () => {
      await world.somebody.runTriggers.create('ws-app', 'ws-docs');
      world.program = into(['ws-dns', 'ws-network'], { removeUnmanaged: true });
      assert.equal((await world.up()).failure, undefined);
      assert.deepEqual(await sources(), ['ws-dns', 'ws-docs', 'ws-network']);
      await world.refresh();
      const up = await world.up();
      assert.equal(up.steps.update, 1);
      assert.deepEqual(await sources(), ['ws-dns', 'ws-network']);
    });

    await step('is destroyed with its members alone', async () => {
      await world.somebody.runTriggers.create('ws-app', 'ws-docs');
      world.program = into(['ws-dns', 'ws-network']);
      assert.equal((await world.destroy()).failure, undefined);
      assert.deepEqual(await sources(), ['ws-docs']);
    });
  });

  it('may be made of single triggers, and taken apart into them, without touching one', async () => {
    world.program = async () => {
      new RunTrigger('dns', { workspaceId: 'ws-app', sourceableId: 'ws-dns' });
      new RunTrigger('network', { workspaceId: 'ws-app', sourceableId: 'ws-network' });
    };
    const made = world.program;
    assert.equal((await world.up()).failure, undefined);
    world.program = into(['ws-dns', 'ws-network']);
    world.writes();
    assert.equal((await world.up()).failure, undefined);
    assert.deepEqual(world.writes(), []);
    world.program = made;
    world.writes();
    const apart = await world.up();
    assert.equal(apart.failure, undefined);
    assert.deepEqual(world.writes(), []);
    world.program = into(['ws-dns', 'ws-network']);
    assert.equal((await world.up()).failure, undefined);
    assert.deepEqual(world.writes(), []);
    assert.deepEqual(await sources(), ['ws-dns', 'ws-network']);
  });

  it('shows one line for one change, also where one member is only known later', async () => {
    world.program = into(['ws-dns', 'ws-docs', 'ws-network', 'ws-web']);
    assert.equal((await world.up()).failure, undefined);
    world.program = into(['ws-docs', 'ws-network', 'ws-web']);
    const fewer = await world.preview({ diff: true });
    assert.deepEqual(fewer.changes, ['update InboundRunTriggers app [sourceableIds[0]]']);
    assert.match(fewer.output, /- \[0\]: "ws-dns"/);
    world.program = into(['ws-docs', 'ws-jobs', 'ws-network', 'ws-web']);
    const exchanged = await world.preview({ diff: true });
    assert.deepEqual(exchanged.changes, [
      'update InboundRunTriggers app [sourceableIds[0], sourceableIds[3]]',
    ]);
    assert.match(exchanged.output, /- \[0\]: "ws-dns"\s+\+ \[3\]: "ws-jobs"/);
    world.program = async () => {
      const first = new RunTrigger('first', { workspaceId: 'ws-jobs', sourceableId: 'ws-web' });
      const later = first.id.apply(() => 'ws-jobs');
      new InboundRunTriggers('app', {
        workspaceId: 'ws-app',
        sourceableIds: ['ws-docs', 'ws-network', 'ws-web', later],
      });
    };
    const changes = [
      'create RunTrigger first []',
      'update InboundRunTriggers app [sourceableIds[0], sourceableIds[3]]',
    ];
    assert.deepEqual((await world.preview()).changes, changes);
    assert.deepEqual((await world.settle()).changes, changes);
    assert.deepEqual(await sources(), ['ws-docs', 'ws-jobs', 'ws-network', 'ws-web']);
  });

  const fights: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
    [
      'a single trigger beside it',
      async () => {
        new InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] });
        new RunTrigger('jobs', { workspaceId: 'ws-app', sourceableId: 'ws-jobs' });
      },
      /InboundRunTriggers "app" and RunTrigger "jobs" would undo each other's work/,
    ],
    [
      'a second set of the same workspace',
      async () => {
        new InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] });
        new InboundRunTriggers('again', { workspaceId: 'ws-app', sourceableIds: ['ws-jobs'] });
      },
      /InboundRunTriggers "again" and InboundRunTriggers "app" would undo each other's work/,
    ],
    [
      'a set of the other direction that lists the same pair',
      async () => {
        new InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] });
        new OutboundRunTriggers('dns', { sourceableId: 'ws-dns', workspaceIds: ['ws-app'] });
      },
      /InboundRunTriggers "app" and OutboundRunTriggers "dns" would undo each other's work: both decide whether ws-dns triggers ws-app/,
    ],
  ];
  for (const [what, program, message] of fights) {
    it(`refuses ${what}, naming both`, async () => {
      world.program = program;
      const preview = await world.preview();
      assert.match(preview.failure ?? '', message);
    });
  }
});
