/** A manifest on the real engine: the same addresses and rules, and the command line then finds nothing to do. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProviderResource, secret } from '@pulumi/pulumi';
import { Manifest, Provider, RunTrigger } from '../../provider/pulumi';
import type { SeedObject } from '../../service';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { runProcess } from '../support/run-process';
import { step } from '../support/step';
import { github, head } from '../support/world';

const twoAccounts: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {} },
      projects: { 'prj-payments': {}, 'prj-search': {} },
      workspaces: {
        'ws-network': {},
        'ws-dns': {},
        'ws-app': {},
        'ws-jobs': {},
        'ws-web': {},
        'ws-docs': {},
      },
    },
    other: { workspaces: { 'ws-a': {}, 'ws-b': {}, 'ws-c': {} } },
  },
  tokens: { 'owner-token': { acme: 'owner' }, 'other-token': { other: 'owner' } },
};

const whole = `${head}${github}    organizationScoped: false
    projects: [payments, search]
    agentPool: dmz
  plain:
    name: Plain
    serviceProvider: provider_b_hosted
    httpUrl: https://plain.example.com
    apiUrl: https://plain.example.com/api
projectAttachments:
  - { oauthClient: plain, project: payments }
runTriggers:
  - { target: docs, source: app }
  - { target: app, sources: [network, dns] }
  - { source: jobs, targets: [web] }
`;

const simple = whole
  .replace('  plain:', '  simple:')
  .replace('oauthClient: plain', 'oauthClient: simple')
  .replace('name: Plain', 'name: Simple');

describe('a manifest on the real engine', function () {
  this.timeout(240_000);
  let world: PulumiWorld;
  let file: string;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({ seed: twoAccounts });
    file = join(world.folder, 'acme.tether.yaml');
    process.env.GIT_TOKEN = 'git-secret-canary';
    world.program = async () => {
      const manifest = new Manifest('acme', { path: file });
      return { id: manifest.oauthClient('OAuthClient/github').id, known: [...manifest.resources.keys()] };
    };
  });
  afterEach(async () => {
    delete process.env.GIT_TOKEN;
    await world?.close();
  });

  it('goes the same way as on the command line', async () => {
    await step('comes up with its addresses as names, and the command line finds nothing to do', async () => {
      writeFileSync(file, whole);
      const up = await world.up();
      assert.equal(up.failure, undefined);
      assert.deepEqual(
        up.changes.map((one) => one.split(' ').slice(0, 3).join(' ')).sort(),
        [
          'create InboundRunTriggers acme/acme:InboundRunTriggers/app',
          'create OAuthClient acme/acme:OAuthClient/github',
          'create OAuthClient acme/acme:OAuthClient/plain',
          'create OutboundRunTriggers acme/acme:OutboundRunTriggers/jobs',
          'create ProjectAttachment acme/acme:ProjectAttachment/plain/payments',
          'create RunTrigger acme/acme:RunTrigger/docs/app',
          'create Manifest acme',
        ].sort(),
      );
      const plan = await runProcess(
        process.execPath,
        [join(root, 'dist/cli/main.js'), 'plan', file, '--ledger', 'none', '--no-color'],
        {
          cwd: world.folder,
          env: { ...process.env, TETHER_ADDRESS: world.service.url, TETHER_TOKEN: 'owner-token' },
        },
      );
      assert.equal(plan.code, 0, plan.stdout + plan.stderr);
      assert.match(plan.stdout, /^Nothing to do\./m);
      assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
      assert.doesNotMatch(world.stateText(), /git-secret-canary/);
    });

    await step('moves what was renamed without a call, and changes what the manifest changes', async () => {
      writeFileSync(file, `${simple}moved: [{ from: OAuthClient/plain, to: OAuthClient/simple }]\n`);
      const up = await world.up();
      assert.equal(up.failure, undefined);
      assert.equal(up.steps.update, 1);
      assert.equal(up.steps['create-replacement'], undefined);
      assert.equal((await world.somebody.oauthClients.list('acme')).length, 2);
      writeFileSync(file, simple);
    });

    await step('replaces a client only with the approval of that very object', async () => {
      const there = await world.somebody.oauthClients.list('acme');
      const id = there.find((one) => one.name === 'GitHub')?.id ?? '';
      const changed = simple.replace('https://git.example.com\n', 'https://new.example.com\n');
      writeFileSync(file, changed);
      assert.match((await world.preview()).failure ?? '', new RegExp(`${id} would be replaced \\(httpUrl`));
      writeFileSync(file, `${changed}approved: [{ replace: OAuthClient/github, id: ${id} }]\n`);
      const up = await world.up();
      assert.equal(up.failure, undefined);
      const after = await world.somebody.oauthClients.list('acme');
      assert.equal(after.length, 2);
      assert.equal(
        after.some((one) => one.id === id),
        false,
      );
    });
  });

  it('refuses what a program cannot reach, and tells every mistake with its line', async () => {
    writeFileSync(
      file,
      `${head}forget: [OAuthClient/legacy]\napproved: [{ destroy: OAuthClient/old, id: oc-old }]\n`,
    );
    const { failure = '' } = await world.preview();
    assert.match(
      failure,
      /pulumi state delete 'urn:pulumi:test::infra::tether:index:Manifest\$pulumi-nodejs:dynamic\/tether:OAuthClient::acme\/acme:OAuthClient\/legacy'/,
    );
    assert.match(failure, /TETHER_ALLOW_DESTROY=oc-old/);
    writeFileSync(
      file,
      `${head}oauthClients:\n  x: { colour: blue }\nrunTriggers: [{ target: nowhere, source: app }]\n`,
    );
    const mistakes = (await world.preview()).failure ?? '';
    assert.match(mistakes, /acme\.tether\.yaml:\d+:\d+/);
    assert.match(mistakes, /colour/);
    assert.match(mistakes, /nowhere/);
  });
});

/** As a program without our class would write it. */
class Carried extends ProviderResource {}

describe('two accounts in one program', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({ seed: twoAccounts, env: { OTHER_TOKEN: 'other-token' } });
  });
  afterEach(() => world?.close());

  it('keep to their own tokens, whatever the environment says', async () => {
    world.program = async () => {
      new RunTrigger('mine', { workspaceId: 'ws-app', sourceableId: 'ws-network' });
      const named = new Provider('named', { address: world.service.url, tokenEnv: 'OTHER_TOKEN' });
      new RunTrigger('named', { workspaceId: 'ws-a', sourceableId: 'ws-b' }, { provider: named });
      const carried = new Carried('pulumi-nodejs', 'carried', {
        'tether:address': world.service.url,
        'tether:token': secret('other-token'),
      });
      new RunTrigger('carried', { workspaceId: 'ws-a', sourceableId: 'ws-c' }, { provider: carried });
    };
    assert.equal((await world.up()).failure, undefined);
    assert.equal((await world.refreshPreview()).failure, undefined);
    assert.doesNotMatch(world.stateText(), /other-token|owner-token/);
    assert.equal((await world.destroy()).failure, undefined);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
  });

  it('say in one line which variable a provider is missing', async () => {
    world.program = async () => {
      const provider = new Provider('named', { address: world.service.url, tokenEnv: 'NO_SUCH_TOKEN' });
      new RunTrigger('named', { workspaceId: 'ws-a', sourceableId: 'ws-b' }, { provider });
    };
    assert.equal((await world.preview()).failure, undefined);
    const { failure = '' } = await world.up();
    assert.match(failure, /no token: tether:tokenEnv names the variable NO_SUCH_TOKEN, which is not set$/);
  });
});
