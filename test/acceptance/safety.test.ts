/** Attempts to make the acceptance suite touch an object that is not its own. It must refuse each, and remove its own. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedObject } from '../../service';
import { seedClient } from '../support/acme';
import { clientBody } from '../support/api-caller';
import { startFaultyProxy } from '../support/faulty-proxy';
import {
  type AcceptanceWorld,
  acceptanceWorlds,
  foundPlaces,
  here,
  markedRows,
  readTable,
  token,
  vcsToken,
} from './acceptance-world';
import { removeOwn } from './cleanup';
import type { Tether } from './folder';
import { findPlaces } from './places';
import { Requests, Unanswered } from './requests';
import { type LedgerContent, type PlannedStep, Scope } from './scope';
import { type Environment, Refused, readSettings } from './settings';
import { clientsPath } from './sight';

const assumed = 'hcp-terraform';

type Organization = NonNullable<NonNullable<SeedObject['organizations']>[string]>;

const client = (name: string) => seedClient({ name, serviceProvider: 'github' });
const runName = 'tether-acceptance-20260102t030405-0a1b2c3d-one';

async function refusal(work: Promise<unknown> | (() => unknown)): Promise<string> {
  const failed = await (typeof work === 'function' ? Promise.resolve().then(work) : work).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(failed instanceof Refused, `not refused: ${failed}`);
  return failed.sentences.join('\n');
}

describe('the acceptance suite refuses to begin', () => {
  const start = acceptanceWorlds();

  const occupied: Readonly<Record<string, { readonly others: Organization; readonly says: RegExp }>> = {
    'with a trigger from elsewhere into one of its workspaces': {
      others: {
        workspaces: { 'ws-x': {} },
        runTriggers: { 'rt-x': { workspace: 'ws-acc-2', sourceable: 'ws-x' } },
      },
      says: /somebody's/,
    },
    'with a trigger out of one of its workspaces': {
      others: {
        workspaces: { 'ws-x': {} },
        runTriggers: { 'rt-x': { workspace: 'ws-x', sourceable: 'ws-acc-3' } },
      },
      says: /somebody's/,
    },
    'with a trigger between its workspaces': {
      others: { runTriggers: { 'rt-x': { workspace: 'ws-acc-2', sourceable: 'ws-acc-1' } } },
      says: /under way or was killed/,
    },
    'with a client of another run': {
      others: { oauthClients: { 'oc-x': client(runName) } },
      says: /under way or was killed/,
    },
    'with a client of a person who chose its prefix': {
      others: { oauthClients: { 'oc-x': client('tether-acceptance-team') } },
      says: /under way or was killed/,
    },
    'with two workspaces of one name': {
      others: { workspaces: { 'ws-x': { name: 'tether-acceptance-2' } } },
      says: /exactly one workspace tether-acceptance-2, and 2/,
    },
    'with a project of another name': {
      others: { projects: { 'prj-acc-b': { name: 'payments' } } },
      says: /exactly one project tether-acceptance-b, and 0/,
    },
  };
  for (const [name, { others, says }] of Object.entries(occupied)) {
    it(name, async () => {
      const world = await start({ assumed, others });
      assert.match(await refusal(world.run()), says);
      assert.equal(world.countWrites(), 0);
    });
  }

  it('with a token that lacks rights, and says which', async () => {
    const world = await start({ assumed });
    const workspaces = { 'ws-acc-1': 'readRuns', 'ws-acc-2': 'readRuns', 'ws-acc-3': 'readRuns' } as const;
    world.service.patchSeed({
      organizations: { acme: {} },
      tokens: { weak: { acme: { manageVcsSettings: false, workspaces } } },
    });
    const settings = world.settings({ TETHER_TOKEN: 'weak' });
    assert.match(await refusal(world.run({ settings })), /permission to manage VCS settings/);
    assert.equal(world.countWrites(), 0);
    const blind = { ...settings, token: 'blind', workspaceIds: foundPlaces.workspaceIds };
    world.service.patchSeed({
      organizations: { acme: {} },
      tokens: { blind: { acme: { manageVcsSettings: true } } },
    });
    const sentences = await refusal(world.run({ settings: blind }));
    assert.match(sentences, /inbound run triggers of workspace 2 of 3 cannot be listed \(404\)/);
    assert.equal(world.countWrites(), 0);
  });

  it('off loopback with ids of workspaces that have other names', async () => {
    const others = { workspaces: { 'ws-prod': { name: 'production' } } };
    const world = await start({ assumed, others });
    const ids = { TETHER_ACCEPTANCE_WORKSPACES: 'ws-acc-1,ws-prod,ws-acc-3' };
    const settings = { ...world.settings(ids), isLoopback: false };
    const sentences = await refusal(findPlaces(new Requests(settings), settings));
    assert.match(sentences, /workspace ws-prod has no name that begins with tether-acceptance-/);
    assert.doesNotMatch(sentences, /ws-acc-1/);
  });

  const elsewhere = { TETHER_ADDRESS: 'https://tether.invalid/api/v2' };
  const vcs = { TETHER_ACCEPTANCE_VCS: 'github,https://github.com,https://api.github.com' };
  const settings: Readonly<Record<string, readonly [Environment, RegExp]>> = {
    'over http off loopback': [
      { TETHER_ADDRESS: 'http://tether.invalid/api/v2' },
      /token would travel in the/,
    ],
    'without an organization': [{ TETHER_ACCEPTANCE_ORGANIZATION: '' }, /Set TETHER_ACCEPTANCE_ORGANIZATION/],
    'without a token': [{ TETHER_TOKEN: undefined }, /Set TETHER_TOKEN/],
    'with a profile that is missing': [{ TETHER_PROFILE: 'other' }, /no profile "other"/],
    'off loopback with a profile that reads no names': [
      { ...elsewhere, TETHER_PROFILE: 'default', TETHER_ACCEPTANCE_WORKSPACES: 'ws-1,ws-2,ws-3' },
      /cannot see that the workspaces are its own/,
    ],
    'with a profile that reads no names, without ids': [{ TETHER_PROFILE: 'default' }, /three ids/],
    'with one workspace twice': [{ TETHER_ACCEPTANCE_WORKSPACES: 'ws-1,ws-1,ws-2' }, /3 different ids/],
    'with one project': [{ TETHER_ACCEPTANCE_PROJECTS: 'prj-1' }, /2 different ids/],
    'with a provider of another profile': [
      { TETHER_ACCEPTANCE_VCS: 'provider_a,https://x.example,https://x.example' },
      /must name a provider of profile hcp-terraform/,
    ],
    'with a provider that needs a key': [
      { TETHER_ACCEPTANCE_VCS: 'ado_server,https://x.example,https://x.example' },
      /needs a token alone/,
    ],
    'off loopback with a provider and no token of it': [
      { ...elsewhere, ...vcs, TETHER_ACCEPTANCE_VCS_TOKEN: '' },
      /Set TETHER_ACCEPTANCE_VCS_TOKEN/,
    ],
  };
  for (const [name, [more, says]] of Object.entries(settings)) {
    it(name, async () => {
      const env = {
        TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2',
        TETHER_TOKEN: token,
        TETHER_PROFILE: assumed,
        TETHER_ACCEPTANCE_ORGANIZATION: 'acme',
        ...more,
      };
      const sentences = await refusal(() => readSettings(env, '.'));
      assert.match(sentences, says);
      assert.ok(!sentences.includes(token));
    });
  }

  it('off loopback without a VCS provider, before any request', async () => {
    const world = await start({ assumed });
    const away = { ...world.settings(), isLoopback: false, vcs: undefined };
    assert.match(await refusal(world.run({ settings: away })), /Set TETHER_ACCEPTANCE_VCS/);
    assert.deepEqual(world.service.requests(), []);
  });
});

describe('the scope of an acceptance run', () => {
  const scope = new Scope(foundPlaces, new Date('2026-01-02T03:04:05.678Z'), '0a1b2c3d');
  const seen = (id: string, name: string) => ({
    ...{ id, name, createdAt: '', projectIds: [], agentPoolId: undefined, attributes: {} },
  });
  scope.note([seen('oc-own', `${scope.prefix}one`), seen('oc-taken', `${scope.prefix}two`)]);
  scope.note([seen('oc-taken', 'Renamed by somebody'), seen('oc-other', 'tether-acceptance-other')]);

  const ledgers: Readonly<Record<string, Partial<LedgerContent>>> = {
    'a client that it never saw': { objects: { 'OAuthClient/x': { id: 'oc-x' } } },
    'a client of another run': { objects: { 'OAuthClient/x': { id: 'oc-other' } } },
    'a client that somebody renamed': { objects: { 'OAuthClient/x': { id: 'oc-taken' } } },
    'a retiring client that is not its own': {
      objects: { 'OAuthClient/x': { id: 'oc-own', retiring: ['oc-x'] } },
    },
    'a client without an id': { objects: { 'OAuthClient/x': {} } },
    'an attachment of another client': { objects: { 'ProjectAttachment/oc-x/prj-acc-a': {} } },
    'an attachment of another project': { objects: { 'ProjectAttachment/oc-own/prj-x': {} } },
    'a trigger that is half its own': { objects: { 'RunTrigger/ws-acc-1/ws-x': {} } },
    'a trigger that is the other half its own': { objects: { 'RunTrigger/ws-x/ws-acc-1': {} } },
    'a kind that it does not know': { objects: { 'Workspace/ws-acc-1': {} } },
    'a pending client of another name': { pending: { 'OAuthClient/x': { values: { name: 'GitHub' } } } },
  };
  for (const [what, ledger] of Object.entries(ledgers)) {
    it(`refuses a ledger with ${what}`, () => {
      assert.equal(scope.foreignInLedger({ objects: {}, pending: {}, ...ledger }).length, 1);
    });
  }

  const step: PlannedStep = { action: 'update', kind: 'OAuthClient', key: [], reason: 'new', inputs: {} };
  const steps: Readonly<Record<string, Partial<PlannedStep>>> = {
    'adopts a client that is not its own': { action: 'adopt', key: ['OAuthClient', 'x'], objectId: 'oc-x' },
    'destroys a client that somebody renamed': { action: 'delete', objectId: 'oc-taken' },
    'creates a client of another name': { action: 'create', inputs: { name: 'GitHub' } },
    'creates a client without a name': { action: 'create' },
    'clears a name': { objectId: 'oc-own', inputs: { name: null } },
    'deletes a trigger that is half its own': {
      action: 'delete',
      kind: 'RunTrigger',
      key: ['RunTrigger', 'ws-acc-1', 'ws-x'],
      objectId: 'rt-x',
    },
    'attaches a client to another project': {
      action: 'create',
      kind: 'ProjectAttachment',
      key: ['ProjectAttachment', 'oc-own', 'prj-x'],
    },
    'is about another kind': { kind: 'Workspace', key: ['Workspace', 'ws-acc-1'] },
  };
  for (const [what, more] of Object.entries(steps)) {
    it(`refuses a plan that ${what}`, () => {
      assert.equal(scope.foreignInPlan([{ ...step, ...more }]).length, 1);
    });
  }

  it('takes its own ledger and plan', () => {
    const objects = {
      'OAuthClient/one': { id: 'oc-own' },
      'ProjectAttachment/oc-own/prj-acc-b': {},
      'RunTrigger/ws-acc-2/ws-acc-1': { id: 'rt-1' },
    };
    const pending = { 'OAuthClient/two': { values: { name: `${scope.prefix}two` } } };
    assert.deepEqual(scope.foreignInLedger({ objects, pending }), []);
    const own: readonly Partial<PlannedStep>[] = [
      { action: 'create', inputs: { name: `${scope.prefix}two` } },
      { action: 'delete', objectId: 'oc-own' },
      { kind: 'ProjectAttachment', key: ['ProjectAttachment', 'OAuthClient/two', 'prj-acc-a'] },
      { kind: 'RunTrigger', key: ['RunTrigger', 'ws-acc-3', 'ws-acc-1'] },
    ];
    assert.deepEqual(scope.foreignInPlan(own.map((more) => ({ ...step, ...more }))), []);
  });
});

describe('an acceptance run that does not end well', () => {
  const start = acceptanceWorlds();

  const others: Organization = { workspaces: { 'ws-x': {} }, oauthClients: { 'oc-x': client('GitHub') } };

  /** Lets somebody act right before the first command whose manifest has this text. */
  function meddling(text: string, act: () => void): Tether {
    let isDone = false;
    return async (args, place) => {
      const file = join(place.cwd, 'acceptance.tether.yaml');
      if (!isDone && args[0] === 'plan' && readFileSync(file, 'utf8').includes(text)) {
        isDone = true;
        act();
      }
      return here(args, place);
    };
  }

  async function haltedBy(world: AcceptanceWorld, text: string, act: () => void): Promise<string> {
    const { exitCode, table, printed } = await world.run({ tether: meddling(text, act) });
    assert.equal(exitCode, 1, printed);
    assert.equal(world.countOwn(), 0, printed);
    const seen = [...readTable(table).values()].filter(([, , answer]) => answer === '204');
    assert.deepEqual(seen, [], 'the probe ran');
    return printed;
  }

  it('keeps a trigger that somebody adds inside its exact set, and stops', async () => {
    const world = await start({ assumed, others });
    const printed = await haltedBy(world, 'sources:', () =>
      world.service.patchSeed({
        organizations: {
          acme: { runTriggers: { 'rt-x': { workspace: 'ws-acc-3', sourceable: 'ws-x' } } },
        },
      }),
    );
    assert.match(printed, /The plan would delete RunTrigger\/ws-acc-3\/ws-x/);
    assert.deepEqual(
      world.service.snapshot().runTriggers.map(({ id }) => id),
      ['rt-x'],
    );
  });

  it('keeps a client that somebody renames while it runs, and stops', async () => {
    const world = await start({ assumed, others });
    let takenId = '';
    const printed = await haltedBy(world, 'targets:', () => {
      takenId = world.service.snapshot().oauthClients.find(({ name }) => name?.endsWith('-listed'))?.id ?? '';
      world.service.patchSeed({
        organizations: { acme: { oauthClients: { [takenId]: { name: 'Ours now' } } } },
      });
    });
    assert.match(printed, /The ledger has OAuthClient\/listed, which is not this run's/);
    const names = world.service.snapshot().oauthClients.map(({ name }) => name);
    assert.deepEqual(names.sort(), ['GitHub', 'Ours now']);
  });

  it('removes what it made when a step fails, and says which', async () => {
    const world = await start({ assumed, others });
    const before = world.withoutOwn();
    world.service.fault({
      how: 'status',
      method: 'DELETE',
      route: '/run-triggers/:run_trigger_id',
      nth: 2,
      status: 400,
    });
    const { exitCode, table, printed } = await world.run();
    assert.equal(exitCode, 1, printed);
    const life = [...readTable(table)].filter(([question]) => question.startsWith('life: '));
    const failed = life.findIndex(([, cells]) => cells[2] === 'fails' || cells[2] === 'refused');
    assert.ok(failed > 5, printed);
    assert.equal(world.countOwn(), 0);
    assert.deepEqual(world.withoutOwn(), before);
  });

  it('removes what it made after Ctrl-C, at any write', async () => {
    const world = await start({ assumed, others });
    const before = world.withoutOwn();
    for (const stopAt of [1, 4, 9, 30, 60]) {
      world.service.clearRequests();
      const stop = new AbortController();
      const tether: Tether = async (args, place) => {
        const ended = await here(args, place);
        if (world.countWrites() >= stopAt) stop.abort();
        return ended;
      };
      const print = () => {
        if (world.countWrites() >= stopAt) stop.abort();
      };
      const { exitCode, table } = await world.run({ tether, print, signal: stop.signal });
      assert.deepEqual([exitCode, table], [130, undefined]);
      assert.equal(world.countOwn(), 0, `at write ${stopAt}`);
      assert.deepEqual(world.withoutOwn(), before);
    }
  });

  it('removes a client whose answer was lost and that lists show late', async () => {
    const world = await start({ assumed, behaviours: { 'create-hidden-ms': '100' } });
    const settings = world.settings();
    const requests = new Requests(settings);
    const scope = new Scope(foundPlaces);
    const attributes = { 'service-provider': 'github', name: `${scope.prefix}late` };
    const body = clientBody(attributes);
    world.service.fault({ how: 'reset-after', method: 'POST' });
    await assert.rejects(requests.send('POST', clientsPath('acme'), { body }), Unanswered);
    assert.equal(world.countOwn(), 1);
    assert.equal(await removeOwn(requests, settings, foundPlaces, scope), 0);
    assert.equal(world.countOwn(), 0);
  });

  it('takes back what the service refuses, marks it, and goes on', async () => {
    const world = await start({ assumed, others });
    const refuse = { how: 'status', status: 422 } as const;
    // The first three PATCHes are drift, its repair and the name; the third POST is that of a replace.
    world.service.fault([
      { ...refuse, method: 'PATCH', route: '/oauth-clients/:id', nth: 4 },
      { ...refuse, method: 'POST', route: '/organizations/:organization_name/oauth-clients', nth: 3 },
    ]);
    const { exitCode, table, printed } = await world.run();
    assert.equal(exitCode, 0, printed);
    const rows = readTable(table);
    assert.deepEqual(markedRows(table), { 'life: key changed in place': 'refused' });
    assert.equal(rows.get('life: client replaced with its approval')?.[2], 'not observed');
    assert.equal(world.countOwn(), 0);
  });

  const stranger: Organization = {
    workspaces: { 'ws-x': {}, 'ws-y': {} },
    oauthClients: { 'oc-0123': client('GitHub') },
    runTriggers: { 'rt-0123': { workspace: 'ws-x', sourceable: 'ws-y' } },
  };
  for (const [kind, route, id] of [
    ['client', '/oauth-clients', 'oc-0123'],
    ['trigger', '/run-triggers', 'rt-0123'],
  ] as const) {
    it(`keeps a ${kind} of others that an answer to its create names`, async () => {
      const world = await start({ assumed, others: stranger });
      const before = world.withoutOwn();
      const proxy = await startFaultyProxy(world.service.url);
      try {
        let isCreate = false;
        proxy.decide = ({ method, url }) => {
          isCreate = method === 'POST' && url.endsWith(route);
          return 'passes';
        };
        proxy.edit = (body) =>
          isCreate ? body.replace(/"id":"(?:oc|rt)-[0-9a-f]{16}"/, `"id":"${id}"`) : body;
        const settings = world.settings({ TETHER_ADDRESS: `${proxy.origin}/api/v2` });
        const { exitCode, printed } = await world.run({ settings, steps: [] });
        assert.equal(exitCode, 1, printed);
        assert.match(printed, /names a (?:client|trigger) that is not of this run/);
      } finally {
        await proxy.close();
      }
      assert.deepEqual(world.withoutOwn(), before);
      assert.equal(world.countOwn(), 0);
    });
  }

  it('prints no token, whatever fails', async () => {
    const world = await start({ assumed });
    world.service.fault({ how: 'garbage', method: 'PATCH' });
    const { table, printed } = await world.run();
    for (const secret of [token, vcsToken]) assert.ok(!`${table}${printed}`.includes(secret));
    assert.equal(world.countOwn(), 0);
  });
});

describe('make acceptance-clean', () => {
  const start = acceptanceWorlds();
  const old = '2026-01-02T01:00:00.000Z';
  const young = '2026-01-02T02:30:00.000Z';

  it('removes what is old and of a run, and nothing else', async () => {
    const world = await start({
      assumed,
      others: {
        workspaces: { 'ws-x': {}, 'ws-user': { oauthClient: 'oc-used' } },
        oauthClients: {
          'oc-old': { ...client(runName), createdAt: old },
          'oc-young': { ...client(runName.replace('-one', '-two')), createdAt: young },
          'oc-used': { ...client(runName.replace('-one', '-renamed')), createdAt: old },
          'oc-team': { ...client('tether-acceptance-team'), createdAt: old },
          'oc-longer': { ...client(`${runName} (ours)`), createdAt: old },
          'oc-like': { ...client(`x${runName}`), createdAt: old },
        },
        runTriggers: {
          'rt-old': { workspace: 'ws-acc-2', sourceable: 'ws-acc-1', createdAt: old },
          'rt-young': { workspace: 'ws-acc-3', sourceable: 'ws-acc-1', createdAt: young },
          'rt-half': { workspace: 'ws-acc-3', sourceable: 'ws-x', createdAt: old },
          'rt-other-half': { workspace: 'ws-x', sourceable: 'ws-acc-3', createdAt: old },
        },
      },
    });
    assert.equal((await world.clean(() => false)).code, 1);
    assert.equal(world.countWrites(), 0);
    const { code, lines } = await world.clean();
    assert.equal(code, 0, lines.join('\n'));
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual(oauthClients.map(({ id }) => id).sort(), [
      'oc-like',
      'oc-longer',
      'oc-team',
      'oc-used',
      'oc-young',
    ]);
    assert.deepEqual(runTriggers.map(({ id }) => id).sort(), ['rt-half', 'rt-other-half', 'rt-young']);
    assert.match(lines.join('\n'), /delete OAuth client tether-acceptance-\S+-one \(oc-old\), 124 min old/);
    assert.match(lines.join('\n'), /keep {3}OAuth client \S+ \(oc-used\).*workspaces that use it: 1/);
  });

  it('judges again after the question', async () => {
    const oauthClients = { 'oc-old': { ...client(runName), createdAt: old } };
    const world = await start({ assumed, others: { oauthClients } });
    const { code } = await world.clean(() => {
      world.service.patchSeed({
        organizations: { acme: { workspaces: { 'ws-user': { oauthClient: 'oc-old' } } } },
      });
      return true;
    });
    assert.equal(code, 1);
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });
});
