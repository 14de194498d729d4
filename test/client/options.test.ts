/** What a client refuses to be made from, before anything is sent. */
import assert from 'node:assert/strict';
import { createClient, createReadOnlyClient } from '../../client/client';
import { BadOption } from '../../client/errors';
import type { ClientOptions } from '../../client/options';

const good: ClientOptions = { address: 'https://service.test/api/v2', token: 'token-1' };

describe('client options', () => {
  for (const [address, expected] of [
    ['https://service.test/api/v2', 'https://service.test/api/v2'],
    ['https://service.test/api/v2//', 'https://service.test/api/v2'],
    ['https://SERVICE.test:443/tfe/api/v2/', 'https://service.test/tfe/api/v2'],
    ['http://localhost:8080/api/v2', 'http://localhost:8080/api/v2'],
    ['http://127.0.0.1/api/v2', 'http://127.0.0.1/api/v2'],
    ['http://127.9.9.9/api/v2', 'http://127.9.9.9/api/v2'],
    ['http://[::1]:80/api/v2', 'http://[::1]/api/v2'],
    ['http://[::ffff:127.0.0.1]/api/v2', 'http://[::ffff:7f00:1]/api/v2'],
  ] as const) {
    it(`takes the address ${address}`, () => {
      assert.equal(createClient({ ...good, address }).address, expected);
      assert.equal(createReadOnlyClient({ ...good, address }).address, expected);
    });
  }

  for (const [changes, message] of [
    [{ address: '' }, /is not a URL/],
    [{ address: 'service.test/api/v2' }, /is not a URL/],
    [{ address: 'ftp://service.test/api/v2' }, /starts with ftp:\/\/: it should start with https/],
    [{ address: 'http://service.test/api/v2' }, /is http: the token would travel in the clear/],
    [{ address: 'http://127.0.0.1.evil.test/api/v2' }, /in the clear/],
    [{ address: 'http://localhost.evil.test/api/v2' }, /in the clear/],
    [{ address: 'http://10.0.0.1/api/v2' }, /in the clear/],
    [{ address: 'http://[::ffff:10.0.0.1]/api/v2' }, /in the clear/],
    [{ address: 'http://[64:ff9b::127.0.0.1]/api/v2' }, /in the clear/],
    [{ address: 'https://user:hunter2@service.test/api/v2' }, /holds a user name or password/],
    [{ address: 'https://service.test/api/v2?x=1' }, /holds a \? or #/],
    [{ address: 'https://service.test/api/v2#x' }, /holds a \? or #/],
    [
      { address: 'http://user@service.test/api/v2?x=1' },
      /holds a user name or password.*; the address holds a \? or #.*; the address http:\/\/service\.test is http/,
    ],
    [{ token: 'a b', tokenFrom: 'MY_TOKEN' }, /check MY_TOKEN$/],
    [{ token: '' }, /no token: set TETHER_TOKEN or TETHER_TOKEN_FILE/],
    [{ token: 'hunter2\n' }, /holds a space, a line break/],
    [{ token: 'hunter2é' }, /another character that no token has/],
    [{ rate: 0 }, /rate must be a number above 0/],
    [{ rate: Number.NaN }, /^rate must be a number above 0$/],
    [{ timeoutMs: -1 }, /^timeoutMs must be a number above 0$/],
    [{ proxy: '' }, /is not the URL of a proxy: it should look like http:\/\/host:port or/],
    [{ proxy: 'ftp://proxy.test' }, /is not the URL of a proxy/],
    [{ proxy: 'http://ann:hunter2/9@proxy.test' }, /write \/ as %2F/],
  ] as const) {
    it(`refuses ${JSON.stringify(changes)}`, () => {
      for (const create of [createClient, createReadOnlyClient]) {
        assert.throws(
          () => create({ ...good, ...changes }),
          (error) => {
            assert.ok(error instanceof BadOption);
            assert.match(error.message, message);
            assert.doesNotMatch(error.message, /hunter2/);
            return true;
          },
        );
      }
    });
  }
});
