/** Who can write this can do that: a test for each row of the table in SECURITY.md. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Call, type Io } from '../../cli/call';
import { connect } from '../../cli/connection';
import { serializeLedger } from '../../reconciler/ledger/ledger';
import { readProfile } from '../../resources/profile';
import { clientObject, ledgerOf } from '../support/ledger-samples';
import type { Ended } from '../support/run-process';
import { bareHead, World } from '../support/world';

const trigger = 'runTriggers: [{ target: ws-app, source: ws-network }]\n';
const twin = { serviceProvider: 'provider_a', httpUrl: 'https://a.test', apiUrl: 'https://a.test/api' };
const client = (token: string) =>
  `oauthClients:\n  own: { name: Own, serviceProvider: provider_a, httpUrl: ${twin.httpUrl}, apiUrl: ${twin.apiUrl}, oauthTokenString: ${token} }\n`;
const theirs = { ...twin, name: 'Theirs', httpUrl: 'https://theirs.test', oauthTokenString: 'x' };

/** For settings, which only look at variables. */
const noIo: Io = {
  stdout: { write: () => {} },
  stderr: { write: () => {} },
  env: {},
  cwd: '/',
  signal: new AbortController().signal,
  now: () => 0,
  ask: null,
};

describe('who can write', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  describe('a pull request, whose plan has the token', () => {
    let elsewhere: Server;
    let connections = 0;
    beforeEach(async () => {
      connections = 0;
      elsewhere = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => new Promise((resolve) => elsewhere.close(resolve)));

    const settings = ['hostname', 'address', 'token'] as const;
    for (const setting of settings) {
      it(`scenario 85: cannot say with a profile of its own from which variable the ${setting} is read`, async () => {
        const own = { ...readProfile('default', '/'), environment: { [setting]: ['GITHUB_HEAD_REF'] } };
        world.write('p.json', JSON.stringify(own));
        world.write('main.tether.yaml', `${bareHead}profile: ./p.json\n${trigger}`);
        const address = elsewhere.address();
        assert.ok(address !== null && typeof address === 'object');
        const branch = {
          hostname: `127.0.0.1:${address.port}`,
          address: `http://127.0.0.1:${address.port}`,
          token: 'x',
        }[setting];
        const env = { TETHER_ADDRESS: '', GITHUB_HEAD_REF: branch };
        for (const args of [['plan'], ['drift'], ['plan', '--profile', 'p.json']]) {
          const { stderr } = await world.expect(1, args, { env });
          assert.match(stderr, /p\.json has `environment`: only the profiles that come with Tether/);
        }
        assert.equal(connections, 0);
      });
    }

    it('cannot have a file or variable of the runner shown, nor anything written', async () => {
      world.write('runner.secret', 'canary-of-the-runner');
      world.write('repo/main.tether.yaml', bareHead + client('{ fromFile: ../runner.secret }'));
      world.write('repo/more.tether.yaml', `${bareHead}${trigger}`);
      const env = { OWN: 'canary-of-a-variable' };
      const runs: Ended[] = [];
      for (const args of [
        ['validate', 'repo'],
        ['plan', 'repo'],
        ['drift', 'repo'],
      ]) {
        runs.push(await world.here([...args, '-vv'], { env }));
      }
      world.write('repo/main.tether.yaml', bareHead + client('{ fromEnv: OWN }'));
      runs.push(await world.here(['plan', 'repo', '--json'], { env }));
      for (const target of ['../runner.secret', '/proc/self/environ', '/dev/zero']) {
        rmSync(join(world.folder, 'repo/link.tether.yaml'), { force: true });
        symlinkSync(target, join(world.folder, 'repo/link.tether.yaml'));
        runs.push(await world.expect(1, ['plan', 'repo'], { env }));
      }
      for (const { stdout, stderr } of runs) {
        assert.doesNotMatch(stdout + stderr, /canary|owner-token/);
        assert.doesNotMatch(stderr, /this is a bug/i);
      }
      assert.deepEqual(world.writes(), []);
    });

    it('cannot keep the run waiting for ever: pipes are refused by name, as manifest, ledger and profile', async () => {
      world.write('main.tether.yaml', bareHead + trigger);
      const pipes: readonly (readonly [string, readonly string[]])[] = [
        ['x.tether.yaml', ['plan']],
        ['x.yaml', ['validate', 'x.yaml']],
        ['tether.ledger.json', ['plan']],
        ['tether.ledger.json', ['apply', '--yes']],
        ['tether.ledger.json.journal', ['drift']],
        ['p.json', ['plan', '--profile', './p.json']],
      ];
      for (const [name, args] of pipes) {
        execFileSync('mkfifo', [join(world.folder, name)]);
        const { code, stdout, stderr } = await world.tether(args);
        assert.equal(code, 1);
        assert.ok((stdout + stderr).includes(name), `${args.join(' ')}: ${stdout}${stderr}`);
        assert.match(stdout + stderr, /a named pipe, not a plain file/);
        world.remove(name);
      }
      assert.deepEqual(world.writes(), []);
    });
  });

  describe('a manifest of the branch that is applied', () => {
    it('cannot destroy a client by leaving it out: that takes a line of its own, for this very object', async () => {
      world.write('main.tether.yaml', bareHead + client('{ fromEnv: GIT_TOKEN }') + trigger);
      await world.applyAndExpectNothing();
      world.write('main.tether.yaml', bareHead + trigger);
      world.writes();
      const { stderr } = await world.expect(1, ['apply', '--yes']);
      assert.match(stderr, /approved: *\[?.*destroy: OAuthClient\/own, id: oc-/s);
      assert.deepEqual(world.writes(), []);
    });

    it('cannot hold a secret in clear', async () => {
      world.write('main.tether.yaml', bareHead + client('canary'));
      const { stdout, stderr } = await world.here(['apply', '--yes']);
      assert.match(stderr, /literal-secret/);
      assert.doesNotMatch(stdout + stderr, /canary/);
    });
  });

  describe('a profile', () => {
    it('cannot make Tether ask faster than it does by itself', () => {
      const profile = readProfile('default', '/');
      const eager = { ...profile, limits: { ...profile.limits, requestsPerSecond: 1e9 } };
      const env = { TETHER_ADDRESS: 'https://a.test/api/v2', TETHER_TOKEN: 'x' };
      const { rate = Number.POSITIVE_INFINITY } = connect(new Call('plan', {}, [], { ...noIo, env }), eager);
      assert.ok(rate <= 29);
    });
  });

  describe('the ledger', () => {
    it('cannot have a client destroyed that it claims, nor more than the limit deleted', async () => {
      const sources = ['ws-dns', 'ws-jobs', 'ws-web', 'ws-docs', 'ws-network'];
      const made = await Promise.all(
        sources.map((source) => world.somebody.runTriggers.create('ws-app', source)),
      );
      const { id } = await world.somebody.oauthClients.create('acme', theirs);
      world.write('main.tether.yaml', bareHead);
      await world.expect(0, ['apply', '--yes']);
      const links = made.map(({ id: trigger, workspaceId, sourceableId }) => [
        `RunTrigger/${workspaceId}/${sourceableId}`,
        {
          kind: 'RunTrigger',
          id: trigger,
          file: null,
          values: { workspaceId, sourceableId },
          digests: {},
          protect: false,
        },
      ]);
      const objects = {
        ...Object.fromEntries(links),
        'OAuthClient/theirs': clientObject(id, { digests: {} }),
      };
      world.write('tether.ledger.json', serializeLedger(ledgerOf({ objects })));
      world.writes();
      const { stdout, stderr } = await world.expect(1, ['apply', '--yes']);
      assert.match(stdout, /^ +- theirs {2}oc-/m);
      assert.match(stderr, /--max-deletes/);
      assert.match(stderr, /destroy: OAuthClient\/theirs/);
      assert.deepEqual(world.writes(), []);
    });

    it('cannot stand for another organization than the manifests', async () => {
      world.write('main.tether.yaml', bareHead + trigger);
      const objects = { 'OAuthClient/own': clientObject('oc-1') };
      world.write('tether.ledger.json', serializeLedger(ledgerOf({ organization: 'other', objects })));
      const { stderr } = await world.expect(1, ['apply', '--yes']);
      assert.match(stderr, /other/);
      assert.deepEqual(world.writes(), []);
    });

    it('holds no secret that could be read from it', async () => {
      world.write('main.tether.yaml', bareHead + client('{ fromEnv: GIT_TOKEN }'));
      await world.applyAndExpectNothing();
      assert.match(world.read('tether.ledger.json'), /"oauthTokenString": "scrypt:/);
      assert.doesNotMatch(world.read('tether.ledger.json'), /git-secret-canary/);
    });
  });

  describe('the environment', () => {
    const addresses = [
      'http://example.com/api/v2',
      'ftp://127.0.0.1/api/v2',
      'https://u:p@example.com/api/v2',
    ];
    for (const address of addresses) {
      it(`cannot have the token sent in clear: ${address} is refused`, async () => {
        world.write('main.tether.yaml', bareHead + trigger);
        const { stderr } = await world.expect(1, ['plan'], { env: { TETHER_ADDRESS: address } });
        assert.match(stderr, /it comes from TETHER_ADDRESS/);
      });
    }
  });

  describe('the service', () => {
    it('cannot move the cursor, send the token elsewhere, nor be asked without end', async () => {
      world.write('main.tether.yaml', bareHead + client('{ fromEnv: GIT_TOKEN }'));
      const name = 'a\u001b[2J\u202eb';
      await world.somebody.oauthClients.create('acme', { ...theirs, ...twin, name });
      const shown = await world.here(['plan']);
      const text = shown.stdout + shown.stderr;
      assert.ok(!text.includes('\u001b') && !text.includes('\u202e'));
      assert.ok(text.includes('a\\u001b[2J\\u{202e}b'));

      let elsewhere = 0;
      const other = createServer((socket) => {
        elsewhere += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const address = other.address();
      const location = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/`;
      world.service.fault({ how: 'status', status: 307, headers: { location } });
      const redirected = await world.expect(1, ['plan']);
      assert.match(redirected.stderr, /redirects \(307\).*not followed, the token stays here/);
      assert.equal(elsewhere, 0);
      await new Promise((resolve) => other.close(resolve));
    });
  });
});
