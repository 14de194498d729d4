/** Where calls go and with which token: a provider of the program's own against the environment, and profiles' variables. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccountError } from '../../client/account';
import { Account, type ProviderConfig } from '../../provider/account';
import { readProfile } from '../../resources/profile';
import { temporaryFolder } from '../support/temporary-folder';

type Variables = Readonly<Record<string, string>>;
const here = 'https://here.example.com/api/v2';
const there = 'https://there.example.com/api/v2';

describe('the account of a provider', () => {
  const folder = temporaryFolder();
  const around = (variables: Variables) => ({
    variable: (name: string) => variables[name],
    folder,
    say: () => undefined,
  });
  const account = (given: ProviderConfig, variables: Variables, profile = 'default') =>
    new Account(given, around(variables), readProfile(profile, '/')).connection();
  const own = (given: Omit<ProviderConfig, 'explicit'>): ProviderConfig => ({ ...given, explicit: true });
  const config = (given: Omit<ProviderConfig, 'explicit'>): ProviderConfig => ({ ...given, explicit: false });

  /** What was given, the environment, and address with token. */
  const told: readonly (readonly [string, ProviderConfig, Variables, readonly [string, string]])[] = [
    [
      'the configuration where no variable speaks',
      config({ address: here, token: 'given' }),
      {},
      [here, 'given'],
    ],
    [
      'variables before the configuration of the stack',
      config({ address: here, token: 'given' }),
      { TETHER_ADDRESS: there, TETHER_TOKEN: 'variable' },
      [there, 'variable'],
    ],
    [
      'what a provider was given before variables',
      own({ address: here, token: 'given' }),
      { TETHER_ADDRESS: there, TETHER_TOKEN: 'variable' },
      [here, 'given'],
    ],
    [
      'variables for a provider that was given neither address nor token',
      own({ profile: 'default' }),
      { TETHER_ADDRESS: there, TETHER_TOKEN: 'variable' },
      [there, 'variable'],
    ],
    [
      'the variable that a provider names',
      own({ address: here, tokenEnv: 'PARTNER' }),
      { TETHER_TOKEN: 'variable', PARTNER: 'partner' },
      [here, 'partner'],
    ],
    [
      'the named variable before a token that is given too',
      own({ address: here, token: 'given', tokenEnv: 'PARTNER' }),
      { PARTNER: 'partner' },
      [here, 'partner'],
    ],
    [
      'the named variable of the stack where TETHER_TOKEN is not set',
      config({ address: here, tokenEnv: 'PARTNER' }),
      { PARTNER: 'partner' },
      [here, 'partner'],
    ],
    [
      'TETHER_TOKEN before the variable that the stack names',
      config({ address: here, tokenEnv: 'PARTNER' }),
      { PARTNER: 'partner', TETHER_TOKEN: 'variable' },
      [here, 'variable'],
    ],
    [
      'an address as the client writes it',
      config({ address: 'HTTPS://Here.Example.COM:443/api/v2', token: 'given' }),
      {},
      [here, 'given'],
    ],
    [
      'an address without the slash at its end',
      config({ address: `${here}//`, token: 'given' }),
      {},
      [here, 'given'],
    ],
  ];
  /** Where a person finds each token. */
  const places: Variables = {
    given: 'tether:token',
    variable: 'TETHER_TOKEN',
    partner: 'PARTNER, which tether:tokenEnv names',
  };
  for (const [what, given, variables, [address, token]] of told) {
    it(`is ${what}`, () => {
      const tokenFrom = places[token];
      assert.deepEqual(account(given, variables), { address, token, tokenFrom, rate: 29 });
    });
  }

  const noAddress = 'no address: set TETHER_ADDRESS or `pulumi config set tether:address URL`, with /api/v2';
  const noToken = 'no token: set TETHER_TOKEN, or `pulumi config set --secret tether:token`';
  const badRate = 'tether:rate must be a number above 0';
  /** What is missing, all at once. */
  const missing: readonly (readonly [string, ProviderConfig, Variables, string])[] = [
    ['everything', config({ rate: 'fast' }), {}, [noAddress, noToken, badRate].join('; ')],
    ['a rate of nothing', config({ address: here, token: 'canary', rate: '0' }), {}, badRate],
    ['a rate below nothing', config({ address: here, token: 'canary', rate: '-1' }), {}, badRate],
    [
      'a variable that a provider names and nobody set',
      own({ address: here, tokenEnv: 'PARTNER' }),
      { TETHER_TOKEN: 'canary' },
      'no token: tether:tokenEnv names the variable PARTNER, which is not set',
    ],
    [
      'a token for an address that a provider was given alone',
      own({ address: here }),
      { TETHER_TOKEN: 'canary', TETHER_TOKEN_FILE: 'canary' },
      'no token: this provider was given an address of its own and needs a tether:tokenEnv or tether:token of its own',
    ],
    [
      'an address that is one, and a token',
      config({ address: 'here.example.com' }),
      {},
      `the address is not a URL: it should look like https://host/api/v2; ${noToken}`,
    ],
    ['an address beside a token that a provider was given', own({ token: 'canary' }), {}, noAddress],
    ['the token of a provider that was given nothing', own({}), { TETHER_ADDRESS: here }, noToken],
    [
      'a token where only the stack names a variable',
      config({ address: here, token: 'canary', tokenEnv: 'PARTNER' }),
      {},
      'no token: tether:tokenEnv names the variable PARTNER, which is not set',
    ],
  ];
  for (const [what, given, variables, message] of missing) {
    it(`is refused in one line without ${what}`, () => {
      assert.throws(() => account(given, variables), new AccountError(message));
    });
  }

  it('goes through the proxy that the environment names, also for a provider with settings of its own', () => {
    const given = { address: 'https://tfe.example/api/v2', token: 'given' };
    const variables = { HTTPS_PROXY: 'proxy.test:3128' };
    for (const one of [config(given), own(given)]) {
      assert.equal(account(one, variables).proxy, 'http://proxy.test:3128/');
      assert.equal(account(one, { ...variables, NO_PROXY: 'tfe.example' }).proxy, undefined);
    }
    assert.throws(
      () => account(own({ address: 'https://tfe.example/api/v2' }), { HTTPS_PROXY: 'socks5://proxy.test' }),
      /^AccountError: HTTPS_PROXY: SOCKS proxies are not supported.*; no token: /,
    );
  });

  it('takes the rate it was given, and leaves room for others where nobody says', () => {
    assert.equal(account(config({ address: here, token: 'given', rate: '7.5' }), {}).rate, 7.5);
  });

  it('asks no faster by itself than the command line does, whatever a profile says', () => {
    const rates = ([15, 30, 300] as const).map((requestsPerSecond) => {
      const profile = readProfile('default', '/');
      const limits = { ...profile.limits, requestsPerSecond };
      const given = config({ address: here, token: 'given' });
      return new Account(given, around({}), { ...profile, limits }).connection().rate;
    });
    assert.deepEqual(rates, [14.5, 29, 29]);
  });

  it('reads the token from a file, relative to the folder, unless TETHER_TOKEN is set', () => {
    writeFileSync(join(folder(), 'token'), '  from-file\n');
    const variables = { TETHER_ADDRESS: here, TETHER_TOKEN_FILE: 'token' };
    assert.equal(account(config({ token: 'given' }), variables).token, 'from-file');
    assert.equal(account(own({}), variables).token, 'from-file');
    assert.equal(account(own({ token: 'given' }), variables).token, 'given');
    assert.equal(account(config({}), { ...variables, TETHER_TOKEN: 'variable' }).token, 'variable');
  });

  it('says what is wrong with the file of the token', () => {
    writeFileSync(join(folder(), 'empty'), ' \n');
    const variables = { TETHER_ADDRESS: here };
    for (const [file, message] of [
      ['nowhere', 'TETHER_TOKEN_FILE names nowhere, which cannot be read (ENOENT)'],
      ['empty', 'TETHER_TOKEN_FILE names empty, which is empty'],
    ] as const) {
      assert.throws(
        () => account(config({}), { ...variables, TETHER_TOKEN_FILE: file }),
        new AccountError(message),
      );
    }
  });

  it('takes the profile that the environment names, or the one a provider was given', () => {
    const names = (given: ProviderConfig, variables: Variables = {}) =>
      new Account(given, around(variables)).profileName;
    const variables = { TETHER_PROFILE: 'variable' };
    assert.equal(names(config({})), 'default');
    assert.equal(names(own({})), 'default');
    assert.equal(names(config({ profile: 'given' })), 'given');
    assert.equal(names(config({ profile: 'given' }), variables), 'variable');
    assert.equal(names(own({ profile: 'given' }), variables), 'given');
    assert.equal(names(own({}), variables), 'variable');
  });

  /** Variables of the product behind the profile, and where they lead. */
  const product: readonly (readonly [string, Variables, string | undefined])[] = [
    ['a host alone', { TFE_HOSTNAME: 'tfe.example.com' }, 'https://tfe.example.com/api/v2'],
    [
      'an address without a path',
      { TFE_ADDRESS: 'https://tfe.example.com/' },
      'https://tfe.example.com/api/v2',
    ],
    [
      'an address with its path',
      { TFE_ADDRESS: 'https://x.example.com/tfe/api/v2/' },
      'https://x.example.com/tfe/api/v2',
    ],
    ['an address before a host', { TFE_ADDRESS: here, TFE_HOSTNAME: 'x.example.com' }, here],
    ['a variable of ours before both', { TFE_ADDRESS: here, TETHER_ADDRESS: there }, there],
    ['nothing at all', {}, 'https://app.terraform.io/api/v2'],
  ];
  for (const [what, variables, address] of product) {
    it(`finds ${address ?? 'no address'} through ${what}`, () => {
      const profile = readProfile('hcp-terraform', '/');
      assert.equal(new Account(config({}), around(variables), profile).address, address);
    });
  }

  it('takes the token of the product last, and never for an address that a provider was given', () => {
    const variables = { TFE_ADDRESS: here, TFE_TOKEN: 'product' };
    const { token } = account(config({}), variables, 'hcp-terraform');
    assert.equal(token, 'product');
    assert.equal(account(config({ token: 'given' }), variables, 'hcp-terraform').token, 'given');
    assert.equal(account(own({}), variables, 'hcp-terraform').token, 'product');
    assert.throws(() => account(own({ address: here }), variables, 'hcp-terraform'), /of its own/);
    assert.throws(
      () => account(config({ tokenEnv: 'TEAM_TOKEN' }), variables, 'hcp-terraform'),
      new AccountError('no token: tether:tokenEnv names the variable TEAM_TOKEN, which is not set'),
    );
    assert.throws(() => account(config({}), variables), /^AccountError: no address: .*; no token: /);
  });

  it('knows no variables where the profile is silent about them', () => {
    const { environment: _, ...silent } = readProfile('hcp-terraform', '/');
    assert.equal(new Account(config({}), around({ TFE_ADDRESS: here }), silent).address, undefined);
  });
});
