/** `validate` knows the ledger: what only it and the manifests together show is found before the plan, without a call. */
import assert from 'node:assert/strict';
import { github, head, World } from '../support/world';

const keyed = github.replace('provider_a', 'provider_c_server');

describe('validate', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  const key = '    privateKey: { fromEnv: KEY }\n';
  const lacking =
    /main\.tether\.yaml:8:3 {2}error {2}missing-for-create\n {2}OAuthClient\/github must be created, and `privateKey` is missing: add it/;

  it('finds what a client lacks that must be created, and asks nothing of one that the ledger holds', async () => {
    world.write('main.tether.yaml', head + keyed);
    assert.match((await world.expect(1, ['validate'])).stdout, lacking);
    world.write('main.tether.yaml', head + keyed + key);
    await world.expect(0, ['validate']);
    await world.expect(0, ['apply', '--yes'], { env: { KEY: 'private-key-canary' } });
    world.write('main.tether.yaml', head + keyed);
    await world.expect(0, ['validate']);
    const moved = 'moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]\n';
    world.write('main.tether.yaml', head + keyed.replace('github:', 'hub:') + moved);
    await world.expect(0, ['validate']);
  });

  it('asks nothing of one that is adopted by its id, nor of single files', async () => {
    world.write('main.tether.yaml', head + keyed.replace('name:', 'id: oc-1\n    name:'));
    await world.expect(0, ['validate']);
    world.write('main.tether.yaml', head + keyed);
    await world.expect(0, ['validate', 'main.tether.yaml']);
  });

  it('finds the ledger of another organization, at the line that says which, as plan does', async () => {
    world.write('main.tether.yaml', head + github);
    await world.expect(0, ['apply', '--yes']);
    world.write('main.tether.yaml', (head + github).replace('organization: acme', 'organization: acne'));
    world.service.clearRequests();
    const { stdout } = await world.expect(1, ['validate', '--json']);
    const { issues } = JSON.parse(stdout) as { issues: { rule: string; at: { line: number } }[] };
    assert.deepEqual(
      issues.map(({ rule, at }) => [rule, at.line]),
      [['other-ledger', 2]],
    );
    assert.deepEqual(world.service.requests(), []);
  });
});
