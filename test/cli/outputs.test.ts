/** Files that a run reads are never written by it, whatever they are called; and nothing else is written either. */
import assert from 'node:assert/strict';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { tetherHere } from '../support/cli';
import { temporaryFolder } from '../support/temporary-folder';

const text = `apiVersion: tether/v1
organization: acme
profile: ./own.json
oauthClients:
  github:
    serviceProvider: provider_a
    httpUrl: https://a.example
    apiUrl: https://a.example/api
    oauthTokenString: { fromFile: git.token }
`;

describe('a file to be written', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder(), name);
  /** Nothing is ever sent: what is refused is refused before a call, and nobody listens there. */
  const env = { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2', TETHER_TOKEN_FILE: 'api.token' };

  beforeEach(() => {
    mkdirSync(at('sub'));
    writeFileSync(at('main.tether.yaml'), text);
    writeFileSync(at('any.yaml'), text);
    const profile = readFileSync(join(__dirname, '../../../profiles/default.json'), 'utf8');
    writeFileSync(at('own.json'), profile.replace('"default"', '"own"'));
    writeFileSync(at('git.token'), 'git-secret');
    writeFileSync(at('api.token'), 'api-secret');
    writeFileSync(at('flag.json'), '{}');
    symlinkSync('../main.tether.yaml', at('sub/soft.json'));
    linkSync(at('main.tether.yaml'), at('hard.json'));
    symlinkSync('tether.ledger.json', at('new.json'));
    symlinkSync('new.json', at('newer.json'));
    symlinkSync('tether.ledger.json.journal', at('journal.json'));
    symlinkSync('sub', at('other'));
  });

  function contents(): Readonly<Record<string, string>> {
    const names = readdirSync(folder(), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(at(name), { throwIfNoEntry: false })?.isFile() === true);
    return Object.fromEntries(files.map((name) => [name, readFileSync(at(name), 'utf8')]));
  }

  const refused: readonly (readonly [string, readonly string[], string])[] = [
    [
      'a manifest that was named',
      ['validate', 'any.yaml', '--report', 'json=./sub/../any.yaml'],
      'a manifest',
    ],
    [
      'a manifest behind a link',
      ['validate', 'main.tether.yaml', '--report', 'json=other/soft.json'],
      'a manifest',
    ],
    ['a manifest under another name', ['plan', '--report', 'json=hard.json'], 'a manifest'],
    ['a ledger that is not made yet', ['plan', '--report', 'json=newer.json'], 'the ledger'],
    ['the profile', ['plan', '--report', 'json=own.json'], 'the profile'],
    [
      'the profile of a flag',
      ['validate', '--profile', 'flag.json', '--report', 'json=flag.json'],
      'the profile',
    ],
    ['a secret', ['plan', '--report', 'json=git.token'], 'a secret of OAuthClient/github'],
    ['the token', ['drift', '--report', 'json=api.token'], 'the file with the token'],
    ['the ledger that is looked into', ['ledger', 'show', '--report', 'json=newer.json'], 'the ledger'],
    ["the ledger's journal", ['plan', '--report', 'json=journal.json'], "the ledger's journal"],
    [
      'another output',
      ['plan', '--report', 'json=r.json', '--report', 'json=sub/../r.json'],
      'what --report json=r.json writes',
    ],
  ];
  for (const [name, args, what] of refused) {
    it(`is not ${name}`, async () => {
      const before = contents();
      const ended = await tetherHere([...args, '--json'], { cwd: folder(), env });
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(ended.stderr, /^error: --report \S+ would overwrite .*: choose another file\n$/);
      assert.ok(ended.stderr.includes(`would overwrite ${what}:`), ended.stderr);
      assert.match((JSON.parse(ended.stdout) as { error: { message: string } }).error.message, /overwrite/);
      assert.deepEqual(contents(), before);
    });
  }

  it('may be a report of before, and a file that only looks like another', async () => {
    writeFileSync(at('report.json'), 'old');
    const args = [
      'validate',
      'main.tether.yaml',
      '--report',
      'json=report.json',
      '--report',
      'json=sub/main.yaml',
    ];
    const ended = await tetherHere(args, { cwd: folder(), env });
    assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    for (const name of ['report.json', 'sub/main.yaml']) {
      assert.equal((JSON.parse(readFileSync(at(name), 'utf8')) as { exitCode: number }).exitCode, 0);
    }
    assert.equal(readFileSync(at('main.tether.yaml'), 'utf8'), text);
  });
});
