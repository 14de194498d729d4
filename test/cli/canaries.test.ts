/** No secret comes out: token and secret values as canaries through every command, when it works and when it fails. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientEntry } from '../support/acme';
import type { Ended } from '../support/run-process';
import { type Arrived, type Reply, startScriptedServer } from '../support/scripted-server';
import { head, World } from '../support/world';

/** Unlike each other, so that hiding a piece of one breaks no other. */
const canaries = {
  token: 'canary-token-0001',
  oauth: 'kanarie+oauth-0002',
  secret: 'Kanarek "secret" value-0003',
  key: '-----BEGIN KEY-----\nkanariFugl+key-0004\nMORE\n-----END KEY-----',
};

/** The service never sees it. */
const ledgerToken = 'kanarienvogel/ledger-0005';

const manifest = `${head}oauthClients:
${clientEntry('github', { secret: '{ fromFile: secret.txt }' })}  archive:
    name: Archive
    serviceProvider: provider_c_server
    httpUrl: https://vcs.example.com
    apiUrl: https://vcs.example.com/api
    privateKey: { fromEnv: SSH_KEY }
    oauthTokenString: { fromEnv: GIT_TOKEN }
runTriggers:
  - { target: app, source: network }
`;

describe('no secret comes out', () => {
  let world: World;
  const said: string[] = [];

  beforeEach(async () => {
    world = await World.start();
    world.service.patchSeed({ tokens: { [canaries.token]: { acme: 'owner' } } });
    world.write(manifest);
    world.write(`${canaries.secret}\n`, 'secret.txt');
    said.length = 0;
  });
  afterEach(() => world.close());

  const env = { TETHER_TOKEN: canaries.token, GIT_TOKEN: canaries.oauth, SSH_KEY: canaries.key };

  /** Runs in this process with everything said, as text and as JSON. */
  async function everyWay(
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const hasReport = /^(?:validate|plan|apply|drift|destroy)$/.test(args[0] ?? '');
    for (const extra of [['-vv'], ['--json', '-vv', ...(hasReport ? ['--markdown', 'report.md'] : [])]]) {
      const ended: Ended = await world.here([...args, ...extra], { env: { ...env, ...more } });
      said.push(ended.stdout, ended.stderr);
    }
  }

  function assertSilent(): void {
    const files = readdirSync(world.folder).filter((file) => file !== 'secret.txt');
    const texts = [...said, ...files.map((file) => readFileSync(join(world.folder, file), 'utf8'))];
    assert.ok(texts.join('').length > 1000, 'something was said at all');
    for (const text of texts) {
      // Parts too: an echo may be cut off, escaped or spread over lines.
      const parts = ['token-0001', 'oauth-0002', 'value-0003', 'key-0004', 'BEGIN KEY', 'ledger-0005'];
      for (const part of [...parts, ...Object.values(canaries).flatMap(listMiddles)]) {
        assert.ok(!text.includes(part), `${part} in ${text}`);
      }
    }
  }

  it('through every command when all goes well', async () => {
    await everyWay(['validate']);
    await everyWay(['plan']);
    await everyWay(['apply', '--yes']);
    await everyWay(['drift']);
    await everyWay(['show']);
    await everyWay(['export', '--organization', 'acme']);
    await everyWay(['ledger', 'show']);
    await everyWay(['plan'], { GIT_TOKEN: 'another-oauth-0002', SSH_KEY: `${canaries.key}x` });
    await everyWay(['destroy']);
    await world.approve(['destroy', '--yes'], { env });
    await everyWay(['destroy', '--yes', '--max-deletes', '3']);
    assert.deepEqual(world.service.snapshot().oauthClients, []);
    assertSilent();
  });

  const echoes = [
    { how: 'status', status: 422, body: bodyThatEchoes('application/json') },
    { how: 'status', status: 403, body: bodyThatEchoes('text') },
    { how: 'status', status: 401, body: bodyThatEchoes('text') },
    { how: 'garbage' },
    { how: 'truncate' },
    { how: 'reset-after' },
  ] as const;
  for (const fault of echoes) {
    const name =
      fault.how === 'status' ? `answers ${fault.status} and echoes the request` : `answers with ${fault.how}`;
    it(`when the service ${name} on writes`, async () => {
      world.service.fault({ ...fault, method: 'POST' });
      await everyWay(['apply', '--yes'], { TETHER_TIMEOUT: '2' });
      world.service.clearFaults();
      await everyWay(['plan']);
      assertSilent();
    });
  }

  it('when the server of the ledger echoes its credentials', async () => {
    const server = await startScriptedServer();
    const host = `127.0.0.1:${server.port}`;
    world.write(
      manifest.replace('aliases:', `ledger: http://${host}/terraform/state/acme\naliases:`),
      'main.tether.yaml',
    );
    const login = { TETHER_LEDGER_CREDENTIALS: `http://user:${encodeURIComponent(ledgerToken)}@${host}` };
    const echo = ({ headers }: Arrived) => `${headers.authorization} ${ledgerToken}`;
    const replies: readonly Reply[] = [
      (response, arrived) => {
        const holder = { ID: 'other-1', Who: echo(arrived), Created: '2026-01-01T00:00:00Z' };
        response.writeHead(arrived.method === 'GET' ? 404 : 423).end(JSON.stringify(holder));
      },
      (response, arrived) => response.writeHead(401).end(echo(arrived)),
      (response, arrived) => response.writeHead(200).end(echo(arrived)),
    ];
    for (const reply of replies) {
      server.script(reply);
      for (const args of [
        ['plan'],
        ['apply', '--yes'],
        ['ledger', 'show'],
        ['ledger', 'unlock', 'some-id'],
      ]) {
        await everyWay(args, login);
      }
    }
    await everyWay(['plan'], { TETHER_LEDGER_CREDENTIALS: `http://user:${ledgerToken}@${host}:1` });
    await server.close();
    assertSilent();
  });

  it('when the service answers with it encoded', async () => {
    const echo = async (route: string, detail: string) => {
      const body = JSON.stringify({ errors: [{ status: '422', title: 'bad', detail }] });
      world.service.fault({ how: 'status', status: 422, method: 'POST', route, body });
      const { stdout, stderr } = await world.here(['apply', '--yes', '-vv'], { env });
      said.push(stdout, stderr);
      assert.match(stdout, /refused \(422\): bad: .*\(secret\)/);
      world.service.clearFaults();
    };
    world.write(`${head}runTriggers: [{ target: docs, source: app }]\n`);
    for (const detail of encoded(canaries.token)) {
      await echo('/workspaces/:workspace_id/run-triggers', detail);
    }
    world.write(manifest);
    await echo(
      '/organizations/:organization_name/oauth-clients',
      encoded(canaries.oauth).slice(0, 3).join(' '),
    );
    assertSilent();
  });

  it('when the token is refused or the address is wrong', async () => {
    world.service.fault({ how: 'status', status: 401, body: bodyThatEchoes('text') });
    await everyWay(['plan']);
    await everyWay(['plan'], { TETHER_ADDRESS: world.service.url.replace('/api/v2', `/${canaries.token}`) });
    await everyWay(['plan'], { TETHER_TOKEN: `${canaries.token} with a space` });
    await everyWay(['apply', '--yes'], { SSH_KEY: '' });
    await everyWay(['plan'], { TETHER_ADDRESS: `https://user:${canaries.token}@host.test/api/v2` });
    assertSilent();
  });
});

/** What a header, a body or a page that holds it looks like. */
function encoded(secret: string): string[] {
  return [
    Buffer.from(`Bearer ${secret}`).toString('base64'),
    Buffer.from(JSON.stringify({ data: secret, and: 'more' })).toString('base64'),
    Buffer.from(secret).toString('hex'),
    secret.replaceAll('"', '&quot;'),
    secret.replace(/./gs, (character) => `&#${character.charCodeAt(0)};`),
  ];
}

/** The middle of each, which nothing but the secret can have made. */
function listMiddles(secret: string): string[] {
  return encoded(secret).map((text) => text.slice(text.length / 2 - 6, text.length / 2 + 6));
}

/** An answer that repeats what was sent, as careless services do. */
function bodyThatEchoes(form: string): string {
  const all = Object.values(canaries).join(' ');
  return form === 'text'
    ? `you sent ${all}`
    : JSON.stringify({ errors: [{ status: '422', title: 'bad', detail: all }] });
}
