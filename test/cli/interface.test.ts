/** The command line as a whole: what it says of wrong arguments and settings, and the commands that need no service. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorst, outcomes } from '../../cli/outcome';
import { tetherHere } from '../support/cli';
import { temporaryFolder } from '../support/temporary-folder';

const manifest =
  'apiVersion: tether/v1\norganization: acme\nrunTriggers:\n  - { target: ws-a, source: ws-b }\n';

type Env = Readonly<Record<string, string | undefined>>;

describe('the command line', () => {
  const folder = temporaryFolder();
  const run = (args: readonly string[], env: Env = {}) => tetherHere(args, { cwd: folder(), env });

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['plna'], /unknown command 'plna'\n\(Did you mean plan\?\)/],
    ['an unknown flag', ['plan', '--adress', 'x'], /unknown option '--adress'\n\(Did you mean --address\?\)/],
    ['a missing value', ['plan', '--address'], /argument missing/],
    ['too many arguments', ['ledger', 'show', 'x', 'y'], /too many arguments/],
    ['an export of nothing', ['export'], /required option '--organization <name>' not specified/],
    ['a limit that is no number', ['apply', '--max-deletes', 'many'], /Expected a whole number, 0 or more/],
    ['a limit below zero', ['apply', '--max-deletes=-1'], /Expected a whole number, 0 or more/],
    ['a token as a flag', ['plan', '--token', 'x'], /unknown option '--token'/],
    ['a lock timeout of what locks nothing', ['plan', '--lock-timeout', '5'], /unknown option/],
    ['several folders of destroy', ['destroy', 'a', 'b'], /too many arguments/],
    [
      'a digest for several folders',
      ['apply', 'a', 'b', '--expect', 'x'],
      /--expect names the plan of one folder/,
    ],
    ['no command', [], /Usage: tether/],
    ['a group without its command', ['ledger'], /Usage: tether ledger/],
  ];
  for (const [name, args, message] of wrong) {
    it(`refuses ${name}`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
    });
  }

  it('prints one JSON document on stdout also when it is used wrongly', async () => {
    const { code, stdout } = await run(['plan', '--json', '--adress', 'x']);
    assert.equal(code, 1);
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } };
    assert.equal(error.code, 'usage');
    assert.match(error.message, /^unknown option '--adress'/);
  });

  it('prints version, help and schema with exit code 0', async () => {
    assert.match((await run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
    const { stdout } = await run(['--help']);
    for (const name of ['TETHER_RATE', 'TETHER_TIMEOUT', 'NO_COLOR', 'TETHER_MAX_DELETES']) {
      assert.ok(stdout.includes(name), name);
    }
    const schema = JSON.parse((await run(['schema'])).stdout) as { properties: Record<string, unknown> };
    assert.ok('runTriggers' in schema.properties);
  });

  it('has one table of exit codes, from the best to the worst', () => {
    const codes = Object.values(outcomes).map(({ exitCode }) => exitCode);
    assert.deepEqual([...new Set(codes)], [0, 2, 1, 130]);
    assert.equal(findWorst(['drift', 'incomplete', 'done']), 'incomplete');
    assert.equal(findWorst([]), 'done');
  });

  const refused: readonly (readonly [string, Env, RegExp])[] = [
    [
      'no address and no token',
      { TETHER_ADDRESS: undefined, TETHER_TOKEN: undefined },
      /--address.*TETHER_ADDRESS[\s\S]*TETHER_TOKEN, or TETHER_TOKEN_FILE/,
    ],
    [
      'http to another host',
      { TETHER_ADDRESS: 'http://example.com/api/v2' },
      /is http.*https.*TETHER_ADDRESS/,
    ],
    [
      'an address with a password',
      { TETHER_ADDRESS: 'https://u:pass@x.test/api/v2' },
      /user name or password/,
    ],
    [
      'a token file that is not there',
      { TETHER_TOKEN: undefined, TETHER_TOKEN_FILE: 'nowhere' },
      /TETHER_TOKEN_FILE names nowhere, which cannot be read \(ENOENT\)/,
    ],
    ['a rate that is no number', { TETHER_RATE: 'fast' }, /TETHER_RATE is "fast": expected a number above 0/],
    ['a timeout of nothing', { TETHER_TIMEOUT: '0' }, /TETHER_TIMEOUT is "0"/],
    ['a limit that is no number', { TETHER_MAX_DELETES: 'all' }, /TETHER_MAX_DELETES is "all"/],
    ['an unreachable service', { TETHER_MAX_DELETES: '', TETHER_RATE: '' }, /127\.0\.0\.1:1/],
    ...['TETHER_ADDRESS', 'TETHER_PROFILE', 'TETHER_TOKEN_ACME', 'TETHER_TOKEN'].map(
      (name) => [`${name} that is empty`, { [name]: '' }, new RegExp(`${name} is set and empty`)] as const,
    ),
  ];
  for (const [name, env, message] of refused) {
    it(`explains ${name}`, async () => {
      writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
      const usual = {
        TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2',
        TETHER_TOKEN: 't0ken',
        TETHER_TIMEOUT: '1',
      };
      const { code, stdout, stderr } = await run(['plan'], { ...usual, ...env });
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /this is a bug|t0ken|pass@/i);
    });
  }

  it('reads no empty variable where a flag decides, or where a command needs none', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const empty = { TETHER_ADDRESS: '', TETHER_PROFILE: '', TETHER_TOKEN: 't0ken', TETHER_TIMEOUT: '1' };
    const flags = ['--address', 'http://127.0.0.1:1/api/v2', '--profile', 'default'];
    assert.match((await run(['plan', ...flags], empty)).stderr, /connection refused by 127\.0\.0\.1:1/);
    assert.equal((await run(['validate', '--profile', 'default'], empty)).code, 0);
    assert.equal((await run(['schema'], empty)).code, 0);
  });

  it('colours on a terminal, and not with NO_COLOR', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), 'nonsense: 1\n');
    const isColoured = async (env: Record<string, string>) => {
      const { stdout } = await tetherHere(['validate'], { cwd: folder(), env, terminal: true });
      return stdout.includes('\u001b[');
    };
    assert.deepEqual([await isColoured({}), await isColoured({ NO_COLOR: '1' })], [true, false]);
  });

  it('validates folders and files without address or token, and finds every mistake at once', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const valid = await run(['validate']);
    assert.deepEqual([valid.code, valid.stdout, valid.stderr], [0, 'Valid: 1 object, 1 file read.\n', '']);
    assert.equal((await run(['validate', 'a.tether.yaml'])).stdout, valid.stdout);
    const bad = manifest.replace('ws-a', 'ws-c');
    writeFileSync(join(folder(), 'b.tether.yaml'), `${bad}  - { target: ws-a, sorce: ws-c }\nnonsense: 1\n`);
    const { code, stdout } = await run(['validate', '--markdown', 'report.md']);
    assert.equal(code, 1);
    assert.match(stdout, /b\.tether\.yaml:5:[\s\S]*b\.tether\.yaml:6:/);
    assert.match(stdout, /\d errors, 2 files read\.\n$/);
    assert.match(
      readFileSync(join(folder(), 'report.md'), 'utf8'),
      /^! ! .*nonsense.*\n! {5}at b\.tether\.yaml:6:1$/m,
    );
  });

  describe('of a graph', () => {
    const chain = [
      ['net', 'app'],
      ['app', 'web'],
      ['web', 'shop'],
      ['dns', 'web'],
      ['net', 'jobs'],
      ['shop', 'loop'],
      ['loop', 'shop'],
    ];
    const write = (pairs: readonly (readonly string[])[]) => {
      const lines = pairs.map(([source, target]) => `  - { target: ws-${target}, source: ws-${source} }\n`);
      const aliases = 'aliases:\n  workspaces: { application: ws-app }\n';
      const text = `apiVersion: tether/v1\norganization: acme\n${aliases}runTriggers:\n${lines.join('')}`;
      writeFileSync(join(folder(), 'a.tether.yaml'), text);
    };
    const drawn = async (...workspaces: readonly string[]) => {
      const { stdout } = await run(['graph', '.', ...workspaces, '--json']);
      const { triggers } = JSON.parse(stdout) as { triggers: { source: string; target: string }[] };
      return triggers.map(({ source, target }) => `${source} ${target}`.replaceAll('ws-', ''));
    };

    it('draws what workspaces set off and what sets them off, through any number of steps', async () => {
      write(chain);
      const around = ['net application', 'application web', 'web shop', 'shop loop', 'loop shop'];
      assert.deepEqual(await drawn('application'), around);
      assert.deepEqual(await drawn('ws-app'), around);
      assert.deepEqual(await drawn('ws-jobs'), ['net jobs']);
      assert.deepEqual(await drawn('ws-dns', 'ws-jobs'), [
        ...['web shop', 'dns web', 'net jobs', 'shop loop', 'loop shop'],
      ]);
      assert.equal((await drawn()).length, chain.length);
    });

    it('refuses a workspace that no trigger has, with the nearest', async () => {
      write(chain);
      const { code, stderr } = await run(['graph', '.', 'aplication', 'ws-netw']);
      assert.equal(code, 1);
      assert.match(stderr, /^error: aplication is no end of a run trigger.*did you mean `application`\?\n/);
      assert.match(stderr, /^ws-netw is no end .*`ws-net`\?$/m);
    });

    it('warns where no viewer of Mermaid draws it', async () => {
      const star = (count: number) => Array.from({ length: count }, (_, index) => ['hub', `spoke-${index}`]);
      write(star(500));
      assert.equal((await run(['graph'])).stderr, '');
      write(star(501));
      const { code, stdout, stderr } = await run(['graph']);
      assert.deepEqual([code, stdout.slice(0, 9)], [0, 'graph LR\n']);
      assert.match(stderr, /at most 500 triggers and 50000 characters, and this graph has 501 and \d+: name/);
      assert.equal((await run(['graph', '.', 'ws-spoke-7'])).stderr, '');
      assert.equal((await run(['graph', '--json'])).stderr, '');
      write([['hub', 'x'.repeat(50_000)]]);
      assert.match((await run(['graph'])).stderr, /this graph has 1 and 500\d\d:/);
    });
  });

  it('draws the run triggers in the language of Mermaid', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const { code, stdout } = await run(['graph']);
    assert.equal(code, 0);
    assert.equal(stdout, 'graph LR\n  w1["ws-a"]\n  w2["ws-b"]\n  w2 --> w1\n');
    const named = manifest.replace('target: ws-a', 'target: team/a');
    writeFileSync(join(folder(), 'a.tether.yaml'), `profile: hcp-terraform\n${named}`);
    const { triggers } = JSON.parse((await run(['graph', '--json'])).stdout) as { triggers: unknown };
    assert.deepEqual(triggers, [{ source: 'ws-b', target: 'team/a' }]);
  });
});
