/** `show`, `export` and `ledger`: what exists, and what is recorded. None of them writes to the service. */
import assert from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import type { Props } from '../../provider/resource-provider';
import { makeDrafts } from '../../reconciler/export/write';
import { type Profile, readProfile } from '../../resources/profile';
import type { SeedObject } from '../../service';
import { providersFor } from '../support/provider-session';
import { clientDocument } from '../support/small-world';
import { github, head, World } from '../support/world';

const urls = { httpUrl: 'https://git.example.com', apiUrl: 'https://git.example.com/api/v3' };
const client = { serviceProvider: 'github_enterprise', ...urls };

/** Names that are awkward in YAML, TypeScript or addresses. */
const awkward: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': { name: 'dmz' } },
      projects: {
        'prj-pay': { name: 'payments' },
        'prj-no': { name: 'no' },
        'prj-one': { name: 'twice' },
        'prj-two': { name: 'twice' },
      },
      workspaces: {
        'ws-app': { name: 'app' },
        'ws-net': { name: 'network' },
        'ws-odd': { name: 'ws-app' },
        'ws-slash': { name: 'a/b' },
      },
      oauthClients: {
        'oc-a-unnamed': { ...client, httpUrl: 'https://other.example.com' },
        'oc-odd': { ...client, httpUrl: 'https://odd.example.com', name: 'Oc' },
        'oc-named': {
          ...client,
          name: 'Github enterprise\'s `x` "1"',
          projects: ['prj-no', 'prj-one', 'prj-pay'],
        },
        'oc-github': {
          ...client,
          name: 'GitHub enterprise',
          agentPool: 'apool-dmz',
          organizationScoped: false,
        },
      },
      runTriggers: {
        'rt-1': { workspace: 'ws-net', sourceable: 'ws-slash' },
        'rt-2': { workspace: 'ws-app', sourceable: 'ws-odd' },
        'rt-3': { workspace: 'ws-app', sourceable: 'ws-net' },
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' } },
};

describe('tether export', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(awkward, { profile: 'hcp-terraform' });
  });
  afterEach(() => world.close());

  const args = ['export', '--organization', 'acme', '--profile', 'hcp-terraform'];

  it('scenario 3: an adoption that writes a secret is an update in counts, mark and words', async () => {
    const { stdout } = await world.expect(0, args);
    world.write(stdout.replace('id: oc-github\n', '$&    secret: { fromEnv: GIT_TOKEN }\n'));
    const planned = await world.expect(0, ['plan']);
    assert.match(planned.stdout, /^Plan: 1 to update, \d+ to adopt\./m);
    assert.match(
      planned.stdout,
      /^ {2}~ OAuthClient\/github-enterprise .* and what differs will be written$/m,
    );
    assert.match(planned.stdout, /^ +secret +\(secret, will be written: /m);
    assert.match(planned.stdout, /^Next: tether apply$/m);
    const { counts } = JSON.parse((await world.expect(0, ['plan', '--json'])).stdout);
    assert.equal(counts.update, 1);
    await world.applyAndExpectNothing();
  });

  it('prints manifests with real names, of which apply adopts everything and changes nothing', async () => {
    const wrong = await world.expect(1, ['export', '--organization', 'nope']);
    assert.match(wrong.stderr, /^error: The organization nope was not found, .*name \(--organization\)/);
    const { stdout, stderr } = await world.expect(0, args);
    assert.match(stderr, /^note: secrets cannot be read, so they are left out/m);
    assert.deepEqual(stdout.match(/^ {2}[a-z0-9-]+:\n {4}id: oc-[\w-]+$/gm), [
      '  client-oc:\n    id: oc-odd',
      '  github-enterprise:\n    id: oc-github',
      '  github-enterprise-2:\n    id: oc-a-unnamed',
      '  github-enterprise-s-x-1:\n    id: oc-named',
    ]);
    assert.match(stdout, /projects:(?:\n {6}- .*)*\n {6}- prj-one$/m);
    const lines = [...stdout.matchAll(/target: ([^,]+), source: ([^ ]+)/g)].map(([, target, source]) => [
      target,
      source,
    ]);
    assert.deepEqual(lines, [
      ['app', 'network'],
      ['app', 'ws-odd'],
      ['network', 'ws-slash'],
    ]);
    assert.deepEqual(world.writes(), []);
    world.write(stdout);
    const planned = await world.expect(0, ['plan']);
    assert.match(planned.stdout, /^Next: tether apply \(adopts 10, changes nothing\)$/m);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.writes(), []);
    // A destroy leaves alone what a `forget` line names, by its name too.
    world.write(`${stdout.slice(0, stdout.indexOf('oauthClients:'))}forget: [RunTrigger/app/network]\n`);
    assert.match((await world.expect(1, ['destroy'])).stdout, /^ {2}∅ app ← network /m);
  });

  it('prints a program with --pulumi that adopts everything, and the same as a member of --json', async () => {
    const { stdout } = await world.expect(0, [...args, '--pulumi']);
    assert.match(stdout, /^import \* as tether from 'tether-iac\/pulumi';$/m);
    assert.match(stdout, /^ {2}adoptId: "oc-named",\n.*\n {2}name: "Github enterprise's `x` \\"1\\"",$/m);
    assert.match(
      stdout,
      /^new tether\.RunTrigger\("network-to-app", \{\n {2}workspaceId: "ws-app",\n {2}sourceableId: "ws-net",\n\}\);$/m,
    );
    const made: [kind: 'OAuthClient' | 'RunTrigger', args: Props][] = [];
    const classOf = (kind: (typeof made)[number][0]) =>
      class {
        constructor(_name: string, args: Props) {
          made.push([kind, { ...args }]);
        }
      };
    const tether = { OAuthClient: classOf('OAuthClient'), RunTrigger: classOf('RunTrigger') };
    runInNewContext(stdout.replace(/^import .*$/m, ''), { tether });
    const providers = providersFor(world.service.url);
    for (const [kind, inputs] of made) await providers[kind].create(inputs);
    assert.equal(made.length, 7);
    assert.deepEqual(world.writes(), []);
    const json = await world.expect(0, [...args, '--pulumi', '--json']);
    assert.equal((JSON.parse(json.stdout) as { program: string }).program, stdout);
  });

  it('leaves out a field whose company was left out', () => {
    const profile = readProfile('default', '.');
    const provider_b = { displayName: 'Ours', together: [['key', 'rsaPublicKey', 'secret']] };
    const ours = { ...profile, serviceProviders: { ...profile.serviceProviders, provider_b } };
    const unsendable = clientDocument('oc-1', { serviceProvider: 'provider_b', key: 'k', rsaPublicKey: 'r' });
    const existing = { organization: 'acme', triggers: [], names: new Map(), leftOut: [] };
    const { drafts, leftOut } = makeDrafts({ ...existing, clients: [unsendable] }, ours as Profile);
    assert.doesNotMatch(JSON.stringify(drafts), /rsaPublicKey|key/);
    assert.equal(leftOut.length, 2);
  });

  it('says what this token cannot read, and ends with 1', async () => {
    const route = '/workspaces/:workspace_id/run-triggers';
    world.service.fault({ method: 'GET', route, how: 'status', status: 404, nth: 1 });
    const { stderr, stdout } = await world.expect(1, args);
    assert.match(stdout, /^oauthClients:$[\s\S]*^runTriggers:$/m);
    assert.match(
      stderr,
      /^note: the run triggers of \S+ \(ws-\w+\) cannot be read with this token \(404\)$/m,
    );
  });

  it('leaves out triggers where the service cannot list workspaces, and ends with 1 without a client', async () => {
    const { stdout, stderr } = await world.expect(1, ['export', '--organization', 'acme']);
    assert.match(stderr, /run triggers are left out: name .* `--profile`[\s\S]*^note: oc-named is left out/m);
    assert.match(stderr, /profile `hcp-terraform` has it; add `--profile hcp-terraform` to this command/);
    assert.doesNotMatch(stdout, /runTriggers/);
  });
});

describe('tether show and tether ledger', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write(`${head}${github}runTriggers: [{ target: app, source: network }]\n`);
    await world.expect(0, ['apply', '--yes']);
    world.writes();
  });
  afterEach(() => world.close());

  it('show every readable field, by any spelling of an address', async () => {
    const all = await world.expect(0, ['show']);
    assert.match(all.stdout, /^ {2}✓ OAuthClient\/github +oc-\w+$/m);
    assert.match(all.stdout, /^ {6}callbackUrl +"http/m);
    assert.match(all.stdout, /^2 of 2 exist\.$/m);
    const [{ id = '' } = {}] = world.service.snapshot().runTriggers;
    for (const address of [
      'RunTrigger/app/network',
      'RunTrigger/ws-app/ws-network',
      'RunTrigger/app/ws-network',
      id,
    ]) {
      const { stdout } = await world.expect(0, ['show', '.', address]);
      assert.match(stdout, /^ {2}✓ RunTrigger\/app\/network +rt-\w+$/m);
      assert.match(stdout, /^1 of 1 exist\.$/m);
    }
    assert.match((await world.expect(0, ['show', 'OAuthClient/github'])).stdout, /^1 of 1 exist\.$/m);
    assert.deepEqual(world.writes(), []);
  });

  it('say what is missing or not known, with exit code 1', async () => {
    const [{ id = '' } = {}] = world.service.snapshot().oauthClients;
    await world.somebody.oauthClients.delete(id);
    world.write(head + github.replace('github:', 'hub:'));
    const { stdout } = await world.expect(1, ['show']);
    assert.match(stdout, /hub +unknown: its id is not known[\s\S]*^1 of 3 exist, 2 unknown\.$/m);
    await world.expect(1, ['show', '.', 'RunTrigger/app']);
    const wrong = await world.expect(1, ['show', 'OAuthClient/gitub']);
    assert.match(
      wrong.stderr,
      /neither in the manifests nor in the ledger: did you mean `OAuthClient\/github`\?/,
    );
  });

  it('show the ledger without secrets, and free no lock that is not held', async () => {
    const { stdout } = await world.expect(0, ['ledger', 'show']);
    assert.match(
      stdout,
      /^acme at 127\.0\.0\.1:\d+ · ledger tether\.ledger\.json: lineage \S+, serial \d+, 2 objects, last applied \S+ by \S+$/m,
    );
    assert.match(stdout, /^ {2}· OAuthClient\/github +oc-\w+ {2}oauthTokenString: \(secret, written\)$/m);
    assert.doesNotMatch(stdout, /scrypt|canary/);
    const ledger = JSON.parse(world.read('tether.ledger.json'));
    ledger.objects['OAuthClient/github'].retiring = ['oc-before'];
    const attemptedAt = '2026-01-31T10:00:00.000Z';
    ledger.pending['OAuthClient/gitlab'] = { attemptedAt, values: {}, digests: {}, existing: [] };
    world.write(JSON.stringify(ledger), 'tether.ledger.json');
    const unfinished = await world.expect(0, ['ledger', 'show']);
    assert.match(unfinished.stdout, /^ {2}· OAuthClient\/github .* {2}retiring: oc-before$/m);
    assert.match(
      unfinished.stdout,
      /^Not finished\n {2}\? OAuthClient\/gitlab +create started at 2026-01-31T10:00:00\.000Z$/m,
    );
    await world.expect(1, ['ledger', 'unlock', '12345678']);
    world.remove('tether.ledger.json');
    const { stderr } = await world.expect(1, ['ledger', 'show']);
    assert.match(stderr, /there is no ledger at tether\.ledger\.json yet; tether apply creates it/);
  });
});
