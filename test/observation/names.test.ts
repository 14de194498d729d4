/** Names of workspaces, projects and agent pools become ids, or a sentence that says why not. */
import assert from 'node:assert/strict';
import { lookUpNames } from '../../observation/names';
import { type Answers, readApi } from '../support/read-api';

const workspaces = ['app', 'app-2', 'app-3', 'network'].map((name) => ({ id: `ws-${name}`, name }));
const twins = ['ws-2', 'ws-1'].map((id) => ({ id, name: 'app' }));
const many = Array.from({ length: 6 }, (_, index) => ({ id: `prj-${index}`, name: `p${index}` }));
const odd = [
  { id: 'ws-app', name: 'app' },
  { id: 'ws-net', name: 'net\u00a0' },
];
const missing = 'check the spelling, or what this token may see';
const unlisted =
  'check the name of the organization, the address https://service.test/api/v2, or what this token may see';

describe('looking up names', () => {
  const rows: { what: string; names: Answers['names']; wanted: string[]; found: object; calls: string[] }[] =
    [
      { what: 'nothing for no names', names: {}, wanted: [], found: {}, calls: [] },
      {
        what: 'the exact name, once, where the search also finds others',
        names: { workspaces },
        wanted: ['workspace/app', 'workspace/app'],
        found: { 'workspace/app': { id: 'ws-app' } },
        calls: ['search workspaces app'],
      },
      {
        what: 'names of each kind apart',
        names: { workspaces, 'agent-pools': [{ id: 'apool-1', name: 'app' }] },
        wanted: ['workspace/app', 'agentPool/app'],
        found: { 'workspace/app': { id: 'ws-app' }, 'agentPool/app': { id: 'apool-1' } },
        calls: ['search workspaces app', 'search agent-pools app'],
      },
      {
        what: 'many names from the whole list',
        names: { projects: many },
        wanted: [...many.map(({ name }) => `project/${name}`).slice(1), 'project/p9'],
        found: {
          ...Object.fromEntries(many.slice(1).map(({ id, name }) => [`project/${name}`, { id }])),
          'project/p9': { why: `no project named \`p9\` was found in acme: ${missing}` },
        },
        calls: ['list projects'],
      },
      {
        what: 'why a name is not found: only a part of another one is like it',
        names: { workspaces },
        wanted: ['workspace/net'],
        found: { 'workspace/net': { why: `no workspace named \`net\` was found in acme: ${missing}` } },
        calls: ['search workspaces net'],
      },
      {
        what: 'why a name is not found: it differs in case, or by a blank at its end',
        names: {
          workspaces: [...many.map(({ name }, index) => ({ id: `ws-${index}`, name })), ...odd],
          projects: [{ id: 'prj-1', name: 'payments ' }],
        },
        wanted: [
          ...many.map(({ name }) => `workspace/${name}`),
          ...['APP', 'net'].map((name) => `workspace/${name}`),
          'project/payments',
        ],
        found: {
          ...Object.fromEntries(many.map(({ name }, index) => [`workspace/${name}`, { id: `ws-${index}` }])),
          'workspace/APP': {
            why: 'no workspace named `APP` was found in acme: did you mean "app" (ws-app)?',
          },
          'workspace/net': {
            why: 'no workspace named `net` was found in acme: did you mean "net\\u00a0" (ws-net)?',
          },
          'project/payments': {
            why: 'no project named `payments` was found in acme: did you mean "payments " (prj-1)?',
          },
        },
        calls: ['list workspaces', 'search projects payments'],
      },
      {
        what: 'why a name is not clear: two have it',
        names: { workspaces: twins },
        wanted: ['workspace/app'],
        found: {
          'workspace/app': { why: '2 workspaces of acme are named `app` (ws-1, ws-2): write the id' },
        },
        calls: ['search workspaces app'],
      },
      {
        what: 'why a list cannot be read',
        names: {},
        wanted: ['agentPool/dmz'],
        found: { 'agentPool/dmz': { why: `the agent pools of acme cannot be listed (404): ${unlisted}` } },
        calls: ['search agent-pools dmz'],
      },
    ];
  for (const { what, names = {}, wanted, found, calls } of rows) {
    it(`finds ${what}`, async () => {
      const asked = readApi({ names });
      const { names: result } = await lookUpNames(asked.api, 'acme', wanted);
      assert.deepEqual(Object.fromEntries(result), found);
      assert.deepEqual(asked.calls, calls);
    });
  }

  it('says of an address without /api/v2 that it lacks that', async () => {
    const api = { ...readApi({ names: {} }).api, address: 'https://service.test' };
    const [found] = (await lookUpNames(api, 'acme', ['workspace/app'])).names.values();
    assert.match(
      JSON.stringify(found),
      /address https:\/\/service\.test \(it does not end in \/api\/v2\), or/,
    );
  });

  it('keeps what the answers show, and which lists are whole', async () => {
    const names = { workspaces, projects: many };
    const references = ['workspace/app', ...many.map(({ name }) => `project/${name}`)];
    const { currentNames, listedKinds } = await lookUpNames(readApi({ names }).api, 'acme', references);
    assert.deepEqual([...listedKinds], ['project']);
    assert.deepEqual([...currentNames.keys()].sort(), [
      ...many.map(({ id }) => id),
      'ws-app',
      'ws-app-2',
      'ws-app-3',
    ]);
  });

  it('ends with a failure that is no "not found"', async () => {
    const { api } = readApi({ names: { workspaces: new Error('no answer') } });
    await assert.rejects(lookUpNames(api, 'acme', ['workspace/app']), /no answer/);
  });
});
