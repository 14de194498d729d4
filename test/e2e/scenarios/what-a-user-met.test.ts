/** What somebody met who had only the README: a wrong service, a mistyped id, a replacement let go halfway, two ledgers, a late list. */
import assert from 'node:assert/strict';
import { acme, bareHead, github, head, World } from '../../support/world';

const triggers = 'runTriggers: [{ target: app, source: network }, { target: web, source: app }]\n';

describe('what a user met', () => {
  const worlds: World[] = [];
  async function start(...args: Parameters<typeof World.start>): Promise<World> {
    const world = await World.start(...args);
    worlds.push(world);
    return world;
  }
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.close();
  });

  it('a target that others have filled: the plan names the line for which there is no room', async () => {
    const ids = Array.from({ length: 23 }, (_, number) => `ws-${number}`);
    const theirs = ids
      .slice(1, 19)
      .map((id, index) => [`rt-${index}`, { workspace: 'ws-0', sourceable: id }]);
    const world = await start(
      {
        organizations: {
          acme: {
            workspaces: Object.fromEntries(ids.map((id) => [id, {}])),
            runTriggers: Object.fromEntries(theirs),
          },
        },
        tokens: { 'owner-token': { acme: 'owner' } },
      },
      { profile: 'hcp-terraform' },
    );
    const lines = ['ws-20', 'ws-21', 'ws-22'].map((id) => `  - { target: ws-0, source: ${id} }\n`);
    world.write('a.tether.yaml', `${bareHead}profile: hcp-terraform\nrunTriggers:\n${lines.join('')}`);
    const planned = await world.expect(1, ['plan']);
    assert.match(planned.stdout, /Plan: 2 to create, 1 problem\./);
    assert.match(
      planned.stdout,
      /RunTrigger\/ws-0\/ws-22 +its target keeps 18 and would get 3 more, but profile hcp-terraform allows 20 sources: remove this line, or one of the others \(a\.tether\.yaml:7:5\)/,
    );
    await world.expect(1, ['apply', '--yes']);
    assert.equal(world.writes().length, 2);
    world.write(
      'a.tether.yaml',
      `${bareHead}profile: hcp-terraform\nrunTriggers:\n${lines.slice(0, 2).join('')}`,
    );
    assert.match((await world.expect(0, ['plan'])).stdout, /No changes\. 2 objects up to date/);
  });

  describe('another service that has the same organization', () => {
    const emptied = { 'main.tether.yaml': bareHead };
    const cases: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>])[] = [
      ['destroy', ['destroy', '--yes'], {}],
      ['apply of emptied manifests', ['apply', '--yes'], emptied],
      ['apply of the same manifests', ['apply', '--yes'], {}],
    ];
    for (const [name, args, files] of cases) {
      it(`does not cost the ledger: ${name} is blocked, and says which service answered`, async () => {
        const [own, other] = [await start(), await start()];
        own.write('main.tether.yaml', head + github + triggers);
        await own.applyAndExpectNothing();
        const before = own.read('tether.ledger.json');
        for (const [file, text] of Object.entries(files)) own.write(file, text);
        const env = { TETHER_ADDRESS: other.service.url };
        const { stderr } = await own.expect(1, args, { env });
        assert.match(stderr, /nothing that this ledger holds was found/);
        assert.ok(stderr.includes(other.service.url), stderr);
        assert.match(stderr, /--accept-missing 3/);
        assert.equal(own.read('tether.ledger.json'), before);
        assert.deepEqual(other.writes(), []);
      });
    }

    it('also where it lacks the workspaces, so that nothing is known of the triggers', async () => {
      const empty = { organizations: { acme: {} }, tokens: { 'owner-token': { acme: 'owner' as const } } };
      const [own, other] = [await start(), await start(empty)];
      const second = github
        .replace('oauthClients:\n', '')
        .replace('github:', 'second:')
        .replaceAll('git.ex', 'two.ex');
      own.write('main.tether.yaml', head + github + second + triggers);
      await own.applyAndExpectNothing();
      const { stderr } = await own.expect(1, ['apply', '--yes'], {
        env: { TETHER_ADDRESS: other.service.url },
      });
      assert.match(stderr, /nothing that this ledger holds was found/);
      assert.deepEqual(other.writes(), []);
    });

    it('is believed where the missing ones are accepted by hand', async () => {
      const [own, other] = [await start(), await start()];
      own.write('main.tether.yaml', head + triggers);
      await own.applyAndExpectNothing();
      const env = { TETHER_ADDRESS: other.service.url };
      await own.expect(0, ['apply', '--yes', '--accept-missing', '2'], { env });
      assert.equal(other.service.snapshot().runTriggers.length, 2);
    });
  });

  it('an apply that was killed before it recorded its own change: drift does not call that somebody else', async () => {
    const world = await start();
    world.write('main.tether.yaml', head + github + triggers);
    await world.applyAndExpectNothing();
    const before = world.read('tether.ledger.json');
    const one = 'runTriggers: [{ target: app, source: network }]\n';
    world.write('main.tether.yaml', head + github.replace('GitHub', 'Git') + one);
    await world.applyAndExpectNothing();
    world.write('tether.ledger.json', before);
    const { stdout } = await world.expect(2, ['drift']);
    const already = 'as the manifests want it: by somebody else, or by an apply that was interrupted';
    assert.ok(stdout.includes(`changed, ${already}`), stdout);
    assert.ok(stdout.includes(`gone, ${already}`), stdout);
    assert.doesNotMatch(stdout, /changed outside Tether/);
    await world.applyAndExpectNothing();
    await world.expect(0, ['drift']);
  });

  it('a mistyped id takes nothing away: what it may have replaced waits', async () => {
    const world = await start();
    const lines = `runTriggers:
  - { target: app, sources: [network, dns] }
  - { source: app, targets: [web] }
`;
    world.write('main.tether.yaml', head + lines);
    await world.applyAndExpectNothing();
    world.writes();
    world.write('main.tether.yaml', head.replace('app: ws-app', 'app: ws-mistyped') + lines);
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(
      stdout,
      /it waits: RunTrigger\/app\/network, which may be meant in its place, is not planned/,
    );
    assert.deepEqual(world.writes(), []);
    world.write('main.tether.yaml', head + lines);
    await world.applyAndExpectNothing();
  });

  it('nor does one whose other end a list shows that is read anyway', async () => {
    const world = await start();
    const lines = ['app', 'web'].map((target) => `  - { target: ${target}, source: dns }\n`).join('');
    world.write('main.tether.yaml', `${head}runTriggers:\n${lines}`);
    await world.applyAndExpectNothing();
    world.writes();
    world.write(
      'main.tether.yaml',
      `${head}runTriggers:\n${lines.replace('target: app', 'target: ws-mistyped')}`,
    );
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(
      stdout,
      /it waits: RunTrigger\/ws-mistyped\/dns, which may be meant in its place, is not planned/,
    );
    assert.deepEqual(world.writes(), []);
  });

  it('nor does a client that is written wrongly, or has a problem of its own', async () => {
    const world = await start();
    const other = github.replace('github:', 'second:').replaceAll('git.example', 'second.example');
    const line = (client: string) => `projectAttachments: [{ oauthClient: ${client}, project: payments }]\n`;
    world.write('main.tether.yaml', head + github + line('github'));
    await world.applyAndExpectNothing();
    world.writes();
    world.write('main.tether.yaml', head + github + line('oc-mistyped'));
    await world.expect(1, ['apply', '--yes']);
    const lacking = other.replace(/ +apiUrl: .*\n/u, '').replace('oauthClients:\n', '');
    world.write('main.tether.yaml', head + github + lacking + line('second'));
    await world.expect(1, ['apply', '--yes']);
    assert.deepEqual(world.writes(), []);
    assert.equal(world.service.snapshot().oauthClients[0]?.projectIds.length, 1);
  });

  describe('a replacement whose last step failed', () => {
    async function halfReplaced(): Promise<{ world: World; old: string }> {
      const world = await start();
      const wanted = `${head}${github}    projects: [payments]\n`;
      world.write('main.tether.yaml', wanted);
      await world.applyAndExpectNothing();
      const old = world.service.snapshot().oauthClients[0]?.id ?? '';
      world.write('main.tether.yaml', wanted.replaceAll('git.example.com', 'new.example.com'));
      await world.approve(['apply', '--yes']);
      world.service.fault({ how: 'status', status: 422, method: 'DELETE' });
      await world.expect(1, ['apply', '--yes']);
      world.service.clearFaults();
      assert.equal(world.service.snapshot().oauthClients.length, 2);
      world.writes();
      return { world, old };
    }

    it('goes on, and its line counts as used only then', async () => {
      const { world, old } = await halfReplaced();
      const { stdout, stderr } = await world.expect(0, ['plan']);
      assert.match(stdout, new RegExp(`^ +- github {2}${old}`, 'm'));
      assert.doesNotMatch(stdout + stderr, /remove the `approved` line/);
      await world.applyAndExpectNothing();
      const after = await world.expect(0, ['plan']);
      assert.match(after.stdout + after.stderr, /remove the `approved` line/);
    });

    it('can be let go, with the old client and all that hangs on it', async () => {
      const { world, old } = await halfReplaced();
      world.remove('approved.tether.yaml');
      world.write('main.tether.yaml', `${head}forget: [OAuthClient/github]\n`);
      const { stdout } = await world.expect(0, ['plan']);
      assert.match(stdout, new RegExp(`lets it and ${old}, which it was to replace, go`));
      await world.expect(0, ['apply', '--yes']);
      assert.deepEqual(world.writes(), []);
      assert.deepEqual(world.ledger.objects, {});
      const again = await world.expect(0, ['plan']);
      assert.match(again.stdout, /^No changes\./m);
    });
  });

  it('two ledgers make one client twice: each plan warns of the other, until it is allowed', async () => {
    const world = await start();
    world.write('main.tether.yaml', head + github);
    world.write('other/main.tether.yaml', `${head}${github}    allowDuplicate: true\n`);
    await world.applyAndExpectNothing(['other']);
    world.write('main.tether.yaml', `${head}${github}    allowDuplicate: true\n`);
    world.remove('other/main.tether.yaml');
    const ledger = world.read('other/tether.ledger.json');
    world.remove('other');
    await world.applyAndExpectNothing();
    const [first, second] = world.service.snapshot().oauthClients.map(({ id }) => id);
    world.write('main.tether.yaml', head + github);
    const { stdout, stderr } = await world.expect(0, ['plan']);
    assert.ok(ledger.includes(first ?? '-'));
    assert.match(
      stdout + stderr,
      new RegExp(`${first}, .*looks the same as OAuthClient/github \\(${second}\\) and is not managed here`),
    );
    world.write('main.tether.yaml', `${head}${github}    allowDuplicate: true\n`);
    const quiet = await world.expect(0, ['plan']);
    assert.doesNotMatch(quiet.stdout + quiet.stderr, /looks the same/);
  });

  it('a trigger that a late list still shows is not taken for drift, nor deleted again', async () => {
    const world = await start(acme, { behaviours: { 'delete-visible-ms': '3600000' } });
    const of = (sources: string) => `${head}runTriggers: [{ target: app, sources: [${sources}] }]\n`;
    world.write('main.tether.yaml', of('network, dns'));
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', of('network'));
    await world.applyAndExpectNothing();
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /RunTrigger\/app\/dns +a list still shows rt-\w+, which is deleted/);
    assert.match((await world.expect(0, ['drift'])).stdout, /^No drift\.$/m);
    const stranger = await world.somebody.runTriggers.create('ws-app', 'ws-docs');
    assert.ok((await world.expect(2, ['drift'])).stdout.includes(stranger.id));
    await world.applyAndExpectNothing();
  });

  it('a trigger that a late list still shows is not taken over', async () => {
    const world = await start(acme, { behaviours: { 'delete-visible-ms': '3600000' } });
    world.write('main.tether.yaml', head + triggers);
    await world.applyAndExpectNothing();
    const id = world.service.snapshot().runTriggers.find((one) => one.workspaceId === 'ws-web')?.id ?? '';
    await world.somebody.runTriggers.delete(id);
    world.remove('tether.ledger.json');
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, new RegExp(`${id} is not there any more`));
    assert.ok(!Object.values(world.ledger.objects).some((object) => object.id === id));
    assert.equal(Object.keys(world.ledger.objects).length, 1);
  });
});
