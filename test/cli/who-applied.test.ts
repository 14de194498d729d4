/** The head of a report says who applied last, and which run has the lock. */
import assert from 'node:assert/strict';
import os from 'node:os';
import { openStore } from '../../reconciler/ledger/open-store';
import { parsePlace, type RunningHome, startHome } from '../support/ledger-homes';
import { withEnvironment } from '../support/process-environment';
import { bob } from '../support/two-ledgers';
import { github, head, World } from '../support/world';

const time = String.raw`\d{4}-\d\d-\d\dT[\d:]{8}Z`;

describe('the last apply', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write(head + github);
  });
  afterEach(() => world.close());

  const jobs: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    ['the user and the host', {}, String.raw`\S+@\S+`],
    [
      'a job of GitHub',
      {
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'acme/infra',
        GITHUB_RUN_ID: '42',
        GITHUB_SHA: '3f2a91c',
      },
      'https://github.com/acme/infra/actions/runs/42 from 3f2a91c',
    ],
    ['the user where a job says only its number', { GITHUB_RUN_ID: '42' }, String.raw`\S+@\S+`],
    [
      'a job of GitLab',
      { CI_JOB_URL: 'https://gitlab.example.com/acme/infra/-/jobs/7', CI_COMMIT_SHA: '9e107d9' },
      'https://gitlab.example.com/acme/infra/-/jobs/7 from 9e107d9',
    ],
  ];
  for (const [name, env, by] of jobs) {
    it(`was run by ${name}, as the next plan and \`ledger show\` say`, async () => {
      await world.applyAndExpectNothing([], { env });
      for (const command of [['plan'], ['drift'], ['ledger', 'show']]) {
        const { stdout } = await world.expect(0, command);
        assert.match(stdout, new RegExp(`, 1 object, last applied ${time} by ${by}$`, 'm'));
      }
    });
  }

  it('was run by the user id where the machine has no name for it, as in a container', async () => {
    const { userInfo } = os;
    os.userInfo = () => {
      throw new Error('ENOENT');
    };
    try {
      await world.applyAndExpectNothing();
    } finally {
      os.userInfo = userInfo;
    }
    assert.match((await world.expect(0, ['plan'])).stdout, / by uid-\d+@\S+$/m);
  });

  it('is written only by an apply that saves anyway, and is no part of the digest', async () => {
    const digest = async () => /^Digest: (.*)$/m.exec((await world.expect(0, ['plan'])).stdout)?.[1];
    await world.applyAndExpectNothing([], { env: { GIT_COMMIT: 'first' } });
    const before = await digest();
    const saved = world.read('tether.ledger.json');
    await world.applyAndExpectNothing([], { env: { GIT_COMMIT: 'second' } });
    assert.equal(world.read('tether.ledger.json'), saved);
    world.write(saved.replace('"first"', '"third"'), 'tether.ledger.json');
    assert.equal(await digest(), before);
    // A text that a reader could not show safely comes back as one line.
    world.write(`${head}${github}runTriggers: [{ target: app, source: network }]\n`);
    await world.applyAndExpectNothing([], { env: { GIT_COMMIT: 'a\nb\u001b[0m' } });
    assert.match((await world.expect(0, ['plan'])).stdout, / from a b \[0m$/m);
  });

  it('is absent where the library names nobody, and an older ledger is read without it', async () => {
    await world.settle();
    assert.doesNotMatch(world.read('tether.ledger.json'), /lastApply/);
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /last applied/);
  });
});

describe('a lock that another run has', () => {
  const isNamed = async (world: World, env: Readonly<Record<string, string>>) => {
    const more = { env: { ...world.env, ...env } };
    for (const command of [['plan'], ['drift'], ['ledger', 'show']]) {
      const { stdout } = await world.expect(0, command, more);
      assert.match(stdout, new RegExp(`, locked by bob@host \\(tether apply\\) since ${time}$`, 'm'));
      const json = await world.expect(0, [...command, '--json'], more);
      assert.match(json.stdout, /"lock": \{\s+"who": "bob@host \(tether apply\)"/);
    }
  };

  it('is named by plan, drift and `ledger show`, for a file', async () => {
    const world = await World.start();
    world.write(head + github);
    await world.applyAndExpectNothing();
    const store = world.store();
    await store.lock(bob, 0);
    await isNamed(world, {});
    await store.unlock();
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /locked by/);
    world.write('{"ID":"dead-1"}', 'tether.ledger.json.lock.json');
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /locked by/);
    await world.close();
  });

  describe('on S3', () => {
    let home: RunningHome;
    before(async function () {
      home = await startHome('minio', this);
    });
    after(() => home?.close());
    withEnvironment(() => home.env);

    it('is named too, and a lock that cannot be read fails nothing', async () => {
      const world = await World.start();
      world.write(
        head.replace('organization: acme\n', `organization: acme\nledger: ${home.line('held')}\n`) + github,
      );
      await world.applyAndExpectNothing([], { env: home.env });
      const { folder } = world;
      const ledger = parsePlace(home, 'held');
      const store = openStore({ folder, organization: 'acme', cwd: folder, ledger, env: home.env });
      await store.lock(bob, 0);
      await isNamed(world, home.env);
      home.proxy.decide = ({ url }) => (url.includes('.lock') ? { status: 403, body: '' } : 'passes');
      await world.expect(0, ['plan'], { env: home.env });
      home.proxy.decide = () => 'passes';
      await store.unlock();
      await world.close();
    });
  });
});
