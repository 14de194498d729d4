/** One pass: which calls it takes, and what it says of each object, with evidence or the reason why nobody can tell. */
import assert from 'node:assert/strict';
import type { OAuthClientDocument } from '../../client/api';
import { clientDefaults } from '../../client/options';
import { type Expectation, findObservation, foundAll, isYoung } from '../../observation/evidence';
import { ListCache } from '../../observation/list-cache';
import { inParallel, observe } from '../../observation/observe';
import { oauthClient } from '../../resources/oauth-client';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger, toTriggerList } from '../../resources/run-trigger';
import { type Answers, readApi } from '../support/read-api';
import { oauthClientDocument, runTriggerDocument } from '../support/wire-documents';

const organization = 'acme';
const clientAt = (id: string, values: Partial<OAuthClientDocument> = {}): OAuthClientDocument => ({
  ...oauthClientDocument(id),
  projectIds: [],
  ...values,
});
const withoutProjects = ({ projectIds: _, ...others }: OAuthClientDocument): OAuthClientDocument => others;
const triggerAt = (id: string, target = 'ws-app', source = 'ws-b') => runTriggerDocument(id, target, source);
const client = (id: string): Expectation => ({ definition: oauthClient, key: { organization, id }, id });
const trigger = (id?: string, source = 'ws-b'): Expectation => ({
  definition: runTrigger,
  key: { organization, workspaceId: 'ws-app', sourceableId: source },
  ...(id === undefined ? {} : { id }),
});
const attachment = (projectId: string): Expectation => ({
  definition: projectAttachment,
  key: { organization, oauthClientId: 'oc-1', projectId },
});
const pair = [{ ...triggerAt('rt-2'), createdAt: '2025-01-02T00:00:00.000Z' }, triggerAt('rt-1')];
const inbound = 'run triggers of ws-app (inbound)';
const oneMinuteAgo = { createdAt: '2026-05-31T23:59:00.000Z' };

describe('an observation', () => {
  const rows: {
    what: string;
    answers: Answers;
    of: Expectation;
    forced?: boolean;
    /** The id that is found, the lists that show it missing, or why it is unknown. */
    present?: string;
    missing?: string;
    unknown?: string;
    calls: string[];
  }[] = [
    {
      what: 'a client that its list lacks and a Show does not find is missing',
      answers: { clients: { acme: [clientAt('oc-1')] } },
      of: client('oc-2'),
      missing: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-2'],
    },
    {
      what: 'a client that is younger than two minutes is unknown, never missing',
      answers: { clients: { acme: [] } },
      of: { ...client('oc-2'), ...oneMinuteAgo },
      unknown:
        'it was created less than two minutes ago, and lists may not show it before 00:01:00 UTC: try again then',
      calls: ['list acme', 'read oc-2'],
    },
    {
      what: 'a client that a Show finds in another organization is missing in this one',
      answers: { clients: { acme: [] }, shows: { 'oc-2': clientAt('oc-2', { organization: 'other' }) } },
      of: client('oc-2'),
      missing: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-2'],
    },
    {
      what: 'a client whose list cannot be read is unknown, and a Show would prove nothing',
      answers: {},
      of: client('oc-1'),
      unknown: 'GET list acme: 404, not found',
      calls: ['list acme'],
    },
    {
      what: 'a trigger that one list lacks is missing: a list is taken at face value',
      answers: { triggers: { 'ws-app inbound': [triggerAt('rt-9', 'ws-app', 'ws-c')] } },
      of: trigger(),
      missing: inbound,
      calls: ['list ws-app inbound'],
    },
    {
      what: 'a trigger whose id a Show finds at another pair is missing',
      answers: { triggers: { 'ws-app inbound': [] }, shows: { 'rt-1': triggerAt('rt-1', 'ws-d', 'ws-c') } },
      of: trigger('rt-1'),
      missing: inbound,
      calls: ['list ws-app inbound', 'read rt-1'],
    },
    {
      what: 'a trigger whose list answers 404 is unknown, and its other end is not asked',
      answers: { triggers: { 'ws-b outbound': [triggerAt('rt-1')] } },
      of: trigger('rt-1'),
      unknown: 'GET list ws-app inbound: 404, not found',
      calls: ['list ws-app inbound'],
    },
    {
      what: 'a trigger is found in a list that is read anyway, whatever its other end answers',
      answers: { triggers: { 'ws-b outbound': [triggerAt('rt-1')] } },
      of: trigger(),
      forced: true,
      present: 'rt-1',
      calls: ['list ws-app inbound', 'list ws-b outbound'],
    },
    {
      what: 'a trigger is unknown where one end cannot be read and the other lacks it',
      answers: { triggers: { 'ws-b outbound': [] } },
      of: trigger(),
      forced: true,
      unknown: 'GET list ws-app inbound: 404, not found',
      calls: ['list ws-app inbound', 'list ws-b outbound'],
    },
    {
      what: 'an attachment is present where the client list is late and a Show has it (76)',
      answers: { clients: { acme: [] }, shows: { 'oc-1': clientAt('oc-1', { projectIds: ['prj-1'] }) } },
      of: attachment('prj-1'),
      present: 'oc-1/prj-1',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment is present where the list shows older projects of its client than a Show',
      answers: {
        clients: { acme: [clientAt('oc-1', { projectIds: ['prj-2'] })] },
        shows: { 'oc-1': clientAt('oc-1', { projectIds: ['prj-1'] }) },
      },
      of: attachment('prj-1'),
      present: 'oc-1/prj-1',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment is missing where list and Show have its client, without it',
      answers: { clients: { acme: [clientAt('oc-1')] }, shows: { 'oc-1': clientAt('oc-1') } },
      of: attachment('prj-1'),
      missing: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment is unknown where a Show does not tell the projects that the list has',
      answers: {
        clients: { acme: [clientAt('oc-1')] },
        shows: { 'oc-1': withoutProjects(clientAt('oc-1')) },
      },
      of: attachment('prj-1'),
      unknown: 'the service does not show what oc-1 is linked with',
      calls: ['list acme', 'read oc-1'],
    },
    {
      what: 'an attachment that the list shows needs no Show',
      answers: { clients: { acme: [clientAt('oc-1', { projectIds: ['prj-1'] })] } },
      of: attachment('prj-1'),
      present: 'oc-1/prj-1',
      calls: ['list acme'],
    },
    {
      what: 'an attachment is missing where only a Show has its client, without it',
      answers: { clients: { acme: [] }, shows: { 'oc-1': clientAt('oc-1') } },
      of: attachment('prj-1'),
      missing: 'OAuth clients of acme',
      calls: ['list acme', 'read oc-1'],
    },
  ];
  for (const { what, answers, of, forced = false, calls, ...wanted } of rows) {
    it(`says that ${what}`, async () => {
      const asked = readApi(answers);
      const needs = { expected: [of], forced: forced ? of.definition.listedIn(of.key) : [] };
      const observation = findObservation(await observe(asked.api, needs), of);
      const said = {
        present: () => observation.state === 'present' && observation.found.id,
        missing: () => observation.state === 'missing' && observation.evidence.map(({ name }) => name).join(),
        unknown: () => observation.state === 'unknown' && observation.why,
      };
      assert.deepEqual({ [observation.state]: said[observation.state]() }, wanted);
      assert.deepEqual(asked.calls, calls);
    });
  }

  it('reads the lists of the targets of a source whose list answers 404, and they prove no absence', async () => {
    const needs = ['ws-1', 'ws-2', 'ws-3'].map((workspaceId) => ({
      ...trigger(),
      key: { organization, workspaceId, sourceableId: 'ws-b' },
    }));
    const { api, calls } = readApi({
      triggers: { 'ws-1 inbound': [triggerAt('rt-1', 'ws-1')], 'ws-2 inbound': [] },
    });
    const observed = await observe(api, { expected: needs, forced: [] });
    assert.deepEqual(
      needs.map((expectation) => findObservation(observed, expectation).state),
      ['present', 'unknown', 'unknown'],
    );
    assert.deepEqual(calls, [
      'list ws-b outbound',
      'list ws-1 inbound',
      'list ws-2 inbound',
      'list ws-3 inbound',
    ]);
  });

  it('is unknown for what the pass did not ask for', async () => {
    const { api } = readApi({ clients: { acme: [] } });
    const nothing = await observe(api, { expected: [], forced: [] });
    const why = `none of its lists was read: ${inbound}, run triggers of ws-b (outbound)`;
    assert.deepEqual(findObservation(nothing, trigger()), { state: 'unknown', why });
    const observed = await observe(api, { expected: [], forced: oauthClient.listedIn({ organization }) });
    assert.equal(findObservation(observed, client('oc-1')).state, 'unknown');
  });

  it('takes the time of the service after the last answer', async () => {
    const answers: Answers = { clients: { acme: [] }, now: 1 };
    const { api } = readApi(answers);
    const late = {
      ...api,
      oauthClients: {
        ...api.oauthClients,
        read: (id: string) => {
          answers.now = 2;
          return api.oauthClients.read(id);
        },
      },
    };
    const { now, shows } = await observe(late, { expected: [client('oc-1')], forced: [] });
    assert.deepEqual([now, shows], [2, { 'oc-1': 'missing' }]);
  });

  it('lists what only a Show found with the rest, and asks for each once', async () => {
    const { api, calls } = readApi({
      clients: { acme: [clientAt('oc-2', { createdAt: '2026-01-01T00:00:00.000Z' })] },
      shows: { 'oc-1': clientAt('oc-1', { projectIds: ['prj-1', 'prj-2'] }) },
    });
    const expected = [client('oc-1'), attachment('prj-1'), attachment('prj-3')];
    const observed = await observe(api, { expected, forced: [] });
    const idsOf = (definition: Expectation['definition'], key: Expectation['key']) =>
      foundAll(observed, definition, { organization, ...key })?.map(({ id }) => id);
    assert.deepEqual(idsOf(oauthClient, {}), ['oc-1', 'oc-2']);
    assert.deepEqual(idsOf(projectAttachment, { oauthClientId: 'oc-1' }), ['oc-1/prj-1', 'oc-1/prj-2']);
    assert.equal(idsOf(runTrigger, { workspaceId: 'ws-app' }), undefined);
    assert.deepEqual(calls, ['list acme', 'read oc-1']);
  });

  it('takes the projects of a client from its Show, once for all that the list lacks', async () => {
    const { api, calls } = readApi({
      clients: { acme: [clientAt('oc-1', { projectIds: ['prj-1', 'prj-2'] })] },
      shows: { 'oc-1': clientAt('oc-1', { projectIds: ['prj-2', 'prj-3'] }) },
    });
    const expected = ['prj-1', 'prj-2', 'prj-3', 'prj-4'].map(attachment);
    const observed = await observe(api, { expected, forced: [] });
    const states = expected.map((expectation) => findObservation(observed, expectation).state);
    assert.deepEqual(states, ['missing', 'present', 'present', 'missing']);
    assert.equal(foundAll(observed, oauthClient, { organization })?.length, 1);
    assert.deepEqual(calls, ['list acme', 'read oc-1']);
  });

  it('takes together what the lists of both ends show, oldest first', async () => {
    const [newer, older] = pair.map((item) => [item]);
    const { api } = readApi({ triggers: { 'ws-app inbound': newer ?? [], 'ws-b outbound': older ?? [] } });
    const observed = await observe(api, { expected: [], forced: runTrigger.listedIn(trigger().key) });
    const ids = foundAll(observed, runTrigger, trigger().key)?.map(({ id }) => id);
    assert.deepEqual(ids, ['rt-1', 'rt-2']);
    assert.deepEqual(foundAll(observed, runTrigger, trigger('', 'ws-c').key), []);
    assert.equal(foundAll(observed, oauthClient, { organization }), null);
  });

  it('asks for no list that a cache has, and chooses those first', async () => {
    const { api, calls } = readApi({ triggers: { 'ws-b outbound': [triggerAt('rt-1')] } });
    const cache = new ListCache(api);
    await cache.read(toTriggerList('ws-b', 'outbound'));
    const observed = await observe(api, { expected: [trigger()], forced: [] }, cache);
    assert.equal(findObservation(observed, trigger()).state, 'present');
    assert.deepEqual(calls, ['list ws-b outbound']);
  });

  it('reads many short lists instead of fewer long ones, by the pages that are known to be in them', async () => {
    const targets = Array.from({ length: 101 }, (_, number) => `t${number}`);
    const sources = Array.from({ length: 60 }, (_, number) => `s${number}`);
    const expected = sources.flatMap((sourceableId) =>
      targets.map((workspaceId) => ({
        definition: runTrigger,
        key: { organization, workspaceId, sourceableId },
        id: `rt-${workspaceId}-${sourceableId}`,
      })),
    );
    const lists = targets.map((target) => [
      `${target} inbound`,
      sources.map((source) => triggerAt(`rt-${target}-${source}`, target, source)),
    ]);
    const { api, calls } = readApi({ triggers: Object.fromEntries(lists) });
    // 60 lists of two pages each, or 101 of one.
    await observe(api, { expected, forced: [] });
    assert.deepEqual(calls.sort(), targets.map((target) => `list ${target} inbound`).sort());
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

  it('calls an object young for two minutes after its creation', () => {
    const createdAt = '2026-01-01T00:00:00.000Z';
    const ages = [-1000, 0, 119_999, 120_000].map((age) => isYoung(createdAt, Date.parse(createdAt) + age));
    assert.deepEqual(ages, [true, true, true, false]);
  });
});

describe('work done in parallel', () => {
  const items = [...Array(100).keys()];

  it('has a limit, and reaches every item', async () => {
    let [running, most] = [0, 0];
    const done = new Set<number>();
    await inParallel(items, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      done.add(item);
    });
    assert.deepEqual([most, done.size], [clientDefaults.concurrency, items.length]);
  });

  it('starts nothing more after a failure, and throws the first once all under way have ended', async () => {
    const ended: number[] = [];
    const work = inParallel(items, async (item) => {
      if (item === 2) throw new Error('the third');
      await new Promise((next) => setImmediate(next));
      ended.push(item);
    });
    await assert.rejects(work, /the third/);
    const otherItems = items.slice(0, clientDefaults.concurrency).filter((item) => item !== 2);
    assert.deepEqual(ended, otherItems);
  });
});
