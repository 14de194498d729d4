/** Several folders in one command: each on its own, then one table, one document, one report and one exit code. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createClient } from '../../client/client';
import type { SeedObject } from '../../service';
import { acmeSeed } from '../support/acme';
import { until } from '../support/background';
import { World } from '../support/world';

const organizations = ['acme', 'beta', 'gamma'];

/** Three organizations with the same workspaces, whose ids differ by a suffix, and a token for each. */
const seed: SeedObject = {
  organizations: Object.fromEntries(
    organizations.map((name) => [
      name,
      { workspaces: { [`ws-app-${name}`]: {}, [`ws-network-${name}`]: {}, [`ws-dns-${name}`]: {} } },
    ]),
  ),
  tokens: Object.fromEntries(organizations.map((name) => [`${name}-token`, { [name]: 'owner' as const }])),
};

const manifest = (name: string) =>
  `apiVersion: tether/v1\norganization: ${name}\nrunTriggers: [{ target: ws-app-${name}, sources: [ws-network-${name}] }]\n`;

const env = {
  TETHER_TOKEN: '',
  TETHER_TOKEN_ACME: 'acme-token',
  TETHER_TOKEN_BETA: 'beta-token',
  TETHER_TOKEN_GAMMA: 'gamma-token',
};

describe('several folders', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start({ ...acmeSeed(), ...seed });
    for (const name of organizations) world.write(manifest(name), `${name}/main.tether.yaml`);
  });
  afterEach(() => world.close());

  /** The rows of the last table. */
  const table = (stdout: string) =>
    (stdout.split(/^Folder .*\n/m).at(-1) ?? '')
      .replace(/\n\n.*/s, '')
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/));

  it('are applied one after the other, each with its own manifests, ledger and token', async () => {
    const planned = await world.expect(0, ['plan', ...organizations], { env });
    assert.match(planned.stdout, /\n3 folders: 3 with changes\nNext: tether apply acme beta gamma\n$/);
    const { stdout } = await world.expect(0, ['apply', '--yes', ...organizations], { env });
    assert.doesNotMatch(stdout, /^Next:/m);
    assert.match(stdout, /^== acme ==$[\s\S]*^== beta ==$[\s\S]*^== gamma ==$/m);
    assert.deepEqual(
      table(stdout),
      organizations.map((name) => [name, name, 'applied', 'Apply: 1 done.']),
    );
    for (const name of organizations) assert.ok(world.has(`${name}/tether.ledger.json`));
    const again = await world.expect(0, ['plan', '--detailed-exitcode', ...organizations], { env });
    assert.match(again.stdout, /^3 folders: 3 without changes\n\nFolder /);
  });

  it('have one line each where they need nobody: valid, or without drift beside what is unmanaged', async () => {
    const valid = await world.expect(0, ['validate', ...organizations], { env });
    assert.match(
      valid.stdout,
      /^3 folders: 3 valid\n\nFolder .*\n(?:\w+ +\w+ +valid +Valid: 1 object, 1 file read\.\n){3}$/,
    );
    const single = '{ target: ws-app-gamma, source: ws-network-gamma }';
    world.write(manifest('gamma').replace(/\{ target.*\}/, single), 'gamma/main.tether.yaml');
    await world.expect(0, ['apply', '--yes', ...organizations], { env });
    world.service.patchSeed({ tokens: { all: { gamma: 'owner' } } });
    const somebody = { address: world.service.url, token: 'all', rate: 1000 };
    await createClient(somebody).runTriggers.create('ws-app-gamma', 'ws-dns-gamma');
    assert.match((await world.expect(0, ['drift', 'gamma'], { env })).stdout, /^Unmanaged links/m);
    const { stdout } = await world.expect(0, ['drift', ...organizations], { env });
    assert.match(stdout, /^3 folders: 3 without drift\n\nFolder /);
    assert.match(stdout, /^gamma .* 1 object as last applied\. 1 unmanaged link\.$/m);
  });

  it('leave no listener behind, because Node warns of the eleventh', async () => {
    const { signal } = new AbortController();
    const { code } = await world.here(['apply', '--yes', ...organizations], { env, signal });
    assert.equal(code, 0);
    assert.deepEqual(
      [getEventListeners(signal, 'quit').length, getEventListeners(signal, 'abort').length],
      [0, 0],
    );
  });

  it('have a ledger each', async () => {
    const place = 'http://127.0.0.1:1/terraform/state/acme';
    for (const name of organizations) {
      world.write(`${manifest(name)}ledger: ${place}\n`, `${name}/main.tether.yaml`);
    }
    const more = { env: { ...env, TETHER_LEDGER_CREDENTIALS: 'http://user:token@127.0.0.1:1' } };
    const { stderr } = await world.expect(1, ['plan', 'acme', 'beta'], more);
    for (const [one, other] of [organizations, ['beta', 'acme']]) {
      assert.ok(stderr.includes(`${one}: ${place} is the ledger of ${other} too: change one`), stderr);
    }
  });

  it('scenario 86a: end with a table, and with 1 where one is an error, else with the drift of any', async () => {
    await world.expect(0, ['apply', '--yes', ...organizations], { env });
    world.service.patchSeed({ tokens: { all: { beta: 'owner' } } });
    const somebody = { address: world.service.url, token: 'all', rate: 1000 };
    await createClient(somebody).runTriggers.create('ws-app-beta', 'ws-dns-beta');
    world.write('nothing', 'empty/readme.txt');
    const drifted = await world.expect(2, ['drift', ...organizations], { env });
    assert.deepEqual(
      table(drifted.stdout).map(([folder, , result]) => [folder, result]),
      [
        ['beta', 'drifted'],
        ['acme', 'no drift'],
        ['gamma', 'no drift'],
      ],
    );
    assert.match(drifted.stdout, /^3 folders: 2 without drift, 1 drifted\n\nFolder /m);
    assert.match(
      drifted.stdout,
      /\n3 folders: 2 without drift, 1 drifted\nNext: tether plan acme beta gamma\n$/,
    );
    assert.doesNotMatch(drifted.stdout, /== (acme|gamma) ==/);
    const failed = await world.expect(1, ['drift', 'acme', 'empty', 'beta', '--markdown', 'report.md'], {
      env,
    });
    assert.match(failed.stdout, /^3 folders: 1 without drift, 1 drifted, 1 failed$/m);
    assert.match(failed.stdout, /\nempty +failed .*\nbeta .*\bdrifted\b.*\nacme .*\bno drift\b/);
    const report = world.read('report.md');
    assert.match(
      report,
      /^<!-- tether drift -->\n\n\*\*3 folders: 1 without drift, 1 drifted, 1 failed\*\*\n\n\| Folder/,
    );
    assert.match(report, /^\| `beta` \| `beta` \| `drifted` \| `Drift: 1 added\. .*` \|/m);
    assert.match(
      report,
      /^<details><summary>1 that need nothing<\/summary>\n\n[^<]*^\| `acme` .*\n<\/details>$/m,
    );
    assert.match(report, /^<details><summary><code>empty<\/code>: /m);
    assert.doesNotMatch(report, /<code>acme<\/code>/);
    assert.match(report, /\n\nTether \d+\.\d+\.\d+, \d{4}-\d\d-\d\dT[\d:]{8}Z\n$/);
  });

  it('print one JSON document, with a member for each', async () => {
    world.write('nonsense: 1\n', 'beta/main.tether.yaml');
    const { stdout, stderr } = await world.expect(1, ['plan', '--json', ...organizations], { env });
    const document = JSON.parse(stdout) as {
      folders: { folder: string; exitCode: number; digest?: string; error?: { code: string } }[];
    };
    assert.deepEqual(
      document.folders.map(({ folder, exitCode, error }) => [folder, exitCode, error?.code]),
      [
        ['acme', 0, undefined],
        ['beta', 1, 'invalid-manifests'],
        ['gamma', 0, undefined],
      ],
    );
    assert.match(stderr, /beta\/main\.tether\.yaml:1:1/);
  });

  it('say whose token is missing, and go on with the next', async () => {
    const { stdout, stderr } = await world.expect(1, ['plan', ...organizations], {
      env: { ...env, TETHER_TOKEN_BETA: '' },
    });
    const reason = 'TETHER_TOKEN_BETA is set and empty: give it a value, or unset it';
    assert.deepEqual(table(stdout)[0], ['beta', 'beta', 'failed', reason]);
    assert.deepEqual(table(stdout)[2]?.slice(0, 3), ['gamma', 'gamma', 'changes']);
    assert.equal(stderr, `error: beta: ${reason}\n`);
  });

  it('have the first mistake of the manifests as the reason, and all of them in the report', async () => {
    world.write(manifest('beta').replace('runTriggers', 'triggers'), 'beta/main.tether.yaml');
    const { stdout } = await world.expect(1, ['plan', ...organizations, '--markdown', 'report.md'], { env });
    const reason = table(stdout)[0]?.[2] ?? '';
    assert.match(reason, /^beta\/main\.tether\.yaml:3:1: unknown key `triggers`/);
    assert.match(world.read('report.md'), /^beta\/main\.tether\.yaml:3:1 {2}error {2}unknown-key$/m);
  });

  it('are run once each, whatever they are called', async () => {
    const { stdout } = await world.expect(0, ['apply', '--yes', 'acme/', 'acme', './beta', 'beta'], { env });
    assert.deepEqual(
      table(stdout).map(([folder]) => folder),
      ['acme/', './beta'],
    );
  });

  it('are refused where one is part of another', async () => {
    for (const command of [['validate'], ['plan'], ['apply', '--yes'], ['drift']]) {
      const { stderr } = await world.expect(1, [...command, 'beta', 'acme', '.'], { env });
      assert.equal(stderr, 'error: beta is part of ., and both are named: remove one of them\n');
      const inRoot = await world.expect(1, [...command, '/', 'beta'], { env });
      assert.equal(inRoot.stderr, 'error: beta is part of /, and both are named: remove one of them\n');
    }
    assert.deepEqual(world.writes(), []);
  });

  it('are named in one message where they are not named', async () => {
    const { stderr } = await world.expect(1, ['plan'], { env });
    assert.equal(stderr.match(/several organizations/g)?.length, 1);
    assert.match(stderr, /these files belong to several organizations \(acme, beta, gamma\)/);
  });

  it('are not begun after an interruption, and the table and the ledgers say what was done', async () => {
    const more = '  - { target: ws-app-beta, sources: [ws-network-beta, ws-dns-beta] }\n';
    world.write(manifest('beta').replace(/ \[\{.*\n/, `\n${more}`), 'beta/main.tether.yaml');
    const route = '/workspaces/:workspace_id/run-triggers';
    world.service.fault({ method: 'POST', route, nth: 2, how: 'slow', ms: 500 });
    const stop = new AbortController();
    const running = world.here(['apply', '--yes', ...organizations], { env, signal: stop.signal });
    await until('a trigger of beta is there', () => world.service.snapshot().runTriggers.length === 2);
    stop.abort();
    const { code, stdout } = await running;
    assert.equal(code, 130);
    assert.deepEqual(table(stdout), [
      ['beta', 'beta', 'interrupted', 'Interrupted: 1 done, 1 not tried. The ledger has all that was done.'],
      ['gamma', 'gamma', 'interrupted', 'not started'],
      ['acme', 'acme', 'applied', 'Apply: 1 done.'],
    ]);
    assert.match(world.read('beta/tether.ledger.json'), /RunTrigger\/ws-app-beta/);
    assert.equal(world.has('gamma/tether.ledger.json'), false);
    world.service.clearFaults();
    await world.expect(0, ['apply', '--yes', ...organizations], { env });
    await world.expect(0, ['plan', '--detailed-exitcode', ...organizations], { env });
  });
});
