/** A secret is the same from a variable, a file and a program, and nothing of Tether's own is sent as one. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { oauthClient } from '../../resources/oauth-client';
import { readProfile } from '../../resources/profile';
import { ownVariable, resolveSecret } from '../../resources/secrets';
import { isKey } from '../../resources/violations';
import { githubFields } from '../support/acme';
import { providersFor } from '../support/provider-session';
import { temporaryFolder } from '../support/temporary-folder';

const key = '-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----';

type Row = readonly [what: string, text: string, expected: string | RegExp];

const lines: readonly Row[] = [
  ['as it is', 'canary', 'canary'],
  ['with a line break at its end', 'canary\n', 'canary'],
  ['with a line break of Windows at its end', 'canary\r\n', 'canary'],
  ['with a byte order mark', '\uFEFFcanary\n', 'canary'],
  ['with a blank and a quote inside', 'can" ary', 'can" ary'],
  ['with two line breaks at its end', 'canary\n\n', /has a line break inside/],
  ['with a line break inside', 'canary\ncanary', /has a line break inside/],
  ['with half a line break of Windows', 'canary\r', /has a line break inside/],
  ['with a blank at its end', 'canary ', /begins or ends with a blank/],
  ['with a blank before its line break', 'canary \n', /begins or ends with a blank/],
  ['with a no-break space before it', '\u00a0canary', /begins or ends with a blank/],
  ['with a tab inside', 'can\tary', /holds the invisible character U\+0009/],
  ['with a NUL at its end', 'canary\0', /holds the invisible character U\+0000/],
  ['in double quotes', '"canary"', /is in quotes/],
  ['in single quotes', "'canary'\n", /is in quotes/],
  ['of a byte order mark and a line break', '\uFEFF\r\n', /is empty/],
  ['that is empty', '', /is empty/],
];

const keys: readonly Row[] = [
  ['without a line break at its end', key, `${key}\n`],
  ['with one', `${key}\n`, `${key}\n`],
  ['with two', `${key}\n\n`, `${key}\n`],
  ['with one of Windows', `${key}\r\n`, `${key}\n`],
  ['with a byte order mark', `\uFEFF${key}`, `${key}\n`],
  ['with \\n as two characters', key.replaceAll('\n', '\\n'), /has lost its line breaks/],
  ['with blanks in place of line breaks', key.replaceAll('\n', ' '), /has lost its line breaks/],
  ['in quotes', `"${key}"\n`, /is in quotes/],
  ['with a bell', key.replace('canary', 'canary\u0007'), /holds the invisible character U\+0007/],
  ['of line breaks', '\n\n', /is empty/],
];

describe('secrets', () => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder(), name);
  const resolve = (source: Parameters<typeof resolveSecret>[0], env: Record<string, string> = {}) => {
    const resolution = resolveSecret(source, { env, root: folder(), cwd: folder() });
    return resolution.ok ? { value: resolution.value } : { why: resolution.why };
  };
  const { OAuthClient } = providersFor('http://127.0.0.1:9/api/v2');
  const client = {
    organization: 'acme',
    ...githubFields,
    serviceProvider: 'provider_c_server',
    privateKey: key,
  };

  const kinds = [
    ['a secret of one line', 'oauthTokenString', lines, {}],
    ['a key', 'privateKey', keys, { isKey: true }],
  ] as const;
  for (const [kind, field, rows, form] of kinds) {
    for (const [what, text, expected] of rows) {
      it(`are equal from a variable, a file and a program: ${kind} ${what}`, async () => {
        writeFileSync(path('file'), text);
        const results = [
          ['environment variable NAME', resolve({ fromEnv: 'NAME', ...form }, { NAME: text })],
          ['secret file file', resolve({ fromFile: 'file', ...form })],
        ] as const;
        for (const [place, { value, why = '' }] of results) {
          if (typeof expected === 'string') assert.equal(value, expected);
          else assert.match(why, new RegExp(`^${place} ${expected.source}`));
          assert.doesNotMatch(why, /canary/);
        }
        const { inputs, failures = [] } = await OAuthClient.check({}, { ...client, [field]: text });
        const reasons = failures.map(({ property, reason }) => property + reason);
        if (typeof expected === 'string') assert.deepEqual([inputs?.[field], reasons], [expected, []]);
        else assert.match(reasons.join(), new RegExp(`^${field}: ${expected.source}`));
        assert.doesNotMatch(reasons.join(), /canary/);
      });
    }
  }

  it('are keys where the profile says so, and each may be one while the provider is unknown', () => {
    const profile = readProfile('hcp-terraform', folder());
    const keysOf = (inputs: { serviceProvider?: string }) =>
      ['oauthTokenString', 'privateKey', 'secret'].filter((one) => isKey(oauthClient, one, inputs, profile));
    assert.deepEqual(keysOf({ serviceProvider: 'github' }), ['privateKey']);
    assert.deepEqual(keysOf({ serviceProvider: 'bitbucket_data_center' }), ['privateKey', 'secret']);
    assert.deepEqual(keysOf({}).length, 3);
  });

  it('are never a file that is too large for a secret', () => {
    writeFileSync(path('large'), 'a'.repeat(64 * 1024 + 1));
    assert.match(resolve({ fromFile: 'large' }).why ?? '', /is larger than 64 KiB/);
  });

  it('are never a file that a variable of Tether names, by whatever way it is reached', () => {
    mkdirSync(path('run'));
    writeFileSync(path('run/token'), 'canary-token\n');
    writeFileSync(path('copy'), 'canary-token');
    symlinkSync('run/token', path('link'));
    const env = { TETHER_TOKEN_FILE: 'run/token', AWS_WEB_IDENTITY_TOKEN_FILE: path('identity') };
    writeFileSync(path('identity'), 'canary-identity');
    for (const file of ['run/token', 'run/../link', path('link'), 'identity']) {
      assert.match(resolve({ fromFile: file }, env).why ?? '', /is named by a variable of Tether itself/);
    }
    assert.match(resolve({ fromFile: 'copy' }, env).why ?? '', /holds a token or password of Tether itself/);
  });

  it('are never a file that the SDK for S3 reads by itself', () => {
    mkdirSync(path('home/.aws/sso/cache'), { recursive: true });
    for (const name of ['home/.aws/config', 'home/.aws/sso/cache/a.json', 'dotfile', 'home/.awsome']) {
      writeFileSync(path(name), 'canary');
    }
    symlinkSync('../../dotfile', path('home/.aws/credentials'));
    symlinkSync('home/.aws', path('link'));
    const files = [
      'home/.aws/config',
      'home/.aws/sso/cache/a.json',
      'home/.aws/credentials',
      'dotfile',
      'link/config',
    ];
    for (const variable of ['HOME', 'USERPROFILE']) {
      for (const fromFile of files) {
        const why = `secret file ${fromFile} is a file of the AWS SDK, so it must not be sent`;
        assert.deepEqual(resolve({ fromFile }, { [variable]: path('home') }), { why });
      }
      assert.deepEqual(resolve({ fromFile: 'home/.awsome' }, { [variable]: path('home') }), {
        value: 'canary',
      });
    }
  });

  it('are never the value of a token, or of the credentials of a ledger', () => {
    const env = {
      TETHER_TOKEN: 'canary-1',
      TETHER_TOKEN_BETA: 'canary-2',
      TFE_TOKEN: 'canary-3',
      TETHER_LEDGER_CREDENTIALS: 'https://user:can%40ary-4@a.test https://canary-5@b.test',
      AWS_SECRET_ACCESS_KEY: 'canary-6',
      TETHER_ACCEPTANCE_VCS_TOKEN: 'canary-7',
    };
    for (const value of ['canary-1', 'canary-2', 'canary-3', 'can@ary-4', 'canary-5', 'canary-6\n']) {
      assert.deepEqual(resolve({ fromEnv: 'OWN' }, { ...env, OWN: value }), {
        why: 'environment variable OWN holds a token or password of Tether itself, which must not be sent',
      });
      const asKey = resolve({ fromEnv: 'OWN', isKey: true }, { ...env, OWN: value });
      assert.match(asKey.why ?? '', /holds a token or password/);
    }
    const file = resolve({ fromEnv: 'OWN' }, { ...env, OWN: 'Bearer canary-2' });
    assert.match(file.why ?? '', /holds a token or password/);
    // The acceptance suite sends this one on purpose.
    assert.deepEqual(resolve({ fromEnv: 'OWN' }, { ...env, OWN: 'canary-7' }), { value: 'canary-7' });
  });

  it('are never the token of a product that a profile reads from its own variable', () => {
    const profiles = readdirSync(join(__dirname, '../../../profiles')).filter(
      (file) => !file.includes('schema'),
    );
    const products = profiles.map((file) => readProfile(file.replace('.json', ''), '/nowhere'));
    const variables = products.flatMap(({ environment }) => environment?.token ?? []);
    assert.notEqual(variables.length, 0);
    for (const name of variables) {
      assert.match(name, ownVariable);
      const why = resolve({ fromEnv: 'OWN' }, { [name]: 'canary', OWN: 'canary' }).why ?? '';
      assert.match(why, /holds a token or password of Tether itself/, name);
    }
  });

  it('are only those that TETHER_SECRETS lists, if it is set', () => {
    for (const name of ['secrets', 'secrets-of-others']) {
      mkdirSync(path(name));
      writeFileSync(path(`${name}/a`), 'canary');
    }
    symlinkSync('../secrets-of-others/a', path('secrets/link'));
    const env = { GIT: 'canary', OTHER: 'canary', secrets: 'canary' };
    const listed = (list: string) => ({ ...env, TETHER_SECRETS: list });
    const value = { value: 'canary' };
    for (const list of ['GIT, secrets/', `GIT,${path('secrets')}/`]) {
      assert.deepEqual(resolve({ fromEnv: 'GIT' }, listed(list)), value);
      assert.deepEqual(resolve({ fromFile: 'secrets/a' }, listed(list)), value);
      const refused = [
        [{ fromEnv: 'OTHER' }, 'environment variable OTHER'],
        [{ fromFile: 'secrets-of-others/a' }, 'secret file secrets-of-others/a'],
        [{ fromFile: 'secrets/link' }, 'secret file secrets/link'],
        [{ fromFile: 'secrets/../secrets-of-others/a' }, 'secret file secrets/../secrets-of-others/a'],
      ] as const;
      for (const [source, place] of refused) {
        assert.deepEqual(resolve(source, listed(list)), { why: `${place} is not listed in TETHER_SECRETS` });
      }
    }
    // Without its slash, it is the name of a variable.
    assert.match(resolve({ fromFile: 'secrets/a' }, listed('secrets')).why ?? '', /is not listed/);
    assert.deepEqual(resolve({ fromEnv: 'OTHER' }, listed('')), value);
    assert.match(resolve({ fromEnv: 'OTHER' }, listed(',')).why ?? '', /is not listed/);
  });
});
