/** What the acceptance suite refuses to begin with. Nothing was made then. */
import assert from 'node:assert/strict';
import {
  acceptanceWorlds,
  foundPlaces,
  namedClient,
  nameOfAnotherRun,
  type Organization,
  token,
} from './acceptance-world';
import { findPlaces } from './places';
import { Requests } from './requests';
import { type Environment, Refused, readSettings } from './settings';

const assumed = 'hcp-terraform';

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
      says: /^run trigger ws-acc-2 ← ws-x \(rt-x\): .* somebody's\. Remove the trigger, or give the suite other workspaces\.$/,
    },
    'with a trigger out of one of its workspaces': {
      others: {
        workspaces: { 'ws-x': {} },
        runTriggers: { 'rt-x': { workspace: 'ws-x', sourceable: 'ws-acc-3' } },
      },
      says: /^run trigger ws-x ← ws-acc-3 \(rt-x\): .* somebody's/,
    },
    'with a trigger between its workspaces': {
      others: { runTriggers: { 'rt-x': { workspace: 'ws-acc-2', sourceable: 'ws-acc-1' } } },
      says: /under way or was killed/,
    },
    'with a client of another run': {
      others: { oauthClients: { 'oc-x': namedClient(nameOfAnotherRun) } },
      says: /^OAuth client \S+-attached \(oc-x\): A run is under way or was killed: .* acceptance-clean, which deletes this\.$/,
    },
    'with a client of a person who chose its prefix': {
      others: { oauthClients: { 'oc-x': namedClient('tether-acceptance-team') } },
      says: /^OAuth client tether-acceptance-team \(oc-x\): .* Rename or delete it yourself: make acceptance-clean leaves it alone\.$/,
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

  it('with a token that the service does not know, in one sentence', async () => {
    for (const profile of [assumed, 'default']) {
      const world = await start({ assumed: profile });
      const settings = world.settings({ TETHER_TOKEN: 'wrong' });
      assert.equal(
        await refusal(world.run({ settings })),
        'The service does not accept the token (401): check TETHER_TOKEN.',
      );
    }
  });

  it('with an organization that cannot be seen, in one sentence', async () => {
    const world = await start({ assumed });
    const settings = world.settings({ TETHER_ACCEPTANCE_ORGANIZATION: 'acmee' });
    assert.match(
      await refusal(world.run({ settings })),
      /^The workspaces of acmee cannot be listed \(404\): check TETHER_ACCEPTANCE_ORGANIZATION, .*\.$/,
    );
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
