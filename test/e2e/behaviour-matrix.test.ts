/** Applying under the behaviours that a service may have, in combinations drawn from fixed seeds. */
import assert from 'node:assert/strict';
import { Chance } from '../model/chance';
import { acmeClients, acmeManifest } from '../support/acme';
import type { FolderWorld } from '../support/folder-world';
import { worlds } from '../support/scenario';

const switches = {
  'duplicate-trigger': ['422', '409', 'accept'],
  'attach-again': ['204', '422'],
  'page-size-max': ['100', '2'],
  'page-size-over': ['clamp', '422'],
  'patch-without-agent-pool': ['keep', 'clear'],
  'list-order': ['created', 'random'],
  'lists-hide-unreadable': ['no', 'yes'],
  'delete-visible-ms': ['0', '60000'],
  'create-hidden-ms': ['0', '60000'],
  'trigger-lock': ['off', '409', '422'],
  'rate-limit': ['off', 'token-bucket', 'fixed-window', 'sliding-window'],
  'max-sources': ['off', '3'],
};

const links = `projectAttachments:
  - { oauthClient: github, project: payments }
runTriggers:
  - { target: app, sources: [network, docs] }
  - { target: docs, source: dns }
`;

const changed = acmeManifest({
  clients: acmeClients
    .replace('name: GitHub', 'name: Git at work')
    .replace('agentPool: dmz', 'agentPool: lab')
    .replace('organizationScoped: false', 'organizationScoped: true')
    .replace('projects: [data]', 'projects: [payments, shop]')
    .replace('key: lab-key', 'key: other-key'),
  links,
});

/** Applies, and expects nothing once everything shows in the lists. */
async function converge(world: FolderWorld): Promise<void> {
  const { result } = await world.apply();
  assert.equal(result.counts.done, result.steps.length, JSON.stringify(result.steps));
  await world.pass(121_000);
  await world.expectNothing();
}

async function somebodyChangesThings(world: FolderWorld): Promise<void> {
  const api = world.api();
  const github = (await api.oauthClients.list('acme')).find(({ name }) => name === 'Git at work');
  assert.ok(github);
  await api.oauthClients.update(github.id, { name: 'by hand', agentPoolId: 'apool-dmz' });
  await api.oauthClients.detach(github.id, [...github.projectIds]);
  for (const { id } of await api.runTriggers.list('ws-app', 'inbound')) await api.runTriggers.delete(id);
  await api.runTriggers.create('ws-app', 'ws-dns');
  await world.pass(121_000);
}

describe('apply, under any behaviour of the service', () => {
  const open = worlds();

  for (let seed = 1; seed <= 12; seed += 1) {
    const chance = new Chance(seed);
    const drawn = Object.entries(switches).map(([name, values]) => [name, chance.pick(values)] as const);
    const named = drawn.map((one) => one.join('=')).join(' ');
    it(`converges, changes, repairs and finds nothing left: ${named}`, async () => {
      const world = await open({ behaviours: { ...Object.fromEntries(drawn), rate: '40' } });
      world.write(acmeManifest());
      await converge(world);
      world.write(changed);
      await converge(world);
      await somebodyChangesThings(world);
      await converge(world);
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(oauthClients.map(({ name }) => name).sort(), ['Git at work', 'GitLab']);
      const pairs = runTriggers.map(({ workspaceId, sourceableId }) => `${workspaceId}<${sourceableId}`);
      assert.deepEqual(pairs.sort(), ['ws-app<ws-docs', 'ws-app<ws-network', 'ws-docs<ws-dns']);
    });
  }
});
