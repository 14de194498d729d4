/** Many clients often share one token: its key is derived once in a run, and the ledger does not show who shares it. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientEntry } from '../support/acme';
import { program } from '../support/cli';
import { runProcess } from '../support/run-process';
import { World } from '../support/world';

const names = ['a', 'b', 'c', 'd', 'e'];

/** Notes the cost of each scrypt. It loads before the program. */
const spy = `const crypto = require('node:crypto');
const { scrypt } = crypto;
const costs = [];
crypto.scrypt = (...args) => (costs.push(args[3].N), scrypt(...args));
process.on('exit', () => require('node:fs').writeFileSync('costs.json', JSON.stringify(costs)));
`;

describe('a secret that several clients share', () => {
  let world: World;
  before(async () => {
    world = await World.start(undefined, { profile: 'hcp-terraform' });
    writeFileSync(join(world.folder, 'spy.cjs'), spy);
    const clients = names.map((name) => clientEntry(name, { name, serviceProvider: 'github_enterprise' }));
    world.write(
      `apiVersion: tether/v1\norganization: acme\nprofile: hcp-terraform\noauthClients:\n${clients.join('')}`,
    );
  });
  after(() => world.close());

  async function runAndReadCosts(args: readonly string[], token: string): Promise<unknown> {
    const env = { PATH: process.env.PATH, ...world.env, GIT_TOKEN: token };
    const all = ['--require', './spy.cjs', program, ...args];
    const { code, stderr } = await runProcess(process.execPath, all, { cwd: world.folder, env });
    assert.equal(code, 0, stderr);
    return JSON.parse(readFileSync(join(world.folder, 'costs.json'), 'utf8'));
  }

  const digests = () =>
    names.map((name) => world.saved.objects[`OAuthClient/${name}`]?.digests?.oauthTokenString);

  // These tests run in order: the second one starts from the ledger of the first.
  it('costs one scrypt in an apply, in a plan, and in an apply of another value', async () => {
    assert.deepEqual(await runAndReadCosts(['apply', '--yes'], 'canary-token-1'), [16_384]);
    const { salt } = world.saved;
    const firstDigests = digests();
    assert.equal(new Set(firstDigests).size, names.length);
    assert.deepEqual(await runAndReadCosts(['plan', '--detailed-exitcode'], 'canary-token-1'), [16_384]);
    assert.deepEqual(await runAndReadCosts(['apply', '--yes'], 'canary-token-2'), [16_384]);
    assert.equal(world.saved.salt, salt);
    assert.equal(new Set([...firstDigests, ...digests()]).size, 2 * names.length);
    assert.deepEqual(await runAndReadCosts(['plan', '--detailed-exitcode'], 'canary-token-2'), [16_384]);
  });

  it('keeps its digest where the address of a client changes', async () => {
    const before = digests();
    world.write(world.read('main.tether.yaml').replace('  a:\n', '  moved:\n'));
    assert.deepEqual(await runAndReadCosts(['apply', '--yes'], 'canary-token-2'), [16_384]);
    assert.equal(world.saved.objects['OAuthClient/moved']?.digests?.oauthTokenString, before[0]);
    assert.deepEqual(await runAndReadCosts(['plan', '--detailed-exitcode'], 'canary-token-2'), [16_384]);
  });
});
