/** Failures: lost answers, kills, refusals, Ctrl-C, locks and ledgers (scenarios 40 to 51). */
import assert from 'node:assert/strict';
import { Gateway, type Passing } from '../../model/gateway';
import { ownerToken } from '../../model/organization';
import { startTether, until } from '../../support/background';
import type { Ended } from '../../support/run-process';
import { acme, github, head, World } from '../../support/world';

const createClient = { method: 'POST', route: '/organizations/:organization_name/oauth-clients' } as const;
const updateClient = { method: 'PATCH', route: '/oauth-clients/:id' } as const;
const createTrigger = { method: 'POST', route: '/workspaces/:workspace_id/run-triggers' } as const;

const oneTrigger = 'runTriggers:\n  - { target: app, source: network }\n';
const manyTriggers = `runTriggers:\n${['network', 'dns', 'jobs', 'web', 'docs'].map((source) => `  - { target: app, source: ${source} }\n`).join('')}`;

describe('failures', () => {
  // Many processes, and machines of pipelines are slow.
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  function names(): (string | null)[] {
    return world.service.snapshot().oauthClients.map((one) => one.name);
  }

  function start(args: readonly string[]) {
    // What a killed program left, the program takes up.
    world.writesIn = 'a process';
    return startTether(args, { cwd: world.folder, env: world.env });
  }

  /** Starts an apply and kills it as soon as the service has done what the slow answer belongs to. */
  async function applyAndKill(slow: { method: string; route: string }, done: () => boolean): Promise<void> {
    world.service.fault({ ...slow, how: 'slow', ms: 3_600_000, nth: 1 });
    const running = start(['apply', '--yes']);
    await until(`${slow.method} ${slow.route} is done`, done);
    running.signal('SIGKILL');
    await running.ended;
    world.service.clearFaults();
  }

  for (const how of ['reset-before', 'reset-after'] as const) {
    it(`scenario 40: the answer of a client's POST is lost (${how}), and exactly one is there`, async () => {
      world.write('main.tether.yaml', head + github);
      world.service.fault({ ...createClient, how, nth: 1 });
      await world.applyAndExpectNothing();
      assert.deepEqual(names(), ['GitHub']);
    });
  }

  it('scenario 41: killed after that POST, the next apply goes on by the journal', async () => {
    world.write('main.tether.yaml', head + github);
    await applyAndKill(createClient, () => names().length === 1);
    assert.match(names()[0] ?? '', /^tether-pending-/);
    assert.ok(world.has('tether.ledger.json.journal'));
    const [before] = world.service.snapshot().oauthClients;
    await world.applyAndExpectNothing();
    assert.deepEqual(names(), ['GitHub']);
    assert.equal(world.service.snapshot().oauthClients[0]?.id, before?.id);
    assert.ok(!world.has('tether.ledger.json.journal') && !world.has('tether.ledger.json.lock'));
  });

  it('scenario 42: killed there and the ledger lost too, the next plan names what was left and both ways out', async () => {
    world.write('main.tether.yaml', head + github);
    await applyAndKill(createClient, () => names().length === 1);
    const [left] = world.service.snapshot().oauthClients;
    for (const suffix of ['', '.journal', '.lock']) world.remove(`tether.ledger.json${suffix}`);
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /! OAuthClient\/github/);
    assert.ok(stdout.includes(left?.name ?? '?') && stdout.includes(left?.id ?? '?'), stdout);
    assert.match(stdout, /adopt it with `id: oc-[^`]*`, or delete it in the service/);
    assert.doesNotMatch(stdout, /\+ OAuthClient/);
  });

  it('scenario 42: what is adopted gets its secret by --write-secrets where the service takes it in an update', async () => {
    world.write('main.tether.yaml', `${head}${github}    secret: { fromEnv: GIT_TOKEN }\n`);
    await applyAndKill(createClient, () => names().length === 1);
    for (const suffix of ['', '.journal', '.lock']) world.remove(`tether.ledger.json${suffix}`);
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(
      stdout,
      /adopt it with `id: oc-[^`]*` and write its secrets with --write-secrets, or delete it/,
    );
  });

  it('scenario 43: killed after the rename and the ledger lost, the next plan sees a look-alike', async () => {
    world.write('main.tether.yaml', head + github);
    await applyAndKill(updateClient, () => names()[0] === 'GitHub');
    for (const suffix of ['', '.journal', '.lock']) world.remove(`tether.ledger.json${suffix}`);
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /! OAuthClient\/github[\s\S]*id: oc-[\s\S]*allowDuplicate: true/);
    assert.doesNotMatch(stdout, /\+ OAuthClient/);
  });

  it('names the line of the one project in a list that the service refuses, and attaches the others', async () => {
    const projects =
      '    organizationScoped: false\n    projects:\n      - payments\n      - prj-nope\n      - search\n';
    world.write('main.tether.yaml', `${head}${github}${projects}`);
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(
      stdout,
      /ProjectAttachment\/github\/prj-nope\s+POST .*422.*there is no project "prj-nope".* \(main\.tether\.yaml:17:9\)\n/,
    );
    const [client] = world.service.snapshot().oauthClients;
    assert.deepEqual(client?.projectIds, ['prj-payments', 'prj-search']);
  });

  for (const answer of ['422', '409']) {
    it(`scenario 44: the answer of a trigger's POST is lost, and a retry that says ${answer} is no error`, async () => {
      await world.close();
      world = await World.start(acme, { behaviours: { 'duplicate-trigger': answer } });
      world.write('main.tether.yaml', head + oneTrigger);
      world.service.fault({ ...createTrigger, how: 'reset-after', nth: 1 });
      await world.applyAndExpectNothing();
      assert.equal(world.service.snapshot().runTriggers.length, 1);
    });
  }

  it('scenario 45: one step of many fails: what needs it is blocked, the rest is done, and later only that is left', async () => {
    const lab = github.replace('oauthClients:\n', '').replace('github', 'lab').replace('GitHub', 'Lab');
    const links =
      'projectAttachments:\n  - { oauthClient: github, project: payments }\n  - { oauthClient: lab, project: search }\n';
    world.write('main.tether.yaml', head + github + lab + links + manyTriggers);
    world.service.fault({ ...createClient, how: 'status', status: 422, nth: 2 });
    const failed = await world.expect(1, ['apply', '--yes']);
    assert.match(
      failed.stdout,
      /Failed:\n {4}✖ create OAuthClient\/\w+ .*422[\s\S]*Blocked[\s\S]*create ProjectAttachment/,
    );
    assert.match(
      failed.stdout,
      /^Apply: 7 done, 1 failed, 1 blocked\. The service refused 1 step and will again: change the manifest/m,
    );
    assert.equal(Object.keys(world.ledger.objects).length, 7);
    world.service.clearFaults();
    assert.match((await world.expect(0, ['plan'])).stdout, /^Plan: 2 to create, 7 unchanged/m);
    await world.applyAndExpectNothing();
    assert.deepEqual(names().sort(), ['GitHub', 'Lab']);
  });

  it('scenario 46: Ctrl-C lets calls in flight finish and be recorded; apply goes on from there', async () => {
    world.write('main.tether.yaml', head + manyTriggers);
    const triggers = () => world.service.snapshot().runTriggers;
    world.service.fault({ ...createTrigger, how: 'slow', ms: 1_500 });
    const running = start(['apply', '--yes']);
    await until('the first trigger is there', () => triggers().length > 0);
    running.signal('SIGINT');
    const ended = await running.ended;
    world.service.clearFaults();
    assert.equal(ended.code, 130, ended.stderr);
    assert.match(ended.stdout, /^Interrupted: \d done, \d not tried\. Run apply again to finish\.$/m);
    const there = triggers().map((one) => one.id);
    assert.ok(there.length > 0 && there.length < 5);
    const recorded = Object.values(world.ledger.objects).map((one) => one.id);
    assert.deepEqual([...recorded].sort(), [...there].sort());
    await world.applyAndExpectNothing();
    assert.equal(triggers().length, 5);
  });

  it('scenario 46: Ctrl-C while planning ends at once, with nothing changed', async () => {
    world.write('main.tether.yaml', head + manyTriggers);
    world.service.fault({ method: 'GET', how: 'slow', ms: 3_600_000 });
    const running = start(['apply', '--yes']);
    await until('it reads', () => world.has('tether.ledger.json.lock'));
    running.signal('SIGINT');
    const ended = await running.ended;
    assert.equal(ended.code, 130, ended.stderr);
    assert.match(ended.stderr, /interrupted; nothing was changed/);
    assert.ok(!world.has('tether.ledger.json') && !world.has('tether.ledger.json.lock'));
  });

  const trouble = [
    ['429 with Retry-After', { how: 'status', status: 429, headers: { 'retry-after': '1' }, times: 2 }],
    ['429 without Retry-After', { how: 'status', status: 429, times: 2 }],
    ['503', { how: 'status', status: 503, method: 'GET', times: 2 }],
    ['resets', { how: 'reset-before', method: 'GET', times: 2 }],
  ] as const;
  for (const [name, fault] of trouble) {
    it(`scenario 47: ${name} is waited out, said on stderr, and changes nothing in the result`, async () => {
      world.write('main.tether.yaml', head + github + oneTrigger);
      world.service.fault(fault);
      const { stderr } = await world.applyAndExpectNothing();
      assert.match(stderr, /(waiting|trying again in) \d+\.\d s/);
      assert.deepEqual(names(), ['GitHub']);
      assert.equal(world.service.snapshot().runTriggers.length, 1);
    });
  }

  it('scenario 48: of three projects one is unknown: it is named, the others are attached', async () => {
    const lines = ['payments', 'prj-nowhere', 'search'].map(
      (project) => `  - { oauthClient: github, project: ${project} }\n`,
    );
    world.write('main.tether.yaml', `${head}${github}projectAttachments:\n${lines.join('')}`);
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /✖ create ProjectAttachment\/github\/prj-nowhere {2}POST /);
    assert.match(stdout, /^Apply: 3 done, 1 failed/m);
    assert.deepEqual([...(world.service.snapshot().oauthClients[0]?.projectIds ?? [])].sort(), [
      'prj-payments',
      'prj-search',
    ]);
  });

  it('a set with one that fails lets none of those go that it does not list any more', async () => {
    const projects = (list: string) => `${head}${github}    projects: [${list}]\n`;
    const attached = () => world.service.snapshot().oauthClients[0]?.projectIds;
    world.write('main.tether.yaml', projects('payments'));
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', projects('prj-nowhere'));
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /^Apply: 0 done, 1 failed, 1 blocked/m);
    assert.deepEqual(attached(), ['prj-payments']);
    world.write('main.tether.yaml', projects('search'));
    await world.applyAndExpectNothing();
    assert.deepEqual(attached(), ['prj-search']);
  });

  it('a set with one that cannot be seen lets none of those go that it does not list any more', async () => {
    const set = (source: string) => `${head}runTriggers: [{ target: app, sources: [${source}] }]\n`;
    const sources = () => world.service.snapshot().runTriggers.map((one) => one.sourceableId);
    world.write('main.tether.yaml', set('network'));
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', set('ws-netwrok'));
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(
      stdout,
      /RunTrigger\/app\/network.* it goes once RunTrigger\/app\/ws-netwrok, which they list/,
    );
    assert.deepEqual(sources(), ['ws-network']);
    world.write('main.tether.yaml', set('dns'));
    await world.applyAndExpectNothing();
    assert.deepEqual(sources(), ['ws-dns']);
  });

  it('scenario 49: a second apply says who holds the lock since when, or waits with --lock-timeout', async () => {
    world.write('main.tether.yaml', head + oneTrigger);
    let first: Promise<Ended> | undefined;
    let answer = (_: boolean): void => {};
    const asked = new Promise<void>((reached) => {
      const ask = () => {
        reached();
        return new Promise<boolean>((resolve) => {
          answer = resolve;
        });
      };
      first = world.here(['apply'], { ask });
    });
    await asked;
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /locked by tether apply.*since \d{4}-\d{2}-\d{2}/);
    const waiting = start(['apply', '--yes', '--lock-timeout', '60']);
    await until('it waits', () => waiting.stderr().includes("Waiting for the ledger's lock"));
    answer(true);
    assert.equal((await first)?.code, 0);
    const second = await waiting.ended;
    assert.equal(second.code, 0);
    assert.match(second.stdout, /No changes/);
  });

  it('scenario 49: the lock of a dead holder on this host is taken over, with a note', async () => {
    world.write('main.tether.yaml', head + oneTrigger);
    await applyAndKill(createTrigger, () => world.service.snapshot().runTriggers.length === 1);
    assert.ok(world.has('tether.ledger.json.lock'));
    const { stderr } = await world.applyAndExpectNothing();
    assert.match(stderr, /Removed a stale lock \(tether apply, process \d+/);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });

  const ledgers: readonly (readonly [string, (text: string) => string, RegExp])[] = [
    ['of another organization', (text) => text.replaceAll('acme', 'other'), /ledger.*other|other.*ledger/],
    ['corrupt', (text) => text.replace('"objects"', '"objekts"'), /tether\.ledger\.json/],
    ['half written', (text) => text.slice(0, text.length / 2), /tether\.ledger\.json/],
    ['newer', (text) => text.replace('"version": 1', '"version": 2'), /version 2|newer|later/],
  ];
  for (const [name, spoil, message] of ledgers) {
    it(`scenario 51: a ledger that is ${name} stops every command, untouched`, async () => {
      world.write('main.tether.yaml', head + oneTrigger);
      await world.applyAndExpectNothing();
      const spoiled = spoil(world.read('tether.ledger.json'));
      assert.notEqual(spoiled, world.read('tether.ledger.json'));
      world.write('tether.ledger.json', spoiled);
      world.writes();
      for (const args of [['plan'], ['drift'], ['apply', '--yes']]) {
        const { stderr } = await world.expect(1, args);
        assert.match(stderr, message);
        assert.doesNotMatch(stderr, /this is a bug/i);
      }
      assert.equal(world.read('tether.ledger.json'), spoiled);
      assert.deepEqual(world.writes(), []);
    });
  }

  describe('behind a gateway that lies about a create', () => {
    let gateway: Gateway;
    beforeEach(async () => {
      gateway = await Gateway.open(world.service.url);
      world.service.patchSeed({ tokens: { [ownerToken]: { acme: 'owner' } } });
      world.write('main.tether.yaml', head + github);
    });
    afterEach(() => gateway.close());

    const through = () => ({ env: { TETHER_ADDRESS: gateway.url } });
    const isCreate = ({ method, path }: Passing) => method === 'POST' && path.endsWith('/oauth-clients');

    for (const status of [404, 422]) {
      it(`scenario 82: one that was answered with ${status} and carried out is gone on with by the next apply`, async () => {
        gateway.interfere = (passing) => (isCreate(passing) ? { do: 'claim', status } : { do: 'pass' });
        const { stderr } = await world.expect(1, ['apply', '--yes'], through());
        const [left] = world.service.snapshot().oauthClients;
        assert.match(stderr, new RegExp(`Yet ${left?.id} was made`, 'u'));
        gateway.clear();
        await world.applyAndExpectNothing([], through());
        const there = world.service.snapshot().oauthClients.map(({ id, name }) => [id, name]);
        assert.deepEqual(there, [[left?.id, 'GitHub']]);
      });
    }

    it('scenario 83: one whose answer names what the list already showed fails, and writes nothing to that', async () => {
      const provider = { serviceProvider: 'provider_a', httpUrl: 'https://a.b', apiUrl: 'https://a.b/api' };
      const { id } = await world.somebody.oauthClients.create('acme', { ...provider, name: 'Theirs' });
      const read = await fetch(`${world.service.url}/oauth-clients/${id}`, {
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/vnd.api+json' },
      });
      const body: unknown = await read.json();
      world.service.clearRequests();
      gateway.interfere = (passing) =>
        isCreate(passing) ? { do: 'answer', status: 201, body } : { do: 'pass' };
      const { stderr } = await world.expect(1, ['apply', '--yes'], through());
      assert.match(stderr, new RegExp(`with ${id}, which was there before: nothing was written to it`, 'u'));
      assert.deepEqual(world.writes(), []);
      gateway.clear();
      await world.applyAndExpectNothing([], through());
      const there = world.service.snapshot().oauthClients.map(({ name }) => name);
      assert.deepEqual(there, ['Theirs', 'GitHub']);
    });
  });
});
