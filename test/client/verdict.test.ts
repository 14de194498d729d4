/** What failures without an answer mean, for the codes that no test can provoke on loopback. */
import assert from 'node:assert/strict';
import type { Request } from '../../client/api';
import { judge } from '../../client/outcome';
import { redactor } from '../../client/text';
import type { Exchange } from '../../client/transport';

const read: Request<void> = { method: 'GET', path: [], repeatable: true, expects: 'nothing', read: () => {} };
const create: Request<void> = { ...read, method: 'POST', repeatable: false };
const client = (address: string) => ({ address, tokenFrom: 'TOKEN', maxAnswerBytes: 3_000_000 });
const none = (code: string, sent: boolean): Exchange => ({ kind: 'none', code, sent });

describe('verdicts on requests without an answer', () => {
  for (const [code, again, message] of [
    ['ECONNREFUSED', true, 'nothing listens at service.test:8443 (ECONNREFUSED): check the address'],
    ['EAI_AGAIN', true, 'the host name service.test:8443 cannot be resolved (EAI_AGAIN): check the address'],
    ['ENOTFOUND', false, 'the host name service.test:8443 cannot be resolved (ENOTFOUND): check the address'],
    [
      'EPROTO',
      false,
      'service.test:8443 does not speak TLS as expected (EPROTO): check the address and its port',
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
      'the certificate of service.test:8443 is not trusted (ERR_TLS_CERT_ALTNAME_INVALID): NODE_EXTRA_CA_CERTS names a file with further authorities',
    ],
    [
      'CERT_HAS_EXPIRED',
      false,
      'the certificate of service.test:8443 is not trusted (CERT_HAS_EXPIRED): NODE_EXTRA_CA_CERTS names a file with further authorities',
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
        const verdict = judge(
          request,
          none(code, false),
          client('https://service.test:8443/api/v2'),
          redactor([]),
        );
        assert.ok(verdict.verdict === (again ? 'again' : 'failed'));
        assert.equal(verdict.failure.kind, 'NotSent');
        assert.equal(verdict.failure.outcome, 'not-sent');
        assert.equal(verdict.failure.text, message);
      }
    });
  }

  it('says of what is no HTTP that the address is the place to look', () => {
    const verdict = judge(
      read,
      none('HPE_INVALID_CONSTANT', true),
      client('https://service.test:22/api/v2'),
      redactor([]),
    );
    assert.ok(verdict.verdict === 'again');
    assert.equal(
      verdict.failure.text,
      'service.test:22 does not speak HTTP as expected (HPE_INVALID_CONSTANT): check the address and its port',
    );
  });

  it('knows nothing of a request that was sent, whatever the code', () => {
    for (const code of ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND', 'timeout', 'unknown']) {
      const exchange = none(code, true);
      const again = judge(read, exchange, client('https://service.test/api/v2'), redactor([]));
      const lost = judge(create, exchange, client('https://service.test/api/v2'), redactor([]));
      assert.ok(again.verdict === 'again');
      assert.ok(lost.verdict === 'failed');
      for (const verdict of [again, lost]) {
        assert.equal(verdict.failure.kind, 'AnswerLost');
        assert.equal(verdict.failure.outcome, 'ambiguous');
      }
    }
  });

  it('does not hide a mistake of ours as one of the service', () => {
    const broken: Request<void> = {
      ...read,
      expects: 'document',
      read: () => {
        throw new TypeError('ours');
      },
    };
    const body = new TextEncoder().encode('{}');
    const exchange: Exchange = { kind: 'answer', status: 200, headers: {}, body, broken: null };
    assert.throws(
      () => judge(broken, exchange, client('https://service.test/api/v2'), redactor([])),
      TypeError,
    );
  });
});
