/** First day: what exists already, what is new, what is missing (scenarios 1 to 7). */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedObject } from '../../../service';
import { acme, github, head, World } from '../../support/world';

const examples = join(__dirname, '..', '..', '..', '..', 'examples', 'gitops');

const exampleSecrets = {
  CLOUD_GIT_TOKEN: 'canary-cloud',
  ENTERPRISE_GIT_TOKEN: 'canary-enterprise',
  AGENCY_GIT_TOKEN: 'canary-agency',
  ARCHIVE_GIT_TOKEN: 'canary-archive',
  ARCHIVE_SSH_KEY: 'canary-ssh-key',
};

/** acme with clients and triggers that somebody made by hand. */
function acmeWith(more: {
  oauthClients?: Record<string, { name?: string; httpUrl?: string; projects?: string[] }>;
  runTriggers?: Record<string, { workspace: string; sourceable: string }>;
}): SeedObject {
  const clients = Object.entries(more.oauthClients ?? {}).map(([id, client]) => [
    id,
    {
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      ...client,
    },
  ]);
  return {
    ...acme,
    organizations: {
      acme: {
        ...acme.organizations?.acme,
        oauthClients: Object.fromEntries(clients),
        runTriggers: more.runTriggers ?? {},
      },
    },
  };
}

const twoAlike = acmeWith({ oauthClients: { 'oc-1': { name: 'GitHub' }, 'oc-2': { name: 'GitHub' } } });

describe('the first day', () => {
  let world: World;
  afterEach(() => world.close());

  /** What writes is the real program: these scenarios run on every version of Node. */
  async function begin(seed?: SeedObject | string): Promise<void> {
    world = await World.start(seed);
    world.writesIn = 'a process';
  }

  it('scenario 1: an empty organization gets everything, in order, and then nothing is left to do', async () => {
    const seed = join(examples, 'seed.yaml');
    await begin(seed);
    cpSync(examples, world.folder, { recursive: true, filter: (path) => !path.endsWith('seed.yaml') });
    const env = { TETHER_TOKEN: 'acme-example-token', ...exampleSecrets };
    const planned = await world.expect(0, ['plan'], { env });
    assert.match(planned.stdout, /^Plan: 76 to create\.$/m);
    assert.match(
      planned.stdout,
      /^OAuth clients\n.*\+ enterprise .*\n\nProject attachments\n +enterprise +\+ platform/m,
    );
    assert.ok(!world.has('tether.ledger.json'), 'planning writes nothing');
    const seen = await world.here(['plan'], { env, terminal: true });
    assert.ok(seen.stdout.split('\n').length <= 30, seen.stdout);
    await world.applyAndExpectNothing([], { env });
    const text = world.read('tether.ledger.json');
    const { objects } = world.ledger;
    assert.equal(Object.keys(objects).length, 76);
    for (const secret of Object.values(exampleSecrets)) assert.ok(!text.includes(secret));
    const names = world.service.snapshot().oauthClients.map((one) => one.name);
    assert.deepEqual([...names].sort(), ['Agency', 'Archive', 'Cloud', 'Enterprise']);
  });

  it('scenario 2: two that look like the wanted one stop its address, with both ways out; the rest is shown and applied', async () => {
    await begin(twoAlike);
    world.write('main.tether.yaml', `${head}${github}runTriggers:\n  - { target: app, source: network }\n`);
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /OAuthClient\/github/);
    for (const part of ['oc-1', 'oc-2', 'created', 'id: oc-1', 'allowDuplicate: true']) {
      assert.ok(stdout.includes(part), `${part} in\n${stdout}`);
    }
    assert.match(stdout, /^ +app +\+ network$/m);
    assert.doesNotMatch(stdout, /\+ github/);
    const applied = await world.expect(1, ['apply', '--yes']);
    assert.match(applied.stdout, /Apply: 1 done, 1 left alone/);
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual([oauthClients.length, runTriggers.length], [2, 1]);
  });

  it('scenario 3: an id adopts one of them, and its secret stays unverified until it is written', async () => {
    await begin(twoAlike);
    const adopting = github.replace('name: GitHub', 'id: oc-2\n    name: Git');
    world.write('main.tether.yaml', `${head}${adopting}`);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /→ github {2}oc-2 {2}already exists; Tether will manage it/);
    assert.match(stdout, /name +"GitHub" → "Git"/);
    const applied = await world.applyAndExpectNothing();
    assert.doesNotMatch(applied.stdout, /git-secret-canary/);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => [one.id, one.name]),
      [
        ['oc-1', 'GitHub'],
        ['oc-2', 'Git'],
      ],
    );
    assert.match((await world.expect(0, ['plan'])).stdout, /secret.*not verified|not verified.*secret/i);
    // What was not there when it was adopted is an edit like any other.
    world.write('main.tether.yaml', `${head}${adopting}    secret: { fromEnv: GIT_TOKEN }\n`);
    assert.match((await world.expect(0, ['plan'])).stdout, /secret +\(secret, new\)/);
    await world.applyAndExpectNothing();
    assert.match((await world.expect(0, ['plan'])).stdout, /not verified: oauthTokenString/);
  });

  it('scenario 3: --write-secrets ends "not verified" where an update carries the secret', async () => {
    await begin(acmeWith({ oauthClients: { 'oc-1': { name: 'GitHub' } } }));
    const secret = github.replace('oauthTokenString', 'id: oc-1\n    secret');
    world.write('main.tether.yaml', `${head}${secret}`);
    await world.applyAndExpectNothing();
    assert.match((await world.expect(0, ['plan'])).stdout, /not verified/i);
    await world.expect(0, ['apply', '--yes', '--write-secrets']);
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /not verified/i);
  });

  it('scenario 4: what cannot be adopted as it is, is an error at its line and never a replace', async () => {
    await begin(twoAlike);
    const other = github
      .replace('name: GitHub', 'id: oc-2')
      .replace('https://git.example.com\n', 'https://x.example\n');
    world.write('main.tether.yaml', `${head}${other}`);
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /main\.tether\.yaml:\d+:\d+/);
    assert.match(stdout, /httpUrl/);
    assert.doesNotMatch(stdout, /replace$|-\/\+/m);
  });

  it('scenario 5: links that exist and are declared are adopted without a write; others are not mentioned', async () => {
    await begin(
      acmeWith({
        oauthClients: { 'oc-1': { name: 'GitHub', projects: ['prj-payments', 'prj-web'] } },
        runTriggers: {
          'rt-1': { workspace: 'ws-app', sourceable: 'ws-network' },
          'rt-2': { workspace: 'ws-app', sourceable: 'ws-dns' },
        },
      }),
    );
    world.write(
      'main.tether.yaml',
      `${head}projectAttachments:
  - { oauthClient: oc-1, project: payments }
runTriggers:
  - { target: app, source: network }
`,
    );
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /^ +app +→ network rt-1/m);
    assert.match(stdout, /^ +oc-1 +→ payments oc-1\/prj-payments/m);
    assert.doesNotMatch(stdout, /ws-dns|prj-web|rt-2/);
    world.writes();
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 6: an exact set deletes the unmanaged ones, marked, within what the guard allows', async () => {
    const unmanaged = ['dns', 'jobs', 'web'].map((source, index) => [
      `rt-app-${index}`,
      { workspace: 'ws-app', sourceable: `ws-${source}` },
    ]);
    await begin(acmeWith({ runTriggers: Object.fromEntries(unmanaged) }));
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, sources: [network] }\n`);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(
      stdout,
      /- dns rt-app-0 {2}- jobs rt-app-1 {2}- web rt-app-2 \(each of these 3: unmanaged: not listed/,
    );
    assert.match(stdout, /3 deletes \(3 unmanaged\); the limit is 5 \(--max-deletes\)/);
    assert.match(stdout, /1 to create, 3 to delete/);
    await world.applyAndExpectNothing();
    assert.deepEqual(
      world.service.snapshot().runTriggers.map((one) => one.sourceableId),
      ['ws-network'],
    );
  });

  it('scenario 7: a secret that is not there is asked for only by apply, before the first write, with all that miss', async () => {
    await begin();
    const second = readTwice(github);
    world.write('main.tether.yaml', `${head}${github}${second}`);
    const env = { GIT_TOKEN: '' };
    await world.expect(0, ['validate'], { env });
    const planned = await world.expect(0, ['plan'], { env });
    assert.match(planned.stdout, /\(secret, not compared\)/);
    await world.expect(0, ['drift'], { env });
    world.writes();
    const { stderr } = await world.expect(1, ['apply', '--yes'], { env });
    assert.match(stderr, /OAuthClient\/github oauthTokenString: environment variable GIT_TOKEN/);
    assert.match(stderr, /OAuthClient\/lab oauthTokenString: environment variable LAB_TOKEN/);
    assert.deepEqual(world.writes(), []);
    assert.ok(!world.has('tether.ledger.json'));
  });
});

/** A second client beside `github`, with a variable of its own. */
function readTwice(client: string): string {
  return client
    .split('\n')
    .slice(1)
    .join('\n')
    .replace('github:', 'lab:')
    .replace('GitHub', 'Lab')
    .replace('GIT_TOKEN', 'LAB_TOKEN');
}
