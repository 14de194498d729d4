/** Authentication, media type, methods, framing, errors and limits: what holds for every operation. */
import assert from 'node:assert/strict';
import { Caller, clientBody, mediaType } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

const operations: readonly (readonly [string, string])[] = [
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
  const caller = Caller.startBeforeEach();

  it('answers 401 without a known token', async () => {
    const unauthorized = { errors: [{ status: '401', title: 'unauthorized' }] };
    for (const [method, path] of operations) {
      for (const authorization of [undefined, 'Bearer wrong', 'Basic b3duZXI6', 'owner']) {
        const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
        const answer = await caller.send(method, path, { token: null, headers });
        assert.deepEqual([answer.status, JSON.parse(answer.text)], [401, unauthorized], `${method} ${path}`);
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
  });

  it('that writes answers 415 to another media type, without a body too', async () => {
    const typed = (type: string) => ({ headers: { 'content-type': type } });
    for (const [method, path] of operations.filter(([name]) => name !== 'GET')) {
      for (const type of ['application/json', 'text/plain', 'application/vnd.api', '']) {
        const { status } = await caller.send(method, path, typed(type));
        assert.equal(status, 415, `${method} ${path} ${type}`);
      }
    }
    assert.equal((await caller.read('/oauth-clients/oc-1', typed('text/plain'))).status, 404);
    assert.equal((await caller.createClient({}, {}, typed(`${mediaType}; charset=utf-8`))).status, 201);
  });

  it('answers with JSON API documents', async () => {
    const refused = await caller.createClient({ name: 5 });
    assert.equal(refused.headers.get('content-type'), mediaType);
    assert.deepEqual(refused.at('/errors/0'), {
      status: '422',
      title: 'unprocessable entity',
      detail: 'name must be string or null',
      source: { pointer: '/data/attributes/name' },
    });
    assert.equal((await caller.createClient()).headers.get('content-type'), mediaType);
    assert.equal((await fetch(caller.service.url.replace('/v2', '/v1'))).status, 404);
  });

  it('has its path answer 405 to other methods, with Allow', async () => {
    for (const path of new Set(operations.map(([, one]) => one))) {
      const methods = operations.filter(([, one]) => one === path).map(([method]) => method);
      const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (methods.includes(method)) continue;
        const answer = await caller.send(method, path);
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), allowed);
      }
    }
    const head = await caller.send('HEAD', `/oauth-clients/${await caller.newClient()}`);
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await caller.read('/nothing/here')).status, 404);
  });

  it('has the time of its answer in Date and created-at, by the clock of the service', async () => {
    const clock = new HandClock(Date.parse('2031-02-03T04:05:06.789Z'));
    await caller.restart({ clock });
    const created = await caller.createClient();
    assert.equal(created.at('/data/attributes/created-at'), '2031-02-03T04:05:06.789Z');
    assert.equal(created.headers.get('date'), 'Mon, 03 Feb 2031 04:05:06 GMT');
    clock.pass(60_000);
    for (const path of ['/oauth-clients/oc-none', '/nothing']) {
      assert.equal((await caller.read(path)).headers.get('date'), 'Mon, 03 Feb 2031 04:06:06 GMT');
    }
  });
});

describe('bad input', () => {
  const caller = Caller.startBeforeEach();

  const deep = 20_000;
  const bodies: [string, string | Uint8Array, number][] = [
    ['malformed JSON', '{"data":', 422],
    ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 422],
    ['a member called __proto__', '{"data":{"__proto__":{"type":"oauth-clients"}}}', 422],
    ['a text', '"x"', 422],
    ['null', 'null', 422],
    ['an empty body', '', 422],
    ['deep nesting', `${'['.repeat(deep)}${']'.repeat(deep)}`, 422],
    ['deep nesting of an ignored member', `{"data":${'{"x":'.repeat(deep)}1${'}'.repeat(deep)}}`, 422],
    ['2 MB', JSON.stringify(clientBody({ name: 'x'.repeat(2 * 1024 * 1024) })), 413],
  ];
  for (const [what, raw, status] of bodies) {
    it(`is answered with ${status} where it is ${what}, and changes nothing`, async () => {
      const answer = await caller.send('POST', '/organizations/acme/oauth-clients', { raw });
      assert.deepEqual([answer.status, answer.at('/errors/0/status')], [status, String(status)]);
      assert.deepEqual(caller.service.snapshot().oauthClients, []);
    });
  }

  it('is answered with 404 where it is in the path', async () => {
    for (const id of ['%zz', '%', '%ff', '%c0%af', 'a%00b', `oc-${'x'.repeat(5000)}`]) {
      const { status, text: body } = await caller.read(`/oauth-clients/${id}`);
      assert.equal(status, 404);
      assert.match(body, /"errors"/);
    }
  });

  it('is not what a 500 tells of, when the service itself fails', async () => {
    const newId = () => {
      throw new Error('S3CRET detail');
    };
    await caller.restart({ newId });
    const answer = await caller.createClient();
    const document = { errors: [{ status: '500', title: 'internal server error' }] };
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [500, document]);
    assert.deepEqual(caller.service.snapshot().oauthClients, []);
  });
});

describe('the rate limit', () => {
  const clock = new HandClock(1_000_000_000_000);
  const caller = Caller.startBeforeEach({ clock });

  async function burst(count: number, token = 'owner') {
    const seen = [];
    for (let sent = 0; sent < count; sent += 1) {
      const { status, headers } = await caller.read('/oauth-clients/oc-1', { token });
      const [remaining, reset, limit] = ['remaining', 'reset', 'limit'].map((name) =>
        headers.get(`x-ratelimit-${name}`),
      );
      seen.push({ status, remaining, reset, limit });
    }
    return seen;
  }

  it('is off by default', async () => {
    const seen = new Set((await burst(40)).map(({ status, limit }) => `${status} ${limit}`));
    assert.deepEqual(seen, new Set(['404 null']));
  });

  const afterBurst: readonly (readonly [string, number, number, string])[] = [
    ['token-bucket', 500, 2, '0.250'],
    ['fixed-window', 999, 0, '1.000'],
    ['fixed-window', 1000, 4, '1.000'],
    ['sliding-window', 999, 0, '1.000'],
    ['sliding-window', 1000, 4, '1.000'],
  ];
  for (const [algorithm, milliseconds, passing, reset] of afterBurst) {
    const title = `as ${algorithm} lets ${passing} of 4 pass ${milliseconds} ms after a burst`;
    it(title, async () => {
      clock.pass(10_000 - (clock.now() % 10_000));
      await caller.restart({ clock, behaviours: { 'rate-limit': algorithm, rate: '4' } });
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
      const statuses = (await burst(4)).map(({ status }) => status);
      assert.deepEqual(statuses, [404, 404, 404, 404].fill(429, passing));
    });
  }
});
