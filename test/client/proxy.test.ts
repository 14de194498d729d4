/** Which proxy is taken, and that nothing but a tunnel is ever asked of it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import * as https from 'node:https';
import { join } from 'node:path';
import { createClient } from '../../client/client';
import { type ApiError, BadOption, NotFound, NotSent } from '../../client/errors';
import { findProxy } from '../../client/proxy';
import { catchFailure } from '../support/api-failure';
import { leastOAuthClient } from '../support/client-operations';
import { type ForwardProxy, type ProxyRules, startForwardProxy } from '../support/forward-proxy';
import { close, listen } from '../support/loopback';
import { runProcess } from '../support/run-process';
import { json, startScriptedServer } from '../support/scripted-server';
import { selfSigned } from '../support/self-signed';
import { temporaryFolder } from '../support/temporary-folder';

describe('the proxy of the environment', () => {
  const proxyFor = (address: string, variables: Readonly<Record<string, string>>): string | undefined =>
    findProxy(`${address}/api/v2`, { variable: (name) => variables[name] || undefined, folder: () => '/' });
  const proxy = 'http://proxy.test:3128/';

  it('is named by HTTPS_PROXY or https_proxy, and may leave out its scheme', () => {
    const address = 'https://tfe.example';
    assert.equal(proxyFor(address, {}), undefined);
    assert.equal(proxyFor(address, { HTTPS_PROXY: 'proxy.test:3128' }), proxy);
    assert.equal(proxyFor(address, { https_proxy: proxy }), proxy);
    assert.equal(proxyFor(address, { HTTPS_PROXY: proxy, https_proxy: 'http://other.test' }), proxy);
    assert.equal(proxyFor(address, { HTTPS_PROXY: 'https://proxy.test' }), 'https://proxy.test/');
    assert.equal(proxyFor(address, { HTTP_PROXY: proxy, ALL_PROXY: proxy }), undefined);
  });

  it('is never asked for loopback', () => {
    for (const address of [
      'http://127.0.0.1:8080',
      'https://localhost:8443',
      'https://127.9.9.9',
      'https://[::1]:8443',
      'https://[::ffff:127.0.0.1]',
      'http://localhost',
    ]) {
      assert.equal(proxyFor(address, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }), undefined, address);
      assert.equal(proxyFor(address, { HTTPS_PROXY: 'socks5://proxy.test' }), undefined);
    }
  });

  // As golang.org/x/net/http/httpproxy does, but without blocks of addresses.
  for (const [entry, host, isDirect] of [
    ['*', 'tfe.example', true],
    ['TFE.example', 'tfe.example', true],
    ['example', 'tfe.example', true],
    ['fe.example', 'tfe.example', false],
    ['.tfe.example', 'tfe.example', false],
    ['.example', 'tfe.example', true],
    ['*.example:443', 'tfe.example', true],
    ['tfe.example:', 'tfe.example', true],
    ['tfe.example:8443', 'tfe.example', false],
    ['tfe.example:8443', 'tfe.example:8443', true],
    ['a.test, ,tfe.example', 'tfe.example', true],
    ['a.test tfe.example', 'tfe.example', false],
    ['https://tfe.example', 'tfe.example', false],
    [':443', 'tfe.example', false],
    ['bücher.example', 'www.xn--bcher-kva.example', true],
    ['10.1.2.3:443', '10.1.2.3', true],
    ['2.3', '10.1.2.3', false],
    ['FD00:0:0::1', '[fd00::1]', true],
    ['[fd00::1]:443', '[fd00::1]', true],
    ['fd00::2', '[fd00::1]', false],
  ] as const) {
    it(`${isDirect ? 'is not asked' : 'is asked'} for ${host} with NO_PROXY=${entry}`, () => {
      for (const name of ['NO_PROXY', 'no_proxy']) {
        const found = proxyFor(`https://${host}`, { HTTPS_PROXY: proxy, [name]: entry });
        assert.equal(found, isDirect ? undefined : proxy);
      }
    });
  }

  it('is taken with its login, where a bare % stands for itself', () => {
    for (const [value, found] of [
      ['http://ann:47%25@h:1', 'http://ann:47%25@h:1/'],
      ['ann:100%@h:1', 'http://ann:100%@h:1/'],
      ['http://:p@h:1/', 'http://:p@h:1/'],
    ] as const) {
      assert.equal(proxyFor('https://tfe.example', { HTTPS_PROXY: value }), found);
    }
  });

  it('is refused by name when it speaks SOCKS, and without its password when it is no URL', () => {
    for (const [value, message] of [
      ['socks5://ann:hunter2@proxy.test:1080', /^https_proxy: SOCKS proxies are not supported/],
      ['SOCKS5H://proxy.test', /^https_proxy: SOCKS proxies are not supported/],
      ['http://', /^https_proxy is not the URL of a proxy: it should look like http:\/\/host:port/],
      ['http://proxy.test:99999', /^https_proxy is not the URL of a proxy/],
      ['http://ann:hunter2/99@h:1', /write \/ as %2F, \? as %3F, # as %23, \\ as %5C$/],
      ['http://ann:hunter2?99@h:1', /write \/ as %2F/],
      ['http://ann:hunter2#w@h:1', /write \/ as %2F/],
      ['http://CORP\\ann:hunter2@h:1', /write \/ as %2F/],
      ['http://h:1/hunter2', /is not the URL of a proxy/],
    ] as const) {
      assert.throws(
        () => proxyFor('https://tfe.example', { https_proxy: value }),
        (error) => {
          assert.ok(error instanceof BadOption);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /hunter2/);
          return true;
        },
      );
    }
  });
});

describe('behind a proxy', () => {
  const folder = temporaryFolder();
  const address = 'https://tfe.test/api/v2';
  let proxy: ForwardProxy;
  afterEach(() => proxy.close());

  async function behind(rules: ProxyRules, login = '', timeoutMs = 60_000): Promise<ApiError> {
    proxy = await startForwardProxy(rules);
    const url = `http://${login}127.0.0.1:${proxy.port}`;
    const api = createClient({ address, token: 'token-1', proxy: url, attempts: 1, timeoutMs });
    const error = await catchFailure(api.oauthClients.create('acme', leastOAuthClient));
    assert.doesNotMatch(proxy.received(), /token-1|Bearer|POST/);
    return error;
  }

  for (const [what, rules, said] of [
    [
      'a proxy that wants a password',
      { login: 'ann:other' },
      /the proxy 127\.0\.0\.1:\d+ wants a user name and password, or refused those it got \(407\): write them into HTTPS_PROXY/,
    ],
    [
      'a proxy that lets nobody through, and answers HTML',
      { respond: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n\r\n<html>') },
      /the proxy 127\.0\.0\.1:\d+ refused a tunnel to tfe\.test \(403\): if that host is right, ask who runs the proxy, or list the host in NO_PROXY/,
    ],
    [
      'a proxy that says 404, which is not the word of the service',
      { respond: (socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n') },
      /the proxy 127\.0\.0\.1:\d+ refused a tunnel to tfe\.test \(404\)/,
    ],
    [
      'a proxy that says 100 first, which no tunnel does',
      { respond: (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n') },
      /the proxy 127\.0\.0\.1:\d+ refused a tunnel to tfe\.test \(100\)/,
    ],
    [
      'a proxy that is a web server',
      { respond: (socket) => socket.end('<html>\r\n\r\n<body>not a proxy</body></html>') },
      /no connection to the proxy 127\.0\.0\.1:\d+ .*: check HTTPS_PROXY/,
    ],
    [
      'a proxy that hangs up',
      { respond: (socket) => socket.destroy() },
      /no connection to the proxy 127\.0\.0\.1:\d+/,
    ],
  ] as const satisfies readonly (readonly [string, ProxyRules, RegExp])[]) {
    it(`says of ${what} that nothing was sent`, async () => {
      const error = await behind(rules, 'ann:wrong@');
      assert.ok(error instanceof NotSent, String(error));
      assert.match(error.message, said);
      assert.equal(proxy.tunnels[0]?.host, 'tfe.test:443');
    });
  }

  for (const after of ['', '<html>please log in</html>']) {
    it(`knows nothing of a request whose tunnel breaks after "${after}"`, async () => {
      const respond: ProxyRules['respond'] = (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${after}`);
      const error = await behind({ respond });
      assert.equal(error.outcome, 'ambiguous');
      assert.match(error.message, /with tfe\.test failed|the connection to tfe\.test broke/);
    });
  }

  it('is not asked for loopback, where requests may be in clear', async () => {
    proxy = await startForwardProxy({});
    const service = await startScriptedServer();
    try {
      service.script(json(404, {}));
      const url = `http://127.0.0.1:${proxy.port}`;
      const api = createClient({ address: service.address, token: 'token-1', proxy: url });
      await assert.rejects(api.oauthClients.read('oc-1'), NotFound);
      assert.equal(service.arrived.length, 1);
      assert.equal(proxy.received(), '');
    } finally {
      await service.close();
    }
  });

  it('keeps a tunnel beyond the time of the request that it was made for', async () => {
    const host = 'tfe.test';
    const certificate = selfSigned(host);
    let answerLast = () => {};
    const front = https.createServer(certificate, ({ url, socket }, response) => {
      const answer = () => void response.end(url);
      if (url === '/first') answer();
      else if (url === '/last') answerLast = answer;
      // Its time, which began later and is as long, is over: so is that of the first.
      else socket.on('close', () => answerLast());
    });
    proxy = await startForwardProxy({ leadsTo: await listen(front) });
    try {
      const ca = join(folder(), 'ca.pem');
      writeFileSync(ca, certificate.cert);
      const script = `
        const { createTransport } = require('./transport');
        const { withDefaults } = require('./options');
        const proxy = 'http://127.0.0.1:${proxy.port}';
        const send = createTransport(withDefaults({ address: 'https://${host}', token: 't', proxy }), true);
        const get = (route, timeoutMs) => send({ method: 'GET', route, body: null, timeoutMs });
        get('/first', 4000)
          .then(() => Promise.all([get('/last', 60_000), get('/never', 4000)]))
          .then(([last, never]) => console.log(last.status, never.code));`;
      const ended = await runProcess(process.execPath, ['-e', script], {
        cwd: join(__dirname, '../../client'),
        env: { NODE_EXTRA_CA_CERTS: ca },
      });
      assert.equal(ended.stdout, '200 timeout\n', ended.stderr);
      assert.equal(proxy.tunnels.length, 2);
    } finally {
      await close(front);
    }
  });

  it('leaves no socket to a proxy that never answers', async () => {
    const ended: Promise<void>[] = [];
    const respond: ProxyRules['respond'] = (socket) => {
      ended.push(new Promise((resolve) => socket.once('end', resolve)));
      socket.resume();
    };
    const error = await behind({ respond }, '', 1000);
    assert.ok(error instanceof NotSent, String(error));
    assert.match(error.message, /no answer from the proxy 127\.0\.0\.1:\d+ in time/);
    assert.equal(ended.length, 1);
    await Promise.all(ended);
  });

  it('names a proxy that is not there', async () => {
    proxy = await startForwardProxy({});
    const { port } = proxy;
    await proxy.close();
    const api = createClient({ address, token: 't', proxy: `http://127.0.0.1:${port}`, attempts: 1 });
    const error = await catchFailure(api.oauthClients.read('oc-1'));
    assert.match(
      error.message,
      new RegExp(`connection refused by the proxy 127\\.0\\.0\\.1:${port} .*: check HTTPS_PROXY`),
    );
    proxy = await startForwardProxy({});
  });
});
