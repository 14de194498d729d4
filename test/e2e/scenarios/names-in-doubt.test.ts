/** Names that nobody can tell, or that mislead: whatever else happens, nothing goes that one of them may mean. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { World } from '../../support/world';

const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-1': { name: 'dmz' }, 'apool-2': { name: 'lab' } },
      projects: { 'prj-1': { name: 'payments' }, 'prj-2': { name: 'a,b' } },
      workspaces: {
        'ws-1': { name: 'network' },
        'ws-2': { name: 'app' },
        'ws-3': { name: 'dns' },
        'ws-7': { name: 'ws-3' },
        'ws-8': { name: '__proto__' },
      },
    },
    other: { workspaces: { 'ws-20': { name: 'app' } } },
  },
  tokens: { 'owner-token': { acme: 'owner', other: 'owner' } },
};

const head = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';
const trigger = 'runTriggers: [{ target: app, source: network }]\n';
const client = (key: string, pool: string) => `oauthClients:
  ${key}:
    serviceProvider: github
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
    agentPool: ${pool}
`;

describe('names in doubt', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(seed, { profile: 'hcp-terraform' });
  });
  afterEach(() => world.close());

  const write = (text: string) => world.write('main.tether.yaml', `${head}${text}`);

  const rename = (id: string, name: string) =>
    world.service.patchSeed({ organizations: { acme: { workspaces: { [id]: { name } } } } });

  const pairs = () =>
    world.service
      .snapshot()
      .runTriggers.map((one) => `${one.workspaceId} < ${one.sourceableId}`)
      .sort();

  /** Expects that applying leaves something undone, and writes nothing; returns the plan's text. */
  const expectNoWrites = async (...args: string[]): Promise<string> => {
    const { stdout } = await world.expect(1, ['plan', ...args]);
    world.writes();
    await world.expect(1, ['apply', '--yes', ...args]);
    assert.deepEqual(world.writes(), []);
    return stdout;
  };

  it('keep the links of workspaces that were renamed outside, though the new names are mistyped at both ends', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    rename('ws-1', 'prod-network');
    rename('ws-2', 'prod-app');
    write('runTriggers: [{ target: prod-apps, source: prod-netwrk }]\n');
    const plan = await expectNoWrites();
    assert.match(plan, /workspace\/prod-apps .*did you mean `prod-app`\?/);
    assert.match(
      plan,
      /RunTrigger\/app\/network .*it waits: workspace\/prod-apps is not known, and may be meant here/,
    );
  });

  it('keep every link while the list of names cannot be read', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
    world.service.fault({ ...list, how: 'status', status: 404, probability: 1 });
    write('runTriggers: [{ target: one, source: two }]\n');
    assert.match(await expectNoWrites(), /workspace\/one .*the list of workspaces is not found/);
  });

  it('mean what they meant while the link stays that a mistyped name left', async () => {
    const sources = (...names: string[]) =>
      write(`runTriggers: [{ target: app, sources: [${names.join()}] }]\n`);
    sources('network');
    await world.applyAndExpectNothing();
    sources('netwrk');
    await world.expect(1, ['apply', '--yes']);
    rename('ws-1', 'net');
    rename('ws-3', 'network');
    sources('network');
    const plan = await expectNoWrites();
    assert.match(plan, /workspace\/network .*it was ws-1 at the last apply, and is ws-3 now/);
    sources();
    await world.applyAndExpectNothing();
    sources('network');
    await world.applyAndExpectNothing();
    assert.deepEqual(pairs(), ['ws-2 < ws-3']);
  });

  it('keep a client whose replacement would take a link away that one of them may mean', async () => {
    const projects = (name: string) =>
      `${client('git', 'dmz')}    organizationScoped: false\n    projects: [payments, "${name}"]\n`;
    write(projects('a,b'));
    await world.applyAndExpectNothing();
    const id = world.service.snapshot().oauthClients[0]?.id ?? '';
    const approval = `approved: [{ replace: OAuthClient/git, id: ${id} }]\n`;
    write(`${projects('a,c').replace('/api/v3', '/api/v4')}${approval}`);
    assert.match(
      await expectNoWrites(),
      /OAuthClient\/git .*it waits: project\/a,c is not known, and a replacement/,
    );
    write(`${projects('a,b').replace('/api/v3', '/api/v4')}${approval}`);
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-1', 'prj-2']);
  });

  it('are swapped: both are unknown, with the ids to choose from', async () => {
    write('runTriggers: [{ target: app, sources: [network] }, { target: dns, sources: [] }]\n');
    await world.applyAndExpectNothing();
    rename('ws-2', 'dns');
    rename('ws-3', 'app');
    const plan = await expectNoWrites();
    assert.match(
      plan,
      /workspace\/app .*it was ws-2 at the last apply, and is ws-3 now \(ws-2 is called `dns`\): write `ws-2` or `ws-3`/,
    );
    assert.match(plan, /workspace\/dns .*it was ws-3 at the last apply, and is ws-2 now/);
  });

  it('are given no alias that could not be one', async () => {
    rename('ws-3', 'oc-1');
    write('runTriggers: [{ target: app, source: { name: oc-1 } }]\n');
    await world.applyAndExpectNothing();
    rename('ws-3', 'dns');
    rename('ws-1', 'oc-1');
    const plan = await expectNoWrites();
    assert.match(
      plan,
      /workspace\/oc-1 .*is ws-1 now \(ws-3 is called `dns`\): write `ws-3` or `ws-1` in its place\n/,
    );
  });

  it('keep a client whose new address has an agent pool that nobody knows', async () => {
    write(client('old', 'dmz'));
    await world.applyAndExpectNothing();
    write(client('new', 'dmzz'));
    assert.match(await expectNoWrites(), /OAuthClient\/old .*it waits: agentPool\/dmzz is not known/);
  });

  it('keep what an interrupted create made', async () => {
    write('runTriggers: [{ target: dns, source: network }]\n');
    await world.applyAndExpectNothing();
    await world.somebody.runTriggers.create('ws-2', 'ws-1');
    const nonce = 'RunTrigger/ws-2/ws-1';
    const pending = { [nonce]: { kind: 'RunTrigger', nonce, hash: 'a' } };
    world.write('tether.ledger.json', JSON.stringify({ ...world.ledger, pending }));
    write('runTriggers: [{ target: dns, source: network }, { target: dns, source: one }]\n');
    const plan = await expectNoWrites();
    assert.match(
      plan,
      /RunTrigger\/ws-2\/network .*it waits: workspace\/one is not known, and may be meant here/,
    );
    write('runTriggers: [{ target: dns, source: network }]\n');
    assert.match(
      (await world.expect(0, ['plan'])).stdout,
      /^ +ws-2 +- network rt-\w+ \(an interrupted create/m,
    );
  });

  it('stop no destroy, which deletes what the ledger holds', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    write('runTriggers: [{ target: one, source: two }]\n');
    await world.expect(0, ['destroy', '--yes']);
    assert.deepEqual(pairs(), []);
  });

  it('stop no destroy where they are swapped, twice or hidden, and it takes no link of another one along', async () => {
    write('runTriggers: [{ target: app, sources: [network] }, { target: dns, source: app }]\n');
    await world.applyAndExpectNothing();
    rename('ws-2', 'dns');
    rename('ws-3', 'app');
    rename('ws-7', 'network');
    await world.somebody.runTriggers.create('ws-3', 'ws-7');
    const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
    world.service.fault({ ...list, how: 'status', status: 404, probability: 1 });
    const { stdout } = await world.expect(0, ['destroy', '--yes', '--max-deletes', '9']);
    assert.doesNotMatch(stdout, /looked up/);
    assert.deepEqual(pairs(), ['ws-3 < ws-7']);
    assert.deepEqual(world.ledger.objects, {});
  });

  it('that look like ids are told apart from ids', async () => {
    write('runTriggers: [{ target: app, sources: [ws-3, { name: ws-3 }, { name: __proto__ }] }]\n');
    await world.applyAndExpectNothing();
    assert.deepEqual(pairs(), ['ws-2 < ws-3', 'ws-2 < ws-7', 'ws-2 < ws-8']);
    const { stdout } = await world.expect(0, ['show']);
    assert.match(
      stdout,
      /^RunTrigger\/app\/__proto__$[\s\S]*^RunTrigger\/app\/ws-3$[\s\S]*^RunTrigger\/app\/ws-7$/m,
    );
    write('runTriggers: [{ target: app, source: { name: ws-3 } }]\nforget: [RunTrigger/app/ws-3]\n');
    const plan = await world.expect(0, ['plan']);
    assert.match(plan.stdout, /^ +app +∅ ws-3 .*forget/m);
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual(pairs(), ['ws-2 < ws-3', 'ws-2 < ws-7']);
  });

  it('with what a search takes for more than one are found all the same', async () => {
    write(`${client('git', 'lab')}    organizationScoped: false\n    projects: [{ name: "a,b" }]\n`);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-2']);
  });

  it('near an alias of another file are an error there', async () => {
    world.write('aliases.tether.yaml', `${head}aliases: { workspaces: { db: ws-1, net: ws-3 } }\n`);
    write('runTriggers: [{ target: dbs, source: { name: app } }]\nforget: [RunTrigger/app/nets]\n');
    const { stdout } = await world.expect(1, ['validate']);
    assert.match(stdout, /main\.tether\.yaml:4:\d+ .*near-alias\n.*`db`/);
    assert.match(
      stdout,
      /main\.tether\.yaml:5:\d+ .*near-alias\n.*`net`.*write its id \(`ws-…`\) in its place/,
    );
    write('runTriggers: [{ target: dbs2, source: net }]\n');
    await world.expect(0, ['validate']);
  });

  it('of another organization mean nothing here', async () => {
    write('runTriggers: [{ target: { id: ws-3 }, source: app }]\n');
    const text = head.replace('acme', 'other');
    world.write('b/main.tether.yaml', `${text}runTriggers: [{ target: app, source: network }]\n`);
    const { stdout } = await world.expect(1, ['plan', 'b']);
    assert.match(stdout, /workspace\/network .*no workspace that this token can see is called so/);
    assert.doesNotMatch(stdout, /workspace\/app/);
  });

  it('are warned of by `show`, which shows the rest; `ledger show` needs neither service nor sound manifests', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    write('runTriggers: [{ target: app, sources: [network, dsn] }]\n');
    const { stdout, stderr } = await world.expect(0, ['show']);
    assert.match(stderr, /workspace\/dsn: no workspace .*did you mean `dns`/);
    assert.match(stdout, /^RunTrigger\/app\/network$/m);
    write('runTriggers: 7\n');
    const offline = { env: { TETHER_ADDRESS: '', TETHER_TOKEN: '' } };
    assert.match(
      (await world.expect(0, ['ledger', 'show'], offline)).stdout,
      /^ {2}RunTrigger\/app\/network {2}rt-/m,
    );
  });

  it('that are twice are found on whatever pages of the list', async () => {
    const many = Array.from({ length: 250 }, (_, index) => [`ws-n${index}`, { name: `n${index}` }] as const);
    const last = { 'ws-z': { name: 'app' } };
    world.service.patchSeed({
      organizations: { acme: { workspaces: { ...Object.fromEntries(many), ...last } } },
    });
    write('runTriggers: [{ target: app, source: network }]\n');
    assert.match(await expectNoWrites(), /2 workspaces are called so: write `ws-2` or `ws-z`/);
    write('runTriggers: [{ target: app, sources: [network, n1, n2, n3] }]\n');
    assert.match(await expectNoWrites(), /2 workspaces are called so/);
  });
});
