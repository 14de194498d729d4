/** Taking over where the service lists workspaces, projects and agent pools: all are looked at, and lines have their names. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { command, exported, triggers } from '../../support/export-world';
import { World } from '../../support/world';

const made = {
  serviceProvider: 'github',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};
const names = { network: 'network', app: 'app', dns: 'Büro', jobs: 'twice', web: 'twice', docs: 'docs' };
const hcp = [...command, '--profile', 'hcp-terraform'];
const bareHead = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';

const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-1': { name: 'dmz' } },
      projects: { 'prj-1': { name: 'payments' }, 'prj-2': { name: 'prj-1' } },
      workspaces: Object.fromEntries(Object.entries(names).map(([id, name]) => [`ws-${id}`, { name }])),
      oauthClients: {
        'oc-1': {
          ...made,
          name: 'GitHub',
          agentPool: 'apool-1',
          organizationScoped: false,
          projects: ['prj-1', 'prj-2'],
        },
      },
      runTriggers: triggers('network>app', 'dns>app', 'jobs>docs'),
    },
  },
  tokens: { 'owner-token': { acme: 'owner' }, 'part-token': { acme: { manageVcsSettings: true } } },
};

describe('export where names can be looked up', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(seed, { profile: 'hcp-terraform' });
  });
  afterEach(() => world.close());

  const lists = () => {
    const routes = world.service.requests().map(({ route }) => route ?? '');
    return routes.flatMap(
      (route) => /organizations\/[^/]+\/(workspaces|projects|agent-pools)/.exec(route)?.[1] ?? [],
    );
  };

  const rename = (id: string, name: string) =>
    world.service.patchSeed({ organizations: { acme: { workspaces: { [id]: { name } } } } });

  it('looks around every workspace, writes names, and reads each list once', async () => {
    await world.expect(0, hcp);
    assert.deepEqual(lists(), ['workspaces', 'projects', 'agent-pools']);
    assert.equal(
      world.read('run-triggers.tether.yaml'),
      `# What \`tether export\` found in acme; these lines are yours to edit.

apiVersion: tether/v1
profile: hcp-terraform
organization: acme
runTriggers:
  - { target: app, source: network }
  - { target: app, source: ws-dns }
  - { target: docs, source: ws-jobs }
`,
    );
    assert.match(
      world.read('oauth-clients.tether.yaml'),
      /agentPool: dmz\n {4}organizationScoped: false\n {4}projects:\n {6}- payments\n {6}- prj-2\n|projects:\n {6}- payments\n {6}- prj-2\n {4}agentPool: dmz\n/,
    );
    assert.deepEqual(world.ledger.names, {
      'agentPool/dmz': 'apool-1',
      'project/payments': 'prj-1',
      'workspace/app': 'ws-app',
      'workspace/docs': 'ws-docs',
      'workspace/network': 'ws-network',
    });
    const stdout = await exported(world, 0);
    assert.match(stdout, /around 6 workspaces: all that this token can list, and those that/);
  });

  it('reads no list of what nothing refers to', async () => {
    world.service.patchSeed({ organizations: { other: { workspaces: { 'ws-20': { name: 'x' } } } } });
    world.service.patchSeed({ tokens: { 'owner-token': { other: 'owner' } } });
    await world.expect(0, ['export', '--organization', 'other', '--profile', 'hcp-terraform']);
    assert.deepEqual(lists(), ['workspaces']);
  });

  it('keeps what the names mean from then on', async () => {
    await world.expect(0, hcp);
    rename('ws-app', 'app-old');
    rename('ws-jobs', 'app');
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /workspace\/app .*it was ws-app at the last apply/);
  });

  it('writes aliases that there are, no name that is nearly one, and none that meant another id', async () => {
    world.write(
      'aliases.tether.yaml',
      `${bareHead}aliases: { workspaces: { apps: ws-docs } }\nrunTriggers: [{ target: network, sources: [] }]\n`,
    );
    await world.expect(0, ['apply', '--yes']);
    rename('ws-network', 'net-old');
    rename('ws-web', 'network');
    world.write('aliases.tether.yaml', `${bareHead}aliases: { workspaces: { apps: ws-docs } }\n`);
    await world.somebody.runTriggers.create('ws-web', 'ws-app');
    world.writes();
    await exported(world, 0);
    assert.match(
      world.read('run-triggers.tether.yaml'),
      /- \{ target: ws-app, source: net-old \}\n.*\n {2}- \{ target: apps, source: twice \}\n {2}- \{ target: ws-web, source: ws-app \}/,
    );
  });

  it('says that the list of workspaces is not found, and takes over around those that are named', async () => {
    const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
    world.service.fault({ ...list, how: 'status', status: 404, probability: 1 });
    world.write('aliases.tether.yaml', `${bareHead}runTriggers: [{ target: ws-app, source: ws-network }]\n`);
    const { stdout } = await world.expect(1, hcp);
    assert.match(stdout, /\? workspaces {2}the list of all is not found, or hidden from this token/);
    assert.match(world.read('run-triggers.tether.yaml'), /- \{ target: ws-app, source: ws-dns \}/);
  });
});
