/** Manifests of several organizations and of another profile on the real engine; the command line agrees after each `up`. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Manifest, Provider } from '../../provider/pulumi';
import type { SeedObject } from '../../service';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { runProcess } from '../support/run-process';

const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': {} },
      projects: { 'prj-web': {}, 'prj-pay': {} },
      workspaces: { 'ws-app': {}, 'ws-dns': {}, 'ws-network': {}, 'ws-jobs': {}, 'ws-docs': {} },
    },
    other: { projects: { 'prj-o': {} }, workspaces: { 'ws-a': {}, 'ws-b': {} } },
  },
  tokens: { 'owner-token': { acme: 'owner', other: 'owner' } },
};

const acme = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { network: ws-network, app: ws-app, jobs: ws-jobs }
  projects: { web: prj-web }
  agentPools: { dmz: apool-dmz }
oauthClients:
  github:
    name: GitHub
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api
    organizationScoped: false
    projects: [web]
    agentPool: dmz
    protect: true
  hub:
    name: null
    serviceProvider: provider_b_hosted
    httpUrl: https://hub.example.com
    apiUrl: https://hub.example.com/api
    secret: { fromFile: secret.txt }
    key: abc
  empty: { name: Empty, serviceProvider: provider_a, httpUrl: https://e.example.com, apiUrl: https://e.example.com, projects: [], agentPool: null }
projectAttachments:
  - { oauthClient: hub, project: prj-pay }
  - { oauthClient: OAuthClient/hub, project: web }
runTriggers:
  - { target: ws-docs, source: app }
  - { target: app, sources: [network, ws-dns] }
  - { source: jobs, targets: [] }
`;
// The same address as one of the first organization.
const other = `apiVersion: tether/v1
organization: other
oauthClients:
  github: { name: GitHub, serviceProvider: provider_a, httpUrl: https://git.example.com, apiUrl: https://git.example.com/api }
projectAttachments: [{ oauthClient: github, project: prj-o }]
runTriggers: [{ target: ws-a, source: ws-b }]
`;

describe('manifests on the real engine', function () {
  this.timeout(240_000);
  let world: PulumiWorld;
  let folder: string;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start({ seed });
    folder = join(world.folder, 'manifests');
    mkdirSync(folder);
    writeFileSync(join(folder, 'secret.txt'), 'canary-file\n');
    writeFileSync(join(folder, 'acme.tether.yaml'), acme);
  });
  afterEach(() => world?.close());

  /** Brings it up; then the engine, a refresh and the command line must find nothing to do. */
  const upAndSettled = async (): Promise<{ changes: readonly string[]; outputs: object }> => {
    const { failure, changes, outputs } = await world.up();
    assert.equal(failure, undefined);
    assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    assert.equal((await world.refreshPreview()).failure, undefined);
    const command = [join(root, 'dist/cli/main.js'), 'plan', folder, '--ledger', 'none', '--no-color'];
    const plan = await runProcess(process.execPath, command, {
      cwd: world.folder,
      env: { ...process.env, TETHER_ADDRESS: world.service.url, TETHER_TOKEN: 'owner-token' },
    });
    assert.equal(plan.code, 0, plan.stdout + plan.stderr);
    assert.match(plan.stdout, /^Nothing to do\./mu);
    return { changes: changes.map((one) => one.split(' ').slice(0, 3).join(' ')).sort(), outputs };
  };

  it('of a second organization join those of the first, which keeps everything, and both are changed', async () => {
    world.program = async () => ({ known: [...new Manifest('m', { path: folder }).resources.keys()] });
    const first = await upAndSettled();
    assert.equal(first.changes.length, 9);
    writeFileSync(join(folder, 'other.tether.yaml'), other);
    const second = await upAndSettled();
    assert.deepEqual(second.changes, [
      'create OAuthClient m/other:OAuthClient/github',
      'create ProjectAttachment m/other:ProjectAttachment/github/prj-o',
      'create RunTrigger m/other:RunTrigger/ws-a/ws-b',
    ]);
    const known = (second.outputs as { known: { value: readonly string[] } }).known.value;
    assert.deepEqual(
      known.filter((address) => address.endsWith('github')),
      ['acme:OAuthClient/github', 'other:OAuthClient/github'],
    );
    const changed = acme
      .replace('targets: []', 'targets: [ws-docs]')
      .replace('projects: [web]', 'projects: [web, prj-pay]')
      .replace('name: null', 'name: Hub')
      .replaceAll('network', 'net')
      .replace('net: ws-net', 'net: ws-network');
    writeFileSync(join(folder, 'acme.tether.yaml'), changed);
    assert.deepEqual((await upAndSettled()).changes, [
      'update OAuthClient m/acme:OAuthClient/github',
      'update OAuthClient m/acme:OAuthClient/hub',
      'update OutboundRunTriggers m/acme:OutboundRunTriggers/jobs',
    ]);
    assert.doesNotMatch(world.stateText(), /canary-file/u);
  });

  it('lift no protection for an entry that says protect, whatever they approve', async () => {
    world.program = async () => {
      new Manifest('m', { path: folder });
    };
    await upAndSettled();
    const [github] = world.service.snapshot().oauthClients.filter((one) => one.name === 'GitHub');
    const moved = acme.replace('https://git.example.com\n', 'https://new.example.com\n');
    const approved = `approved: [{ replace: OAuthClient/github, id: ${github?.id} }]\n`;
    writeFileSync(join(folder, 'acme.tether.yaml'), `${moved}${approved}`);
    assert.match((await world.preview()).failure ?? '', /would be replaced .* and it is protected/u);
    writeFileSync(join(folder, 'acme.tether.yaml'), `${moved.replace('    protect: true\n', '')}${approved}`);
    assert.equal((await world.preview()).failure, undefined);
  });

  it('are for the profile of their provider, or refused with the command to run', async () => {
    const elsewhere = acme.replaceAll('provider_a', 'github').replace('provider_b_hosted', 'gitlab_hosted');
    writeFileSync(join(folder, 'acme.tether.yaml'), `profile: hcp-terraform\n${elsewhere}`);
    world.program = async () => {
      new Manifest('m', { path: folder });
    };
    assert.match(
      (await world.preview()).failure ?? '',
      /the manifest of acme is for profile hcp-terraform, and its provider works with default: run `pulumi config set tether:profile hcp-terraform`/u,
    );
    world.program = async () => {
      const provider = new Provider('p', { address: world.service.url, tokenEnv: 'TETHER_TOKEN' });
      new Manifest('m', { path: folder }, { provider });
    };
    assert.match((await world.preview()).failure ?? '', /give the provider profile: 'hcp-terraform'/u);
    // As --profile does on the command line, the provider's wins over the line.
    writeFileSync(join(folder, 'acme.tether.yaml'), elsewhere);
    world.program = async () => {
      const given = { address: world.service.url, tokenEnv: 'TETHER_TOKEN', profile: 'hcp-terraform' };
      new Manifest('m', { path: folder }, { provider: new Provider('p', given) });
    };
    assert.equal((await world.preview()).failure, undefined);
    await world.stack.setAllConfig({ 'tether:profile': { value: 'hcp-terraform' } });
    world.program = async () => {
      new Manifest('m', { path: folder });
    };
    assert.equal((await world.preview()).failure, undefined);
  });
});
