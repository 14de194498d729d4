/** The command line through a real proxy: tunnels, certificates, and what the proxy never sees. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as net from 'node:net';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { tether } from '../support/cli';
import { type ForwardProxy, startForwardProxy } from '../support/forward-proxy';
import { selfSigned } from '../support/self-signed';
import { bareHead, World } from '../support/world';

const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;

/** The world's service behind TLS, for a host name or address; with its authority in `ca.pem`, and a manifest. */
async function startFront(world: World, host: string): Promise<tls.Server> {
  const certificate = selfSigned(host);
  world.write('ca.pem', certificate.cert);
  world.write('main.tether.yaml', `${bareHead}runTriggers: [{ target: ws-app, source: ws-network }]\n`);
  const servicePort = Number(new URL(world.service.url).port);
  const front = tls.createServer(certificate, (socket) => {
    const onwards = net.connect(servicePort, '127.0.0.1');
    for (const end of [socket, onwards]) end.on('error', () => undefined);
    socket.pipe(onwards).pipe(socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  return front;
}

describe('tether behind a proxy', () => {
  let world: World;
  let front: tls.Server;
  let proxy: ForwardProxy;
  const password = 'p@ss-canary-0007';

  beforeEach(async () => {
    world = await World.start();
    front = await startFront(world, 'tfe.test');
    proxy = await startForwardProxy({ login: `ann:${password}`, leadsTo: portOf(front) });
  });
  afterEach(async () => {
    await proxy.close();
    front.close();
    await world.close();
  });

  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    tether(args, {
      cwd: world.folder,
      env: {
        TETHER_ADDRESS: 'https://tfe.test/api/v2',
        TETHER_TOKEN: 'owner-token',
        HTTPS_PROXY: `http://ann:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`,
        NODE_EXTRA_CA_CERTS: join(world.folder, 'ca.pem'),
        ...env,
      },
    });

  it('applies through it with a private authority, and the token goes into the tunnel alone', async () => {
    const applied = await run(['apply', '--yes', '-vv'], { NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    assert.equal(applied.code, 0, applied.stderr);
    const again = await run(['plan', '--detailed-exitcode']);
    assert.equal(again.code, 0, again.stderr);
    assert.deepEqual(proxy.clear, []);
    assert.ok(proxy.tunnels.length > 0);
    for (const { host } of proxy.tunnels) assert.equal(host, 'tfe.test:443');
    assert.doesNotMatch(proxy.received(), /owner-token|api\/v2/);
    for (const text of [applied.stdout, applied.stderr]) assert.ok(!text.includes(password), text);
  });

  it('keeps a tunnel for the next reads, through a proxy that asks for no password', async () => {
    const open = await startForwardProxy({ leadsTo: portOf(front) });
    try {
      const { code, stderr } = await run(['plan'], { HTTPS_PROXY: `127.0.0.1:${open.port}` });
      assert.equal(code, 0, stderr);
      // The lists of two workspaces, read at once.
      assert.ok(open.tunnels.length === 1 || open.tunnels.length === 2, `${open.tunnels.length} tunnels`);
      assert.deepEqual(
        open.tunnels.map(({ headers }) => headers['proxy-authorization']),
        open.tunnels.map(() => undefined),
      );
    } finally {
      await open.close();
    }
  });

  it('checks the certificate of a proxy that is spoken to with TLS', async () => {
    const certificate = selfSigned('localhost');
    const secure = await startForwardProxy({ leadsTo: portOf(front), certificate });
    try {
      const HTTPS_PROXY = `https://localhost:${secure.port}`;
      const refused = await run(['plan'], { HTTPS_PROXY, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
      assert.match(refused.stderr, /the certificate of the proxy localhost:\d+ is not trusted/);
      assert.equal(secure.received(), '');
      world.write('ca.pem', `${certificate.cert}${readFileSync(join(world.folder, 'ca.pem'), 'utf8')}`);
      const other = await run(['plan'], { HTTPS_PROXY: HTTPS_PROXY.replace('localhost', '127.0.0.1') });
      assert.match(
        other.stderr,
        /the certificate of the proxy 127\.0\.0\.1:\d+ is for another name .*: check the host name of HTTPS_PROXY/,
      );
      const { code, stderr } = await run(['plan'], { HTTPS_PROXY });
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(secure.received(), /owner-token|api\/v2/);
    } finally {
      await secure.close();
    }
  });

  it('trusts no certificate that only NODE_TLS_REJECT_UNAUTHORIZED=0 lets pass', async () => {
    const { code, stderr } = await run(['plan'], {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_EXTRA_CA_CERTS: '',
    });
    assert.equal(code, 1);
    assert.match(stderr, /the certificate of tfe\.test is not trusted/);
  });

  it('tells a certificate for another name from one that is not trusted', async () => {
    const { code, stderr } = await run(['plan'], { TETHER_ADDRESS: 'https://other.test/api/v2' });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /the certificate of other\.test is for another name .*: check the host name of the address/,
    );
    const direct = await run(['plan'], { TETHER_ADDRESS: `https://localhost:${portOf(front)}/api/v2` });
    assert.match(direct.stderr, /the certificate of localhost:\d+ is for another name/);
    const untrusted = await run(['plan'], {
      TETHER_ADDRESS: `https://localhost:${portOf(front)}/api/v2`,
      NODE_EXTRA_CA_CERTS: '',
    });
    assert.match(untrusted.stderr, /the certificate of localhost:\d+ is not trusted/);
  });

  it('hides the password of the proxy, also when that is refused', async () => {
    const wrong = `http://ann:${password}x@127.0.0.1:${proxy.port}`;
    const { code, stderr } = await run(['plan', '-vv'], { HTTPS_PROXY: wrong });
    assert.equal(code, 1);
    assert.match(stderr, /wants a user name and password, or refused those it got/);
    assert.ok(!stderr.includes(password), stderr);
    const socks = await run(['plan'], { HTTPS_PROXY: 'socks5://127.0.0.1:1' });
    assert.equal(socks.code, 1);
    assert.match(socks.stderr, /HTTPS_PROXY: SOCKS proxies are not supported/);
  });
});

describe('an address that is an IP, behind a proxy', () => {
  for (const [address, host, isTrusted] of [
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', 'localhost', false],
    ['10.1.2.3', '127.0.0.1', false],
    ['[fd00::1]', 'fd00:0:0:0:0:0:0:1', true],
    ['[fd00::1]', 'localhost', false],
    ['[fd00::1]', 'fd00:0:0:0:0:0:0:2', false],
  ] as const) {
    it(`${address}: ${isTrusted ? 'trusts' : 'does not trust'} a certificate for ${host}`, async () => {
      const world = await World.start();
      const front = await startFront(world, host);
      const proxy = await startForwardProxy({ leadsTo: portOf(front) });
      try {
        const { code, stderr } = await tether(['plan'], {
          cwd: world.folder,
          env: {
            TETHER_ADDRESS: `https://${address}/api/v2`,
            TETHER_TOKEN: 'owner-token',
            HTTPS_PROXY: `http://localhost:${proxy.port}`,
            NODE_EXTRA_CA_CERTS: join(world.folder, 'ca.pem'),
          },
        });
        if (isTrusted) assert.equal(code, 0, stderr);
        else assert.ok(stderr.includes(`the certificate of ${address} is for another name`), stderr);
      } finally {
        await proxy.close();
        front.close();
        await world.close();
      }
    });
  }
});
