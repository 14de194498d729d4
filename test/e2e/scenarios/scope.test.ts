/** Scope: destroying, few permissions, no ledger, several organizations (scenarios 60 to 65). */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { acme, github, head, World } from '../../support/world';

const attached = `${github}projectAttachments:\n  - { oauthClient: github, project: payments }\n`;
const triggers =
  'runTriggers:\n  - { target: app, sources: [network, dns] }\n  - { target: web, source: app }\n';

describe('scope', function () {
  // Many processes, and machines of pipelines are slow.
  this.timeout(120_000);
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  function pairs(): string[] {
    return world.service
      .snapshot()
      .runTriggers.map((one) => `${one.workspaceId}/${one.sourceableId}`)
      .sort();
  }

  it('scenario 60: destroy deletes all that is ours with approvals and guards, and nothing foreign', async () => {
    world.write('main.tether.yaml', `${head}${attached}runTriggers:\n  - { target: web, source: app }\n`);
    await world.applyAndExpectNothing();
    const api = world.somebody;
    await api.runTriggers.create('ws-docs', 'ws-app');
    const { id } = await api.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://elsewhere.example',
      apiUrl: 'https://elsewhere.example/api',
      oauthTokenString: 'theirs',
    });
    world.writes();
    await world.approve(['destroy', '--yes']);
    assert.deepEqual(world.writes(), []);
    const nobody = await world.expect(1, ['destroy']);
    assert.match(nobody.stderr, /--yes/);
    assert.deepEqual(world.writes(), []);
    const done = await world.expect(0, ['destroy', '--yes']);
    assert.match(done.stdout, /^Destroy: \d+ done\.$/m);
    assert.deepEqual(pairs(), ['ws-docs/ws-app']);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.id),
      [id],
    );
    assert.deepEqual(world.ledger.organizations.acme?.objects, {});
    const again = await world.expect(0, ['destroy', '--yes']);
    assert.match(again.stdout, /Nothing to do/);
  });

  it('scenario 63: triggers alone need no permission for VCS settings; the client list is never read', async () => {
    const workspaces = {
      'ws-app': 'admin',
      'ws-web': 'admin',
      'ws-network': 'readRuns',
      'ws-dns': 'readRuns',
    } as const;
    world.service.patchSeed({ tokens: { small: { acme: { manageVcsSettings: false, workspaces } } } });
    world.write('main.tether.yaml', `${head}${triggers}`);
    const env = { TETHER_TOKEN: 'small' };
    await world.applyAndExpectNothing([], { env });
    await world.expect(0, ['drift'], { env });
    const routes = world.service.requests().map((one) => String(one.route));
    assert.ok(routes.length > 0);
    assert.deepEqual(
      routes.filter((route) => route.includes('oauth-clients')),
      [],
    );
  });

  it('scenario 64: without a ledger everything is made once, adopted by pair and kept; only exact sets delete', async () => {
    const args = ['--ledger', 'none'];
    const text = `${attached.replace('github:', 'github:\n    key: a-key')}${triggers}`;
    world.write('main.tether.yaml', head + text);
    await world.applyAndExpectNothing(args);
    assert.ok(!world.has('tether.ledger.json'));
    assert.deepEqual(pairs(), ['ws-app/ws-dns', 'ws-app/ws-network', 'ws-web/ws-app']);

    world.write('main.tether.yaml', head + text.replace('a-key', 'b-key'));
    assert.match((await world.expect(2, ['plan', ...args])).stdout, /key +"a-key" → "b-key"/);
    await world.applyAndExpectNothing(args);
    assert.equal(world.service.snapshot().oauthClients[0]?.key, 'b-key');

    await world.somebody.runTriggers.create('ws-app', 'ws-jobs');
    assert.match((await world.expect(2, ['drift', ...args])).stdout, /RunTrigger\/app\/(ws-)?jobs/);
    const single = text.replace('  - { target: web, source: app }\n', '').replace('a-key', 'b-key');
    world.write('main.tether.yaml', head + single);
    await world.applyAndExpectNothing(args);
    assert.deepEqual(pairs(), ['ws-app/ws-dns', 'ws-app/ws-network', 'ws-web/ws-app']);

    world.write('main.tether.yaml', head + single.replace('name: GitHub', 'name: Git'));
    const renamed = await world.expect(1, ['plan', ...args]);
    assert.match(renamed.stdout, /! OAuthClient\/github[\s\S]*id: oc-/);
    assert.doesNotMatch(renamed.stdout, /\+ OAuthClient/);
  });

  it('scenario 65: two organizations are two sections, with their name in front of each address', async () => {
    const seed: SeedObject = {
      organizations: { ...acme.organizations, beta: { workspaces: { 'ws-b1': {}, 'ws-b2': {} } } },
      tokens: { 'owner-token': { acme: 'owner', beta: 'owner' } },
    };
    world.service.seed(seed);
    world.write('acme.tether.yaml', `${head}${triggers}`);
    world.write(
      'beta.tether.yaml',
      'apiVersion: tether/v1\norganization: beta\nrunTriggers:\n  - { target: ws-b1, source: ws-b2 }\n',
    );
    const { stdout } = await world.expect(2, ['plan']);
    assert.match(stdout, /# acme[\s\S]*\+ acme:RunTrigger\/app\/network create[\s\S]*# beta/);
    assert.match(stdout, /\+ beta:RunTrigger\/ws-b1\/ws-b2 create/);
    await world.applyAndExpectNothing();
    const shown = await world.expect(0, ['show', 'beta:RunTrigger/ws-b1/ws-b2']);
    assert.match(shown.stdout, /^RunTrigger\/ws-b1\/ws-b2\n +id +rt-/);
  });
});
