/** With `-v` each command ends with the number of requests that it sent: what the service logged. */
import assert from 'node:assert/strict';
import { acme, github, head, World } from '../support/world';

const links = 'runTriggers: [{ target: app, source: network }, { target: app, source: dns }]\n';
const attached = `${github}    projects: [payments]\n`;

describe('the total at the end of -v', () => {
  let world: World;
  afterEach(() => world.close());

  /** Runs it, and holds its last line against what the service was asked. */
  async function counted(code: number, ...args: readonly string[]) {
    world.service.clearRequests();
    const { stderr } = await world.expect(code, [...args, '-v']);
    const total = stderr.trimEnd().split('\n').at(-1) ?? '';
    const requests = world.service.requests();
    const { length: reads } = requests.filter(({ method }) => method === 'GET');
    const writes = requests.length - reads;
    const texts = [`${requests.length} request`, `${reads} GET`, `${writes} write`];
    assert.equal(total.replace(/s\b/g, ''), `${texts[0]} in all: ${texts[1]}, ${texts[2]}`, stderr);
    const planned = [...stderr.matchAll(/^Plan: .*?: (\d+) request/gm)].map(([, count]) => Number(count));
    assert.doesNotMatch(stderr, /^\d+ lists? needed/m);
    return { reads, writes, planned, lines: stderr.match(/ in all: /g)?.length };
  }

  for (const [profile, provider] of Object.entries({ default: 'provider_a', 'hcp-terraform': 'github' })) {
    it(`is what was sent: ${profile}`, async () => {
      world = await World.start(acme, { profile });
      world.write(
        'main.tether.yaml',
        `${head}profile: ${profile}\n${attached.replace('provider_a', provider)}${links}`,
      );
      const first = await counted(0, 'plan');
      assert.deepEqual([first.planned, first.writes], [[first.reads], 0]);
      const applied = await counted(0, 'apply', '--yes');
      assert.deepEqual([applied.planned, applied.writes], [[first.reads], 4]);
      const again = await counted(0, 'plan', '--detailed-exitcode');
      assert.deepEqual(again.planned, [again.reads]);
      await world.somebody.runTriggers.create('ws-web', 'ws-app');
      const drift = await counted(0, 'drift');
      assert.ok(drift.reads > again.reads);
      assert.deepEqual(drift.planned, []);
      assert.deepEqual((await counted(0, 'show')).planned, []);
      const taken = await counted(0, 'export');
      assert.deepEqual([taken.planned, taken.writes], [[], 0]);
      assert.ok(taken.reads > 0);
      await world.expect(0, ['plan', '--detailed-exitcode']);
      await world.approve(['destroy', '--yes']);
      const destroyed = await counted(0, 'destroy', '--yes');
      assert.equal(destroyed.planned.length, 1);
      assert.equal(destroyed.writes, 4);
      assert.equal((await counted(0, 'plan')).lines, 1);
    });
  }

  it('counts what is sent again, and stands below the error of a command that fails', async () => {
    world = await World.start();
    world.write('main.tether.yaml', head + links);
    world.service.fault({ how: 'status', status: 429, headers: { 'retry-after': '0' }, nth: 1 });
    const { reads, planned } = await counted(0, 'plan');
    assert.deepEqual([planned, reads], [[1], 2]);
    world.service.fault({ how: 'status', status: 403 });
    assert.deepEqual((await counted(1, 'apply', '--yes')).writes, 0);
  });

  it('is not printed where Ctrl-C gave up reads: what is in flight is not counted yet', async () => {
    world = await World.start();
    world.write('main.tether.yaml', head + links);
    const stop = new AbortController();
    const onStderr = (text: string) => {
      if (text.startsWith('GET ')) stop.abort();
    };
    const { code, stderr } = await world.here(['plan', '-v'], { signal: stop.signal, onStderr });
    assert.equal(code, 130);
    assert.doesNotMatch(stderr, / in all: /);
  });

  it('is not printed without -v, nor where nothing is asked of a service', async () => {
    world = await World.start();
    world.write('main.tether.yaml', head + links);
    const { stderr } = await world.expect(0, ['plan']);
    const offline = await world.expect(0, ['validate', '-v']);
    assert.doesNotMatch(stderr + offline.stderr, / in all: /);
    const { stderr: none } = await world.expect(1, ['show', '-v', '--json']);
    assert.match(none, /in all: \d+ GET, 0 writes\n$/);
  });
});
