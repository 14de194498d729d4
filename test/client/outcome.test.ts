/** What failures mean, for the codes that no test can provoke on loopback, and in which words. */
import assert from 'node:assert/strict';
import type { Request } from '../../client/api';
import { AnswerLost, NotSent } from '../../client/errors';
import { classify } from '../../client/outcome';
import { redactor } from '../../client/text';
import type { Exchange } from '../../client/transport';

const read: Request<void> = { method: 'GET', path: [], expects: 'nothing', read: () => {} };
const create: Request<void> = { ...read, method: 'POST' };
const answer = (status: number, body: string): Exchange => ({
  kind: 'response',
  status,
  headers: {},
  body: new TextEncoder().encode(body),
  broken: null,
});
const proxy = new URL('http://ann:p@corp:3128');

function classified(request: Request<void>, exchange: Exchange, path = '/api/v2') {
  const context = { address: `https://service.test${path}`, tokenFrom: 'TOKEN', maxAnswerBytes: 3e6, proxy };
  const outcome = classify(request, exchange, context, redactor([]));
  assert.ok(outcome.state === 'failed');
  return { ...outcome.failure, retry: outcome.retry };
}

describe('outcomes of requests without an answer', () => {
  const untrusted = 'is not trusted (CODE): NODE_EXTRA_CA_CERTS names a file with further authorities';
  const unresolved = 'the host name of PEER cannot be resolved (CODE): check';
  for (const [code, again, atService, atProxy] of [
    ['EAI_AGAIN', true, `${unresolved} the address`, `${unresolved} HTTPS_PROXY`],
    ['ENOTFOUND', false, `${unresolved} the address`, `${unresolved} HTTPS_PROXY`],
    [
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      false,
      `the certificate of PEER ${untrusted}`,
      `the certificate of PEER ${untrusted}`,
    ],
    [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      false,
      'the certificate of PEER is for another name (CODE): check the host name in the address',
      'the certificate of PEER is for another name (CODE): check the host name in HTTPS_PROXY',
    ],
    [
      'CERT_HAS_EXPIRED',
      false,
      'the certificate of PEER is not valid today (CODE): renew it, or check the clock here',
      'the certificate of PEER is not valid today (CODE): renew it, or check the clock here',
    ],
    [
      'EHOSTUNREACH',
      true,
      'no connection to PEER (CODE): check the address and the network',
      'no connection to PEER (CODE): check HTTPS_PROXY and the network',
    ],
  ] as const) {
    it(`${again ? 'tries again' : 'gives up'} after ${code} before a byte was sent, also on a create`, () => {
      for (const request of [read, create]) {
        for (const [peer, by, text] of [
          ['service.test', {}, atService],
          ['the proxy corp:3128', { proxy: { status: null } }, atProxy],
        ] as const) {
          const failure = classified(request, { kind: 'none', code, sent: false, ...by });
          assert.equal(failure.retry, again ? 'attempts' : 'never');
          assert.equal(failure.kind, NotSent);
          assert.equal(failure.outcome, 'not-sent');
          assert.equal(failure.text, text.replace('PEER', peer).replace('CODE', code));
        }
      }
    });
  }

  for (const [code, again, text] of [
    ['timeout', true, 'no answer from service.test in time'],
    ['ECONNRESET', true, 'the connection to service.test broke before the answer was complete (ECONNRESET)'],
    ['ECONNREFUSED', true, 'connection refused by service.test (ECONNREFUSED): check the address'],
    ['EPIPE', true, 'the connection to service.test broke before the answer was complete (EPIPE)'],
    [
      'HPE_INVALID_CONSTANT',
      true,
      'service.test does not speak HTTP as expected (HPE_INVALID_CONSTANT): check the address and its port',
    ],
    ['EPROTO', false, 'the TLS handshake with service.test failed (EPROTO): check the address and its port'],
  ] as const) {
    it(`knows nothing of a request that may have been sent, after ${code}`, () => {
      const exchange: Exchange = { kind: 'none', code, sent: true };
      const [reading, creating] = [classified(read, exchange), classified(create, exchange)];
      assert.deepEqual([reading.text, creating.text], [text, `${text}; it may have been applied`]);
      assert.deepEqual([reading.retry, creating.retry], [again ? 'attempts' : 'never', 'never']);
      for (const failure of [reading, creating]) {
        assert.deepEqual([failure.kind, failure.outcome], [AnswerLost, 'ambiguous']);
      }
    });
  }

  for (const [status, again] of [
    [407, 'never'],
    [403, 'never'],
    [302, 'never'],
    [502, 'attempts'],
    [504, 'attempts'],
  ] as const) {
    it(`asks a proxy that answered ${status} ${again === 'never' ? 'no more' : 'again'}`, () => {
      const failure = classified(create, { kind: 'none', code: 'unknown', sent: false, proxy: { status } });
      assert.deepEqual([failure.retry, failure.kind], [again, NotSent]);
      assert.match(
        failure.text,
        /^the proxy corp:3128 (wants a user name|refused a tunnel to service\.test)/,
      );
    });
  }
});

describe('refusals in words', () => {
  const foreign = 'the answer is not a JSON:API document: is the address right?';
  for (const [status, body, address, message] of [
    [501, '', '/api/v2', 'not supported by the service (501)'],
    [505, '<html>', '/api/v2', 'not supported by the service (505)'],
    [408, '', '/api/v2', 'the service timed out waiting for the request (408): try again later'],
    [502, '<html>', '', 'the service failed (502): try again later'],
    [200, '<html>', '/api/v2', 'the answer (200) is not a JSON:API document: is the address right?'],
    [403, '<html>', '/api/v2', `forbidden (403): the token lacks a permission; ${foreign}`],
    [401, '', '/api/v2', 'the token was refused (401): it was sent to service.test: check TOKEN'],
    [404, '', '/api/v2', 'not found, or the token may not see it (404)'],
    [
      404,
      '',
      '/api/v3',
      'not found, or the token may not see it (404); is the address right? https://service.test/api/v3 does not end in /api/v2',
    ],
    [
      429,
      '',
      '/api/v2',
      'rate limited (429): lower TETHER_RATE (under Pulumi tether:rate) or try again later',
    ],
  ] as const) {
    it(`says of ${status} ${body} at "${address}": ${message}`, () => {
      assert.equal(classified(read, answer(status, body), address).text, message);
    });
  }

  it('does not hide a mistake of ours as one of the service', () => {
    const broken: Request<void> = {
      method: 'GET',
      path: [],
      read: () => {
        throw new TypeError('ours');
      },
    };
    assert.throws(() => classified(broken, answer(200, '{}')), TypeError);
  });
});
