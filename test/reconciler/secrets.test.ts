/** Resolving secrets: from variables and files, all failures at once, never a value in a message. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SecretSource } from '../../resources/kind';
import { resolveSecret, resolveSecrets, type WantedSecret } from '../../resources/secrets';
import { asOrdinaryUser } from '../support/ordinary-user';
import { temporaryFolder } from '../support/temporary-folder';

describe('resolving secrets', () => {
  const folder = temporaryFolder();
  const env = { GIT_TOKEN: 'hunter2', EMPTY: '', BLANK: ' \n', LINES: 'a\nb\n', UNSET: undefined };

  beforeEach(() => {
    const at = (name: string) => join(folder(), name);
    mkdirSync(at('folder'));
    writeFileSync(at('plain'), 'hunter2');
    writeFileSync(at('line'), 'hunter2\n');
    writeFileSync(at('dos'), 'hunter2\r\n');
    writeFileSync(at('two'), 'hunter2\n\n');
    writeFileSync(at('key.pem'), '-----BEGIN-----\nxyz\n-----END-----\n');
    writeFileSync(at('empty'), '');
    writeFileSync(at('newline'), '\n');
    writeFileSync(at('binary'), Buffer.from([0xff, 0xfe, 0x01]));
    writeFileSync(at('large'), 'hunter2'.repeat(10_000));
    writeFileSync(at('largest'), 'x'.repeat(64 * 1024));
    symlinkSync('plain', at('linked'));
    execFileSync('mkfifo', [at('pipe')]);
  });

  const found: [SecretSource, string][] = [
    [{ fromEnv: 'GIT_TOKEN' }, 'hunter2'],
    [{ fromEnv: 'LINES' }, 'a\nb\n'],
    [{ fromFile: 'plain' }, 'hunter2'],
    [{ fromFile: './folder/../plain' }, 'hunter2'],
    [{ fromFile: 'line' }, 'hunter2'],
    [{ fromFile: 'dos' }, 'hunter2'],
    [{ fromFile: 'two' }, 'hunter2\n'],
    [{ fromFile: 'key.pem' }, '-----BEGIN-----\nxyz\n-----END-----'],
    [{ fromFile: 'linked' }, 'hunter2'],
    [{ fromFile: 'largest' }, 'x'.repeat(64 * 1024)],
  ];
  for (const [source, value] of found) {
    it(`reads ${JSON.stringify(source)}`, () => {
      assert.deepEqual(resolveSecret(source, { env, root: folder() }), { ok: true, value });
    });
  }

  it('reads a file by its absolute path', () => {
    const source = { fromFile: join(folder(), 'plain') };
    assert.deepEqual(resolveSecret(source, { env, root: '/' }), { ok: true, value: 'hunter2' });
  });

  const missing: [SecretSource, string][] = [
    [{ fromEnv: 'NOT_THERE' }, 'environment variable NOT_THERE is not set'],
    [{ fromEnv: 'UNSET' }, 'environment variable UNSET is not set'],
    [{ fromEnv: 'toString' }, 'environment variable toString is not set'],
    [{ fromEnv: 'EMPTY' }, 'environment variable EMPTY holds an empty secret'],
    [{ fromEnv: 'BLANK' }, 'environment variable BLANK holds only white space'],
    [{ fromFile: 'missing' }, 'secret file missing does not exist'],
    [{ fromFile: 'plain/inside' }, 'secret file plain/inside does not exist'],
    [{ fromFile: 'folder' }, 'secret file folder is a folder, not a plain file'],
    [{ fromFile: 'pipe' }, 'secret file pipe is a named pipe, not a plain file'],
    [{ fromFile: 'empty' }, 'secret file empty holds an empty secret'],
    [{ fromFile: 'newline' }, 'secret file newline holds an empty secret'],
    [{ fromFile: 'binary' }, 'secret file binary is not UTF-8 text'],
    [{ fromFile: 'large' }, 'secret file large is larger than 64 KiB'],
    [{ fromFile: 'a\0b' }, 'secret file a\0b cannot be read (ERR_INVALID_ARG_VALUE)'],
  ];
  for (const [source, why] of missing) {
    it(`says why ${JSON.stringify(source)} has no value`, () => {
      assert.deepEqual(resolveSecret(source, { env, root: folder() }), { ok: false, why });
    });
  }

  it('says that a file may not be read', async () => {
    const file = join(folder(), 'plain');
    chmodSync(file, 0o000);
    const resolution = await asOrdinaryUser([folder(), file], async () =>
      resolveSecret({ fromFile: 'plain' }, { env, root: folder() }),
    );
    assert.deepEqual(resolution, { ok: false, why: 'secret file plain may not be read by this user' });
  });

  const want = (address: string, field: string, source: SecretSource): WantedSecret => ({
    address,
    field,
    source,
  });

  it('resolves all at once, and names every one that is missing', () => {
    const resolved = resolveSecrets(
      [
        want('OAuthClient/a', 'secret', { fromEnv: 'NOT_THERE' }),
        want('OAuthClient/a', 'oauthTokenString', { fromEnv: 'GIT_TOKEN' }),
        want('OAuthClient/b', 'oauthTokenString', { fromFile: 'line' }),
        want('OAuthClient/b', 'privateKey', { fromFile: 'missing' }),
      ],
      { env, root: folder() },
    );
    assert.equal(resolved.value('OAuthClient/a', 'oauthTokenString'), 'hunter2');
    assert.equal(resolved.value('OAuthClient/b', 'oauthTokenString'), 'hunter2');
    assert.equal(resolved.value('OAuthClient/a', 'secret'), undefined);
    assert.deepEqual(
      resolved.failures.map(({ address, field, why }) => `${address} ${field}: ${why}`),
      [
        'OAuthClient/a secret: environment variable NOT_THERE is not set',
        'OAuthClient/b privateKey: secret file missing does not exist',
      ],
    );
  });

  it('shows no value when its result is printed', () => {
    const resolved = resolveSecrets([want('OAuthClient/a', 'key', { fromEnv: 'GIT_TOKEN' })], {
      env,
      root: folder(),
    });
    assert.doesNotMatch(
      inspect(resolved, { depth: 9, showHidden: true }) + JSON.stringify(resolved),
      /hunter2/,
    );
  });
});
