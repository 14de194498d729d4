/** The infra repo of the examples on the real engine: up, nothing to do, meddling, drift, repaired, destroyed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { infra } from '../../examples/infra-repo/infra';
import type { SeedObject } from '../../service';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const folder = join(root, 'examples/infra-repo');

/** The stack's file as `pulumi` reads it, plus what a person sets as secrets. */
function configOf(stack: string) {
  const text = readFileSync(join(folder, `Pulumi.${stack}.yaml`), 'utf8');
  const { config } = parse(text) as { config: Record<string, unknown> };
  const entries = Object.entries(config).map(([key, value]) => [
    key,
    { value: typeof value === 'string' ? value : JSON.stringify(value) },
  ]);
  return {
    ...Object.fromEntries(entries),
    githubToken: { value: 'canary-github', secret: true },
    gitlabToken: { value: 'canary-gitlab', secret: true },
  };
}

describe('the infra repo of the examples', () => {
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    const seed = parse(readFileSync(join(folder, 'seed.yaml'), 'utf8')) as SeedObject;
    world = await PulumiWorld.start({
      seed,
      config: configOf('prod'),
      env: { TETHER_TOKEN: 'acme-example-token' },
    });
    world.program = async () => infra();
  });
  after(() => world?.close());

  it('comes up, and then there is nothing to do and nothing drifts', async () => {
    const up = await world.up();
    assert.equal(up.failure, undefined);
    assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    assert.equal((await world.refreshPreview()).failure, undefined);
    assert.equal(world.service.snapshot().runTriggers.length, 8);
  });

  it('shows what somebody changed, and repairs it', async () => {
    const api = world.somebodyWith('acme-example-token');
    const clients = await api.oauthClients.list('acme');
    const github = clients.find((one) => one.name === 'GitHub');
    const gitlab = clients.find((one) => one.name === 'GitLab');
    await api.oauthClients.update(github?.id ?? '', { name: 'Mine' });
    await api.oauthClients.detach(gitlab?.id ?? '', ['prj-web']);
    await api.runTriggers.create('ws-jobs', 'ws-network');
    const [trigger] = await api.runTriggers.list('ws-app', 'inbound');
    await api.runTriggers.delete(trigger?.id ?? '');
    const drift = (await world.refreshPreview()).failure ?? '';
    assert.match(drift, /name *: "GitHub" => "Mine"/);
    assert.match(drift, /ws-network/);
    assert.match(drift, /2 to update/);
    assert.match(drift, /2 to delete/);
    assert.equal((await world.refresh()).failure, undefined);
    const up = await world.up();
    assert.equal(up.failure, undefined);
    assert.deepEqual({ update: up.steps.update, create: up.steps.create }, { update: 2, create: 2 });
    assert.equal((await world.refreshPreview()).failure, undefined);
  });

  it('is destroyed only when its connections are not protected any more, and leaves no secret behind', async () => {
    assert.doesNotMatch(world.stateText(), /canary-|acme-example-token/);
    world.service.clearRequests();
    const refused = await world.pulumi('destroy', '--yes');
    assert.match(refused.failure ?? '', /protect/);
    assert.deepEqual(world.service.requests(), []);
    await world.stack.setConfig('protectClients', { value: 'false' });
    const up = await world.up();
    assert.deepEqual([up.failure, world.writes()], [undefined, []]);
    assert.equal((await world.destroy()).failure, undefined);
    const left = world.service.snapshot();
    assert.deepEqual([left.oauthClients, left.runTriggers], [[], []]);
  });
});
