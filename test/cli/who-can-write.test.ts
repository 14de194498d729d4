/** Who can write this can do that, and no more: pull requests, profiles and ledgers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { readProfile } from '../../resources/profile';
import { bareHead } from '../support/acme';
import type { Ended } from '../support/run-process';
import { World } from '../support/world';

const trigger = 'runTriggers: [{ target: ws-app, source: ws-network }]\n';
const client = (token: string) =>
  `oauthClients:\n  own: { name: Own, serviceProvider: provider_a, httpUrl: https://a.test, apiUrl: https://a.test/api, oauthTokenString: ${token} }\n`;

describe('who can write', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  it('scenario 85: a profile cannot say from which variable token, address or host are read', async () => {
    for (const setting of ['hostname', 'address', 'token']) {
      const own = { ...readProfile('default', '/'), environment: { [setting]: ['GITHUB_HEAD_REF'] } };
      world.write(JSON.stringify(own), 'p.json');
      world.write(`${bareHead}profile: ./p.json\n${trigger}`);
      for (const args of [['plan'], ['drift'], ['plan', '--profile', 'p.json']]) {
        const { stderr } = await world.expect(1, args, { env: { GITHUB_HEAD_REF: '127.0.0.1:1' } });
        assert.match(
          stderr,
          /p\.json is not a profile:\s+\/: must NOT have additional properties "environment"/,
        );
      }
    }
    assert.deepEqual(world.service.requests(), []);
  });

  it('a pull request cannot have a file or variable of the runner shown, nor anything written', async () => {
    world.write('canary-of-the-runner', 'runner.secret');
    world.write(bareHead + client('{ fromFile: ../runner.secret }'), 'repo/main.tether.yaml');
    const env = { OWN: 'canary-of-a-variable' };
    const runs: Ended[] = [];
    for (const command of ['validate', 'plan', 'drift']) {
      runs.push(await world.here([command, 'repo', '-vv'], { env }));
    }
    world.write(bareHead + client('{ fromEnv: OWN }'), 'repo/main.tether.yaml');
    runs.push(await world.here(['plan', 'repo', '--json'], { env }));
    for (const target of ['../runner.secret', '/proc/self/environ', '/dev/zero']) {
      rmSync(join(world.folder, 'repo/link.tether.yaml'), { force: true });
      symlinkSync(target, join(world.folder, 'repo/link.tether.yaml'));
      runs.push(await world.expect(1, ['plan', 'repo'], { env }));
    }
    for (const { stdout, stderr } of runs) {
      assert.doesNotMatch(stdout + stderr, /canary|owner-token/);
      assert.doesNotMatch(stderr, /this is a bug/i);
    }
    assert.deepEqual(world.writes(), []);
  });

  it('a pull request cannot lead out of the checkout by a folder that is a link', async () => {
    world.write(bareHead + trigger, 'elsewhere/main.tether.yaml');
    world.write('{}', 'elsewhere/tether.ledger.json');
    world.write(bareHead + trigger, 'repo/orgs/acme/main.tether.yaml');
    symlinkSync('../../elsewhere', join(world.folder, 'repo/orgs/evil'));
    const here = { cwd: join(world.folder, 'repo') };
    for (const command of ['validate', 'plan', 'apply', 'drift', 'show', 'graph', 'destroy']) {
      const { stdout, stderr } = await world.expect(1, [command, 'orgs/evil'], here);
      assert.match(
        stdout + stderr,
        /orgs\/evil is a link out of the folder that it stands in: remove the link/,
      );
      assert.doesNotMatch(stdout + stderr, /RunTrigger|ws-app|has a ledger/);
    }
    const named = await world.expect(1, ['validate', 'orgs/evil/main.tether.yaml'], here);
    assert.match(named.stdout, /lies behind, a link out of this folder/);
    assert.doesNotMatch(named.stdout, /RunTrigger|ws-app/);
    const { stdout } = await world.expect(1, ['plan', 'orgs/acme', 'orgs/evil'], here);
    assert.match(stdout, /^orgs\/evil +failed +orgs\/evil is a link out.*\norgs\/acme +acme +changes /m);
  });

  it('a folder that does not exist is no manifest with errors', async () => {
    for (const command of ['plan', 'apply', 'drift', 'graph']) {
      const { stderr } = await world.expect(1, [command, 'nowhere']);
      assert.match(stderr, /^error: (?:nowhere: )?the folder nowhere does not exist\n$/);
    }
  });

  it('a pull request cannot hide a part of its plan by a secret with the same text', async () => {
    world.write('hidden.test', 'hidden.txt');
    world.write(bareHead + client('{ fromFile: hidden.txt }').replaceAll('a.test', 'hidden.test'));
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /"https:\/\/hidden\.test"/);
    const env = { AWS_SESSION_TOKEN: 'exitCode' };
    assert.equal(JSON.parse((await world.expect(0, ['plan', '--json'], { env })).stdout).exitCode, 0);
  });

  it('a ledger padded with triggers that do not exist does not lift the limit on losses', async () => {
    const line = (source: string) => `  - { target: ws-app, source: ws-${source} }\n`;
    const workspaces = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`ws-s${index}`, {}]));
    world.service.patchSeed({ organizations: { acme: { workspaces } } });
    const lines = Object.keys(workspaces).map((id) => line(id.slice(3)));
    world.write(`${bareHead}runTriggers:\n${lines.join('')}`);
    await world.expect(0, ['apply', '--yes']);
    world.write(`${bareHead}runTriggers:\n${lines[0]}`);
    const { saved } = world;
    const invented = Array.from({ length: 30 }, (_, index) => [
      `RunTrigger/ws-no${index}/ws-none`,
      { id: `rt-no${index}` },
    ]);
    const objects = { ...saved.objects, ...Object.fromEntries(invented) };
    world.write(JSON.stringify({ ...saved, objects }), 'tether.ledger.json');
    world.writes();
    const { stdout } = await world.expect(1, ['apply', '--yes']);
    assert.match(stdout, /to go on, add --max-deletes 7/);
    assert.deepEqual(world.writes(), []);
  });

  it('a ledger cannot fill the comment of a pull request with the name of who applied last', async () => {
    world.write(bareHead + trigger);
    await world.applyAndExpectNothing();
    const long = 'x'.repeat(70_000);
    const lastApply = { at: `2026-01-01T00:00:00.${'0'.repeat(70_000)}Z`, by: long, revision: long };
    world.write(JSON.stringify({ ...world.saved, lastApply }), 'tether.ledger.json');
    world.write(bareHead + trigger.replace('ws-app', 'ws-lab'));
    const { stdout } = await world.expect(0, ['plan', '--markdown', 'report.md']);
    assert.match(world.read('report.md'), /1 to delete/);
    assert.match(stdout, /last applied \S{29}… by x{199}… from x{199}…$/m);
  });

  it('an entry cannot send the environment of the apply, which has its token', async () => {
    symlinkSync('/proc/self/environ', join(world.folder, 'link.secret'));
    for (const file of ['/proc/self/environ', 'link.secret']) {
      world.write(bareHead + client(`{ fromFile: ${file} }`));
      const { stderr } = await world.expect(1, ['apply', '--yes']);
      // Only Linux has that file.
      assert.match(stderr, /is not a file of its own|does not exist/);
    }
    assert.deepEqual(world.writes(), []);
  });

  it('an entry cannot send the token or its file, the credentials of the ledger, or what is not listed', async () => {
    world.write('owner-token\n', 'run/token');
    world.write('canary-of-the-runner', 'other/a');
    const [credentials, file] = ['https://ci:canary-of-the-ledger@host.test', 'run/token'];
    const rows: readonly (readonly [string, RegExp, Readonly<Record<string, string>>])[] = [
      ['fromFile: run/token', /secret file run\/token is named by a variable/, { TETHER_TOKEN_FILE: file }],
      ['fromEnv: SAME', /variable SAME holds a token or password/, { SAME: 'owner-token' }],
      [
        'fromEnv: SAME',
        /variable SAME holds a token or password/,
        { SAME: 'canary-of-the-ledger', TETHER_LEDGER_CREDENTIALS: credentials },
      ],
      [
        'fromEnv: GIT_TOKEN',
        /variable GIT_TOKEN is not listed in TETHER_SECRETS/,
        { TETHER_SECRETS: 'A,b/' },
      ],
      [
        'fromFile: other/a',
        /secret file other\/a is not listed in TETHER_SECRETS/,
        { TETHER_SECRETS: 'run/' },
      ],
    ];
    for (const [source, message, env] of rows) {
      world.write(bareHead + client(`{ ${source} }`));
      const { stdout, stderr } = await world.expect(1, ['apply', '--yes'], { env });
      assert.match(stderr, message);
      assert.doesNotMatch(stdout + stderr, /canary|owner-token/);
    }
    assert.deepEqual(world.writes(), []);
    await world.applyAndExpectNothing([], { env: { TETHER_SECRETS: 'GIT_TOKEN,other/' } });
  });

  it('scenario 84: a pipe among the files is refused by name, and never waited for', async () => {
    world.write(bareHead + trigger);
    const pipes: readonly (readonly [string, readonly string[]])[] = [
      ['x.tether.yaml', ['plan']],
      ['tether.ledger.json', ['plan']],
      ['p.json', ['plan', '--profile', './p.json']],
    ];
    for (const [name, args] of pipes) {
      execFileSync('mkfifo', [join(world.folder, name)]);
      const { code, stdout, stderr } = await world.tether(args);
      assert.equal(code, 1);
      assert.ok((stdout + stderr).includes(name), `${args.join(' ')}: ${stdout}${stderr}`);
      assert.match(stdout + stderr, /a named pipe, not a (?:plain )?file/);
      world.remove(name);
    }
  });

  it('--markdown overwrites nothing but a report', async () => {
    world.write(bareHead + trigger);
    world.write('mine', 'notes.md');
    for (const file of ['main.tether.yaml', 'notes.md', '.']) {
      const { stderr } = await world.expect(1, ['plan', '--markdown', file]);
      assert.match(stderr, /exists and is not a report of Tether; choose another name/);
    }
    await world.expect(0, ['plan', '--markdown', 'report.md']);
    await world.expect(0, ['apply', '--yes', '--markdown', 'report.md']);
    assert.match(world.read('report.md'), /^<!-- tether apply -->\n\n### Tether apply of acme: applied\n/);
    const noFile = 'x'.repeat(300);
    for (const [file, why] of [
      ['nowhere/report.md', '--markdown: the folder of nowhere/report.md does not exist'],
      [noFile, `the report ${noFile} cannot be written (ENAMETOOLONG)`],
    ] as const) {
      const { stderr } = await world.expect(1, ['plan', '--markdown', file]);
      assert.ok(stderr.includes(why), stderr);
    }
    const { stdout } = await world.expect(1, ['validate', noFile]);
    assert.ok(stdout.includes(`${noFile} cannot be read (ENAMETOOLONG)`), stdout);
  });
});
