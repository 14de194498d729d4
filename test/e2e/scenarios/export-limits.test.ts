/** What export does not take over, refuses and tells; and how much drift says is managed. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acmeWith, command, exported, filesThere, made, triggers } from '../../support/export-world';
import { bareHead, head, World } from '../../support/world';

describe('export', () => {
  let world: World;
  afterEach(() => world.close());

  it('leaves out what no manifest of this profile can say, and says why', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: {
          'oc-1': { ...made, name: 'Angel' },
          'oc-2': { ...made, name: 'An\u202egel' },
          'oc-3': { ...made, name: 'tether-pending-0123456789ab-77' },
          'oc-4': { ...made, httpUrl: 'https://user:password@git.example.com' },
        },
      }),
    );
    const stdout = await exported(world, 1);
    assert.match(stdout, /OAuthClient oc-3 {2}an interrupted create left it/);
    assert.match(stdout, /OAuthClient oc-4 {2}its httpUrl holds a user name or password/);
    assert.ok(!stdout.includes('user:password'));
    assert.match(stdout, /OAuthClient oc-2 {2}its name holds the invisible character U\+202E: remove it/);
    assert.deepEqual(
      Object.values(world.ledger.objects).map(({ id }) => id),
      ['oc-1'],
    );
  });

  it('leaves to another folder of the repository what its ledger holds', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: {
          'oc-1': { ...made, name: 'Theirs' },
          'oc-2': { ...made, name: 'Ours', projects: ['prj-payments', 'prj-web'], organizationScoped: false },
        },
        runTriggers: triggers('network>app', 'dns>app'),
      }),
    );
    world.write('.git/HEAD', '');
    const client = 'id: oc-1, serviceProvider: provider_a, name: Theirs';
    const urls = 'httpUrl: https://git.example.com, apiUrl: https://git.example.com/api/v3';
    world.write(
      'theirs/a.tether.yaml',
      `${bareHead}oauthClients:
  theirs: { ${client}, ${urls} }
projectAttachments:
  - { oauthClient: oc-2, project: prj-payments }
runTriggers:
  - { target: ws-app, source: ws-dns }
`,
    );
    await world.applyAndExpectNothing(['theirs']);
    world.write('ours/a.tether.yaml', `${bareHead}aliases:\n  workspaces: { app: ws-app }\n`);
    const { stdout } = await world.expect(0, ['export', 'ours']);
    assert.match(stdout, /\n {4}· theirs {2}3 objects\n/);
    const { objects } = JSON.parse(world.read('ours/tether.ledger.json')) as typeof world.ledger;
    assert.deepEqual(Object.keys(objects).sort(), [
      'OAuthClient/ours',
      'ProjectAttachment/oc-2/prj-web',
      'RunTrigger/ws-app/ws-network',
    ]);
    assert.match((await world.expect(0, ['plan', 'ours'])).stdout, /^No changes\./m);
  });

  describe('is refused, and nothing is written,', () => {
    const refusals: Record<string, { files: Record<string, string>; args?: string[]; says: RegExp }> = {
      'for another organization than that of the manifests': {
        files: { 'a.tether.yaml': bareHead },
        args: ['--organization', 'other'],
        says: /a\.tether\.yaml:2:15 .*\n.*organization `acme`, but --organization `other`: one folder/,
      },
      'without a name where no manifest says one': { files: {}, args: [], says: /there is no manifest in/ },
      'beside a manifest with a mistake': {
        files: { 'a.tether.yaml': `${bareHead}nope: 1\n` },
        says: /the manifests have errors/,
      },
      'in a folder whose manifests are gone and whose ledger is not': {
        files: {
          'tether.ledger.json': JSON.stringify({
            version: 1,
            organization: 'acme',
            lineage: 'l',
            serial: 1,
            objects: {
              'RunTrigger/ws-1/ws-2': {
                kind: 'RunTrigger',
                id: 'rt-1',
                file: null,
                values: {},
                digests: {},
                protect: false,
              },
            },
            pending: {},
            tombstones: [],
          }),
        },
        says: /no manifest in \., but its ledger holds 1 object/,
      },
      'beside the ledger of another organization': {
        files: {
          'a.tether.yaml': bareHead,
          'tether.ledger.json': JSON.stringify({
            version: 1,
            organization: 'old',
            lineage: 'l',
            serial: 1,
            objects: {},
            pending: {},
            tombstones: [],
          }),
        },
        says: /the ledger of this folder is of `old`/,
      },
      'for another organization than the ledger has, where only the flag says one': {
        files: {
          'a.tether.yaml': 'apiVersion: tether/v1\n',
          'tether.ledger.json': JSON.stringify({
            ...{ version: 1, organization: 'old', lineage: 'l', serial: 1 },
            ...{ objects: {}, pending: {}, tombstones: [] },
          }),
        },
        says: /--organization is `acme`, and the ledger .* is of `old`: nothing was planned\. A slip: correct the flag\. Another/,
      },
      'for an organization that the token cannot see, beside what needs it': {
        files: {
          'a.tether.yaml':
            'apiVersion: tether/v1\nprojectAttachments: [{ oauthClient: oc-1, project: prj-web }]\n',
        },
        args: ['--organization', 'acmee'],
        says: /organization acmee: not found, .* Check --organization, the address/,
      },
      'for a profile that is not there': {
        files: {},
        args: ['--organization', 'acme', '--profile', 'none'],
        says: /there is no profile "none"/,
      },
    };
    for (const [what, { files, args = ['--organization', 'acme'], says }] of Object.entries(refusals)) {
      it(what, async () => {
        world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made } } }));
        for (const [file, text] of Object.entries(files)) world.write(file, text);
        const { stderr } = await world.expect(1, ['export', ...args]);
        assert.match(stderr, says);
        assert.deepEqual(filesThere(world), files);
      });
    }

    it('for an organization that the token cannot see at all', async () => {
      world = await World.start();
      const { stdout } = await world.expect(1, ['export', '--organization', 'acmee']);
      assert.match(stdout, /^Left out\n {4}\? organization acmee {2}GET .* \(404\)/m);
      assert.deepEqual(filesThere(world), {});
    });

    it('where the service shows the token in a name', async () => {
      world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'my owner-token' } } }));
      const { stderr } = await world.expect(1, command);
      assert.match(stderr, /the service shows the token or a secret of these manifests/);
      assert.ok(!stderr.includes('owner-token'));
      assert.deepEqual(filesThere(world), {});
    });

    it('for a name that is taken by a folder, which gets another one', async () => {
      world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made } } }));
      world.write('oauth-clients.tether.yaml/keep', '');
      await exported(world, 0);
      assert.ok(world.has('oauth-clients-2.tether.yaml'));
    });
  });

  it('is one JSON document with --json', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
    const { stdout } = await world.expect(0, [...command, '--json']);
    assert.deepEqual(JSON.parse(stdout), {
      version: 1,
      command: 'export',
      exitCode: 0,
      export: {
        organization: 'acme',
        files: ['oauth-clients.tether.yaml'],
        adopted: [{ kind: 'OAuthClient', address: 'OAuthClient/github', objectId: 'oc-1', name: 'GitHub' }],
        elsewhere: [],
        leftOut: [],
        workspaces: 0,
        allListed: false,
        remaining: 0,
        problems: 0,
      },
    });
  });

  it('leaves to drift the line of how much is managed, and the list of what is not', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, projects: ['prj-web'] } },
        runTriggers: triggers('network>app', 'app>docs'),
      }),
    );
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: app, source: network }]\n`);
    await world.applyAndExpectNothing();
    const { stdout } = await world.expect(0, ['drift']);
    assert.match(
      stdout,
      /^No drift\.\nManaged: 1 of 4 objects that can be seen around 6 workspaces; 3 unmanaged \(--json lists them, `tether export` takes over what it can\)\.$/m,
    );
    const { drift } = JSON.parse((await world.expect(0, ['drift', '--json'])).stdout) as {
      drift: {
        existing: { managed: number; unmanaged: { kind: string; objectId: string }[]; unread: unknown[] };
      };
    };
    assert.equal(drift.existing.managed, 1);
    assert.deepEqual(
      drift.existing.unmanaged.map(({ kind, objectId }) => `${kind} ${objectId}`),
      ['OAuthClient oc-1', 'ProjectAttachment oc-1/prj-web', 'RunTrigger rt-2'],
    );
    await world.expect(0, command);
    assert.match(
      (await world.expect(0, ['drift'])).stdout,
      /^Managed: 4 of 4 objects that can be seen around 6 workspaces\.$/m,
    );
  });

  describe('does what its page says:', () => {
    const page = readFileSync(join(__dirname, '../../../../docs/taking-over.md'), 'utf8');
    const blocks = [...page.matchAll(/^( *)```(\w+)\n(.*?)```/gmsu)].map(
      ([, indent = '', kind, text = '']) => ({
        kind,
        text: text.replace(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    );
    const textsOf = (kind: string) => blocks.flatMap((block) => (block.kind === kind ? [block.text] : []));

    it('the manifest, the commands, and the token id for Terraform', async () => {
      const [manifest = '', ...manifests] = textsOf('yaml');
      const [network = '', app = ''] = manifest.match(/ws-\w+/g) ?? [];
      world = await World.start(
        acmeWith({
          workspaces: { [network]: { name: 'network' }, [app]: { name: 'app' } },
          oauthClients: { 'oc-1': { ...made, name: 'GitHub', oauthTokens: ['ot-7'] } },
          runTriggers: { 'rt-1': { workspace: app, sourceable: network } },
        }),
      );
      world.write('workspaces.tether.yaml', manifest);
      const [, commands = '', handOn = '', ...more] = textsOf('sh');
      assert.deepEqual(
        [...manifests, ...more, ...blocks.filter(({ kind }) => !/^(yaml|sh|hcl)$/.test(kind ?? ''))],
        [],
      );
      const lines = commands
        .trim()
        .split('\n')
        .map((line) => line.replace(/ *#.*/u, '').split(' '));
      assert.deepEqual(lines, [
        ['tether', 'export'],
        ['tether', 'plan'],
      ]);
      await exported(world, 0, {}, ['export']);
      const [, show = '', path = ''] = /\$\(tether (.*) \| jq -r '\.(.*)'\)/.exec(handOn) ?? [];
      const shown = await world.expect(0, show.split(' '));
      const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
      const value = steps.reduce<unknown>(
        (all, step) => (all as Readonly<Record<string, unknown>>)[step],
        JSON.parse(shown.stdout),
      );
      assert.equal(value, 'ot-7');
    });

    it('the two commands where the service lists workspaces', async () => {
      const clients = { 'oc-1': { ...made, serviceProvider: 'github', name: 'GitHub' } };
      const seed = acmeWith({ oauthClients: clients, runTriggers: triggers('network>app') });
      world = await World.start(seed, { profile: 'hcp-terraform' });
      const [commands = ''] = textsOf('sh');
      const [takeOver = '', plan = ''] = commands.trim().split('\n');
      await world.expect(0, takeOver.split(' ').slice(1));
      assert.match(plan, /^tether plan +# No changes$/);
      assert.match((await world.expect(0, ['plan'])).stdout, /^No changes\. 2 objects/m);
    });

    it('blocks that Terraform reads as they stand', async function () {
      world = await World.start();
      if (spawnSync('terraform', ['version']).error !== undefined) this.skip();
      assert.equal(textsOf('hcl').length, 2);
      for (const input of textsOf('hcl')) {
        const { status, stdout } = spawnSync('terraform', ['fmt', '-'], { input, encoding: 'utf8' });
        assert.deepEqual([status, stdout], [0, input]);
      }
    });
  });
});
