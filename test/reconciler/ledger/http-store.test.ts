/** The ledger on an HTTP server: the exact requests that GitLab's API documents, where credentials go, and what is no answer. */
import assert from 'node:assert/strict';
import nock from 'nock';
import { parseLedgerPlace } from '../../../manifest/ledger-place';
import { ledgerSecrets } from '../../../reconciler/ledger/credentials';
import { renderLedger } from '../../../reconciler/ledger/document';
import { homeTimes } from '../../../reconciler/ledger/home';
import { emptyLedger, nextSerial } from '../../../reconciler/ledger/ledger';
import { openStore } from '../../../reconciler/ledger/open-store';
import { freeLock, LockLost } from '../../../reconciler/ledger/store';
import { offline } from '../../support/offline';
import { json, reset, startScriptedServer, text } from '../../support/scripted-server';

const host = 'https://gitlab.example.com';
const path = '/api/v4/projects/7/terraform/state/tether';
const credentials = 'https://gitlab-ci-token:job%2Ftoken@gitlab.example.com';
const authorization = `Basic ${Buffer.from('gitlab-ci-token:job/token').toString('base64')}`;
const first = nextSerial(emptyLedger('acme'), 'https://app.example.com/api/v2');

function open(url = host + path, login: string | undefined = credentials, signal?: AbortSignal) {
  const ledger = parseLedgerPlace(url);
  assert.ok(typeof ledger !== 'string');
  const env = { TETHER_LEDGER_CREDENTIALS: login };
  return openStore({
    folder: '/nowhere',
    organization: 'acme',
    cwd: '/',
    ledger,
    env,
    ...(signal && { signal }),
  });
}

/** Waits are short within one suite. */
function hasty(): void {
  const { poll } = homeTimes;
  before(() => {
    homeTimes.poll = 1;
  });
  after(() => {
    homeTimes.poll = poll;
  });
}

describe('a ledger on GitLab', () => {
  offline();
  hasty();

  it('sends each host its own credentials, of several that blanks separate', async () => {
    const all = `https://user:canary@other.example.com ${credentials}\nuser:canary`;
    nock(host, { reqheaders: { authorization } }).get(path).reply(404, { message: '404 Not found' });
    assert.equal(await open(host + path, all).read(), null);
    assert.throws(() => open(host + path, `${all} ${credentials}`), {
      name: 'LedgerError',
      message: 'TETHER_LEDGER_CREDENTIALS has two logins for gitlab.example.com: keep the right one',
    });
    assert.deepEqual(ledgerSecrets({ TETHER_LEDGER_CREDENTIALS: all }).slice(0, 3), [
      'canary',
      'job/token',
      'user:canary',
    ]);
  });

  it('is read, locked, saved and unlocked by the requests of its API', async () => {
    const scope = nock(host, { reqheaders: { authorization, 'content-type': 'application/json' } });
    let id = '';
    scope
      .post(`${path}/lock`, (body: Record<string, string>) => {
        id = body.ID ?? '';
        assert.deepEqual(Object.keys(body).sort(), [
          'Created',
          'ID',
          'Info',
          'Operation',
          'Path',
          'Version',
          'Who',
        ]);
        assert.match(body.Created ?? '', /^\d{4}-\d\d-\d\dT[\d:]+Z$/);
        return body.Who === 'alice' && /^[\da-f-]{36}$/.test(id);
      })
      .reply(200, '{}');
    // A state that was locked and never written.
    scope.get(path).twice().reply(204);
    scope
      .post(path, renderLedger(first))
      .query((query) => query.ID === id)
      .reply(200);
    scope.get(path).reply(200, renderLedger(first));
    scope
      .delete(`${path}/lock`, (body: object) => JSON.stringify(body) === JSON.stringify({ ID: id }))
      .reply(200);
    const store = open();
    await store.lock({ who: 'alice' }, 0);
    assert.equal(await store.read(), null);
    await store.save(first, null);
    assert.deepEqual(await store.read(), first);
    await store.unlock();
    assert.ok(scope.isDone(), scope.pendingMocks().join());
  });

  it('stops a save that another lock refuses, and names its holder', async () => {
    const scope = nock(host);
    scope.post(`${path}/lock`).reply(200);
    scope.get(path).reply(404);
    const other = { ID: 'other-1', Who: `${'x'.repeat(95)}job/token` };
    scope.post(/state\/tether\?ID=/).reply(409, other);
    const store = open();
    await store.lock({ who: 'alice' }, 0);
    await assert.rejects(store.save(first, null), (error: Error) => {
      return error instanceof LockLost && /x{95}\(sec.* has it since long ago/.test(error.message);
    });
  });

  it('does not wait with a save during an interruption, because none may follow the unlock', async () => {
    const { poll, interrupted } = homeTimes;
    Object.assign(homeTimes, { poll: 3000, interrupted: 500 });
    const stop = new AbortController();
    const scope = nock(host);
    scope.post(`${path}/lock`).reply(200);
    scope.get(path).times(3).reply(404);
    scope.post(/state\/tether\?ID=/).reply(503);
    scope.post(/state\/tether\?ID=/).reply(503);
    try {
      const store = open(host + path, credentials, stop.signal);
      await store.lock({ who: 'alice' }, 0);
      const saved = store.save(first, null);
      // It now waits for its second attempt, or will see the interruption before that.
      setTimeout(() => stop.abort(), 200);
      await assert.rejects(saved, /the answer was 503: try again later, and it still holds/);
    } finally {
      Object.assign(homeTimes, { poll, interrupted });
    }
  });

  it('takes the lock for its own when the answer was lost and the second one names it', async () => {
    const scope = nock(host);
    scope.post(`${path}/lock`).replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    scope.post(`${path}/lock`).reply(409, (_, body) => body);
    const store = open();
    await store.lock({ who: 'alice' }, 0);
    scope.delete(`${path}/lock`).reply(500);
    scope.delete(`${path}/lock`).reply(404);
    await store.unlock();
    assert.ok(scope.isDone());
  });

  it('says how to free a lock that could not be released', async () => {
    const scope = nock(host);
    scope.post(`${path}/lock`).reply(200);
    scope.delete(`${path}/lock`).times(5).reply(502);
    const store = open();
    await store.lock({ who: 'alice' }, 0);
    const message =
      /could not unlock .*: the answer was 502: try again later\. It may stay locked: run `tether ledger unlock [\w-]{36}`/;
    await assert.rejects(store.unlock(), { name: 'LedgerError', message });
  });

  it('is not called free while its server still names the dead run', async () => {
    const dead = { ID: 'dead', Who: 'bob' };
    const message =
      /could not unlock .*: the answer was 423: another run may have the lock\. It may stay locked: try again, or remove/;
    nock(host).post(`${path}/lock`).reply(423, dead).delete(`${path}/lock`).reply(423, dead);
    await assert.rejects(freeLock(open(), 'dead', 'alice'), { name: 'LedgerError', message });
    nock(host).post(`${path}/lock`).twice().reply(423, dead).delete(`${path}/lock`).reply(200);
    await assert.rejects(freeLock(open(), 'dead', 'alice'), {
      message: /still locked.* Remove the lock there/,
    });
  });

  for (const status of [409, 423]) {
    it(`is not called unlocked where the answer is ${status}, whoever it names`, async () => {
      const answers: [body: (sent: nock.Body) => nock.Body, says: RegExp][] = [
        [() => '', /could not unlock .* may have the lock\. It may stay locked: run `tether ledger unlock/],
        [
          (sent) => sent,
          /could not unlock .* may have the lock\. It may stay locked: run `tether ledger unlock/,
        ],
        [() => ({ ID: 'other-1', Who: 'bob' }), /the lock of .* was lost, and bob has it since long ago$/],
      ];
      for (const [body, message] of answers) {
        nock(host).post(`${path}/lock`).reply(200);
        nock(host)
          .delete(`${path}/lock`)
          .reply(status, (_, sent) => body(sent));
        const store = open();
        await store.lock({ who: 'alice' }, 0);
        await assert.rejects(store.unlock(), { message });
      }
    });
  }

  it('stops a save that is refused by a conflict, unless an earlier attempt has stored it', async () => {
    const stores = [renderLedger(first), undefined];
    for (const stored of stores) {
      nock(host).post(`${path}/lock`).reply(200).get(path).reply(404);
      nock(host).post(path).query(true).reply(409);
      if (stored === undefined) nock(host).get(path).reply(404);
      else nock(host).get(path).reply(200, stored);
      const store = open();
      await store.lock({ who: 'alice' }, 0);
      const save = store.save(first, null);
      if (stored === undefined)
        await assert.rejects(save, { name: 'LockLost', message: /somebody freed it/ });
      else await save;
    }
  });

  const ways: [status: number, headers: Record<string, string>, says: RegExp][] = [
    [404, {}, /could not lock .*: the answer was 404: check `ledger:` and TETHER_LEDGER_CREDENTIALS$/],
    [403, {}, /could not lock .*: the answer was 403: check TETHER_LEDGER_CREDENTIALS$/],
    [
      301,
      { Location: 'https://new.example.com/state/tether?token=canary#x' },
      /the answer was 301: it redirects to https:\/\/new\.example\.com\/state\/tether, which Tether does not follow: check `ledger:`$/,
    ],
    [502, {}, /could not lock .*: the answer was 502: try again later$/],
    [429, {}, /could not lock .*: the answer was 429: try again later$/],
  ];
  for (const [status, headers, message] of ways) {
    it(`says the way out where the answer to the lock is ${status}`, async () => {
      nock(host).persist().post(`${path}/lock`).reply(status, '', headers).delete(`${path}/lock`).reply(404);
      await assert.rejects(open().lock({ who: 'alice' }, 0), { name: 'LedgerError', message });
    });
  }
});

describe('a ledger on an HTTP server', () => {
  hasty();
  const refusals = [
    [json(401, {}), /could not read .*: the answer was 401: check TETHER_LEDGER_CREDENTIALS/],
    [json(403, {}), /the answer was 403: check/],
    [json(500, {}), /the answer was 500/],
    [text(302, '', { Location: 'http://127.0.0.1:1/elsewhere' }), /the answer was 302: it redirects to http/],
    [text(404, '<!DOCTYPE html>'), /could not read .*: the answer was 404: check `ledger:` and TETHER_LED/],
    [json(404, { message: '404 Project Not Found' }), /the answer was 404: check `ledger:` and TETHER_LED/],
    [text(404, 'Not found.\n'), /the answer was 404: check `ledger:`/],
    [text(200, ''), /the answer was 200 with an empty body: check `ledger:`/],
    [text(206, '{'), /the answer was 206: check `ledger:`/],
    [text(200, '<html>'), /the answer was a web page: check `ledger:` and the proxies on the way/],
    [text(200, '['.repeat(32_000_001)), /has more than 32 MB: restore an earlier version/],
    [reset, /the connection to .* broke .*\(ECONNRESET\)/],
  ] as const;
  for (const [reply, says] of refusals) {
    it(`is never empty because of a bad answer: ${says.source}`, async () => {
      const server = await startScriptedServer();
      server.script(reply);
      const origin = `http://127.0.0.1:${server.port}`;
      const login = origin.replace('//', '//user:token-canary@');
      try {
        await assert.rejects(open(`${origin}/terraform/state/acme`, login).read(), (error: Error) => {
          assert.match(error.message, says);
          assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /canary/);
          return error.name === 'LedgerError';
        });
        assert.deepEqual(
          server.arrived.map(({ url }) => url).filter((url) => !url.startsWith('/terraform/state/acme')),
          [],
        );
      } finally {
        await server.close();
      }
    });
  }

  it('may be on this machine without TLS, under each of its names', () => {
    for (const name of ['localhost', '127.0.0.2', '[::1]']) {
      const place = parseLedgerPlace(`http://${name}:1/terraform/state/acme`);
      assert.equal(typeof place, 'object', name);
    }
  });

  it('says that nothing listens', async () => {
    await assert.rejects(
      open('http://127.0.0.1:1/terraform/state/acme', 'http://user:token@127.0.0.1:1').read(),
      {
        message:
          'could not read http://127.0.0.1:1/terraform/state/acme: connection refused by 127.0.0.1:1 (ECONNREFUSED): check `ledger:`',
      },
    );
  });

  const logins = [
    undefined,
    'https://user:canary@other.example.com',
    'https://user:canary@gitlab.example.com:8443',
    'http://user:canary@gitlab.example.com',
    'user:canary',
  ];
  for (const login of logins) {
    it(`sends no credentials to a host that they are not for: ${login ?? 'none'}`, () => {
      assert.throws(() => open(host + path, login ?? ''), {
        name: 'LedgerError',
        message: `${host}${path} needs TETHER_LEDGER_CREDENTIALS=https://user:token@gitlab.example.com, with user and token percent-encoded, and a blank before the URL of another host`,
      });
    });
  }
});
