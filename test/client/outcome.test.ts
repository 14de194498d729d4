/** What failures without an answer mean, for the codes that no test can provoke on loopback. */
import assert from 'node:assert/strict';
import type { Request } from '../../client/api';
import { AnswerLost, NotSent } from '../../client/errors';
import { classify } from '../../client/outcome';
import { redactor } from '../../client/text';
import type { Exchange } from '../../client/transport';

const read: Request<void> = { method: 'GET', path: [], expects: 'nothing', read: () => {} };
const create: Request<void> = { ...read, method: 'POST' };
const answer = (status: number, body: string): Exchange => ({
  kind: 'answer',
  status,
  headers: {},
  body: new TextEncoder().encode(body),
  broken: null,
});
const client = (address: string, proxy: URL | null = null) => ({
  address,
  tokenFrom: 'TOKEN',
  maxAnswerBytes: 3_000_000,
  proxy,
});
const none = (code: string, sent: boolean): Exchange => ({ kind: 'none', code, sent });

describe('outcomes of requests without an answer', () => {
  for (const [code, again, message] of [
    ['ECONNREFUSED', true, 'connection refused by service.test:8443 (ECONNREFUSED): check the address'],
    [
      'EAI_AGAIN',
      true,
      'the host name of service.test:8443 cannot be resolved (EAI_AGAIN): check the address',
    ],
    [
      'ENOTFOUND',
      false,
      'the host name of service.test:8443 cannot be resolved (ENOTFOUND): check the address',
    ],
    [
      'EPROTO',
      false,
      'the TLS handshake with service.test:8443 failed (EPROTO): check the address and its port',
    ],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      false,
      'the certificate of service.test:8443 is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): NODE_EXTRA_CA_CERTS names a file with further authorities',
    ],
    [
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      false,
      'the certificate of service.test:8443 is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE): NODE_EXTRA_CA_CERTS names a file with further authorities',
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      false,
      'the certificate of service.test:8443 is for another name (ERR_TLS_CERT_ALTNAME_INVALID): check the host name of the address',
    ],
    [
      'CERT_HAS_EXPIRED',
      false,
      'the certificate of service.test:8443 is not valid today (CERT_HAS_EXPIRED): renew it, or check the clock here',
    ],
    [
      'EHOSTUNREACH',
      true,
      'no connection to service.test:8443 (EHOSTUNREACH): check the address and the network',
    ],
    ['timeout', true, 'no connection to service.test:8443 in time: check the address and the network'],
    ['unknown', true, 'no connection to service.test:8443 (unknown): check the address and the network'],
  ] as const) {
    it(`${again ? 'tries again' : 'gives up'} after ${code} before a byte was sent, also on a create`, () => {
      for (const request of [read, create]) {
        const outcome = classify(
          request,
          none(code, false),
          client('https://service.test:8443/api/v2'),
          redactor([]),
        );
        assert.ok(outcome.state === 'failed' && outcome.retry === (again ? 'attempts' : 'never'));
        assert.equal(outcome.failure.kind, NotSent);
        assert.equal(outcome.failure.outcome, 'not-sent');
        assert.equal(outcome.failure.text, message);
      }
    });
  }

  for (const [code, tunnel, sent, message] of [
    [
      'ENOTFOUND',
      0,
      false,
      'the host name of the proxy corp:3128 cannot be resolved (ENOTFOUND): check HTTPS_PROXY',
    ],
    ['ECONNREFUSED', 0, false, 'connection refused by the proxy corp:3128 (ECONNREFUSED): check HTTPS_PROXY'],
    ['timeout', 0, false, 'no connection to the proxy corp:3128 in time: check HTTPS_PROXY and the network'],
    [
      'HPE_INVALID_CONSTANT',
      Number.NaN,
      false,
      'no connection to the proxy corp:3128 (HPE_INVALID_CONSTANT): check HTTPS_PROXY and the network',
    ],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      200,
      false,
      'the certificate of service.test is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT): NODE_EXTRA_CA_CERTS names a file with further authorities',
    ],
    ['timeout', 200, false, 'no connection to service.test in time: check the address and the network'],
    ['timeout', 200, true, 'no answer from service.test in time'],
    // In a tunnel that an earlier request opened.
    [
      'ECONNRESET',
      undefined,
      true,
      'the connection to service.test broke before the answer was complete (ECONNRESET)',
    ],
  ] as const) {
    it(`blames who failed, proxy or service: ${code} after ${tunnel}, ${sent ? 'sent' : 'not sent'}`, () => {
      const through = client('https://service.test/api/v2', new URL('http://ann:p@corp:3128'));
      const outcome = classify(read, { kind: 'none', code, sent, tunnel }, through, redactor([]));
      assert.ok(outcome.state === 'failed');
      assert.equal(outcome.failure.text, message);
      assert.equal(outcome.failure.outcome, sent ? 'ambiguous' : 'not-sent');
    });
  }

  for (const [tunnel, again] of [
    [407, 'never'],
    [403, 'never'],
    [302, 'never'],
    [502, 'attempts'],
    [504, 'attempts'],
  ] as const) {
    it(`asks a proxy that answered ${tunnel} ${again === 'never' ? 'no more' : 'again'}`, () => {
      const through = client('https://service.test/api/v2', new URL('http://corp:3128'));
      const outcome = classify(
        create,
        { kind: 'none', code: 'unknown', sent: false, tunnel },
        through,
        redactor([]),
      );
      assert.ok(outcome.state === 'failed');
      assert.equal(outcome.retry, again);
      assert.equal(outcome.failure.kind, NotSent);
    });
  }

  it('says of what is no HTTP that the address is the place to look', () => {
    const outcome = classify(
      read,
      none('HPE_INVALID_CONSTANT', true),
      client('https://service.test:22/api/v2'),
      redactor([]),
    );
    assert.ok(outcome.state === 'failed' && outcome.retry === 'attempts');
    assert.equal(
      outcome.failure.text,
      'service.test:22 does not speak HTTP as expected (HPE_INVALID_CONSTANT): check the address and its port',
    );
  });

  it('knows nothing of a request that was sent, whatever the code', () => {
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'timeout', 'unknown']) {
      const exchange = none(code, true);
      const again = classify(read, exchange, client('https://service.test/api/v2'), redactor([]));
      const lost = classify(create, exchange, client('https://service.test/api/v2'), redactor([]));
      assert.ok(again.state === 'failed' && again.retry === 'attempts');
      assert.ok(lost.state === 'failed' && lost.retry === 'never');
      for (const outcome of [again, lost]) {
        assert.equal(outcome.failure.kind, AnswerLost);
        assert.equal(outcome.failure.outcome, 'ambiguous');
      }
    }
  });

  it('does not hide a mistake of ours as one of the service', () => {
    const broken: Request<void> = {
      method: 'GET',
      path: [],
      read: () => {
        throw new TypeError('ours');
      },
    };
    assert.throws(
      () => classify(broken, answer(200, '{}'), client('https://service.test/api/v2'), redactor([])),
      TypeError,
    );
  });
});

describe('refusals in words', () => {
  const page = '<html>';
  const html = 'is HTML, not JSON:API: is the address right?';
  for (const [status, body, address, message] of [
    [501, '', '/api/v2', 'not supported by the service (501)'],
    [505, page, '/api/v2', 'not supported by the service (505)'],
    [408, '', '/api/v2', 'the service timed out waiting for the request (408): try again later'],
    [502, page, '', 'the service failed (502): try again later'],
    [200, page, '/api/v2', `the answer (200) ${html}`],
    [200, page, '', `the answer (200) ${html} https://service.test does not end in /api/v2`],
    [403, page, '/api/v2', `forbidden (403): the token lacks a permission; the answer ${html}`],
    [404, '', '/api/v2', 'not found, or the token may not see it (404)'],
    [
      404,
      '',
      '/api/v3',
      'not found, or the token may not see it (404); is the address right? https://service.test/api/v3 does not end in /api/v2',
    ],
  ] as const) {
    it(`says of ${status} ${body} at "${address}": ${message}`, () => {
      const settings = client(`https://service.test${address}`);
      const outcome = classify(read, answer(status, body), settings, redactor([]));
      assert.ok(outcome.state === 'failed');
      assert.equal(outcome.failure.text, message);
    });
  }
});
