/** Names in place of ids, where the profile can look them up. */
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
        'ws-4': { name: 'app (old)' },
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' } },
};

const head = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';
const triggers = 'runTriggers:\n  - { target: app, sources: [network, dns] }\n';
const client = `oauthClients:
  github:
    serviceProvider: github
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
    organizationScoped: false
    projects: [payments]
    agentPool: dmz
`;

describe('names', () => {
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

  /** Runs of lists since the last call: `workspaces`, or `workspaces?search`. */
  const lookups = () => {
    const routes = world.service.requests().map(({ route }) => route ?? '');
    world.service.clearRequests();
    return routes.flatMap(
      (route) => /organizations\/[^/]+\/(workspaces|projects|agent-pools)/.exec(route)?.[1] ?? [],
    );
  };

  /** Expects this plan to be incomplete, and to write nothing when applied; returns its text. */
  const expectNothingDone = async (): Promise<string> => {
    const { stdout } = await world.expect(1, ['plan']);
    const before = pairs();
    world.writes();
    await world.expect(1, ['apply', '--yes']);
    assert.deepEqual([pairs(), world.writes()], [before, []]);
    return stdout;
  };

  it('stand wherever an alias does, and the ledger keeps what they meant', async () => {
    write(`${client}${triggers}`);
    const { stdout } = await world.applyAndExpectNothing();
    assert.match(stdout, /^ +app +.*\+ network/m);
    assert.match(stdout, /^ +github +\+ payments$/m);
    assert.deepEqual(pairs(), ['ws-2 < ws-1', 'ws-2 < ws-3']);
    const [made] = world.service.snapshot().oauthClients;
    assert.deepEqual([made?.projectIds, made?.agentPoolId], [['prj-1'], 'apool-1']);
    assert.deepEqual(world.ledger.names, {
      'agentPool/dmz': 'apool-1',
      'project/payments': 'prj-1',
      'workspace/app': 'ws-2',
      'workspace/dns': 'ws-3',
      'workspace/network': 'ws-1',
    });
  });

  it('are checked offline but for what they mean', async () => {
    write(`aliases: { workspaces: { network: ws-1 } }\n${triggers}`);
    await world.expect(0, ['validate'], { env: { TETHER_ADDRESS: '', TETHER_TOKEN: '' } });
    write(`aliases: { workspaces: { netwrok: ws-1 } }\n${triggers}`);
    const { stdout } = await world.expect(1, ['validate']);
    assert.match(
      stdout,
      /main\.tether\.yaml:6:\d+ .*near-alias\n.*did you mean `netwrok`\?.*`\{ name: network \}`/,
    );
    assert.deepEqual(world.service.requests(), []);
  });

  it('give way to an alias, but not to `{ name: … }` and `{ id: … }`', async () => {
    write(
      'aliases: { workspaces: { old: ws-4 } }\nrunTriggers:\n' +
        '  - { target: old, source: { name: network } }\n' +
        '  - { target: { name: app (old) }, source: { id: ws-2 } }\n' +
        '  - { source: { id: ws-3 }, targets: [{ name: app }, { id: ws-1 }] }\n',
    );
    const { stdout } = await world.applyAndExpectNothing();
    assert.match(stdout, /^ +old +\+ network/m);
    assert.match(stdout, /^ +old .*\+ (ws-2|app)/m);
    assert.deepEqual(pairs(), ['ws-1 < ws-3', 'ws-2 < ws-3', 'ws-4 < ws-1', 'ws-4 < ws-2']);
  });

  const forms: readonly [string, string, RegExp][] = [
    ['no form at all', '{}', /takes one of `\{ id: … \}` and `\{ name: … \}`/],
    ['both forms', '{ id: ws-1, name: app }', /takes one of/],
    ['an unknown form', '{ nmae: app }', /unknown key `nmae`.*did you mean `name`/],
    ['an id of another kind', '{ id: prj-1 }', /`prj-1` is the id of a project/],
    ['no name', '{ name: "" }', /is empty/],
    ['a name that is a list', '{ name: [a] }', /must be a string, not a list/],
  ];
  for (const [what, form, message] of forms) {
    it(`are refused with ${what}`, async () => {
      write(`runTriggers: [{ target: app, source: ${form} }]\n`);
      const { stdout } = await world.expect(1, ['validate']);
      assert.match(stdout, message);
    });
  }

  it('that an alias has for another workspace are an error, which repoints no line', async () => {
    write(`aliases: { workspaces: { app: ws-3 } }\nrunTriggers: [{ target: app, source: network }]\n`);
    await world.expect(0, ['validate']);
    const { stderr } = await world.expect(1, ['plan']);
    assert.match(
      stderr,
      /main\.tether\.yaml:4:26 .*alias-of-another\n.*ws-3 here, but ws-2 is the workspace with this name/,
    );
  });

  it('that make two lines of one pair are told as with ids', async () => {
    write('runTriggers:\n  - { target: app, source: dns }\n  - { target: ws-2, source: { id: ws-3 } }\n');
    await world.expect(0, ['validate']);
    const { stderr } = await world.expect(1, ['plan']);
    assert.match(
      stderr,
      /same-link-twice\n.*RunTrigger\/ws-2\/ws-3 is declared twice \(first at main\.tether\.yaml:5:5\)/,
    );
  });

  it('that are missing are unknown, and their sets delete nothing', async () => {
    write(triggers);
    await world.applyAndExpectNothing();
    await world.somebody.runTriggers.create('ws-2', 'ws-4');
    write(triggers.replace('dns', 'dsn'));
    const plan = await expectNothingDone();
    assert.match(
      plan,
      /workspace\/dsn .*main\.tether\.yaml:5:\d+: no workspace that this token can see is called so \(it may be there unseen: .*\): did you mean `dns`\?/,
    );
    assert.match(plan, /RunTrigger\/app\/dsn .*it waits: workspace\/dsn is not known/);
    assert.doesNotMatch(plan, /to delete/);
    assert.deepEqual(Object.keys(world.ledger.names ?? {}).sort(), [
      'workspace/app',
      'workspace/dns',
      'workspace/network',
    ]);
  });

  it('that are missing as the fixed end of a set are unknown, also without members', async () => {
    write('runTriggers: [{ target: nowhere, sources: [] }]\n');
    assert.match(await expectNothingDone(), /the sources of nowhere .*workspace\/nowhere is not known/);
  });

  it('that are missing hold back deletes of their kind, but for links whose ends the ledger knows by other names', async () => {
    write(
      `${triggers}  - { target: { id: ws-4 }, source: { id: ws-3 } }\n  - { target: dns, source: network }\n`,
    );
    await world.applyAndExpectNothing();
    write(`runTriggers: [{ target: nowhere, source: app }]\n`);
    const { stdout } = await world.expect(1, ['plan', '--max-deletes', '9']);
    assert.match(stdout, /^ +app .*- network rt-/m);
    assert.match(stdout, /^ +dns +- network rt-/m);
    assert.match(
      stdout,
      /\? RunTrigger\/ws-4\/dns .*it waits: workspace\/nowhere is not known, and may be meant here/,
    );
    await world.expect(1, ['apply', '--yes', '--max-deletes', '9']);
    assert.deepEqual(pairs(), ['ws-4 < ws-3']);
  });

  it('that are missing hold back what a set with other members would delete', async () => {
    await world.somebody.runTriggers.create('ws-2', 'ws-4');
    write(`${triggers}  - { target: dns, source: nowhere }\n`);
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /RunTrigger\/app\/ws-4 .*may be meant here/);
    assert.deepEqual(pairs(), ['ws-2 < ws-1', 'ws-2 < ws-3', 'ws-2 < ws-4']);
  });

  it('that are missing at a client leave it and its attachments alone', async () => {
    write(client);
    await world.applyAndExpectNothing();
    write(client.replace('dmz', 'nowhere').replace('[payments]', '[search]'));
    const plan = await expectNothingDone();
    assert.match(plan, /OAuthClient\/github .*it waits: agentPool\/nowhere is not known/);
    assert.deepEqual(world.service.snapshot().oauthClients[0]?.projectIds, ['prj-1']);
    write(client.replace('payments', 'paymets'));
    assert.match(await expectNothingDone(), /project\/paymets .*did you mean `payments`\?/);
  });

  it('that are twice in the answer are unknown, with both ids', async () => {
    write(`${triggers}  - { target: { name: app (old) }, source: network }\n`);
    await world.applyAndExpectNothing();
    rename('ws-4', 'dns');
    write('runTriggers: [{ target: app, sources: [network] }, { target: app, source: dns }]\n');
    await world.expect(1, ['validate']);
    write('runTriggers: [{ target: app, sources: [network] }, { target: network, source: dns }]\n');
    const plan = await expectNothingDone();
    assert.match(plan, /2 workspaces are called so: write `ws-3` or `ws-4`/);
    assert.match(
      plan,
      /RunTrigger\/app\/dns, RunTrigger\/app \(old\)\/network\n +it waits: workspace\/dns is not known, and may be meant here/,
    );
    // The ledger knows ws-4 by another name, but this look shows that it may be meant.
  });

  it('that cannot be listed are unknown, while ids and aliases work', async () => {
    write(triggers);
    await world.applyAndExpectNothing();
    const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
    world.service.fault({ ...list, how: 'status', status: 404, probability: 1 });
    const plan = await expectNothingDone();
    assert.match(plan, /the list of workspaces is not found, or the token may not read it/);
    write('aliases: { workspaces: { app: ws-2 } }\nrunTriggers: [{ target: app, sources: [ws-1, ws-3] }]\n');
    await world.expect(0, ['plan']);
  });

  it('follow a workspace that was renamed outside, which changes nothing', async () => {
    write(triggers);
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    const { stdout, stderr } = await world.applyAndExpectNothing();
    assert.match(
      stderr,
      /main\.tether\.yaml:5:\d+ .*renamed-there\n.*`app` \(ws-2\) is called `app-prod` now: nothing changes/,
    );
    assert.match(stdout, /No changes/);
    await world.expect(0, ['drift']);
    write(triggers.replace('app', 'app-prod'));
    await world.applyAndExpectNothing();
    assert.deepEqual(world.ledger.names?.['workspace/app-prod'], 'ws-2');
    assert.equal(world.ledger.names?.['workspace/app'], undefined);
  });

  it('that mean another id since the last apply are unknown, with both ids', async () => {
    write(triggers);
    await world.applyAndExpectNothing();
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    world.writes();
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(
      stdout,
      /workspace\/app +main\.tether\.yaml:5:\d+: it was ws-2 at the last apply, and is ws-4 now \(ws-2 is called `app-prod`\): write `ws-2` or `ws-4`/,
    );
    assert.deepEqual([world.writes(), pairs()], [[], ['ws-2 < ws-1', 'ws-2 < ws-3']]);
    write(triggers.replace('target: app', 'target: { id: ws-2 }'));
    await world.applyAndExpectNothing();
    write(triggers.replace('target: app', 'target: { id: ws-4 }'));
    await world.applyAndExpectNothing(['--max-deletes', '9']);
    assert.deepEqual(pairs(), ['ws-4 < ws-1', 'ws-4 < ws-3']);
    write(triggers);
    await world.applyAndExpectNothing();
  });

  it('are unknown so for an exact set without members too', async () => {
    write('runTriggers: [{ target: app, sources: [] }]\n');
    await world.applyAndExpectNothing();
    assert.deepEqual(world.ledger.names, { 'workspace/app': 'ws-2' });
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    await world.somebody.runTriggers.create('ws-4', 'ws-1');
    await world.expect(1, ['apply', '--yes']);
    assert.deepEqual(pairs(), ['ws-4 < ws-1']);
  });

  it('are known to the next run though this one was killed right after it began', async () => {
    write(triggers);
    world.service.fault({
      method: 'POST',
      route: '/workspaces/:workspace_id/run-triggers',
      how: 'status',
      status: 422,
      probability: 1,
    });
    await world.expect(1, ['apply', '--yes']);
    world.service.clearFaults();
    assert.equal(world.ledger.names?.['workspace/app'], 'ws-2');
    rename('ws-2', 'app-prod');
    rename('ws-4', 'app');
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.equal(pairs().length, 0, stdout);
  });

  it('are looked up once a run, in the fewest calls', async () => {
    const many = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`ws-n${index}`, { name: `n${index}x` }]),
      );
    world.service.patchSeed({ organizations: { acme: { workspaces: many(996) } } });
    const links = (count: number) =>
      `runTriggers: [{ target: app, sources: [${Array.from({ length: count }, (_, index) => `n${index * 3}x`)}] }]\n`;
    const counts: number[] = [];
    for (const [names, most] of [
      [0, 1],
      [2, 4],
      // One more than pages follow the first: a search for each would be a call more than all of them.
      [9, 10],
      [18, 10],
    ] as const) {
      write(names === 0 ? 'runTriggers: [{ target: app, sources: [] }]\n' : links(names));
      lookups();
      await world.expect(0, ['plan']);
      const { length } = lookups();
      counts.push(length);
      assert.ok(length <= most, `${names + 1} names: ${length} calls`);
    }
    world.write(
      'more.tether.yaml',
      `${head}runTriggers:\n${Array.from({ length: 300 }, (_, index) => `  - { target: n${index}x, source: dns }\n`).join('')}`,
    );
    lookups();
    await world.expect(0, ['plan']);
    assert.deepEqual(lookups(), new Array(10).fill('workspaces'));
    write('runTriggers: [{ target: ws-2, source: ws-1 }]\n');
    world.remove('more.tether.yaml');
    await world.expect(0, ['plan']);
    assert.deepEqual(lookups(), []);
  });

  it('spell an address alike everywhere', async () => {
    write(`${triggers}  - { target: { name: app (old) }, source: network }\n`);
    await world.applyAndExpectNothing();
    const address = 'RunTrigger/app (old)/network';
    const shown = await world.expect(0, ['show', '--only', address]);
    assert.match(shown.stdout, /^RunTrigger\/app \(old\)\/network$/m);
    const ledger = await world.expect(0, ['ledger', 'show'], {
      env: { TETHER_ADDRESS: '', TETHER_TOKEN: '' },
    });
    assert.match(ledger.stdout, /^ {2}RunTrigger\/app \(old\)\/network {2}rt-/m);
    await world.somebody.runTriggers.delete(
      world.service.snapshot().runTriggers.find(({ workspaceId }) => workspaceId === 'ws-4')?.id ?? '',
    );
    assert.match((await world.expect(2, ['drift'])).stdout, /^ +"app \(old\)" +- network rt-\w+ \(gone/m);
    await world.expect(0, ['apply', '--yes']);
    write(`${triggers}forget: [${address}]\n`);
    assert.match((await world.expect(0, ['plan'])).stdout, /^ +"app \(old\)" +∅ network .*forget/m);
    await world.expect(0, ['apply', '--yes']);
    assert.deepEqual(pairs(), ['ws-2 < ws-1', 'ws-2 < ws-3', 'ws-4 < ws-1']);
  });

  it('are an error in a `forget` line where nobody knows them', async () => {
    write(triggers);
    await world.applyAndExpectNothing();
    write('runTriggers: []\nforget: [RunTrigger/app/dsn]\n');
    await world.expect(0, ['validate']);
    const { stderr } = await world.expect(1, ['plan']);
    assert.match(
      stderr,
      /main\.tether\.yaml:5:\d+ .*unknown-name\n.*`dsn` must be known here: no workspace .* called so .*: did you mean `dns`\?/,
    );
  });
});
