/** What aliases and names meant at the last apply, when workspaces are renamed or made anew; and ids that nothing has. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { World } from '../../support/world';

const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-1': { name: 'dmz' } },
      projects: { 'prj-1': { name: 'payments' }, 'prj-2': { name: 'search' } },
      workspaces: {
        'ws-1': { name: 'network' },
        'ws-2': { name: 'app' },
        'ws-3': { name: 'dns' },
        'ws-4': { name: 'jobs' },
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' } },
};

const head = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';
const aliases = (app: string) => `aliases: { workspaces: { app: ${app} } }\n`;
const trigger = 'runTriggers: [{ target: app, source: network }]\n';

describe('what names meant', () => {
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

  const lookups = () => {
    const routes = world.service.requests().map(({ route }) => route ?? '');
    world.service.clearRequests();
    return routes.flatMap(
      (route) => /organizations\/[^/]+\/(workspaces|projects|agent-pools)/.exec(route)?.[1] ?? [],
    );
  };

  /** The workspace and its triggers are gone, and another one has its name. */
  const makeAnew = async () => {
    for (const { id, workspaceId } of world.service.snapshot().runTriggers) {
      if (workspaceId === 'ws-2') await world.somebody.runTriggers.delete(id);
    }
    const snapshot = JSON.stringify(world.ledger);
    const files = { main: world.read('main.tether.yaml') };
    await world.close();
    const { organizations = {}, ...rest } = structuredClone(seed);
    const { 'ws-2': _, ...others } = organizations.acme?.workspaces ?? {};
    const workspaces = { ...others, 'ws-9': { name: 'app' } };
    world = await World.start(
      { ...rest, organizations: { acme: { ...organizations.acme, workspaces } } },
      { profile: 'hcp-terraform' },
    );
    world.write('main.tether.yaml', files.main);
    world.write('tether.ledger.json', snapshot);
  };

  it('is kept where it was an alias: its text means no other workspace once it is a name', async () => {
    write(aliases('ws-2') + trigger);
    await world.applyAndExpectNothing();
    assert.deepEqual(world.ledger.names, { 'workspace/app': 'ws-2', 'workspace/network': 'ws-1' });
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    write(trigger);
    const { stdout } = await world.expect(1, ['plan', '--max-deletes', '9']);
    assert.match(stdout, /workspace\/app .*it was ws-2 at the last apply, and is ws-4 now/);
    world.writes();
    await world.expect(1, ['apply', '--yes', '--max-deletes', '9']);
    assert.deepEqual([world.writes(), pairs()], [[], ['ws-2 < ws-1']]);
  });

  it('follows an alias that somebody gives another id, or writes for a name', async () => {
    write(aliases('ws-2') + trigger);
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    write(aliases('ws-4') + trigger);
    await world.applyAndExpectNothing(['--max-deletes', '9']);
    assert.deepEqual(pairs(), ['ws-4 < ws-1']);
    assert.equal(world.ledger.names?.['workspace/app'], 'ws-4');
  });

  it('is not kept of aliases that nothing uses, nor where names cannot be looked up', async () => {
    write(`aliases: { workspaces: { app: ws-2, unused: ws-3 } }\n${trigger}`);
    await world.applyAndExpectNothing();
    assert.deepEqual(Object.keys(world.ledger.names ?? {}).sort(), ['workspace/app', 'workspace/network']);
    world.remove('tether.ledger.json');
    world.write(
      'main.tether.yaml',
      'apiVersion: tether/v1\norganization: acme\naliases: { workspaces: { app: ws-2 } }\nrunTriggers: [{ target: app, source: ws-1 }]\n',
    );
    await world.applyAndExpectNothing();
    assert.equal(world.ledger.names, undefined);
  });

  it('is recorded without a word of changes where the plan has none', async () => {
    write(aliases('ws-2') + trigger);
    await world.applyAndExpectNothing();
    const { names, ...ledger } = world.ledger;
    world.write('tether.ledger.json', JSON.stringify(ledger));
    await world.expect(0, ['plan', '--detailed-exitcode']);
    const { stdout } = await world.expect(0, ['apply', '--yes']);
    assert.match(
      stdout,
      /^No changes\. 1 object up to date\.\nLedger written: commit tether\.ledger\.json\n$/,
    );
    assert.deepEqual(world.ledger.names, names);
  });

  it('stands under one address only: what the ledger has is shown by ids once the name is of another', async () => {
    write('runTriggers: [{ target: app, sources: [network] }]\n');
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    const { plan } = JSON.parse((await world.expect(1, ['plan', '--json'])).stdout) as {
      plan: { unknown: { address: string }[]; steps: unknown[] };
    };
    const addresses = plan.unknown.map(({ address }) => address);
    assert.deepEqual(plan.steps, []);
    assert.deepEqual(addresses, [
      'workspace/app',
      'RunTrigger/app/network',
      'the sources of app',
      'RunTrigger/ws-2/network',
    ]);
    const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
    world.service.fault({ ...list, how: 'status', status: 404, probability: 1 });
    const hidden = JSON.parse((await world.expect(1, ['plan', '--json'])).stdout) as { plan: typeof plan };
    const all = hidden.plan.unknown.map(({ address }) => address);
    assert.deepEqual(all, [...new Set(all)]);
  });

  it('is told of a workspace that was made anew, whose triggers wait until it is said which is meant', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    await makeAnew();
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(
      stdout,
      /workspace\/app .*it was ws-2 at the last apply, and is ws-9 now \(ws-2 is gone, or hidden from this token\): write `ws-2` or `ws-9` in its place; or, for all lines, `app: ws-9` under `aliases\.workspaces`, which can go again after the next apply/,
    );
    assert.match(
      stdout,
      /\? RunTrigger\/ws-2\/network {2}it is gone, and its line waits: workspace\/app was ws-2 at the last apply, and is another one now/,
    );
    assert.doesNotMatch(stdout, /not wanted any more/);
    const drift = await world.expect(1, ['drift']);
    assert.match(drift.stdout, /ws-2 +- network rt-\w+ \(gone;/);
    assert.match(drift.stdout, /; workspace\/app was ws-2 at the last apply, and is another one now\)/);
    assert.doesNotMatch(drift.stdout, /as the manifests want it/);
  });

  it('is said in one go for a workspace that was made anew, by an alias that can go again', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    await makeAnew();
    write(aliases('ws-9') + trigger);
    await world.applyAndExpectNothing();
    assert.deepEqual(pairs(), ['ws-9 < ws-1']);
    write(trigger);
    await world.applyAndExpectNothing();
  });

  it('is asked in a `forget` line with what can stand there', async () => {
    write(trigger);
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    write('runTriggers: []\nforget: [RunTrigger/app/network]\n');
    const { stderr } = await world.expect(1, ['plan']);
    assert.match(stderr, /`app` must be known here: it was ws-2 .*: write `ws-2` or `ws-4` in its place/);
    write('runTriggers: []\nforget: [RunTrigger/ws-2/network]\n');
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual([pairs(), world.ledger.objects], [['ws-2 < ws-1'], {}]);
  });

  it('is enough for `destroy`, which asks for no name and stops at none', async () => {
    write(`${trigger.replace(/\]\n/, ', { target: app, source: dns }]\n')}`);
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    write(`aliases: { workspaces: { jobs: ws-3, dns: ws-1 } }\n${trigger}forget: [RunTrigger/app/nowhere]\n`);
    const refused = await world.expect(1, ['destroy', '--yes']);
    assert.match(refused.stderr, /`nowhere` must be known here: the ledger has no such name: write its id/);
    write(`aliases: { workspaces: { jobs: ws-3 } }\nforget: [RunTrigger/app/network]\n`);
    lookups();
    await world.expect(0, ['destroy', '--yes', '--max-deletes', '9']);
    assert.deepEqual([lookups(), pairs()], [[], ['ws-2 < ws-1']]);
  });

  it('costs page 1 of the list once, whatever follows', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, index) => [`ws-n${index}`, { name: `n${index}` }]),
    );
    world.service.patchSeed({ organizations: { acme: { workspaces: many } } });
    // A search for it has more than one page.
    write('runTriggers: [{ target: { name: n }, source: network }]\n');
    await world.expect(1, ['plan']);
    const urls = world.service.requests().map(({ url }) => decodeURIComponent(url));
    const pages = urls.flatMap((url) =>
      url.includes('/workspaces?') && !url.includes('search')
        ? (/page\[number\]=(\d+)/.exec(url)?.[1] ?? [])
        : [],
    );
    assert.deepEqual(pages, ['1', '2', '3']);
  });

  describe('of an id', () => {
    const client = (more: string) => `oauthClients:
  git:
    serviceProvider: github
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
    organizationScoped: false
${more}`;

    it('that no list shows is a warning where it would be written, in one call for each kind', async () => {
      write(
        `aliases: { projects: { pay: prj-1, wrong: prj-9 } }\n${client('    projects: [pay, wrong]\n    agentPool: apool-9\n')}`,
      );
      lookups();
      const { stdout } = await world.expect(0, ['plan']);
      assert.deepEqual(lookups(), ['projects', 'agent-pools']);
      assert.match(
        stdout,
        /no project that this token can see is prj-9, and apply will write it: check alias `wrong`, and what the token may see \(main\.tether\.yaml:4:36\)/,
      );
      assert.match(
        stdout,
        /no agent pool that this token can see is apool-9, .*check `apool-9`.* \(main\.tether\.yaml:13:16\)/,
      );
      assert.doesNotMatch(stdout, /is prj-1/);
    });

    it('costs no call where nothing is written', async () => {
      write(client('    projects: [prj-1]\n    agentPool: apool-1\n'));
      await world.applyAndExpectNothing();
      lookups();
      await world.expect(0, ['plan']);
      assert.deepEqual(lookups(), []);
    });
  });
});
