// Run triggers: creating, listing, showing and deleting them, and who may.

import assert from 'node:assert/strict';
import { Caller, triggerBody } from '../support/api-caller';
import { proves, type StatementId } from './proves';

const path = '/workspaces/ws-app/run-triggers';

describe('run triggers', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start();
  });
  afterEach(() => caller.close());

  proves(
    [
      'create-trigger',
      'trigger-id',
      'trigger-names',
      'trigger-created-at',
      'trigger-relationships',
      'trigger-self',
      'target-in-path',
      'triggers-link',
      'trigger-agrees',
      'show-trigger',
    ],
    'are the same in create, show and both lists',
    async () => {
      const created = await caller.createTrigger('ws-app', 'ws-network');
      assert.equal(created.status, 201);
      const id = created.textAt('/data/id');
      assert.match(id, /^rt-\w+$/);
      assert.match(created.textAt('/data/attributes/created-at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(created.at('/data'), {
        id,
        type: 'run-triggers',
        attributes: {
          'workspace-name': 'app',
          'sourceable-name': 'network',
          'created-at': created.at('/data/attributes/created-at'),
        },
        relationships: {
          workspace: { data: { id: 'ws-app', type: 'workspaces' } },
          sourceable: { data: { id: 'ws-network', type: 'workspaces' } },
        },
        links: { self: `/api/v2/run-triggers/${id}` },
      });
      const shown = await caller.read(`/run-triggers/${id}`);
      assert.equal(shown.status, 200);
      assert.deepEqual(shown.at('/data'), created.at('/data'));
      assert.deepEqual((await caller.listTriggers('ws-app', 'inbound')).at('/data/0'), created.at('/data'));
      assert.deepEqual(
        (await caller.listTriggers('ws-network', 'outbound')).at('/data/0'),
        created.at('/data'),
      );
    },
  );

  const malformed: [StatementId, unknown, string][] = [
    ['create-trigger-422', undefined, ''],
    ['create-trigger-422', [], ''],
    ['create-trigger-422', {}, '/data'],
    ['sourceable-required', { data: {} }, '/data/relationships'],
    ['sourceable-required', { data: { relationships: {} } }, '/data/relationships/sourceable'],
    [
      'sourceable-required',
      { data: { relationships: { sourceable: {} } } },
      '/data/relationships/sourceable/data',
    ],
    [
      'sourceable-required',
      { data: { relationships: { sourceable: { data: [] } } } },
      '/data/relationships/sourceable/data',
    ],
    [
      'sourceable-required',
      { data: { relationships: { sourceable: { data: { type: 'workspaces' } } } } },
      '/data/relationships/sourceable/data/id',
    ],
    [
      'sourceable-required',
      { data: { relationships: { sourceable: { data: { id: 'ws-network' } } } } },
      '/data/relationships/sourceable/data/type',
    ],
    [
      'sourceable-required',
      { data: { relationships: { sourceable: { data: { id: 'ws-network', type: 'workspace' } } } } },
      '/data/relationships/sourceable/data/type',
    ],
    ['gap-self-trigger', triggerBody('ws-app'), '/data/relationships/sourceable/data/id'],
  ];
  for (const [statement, body, pointer] of malformed) {
    proves([statement], `are refused with the body ${JSON.stringify(body)}`, async () => {
      const answer = await caller.send('POST', path, { body });
      assert.deepEqual([answer.status, ...answer.sources()], [422, pointer], answer.text);
      assert.deepEqual(caller.service.snapshot().runTriggers, []);
    });
  }

  proves(
    ['create-trigger-404', 'gap-foreign-source', 'gap-malformed-ids', 'may-create-trigger'],
    'need both workspaces',
    async () => {
      const cases: [string, string, string][] = [
        ['owner', 'ws-none', 'ws-network'],
        ['owner', 'ws-app', 'ws-none'],
        ['owner', 'ws-app', 'ws-far'],
        ['owner', 'x', 'y'],
        ['reader', 'ws-network', 'ws-app'],
        ['reader', 'ws-app', 'ws-network'],
        ['builder', 'ws-network', 'ws-app'],
        ['builder', 'ws-app', 'ws-docs'],
        ['vcs', 'ws-app', 'ws-network'],
        ['foreign', 'ws-app', 'ws-network'],
      ];
      for (const [token, target, source] of cases) {
        const answer = await caller.createTrigger(target, source, { token });
        assert.equal(answer.status, 404, `${token} ${target} ${source}`);
      }
      assert.deepEqual(caller.service.snapshot().runTriggers, []);
      assert.equal((await caller.createTrigger('ws-app', 'ws-network', { token: 'builder' })).status, 201);
    },
  );

  proves(
    ['filter-inbound', 'filter-outbound', 'gap-cycles'],
    'are listed from both sides, cycles too',
    async () => {
      const forth = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      const back = (await caller.createTrigger('ws-network', 'ws-app')).textAt('/data/id');
      assert.deepEqual((await caller.listTriggers('ws-app', 'inbound')).idsAt('/data'), [forth]);
      assert.deepEqual((await caller.listTriggers('ws-app', 'outbound')).idsAt('/data'), [back]);
      assert.deepEqual((await caller.listTriggers('ws-docs', 'inbound')).idsAt('/data'), []);
    },
  );

  proves(['list-triggers-400'], 'are listed only with a filter that is understood', async () => {
    const name = 'filter%5Brun-trigger%5D%5Btype%5D';
    const queries = [
      '',
      `?${name}=`,
      `?${name}=both`,
      `?${name}=Inbound`,
      '?filter=inbound',
      `?${name}=inbound&${name}=outbound`,
    ];
    for (const query of queries) {
      const answer = await caller.read(path + query);
      assert.deepEqual([answer.status, ...answer.sources()], [400, 'filter[run-trigger][type]'], query);
    }
  });

  proves(
    ['list-triggers-404', 'may-list-triggers', 'gap-grants'],
    'are listed for those who read runs',
    async () => {
      const expected: [string, string, number][] = [
        ['owner', 'ws-app', 200],
        ['builder', 'ws-app', 200],
        ['builder', 'ws-network', 200],
        ['reader', 'ws-network', 200],
        ['reader', 'ws-app', 404],
        ['vcs', 'ws-app', 404],
        ['foreign', 'ws-app', 404],
        ['owner', 'ws-none', 404],
      ];
      for (const [token, workspace, status] of expected) {
        assert.equal(
          (await caller.listTriggers(workspace, 'inbound', '', { token })).status,
          status,
          token + workspace,
        );
      }
    },
  );

  proves(['show-trigger-404', 'may-show-trigger'], 'are shown to readers of either end', async () => {
    const id = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
    const expected = { owner: 200, builder: 200, reader: 200, vcs: 404, foreign: 404, nobody: 404 };
    for (const [token, status] of Object.entries(expected)) {
      assert.equal((await caller.read(`/run-triggers/${id}`, { token })).status, status, token);
    }
    assert.equal((await caller.read('/run-triggers/rt-none')).status, 404);
    const apart = (await caller.createTrigger('ws-app', 'ws-docs')).textAt('/data/id');
    assert.equal((await caller.read(`/run-triggers/${apart}`, { token: 'reader' })).status, 404);
  });

  proves(
    ['delete-trigger', 'delete-trigger-404', 'may-delete-trigger', 'gap-second-delete'],
    'are deleted by admins of the target',
    async () => {
      const id = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      const back = (await caller.createTrigger('ws-network', 'ws-app')).textAt('/data/id');
      for (const [token, trigger] of [
        ['reader', id],
        ['foreign', id],
        ['builder', back],
      ]) {
        assert.equal(
          (await caller.send('DELETE', `/run-triggers/${trigger}`, { token: token ?? null })).status,
          404,
        );
      }
      const answer = await caller.send('DELETE', `/run-triggers/${id}`, { token: 'builder' });
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.equal((await caller.send('DELETE', `/run-triggers/${id}`)).status, 404);
      assert.equal((await caller.read(`/run-triggers/${id}`)).status, 404);
      assert.deepEqual(
        caller.service.snapshot().runTriggers.map((trigger) => trigger.id),
        [back],
      );
    },
  );

  proves(
    ['trigger-include', 'include-readable', 'gap-unreadable-linkage', 'gap-outbound-include'],
    'bring along the workspaces the caller may read',
    async () => {
      const id = (await caller.createTrigger('ws-app', 'ws-network')).textAt('/data/id');
      const include = 'include=workspace,sourceable';
      const places = [
        (token: string) => caller.read(`/run-triggers/${id}?${include}`, { token }),
        (token: string) => caller.listTriggers('ws-network', 'outbound', `&${include}`, { token }),
      ];
      for (const place of places) {
        const all = await place('owner');
        assert.deepEqual(all.idsAt('/included').sort(), ['ws-app', 'ws-network']);
        assert.equal(all.at('/included/0/type'), 'workspaces');
        const some = await place('reader');
        assert.deepEqual(some.idsAt('/included'), ['ws-network']);
        assert.match(some.text, /"workspace-name":"app"/);
        assert.match(some.text, /"workspace":\{"data":\{"id":"ws-app"/);
      }
      const one = await caller.listTriggers('ws-app', 'inbound', '&include=sourceable');
      assert.deepEqual(one.idsAt('/included'), ['ws-network']);
      const unknown = await caller.listTriggers('ws-app', 'inbound', '&include=projects');
      assert.deepEqual([unknown.status, ...unknown.sources()], [400, 'include']);
    },
  );
});
