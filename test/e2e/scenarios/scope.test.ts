/** Scope: destroying, few permissions, a second organization, files that are not what they seem (scenarios 60 to 84). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { github, head, World } from '../../support/world';

const attached = `${github}projectAttachments:\n  - { oauthClient: github, project: payments }\n`;
const triggers =
  'runTriggers:\n  - { target: app, sources: [network, dns] }\n  - { target: web, source: app }\n';

describe('scope', () => {
  // Many processes, and machines of pipelines are slow.
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

  it('scenario 60: destroy deletes all that is ours with approvals and guards, and nothing unmanaged', async () => {
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
    assert.deepEqual(world.ledger.objects, {});
    const again = await world.expect(0, ['destroy', '--yes']);
    assert.match(again.stdout, /No changes/);
  });

  it('destroy calls itself that also where all that is left is to forget', async () => {
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: web, source: app }\n`);
    await world.applyAndExpectNothing();
    await world.somebody.runTriggers.delete(world.service.snapshot().runTriggers[0]?.id ?? '');
    const { stdout } = await world.expect(0, ['destroy', '--yes']);
    assert.match(stdout, /^Destroy: 1 done\.$/m);
  });

  it('scenario 63: triggers alone need no permission for VCS settings; plan and apply never read the client list', async () => {
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
    const routes = world.service.requests().map((one) => String(one.route));
    // To say how much of the whole is managed, drift would read it.
    const { stdout } = await world.expect(0, ['drift'], { env });
    assert.match(stdout, /^No drift\.\nManaged: .* Not read: organization acme, /m);
    assert.ok(routes.length > 0);
    assert.deepEqual(
      routes.filter((route) => route.includes('oauth-clients')),
      [],
    );
  });

  it('scenario 65: two organizations in one folder are an error at both places', async () => {
    world.write('acme.tether.yaml', `${head}${triggers}`);
    world.write(
      'beta.tether.yaml',
      'apiVersion: tether/v1\norganization: beta\nrunTriggers:\n  - { target: ws-b1, source: ws-b2 }\n',
    );
    for (const command of [['validate'], ['plan'], ['apply', '--yes'], ['drift'], ['destroy', '--yes']]) {
      const { stdout, stderr } = await world.expect(1, command);
      assert.match(stdout + stderr, /beta\.tether\.yaml:2:15 .*second-organization/);
      assert.match(stdout + stderr, /acme\.tether\.yaml:2:15: one folder has one organization/);
    }
    assert.deepEqual(world.service.requests(), []);
    assert.ok(!world.has('tether.ledger.json'));
  });

  it('scenario 71: a manifest that gets another ending is an error that names it, and nothing is deleted', async () => {
    world.write('main.tether.yaml', head);
    world.write('triggers.tether.yaml', `${head}${triggers}`);
    await world.applyAndExpectNothing();
    const before = pairs();
    assert.equal(before.length, 3);
    for (const name of ['triggers.yaml', 'sub/triggers.yml', 'triggers.tether.yaml.json']) {
      world.remove('triggers.tether.yaml');
      world.write(name, `${head}${triggers}`);
      world.writes();
      for (const args of [['plan'], ['drift'], ['apply', '--yes'], ['destroy', '--yes']]) {
        const { stderr } = await world.expect(1, args);
        assert.match(stderr, new RegExp(`${name}:1:1 +error +other-ending`));
      }
      assert.deepEqual(world.writes(), []);
      world.remove(name);
    }
    assert.deepEqual(pairs(), before);
  });

  const targets = ['/dev/zero', '../outside.yaml'];
  for (const target of [...targets, 'a pipe']) {
    it(`scenario 84: a manifest that leads to ${target} is refused at once, by name`, async () => {
      world.write('outside.yaml', `${head}${triggers}`);
      world.write('in/main.tether.yaml', head);
      const file = join(world.folder, 'in/x.tether.yaml');
      if (target === 'a pipe') execFileSync('mkfifo', [file]);
      else symlinkSync(target, file);
      for (const args of [['validate'], ['plan'], ['apply', '--yes']]) {
        const { code, stdout, stderr } = await world.tether([...args, 'in']);
        assert.equal(code, 1);
        assert.match(stdout + stderr, /in\/x\.tether\.yaml:1:1 +error/);
      }
      assert.deepEqual(world.writes(), []);
    });
  }
});
