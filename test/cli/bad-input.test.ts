/** Wrong addresses, strange services, unusable plans and files: an error that says what to do, and nothing changed. */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { asOrdinaryUser } from '../support/ordinary-user';
import { bareHead, github, head, World } from '../support/world';

const text = `${head}${github}runTriggers:\n  - { target: app, source: network }\n`;

describe('bad input', () => {
  let world: World;
  let other: Server | undefined;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', text);
  });
  afterEach(async () => {
    other?.closeAllConnections();
    other?.close();
    other = undefined;
    await world.close();
  });

  /** Every file of the folder with its content. */
  function files(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      readdirSync(world.folder, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.name, readFileSync(join(world.folder, entry.name), 'latin1')]),
    );
  }

  /** Expects exit code 1, a message that is not called a bug, and everything as it was. */
  async function refused(args: readonly string[], message: RegExp, env = {}): Promise<void> {
    const before = files();
    world.writes();
    const ended = await world.here([...args, '--timeout', '1'], { env });
    assert.equal(ended.code, 1, ended.stdout + ended.stderr);
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /this is a bug|\n +at /i);
    assert.deepEqual(world.writes(), []);
    assert.deepEqual(files(), before);
  }

  async function serviceThat(
    answer: Parameters<typeof createServer>[1],
  ): Promise<{ TETHER_ADDRESS: string }> {
    other = createServer(answer ?? (() => {}));
    await new Promise<void>((ready) => other?.listen(0, '127.0.0.1', ready));
    const { port } = other.address() as AddressInfo;
    return { TETHER_ADDRESS: `http://127.0.0.1:${port}/api/v2` };
  }

  for (const args of [['plan'], ['drift'], ['apply', '--yes']]) {
    const command = args[0] ?? '';
    it(`${command}: a service that answers HTML`, async () => {
      const env = await serviceThat((_, response) => {
        response.setHeader('content-type', 'text/html');
        response.end('<html>Welcome</html>');
      });
      await refused(args, /is HTML, not JSON:API: is the address right/, env);
    });

    it(`${command}: a service that answers garbage`, async () => {
      const env = await serviceThat((_, response) => {
        response.setHeader('content-type', 'application/vnd.api+json');
        response.end('{"data": [{"id": 7}');
      });
      await refused(args, /^error: .*GET \/(organizations|workspaces)\//m, env);
    });

    it(`${command}: an answer of another shape`, async () => {
      const env = await serviceThat((_, response) => {
        response.setHeader('content-type', 'application/vnd.api+json');
        response.end('{"data": {"id": "oc-1"}}');
      });
      await refused(args, /^error: .*GET \/(organizations|workspaces)\//m, env);
    });

    it(`${command}: a redirect to another place`, async () => {
      const env = await serviceThat((_, response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:9/' });
        response.end();
      });
      await refused(args, /redirect|302/, env);
    });
  }

  for (const [what, address, message] of [
    ['no URL', 'service', /^error: the address is not a URL: [^\n]* \(it comes from TETHER_ADDRESS\)\n$/],
    [
      'of another host in the clear',
      'http://service.test/x',
      /^error: the address http:\/\/service\.test is http/,
    ],
    [
      'with a password',
      'https://me:hunter2@service.test/x',
      /^error: the address holds a user name or password/,
    ],
    ['with a query', 'https://service.test/x?y=1', /^error: the address holds a \? or #/],
  ] as const) {
    it(`an address ${what}: the mistake and nothing else`, async () => {
      await refused(['plan'], message, { TETHER_ADDRESS: address });
      const { stderr } = await world.here(['plan', '--address', address]);
      assert.match(stderr, /^error: the address [^\n]*\(it comes from --address\)\n$/);
      assert.doesNotMatch(stderr, /hunter2/);
    });
  }

  for (const [where, env] of [
    ['TETHER_TOKEN', { TETHER_TOKEN: 'wrong' }],
    ['my.token, which TETHER_TOKEN_FILE names', { TETHER_TOKEN: '', TETHER_TOKEN_FILE: 'my.token' }],
    [
      'TFE_TOKEN (a team, organization or user token)',
      { TETHER_TOKEN: '', TFE_TOKEN: 'wrong', TETHER_PROFILE: 'hcp-terraform' },
    ],
  ] as const) {
    it(`a refused token, with the place it came from: ${where}`, async () => {
      world.write('my.token', 'wrong\n');
      world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
      await refused(
        ['plan'],
        new RegExp(`the token was refused \\(401\\).*: check ${where.replace(/[()]/g, '\\$&')}\\n$`),
        env,
      );
    });
  }

  it('a token without the permission to create: which one, in the words of the API text', async () => {
    const workspaces = { 'ws-app': 'readRuns', 'ws-network': 'readRuns' } as const;
    world.service.patchSeed({ tokens: { reader: { acme: { workspaces } } } });
    world.write('main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
    const env = { TETHER_TOKEN: 'reader' };
    const needed =
      /\(404\).*; this call needs admin access to ws-app, and permission to read the runs of ws-network\n/;
    assert.match((await world.expect(1, ['apply', '--yes'], { env })).stderr, needed);
    world.service.fault({ how: 'status', status: 404, method: 'POST', nth: 1 });
    world.write('main.tether.yaml', head + github);
    const { stderr } = await world.expect(1, ['apply', '--yes']);
    assert.match(stderr, /; this call needs permission to manage the VCS settings of acme\n/);
  });

  it('the wrong path on the right host', () =>
    refused(['plan'], /does not end in \/api\/v2[\s\S]*organization acme: not found/, {
      TETHER_ADDRESS: world.service.url.replace('/api/v2', ''),
    }));

  it('a service that fails all the time', async () => {
    world.service.fault({ how: 'status', status: 500, method: 'GET' });
    await refused(['plan'], /500/);
  });

  it('an organization nobody knows', async () => {
    world.write('main.tether.yaml', text.replace('organization: acme', 'organization: nowhere'));
    await refused(['plan'], /nowhere/);
    await refused(['apply', '--yes'], /nowhere/);
  });

  it('a folder without manifests', async () => {
    world.remove('main.tether.yaml');
    await refused(['plan'], /\*\.tether\.yaml/);
  });

  it('a path that is not there', () => refused(['plan', 'nowhere.yaml'], /nowhere\.yaml/));

  it('a profile that does not exist', () =>
    refused(['plan', '--profile', 'nothing'], /no profile "nothing"/));

  it('a service that is not there: the cause is said once, not for each call', async () => {
    const triggers = ['dns', 'jobs', 'web']
      .map((source) => `  - { target: docs, source: ${source} }\n`)
      .join('');
    world.write('main.tether.yaml', text + triggers);
    const env = { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2' };
    const ended = await world.here(['plan'], { env, now: () => 1_000_000 });
    assert.equal(ended.code, 1);
    assert.equal(ended.stderr.match(/trying again in/g)?.length, 1);
    const loud = await world.here(['plan', '-v'], { env, now: () => 1_000_000 });
    assert.ok((loud.stderr.match(/trying again in/g)?.length ?? 0) > 3);
  });

  const missing: readonly (readonly [string, string, RegExp])[] = [
    ['a variable that is not set', '{ fromEnv: NOWHERE }', /environment variable NOWHERE is not set/],
    ['an empty variable', '{ fromEnv: EMPTY }', /environment variable EMPTY holds an empty secret/],
    ['a file that is not there', '{ fromFile: nowhere.txt }', /secret file nowhere\.txt does not exist/],
    ['an empty file', '{ fromFile: empty.txt }', /secret file empty\.txt holds an empty secret/],
  ];
  for (const [name, source, message] of missing) {
    it(`a secret from ${name}, before the first write`, async () => {
      world.write('empty.txt', '\n');
      world.write('main.tether.yaml', text.replace('{ fromEnv: GIT_TOKEN }', source));
      await refused(['apply', '--yes'], message, { EMPTY: '' });
    });
  }

  it('a folder that cannot be written, before the first write', async () => {
    // Once without an answer: what is loaded late may lie where an ordinary user cannot read it.
    await refused(['apply'], /not a terminal: pass --yes to apply without confirmation/);
    chmodSync(world.folder, 0o500);
    try {
      await asOrdinaryUser([world.folder, join(world.folder, 'main.tether.yaml')], () =>
        refused(['apply', '--yes'], /Could not/),
      );
    } finally {
      chmodSync(world.folder, 0o700);
    }
  });

  for (const [what, path] of [
    ['manifest', 'more.tether.yaml'],
    ['file that may be a manifest with another ending', 'more.yaml'],
    ['folder', 'more'],
  ] as const) {
    it(`a ${what} that cannot be read: nothing is planned, let alone deleted`, async () => {
      const more = what === 'folder' ? 'more/x.tether.yaml' : 'more.tether.yaml';
      world.write(more, `${bareHead}runTriggers: [{ target: ws-docs, source: ws-app }]\n`);
      await world.applyAndExpectNothing();
      world.writes();
      if (path !== 'more') renameSync(join(world.folder, more), join(world.folder, path));
      chmodSync(join(world.folder, path), 0);
      try {
        const owned = readdirSync(world.folder).map((name) => join(world.folder, name));
        await asOrdinaryUser([world.folder, ...owned], async () => {
          for (const args of [['plan'], ['drift'], ['apply', '--yes']]) {
            const { code, stderr } = await world.here(args);
            assert.equal(code, 1);
            assert.match(stderr, new RegExp(`${path} cannot be read: no permission`));
          }
        });
        assert.deepEqual(world.writes(), []);
      } finally {
        chmodSync(join(world.folder, path), 0o700);
      }
    });
  }
});
