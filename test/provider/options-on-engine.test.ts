/** What users of Pulumi expect of any resource: unknown values, options, targets, saved plans, logs, and many at once. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Config, type CustomResourceOptions, type Output } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  type OAuthClientArgs,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import { registry } from '../../resources/registry';
import type { SeedObject } from '../../service';
import { fieldsByKind } from '../support/every-field';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const base: OAuthClientArgs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

const numbers = Array.from({ length: 100 }, (_, index) => index);
const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {} },
      projects: { 'prj-web': {} },
      workspaces: {
        'ws-app': {},
        ...Object.fromEntries(numbers.map((index) => [`ws-${index}`, {}])),
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' } },
};

describe('resources on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({
      seed,
      config: { githubToken: { value: 'canary-config', secret: true } },
    });
  });
  afterEach(() => world?.close());

  const up = async (): Promise<void> => {
    assert.equal((await world.up()).failure, undefined);
  };
  const client = (args: Partial<OAuthClientArgs> = {}, opts: CustomResourceOptions = {}) => {
    world.program = async () => {
      new OAuthClient('github', { ...base, ...args }, opts);
    };
  };

  it('take unknown values in a preview, and settle them when they are known', async () => {
    const chain = (name: string) => async () => {
      const first = new OAuthClient('first', { ...base, name });
      // Only known once the first one is there.
      const created: Output<string> = first.createdAt.apply((date) => `made after ${date.slice(0, 4)}`);
      const second = new OAuthClient('second', {
        ...base,
        name: created,
        httpUrl: 'https://second.example.com',
      });
      new ProjectAttachment('web', { oauthClientId: second.id, projectId: 'prj-web' });
    };
    world.program = chain('First');
    assert.deepEqual((await world.preview()).steps, { create: 3 });
    await up();
    world.program = chain('Renamed');
    const preview = await world.preview();
    assert.equal(preview.failure, undefined);
    assert.equal(preview.steps.replace, undefined);
    const done = await world.up();
    assert.deepEqual(done.changes, ['update OAuthClient first [name]']);
  });

  it('heed ignoreChanges, replaceOnChanges and protect', async () => {
    client();
    await up();
    client({ name: 'Other' }, { ignoreChanges: ['name'] });
    assert.deepEqual((await world.preview()).steps, { same: 1 });
    client({ name: 'Other' }, { replaceOnChanges: ['name'] });
    const refused = await world.up();
    assert.match(refused.failure ?? '', /would be replaced .* and it is protected/);
    assert.equal(world.service.snapshot().oauthClients.length, 1);
    client(
      { name: 'Other', deletionProtection: false },
      { replaceOnChanges: ['name'], deleteBeforeReplace: false },
    );
    await up();
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.name),
      ['Other'],
    );
    client({ name: 'Other', deletionProtection: false }, { protect: true });
    await up();
    world.program = async () => undefined;
    assert.match((await world.up()).failure ?? '', /protect/);
  });

  it('keep their object when they are renamed with an alias, and when they move without a call', async () => {
    client();
    await up();
    world.program = async () => {
      new OAuthClient('hub', base, { aliases: [{ name: 'github' }] });
      new RunTrigger('one', { workspaceId: 'ws-app', sourceableId: 'ws-1' });
    };
    await up();
    world.writes();
    world.program = async () => {
      new OAuthClient('hub', base);
      // Without an alias: a link is its pair, so nothing happens to it.
      new RunTrigger('renamed', { workspaceId: 'ws-app', sourceableId: 'ws-1' });
    };
    await up();
    assert.deepEqual(world.writes(), []);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });

  it('are planned, saved and updated as planned, one target alone', async () => {
    world.program = async () => {
      new RunTrigger('one', { workspaceId: 'ws-app', sourceableId: 'ws-1' });
      new RunTrigger('two', { workspaceId: 'ws-app', sourceableId: 'ws-2' });
    };
    const target = ['urn:pulumi:test::infra::tether:index:RunTrigger::one'];
    const plan = join(world.folder, 'plan.json');
    assert.equal((await world.preview({ target, plan })).failure, undefined);
    assert.equal((await world.up({ target, plan })).failure, undefined);
    assert.deepEqual(
      world.service.snapshot().runTriggers.map((one) => one.sourceableId),
      ['ws-1'],
    );
  });

  it('come up, refresh and go a hundred side by side, nothing doubled', async () => {
    world.program = async () => {
      for (const index of numbers.slice(0, 50)) {
        new OAuthClient(`c${index}`, { ...base, name: `c${index}`, deletionProtection: false });
        new RunTrigger(`t${index}`, { workspaceId: 'ws-app', sourceableId: `ws-${index}` });
      }
    };
    const done = await world.up({ parallel: 32 });
    assert.deepEqual([done.failure, done.steps], [undefined, { create: 100 }]);
    world.service.clearRequests();
    assert.equal((await world.refresh({ parallel: 32, expectNoChanges: true })).failure, undefined);
    // One list of clients and one of triggers.
    const asked = world.service.requests().map((one) => one.url);
    assert.equal(asked.length, 2, asked.join('\n'));
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual([oauthClients.length, runTriggers.length], [50, 50]);
    assert.equal((await world.destroy({ parallel: 32 })).failure, undefined);
    const left = world.service.snapshot();
    assert.deepEqual([left.oauthClients, left.runTriggers], [[], []]);
  });

  it('put less than 200 bytes of our own into the state, each, besides the line that the SDK loads us by', async () => {
    world.program = async () => {
      const github = new OAuthClient('github', {
        ...base,
        key: 'k',
        organizationScoped: false,
        agentPoolId: 'apool-dmz',
      });
      new OAuthClient('hub', { ...base, name: 'Hub', projectIds: ['prj-web'] });
      new ProjectAttachment('web', { oauthClientId: github.id, projectId: 'prj-web' });
      new RunTrigger('one', { workspaceId: 'ws-app', sourceableId: 'ws-1' });
      new InboundRunTriggers('two', { workspaceId: 'ws-2', sourceableIds: ['ws-1'] });
      new OutboundRunTriggers('three', { sourceableId: 'ws-3', workspaceIds: ['ws-4'] });
    };
    await up();
    const state = JSON.parse(world.stateText()) as {
      checkpoint: { latest: { resources: ({ type: string } & Record<'inputs' | 'outputs', object>)[] } };
    };
    const sizes = state.checkpoint.latest.resources.flatMap(({ type, inputs = {}, outputs = {} }) => {
      const kind = type.split(':').at(-1) ?? '';
      const fields = fieldsByKind[kind];
      if (fields === undefined) return [];
      const outs = registry.find((one) => one.kind === kind)?.outputs ?? {};
      const known = new Set([...Object.keys(fields), ...Object.keys(outs)]);
      const ours = [inputs, outputs].flatMap((bag) =>
        Object.entries(bag).flatMap(([name, value]) =>
          known.has(name) ? [] : [`${JSON.stringify({ [name]: value }).slice(1, -1)},`],
        ),
      );
      assert.ok(ours.join('').length <= 200, ours.join(''));
      return [ours.join('').length];
    });
    assert.equal(sizes.length, 6);
    assert.ok(sizes.every((size) => size > 0));
  });

  it('leave no secret of the configuration in the most detailed log, nor the token', async () => {
    world.program = async () => {
      new OAuthClient('github', { ...base, oauthTokenString: new Config().requireSecret('githubToken') });
    };
    const done = await world.up({ logVerbosity: 9, logToStdErr: true, debug: true });
    assert.equal(done.failure, undefined);
    assert.match(done.output, /OAuthClient/);
    assert.doesNotMatch(done.output, /owner-token/);
    assert.doesNotMatch(done.output, /canary-config/);
  });

  it('are read with get, and a missing one is an error', async () => {
    client();
    await up();
    const [there] = world.service.snapshot().oauthClients;
    world.program = async () => {
      new OAuthClient('github', base);
      const read = OAuthClient.get('again', there?.id ?? '');
      return { name: read.name, organization: read.organization };
    };
    const done = await world.up();
    assert.equal(done.failure, undefined);
    assert.equal((await world.outputs()).name?.value, 'GitHub');
    world.program = async () => {
      new OAuthClient('github', base);
      OAuthClient.get('nobody', 'oc-nobody');
    };
    assert.match((await world.up()).failure ?? '', /GET \/oauth-clients\/oc-nobody: not found/);
  });
});
