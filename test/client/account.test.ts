/** Where the token and the address of an account come from. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountError, findAddress, findToken } from '../../client/account';
import { temporaryFolder } from '../support/temporary-folder';

describe('the account of the environment', () => {
  const folder = temporaryFolder();
  const source = (variables: Readonly<Record<string, string>>) => ({
    variable: (name: string) => variables[name],
    folder,
  });
  beforeEach(() => writeFileSync(join(folder(), 'token'), 'from-file\n'));

  for (const [organization, variables, value, from] of [
    [undefined, { TETHER_TOKEN: 'a', TETHER_TOKEN_ACME: 'b' }, 'a', 'TETHER_TOKEN'],
    [
      'acme',
      { TETHER_TOKEN: 'a', TETHER_TOKEN_ACME: 'b', TETHER_TOKEN_FILE: 'token' },
      'b',
      'TETHER_TOKEN_ACME',
    ],
    ['my-org_2', { TETHER_TOKEN_MY_ORG_2: 'b' }, 'b', 'TETHER_TOKEN_MY_ORG_2'],
    ['other', { TETHER_TOKEN: 'a', TETHER_TOKEN_ACME: 'b' }, 'a', 'TETHER_TOKEN'],
    ['acme', { TETHER_TOKEN_FILE: 'token' }, 'from-file', 'token, which TETHER_TOKEN_FILE names'],
    // The variable of this organization is the one that names the file.
    ['file', { TETHER_TOKEN_FILE: 'token' }, 'from-file', 'token, which TETHER_TOKEN_FILE names'],
    ['acme', {}, undefined, undefined],
    // A setting that decides before it makes an empty one irrelevant.
    ['acme', { TETHER_TOKEN_ACME: 'b', TETHER_TOKEN: '', TETHER_TOKEN_FILE: '' }, 'b', 'TETHER_TOKEN_ACME'],
    ['acme', { TETHER_TOKEN: 'a', TETHER_TOKEN_FILE: '' }, 'a', 'TETHER_TOKEN'],
  ] as const) {
    it(`of ${organization} with ${JSON.stringify(variables)} has the token ${value}`, () => {
      const found = findToken(null, source(variables), organization);
      assert.deepEqual(found, value === undefined ? undefined : { value, from });
    });
  }

  for (const [variables, empty] of [
    [{ TETHER_TOKEN_ACME: '', TETHER_TOKEN: 'a' }, 'TETHER_TOKEN_ACME'],
    [{ TETHER_TOKEN: '', TETHER_TOKEN_FILE: 'token' }, 'TETHER_TOKEN'],
    [{ TETHER_TOKEN_FILE: '' }, 'TETHER_TOKEN_FILE'],
  ] as const) {
    it(`with ${JSON.stringify(variables)} has no token, because an empty variable falls through to no other`, () => {
      const message = `${empty} is set and empty: give it a value, or unset it`;
      assert.throws(() => findToken(null, source(variables), 'acme'), {
        name: 'AccountError',
        message,
      });
    });
  }

  it('says of a token file what is wrong with it', () => {
    writeFileSync(join(folder(), 'empty'), ' \n');
    for (const [file, message] of [
      ['absent', /^TETHER_TOKEN_FILE names absent, which cannot be read \(ENOENT\)$/],
      ['empty', /^TETHER_TOKEN_FILE names empty, which is empty$/],
    ] as const) {
      assert.throws(
        () => findToken(null, source({ TETHER_TOKEN_FILE: file })),
        (error) => error instanceof AccountError && message.test(error.message),
      );
    }
  });

  it('of a product is what its own tools read', () => {
    const product = {
      limits: { requestsPerSecond: 30 },
      environment: {
        token: ['TFE_TOKEN'],
        address: ['TFE_ADDRESS'],
        hostname: ['TFE_HOSTNAME'],
        defaultHost: 'service.test',
      },
    };
    const toAddress = (variables: Readonly<Record<string, string>>) =>
      findAddress(product, source(variables))?.value;
    assert.equal(findToken(product, source({ TFE_TOKEN: 'x' }))?.value, 'x');
    assert.equal(toAddress({}), 'https://service.test/api/v2');
    assert.equal(toAddress({ TFE_HOSTNAME: 'tfe.test' }), 'https://tfe.test/api/v2');
    assert.equal(toAddress({ TFE_ADDRESS: 'https://a.test/', TFE_HOSTNAME: 'b' }), 'https://a.test/api/v2');
    assert.equal(toAddress({ TFE_ADDRESS: 'https://a.test/x/api/v2' }), 'https://a.test/x/api/v2');
    assert.equal(findAddress(null, source({ TFE_ADDRESS: 'https://a.test' })), undefined);
    assert.equal(toAddress({ TFE_ADDRESS: 'https://a.test', TFE_HOSTNAME: '' }), 'https://a.test/api/v2');
    for (const empty of [{ TFE_ADDRESS: '', TFE_HOSTNAME: 'b.test' }, { TFE_HOSTNAME: '' }]) {
      assert.throws(() => toAddress(empty), /^AccountError: TFE_\w+ is set and empty/);
    }
    assert.throws(() => findToken(product, source({ TFE_TOKEN: '' })), /TFE_TOKEN is set and empty/);
  });
});
