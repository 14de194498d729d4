// Authentication, media type, methods, framing, errors and limits: what holds for every operation.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Caller, clientBody, mediaType } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';
import { proves } from './proves';

const operations: [string, string][] = [
  ['GET', '/organizations/acme/oauth-clients'],
  ['POST', '/organizations/acme/oauth-clients'],
  ['GET', '/oauth-clients/oc-1'],
  ['PATCH', '/oauth-clients/oc-1'],
  ['DELETE', '/oauth-clients/oc-1'],
  ['POST', '/oauth-clients/oc-1/relationships/projects'],
  ['DELETE', '/oauth-clients/oc-1/relationships/projects'],
  ['POST', '/workspaces/ws-app/run-triggers'],
  ['GET', '/workspaces/ws-app/run-triggers'],
  ['GET', '/run-triggers/rt-1'],
  ['DELETE', '/run-triggers/rt-1'],
];

describe('every operation', () => {
  let caller: Caller;
  before(async () => {
    caller = await Caller.start();
  });
  after(() => caller.close());

  proves(['bearer', 'gap-401'], 'answers 401 without a known token', async () => {
    const unauthorized = { errors: [{ status: '401', title: 'unauthorized' }] };
    for (const [method, path] of operations) {
      for (const headers of [
        {},
        { authorization: 'Bearer wrong' },
        { authorization: 'Basic b3duZXI6' },
        { authorization: 'owner' },
      ]) {
        const answer = await caller.send(method, path, { token: null, headers });
        assert.equal(answer.status, 401, `${method} ${path}`);
        assert.deepEqual(JSON.parse(answer.text), unauthorized);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
  });

  proves(
    ['media-type', 'gap-415'],
    'that writes answers 415 to another media type, without a body too',
    async () => {
      for (const [method, path] of operations.filter(([name]) => name !== 'GET')) {
        for (const type of ['application/json', 'text/plain', 'application/vnd.api', '']) {
          const answer = await caller.send(method, path, { headers: { 'content-type': type } });
          assert.deepEqual(
            [answer.status, answer.at('/errors/0/status')],
            [415, '415'],
            `${method} ${path} ${type}`,
          );
        }
      }
      const { status } = await caller.read('/oauth-clients/oc-1', {
        headers: { 'content-type': 'text/plain' },
      });
      assert.equal(status, 404);
      const charset = { headers: { 'content-type': `${mediaType}; charset=utf-8` } };
      assert.equal((await caller.createClient({}, {}, charset)).status, 201);
    },
  );

  proves(
    ['media-type', 'error-object', 'gap-error-form', 'base-path', 'version-prefix'],
    'answers with JSON API documents',
    async () => {
      const refused = await caller.createClient({ name: 5 });
      assert.equal(refused.headers.get('content-type'), mediaType);
      assert.deepEqual(Object.keys(Object(refused.at('/errors/0'))), ['status', 'title', 'detail', 'source']);
      assert.equal(refused.at('/errors/0/status'), '422');
      const created = await caller.createClient();
      assert.equal(created.headers.get('content-type'), mediaType);
      assert.ok(new URL(caller.service.url).pathname === '/api/v2');
      const outside = await fetch(caller.service.url.replace('/v2', '/v1'));
      assert.equal(outside.status, 404);
    },
  );

  proves(['gap-405'], 'has its path answer 405 to other methods, with Allow', async () => {
    const paths = new Map<string, string[]>();
    for (const [method, path] of operations) paths.set(path, [...(paths.get(path) ?? []), method]);
    for (const [path, methods] of paths) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'].filter(
        (name) => !methods.includes(name),
      )) {
        const answer = await caller.send(method, path);
        assert.equal(answer.status, 405, `${method} ${path}`);
        const allowed = (answer.headers.get('allow') ?? '').split(', ');
        const expected = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
        assert.deepEqual(allowed.sort(), [...expected].sort());
      }
    }
    const id = await caller.newClient();
    const head = await caller.send('HEAD', `/oauth-clients/${id}`);
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await caller.send('HEAD', '/oauth-clients/oc-none')).status, 404);
    assert.equal((await caller.read('/nothing/here')).status, 404);
  });

  proves(['gap-body-framing'], 'takes bodies with a length and in chunks', async () => {
    for (const chunked of [false, true]) {
      const body = JSON.stringify(clientBody());
      const headers = {
        authorization: 'Bearer owner',
        'content-type': mediaType,
        ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) }),
      };
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const url = `${caller.service.url}/organizations/acme/oauth-clients`;
        const sent = request(url, { method: 'POST', headers }, (response) => {
          text(response).then(() => resolve(response.statusCode), reject);
        });
        sent.on('error', reject);
        sent.write(body.slice(0, 20));
        sent.end(body.slice(20));
      });
      assert.equal(status, 201);
    }
  });

  proves(['runs-not-shown', 'no-events'], 'is one of the eleven of the text', async () => {
    const answer = await fetch(caller.service.url.replace('/api/v2', '/openapi.json'));
    const { paths } = (await answer.json()) as { paths: Record<string, object> };
    const declared = Object.values(paths).flatMap((path) => Object.keys(path));
    assert.equal(declared.length, operations.length);
  });
});

describe('a path of the API that is spelled differently', () => {
  let caller: Caller;
  beforeEach(async () => {
    caller = await Caller.start({ behaviours: { 'rate-limit': 'fixed-window', rate: '1' } });
  });
  afterEach(() => caller.close());

  /** Status and headers of a request whose line is exactly this. */
  async function sent(method: string, target: string, type: string, token = 'owner') {
    const socket = connect(Number(new URL(caller.service.url).port), '127.0.0.1');
    const headers = `host: x\r\nauthorization: Bearer ${token}\r\ncontent-type: ${type}\r\nconnection: close`;
    socket.write(`${method} ${target} HTTP/1.1\r\n${headers}\r\n\r\n`);
    const answer = await text(socket);
    return { status: Number(answer.split(' ')[1]), answer };
  }

  const spellings: Record<string, (path: string) => string> = {
    'with a letter encoded': (path) => path.replace('/api/', '/%61pi/'),
    'as an absolute URL': (path) => `http://x${path}`,
  };
  for (const [how, spelled] of Object.entries(spellings)) {
    it(`is held to media type, rate, faults and log like any other, ${how}`, async () => {
      const shown = spelled('/api/v2/oauth-clients/oc-1');
      assert.equal((await sent('DELETE', shown, 'text/plain')).status, 415);
      const limited = await sent('GET', shown, mediaType);
      assert.match(limited.answer, /^x-ratelimit-limit: 1\r$/im);
      assert.equal((await sent('GET', shown, mediaType, 'wrong')).status, 401);
      assert.equal((await sent('PUT', shown, mediaType, 'vcs')).status, 405);
      assert.equal((await sent('GET', spelled('/api/v2/nothing'), mediaType, 'wrong')).status, 401);
      assert.deepEqual(
        caller.service.requests().map(({ method, route }) => [method, route]),
        [
          ['DELETE', '/oauth-clients/:id'],
          ['GET', '/oauth-clients/:id'],
          ['GET', '/oauth-clients/:id'],
          ['PUT', null],
          ['GET', null],
        ],
      );
      caller.service.fault({ how: 'status', status: 503 });
      assert.equal((await sent('GET', shown, mediaType, 'reader')).status, 503);
    });
  }

  it('is linked to by its own host and path', async () => {
    const first = spellings['as an absolute URL']?.('/api/v2/organizations/acme/oauth-clients?page[size]=1');
    const { answer } = await sent('GET', first ?? '', mediaType);
    assert.match(answer, /"self":"http:\/\/x\/api\/v2\/organizations\/acme\/oauth-clients\?/);
  });
});

describe('bad input', () => {
  let caller: Caller;
  before(async () => {
    caller = await Caller.start();
  });
  after(() => caller.close());

  const deep = 20_000;
  const bodies: [string, string | Uint8Array, number][] = [
    ['malformed JSON', '{"data":', 400],
    ['JSON with a trailing comma', '{"data":{},}', 400],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400],
    ['a member called __proto__', '{"data":{"__proto__":{"type":"oauth-clients"}}}', 422],
    ['a text', '"x"', 422],
    ['a number', '5', 422],
    ['null', 'null', 422],
    ['an empty body', '', 422],
    ['deep nesting', `${'['.repeat(deep)}${']'.repeat(deep)}`, 422],
    ['deep nesting of an ignored member', `{"data":${'{"x":'.repeat(deep)}1${'}'.repeat(deep)}}`, 422],
    ['2 MB', JSON.stringify(clientBody({ name: 'x'.repeat(2 * 1024 * 1024) })), 413],
  ];
  for (const [what, raw, status] of bodies) {
    it(`answers ${status} to ${what} and changes nothing`, async () => {
      const answer = await caller.send('POST', '/organizations/acme/oauth-clients', { raw });
      assert.equal(answer.status, status, answer.text.slice(0, 200));
      assert.equal(answer.at('/errors/0/status'), String(status));
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    });
  }

  for (const path of [
    '/oauth-clients/%zz',
    '/oauth-clients/%',
    '/oauth-clients/%ff',
    '/%c0%af',
    '/oauth-clients/a%00b',
  ]) {
    it(`answers 400 or 404 to the path ${path}`, async () => {
      const { status, text: body } = await caller.read(path);
      assert.ok(status === 400 || status === 404, `${status}`);
      assert.match(body, /"errors"/);
    });
  }

  it('answers 404 to an id of 5,000 letters, and 401 to who has no token', async () => {
    const id = `oc-${'x'.repeat(5000)}`;
    assert.equal((await caller.read(`/oauth-clients/${id}`)).status, 404);
    assert.equal((await caller.read(`/oauth-clients/${id}`, { token: null })).status, 401);
  });

  async function rawAnswer(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(caller.service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    return text(socket);
  }

  it('answers 500 without a word about why when the service itself fails', async () => {
    const broken = await Caller.start({
      newId: () => {
        throw new Error('S3CRET detail');
      },
    });
    const answer = await broken.createClient();
    const document = { errors: [{ status: '500', title: 'internal server error' }] };
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [500, document]);
    assert.deepEqual(broken.service.snapshot().oauthClients, []);
    await broken.close();
  });

  it('answers 431 to a flood of headers', async () => {
    const flood = Array.from({ length: 2000 }, (_unused, index) => `x-${index}: ${'y'.repeat(50)}`).join(
      '\r\n',
    );
    assert.match(
      await rawAnswer(`GET /api/v2/x HTTP/1.1\r\nhost: x\r\n${flood}\r\n\r\n`),
      /^HTTP\/1\.1 431 /,
    );
  });

  it('answers 400 to what is no HTTP', async () => {
    assert.match(await rawAnswer('hello\r\n\r\n'), /^HTTP\/1\.1 400 [\s\S]*"errors"/);
  });

  it('is still there afterwards', async () => {
    const base = caller.service.url.replace('/api/v2', '');
    assert.deepEqual(await (await fetch(`${base}/healthz`)).json(), { status: 'ok' });
  });
});

describe('the rate limit', () => {
  const clock = new HandClock(1_000_000_000_000);
  let caller: Caller | undefined;
  afterEach(() => caller?.close());

  async function burst(count: number, token = 'owner') {
    const answers = [];
    for (let sent = 0; sent < count; sent += 1)
      answers.push(await caller?.read('/oauth-clients/oc-1', { token }));
    return answers.map((answer) => ({
      status: answer?.status,
      remaining: answer?.headers.get('x-ratelimit-remaining'),
      reset: answer?.headers.get('x-ratelimit-reset'),
      limit: answer?.headers.get('x-ratelimit-limit'),
    }));
  }

  proves(['gap-rate-limit'], 'is off by default', async () => {
    caller = await Caller.start({ clock });
    const answers = await burst(40);
    assert.deepEqual(
      new Set(answers.map(({ status, limit }) => `${status} ${limit}`)),
      new Set(['404 null']),
    );
  });

  const after: [string, number, number[], string][] = [
    // After the burst: pass this many milliseconds, then these many of four requests pass, and the reset said.
    ['token-bucket', 500, [404, 404, 429, 429], '0.250'],
    ['fixed-window', 999, [429, 429, 429, 429], '1.000'],
    ['fixed-window', 1000, [404, 404, 404, 404], '1.000'],
    ['sliding-window', 999, [429, 429, 429, 429], '1.000'],
    ['sliding-window', 1000, [404, 404, 404, 404], '1.000'],
  ];
  for (const [algorithm, milliseconds, statuses, reset] of after) {
    proves(
      ['gap-rate-limit'],
      `as ${algorithm} lets ${statuses.filter((status) => status === 404).length} of 4 pass ${milliseconds} ms after a burst`,
      async () => {
        clock.pass(10_000 - (clock.now() % 10_000));
        caller = await Caller.start({ clock, behaviours: { 'rate-limit': algorithm, rate: '4' } });
        const first = await burst(6);
        assert.deepEqual(
          first.map(({ status }) => status),
          [404, 404, 404, 404, 429, 429],
        );
        assert.deepEqual(
          first.map(({ remaining }) => remaining),
          ['3', '2', '1', '0', '0', '0'],
        );
        assert.deepEqual([first[5]?.reset, first[5]?.limit], [reset, '4']);
        assert.equal((await burst(1, 'vcs'))[0]?.status, 404);
        clock.pass(milliseconds);
        assert.deepEqual(
          (await burst(4)).map(({ status }) => status),
          statuses,
        );
      },
    );
  }

  proves(['gap-rate-limit'], 'refuses with an error document', async () => {
    caller = await Caller.start({ clock, behaviours: { 'rate-limit': 'fixed-window', rate: '1' } });
    await caller.read('/oauth-clients/oc-1');
    const answer = await caller.createClient();
    assert.deepEqual([answer.status, answer.at('/errors/0/status')], [429, '429']);
    assert.deepEqual(caller.service.snapshot().oauthClients, []);
  });
});
