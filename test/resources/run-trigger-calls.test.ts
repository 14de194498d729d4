/** The calls of a trigger against the service: a lost answer makes no second one and takes no stranger's. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { AnswerLost, Conflict, Forbidden, Invalid, NotFound, NotSent } from '../../client/errors';
import type { FieldValues } from '../../resources/kind';
import { runTrigger } from '../../resources/run-trigger';
import { context, KindCalls } from '../support/kind-calls';

const pair = { organization: 'acme', workspaceId: 'ws-app', sourceableId: 'ws-network' };
const postTrigger = { method: 'POST', route: '/workspaces/:workspace_id/run-triggers' };

describe('a trigger, by its calls,', () => {
  const calls = new KindCalls();

  const create = (api: Api = calls.api, ends = pair) => runTrigger.create(api, ends, {}, calls.attempt());
  const pairs = (): readonly string[] =>
    calls.service
      .snapshot()
      .runTriggers.map(({ workspaceId, sourceableId }) => `${workspaceId} ${sourceableId}`);

  for (const late of ['carried out', 'shown'] as const) {
    it(`is one when the answer is lost and it is ${late} five seconds later`, async () => {
      const hidden = late === 'shown' ? { 'create-hidden-ms': '5000' } : {};
      await calls.start({ behaviours: { 'duplicate-trigger': 'accept', ...hidden } });
      const how = late === 'shown' ? 'reset-after' : 'delay-apply';
      calls.service.fault({ ...postTrigger, how, ms: 5000, nth: 1 });
      const { id } = await create();
      calls.clock.pass(10_000);
      const there = await calls.api.runTriggers.list('ws-app', 'inbound');
      assert.deepEqual(
        there.map((one) => one.id),
        [id],
      );
    });
  }

  it('of another source is not taken for ours', async () => {
    await calls.start();
    const other = await create(calls.api, { ...pair, sourceableId: 'ws-dns' });
    calls.service.fault({ ...postTrigger, how: 'reset-before', nth: 1 });
    const made = await create();
    assert.notEqual(made.id, other.id);
    assert.deepEqual(pairs(), ['ws-app ws-dns', 'ws-app ws-network']);
  });

  it('that the service refuses is told as refused, also when nobody can look for it then', async () => {
    await calls.start({ behaviours: { 'duplicate-trigger': '409' } });
    await create();
    calls.service.fault({ how: 'status', method: 'GET', status: 403 });
    const self = { ...pair, sourceableId: 'ws-app' };
    await assert.rejects(create(calls.api, self), {
      name: 'Invalid',
      message: /^POST /,
    });
    await assert.rejects(create(), { name: 'Conflict' });
  });

  it('whose answer is lost is not asked for again when nobody can look for it', async () => {
    await calls.start({ behaviours: { 'duplicate-trigger': 'accept' } });
    calls.service.fault({ ...postTrigger, how: 'reset-after', nth: 1 });
    calls.service.fault({ how: 'status', method: 'GET', status: 403 });
    await assert.rejects(create(), { name: 'AnswerLost' });
    assert.deepEqual(pairs(), ['ws-app ws-network']);
  });

  for (const Later of [NotSent, Forbidden, Conflict]) {
    it(`whose answer is lost may be there, also if a later POST of it ended with ${Later.name}`, async () => {
      await calls.start({ behaviours: { 'create-hidden-ms': '60000' } });
      let posts = 0;
      const post: Api['runTriggers']['create'] = async (...given) => {
        posts += 1;
        if (posts > 1) throw new Later('no', Later === NotSent ? 'not-sent' : 'rejected', context);
        await calls.api.runTriggers.create(...given);
        throw new AnswerLost('it may have been applied', 'ambiguous', context);
      };
      const failing = { ...calls.api, runTriggers: { ...calls.api.runTriggers, create: post } };
      await assert.rejects(create(failing), { name: 'AnswerLost', outcome: 'ambiguous' });
      assert.deepEqual([posts, pairs()], [2, ['ws-app ws-network']]);
    });
  }

  for (const Refusal of [NotFound, Conflict, Invalid]) {
    it(`that was made and answered with ${Refusal.name} is taken for ours`, async () => {
      await calls.start();
      const refuse: Api['runTriggers']['create'] = async (...given) => {
        await calls.api.runTriggers.create(...given);
        throw new Refusal('no', 'rejected', context);
      };
      const lying = { ...calls.api, runTriggers: { ...calls.api.runTriggers, create: refuse } };
      const made = await create(lying);
      assert.deepEqual([pairs(), made.values.sourceableId], [['ws-app ws-network'], 'ws-network']);
    });
  }

  it('of another pair in the answer is not taken: the list decides which one it is', async () => {
    await calls.start();
    const other = await calls.api.runTriggers.create('ws-app', 'ws-dns');
    const answer = (carryOut: boolean) => ({
      ...calls.api,
      runTriggers: {
        ...calls.api.runTriggers,
        create: async (...given: Parameters<Api['runTriggers']['create']>) => {
          if (carryOut) await calls.api.runTriggers.create(...given);
          return other;
        },
      },
    });
    await assert.rejects(create(answer(false)), {
      name: 'UnexpectedAnswer',
      message: new RegExp(`create of ws-app from ws-network with ${other.id}, ws-app from ws-dns`, 'u'),
    });
    const made = await create(answer(true));
    assert.notEqual(made.id, other.id);
    assert.deepEqual(made.values, { workspaceId: 'ws-app', sourceableId: 'ws-network' });
  });

  it('that was there before in the answer is looked up in the list', async () => {
    await calls.start();
    const other = await calls.api.runTriggers.create('ws-app', 'ws-dns');
    calls.existing.add(other.id);
    const answer: Api['runTriggers']['create'] = async (...given) => ({
      ...(await calls.api.runTriggers.create(...given)),
      id: other.id,
    });
    const made = await create({ ...calls.api, runTriggers: { ...calls.api.runTriggers, create: answer } });
    assert.notEqual(made.id, other.id);
  });

  it('is given up after two lost answers', async () => {
    await calls.start();
    calls.service.fault({ ...postTrigger, how: 'reset-before' });
    await assert.rejects(create(), AnswerLost);
    const posts = calls.methods().filter((method) => method === 'POST');
    assert.equal(posts.length, 2);
  });

  it('that is gone already counts as deleted', async () => {
    await calls.start();
    const { id } = await create();
    await runTrigger.delete(calls.api, id, pair);
    await runTrigger.delete(calls.api, id, pair);
    assert.deepEqual(pairs(), []);
  });
});

describe('the ends of a trigger', () => {
  it('are two workspaces: it refuses to trigger itself, and only itself', () => {
    const rules = (values: FieldValues): readonly string[] =>
      (runTrigger.check?.(values) ?? []).map(({ rule }) => rule);
    assert.deepEqual(rules({ workspaceId: 'ws-app', sourceableId: 'ws-app' }), ['self-trigger']);
    assert.deepEqual(rules({ workspaceId: 'ws-app', sourceableId: 'ws-network' }), []);
    assert.deepEqual(rules({}), []);
  });
});
