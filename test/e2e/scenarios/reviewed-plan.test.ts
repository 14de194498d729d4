/** A plan that is reviewed: its digest, `apply --expect`, and what its exit code tells a pipeline (scenarios 37, 50, 80, 86). */
import assert from 'node:assert/strict';
import { github, head, World } from '../../support/world';

const trigger = 'runTriggers:\n  - { target: app, source: network }\n';

describe('the digest of a reviewed plan', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', head + github + trigger);
  });
  afterEach(() => world.close());

  interface Document {
    readonly digest: string;
    readonly exitCode: number;
    readonly plan: { readonly steps: readonly unknown[] };
    readonly error?: { readonly message: string };
  }

  async function plannedDigest(): Promise<string> {
    const { stdout } = await world.here(['plan']);
    const [, digest] = /^Digest: ([0-9a-f]{16})$/m.exec(stdout) ?? [];
    assert.ok(digest, stdout);
    return digest;
  }

  async function refused(expected: string, shown: RegExp): Promise<string> {
    world.writes();
    const before = world.has('tether.ledger.json') ? world.read('tether.ledger.json') : null;
    const { stdout, stderr } = await world.expect(1, ['apply', '--yes', '--expect', expected]);
    assert.match(stderr, /^error: stale plan: the current plan does not have digest/);
    assert.match(stdout, shown);
    assert.deepEqual(world.writes(), []);
    assert.ok(!world.has('tether.ledger.json.lock'));
    assert.equal(world.has('tether.ledger.json') ? world.read('tether.ledger.json') : null, before);
    return stderr;
  }

  it('is the same in the text, in JSON, and planned a second time', async () => {
    const digest = await plannedDigest();
    const document = JSON.parse((await world.here(['plan', '--json'])).stdout) as Document;
    assert.equal(document.digest, digest);
    const once = JSON.parse(
      (await world.expect(0, ['apply', '--yes', '--expect', digest, '--json'])).stdout,
    ) as Document;
    assert.equal(once.digest, digest);
    assert.match((await world.here(['plan'])).stdout, /^No changes\./m);
  });

  it('scenario 50: applies once; the second time the plan is another, with nothing to do', async () => {
    const digest = await plannedDigest();
    await world.expect(0, ['apply', '--yes', '--expect', digest]);
    await refused(digest, /^No changes\./m);
    await world.expect(0, ['apply', '--expect', await plannedDigest()]);
  });

  for (const [name, forged] of [
    ['forged', '0123456789abcdef'],
    ['no digest at all', 'yes\u001b[2K'],
    ['empty, as from a variable that is not set', ''],
  ] as const) {
    it(`scenario 80: that is ${name} is refused, and the plan made now is shown`, async () => {
      const stderr = await refused(forged, /\+ github [\s\S]*^Plan: 2 to create/m);
      assert.ok(stderr.includes(`tether apply --expect ${await plannedDigest()}`), stderr);
      assert.ok(!stderr.includes('\u001b'));
    });
  }

  it('that is refused leaves one JSON document, with the plan made now', async () => {
    const { stdout } = await world.expect(1, ['apply', '--yes', '--expect', 'x', '--json']);
    const document = JSON.parse(stdout) as Document;
    assert.match(document.error?.message ?? '', /^stale plan/);
    assert.equal(document.exitCode, 1);
    assert.equal(document.digest, await plannedDigest());
    assert.equal(document.plan.steps.length, 2);
  });

  it('scenario 37: is another when somebody changed what a step rests on', async () => {
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', head + github.replace('name: GitHub', 'name: Ours') + trigger);
    const digest = await plannedDigest();
    const [client] = world.service.snapshot().oauthClients;
    await world.somebody.oauthClients.update(client?.id ?? '', { name: 'Theirs' });
    await refused(digest, /Theirs/);
  });

  it('is another when the manifests would write something else', async () => {
    const digest = await plannedDigest();
    world.write('main.tether.yaml', head + github + trigger.replace('network', 'dns'));
    await refused(digest, /^ +app +\+ dns$/m);
  });

  it('is the same when a line moves to another file, or a remark is added', async () => {
    const digest = await plannedDigest();
    world.write('main.tether.yaml', `${head}# a remark\n${github}`);
    world.write('more.tether.yaml', `apiVersion: tether/v1\norganization: acme\n${trigger}`);
    await world.expect(0, ['apply', '--yes', '--expect', digest]);
  });

  it('may be typed in capitals', async () => {
    const digest = await plannedDigest();
    await world.expect(0, ['apply', '--yes', '--expect', ` ${digest.toUpperCase()}\n`]);
  });

  it('does not depend on the value of a secret, nor on whether it is at hand', async () => {
    const digest = await plannedDigest();
    for (const value of ['', 'another-value'])
      assert.match(
        (await world.here(['plan'], { env: { GIT_TOKEN: value } })).stdout,
        new RegExp(`^Digest: ${digest}$`, 'm'),
      );
  });

  it('is another at another service', async () => {
    const digest = await plannedDigest();
    const other = await World.start();
    try {
      const args = ['apply', '--yes', '--expect', digest, '--address', other.service.url];
      assert.match((await world.expect(1, args)).stderr, /stale plan/);
      assert.deepEqual(other.writes(), []);
    } finally {
      await other.close();
    }
  });

  it('approves nothing: what stops an apply stops the reviewed one too', async () => {
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', head + github.replace('https://git.', 'https://new.') + trigger);
    const digest = await plannedDigest();
    world.writes();
    const { stderr } = await world.expect(1, ['apply', '--yes', '--expect', digest]);
    assert.match(stderr, /1 change needs approval[^\n]*\n +- \{ replace: OAuthClient\/github, id: oc-/);
    assert.deepEqual(world.writes(), []);
  });

  it('that is right still asks, as without', async () => {
    const digest = await plannedDigest();
    const asked: string[] = [];
    const no = await world.here(['apply', '--expect', digest], {
      ask: async (question) => {
        asked.push(question);
        return false;
      },
    });
    assert.deepEqual([no.code, asked], [1, ['Apply these changes?']]);
    assert.match((await world.expect(1, ['apply', '--expect', digest])).stderr, /--yes/);
    assert.deepEqual(world.writes(), []);
  });

  it('scenario 86: plan ends with 0 where there are changes, and with 2 when that was asked for', async () => {
    await world.expect(0, ['plan']);
    const { stdout } = await world.expect(2, ['plan', '--detailed-exitcode', '--json']);
    assert.equal((JSON.parse(stdout) as Document).exitCode, 2);
    await world.applyAndExpectNothing();
    await world.expect(0, ['plan', '--detailed-exitcode']);
    const { stderr } = await world.expect(1, ['apply', '--detailed-exitcode']);
    assert.match(stderr, /unknown option '--detailed-exitcode'/);
  });

  it('scenario 86: what cannot be seen is 1, changes or not', async () => {
    world.service.patchSeed({
      tokens: { less: { acme: { manageVcsSettings: true, workspaces: { 'ws-network': 'readRuns' } } } },
    });
    const env = { TETHER_TOKEN: 'less' };
    const { stdout } = await world.expect(1, ['plan', '--detailed-exitcode'], { env });
    assert.match(stdout, /1 to create, 1 unknown/);
  });
});
