/** Exactly what is sent, and what each answer becomes, down to the bytes of the wire. */
import assert from 'node:assert/strict';
import * as net from 'node:net';
import { networkInterfaces } from 'node:os';
import { gzipSync } from 'node:zlib';
import { withDefaults } from '../../client/options';
import { createTransport, type Exchange, type Outgoing } from '../../client/transport';

type Serve = (socket: net.Socket) => void;

/** Answers each request in this way, and records what arrived. */
async function startRawServer(answer: Serve, host = '127.0.0.1') {
  const arrived: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [head = '', body] = text.split('\r\n\r\n');
      const [, length = 0] = /^content-length: (\d+)$/im.exec(head) ?? [];
      if (body === undefined || Buffer.byteLength(body) < Number(length)) return;
      arrived.push(text);
      text = '';
      answer(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as net.AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port, arrived, connections: () => sockets.size, close };
}

const read = { method: 'GET', route: '/oauth-clients/oc-1', body: null, timeoutMs: 60_000 } as const;
const document = '{"data":"é"}';
const length = (body: string | Buffer) => `Content-Length: ${Buffer.byteLength(body)}`;
const ok = 'HTTP/1.1 200 OK';

function answerOf(head: readonly string[], body: string | Buffer = ''): Buffer {
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const keep =
  (bytes: Buffer): Serve =>
  (socket) =>
    void socket.write(bytes);
const end =
  (bytes: Buffer): Serve =>
  (socket) =>
    void socket.end(bytes);
const reset =
  (bytes: Buffer): Serve =>
  (socket) =>
    void socket.write(bytes, () => socket.resetAndDestroy());
const packed = gzipSync(document);
const long = 'x'.repeat(1000);
const whole = (body: string | Buffer, encoding?: string) =>
  keep(answerOf([ok, length(body), ...(encoding ? [`Content-Encoding: ${encoding}`] : [])], body));
/** Starts with 100 kB of blanks, and ends in what cannot be unpacked. */
const bomb = Buffer.concat([gzipSync(Buffer.alloc(100_000, ' ')).subarray(0, -10), Buffer.alloc(10, 0xff)]);

async function exchange(answer: Serve, outgoing: Outgoing = read) {
  const server = await startRawServer(answer);
  try {
    const address = `http://127.0.0.1:${server.port}/api/v2`;
    const settings = withDefaults({ address, token: 'token-1', maxAnswerBytes: 1000 });
    const send = createTransport(settings, false);
    const got: Exchange = await send(outgoing);
    return { got, again: await send(outgoing), connections: server.connections() };
  } finally {
    await server.close();
  }
}

describe('an answer on the wire', () => {
  const chunked = answerOf([ok, 'Transfer-Encoding: chunked'], '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n');
  const hints = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK';
  for (const [what, answer, body, connections = 1] of [
    ['without a length, to the end', end(answerOf([ok], document)), document, 2],
    ['in chunks', keep(chunked), '{"a":1}'],
    ['after 100 and 103', keep(answerOf([hints, length('{}')], '{}')), '{}'],
    ['that is as long as allowed', whole(long), long],
    ['in gzip', whole(packed, 'gzip'), document],
  ] as const) {
    it(`is read ${what}, and its connection ${connections === 1 ? 'kept' : 'not used again'}`, async () => {
      const { got, again, connections: made } = await exchange(answer);
      assert.ok(got.kind === 'response' && got.body !== null);
      assert.deepEqual([got.status, Buffer.from(got.body).toString(), got.broken], [200, body, null]);
      assert.deepEqual(again, got);
      assert.equal(made, connections);
    });
  }

  for (const [what, answer, broken] of [
    ['ends early', end(answerOf([ok, 'Content-Length: 100'], document)), 'cut off'],
    ['is reset', reset(answerOf([ok, 'Content-Length: 100'], document)), 'cut off'],
    ['lacks its last chunk', end(answerOf([ok, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n')), 'cut off'],
    ['has a chunk of no size', keep(answerOf([ok, 'Transfer-Encoding: chunked'], 'zz\r\n')), 'cut off'],
    ['is no gzip', whole(document, 'gzip'), 'cut off'],
    ['is a byte too long', whole(`${long}x`), 'too large'],
    ['has no end', keep(answerOf([ok, 'Content-Length: 1000000'], `${long}x`)), 'too large'],
    ['is a byte too long in gzip', whole(gzipSync(`${long}x`), 'gzip'), 'too large'],
    ['is a bomb, whose end is never reached', whole(bomb, 'gzip'), 'too large'],
  ] as const) {
    it(`that ${what} is ${broken}`, async () => {
      const { got } = await exchange(answer);
      assert.ok(got.kind === 'response');
      assert.deepEqual([got.status, got.body, got.broken], [200, null, broken]);
    });
  }

  for (const [what, answer, code] of [
    ['ends before it begins', end(Buffer.alloc(0)), 'ECONNRESET'],
    ['ends within its head', end(Buffer.from('HTTP/1.1 200 OK\r\nContent-')), 'ECONNRESET'],
    ['is no HTTP', keep(Buffer.from('hello\r\n\r\n')), 'HPE_INVALID_CONSTANT'],
    [
      'is another protocol',
      keep(answerOf(['HTTP/1.1 101 X', 'Connection: upgrade', 'Upgrade: x'])),
      'timeout',
    ],
  ] as const) {
    it(`that ${what} is none to a request that may have been read`, async () => {
      const timeoutMs = code === 'timeout' ? 500 : read.timeoutMs;
      const { got } = await exchange(answer, { ...read, method: 'POST', body: '{}', timeoutMs });
      assert.deepEqual(got, { kind: 'none', sent: true, code });
    });
  }

  it('has of its headers those that matter, the first where one came twice', async () => {
    const head = ['Set-Cookie: a=1', 'X-A: 1', 'Retry-After: 3', 'RETRY-AFTER: 4', 'Location: /x'];
    const { got } = await exchange(keep(answerOf([ok, ...head, 'Content-Length: 0'])));
    assert.ok(got.kind === 'response');
    assert.deepEqual(got.headers, { 'retry-after': '3', location: '/x' });
  });
});

describe('a request on the wire', () => {
  async function sent(outgoing: Outgoing, base = '/api/v2', host = '127.0.0.1'): Promise<string> {
    const server = await startRawServer(whole(''), host);
    try {
      const address = `http://${net.isIPv6(host) ? `[${host}]` : host}:${server.port}${base}`;
      await createTransport(withDefaults({ address, token: 'token-1' }), false)(outgoing);
      assert.equal(server.arrived.length, 1);
      return String(server.arrived[0]).replaceAll(`:${server.port}`, ':PORT');
    } finally {
      await server.close();
    }
  }

  for (const [base, target] of [
    ['', '/oauth-clients/oc-1'],
    ['/', '/oauth-clients/oc-1'],
    ['/tfe/api/v2/', '/tfe/api/v2/oauth-clients/oc-1'],
    ['/a//b c/%7E', '/a//b%20c/%7E/oauth-clients/oc-1'],
  ] as const) {
    it(`goes to ${target} where the address ends in "${base}"`, async () => {
      assert.ok((await sent(read, base)).startsWith(`GET ${target} HTTP/1.1\r\n`));
    });
  }

  it('has its query encoded, and none where that is empty', async () => {
    const query = { 'page[size]': '100', 'a b': 'é&+=~*#' };
    const line = async (one: Outgoing['query']) => (await sent({ ...read, query: one })).split(' ')[1];
    const target = '/api/v2/oauth-clients/oc-1';
    assert.equal(await line(query), `${target}?page%5Bsize%5D=100&a+b=%C3%A9%26%2B%3D%7E*%23`);
    assert.equal(await line({}), target);
  });

  const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  if (interfaces.some(({ address }) => address === '::1')) {
    it('goes to an IPv6 address, in brackets only where it is named', async () => {
      assert.match(await sent(read, '/api/v2', '::1'), /^Host: \[::1\]:PORT\r$/m);
    });
  }
});
