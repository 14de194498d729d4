/** Taking over what exists: export writes manifests and a ledger, and planning finds no change. */
import assert from 'node:assert/strict';
import { acmeWith, command, exported, filesThere, made, seeded, triggers } from '../../support/export-world';
import { holderWith } from '../../support/lock-holders';
import { bareHead, github, head, World } from '../../support/world';

describe('export', () => {
  let world: World;
  afterEach(() => world.close());

  it('takes over clients with their projects as exact sets, and triggers as single lines', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: {
          'oc-1': {
            ...made,
            name: 'GitHub',
            projects: ['prj-web', 'prj-payments'],
            organizationScoped: false,
          },
          'oc-2': { ...made, serviceProvider: 'provider_b_hosted', key: 'k', agentPool: 'apool-dmz' },
          'oc-3': { ...made, name: 'GitHub', oauthTokens: ['ot-1'] },
        },
        runTriggers: triggers('network>app', 'dns>app', 'app>docs', 'app>web', 'jobs>web'),
      }),
    );
    world.write('acme.tether.yaml', seeded);
    const stdout = await exported(world, 0);
    assert.match(
      stdout,
      /^Exported from acme\n {4}\+ oauth-clients\.tether\.yaml\n {4}\+ run-triggers\.tether\.yaml\n {4}\+ tether\.ledger\.json {2}3 OAuthClient, 2 ProjectAttachment, 5 RunTrigger\n\nManaged from now on\n {4}· OAuthClient\/github {2}oc-1 "GitHub"\n {4}· OAuthClient\/provider-b-hosted {2}oc-2 none\n {4}· OAuthClient\/github-2 {2}oc-3 "GitHub"\n/,
    );
    assert.match(
      stdout,
      /^Run triggers were looked for around 6 workspaces: those that aliases, lines, the ledger and other triggers name/m,
    );
    assert.match(stdout, /^Commit these files\. `tether plan` finds no changes\.$/m);
    assert.equal(
      world.read('oauth-clients.tether.yaml').replace(/created [^,]+/g, 'created T'),
      `# What \`tether export\` found in acme; these lines are yours to edit.
# Secrets cannot be read. To write a new one, take the # away from its line and set the variable.
# \`projects:\` is an exact set: an apply detaches every project that it does not list.

apiVersion: tether/v1
organization: acme
oauthClients:
  github:
    # created T, not connected, offered to 2 projects
    # oauthTokenString: { fromEnv: GITHUB_OAUTH_TOKEN_STRING }
    # secret: { fromEnv: GITHUB_SECRET }
    id: oc-1
    serviceProvider: provider_a
    name: GitHub
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    organizationScoped: false
    projects:
      - prj-payments
      - prj-web
  provider-b-hosted:
    # created T, not connected, offered to the whole organization
    # oauthTokenString: { fromEnv: PROVIDER_B_HOSTED_OAUTH_TOKEN_STRING }
    # secret: { fromEnv: PROVIDER_B_HOSTED_SECRET }
    id: oc-2
    serviceProvider: provider_b_hosted
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    key: k
    organizationScoped: true
    agentPool: apool-dmz
  github-2:
    # created T, connected, offered to the whole organization
    # oauthTokenString: { fromEnv: GITHUB_2_OAUTH_TOKEN_STRING }
    # secret: { fromEnv: GITHUB_2_SECRET }
    id: oc-3
    serviceProvider: provider_a
    name: GitHub
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    organizationScoped: true
`,
    );
    assert.equal(
      world.read('run-triggers.tether.yaml'),
      `# What \`tether export\` found in acme; these lines are yours to edit.

apiVersion: tether/v1
organization: acme
aliases:
  workspaces:
    dns: ws-dns
    docs: ws-docs
    jobs: ws-jobs
    network: ws-network
    web: ws-web
runTriggers:
  - { target: app, source: network }
  - { target: app, source: dns }
  - { target: docs, source: app }
  - { target: web, source: app }
  - { target: web, source: jobs }
`,
    );
  });

  it('starts in an empty folder, where it says that no workspace is known and how to name some', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, name: 'GitHub' } },
        runTriggers: triggers('network>app'),
      }),
    );
    assert.match(
      await exported(world, 0),
      /no workspace is named here, so no run trigger was looked for\. No list of all workspaces/i,
    );
    world.write('workspaces.tether.yaml', seeded);
    await exported(world, 0);
    assert.match(world.read('run-triggers.tether.yaml'), /- \{ target: app, source: network \}/);
  });

  it('writes a manifest that names the organization where nothing is, for the commands that follow', async () => {
    world = await World.start();
    await exported(world, 0);
    assert.deepEqual(Object.keys(filesThere(world)), ['organization.tether.yaml']);
    assert.match(
      await exported(world, 0, {}, ['export']),
      /^Nothing to write: nothing unmanaged was found\./m,
    );
  });

  for (const profile of ['default', 'hcp-terraform']) {
    it(`writes that manifest under ${profile} too where something cannot be read, so that \`plan\` needs no flag`, async () => {
      const workspaces = { 'ws-app': 'readRuns' } as const;
      const tokens = { 'part-token': { acme: { manageVcsSettings: profile === 'default', workspaces } } };
      world = await World.start(acmeWith({ runTriggers: triggers('network>app') }, tokens), { profile });
      world.write(
        'aliases.tether.yaml',
        'apiVersion: tether/v1\naliases: { workspaces: { jobs: ws-jobs } }\n',
      );
      const env = { TETHER_TOKEN: 'part-token' };
      await exported(world, 1, env, [...command, '--profile', profile]);
      assert.match(
        world.read('organization.tether.yaml'),
        new RegExp(`^apiVersion: tether/v1\nprofile: ${profile}\norganization: acme\n$`, 'm'),
      );
    });
  }

  it('takes `--organization` in a folder whose manifests name none', async () => {
    world = await World.start(acmeWith({ runTriggers: triggers('network>app') }));
    world.write(
      'workspaces.tether.yaml',
      'apiVersion: tether/v1\naliases: { workspaces: { app: ws-app } }\n',
    );
    await exported(world, 0);
    assert.match(world.read('run-triggers.tether.yaml'), /^organization: acme$/m);
    await exported(world, 0, {}, ['export']);
  });

  it('writes what somebody made since into further files, and leaves those that are there', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
    await exported(world, 0);
    const { somebody } = world;
    await somebody.oauthClients.create('acme', { ...made, name: 'GitHub', oauthTokenString: 'x' });
    await somebody.oauthClients.attach('oc-1', ['prj-web']);
    await somebody.runTriggers.create('ws-app', 'ws-network');
    world.writes();
    world.write('workspaces.tether.yaml', seeded);
    await exported(world, 0);
    const second = world.read('oauth-clients-2.tether.yaml');
    assert.match(second, /^ {2}github-2:$/m);
    const links = world.read('project-attachments.tether.yaml');
    assert.match(links, /projectAttachments:\n {2}- \{ oauthClient: github, project: prj-web \}/);
    assert.match(world.read('run-triggers.tether.yaml'), /target: app/);
  });

  it('says what it cannot read, leaves it out, and takes the rest', async () => {
    world = await World.start(
      acmeWith(
        {
          oauthClients: { 'oc-1': { ...made } },
          runTriggers: triggers('network>app', 'network>docs', 'dns>jobs', 'web>app'),
        },
        {
          'part-token': {
            acme: {
              manageVcsSettings: false,
              workspaces: { 'ws-app': 'admin', 'ws-docs': 'readRuns', 'ws-network': 'readRuns' },
            },
          },
        },
      ),
    );
    world.write(
      'acme.tether.yaml',
      `${bareHead}aliases:\n  workspaces: { app: ws-app, docs: ws-docs, jobs: ws-jobs }\n`,
    );
    const stdout = await exported(world, 1, { TETHER_TOKEN: 'part-token' });
    for (const owner of ['organization acme', 'workspace ws-jobs', 'workspace ws-web']) {
      assert.ok(stdout.includes(`? ${owner}  GET`), stdout);
    }
    assert.match(
      stdout.replace(/\s+/g, ' '),
      /\? RunTrigger\/app\/ws-web rt-4 \(app ← web\) is there, but workspace ws-web cannot be read, so a plan that looks there would not see it/,
    );
    assert.deepEqual(Object.keys(world.ledger.objects), [
      'RunTrigger/ws-app/ws-network',
      'RunTrigger/ws-docs/ws-network',
    ]);
  });

  it('has one line for a pair that is linked twice, and manages the older one', async () => {
    world = await World.start(
      acmeWith({
        runTriggers: {
          ...triggers('network>app', 'dns>app'),
          'rt-9': { workspace: 'ws-app', sourceable: 'ws-dns', createdAt: '2020-01-01T00:00:00.000Z' },
        },
      }),
    );
    world.write('acme.tether.yaml', seeded);
    await exported(world, 0);
    const text = world.read('run-triggers.tether.yaml');
    assert.equal(text.match(/- \{ target: app, source: dns \}/g)?.length, 1);
    assert.equal(world.ledger.objects['RunTrigger/ws-app/ws-dns']?.id, 'rt-9');
    assert.match(text, /- \{ target: app, source: network \}/);
    const drifted = await world.expect(0, ['drift']);
    assert.match(
      drifted.stdout,
      /^Managed: 2 of 3 objects that can be seen around 3 workspaces; 1 unmanaged/m,
    );
  });

  it('leaves alone what an exact set of the manifests says must not be', async () => {
    world = await World.start(acmeWith({ runTriggers: triggers('network>app', 'dns>app') }));
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: app, sources: [network] }]\n`);
    const { stdout } = await world.expect(1, command);
    assert.match(
      stdout,
      /RunTrigger\/app\/dns {2}the sources of app are an exact set without it \(main\.tether\.yaml:7:15\): list it there/,
    );
    assert.match(stdout, /`tether plan` shows 1 step that export leaves to you/);
    assert.deepEqual(Object.keys(world.ledger.objects), ['RunTrigger/ws-app/ws-network']);
  });

  it('writes `projects:` only where the whole list is its own', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, name: 'GitHub', projects: ['prj-web', 'prj-search'] } },
      }),
    );
    world.write(
      'main.tether.yaml',
      `${bareHead}projectAttachments: [{ oauthClient: oc-1, project: prj-web }]\n`,
    );
    await world.expect(0, command);
    assert.doesNotMatch(world.read('oauth-clients.tether.yaml'), /^ +projects:/m);
    assert.match(
      world.read('project-attachments.tether.yaml'),
      /- \{ oauthClient: github, project: prj-search \}/,
    );
  });

  it('makes aliases of names that are valid and of one workspace, and leaves the ids of all others', async () => {
    const names = {
      'ws-network': 'prj-1',
      'ws-dns': 'Büro & Küche',
      'ws-jobs': 'twice',
      'ws-web': 'twice',
      'ws-docs': 'app',
    };
    world = await World.start(
      acmeWith({
        workspaces: {
          'ws-app': { name: 'constructor' },
          ...Object.fromEntries(Object.entries(names).map(([id, name]) => [id, { name }])),
        },
        runTriggers: triggers('network>app', 'dns>app', 'jobs>app', 'web>app', 'docs>app'),
      }),
    );
    world.write('acme.tether.yaml', seeded);
    await exported(world, 0);
    assert.match(
      world.read('run-triggers.tether.yaml'),
      /^organization: acme\nrunTriggers:\n {2}- \{ target: app, source: ws-network \}$/m,
    );
  });

  it('names variables for secrets in comments, so that nothing needs one until its line is wanted', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
    await exported(world, 0);
    assert.equal(world.ledger.objects['OAuthClient/github']?.unverified, undefined);
    const { stdout } = await world.expect(0, ['plan']);
    assert.doesNotMatch(stdout, /secret not/);
    const text = world.read('oauth-clients.tether.yaml');
    world.write('oauth-clients.tether.yaml', text.replace('# secret:', 'secret:'));
    await world.applyAndExpectNothing([], { env: { GITHUB_SECRET: 'a-new-value' } });
    assert.equal(world.writes().length, 1);
  });

  it('names no variable that another client takes its secret from', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, name: 'GitHub' }, 'oc-2': { ...made, name: 'Other', key: 'k' } },
      }),
    );
    world.write('main.tether.yaml', `${head}${github.replace('GIT_TOKEN', 'OTHER_SECRET')}    id: oc-1\n`);
    await world.expect(0, command);
    assert.match(world.read('oauth-clients.tether.yaml'), /# secret: \{ fromEnv: OTHER_SECRET2 \}/);
  });

  it('takes over nothing that a `forget` line has let go', async () => {
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...made, name: 'GitHub', projects: ['prj-web'] } },
        runTriggers: triggers('network>app'),
      }),
    );
    world.write('main.tether.yaml', `${head}forget: [OAuthClient/github, RunTrigger/app/network]\n`);
    const { stdout } = await world.expect(1, command);
    assert.match(
      stdout,
      /OAuthClient oc-1 {2}`forget` lets OAuthClient\/github go \(main\.tether\.yaml:7:10\)/,
    );
    assert.match(stdout, /RunTrigger\/app\/network {2}`forget` lets RunTrigger\/app\/network go/);
    assert.deepEqual(Object.keys(filesThere(world)), ['main.tether.yaml']);
  });

  it('takes over nothing that lists still show and that is gone', async () => {
    world = await World.start(acmeWith({ runTriggers: triggers('network>app', 'dns>app') }), {
      behaviours: { 'delete-visible-ms': '600000' },
    });
    await world.somebody.runTriggers.delete('rt-2');
    world.writes();
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: app, source: dns }]\n`);
    const { stdout } = await world.expect(1, command);
    assert.match(stdout, /rt-2 {2}a list still shows it, but it is gone/);
    assert.match(stdout, /`tether plan` shows 1 step that export leaves to you/);
    assert.deepEqual(Object.keys(world.ledger.objects), ['RunTrigger/ws-app/ws-network']);
    assert.doesNotMatch(world.read('run-triggers.tether.yaml'), /dns/);
  });

  it('goes by the manifests as they are when it has the lock', async () => {
    world = await World.start(acmeWith({ oauthClients: { 'oc-1': { ...made, name: 'GitHub' } } }));
    world.write('main.tether.yaml', head);
    const lock = 'tether.ledger.json.lock';
    world.write(lock, JSON.stringify(holderWith()));
    const onStderr = (text: string): void => {
      if (!text.includes('Waiting')) return;
      world.write('main.tether.yaml', `${head}${github}    id: oc-1\n`);
      world.remove(lock);
    };
    const { code, stderr } = await world.here([...command, '--lock-timeout', '25'], { onStderr });
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(world.ledger.objects), ['OAuthClient/github']);
    assert.ok(!world.has('oauth-clients.tether.yaml'));
  });

  it('says what a plan still shows also where it has nothing to write', async () => {
    world = await World.start();
    world.write('main.tether.yaml', `${head}runTriggers: [{ target: app, source: network }]\n`);
    const { stdout } = await world.expect(0, command);
    assert.match(stdout, /^Nothing to write: .*\. `tether plan` shows 1 step that export leaves to you\.$/m);
  });
});
