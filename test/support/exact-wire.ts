/** Proves the exact request of a call, and what its answer becomes, without a server. */
import assert from 'node:assert/strict';
import nock from 'nock';
import { createClient } from '../../client/client';
import { JSON_API } from './wire-documents';

const HOST = 'https://service.test';
/** The client whose calls are checked. */
export const client = createClient({ address: `${HOST}/api/v2`, token: 'token-1', rate: Infinity });

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Answers the next request, whatever it is, and records it. */
export function answerOnce(status: number, document?: object): Sent[] {
  const requests: Sent[] = [];
  const respond = function (this: nock.ReplyFnContext, path: string, body: nock.Body) {
    const { method, headers } = this.req as { method: string; headers: Record<string, unknown> };
    requests.push({ method, path, body: typeof body === 'string' ? body : JSON.stringify(body), headers });
    return [status, document === undefined ? '' : JSON.stringify(document), JSON_API] as const;
  };
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    nock(HOST)
      .intercept(/.*/, method)
      .optionally()
      .reply(respond as never);
  }
  return requests;
}

/** A call with its answer, the request that it must send, and the value that it must return. */
export interface WireCase {
  readonly name: string;
  readonly call: () => Promise<unknown>;
  readonly status: number;
  readonly document?: object;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly result: unknown;
}

/** One test for the case. */
export function proves({ name, call, status, document, method, path, body, result }: WireCase): void {
  it(name, async () => {
    const requests = answerOnce(status, document);
    assert.deepEqual(await call(), result);
    assert.equal(requests.length, 1);
    const [request] = requests;
    assert.equal(request?.method, method);
    assert.equal(request?.path, path);
    assert.equal(request?.body, body === undefined ? '' : JSON.stringify(body));
    assert.equal(request?.headers.authorization, 'Bearer token-1');
    assert.equal(request?.headers['content-type'], 'application/vnd.api+json');
    assert.equal(request?.headers.accept, 'application/vnd.api+json');
    const length = body === undefined ? undefined : String(JSON.stringify(body).length);
    assert.equal(request?.headers['content-length'], length);
  });
}
