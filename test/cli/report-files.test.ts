/** Nothing but an earlier report is overwritten by one, whatever it is called; and nothing else is written either. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
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
import { asOrdinaryUser } from '../support/ordinary-user';
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
    writeFileSync(at('old.json'), '{\n  "version": 1,\n  "organization": "acme"\n}\n');
    writeFileSync(at('biome.json'), '{\n  "$schema": "https://biome.example",\n  "title": "x"\n}\n');
    symlinkSync('../main.tether.yaml', at('sub/soft.json'));
    linkSync(at('main.tether.yaml'), at('hard.json'));
    symlinkSync('tether.ledger.json', at('new.json'));
    symlinkSync('new.json', at('newer.json'));
    symlinkSync('tether.ledger.json.journal', at('journal.json'));
    symlinkSync('sub', at('other'));
    execFileSync('mkfifo', [at('pipe')]);
  });

  function contents(): Readonly<Record<string, string>> {
    const names = readdirSync(folder(), { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(at(name), { throwIfNoEntry: false })?.isFile() === true);
    return Object.fromEntries(files.map((name) => [name, readFileSync(at(name), 'utf8')]));
  }

  const refused: readonly (readonly [string, readonly string[], string])[] = [
    ['a manifest that was named', ['validate', 'any.yaml', '--report', 'json=./sub/../any.yaml'], 'other'],
    ['a manifest under another name', ['plan', '--report', 'json=hard.json'], 'other'],
    ['the profile of a manifest', ['plan', '--report', 'json=own.json'], 'other'],
    ['the profile of a flag', ['validate', '--profile', 'flag.json', '--report', 'json=flag.json'], 'other'],
    ['the token', ['drift', '--report', 'json=api.token'], 'other'],
    ['a secret of a manifest', ['plan', '--report', 'json=git.token'], 'other'],
    ['a ledger under another name', ['plan', '--report', 'json=old.json'], 'other'],
    ['what is none of its business', ['schema', '--report', 'json=biome.json'], 'other'],
    ['another output', ['plan', '--report', 'json=r.json', '--report', 'json=sub/../r.json'], 'twice'],
    [
      'another output through a link',
      ['plan', '--report', 'json=sub/r', '--report', 'json=other/r'],
      'twice',
    ],
    ['a link to a manifest', ['validate', 'main.tether.yaml', '--report', 'json=other/soft.json'], 'link'],
    ['a link to a ledger that is not made yet', ['plan', '--report', 'json=newer.json'], 'link'],
    ['a link to the journal', ['ledger', 'show', '--report', 'json=journal.json'], 'link'],
    ['a folder', ['schema', '--report', 'json=sub'], 'directory'],
    ['a device', ['plan', '--report', 'json=/dev/zero'], 'link'],
    ['a pipe', ['show', '--report', 'json=pipe'], 'link'],
    ['in a folder that is not there', ['apply', '--yes', '--report', 'json=no/r.json'], 'folder'],
  ];
  const why: Readonly<Record<string, string>> = {
    other: 'is not a report of Tether',
    twice: 'is named twice',
    link: 'is a link or a device',
    directory: 'is a folder',
    folder: 'is in a folder that does not exist',
  };
  for (const [name, args, reason] of refused) {
    it(`is not ${name}: refused before anything else happens`, async () => {
      const before = contents();
      const ended = await tetherHere([...args, '--json'], { cwd: folder(), env });
      assert.equal(ended.code, 1, ended.stderr);
      assert.match(ended.stderr, /^error: --report: \S+ is .*; choose another name\n$/);
      assert.ok(ended.stderr.includes(` ${why[reason]};`), ended.stderr);
      assert.match((JSON.parse(ended.stdout) as { error: { message: string } }).error.message, /--report/);
      assert.deepEqual(contents(), before);
    });
  }

  it('is not in a folder that may not be written: refused before anything else happens', async () => {
    mkdirSync(at('closed'), { mode: 0o555 });
    const closed = readdirSync(folder());
    const ended = await asOrdinaryUser([folder()], () =>
      tetherHere(['plan', '--report', 'json=closed/r.json'], { cwd: folder(), env }),
    );
    assert.equal(ended.code, 1);
    assert.equal(
      ended.stderr,
      'error: --report: closed/r.json cannot be written (EACCES); choose another name\n',
    );
    assert.deepEqual(readdirSync(folder()), closed);
  });

  it('is made whole, for its owner only, and leaves what had another name of it as it was', async () => {
    writeFileSync(at('report.json'), '<!-- tether-plan old -->', { mode: 0o644 });
    linkSync(at('report.json'), at('kept.json'));
    const args = ['validate', 'main.tether.yaml', '--report', 'json=report.json'];
    assert.equal((await tetherHere(args, { cwd: folder(), env })).code, 0);
    assert.equal(statSync(at('report.json')).mode & 0o777, 0o600);
    assert.equal(readFileSync(at('kept.json'), 'utf8'), '<!-- tether-plan old -->');
    assert.deepEqual(
      readdirSync(folder()).filter((name) => name.includes('.tmp')),
      [],
    );
  });

  it('may be a report of before, an empty file, and one that is called like another', async () => {
    writeFileSync(at('empty.json'), '');
    const names = ['report.json', 'empty.json', 'sub/main.yaml'];
    const validate = ['validate', 'main.tether.yaml'];
    for (const args of [['schema'], validate, validate]) {
      const reports = names.flatMap((name) => ['--report', `json=${name}`]);
      const ended = await tetherHere([...args, ...reports], { cwd: folder(), env });
      assert.equal(ended.code, 0, ended.stderr + ended.stdout);
    }
    for (const name of names) {
      assert.equal((JSON.parse(readFileSync(at(name), 'utf8')) as { exitCode: number }).exitCode, 0);
    }
    assert.equal(readFileSync(at('main.tether.yaml'), 'utf8'), text);
  });
});
