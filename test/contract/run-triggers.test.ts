/** Run triggers: creating, listing, showing and deleting them, who may, and what the API text leaves open. */
import assert from 'node:assert/strict';
import type { ServiceOptions } from '../../service';
import { Caller, triggerBody } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';
import { expectRefusal } from './refusal';

const path = '/workspaces/ws-app/run-triggers';
const sourceable = '/data/relationships/sourceable';

describe('run triggers', () => {
  const caller = Caller.startBeforeEach();

  const made = async (target: string, source: string) =>
    (await caller.createTrigger(target, source)).textAt('/data/id');

  it('are the same in create, show and both lists', async () => {
    const created = await caller.createTrigger('ws-app', 'ws-network');
    const id = created.textAt('/data/id');
    const createdAt = created.textAt('/data/attributes/created-at');
    assert.equal(created.status, 201);
    assert.match(`${id} ${createdAt}`, /^rt-\w{16} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(created.at('/data'), {
      id,
      type: 'run-triggers',
      attributes: { 'workspace-name': 'app', 'sourceable-name': 'network', 'created-at': createdAt },
      relationships: {
        workspace: { data: { id: 'ws-app', type: 'workspaces' } },
        sourceable: { data: { id: 'ws-network', type: 'workspaces' } },
      },
      links: { self: `/api/v2/run-triggers/${id}` },
    });
    assert.deepEqual((await caller.read(`/run-triggers/${id}`)).at('/data'), created.at('/data'));
    assert.deepEqual((await caller.listTriggers('ws-app', 'inbound')).at('/data/0'), created.at('/data'));
    assert.deepEqual(
      (await caller.listTriggers('ws-network', 'outbound')).at('/data/0'),
      created.at('/data'),
    );
  });

  const withSource = (data: unknown) => ({ data: { relationships: { sourceable: { data } } } });
  const malformed: readonly (readonly [unknown, string])[] = [
    [undefined, ''],
    [[], ''],
    [{}, '/data'],
    [{ data: {} }, '/data/relationships'],
    [{ data: { relationships: {} } }, sourceable],
    [{ data: { relationships: { sourceable: {} } } }, `${sourceable}/data`],
    [withSource([]), `${sourceable}/data`],
    [withSource({ type: 'workspaces' }), `${sourceable}/data/id`],
    [withSource({ id: 'ws-network' }), `${sourceable}/data/type`],
    [withSource({ id: 'ws-network', type: 'workspace' }), `${sourceable}/data/type`],
  ];
  const refused = (body: unknown, pointer: string) => expectRefusal(caller, 'POST', path, body, [pointer]);
  for (const [body, pointer] of malformed) {
    it(`are refused with the body ${JSON.stringify(body)}`, () => refused(body, pointer));
  }

  it('are refused from a workspace to itself', () => refused(triggerBody('ws-app'), `${sourceable}/data/id`));

  it('need both workspaces, and the rights to them', async () => {
    for (const [token, target, source] of [
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
    ] as const) {
      const { status } = await caller.createTrigger(target, source, { token });
      assert.equal(status, 404, `${token} ${target} ${source}`);
    }
    assert.deepEqual(caller.service.snapshot().runTriggers, []);
    assert.equal((await caller.createTrigger('ws-app', 'ws-network', { token: 'builder' })).status, 201);
  });

  it('are listed only with a filter that is understood', async () => {
    const name = 'filter%5Brun-trigger%5D%5Btype%5D';
    const twice = `?${name}=inbound&${name}=outbound`;
    for (const query of ['', `?${name}=`, `?${name}=both`, `?${name}=Inbound`, '?filter=inbound', twice]) {
      const answer = await caller.read(path + query);
      assert.deepEqual([answer.status, ...answer.sources()], [400, 'filter[run-trigger][type]'], query);
    }
  });

  it('are listed and shown for those who read runs', async () => {
    const id = await made('ws-app', 'ws-network');
    const apart = await made('ws-app', 'ws-docs');
    const expected: [string, number, number, number, number][] = [
      ['owner', 200, 200, 200, 200],
      ['builder', 200, 200, 200, 200],
      ['reader', 200, 404, 200, 404],
      ['vcs', 404, 404, 404, 404],
      ['foreign', 404, 404, 404, 404],
    ];
    for (const [token, ...statuses] of expected) {
      const answers = [
        await caller.listTriggers('ws-network', 'inbound', '', { token }),
        await caller.listTriggers('ws-app', 'inbound', '', { token }),
        await caller.read(`/run-triggers/${id}`, { token }),
        await caller.read(`/run-triggers/${apart}`, { token }),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        statuses,
        token,
      );
    }
    assert.equal((await caller.listTriggers('ws-none', 'inbound')).status, 404);
    assert.equal((await caller.read('/run-triggers/rt-none')).status, 404);
  });

  it('are deleted by admins of the target', async () => {
    const id = await made('ws-app', 'ws-network');
    const back = await made('ws-network', 'ws-app');
    const deleted = (trigger: string, token: string) =>
      caller.send('DELETE', `/run-triggers/${trigger}`, { token });
    for (const [token, trigger] of [
      ['reader', id],
      ['foreign', id],
      ['builder', back],
    ] as const) {
      assert.equal((await deleted(trigger, token)).status, 404);
    }
    const answer = await deleted(id, 'builder');
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal((await deleted(id, 'builder')).status, 404);
    assert.deepEqual(
      caller.service.snapshot().runTriggers.map((trigger) => trigger.id),
      [back],
    );
  });

  it('bring along the workspaces the caller may read', async () => {
    const id = await made('ws-app', 'ws-network');
    const include = 'include=workspace,sourceable';
    for (const place of [
      (token: string) => caller.read(`/run-triggers/${id}?${include}`, { token }),
      (token: string) => caller.listTriggers('ws-network', 'outbound', `&${include}`, { token }),
    ]) {
      assert.deepEqual((await place('owner')).idsAt('/included').sort(), ['ws-app', 'ws-network']);
      const some = await place('reader');
      assert.deepEqual(some.idsAt('/included'), ['ws-network']);
      assert.match(some.text, /"workspace-name":"app"/);
      assert.match(some.text, /"workspace":\{"data":\{"id":"ws-app"/);
    }
    const unknown = await caller.listTriggers('ws-app', 'inbound', '&include=projects');
    assert.deepEqual([unknown.status, ...unknown.sources()], [400, 'include']);
  });

  for (const [value, status] of [
    ['422', 422],
    ['409', 409],
    ['accept', 201],
  ] as const) {
    it(`answer a duplicate with ${status} under ${value}`, async () => {
      await caller.restart({ behaviours: { 'duplicate-trigger': value } });
      await made('ws-app', 'ws-network');
      const second = await caller.createTrigger('ws-app', 'ws-network');
      assert.deepEqual(
        [second.status, ...second.sources()],
        [status, ...(status === 201 ? [] : [`${sourceable}/data/id`])],
      );
      assert.equal(caller.service.snapshot().runTriggers.length, status === 201 ? 2 : 1);
    });
  }

  const limits: readonly (readonly [string, ServiceOptions, number])[] = [
    ['as many sources as come, by default', {}, 22],
    ['20 sources under hcp-terraform', { profile: 'hcp-terraform' }, 20],
    ['more where that is switched', { profile: 'hcp-terraform', behaviours: { 'max-sources': 'off' } }, 22],
    ['as many sources as is switched', { behaviours: { 'max-sources': '3' } }, 3],
  ];
  for (const [what, options, most] of limits) {
    it(`take ${what}`, async () => {
      await caller.restart(options);
      const workspaces = Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`ws-s${index}`, {}]));
      caller.service.patchSeed({ organizations: { acme: { workspaces } } });
      const statuses = [];
      for (const source of Object.keys(workspaces))
        statuses.push((await caller.createTrigger('ws-app', source)).status);
      assert.deepEqual(
        statuses,
        Array.from({ length: 22 }, (_, index) => (index < most ? 201 : 422)),
      );
    });
  }

  for (const value of ['409', '422'] as const) {
    it(`are locked per target under trigger-lock=${value}`, async () => {
      const clock = new HandClock();
      await caller.restart({ clock, behaviours: { 'trigger-lock': value } });
      const first = caller.createTrigger('ws-app', 'ws-network');
      await clock.sleeping(1);
      const locked = await caller.createTrigger('ws-app', 'ws-docs');
      const sentence = 'Run Trigger creation locked by another user in your organization. Please try again';
      assert.deepEqual(
        [locked.status, locked.at('/errors/0/detail'), ...locked.sources()],
        [Number(value), sentence, '/data'],
      );
      const elsewhere = caller.createTrigger('ws-docs', 'ws-network');
      await clock.sleeping(2);
      clock.pass(50);
      assert.deepEqual([(await first).status, (await elsewhere).status], [201, 201]);
    });
  }

  it('are not locked by default', async () => {
    const sources = ['ws-network', 'ws-docs'];
    const both = await Promise.all(sources.map((source) => caller.createTrigger('ws-app', source)));
    assert.deepEqual(
      both.map(({ status }) => status),
      [201, 201],
    );
  });
});
