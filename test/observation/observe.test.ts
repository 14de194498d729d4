/** One pass: which calls it takes, and what it says of each object, with evidence or the reason why nobody can tell. */
import assert from 'node:assert/strict';
import { clientDefaults } from '../../client/options';
import { type Expectation, foundAll, observationOf } from '../../observation/evidence';

import { inParallel, observe } from '../../observation/observe';
import { oauthClient } from '../../resources/oauth-client';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger, triggersOf } from '../../resources/run-trigger';
import { clientDocument, triggerDocument } from '../support/pure-world';
import { type Answers, readApi } from '../support/read-api';

const client = (id: string): Expectation => ({
  definition: oauthClient,
  key: { organization: 'acme', id },
  id,
});
const trigger = (id?: string, source = 'ws-b'): Expectation => ({
  definition: runTrigger,
  key: { organization: 'acme', workspaceId: 'ws-app', sourceableId: source },
  ...(id === undefined ? {} : { id }),
});
const attachment = (projectId: string): Expectation => ({
  definition: projectAttachment,
  key: { organization: 'acme', oauthClientId: 'oc-1', projectId },
  id: `oc-1/${projectId}`,
});
const twins = [
  triggerDocument('rt-1', 'ws-b', 'ws-app'),
  triggerDocument('rt-2', 'ws-b', 'ws-app', '2026-01-02T00:00:00.000Z'),
];

describe('an observation', () => {
  const rows: {
    what: string;
    answers: Answers;
    of: Expectation;
    state: 'present' | 'missing' | 'unknown';
    says: string;
    calls: string[];
  }[] = [
    {
      what: 'a client in its list is present, and nothing more is asked',
      answers: { clients: { acme: [clientDocument('oc-1'), clientDocument('oc-2')] } },
      of: client('oc-2'),
      state: 'present',
      says: 'oc-2',
      calls: ['list acme'],
    },
    {
      what: 'a client that its list lacks and a Show does not find is absent',
      answers: { clients: { acme: [clientDocument('oc-1')] } },
      of: client('oc-2'),
      state: 'missing',
      says: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-2'],
    },
    {
      what: 'a client that its list lacks and a Show finds is present',
      answers: { clients: { acme: [] }, shows: { 'oc-2': clientDocument('oc-2') } },
      of: client('oc-2'),
      state: 'present',
      says: 'oc-2',
      calls: ['list acme', 'read oc-2'],
    },
    {
      what: 'a client whose list cannot be read is unknown, and a Show would prove nothing',
      answers: {},
      of: client('oc-1'),
      state: 'unknown',
      says: 'GET list acme: 404, not found',
      calls: ['list acme'],
    },
    {
      what: 'a trigger of a pair is present whatever its id',
      answers: { triggers: { 'ws-app inbound': twins } },
      of: trigger(),
      state: 'present',
      says: 'rt-1',
      calls: ['list ws-app inbound'],
    },
    {
      what: 'a trigger with an id is that one, not its older twin',
      answers: { triggers: { 'ws-app inbound': twins } },
      of: trigger('rt-2'),
      state: 'present',
      says: 'rt-2',
      calls: ['list ws-app inbound'],
    },
    {
      what: 'a trigger whose id is gone is its twin, once a Show confirmed that it is gone',
      answers: { triggers: { 'ws-app inbound': twins } },
      of: trigger('rt-3'),
      state: 'present',
      says: 'rt-1',
      calls: ['list ws-app inbound', 'read rt-3'],
    },
    {
      what: 'a trigger that neither end shows is absent, without a Show',
      answers: { triggers: { 'ws-app inbound': [], 'ws-b outbound': [] } },
      of: trigger(),
      state: 'missing',
      says: 'run triggers of ws-app (inbound)',
      calls: ['list ws-app inbound', 'list ws-b outbound'],
    },
    {
      what: 'a trigger that only its other end shows is present',
      answers: {
        triggers: { 'ws-app inbound': [], 'ws-b outbound': [triggerDocument('rt-1', 'ws-b', 'ws-app')] },
      },
      of: trigger(),
      state: 'present',
      says: 'rt-1',
      calls: ['list ws-app inbound', 'list ws-b outbound'],
    },
    {
      what: 'a trigger whose other end cannot be read is unknown: the list may leave it out',
      answers: { triggers: { 'ws-app inbound': [] } },
      of: trigger(),
      state: 'unknown',
      says: 'GET list ws-b outbound: 404, not found',
      calls: ['list ws-app inbound', 'list ws-b outbound'],
    },
    {
      what: 'a trigger with an id that is gone is absent by its Show, whatever its other end',
      answers: { triggers: { 'ws-app inbound': [] } },
      of: trigger('rt-1'),
      state: 'missing',
      says: 'run triggers of ws-app (inbound)',
      calls: ['list ws-app inbound', 'read rt-1'],
    },
    {
      what: 'an attachment shows in its client, which is not asked for besides',
      answers: { clients: { acme: [clientDocument('oc-1', { projectIds: ['prj-1'] })] } },
      of: attachment('prj-1'),
      state: 'present',
      says: 'oc-1/prj-1',
      calls: ['list acme'],
    },
    {
      what: 'an attachment that its client does not show is absent',
      answers: { clients: { acme: [clientDocument('oc-1', { projectIds: ['prj-1'] })] } },
      of: attachment('prj-2'),
      state: 'missing',
      says: 'OAuth clients of acme',
      calls: ['list acme'],
    },
    {
      what: 'an attachment whose client only a Show finds is present where that shows it',
      answers: {
        clients: { acme: [] },
        shows: { 'oc-1': clientDocument('oc-1', { projectIds: ['prj-1'] }) },
      },
      of: attachment('prj-1'),
      state: 'present',
      says: 'oc-1/prj-1',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment whose client only a Show finds is absent where that shows it not',
      answers: { clients: { acme: [] }, shows: { 'oc-1': clientDocument('oc-1') } },
      of: attachment('prj-1'),
      state: 'missing',
      says: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment goes with its client',
      answers: { clients: { acme: [] } },
      of: attachment('prj-1'),
      state: 'missing',
      says: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'a trigger whose id is the one of another pair is absent',
      answers: {
        triggers: { 'ws-app inbound': [], 'ws-b outbound': [] },
        shows: { 'rt-1': triggerDocument('rt-1', 'ws-c', 'ws-d') },
      },
      of: trigger('rt-1'),
      state: 'missing',
      says: 'run triggers of ws-app (inbound)',
      calls: ['list ws-app inbound', 'read rt-1'],
    },
    {
      what: 'a wanted trigger that we made and that is gone is looked for at its other end too',
      answers: {
        triggers: { 'ws-app inbound': [], 'ws-b outbound': [triggerDocument('rt-2', 'ws-b', 'ws-app')] },
      },
      of: { ...trigger('rt-1'), isWanted: true },
      state: 'present',
      says: 'rt-2',
      calls: ['list ws-app inbound', 'read rt-1', 'list ws-b outbound'],
    },
    {
      what: 'a wanted trigger whose id is that of another pair is not there',
      answers: {
        triggers: { 'ws-app inbound': [triggerDocument('rt-1', 'ws-c', 'ws-app')], 'ws-b outbound': [] },
        shows: { 'rt-1': triggerDocument('rt-1', 'ws-c', 'ws-app') },
      },
      of: { ...trigger('rt-1'), isWanted: true },
      state: 'missing',
      says: 'run triggers of ws-app (inbound)',
      calls: ['list ws-app inbound', 'read rt-1', 'list ws-b outbound'],
    },
  ];
  for (const { what, answers, of, state, says, calls } of rows) {
    it(`says that ${what}`, async () => {
      const asked = readApi(answers);
      const observed = await observe(asked.api, { expected: [of], forced: [] });
      const observation = observationOf(observed, of);
      assert.equal(observation.state, state);
      if (observation.state === 'present') assert.equal(observation.found.id, says);
      if (observation.state === 'missing') assert.equal(observation.evidence[0]?.name, says);
      if (observation.state === 'unknown') assert.equal(observation.why, says);
      assert.deepEqual(asked.calls, calls);
    });
  }

  it('lists what only a Show found with the rest, for all who look', async () => {
    const { api, calls } = readApi({
      clients: { acme: [clientDocument('oc-2')] },
      triggers: { 'ws-app inbound': [], 'ws-b outbound': [] },
      shows: {
        'oc-1': clientDocument('oc-1', {
          projectIds: ['prj-1', 'prj-2'],
          createdAt: '2025-01-01T00:00:00.000Z',
        }),
        'rt-1': triggerDocument('rt-1', 'ws-b', 'ws-app'),
      },
    });
    const forced = [triggersOf('ws-b', 'outbound')];
    const expected = [client('oc-1'), attachment('prj-1'), attachment('prj-3'), trigger('rt-1')];
    const observed = await observe(api, { expected, forced });
    const idsOf = (definition: Expectation['definition'], key: Expectation['key']) =>
      foundAll(observed, definition, { organization: 'acme', ...key })?.map((found) => found.id);
    assert.deepEqual(idsOf(oauthClient, {}), ['oc-1', 'oc-2']);
    assert.deepEqual(idsOf(projectAttachment, { oauthClientId: 'oc-1' }), ['oc-1/prj-1', 'oc-1/prj-2']);
    assert.deepEqual(idsOf(runTrigger, { sourceableId: 'ws-b' }), ['rt-1']);
    assert.deepEqual(calls.slice(2).sort(), ['read oc-1', 'read rt-1']);
  });

  it('takes together what the lists of both ends show', async () => {
    const { api } = readApi({
      triggers: {
        'ws-app inbound': [twins[1] as (typeof twins)[number]],
        'ws-b outbound': [twins[0] as (typeof twins)[number]],
      },
    });
    const forced = runTrigger.listedIn(trigger().key);
    const observed = await observe(api, { expected: [], forced });
    assert.deepEqual(
      foundAll(observed, runTrigger, trigger().key)?.map((found) => found.id),
      ['rt-1', 'rt-2'],
    );
    // Ours, whichever of them shows it.
    for (const id of ['rt-1', 'rt-2']) {
      const observation = observationOf(observed, trigger(id));
      assert.equal(observation.state === 'present' && observation.found.id, id);
    }
  });

  it('asks no more of what one of two lists shows that were read', async () => {
    const { api, calls } = readApi({
      triggers: { 'ws-app inbound': [], 'ws-b outbound': [triggerDocument('rt-1', 'ws-b', 'ws-app')] },
    });
    const forced = runTrigger.listedIn(trigger().key);
    const observed = await observe(api, { expected: [trigger('rt-1')], forced });
    assert.equal(observationOf(observed, trigger('rt-1')).state, 'present');
    assert.deepEqual(calls, ['list ws-app inbound', 'list ws-b outbound']);
  });

  it('names the lists that nobody read', async () => {
    const observed = await observe(readApi({}).api, { expected: [], forced: [] });
    assert.deepEqual(observationOf(observed, trigger()), {
      state: 'unknown',
      why: 'none of run triggers of ws-app (inbound), run triggers of ws-b (outbound) was read',
    });
  });

  it('looks no further for the triggers of a list that answers 404: they are unknown', async () => {
    const { api, calls } = readApi({
      triggers: { 'ws-b outbound': [triggerDocument('rt-1', 'ws-b', 'ws-app')], 'ws-c outbound': [] },
    });
    const both = [trigger('rt-1'), trigger('rt-2', 'ws-c')];
    const observed = await observe(api, { expected: both, forced: [] });
    assert.deepEqual(
      both.map((one) => observationOf(observed, one).state),
      ['unknown', 'unknown'],
    );
    assert.deepEqual(calls, ['list ws-app inbound']);
  });

  it('takes a readable list of an object before one that is not', async () => {
    const { api } = readApi({ triggers: { 'ws-b outbound': [triggerDocument('rt-1', 'ws-b', 'ws-app')] } });
    const forced = [triggersOf('ws-app', 'inbound'), triggersOf('ws-b', 'outbound')];
    const observed = await observe(api, { expected: [], forced });
    assert.equal(observationOf(observed, trigger()).state, 'present');
    assert.deepEqual(
      foundAll(observed, runTrigger, trigger().key)?.map((found) => found.id),
      ['rt-1'],
    );
    assert.equal(foundAll(observed, oauthClient, { organization: 'acme' }), null);
  });

  it('asks no other end that a list of this pass showed to be readable, and none of what only a ledger has', async () => {
    const { api, calls } = readApi({ triggers: { 'ws-app inbound': [], 'ws-b inbound': [] } });
    const forced = ['ws-app', 'ws-b'].map((workspaceId) => triggersOf(workspaceId, 'inbound'));
    const expected = [trigger(), trigger('rt-9', 'ws-c')];
    const observed = await observe(api, { expected, forced });
    assert.equal(observationOf(observed, trigger()).state, 'missing');
    assert.deepEqual(calls, ['list ws-app inbound', 'list ws-b inbound', 'read rt-9']);
  });

  for (const [what, answers] of [
    ['a list', { clients: { acme: new Error('no answer') } }],
    ['a Show', { clients: { acme: [] }, shows: { 'oc-1': new Error('no answer') } }],
  ] as const) {
    it(`ends with the failure of ${what} that is no "not found"`, async () => {
      const needs = { expected: [client('oc-1')], forced: [] };
      await assert.rejects(observe(readApi(answers).api, needs), /no answer/);
    });
  }

  it('asks of each missing object once, however many expect it', async () => {
    const { api, calls } = readApi({ clients: { acme: [] } });
    await observe(api, { expected: [client('oc-1'), client('oc-1')], forced: [] });
    assert.deepEqual(calls, ['list acme', 'read oc-1']);
  });
});

describe('work done in parallel', () => {
  const items = [...Array(100).keys()];

  it('has a limit, and reaches every item', async () => {
    let [running, most] = [0, 0];
    const done: number[] = [];
    await inParallel(items, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      done.push(item);
    });
    assert.equal(most, clientDefaults.concurrency);
    assert.deepEqual(
      done.sort((one, two) => one - two),
      items,
    );
  });

  it('starts nothing more after a failure, and throws the first once all under way have ended', async () => {
    const ended: number[] = [];
    const work = inParallel(items, async (item) => {
      if (item === 2) throw new Error('the third');
      await new Promise((next) => setImmediate(next));
      ended.push(item);
    });
    await assert.rejects(work, /the third/);
    const others = items.slice(0, clientDefaults.concurrency).filter((item) => item !== 2);
    assert.deepEqual(ended, others);
  });
});
