// What the API text leaves open about run triggers: duplicates, limits, locks.

import assert from 'node:assert/strict';
import { Caller } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';
import { proves } from './proves';

describe('run triggers, where the text is silent,', () => {
  let caller: Caller | undefined;
  afterEach(() => caller?.close());

  for (const [value, status] of [
    ['422', 422],
    ['409', 409],
    ['accept', 201],
  ] as const) {
    proves(
      ['gap-duplicate-trigger'],
      `answer a duplicate with ${status} under duplicate-trigger=${value}`,
      async () => {
        caller = await Caller.start({ behaviours: { 'duplicate-trigger': value } });
        const first = await caller.createTrigger('ws-app', 'ws-network');
        const second = await caller.createTrigger('ws-app', 'ws-network');
        assert.equal(second.status, status);
        assert.notEqual(second.at('/data/id'), first.at('/data/id'));
        assert.equal(caller.service.snapshot().runTriggers.length, value === 'accept' ? 2 : 1);
        if (value !== 'accept')
          assert.deepEqual(second.sources(), ['/data/relationships/sourceable/data/id']);
      },
    );
  }

  async function sourcesTaken(options: {
    profile?: string;
    behaviours?: Record<string, string>;
  }): Promise<number> {
    caller = await Caller.start(options);
    const workspaces = Object.fromEntries(
      Array.from({ length: 22 }, (_unused, index) => [`ws-s${index}`, {}]),
    );
    caller.service.patchSeed({ organizations: { acme: { workspaces } } });
    for (const [index, source] of Object.keys(workspaces).entries()) {
      const { status } = await caller.createTrigger('ws-app', source);
      if (status !== 201) return index;
    }
    return Number.POSITIVE_INFINITY;
  }

  proves(['gap-max-sources'], 'have no limit of sources under the default profile', async () => {
    assert.equal(await sourcesTaken({}), Number.POSITIVE_INFINITY);
  });

  proves(
    ['gap-max-sources'],
    'take 20 sources under hcp-terraform, and more where that is switched',
    async () => {
      assert.equal(await sourcesTaken({ profile: 'hcp-terraform' }), 20);
      assert.equal((await caller?.createTrigger('ws-app', 'ws-s21'))?.status, 422);
      await caller?.close();
      const behaviours = { 'max-sources': 'off' };
      assert.equal(await sourcesTaken({ profile: 'hcp-terraform', behaviours }), Number.POSITIVE_INFINITY);
    },
  );

  proves(['gap-max-sources'], 'take as many sources as is switched, and room that was made', async () => {
    assert.equal(await sourcesTaken({ behaviours: { 'max-sources': '3' } }), 3);
    const [first] = (await caller?.listTriggers('ws-app', 'inbound'))?.idsAt('/data') ?? [];
    await caller?.send('DELETE', `/run-triggers/${first}`);
    assert.equal((await caller?.createTrigger('ws-app', 'ws-s9'))?.status, 201);
  });

  for (const value of ['409', '422'] as const) {
    proves(['gap-trigger-lock'], `are locked per target under trigger-lock=${value}`, async () => {
      const clock = new HandClock();
      caller = await Caller.start({ clock, behaviours: { 'trigger-lock': value } });
      const first = caller.createTrigger('ws-app', 'ws-network');
      await clock.sleeping(1);
      const locked = await caller.createTrigger('ws-app', 'ws-docs');
      assert.equal(locked.status, Number(value));
      const sentence = 'Run Trigger creation locked by another user in your organization. Please try again';
      assert.equal(locked.at('/errors/0/detail'), sentence);
      const elsewhere = caller.createTrigger('ws-docs', 'ws-network');
      await clock.sleeping(2);
      clock.pass(50);
      assert.deepEqual([(await first).status, (await elsewhere).status], [201, 201]);
      const again = caller.createTrigger('ws-app', 'ws-docs');
      await clock.sleeping(1);
      clock.pass(50);
      assert.equal((await again).status, 201);
    });
  }

  proves(['gap-trigger-lock'], 'are not locked by default', async () => {
    const started = await Caller.start();
    caller = started;
    const both = await Promise.all(
      ['ws-network', 'ws-docs'].map((source) => started.createTrigger('ws-app', source)),
    );
    assert.deepEqual(
      both.map((answer) => answer.status),
      [201, 201],
    );
  });
});
