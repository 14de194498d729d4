/** Flags, arguments and variables: what is wrong is said, and used wrongly is never exit code 2. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Call, type Io } from '../../cli/call';
import { connect } from '../../cli/connection';
import { explain, interruptible, UserError } from '../../cli/errors';
import type { Flags } from '../../cli/flags';
import { readProfile } from '../../resources/profile';
import { tetherHere } from '../support/cli';
import { temporaryFolder } from '../support/temporary-folder';

function quietIo(cwd: string): Io {
  return {
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    env: {},
    cwd,
    signal: new AbortController().signal,
    now: Date.now,
    ask: null,
  };
}

function callWith(flags: Flags, io: Io): Call {
  return new Call('plan', flags, [], io);
}

describe('the command line', () => {
  const folder = temporaryFolder();
  const manifest =
    'apiVersion: tether/v1\norganization: acme\nrunTriggers:\n  - { target: ws-a, source: ws-b }\n';

  const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['an unknown command', ['plna'], /unknown command 'plna'\n\(Did you mean plan\?\)/],
    ['an unknown flag', ['plan', '--adress', 'x'], /unknown option '--adress'\n\(Did you mean --address\?\)/],
    ['a missing value', ['plan', '--address'], /argument missing/],
    ['too many arguments', ['ledger', 'show', 'x'], /too many arguments/],
    [
      'a report of another format',
      ['plan', '--report', 'html=x'],
      /Unknown format html \(supported: json, markdown\)/,
    ],
    ['a report in place of a ledger', ['plan', '--report', 'json=a/tether.ledger.json'], /would overwrite/],
    ['a report in place of a manifest', ['drift', '--report', 'json=a.tether.yaml'], /would overwrite/],
    [
      'a report without a file',
      ['plan', '--report', 'json'],
      /Expected FORMAT=FILE, such as json=report\.json/,
    ],
    ['a limit that is no number', ['apply', '--max-deletes', 'many'], /Expected a whole number, 0 or more/],
    ['a limit below zero', ['apply', '--max-deletes=-1'], /Expected a whole number, 0 or more/],
    ['a rate of nothing', ['plan', '--rate', '0'], /Expected a number above 0/],
    ['a timeout that is no number', ['plan', '--timeout', 'soon'], /Expected a number/],
    ['a ledger file as a flag', ['plan', '--ledger', 'x.json'], /unknown option/],
    ['a wait that unlock would not do', ['ledger', 'unlock', '--lock-timeout', '5'], /unknown option/],
    ['a port that cannot be', ['serve', '--port', '70000'], /Expected a port/],
    [
      'an address where a folder stands',
      ['show', 'RunTrigger/a/b'],
      /not a folder: use --only RunTrigger\/a\/b/,
    ],
    ['a token as a flag', ['plan', '--token', 'x'], /unknown option '--token'/],
    [
      'an approval as a flag',
      ['apply', '--allow-destroy', 'OAuthClient/a'],
      /unknown option '--allow-destroy'/,
    ],
    ['no command', [], /Usage: tether/],
    ['a group without its command', ['ledger'], /Usage: tether ledger/],
  ];
  for (const [name, args, message] of wrong) {
    it(`refuses ${name}`, async () => {
      const { code, stdout, stderr } = await tetherHere(args, { cwd: folder() });
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.equal(stdout, '');
    });
  }

  it('names the flag and the variables of everything that is missing, at once', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const { code, stderr } = await tetherHere(['plan'], { cwd: folder() });
    assert.equal(code, 1);
    assert.match(stderr, /--address.*TETHER_ADDRESS[\s\S]*TETHER_TOKEN, or TETHER_TOKEN_FILE/);
  });

  const connections: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      'http to another host',
      { TETHER_ADDRESS: 'http://example.com/api/v2', TETHER_TOKEN: 't0ken' },
      /is http.*https/,
    ],
    ['an address that is none', { TETHER_ADDRESS: 'example', TETHER_TOKEN: 't0ken' }, /not a URL/],
    [
      'a token file that is not there',
      { TETHER_ADDRESS: 'https://x.test/api/v2', TETHER_TOKEN_FILE: 'nowhere' },
      /TETHER_TOKEN_FILE names nowhere, which cannot be read \(ENOENT\)/,
    ],
    [
      'an empty token file',
      { TETHER_ADDRESS: 'https://x.test/api/v2', TETHER_TOKEN_FILE: 'empty' },
      /TETHER_TOKEN_FILE names empty, which is empty/,
    ],
    [
      'an unreachable service',
      { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2', TETHER_TOKEN: 't0ken' },
      /127\.0\.0\.1:1/,
    ],
  ];
  for (const [name, env, message] of connections) {
    it(`explains ${name}`, async () => {
      writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
      writeFileSync(join(folder(), 'empty'), '\n');
      const { code, stdout, stderr } = await tetherHere(['plan', '--timeout', '1'], { cwd: folder(), env });
      assert.equal(code, 1);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /this is a bug|t0ken/i);
      assert.equal(stdout, '');
    });
  }

  it('prints one JSON document on stdout also when it fails, and writes the same report', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const { code, stdout } = await tetherHere(['plan', '--json', '--report', 'json=out.json'], {
      cwd: folder(),
    });
    assert.equal(code, 1);
    assert.equal(readFileSync(join(folder(), 'out.json'), 'utf8'), stdout);
    const document = JSON.parse(stdout) as { command: string; exitCode: number; error: { message: string } };
    assert.equal(document.command, 'plan');
    assert.equal(document.exitCode, 1);
    assert.match(document.error.message, /TETHER_ADDRESS/);
  });

  it('prints one JSON document on stdout also when it is used wrongly', async () => {
    const wrongly: readonly (readonly [readonly string[], string, RegExp])[] = [
      [['plan', '--json', '--adress', 'x'], 'plan', /^unknown option '--adress'/],
      [['ledger', 'show', 'a', '--json'], 'ledger show', /^too many arguments/],
      [['plna', '--json'], '', /^unknown command 'plna'/],
    ];
    for (const [args, command, message] of wrongly) {
      const { code, stdout, stderr } = await tetherHere(args, { cwd: folder() });
      assert.equal(code, 1);
      const document = JSON.parse(stdout) as { error: { message: string } };
      assert.deepEqual(document, { version: 1, command, exitCode: 1, error: document.error });
      assert.match(document.error.message, message);
      assert.match(stderr, /^error: /);
    }
  });

  it('says that a report cannot be written', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const name = `${'long'.repeat(99)}.json`;
    const { code, stderr } = await tetherHere(['validate', '--report', `json=${name}`], { cwd: folder() });
    assert.equal(code, 1);
    assert.equal(stderr, `error: the report ${name} cannot be written (ENAMETOOLONG)\n`);
    assert.deepEqual(readdirSync(folder()), ['a.tether.yaml']);
  });

  it('prints the version and help with exit code 0', async () => {
    const version = await tetherHere(['--version'], { cwd: folder() });
    assert.equal(version.code, 0);
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
    const help = await tetherHere(['plan', '--help'], { cwd: folder() });
    assert.equal(help.code, 0);
    assert.match(help.stdout, /--write-secrets/);
  });

  it('validates without address and token, and counts', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    const { code, stdout, stderr } = await tetherHere(['validate'], { cwd: folder() });
    assert.deepEqual(
      { code, stdout, stderr },
      { code: 0, stdout: 'Valid: 1 object, 1 file read.\n', stderr: '' },
    );
  });

  it('tells which folder to give where a single file lacks the organization', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'in'));
    writeFileSync(join(cwd, 'in/triggers.tether.yaml'), manifest.replace('organization: acme\n', ''));
    const told = async () => (await tetherHere(['validate', 'in/triggers.tether.yaml'], { cwd })).stdout;
    assert.match(await told(), /or give the folder that holds the file with this line: tether validate in\n/);
    writeFileSync(join(cwd, 'in/organization.tether.yaml'), 'apiVersion: tether/v1\norganization: acme\n');
    assert.match(
      await told(),
      /or give the folder with in\/organization\.tether\.yaml, which names it: tether validate in\n/,
    );
    assert.match((await tetherHere(['validate', 'in'], { cwd })).stdout, /^Valid: 1 object, 2 files read/);
  });

  it('finds every mistake at once, with its place', async () => {
    writeFileSync(
      join(folder(), 'a.tether.yaml'),
      `${manifest}  - { target: ws-a, sorce: ws-c }\nnonsense: 1\n`,
    );
    const { code, stdout } = await tetherHere(['validate'], { cwd: folder() });
    assert.equal(code, 1);
    assert.match(stdout, /a\.tether\.yaml:5:/);
    assert.match(stdout, /a\.tether\.yaml:6:/);
    assert.match(stdout, /\d errors?, 1 file read\.\n$/);
    const json = await tetherHere(['validate', '--json'], { cwd: folder() });
    const { issues } = JSON.parse(json.stdout) as { issues: { at: { line: number } }[] };
    assert.ok(issues.length >= 2 && issues.some((issue) => issue.at.line === 5));
  });

  it('colours on a terminal, and not with --no-color or NO_COLOR', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), 'nonsense: 1\n');
    const cwd = folder();
    const coloured = async (args: string[], env = {}): Promise<boolean> =>
      (await tetherHere(['validate', ...args], { cwd, env, terminal: true })).stdout.includes('\u001b[');
    assert.ok(await coloured([]));
    assert.ok(!(await coloured(['--no-color'])));
    assert.ok(!(await coloured([], { NO_COLOR: '1' })));
    assert.ok(!(await coloured([], { TERM: 'dumb' })));
  });

  it('reads the token from a file, whatever its permissions', async () => {
    writeFileSync(join(folder(), 'a.tether.yaml'), manifest);
    writeFileSync(join(folder(), 'token'), 'from-file-token\n');
    chmodSync(join(folder(), 'token'), 0o644);
    const env = { TETHER_ADDRESS: 'http://127.0.0.1:1/api/v2', TETHER_TOKEN_FILE: 'token' };
    const { stderr } = await tetherHere(['plan', '--timeout', '1'], { cwd: folder(), env });
    assert.match(stderr, /127\.0\.0\.1:1/);
    assert.doesNotMatch(stderr, /from-file-token/);
  });

  it('prints the schema of manifests, the same with --json and in a report', async () => {
    const cwd = folder();
    const plainly = await tetherHere(['schema'], { cwd });
    assert.equal(plainly.code, 0);
    const schema = JSON.parse(plainly.stdout) as { $schema: string; properties: Record<string, unknown> };
    assert.match(schema.$schema, /json-schema\.org/);
    assert.ok('runTriggers' in schema.properties);
    const json = await tetherHere(['schema', '--json', '--report', 'json=s.json'], { cwd });
    assert.equal(json.stdout, plainly.stdout);
    assert.equal(readFileSync(join(cwd, 's.json'), 'utf8'), plainly.stdout);
  });

  it('says warnings before it goes on, and mistakes instead of going on', async () => {
    const env = { TETHER_ADDRESS: 'http://example.com/api/v2', TETHER_TOKEN: 't0ken-t0ken' };
    const cycle = `${manifest}  - { target: ws-b, source: ws-a }\n`;
    writeFileSync(join(folder(), 'a.tether.yaml'), cycle);
    const warned = await tetherHere(['plan'], { cwd: folder(), env });
    assert.match(warned.stderr, /warning[\s\S]*is http/);
    const valid = await tetherHere(['validate'], { cwd: folder() });
    assert.equal(valid.code, 0);
    assert.match(valid.stdout, /Valid: 2 objects, 1 file read, 1 warning\.\n$/);
    writeFileSync(join(folder(), 'a.tether.yaml'), `${manifest}nonsense: 1\n`);
    const refused = await tetherHere(['plan', '--json'], { cwd: folder(), env });
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^error: the manifests have errors:\n\n.*a\.tether\.yaml:5:1/);
    assert.doesNotMatch(refused.stderr, /is http/);
    assert.equal((JSON.parse(refused.stdout) as { issues: unknown[] }).issues.length, 1);
  });

  it('takes the rate from the profile, a little below what its service allows', async () => {
    const profile = readProfile('default', folder());
    const io = {
      ...quietIo(folder()),
      env: { TETHER_ADDRESS: 'https://x.test/api/v2', TETHER_TOKEN: 'a-token' },
    };
    const slow = { ...profile, limits: { ...profile.limits, requestsPerSecond: 15 } };
    assert.equal(connect(callWith({}, io), profile).rate, 29);
    assert.equal(connect(callWith({}, io), slow).rate, 14.5);
    assert.equal(connect(callWith({ rate: 3 }, io), slow).rate, 3);
    const patient = connect(callWith({ timeout: 60 }, io), profile);
    const { address, token, tokenFrom, rate, timeoutMs, deadlineMs } = patient;
    assert.deepEqual(
      { address, token, tokenFrom, rate, timeoutMs, deadlineMs },
      {
        address: 'https://x.test/api/v2',
        token: 'a-token',
        tokenFrom: 'TETHER_TOKEN',
        rate: 29,
        timeoutMs: 60_000,
        deadlineMs: 240_000,
      },
    );
  });

  it('puts the flag over the variable, and the variable over the profile', () => {
    const env = {
      TETHER_ADDRESS: 'https://variable.test/api/v2',
      TETHER_TOKEN: 'variable-token',
      TETHER_TOKEN_FILE: 'nowhere',
      TETHER_PROFILE: 'variable',
      TFE_ADDRESS: 'https://profile.test',
      TFE_TOKEN: 'profile-token',
    };
    const io = { ...quietIo(folder()), env };
    const profile = readProfile('hcp-terraform', folder());
    const address = 'https://flag.test/api/v2';
    assert.equal(connect(callWith({ address }, io), profile).address, address);
    assert.equal(connect(callWith({}, io), profile).address, 'https://variable.test/api/v2');
    assert.equal(connect(callWith({}, io), profile).token, 'variable-token');
    assert.equal(callWith({ profile: 'flag' }, io).profile, 'flag');
    assert.equal(callWith({}, io).profile, 'variable');
  });

  it('completes the host that a product names, and takes its address as it is', async () => {
    const profile = readProfile('hcp-terraform', folder());
    const addressOf = (env: Record<string, string>): string =>
      connect(callWith({}, { ...quietIo(folder()), env: { TFE_TOKEN: 'a-token', ...env } }), profile).address;
    const remarks = (env: Record<string, string>, status: number | null, flags: Flags = {}) => {
      const lines: string[] = [];
      const stderr = { write: (text: string) => lines.push(text.trimEnd()) };
      const io = { ...quietIo(folder()), stderr, env: { TFE_TOKEN: 'a-token', ...env } };
      const { onEvent } = connect(callWith(flags, io), profile);
      for (let times = 0; times < 2; times += 1)
        onEvent?.({ type: 'request', method: 'GET', route: '/a', status, ms: 1 });
      return lines;
    };
    assert.equal(addressOf({}), 'https://app.terraform.io/api/v2');
    assert.equal(addressOf({ TFE_HOSTNAME: 'tfe.example' }), 'https://tfe.example/api/v2');
    assert.equal(addressOf({ TFE_ADDRESS: 'https://tfe.example/' }), 'https://tfe.example/api/v2');
    assert.equal(addressOf({ TFE_ADDRESS: 'https://tfe.example/api/v2/' }), 'https://tfe.example/api/v2');
    assert.equal(
      addressOf({ TFE_ADDRESS: 'https://a.example', TFE_HOSTNAME: 'b.example' }),
      'https://a.example/api/v2',
    );
    assert.deepEqual(remarks({}, 200), []);
    const remark =
      'no address is set, so calls go to https://app.terraform.io/api/v2, the default of profile hcp-terraform: TETHER_ADDRESS or --address changes it';
    assert.deepEqual(remarks({}, 401), [remark]);
    assert.deepEqual(remarks({}, null), [remark]);
    assert.equal(remarks({}, 200, { v: 1 })[0], remark);
    assert.deepEqual(remarks({ TFE_HOSTNAME: 'tfe.example' }, 401), []);
    assert.equal(
      addressOf({ TFE_HOSTNAME: 'b.example', TETHER_ADDRESS: 'https://c.example/x' }),
      'https://c.example/x',
    );
  });
});

describe('errors of a connection', () => {
  const folder = temporaryFolder();

  it('name the variables that a profile reads besides', () => {
    const missingWith = (name: string) => {
      try {
        connect(callWith({}, quietIo(folder())), readProfile(name, folder()));
      } catch (error) {
        return String(error).split('\n');
      }
      return [];
    };
    // Its address is known when nothing is said.
    const [token = '', ...others] = missingWith('hcp-terraform');
    assert.deepEqual(others, []);
    assert.match(token, /holds it \(this profile also reads TFE_TOKEN\)$/);
    assert.doesNotMatch(missingWith('default').join(), /also reads/);
  });
});

describe('errors', () => {
  it('that explain themselves are shown as they are, without what a terminal could act on', () => {
    assert.equal(explain(new UserError('do this\nand \u001b[2Jthat'), true), 'do this\nand \\u{1b}[2Jthat');
  });

  it('that nobody expected are a bug, with the stack only where it was asked for', () => {
    const bug = new TypeError('x is undefined');
    assert.equal(explain(bug, false), 'x is undefined\nThis is a bug; please report it (-vv shows where).');
    assert.match(
      explain(bug, true),
      /^x is undefined\nThis is a bug; please report it\.\nTypeError: x is undefined\n +at /,
    );
    assert.equal(explain('a text', false), 'unexpected: a text; this is a bug');
  });

  it('of work that ended leave nothing behind at its signal', async () => {
    const { signal } = new AbortController();
    for (let count = 0; count < 20; count += 1) await interruptible(Promise.resolve(count), signal);
    await assert.rejects(interruptible(Promise.reject(new Error('failed')), signal), /failed/);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('of work that is interrupted have one name, and the work is not waited for', async () => {
    const stop = new AbortController();
    const work = interruptible(new Promise(() => {}), stop.signal);
    stop.abort();
    await assert.rejects(work, { name: 'AbortError' });
    await assert.rejects(interruptible(new Promise(() => {}), stop.signal), { name: 'AbortError' });
    assert.equal(await interruptible(Promise.resolve(1), new AbortController().signal), 1);
  });
});
