/** A ledger that is lost is found again by export, and no object is taken for another. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { program } from '../../support/cli';
import { acmeWith, command, exported, filesThere, made, seeded, triggers } from '../../support/export-world';
import { runProcess } from '../../support/run-process';
import { github, head, World } from '../../support/world';

const examples = join(__dirname, '..', '..', '..', '..', 'examples', 'gitops');

describe('export, where the ledger is lost,', () => {
  let world: World;
  afterEach(() => world.close());

  it('rebuilds a lost ledger from what the manifests declare', async () => {
    world = await World.start(join(examples, 'seed.yaml'));
    cpSync(examples, world.folder, { recursive: true, filter: (path) => !path.endsWith('seed.yaml') });
    const env = {
      TETHER_TOKEN: 'acme-example-token',
      ...Object.fromEntries(
        [
          'CLOUD_GIT_TOKEN',
          'ENTERPRISE_GIT_TOKEN',
          'AGENCY_GIT_TOKEN',
          'ARCHIVE_GIT_TOKEN',
          'ARCHIVE_SSH_KEY',
        ].map((name) => [name, `value-of-${name}`]),
      ),
    };
    await world.applyAndExpectNothing([], { env });
    const { objects } = world.ledger;
    world.writes();
    world.remove('tether.ledger.json');
    const stdout = await exported(world, 0, env);
    assert.doesNotMatch(stdout, /tether\.yaml/, 'no manifest was needed');
    const plain = (held: typeof objects) =>
      Object.entries(held).map(([key, { id, file, values }]) => ({ key, id, file, values }));
    assert.deepEqual(plain(world.ledger.objects), plain(objects));
    for (const object of Object.values(world.ledger.objects)) assert.deepEqual(object.digests, {});
  });

  it('takes no client that is another one in some field than the manifest says, until a line says that it is the one', async () => {
    world = await World.start();
    world.write('main.tether.yaml', `${head}${github}    key: wanted\n`);
    await world.applyAndExpectNothing();
    const [id = ''] = Object.values(world.ledger.objects).map((object) => object.id);
    await world.somebody.oauthClients.update(id, { key: 'changed', agentPoolId: null });
    world.remove('tether.ledger.json');
    world.writes();
    const refused = await world.expect(1, command);
    assert.match(
      refused.stdout,
      new RegExp(`OAuthClient ${id} {2}OAuthClient/github .*: add \`id: ${id}\` there`),
    );
    assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml']);
    world.write('main.tether.yaml', `${head}${github}    key: wanted\n    id: ${id}\n`);
    await world.expect(0, command);
    assert.ok(!world.has('tether.ledger.json'), 'what differs is left to an apply');
    const planned = await world.expect(0, ['plan']);
    assert.match(planned.stdout, /"changed" → "wanted"/);
  });

  it('names both where two objects may be the one that a manifest declares, and takes neither', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, name: 'GitHub' }, 'oc-2': { ...made, name: 'GitHub' } },
      }),
    );
    world.write('main.tether.yaml', `${head}${github}`);
    const { stdout } = await world.expect(1, command);
    for (const id of ['oc-1', 'oc-2'])
      assert.ok(
        stdout.includes(
          `OAuthClient ${id}  OAuthClient/github (main.tether.yaml:8:3) may mean it: add \`id: ${id}\``,
        ),
      );
    assert.match(stdout, /2 objects that look\s+the same exist/);
    assert.match(stdout, /^Nothing to write\. `tether plan` shows 1 problem that export leaves to you\.$/m);
    assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml']);
  });

  it('takes no object that two declared clients may mean', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
    const second = github.replace('oauthClients:\n  github:', '  second:');
    world.write('main.tether.yaml', `${head}${github}${second}    allowDuplicate: true\n`);
    const { stdout } = await world.expect(1, command);
    assert.match(stdout, /OAuthClient oc-1 {2}OAuthClient\/github \(main\.tether\.yaml:8:3\) may mean it/);
    assert.ok(!world.has('tether.ledger.json'));
  });

  it('takes what only resembles a declared client for one of its own, once that is found', async () => {
    world = await World.start(
      acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' }, 'oc-2': { ...made, name: 'Other' } } }),
    );
    world.write('main.tether.yaml', `${head}${github}`);
    assert.match(
      await exported(world, 0),
      /^Managed from now on\n {4}· OAuthClient\/github {2}oc-1 "GitHub"$/m,
    );
    assert.match(world.read('oauth-clients.tether.yaml'), /^ {2}other:\n( {4}# .*\n)+ {4}id: oc-2$/m);
    assert.equal(world.ledger.objects['OAuthClient/github']?.id, 'oc-1');
  });

  it('goes on where a run was killed between its files and its ledger', async () => {
    world = await World.start(
      acmeWith({ oauthClients: { 'oc-1': { ...made, projects: ['prj-web'] }, 'oc-2': { ...made } } }),
    );
    await exported(world, 0);
    const { 'tether.ledger.json': ledger = '', ...manifests } = filesThere(world);
    world.remove('tether.ledger.json');
    await exported(world, 0);
    const objectsIn = (text: string): unknown => (JSON.parse(text) as { objects: unknown }).objects;
    const { 'tether.ledger.json': again = '', ...same } = filesThere(world);
    assert.deepEqual([same, objectsIn(again)], [manifests, objectsIn(ledger)]);
  });

  describe('takes no client of somebody else for a declared one without `id:`', () => {
    const nameless = github.replace('    name: GitHub\n', '');
    const cases: Record<string, { entry: string; name?: string }> = {
      'that has no name': { entry: nameless },
      'that has no name, beside one that has': { entry: nameless, name: 'Team B' },
      'that allows a duplicate': { entry: `${github}    allowDuplicate: true\n`, name: 'GitHub' },
      'of another name': { entry: github, name: 'Team B' },
    };
    for (const [what, { entry, name }] of Object.entries(cases)) {
      it(what, async () => {
        world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, ...(name && { name }) } } }));
        world.write('main.tether.yaml', `${head}${entry}`);
        const { stdout } = await world.expect(1, command);
        assert.match(stdout, /OAuthClient oc-1 {2}OAuthClient\/github .* may mean it: add `id: oc-1`/);
        assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml']);
      });
    }

    it('where a ledger knows what is managed', async () => {
      world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
      const line = 'runTriggers: [{ target: app, source: network }]\n';
      world.write('main.tether.yaml', head + line);
      await world.applyAndExpectNothing();
      world.write('main.tether.yaml', head + line + github);
      const { stdout } = await world.expect(1, command);
      assert.match(stdout, /OAuthClient oc-1 {2}OAuthClient\/github .* may mean it: add `id: oc-1`/);
      assert.ok(!('OAuthClient/github' in world.ledger.objects));
    });
  });
  it('goes on where the disk was full once the manifests were written', async function () {
    // The limit on a file's size that stands in for a full disk is a Unix one.
    if (platform() === 'win32') this.skip();
    const arrows = ['network', 'dns', 'jobs', 'web', 'docs'].flatMap((name) => [
      `${name}>app`,
      `app>${name}`,
    ]);
    world = await World.start(acmeWith({ runTriggers: triggers(...arrows) }));
    world.write('acme.tether.yaml', seeded);
    const limited = ['-c', 'ulimit -f 2 && exec "$@"', 'sh', process.execPath, program, ...command];
    const { code, stderr } = await runProcess('sh', limited, { cwd: world.folder, env: world.env });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /run-triggers\.tether\.yaml written, but the ledger was not: .*EFBIG/s);
    const text = world.read('run-triggers.tether.yaml');
    await exported(world, 0);
    assert.equal(world.read('run-triggers.tether.yaml'), text);
    assert.equal(Object.keys(world.ledger.objects).length, 10);
  });

  it('refuses a damaged ledger, and says that only a lost one is rebuilt', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made } } }));
    world.write('main.tether.yaml', head);
    world.write('tether.ledger.json', '{ "version": 1');
    const { stderr } = await world.expect(1, command);
    assert.match(
      stderr,
      /only half of it is there\. .* Only where there is none, move it away and run `tether export`/,
    );
    assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml', 'tether.ledger.json']);
  });
});
