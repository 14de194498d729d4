/** Where a provider's calls go and with which token, by what it was given and the environment. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Account } from '../../provider/account';
import { temporaryFolder } from '../support/temporary-folder';

const own = 'https://own.example.com/api/v2';
const theirs = 'https://env.example.com/api/v2';

type Env = Readonly<Record<string, string>>;
const openAccount = (config: Env, env: Env = {}, explicit = false) => {
  const entries = Object.entries({ ...config, ...(explicit && { explicit: 'true' }) });
  const settings = Object.fromEntries(entries.map(([name, value]) => [`tether:${name}`, value]));
  const account = new Account({ variable: (name) => env[name], folder: () => tmpdir() });
  account.configure({ config: { get: (name) => settings[name], require: () => '' } });
  return account;
};

describe('the account of a provider', () => {
  const folder = temporaryFolder();
  const env = { TETHER_ADDRESS: theirs, TETHER_TOKEN: 'env-token' };

  for (const [what, account, address, token] of [
    [
      'variables win for the default provider',
      openAccount({ address: own, token: 'own' }, env),
      theirs,
      'env-token',
    ],
    ['configuration is enough', openAccount({ address: own, token: 'own' }), own, 'own'],
    [
      'an explicit provider uses what it was given',
      openAccount({ address: own, token: 'own' }, env, true),
      own,
      'own',
    ],
    [
      'an explicit provider without settings uses the environment',
      openAccount({}, env, true),
      theirs,
      'env-token',
    ],
    [
      'an explicit provider reads no empty variable beside what it was given',
      openAccount({ address: own, token: 'own' }, { TETHER_ADDRESS: '', TETHER_TOKEN: '' }, true),
      own,
      'own',
    ],
    [
      'tokenEnv names another variable',
      openAccount({ address: own, tokenEnv: 'MINE' }, { MINE: 'm' }, true),
      own,
      'm',
    ],
    [
      'an explicit provider with a profile names its token',
      openAccount({ profile: 'hcp-terraform', tokenEnv: 'TFE_TOKEN' }, { TFE_TOKEN: 'tfe' }, true),
      'https://app.terraform.io/api/v2',
      'tfe',
    ],
    [
      'an explicit provider with the profile of a product ignores the address of another service',
      openAccount(
        { profile: 'hcp-terraform', tokenEnv: 'TFE_TOKEN' },
        { TFE_TOKEN: 'tfe', TETHER_ADDRESS: 'https://tether.example.com/api/v2' },
        true,
      ),
      'https://app.terraform.io/api/v2',
      'tfe',
    ],
    [
      'HCP Terraform has an address and variables of its own',
      openAccount({ profile: 'hcp-terraform' }, { TFE_TOKEN: 'tfe' }),
      'https://app.terraform.io/api/v2',
      'tfe',
    ],
  ] as const) {
    it(`${what}`, () => {
      const options = account.clientOptions();
      assert.deepEqual([options.address, options.token, options.rate], [address, token, 29]);
    });
  }

  for (const [what, account, message] of [
    [
      'an address is missing',
      openAccount({ token: 'own' }),
      /no address: set TETHER_ADDRESS or tether:address/,
    ],
    ['a provider has no address', openAccount({ token: 'own' }, {}, true), /or address of this provider/],
    ['a token is missing', openAccount({ address: own }), /no token: set TETHER_TOKEN or tether:token/],
    [
      'the environment has a token, which must not travel to an address that a program gave',
      openAccount({ address: own }, env, true),
      /no token: set token or tokenEnv of this provider/,
    ],
    [
      'the environment has tokens, which must not travel to the product of a profile that a program gave',
      openAccount({ profile: 'hcp-terraform' }, { TETHER_TOKEN: 'env-token', TFE_TOKEN: 'tfe' }, true),
      /^no token: set token or tokenEnv of this provider$/,
    ],
    [
      'the variable of tokenEnv is not set',
      openAccount({ address: own, tokenEnv: 'MINE' }, {}),
      /variable MINE, which is not set/,
    ],
    ...['TETHER_ADDRESS', 'TETHER_PROFILE', 'TETHER_TOKEN'].map(
      (name) =>
        [
          `the variable ${name} is empty`,
          openAccount({ address: own, token: 'own' }, { ...env, [name]: '' }),
          new RegExp(`^${name} is set and empty`),
        ] as const,
    ),
    [
      'the address that a program gave is empty',
      openAccount({ address: '', token: 'own' }, env, true),
      /^tether:address is set and empty/,
    ],
    [
      'the variable of tokenEnv is empty',
      openAccount({ address: own, tokenEnv: 'MINE', token: 'own' }, { MINE: '' }, true),
      /^MINE is set and empty/,
    ],
    ['the profile does not exist', openAccount({ profile: 'none' }), /there is no profile "none"/],
    ['the address is http', openAccount({ address: 'http://own.example.com', token: 'own' }), /use https/],
  ] as const) {
    it(`is refused where ${what}`, () => {
      assert.throws(() => account.clientOptions(), { message });
    });
  }

  it('takes a token from a file and a rate from the settings', () => {
    writeFileSync(join(folder(), 'token'), 'file-token\n');
    const account = openAccount({ address: own, rate: '5' }, { TETHER_TOKEN_FILE: join(folder(), 'token') });
    const { token, rate } = account.clientOptions();
    assert.deepEqual([token, rate], ['file-token', 5]);
  });
});
