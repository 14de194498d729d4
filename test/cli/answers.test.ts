/** What a person is asked and can give: questions, the plan that is looked at once more, and files that cannot be written. */
import assert from 'node:assert/strict';
import { github, head, World } from '../support/world';

describe('a person at the terminal', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
  });
  afterEach(() => world.close());

  it('is asked before anything is destroyed, and a no changes nothing', async () => {
    await world.applyAndExpectNothing();
    world.writes();
    const asked: string[] = [];
    const answering = (answer: boolean) => ({
      ask: async (question: string) => {
        asked.push(question);
        return answer;
      },
    });
    const no = await world.here(['destroy'], answering(false));
    assert.equal(no.code, 1);
    assert.match(no.stderr, /Not applied; nothing was changed\./);
    assert.deepEqual(world.writes(), []);
    assert.equal((await world.here(['destroy'], answering(true))).code, 0);
    assert.deepEqual(asked, ['Destroy all of this?', 'Destroy all of this?']);
    assert.deepEqual(world.service.snapshot().runTriggers, []);
  });

  it('who answers after a while gets what was shown, when it still is true', async () => {
    let clock = Date.now();
    const ended = await world.here(['apply'], {
      now: () => clock,
      ask: async () => {
        clock += 31_000;
        return true;
      },
    });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
  });

  it('who answers at once gets what was shown without another look, however long planning took', async () => {
    const { service } = world;
    const lists = async (ms: number) => {
      world.writes();
      const ended = await world.here(['apply'], {
        now: () => (service.requests().length > 0 ? ms : 0),
        ask: async () => true,
      });
      assert.equal(ended.code, 0, ended.stderr);
      return service.requests().filter(({ method }) => method === 'GET').length;
    };
    await lists(0);
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: dns }\n`);
    world.writes();
    await world.expect(0, ['plan']);
    const planned = service.requests().filter(({ method }) => method === 'GET').length;
    assert.equal(await lists(31_000), planned);
  });

  it('nobody who said --yes beforehand waits for another look, however long it takes to show the plan', async () => {
    let clock = 0;
    const ended = await world.here(['apply', '--yes'], { now: () => (clock += 31_000) });
    assert.equal(ended.code, 0, ended.stderr);
    const lists = world.service
      .requests()
      .filter(({ method }) => method === 'GET')
      .map(({ url }) => url);
    assert.equal(new Set(lists).size, lists.length);
  });

  it('who leaves at the question has changed nothing', async () => {
    const ended = await world.here(['apply'], { ask: () => Promise.reject(new Error('closed')) });
    assert.deepEqual([ended.code, world.writes()], [130, []]);
    assert.match(ended.stderr, /interrupted; nothing was changed/);
  });

  it('who stops an apply while it runs gets 130, whatever was done', async () => {
    const stop = new AbortController();
    world.write(
      'main.tether.yaml',
      `${head}${github}runTriggers:\n  - { target: app, sources: [network, dns] }\n`,
    );
    world.service.fault({ method: 'POST', how: 'slow', ms: 200, times: 1 });
    const running = world.here(['apply', '--yes'], { signal: stop.signal });
    const stopping = setInterval(() => {
      if (world.service.requests().some((one) => one.method === 'POST')) stop.abort();
    }, 5);
    const ended = await running;
    clearInterval(stopping);
    assert.equal(ended.code, 130, ended.stdout);
    assert.match(ended.stdout, /^Interrupted: /m);
    await world.applyAndExpectNothing();
  });

  it('who has nothing to apply but something that cannot be seen gets 1', async () => {
    await world.applyAndExpectNothing();
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: true } } } });
    const ended = await world.here(['apply', '--yes'], { env: { TETHER_TOKEN: 'less' } });
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /^Plan: 1 unknown\.$/m);
  });

  it('who looks for drift gets 1 while an entry has a problem, for nobody can tell what is there', async () => {
    await world.applyAndExpectNothing();
    await world.somebody.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      name: 'GitHub',
    });
    world.write('more.tether.yaml', `apiVersion: tether/v1\norganization: acme\n${github}`);
    const { stdout } = await world.expect(1, ['drift']);
    assert.match(stdout, /^Drift: 1 problem\.$/m);
  });

  it('cannot overwrite a manifest or a ledger by a slip', async () => {
    for (const file of ['main.tether.yaml', 'tether.ledger.json', 'tether.ledger.json.journal']) {
      const refused = await world.expect(1, ['plan', '--report', `json=${file}`]);
      assert.match(refused.stderr, /would overwrite a manifest or a ledger/);
    }
  });

  it('hears of every secret that is missing, at once', async () => {
    const client = (name: string) => github.replace('GIT_TOKEN', name);
    world.write('main.tether.yaml', `${head}${client('NO_TOKEN')}`);
    const other = client('NO_OTHER').replace('github:', 'hub:').replace('name: GitHub', 'name: Hub');
    world.write('more.tether.yaml', `apiVersion: tether/v1\n${other}`);
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /OAuthClient\/github oauthTokenString: .*NO_TOKEN is not set/);
    assert.match(stderr, /OAuthClient\/hub oauthTokenString: .*NO_OTHER is not set/);
    assert.deepEqual(world.writes(), []);
  });
});
