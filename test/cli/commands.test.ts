/** Commands against the embedded service: what they print, ask, report and return. */
import assert from 'node:assert/strict';
import { run } from '../../cli/run';
import { until } from '../support/background';
import { fullLedger } from '../support/ledger-samples';
import { github, head, World } from '../support/world';

const text = `${head}${github}runTriggers:\n  - { target: app, source: network }\n`;

describe('the commands', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
    world.write('main.tether.yaml', text);
  });
  afterEach(() => world.close());

  interface Document {
    readonly command: string;
    readonly exitCode: number;
    readonly summary?: { readonly actions: { readonly create: number } };
    readonly result?: { readonly counts: { readonly done: number } };
    readonly drift?: { readonly organization: string };
    readonly objects?: readonly { readonly address: string; readonly state: string }[];
    readonly error?: { readonly message: string };
  }

  function parse(stdout: string): Document {
    return JSON.parse(stdout) as Document;
  }

  it('plan, apply, drift and show print one JSON document each with --json', async () => {
    const planned = parse((await world.expect(0, ['plan', '--json'])).stdout);
    assert.deepEqual([planned.command, planned.exitCode, planned.summary?.actions.create], ['plan', 0, 2]);
    const applied = parse(
      (await world.expect(0, ['apply', '--yes', '--json', '--report', 'json=r.json'])).stdout,
    );
    assert.equal(applied.result?.counts.done, 2);
    assert.deepEqual(parse(world.read('r.json')), applied);
    const drift = parse((await world.expect(0, ['drift', '--json'])).stdout);
    assert.equal(drift.drift?.organization, 'acme');
    const shown = parse((await world.expect(0, ['show', '--json'])).stdout);
    assert.deepEqual(
      shown.objects?.map((one) => [one.address, one.state]),
      [
        ['OAuthClient/github', 'present'],
        ['RunTrigger/app/network', 'present'],
      ],
    );
  });

  it('warn of a large knot in two lines before a plan, with frames in validate, and not at all with -q', async () => {
    const ring = Array.from(
      { length: 300 },
      (_, index) => `  - { target: ws-${index}, source: ws-${(index + 1) % 300} }\n`,
    );
    world.write(
      'main.tether.yaml',
      `apiVersion: tether/v1\norganization: acme\nrunTriggers:\n${ring.join('')}`,
    );
    const planned = await world.here(['plan']);
    assert.match(
      planned.stderr,
      /^main\.tether\.yaml:4:5 {2}warning {2}trigger-cycle\n .* and 294 more\. .*\n/,
    );
    assert.doesNotMatch(planned.stderr, /see also|> 4/);
    const { stdout } = await world.expect(0, ['validate']);
    assert.match(stdout, /> 4 \|(.*\n){3}( {2}see also .*\n){5}\nValid: .*1 warning\.\n$/);
    assert.equal(
      (await world.expect(0, ['validate', '-q'])).stdout,
      'Valid: 300 objects, 1 file read, 1 warning.\n',
    );
  });

  it('writes a report beside the text for people', async () => {
    const { stdout } = await world.expect(0, [
      'plan',
      '--report',
      'json=one.json',
      '--report',
      'json=two.json',
    ]);
    assert.match(stdout, /^Plan: 2 to create/m);
    assert.equal(world.read('one.json'), world.read('two.json'));
    assert.equal(parse(world.read('one.json')).exitCode, 0);
  });

  it('apply asks on a terminal, and no means no', async () => {
    const ended = await world.here(['apply'], { terminal: true, ask: async () => false });
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /Not applied; nothing was changed\./);
    assert.deepEqual(world.writes(), []);
  });

  it('apply is interrupted by Ctrl-C at the question', async () => {
    const ask = async (): Promise<boolean> => {
      throw new Error('User force closed the prompt');
    };
    const ended = await world.here(['apply'], { ask });
    assert.equal(ended.code, 130);
    assert.match(ended.stderr, /interrupted; nothing was changed/);
    assert.ok(!world.has('tether.ledger.json.lock'));
  });

  it('apply does not ask when there is nothing to do', async () => {
    const applied = await world.applyAndExpectNothing();
    assert.match(applied.stdout, /\nApply: 2 done\.\nLedger written: commit tether\.ledger\.json\n$/);
    const ended = await world.here(['apply']);
    assert.equal(ended.code, 0);
    assert.equal(ended.stdout, 'No changes. 2 objects up to date.\n');
  });

  it('plan ends with the command that does it, with the folder and the flags that count', async () => {
    const { stdout } = await world.here(['plan', '.', '--max-deletes', '7', '--write-secrets', '--no-color']);
    assert.match(stdout, /^Digest: [0-9a-f]{16}\nNext: tether apply \. --max-deletes 7 --write-secrets\n$/m);
  });

  it('plan ends with a command that a shell takes as it stands, whatever the folder is called', async () => {
    world.write("it's here/main.tether.yaml", world.read('main.tether.yaml'));
    const { stdout } = await world.here(['plan', "it's here"]);
    assert.match(stdout, /^Next: tether apply 'it'\\''s here'$/m);
  });

  it('apply writes what only the ledger lacks, and says that, not that it did nothing', async () => {
    await world.applyAndExpectNothing();
    world.write('moved.tether.yaml', world.read('main.tether.yaml'));
    world.remove('main.tether.yaml');
    const planned = await world.here(['plan']);
    assert.match(
      planned.stdout,
      /^No changes\.[\s\S]*\nNext: tether apply \(only the ledger changes: the last applied values of 2 objects\)\n$/,
    );
    const ended = await world.here(['apply']);
    assert.match(
      ended.stdout,
      /^No changes\. 2 objects up to date\.\nLedger written: commit tether\.ledger\.json\n$/,
    );
  });

  it('apply without --yes and without a terminal says to use --yes, and changes nothing', async () => {
    const { stderr } = await world.expect(1, ['apply']);
    assert.match(stderr, /pass --yes to apply without confirmation/);
    assert.deepEqual(world.writes(), []);
  });

  it('the help of plan says what holds where a flag is left out', async () => {
    const { stdout } = await world.here(['plan', '--help']);
    for (const said of ['default: 0)', 'default: 30)', 'at most 29;', '30 %', '10 %'])
      assert.ok(stdout.replace(/\s+/g, ' ').includes(said), said);
  });

  it('-v says every request, without the token', async () => {
    const { stderr } = await world.here(['plan', '-v']);
    assert.match(stderr, /GET \/organizations\/acme\/oauth-clients 200 \d+ ms/);
    assert.doesNotMatch(stderr, /owner-token/);
  });

  it('show names fields, ids and outputs, by address, ledger key or id', async () => {
    await world.applyAndExpectNothing();
    const [client] = world.service.snapshot().oauthClients;
    for (const name of ['OAuthClient/github', client?.id ?? '']) {
      const { stdout } = await world.expect(0, ['show', '--only', name]);
      assert.match(stdout, /^OAuthClient\/github\n +id +oc-/);
      for (const field of ['callbackUrl', 'connectPath', 'oauthTokenIds', 'name +"GitHub"']) {
        assert.match(stdout, new RegExp(`^ +${field}`, 'm'));
      }
      assert.doesNotMatch(stdout, /RunTrigger/);
    }
    await world.expect(0, ['show', '--only', 'RunTrigger/ws-app/ws-network']);
    const unknown = await world.expect(1, [
      'show',
      '--only',
      'OAuthClient/gitub',
      '--only',
      'RunTrigger/x/y',
    ]);
    assert.match(
      unknown.stderr,
      /OAuthClient\/gitub is neither in the manifests nor in the ledger; did you mean OAuthClient\/github\?[\s\S]*RunTrigger\/x\/y/,
    );
    await world.somebody.oauthClients.delete(client?.id ?? '');
    const gone = await world.expect(1, ['show', '--only', 'OAuthClient/github']);
    assert.match(gone.stdout, /missing/);
  });

  it('show without a ledger says when nothing, or more than one, looks like it', async () => {
    const none = await world.expect(1, ['show', '--only', 'OAuthClient/github']);
    assert.match(none.stdout, /missing\n +no object matches it/);
    const one = {
      serviceProvider: 'provider_a',
      name: 'GitHub',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
    };
    const ids = [
      await world.somebody.oauthClients.create('acme', one),
      await world.somebody.oauthClients.create('acme', one),
    ].map((client) => client.id);
    const two = await world.expect(1, ['show', '--only', 'OAuthClient/github']);
    assert.match(two.stdout, /unknown\n +several objects match: oc-/);
    assert.ok(ids.every((id) => two.stdout.includes(id)));
  });

  it('show says that nothing is known where nothing is', async () => {
    world.write('main.tether.yaml', 'apiVersion: tether/v1\norganization: acme\n');
    assert.match((await world.expect(0, ['show'])).stdout, /Nothing is known here/);
  });

  it('progress names what failed, with its reason', async () => {
    world.service.fault({
      method: 'POST',
      route: '/workspaces/:workspace_id/run-triggers',
      how: 'status',
      status: 422,
    });
    for (const terminal of [true, false]) {
      const ended = await world.here(['apply', '--yes', '--no-color'], { terminal });
      assert.equal(ended.code, 1);
      assert.match(ended.stderr, /failed create RunTrigger\/app\/network: .*422/s);
      assert.match(ended.stdout, /✖ create RunTrigger\/app\/network/);
    }
    world.service.clearFaults();
    await world.applyAndExpectNothing();
  });

  it('ledger show lists creates that were not finished, and what may still appear', async () => {
    world.write('tether.ledger.json', JSON.stringify(fullLedger));
    const { stdout } = await world.expect(0, ['ledger', 'show']);
    assert.match(stdout, /^ {2}OAuthClient\/new {2}create not finished, under tether-pending-a-b$/m);
    assert.match(stdout, /^ {2}OAuthClient\/github {2}may still appear as tether-pending-c-d, since 2026-/m);
    assert.match(stdout, /^ {2}ProjectAttachment\/github\/prj-1 {2}acme\.tether\.yaml$/m);
  });

  it('serve without a seed starts with an organization to try things on, and a token said once', async () => {
    const stop = new AbortController();
    let stderr = '';
    const served = run(['serve'], {
      stdout: { write: () => {} },
      stderr: {
        write: (text: string) => {
          stderr += text;
        },
      },
      env: {},
      cwd: world.folder,
      signal: stop.signal,
      now: Date.now,
      ask: null,
    });
    await until('it is ready', () => stderr.includes('shown only this once'));
    stop.abort();
    assert.equal(await served, 0);
    assert.match(stderr, /^organization demo, token \S{20,} /);
  });

  it('serve refuses what it does not know, each with its reason', async () => {
    const pair = await world.here(['serve', '--behaviour', 'rate']);
    assert.deepEqual([pair.code, pair.stderr], [1, '--behaviour rate: expected NAME=VALUE\n']);
    const name = await world.here(['serve', '--behaviour', 'nothing=1']);
    assert.equal(name.code, 1);
    assert.match(name.stderr, /nothing/);
    const seed = await world.here(['serve', '--seed', 'nowhere.yaml']);
    assert.equal(seed.code, 1);
    assert.match(seed.stderr, /nowhere\.yaml/);
  });

  it('a client that waits for a person is said by the apply that makes it, and by plan', async () => {
    world.write(
      'main.tether.yaml',
      head + github.replace(/ +oauthTokenString.*\n/, '    secret: { fromEnv: GIT_TOKEN }\n'),
    );
    const made = await world.expect(0, ['apply', '--yes']);
    const { connectPath } = (await world.somebody.oauthClients.list('acme'))[0] ?? {};
    const url = new URL(world.service.url).origin + connectPath;
    const waits = `waits for a person: open ${url} to finish connecting`;
    assert.ok(made.stderr.split('\n').includes(`OAuthClient/github ${waits}`), made.stderr);
    const { stdout } = await world.expect(0, ['plan']);
    assert.ok(stdout.replaceAll(/\n +/g, ' ').includes(waits), stdout);
  });

  it('ledger show and unlock look into the ledger and free its lock', async () => {
    const none = await world.expect(1, ['ledger', 'show']);
    assert.match(none.stderr, /no ledger at .*tether\.ledger\.json yet/);
    await world.applyAndExpectNothing();
    const shown = await world.expect(0, ['ledger', 'show']);
    assert.match(shown.stdout, /^# acme {2}\(serial 1, lineage /);
    assert.match(
      shown.stdout,
      /OAuthClient\/github {2}oc-\S+ {2}main\.tether\.yaml, oauthTokenString: \(secret, written\)/,
    );
    assert.match((await world.expect(0, ['ledger', 'unlock', '0123456789abcdef'])).stdout, /not locked/);
    const json = JSON.parse((await world.expect(0, ['ledger', 'show', '--json'])).stdout) as {
      command: string;
    };
    assert.equal(json.command, 'ledger show');
  });

  it('the profile of a product reads its variables too, and a host alone is completed', async () => {
    const { origin } = new URL(world.service.url);
    world.write(
      'main.tether.yaml',
      text
        .replace('organization: acme', 'profile: hcp-terraform\norganization: acme')
        .replace('provider_a', 'github'),
    );
    const env = { TETHER_ADDRESS: '', TETHER_TOKEN: '', TFE_TOKEN: 'owner-token', TFE_ADDRESS: `${origin}/` };
    await world.expect(0, ['plan'], { env });
    world.write('main.tether.yaml', text);
    const missing = await world.expect(1, ['plan'], { env });
    assert.match(missing.stderr, /no address[\s\S]*no token/);
  });

  it('a token from a file works, whatever follows it', async () => {
    world.write('token', 'owner-token\n');
    const env = { TETHER_TOKEN: '', TETHER_TOKEN_FILE: 'token' };
    await world.expect(0, ['plan'], { env });
  });

  it('serve prints the address, works, and ends cleanly on SIGTERM', async () => {
    world.write('seed.yaml', 'organizations:\n  acme: {}\ntokens:\n  seeded-token: { acme: owner }\n');
    let stdout = '';
    const { program } = await import('../support/cli.js');
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, [program, 'serve', '--seed', 'seed.yaml', '--admin'], {
      cwd: world.folder,
    });
    const closed = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    await until('it listens', () => stdout.split('\n').length > 2);
    const [, address] =
      /^listening on (http:\/\/127\.0\.0\.1:\d+\/api\/v2)\nadmin on http:\/\/127\.0\.0\.1:\d+\n$/.exec(
        stdout,
      ) ?? [];
    world.write('main.tether.yaml', 'apiVersion: tether/v1\norganization: acme\noauthClients: {}\n');
    await world.expect(0, ['plan'], { env: { TETHER_ADDRESS: address ?? '', TETHER_TOKEN: 'seeded-token' } });
    child.kill('SIGTERM');
    assert.equal(await closed, 0);
  });
});
