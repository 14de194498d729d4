/** Exact exchanges of a provider with a service that nock plays: these requests and no other, in this order. Each method of a provider has a test with its exchange, in a suite with `offline()`. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import nock from 'nock';
import { type Providers, providersFor } from './provider-session';
import { JSON_API } from './wire-documents';

const host = 'https://service.test';

/** One request as it must be, and its answer. Without a status the connection breaks before there is one. */
export interface Exchange {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base URL, with its query. */
  readonly path: string;
  readonly body?: object;
  readonly status?: number;
  readonly response?: object;
}

/** Returns the providers of a fresh process. */
export function newProviders(config: Readonly<Record<string, string>> = {}): Providers {
  return providersFor(`${host}/api/v2`, config);
}

/** Does the work, and expects these exchanges. */
export async function exchanging<Result>(
  expected: readonly Exchange[],
  work: () => Promise<Result>,
): Promise<Result> {
  const done: string[] = [];
  for (const { method, path, body, status, response } of expected) {
    const accepts = (sent: unknown) => isDeepStrictEqual(sent, body ?? '');
    const reqheaders = {
      authorization: 'Bearer owner-token',
      accept: 'application/vnd.api+json',
      'content-type': 'application/vnd.api+json',
    };
    const scope = nock(host, { reqheaders });
    scope.on('request', () => done.push(`${method} ${path}`));
    const request = scope.intercept(`/api/v2${path}`, method, accepts);
    const headers = { ...JSON_API, Date: 'Tue, 02 Jan 2024 03:04:05 GMT' };
    if (status !== undefined)
      request.reply(status, response === undefined ? '' : JSON.stringify(response), headers);
    else request.replyWithError(Object.assign(new Error('the connection broke'), { code: 'ECONNRESET' }));
  }
  const result = await work();
  assert.deepEqual(
    done,
    expected.map(({ method, path }) => `${method} ${path}`),
  );
  assert.deepEqual(nock.pendingMocks(), []);
  return result;
}
