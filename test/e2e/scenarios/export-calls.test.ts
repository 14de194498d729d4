/** How many calls export needs where the service lists workspaces, and what it does when one of them fails. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { command, exported, filesThere } from '../../support/export-world';
import { World } from '../../support/world';

const hcp = [...command, '--profile', 'hcp-terraform'];

/** So many workspaces, and a trigger from each tenth to the one after it. */
function seedOf(count: number): SeedObject {
  const ids = Array.from({ length: count }, (_, index) => `ws-${String(index).padStart(4, '0')}`);
  const triggers = ids.flatMap((sourceable, index) => {
    const workspace = ids[index + 1];
    return index % 10 > 0 || workspace === undefined ? [] : [[`rt-${index}`, { workspace, sourceable }]];
  });
  return {
    organizations: {
      acme: {
        workspaces: Object.fromEntries(ids.map((id) => [id, { name: id.replace('ws', 'stack') }])),
        runTriggers: Object.fromEntries(triggers) as Record<
          string,
          { workspace: string; sourceable: string }
        >,
      },
    },
    tokens: { 'owner-token': { acme: 'owner' } },
  };
}

describe('export of a large organization', () => {
  let world: World;
  afterEach(() => world.close());

  const calls = () => {
    const { length } = world.service.requests();
    world.service.clearRequests();
    return length;
  };

  it('reads of 100 workspaces their list, two lists of triggers each, the clients, and what it takes over', async () => {
    world = await World.start(seedOf(100), { profile: 'hcp-terraform' });
    await world.expect(0, hcp);
    assert.equal(calls(), 1 + 200 + 1 + 10);
    assert.equal(Object.keys(world.ledger.objects).length, 10);
    assert.match((await world.expect(0, ['plan'])).stdout, /^No changes\. 10 objects/m);
    calls();
    await world.expect(0, hcp);
    // What is managed needs no proof.
    assert.equal(calls(), 1 + 200 + 1);
  });

  it('reads the list of 1,000 workspaces by its pages', async () => {
    world = await World.start(seedOf(1000), { profile: 'hcp-terraform' });
    await world.expect(0, hcp);
    const routes = world.service.requests().map(({ route }) => route);
    assert.equal(routes.filter((route) => route === list.route).length, 10);
    assert.equal(calls(), 10 + 2000 + 1 + 100);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /^No changes\. 100 objects/m);
  });

  it('tells of triggers into a workspace that the token can neither list nor read', async () => {
    const { organizations = {} } = seedOf(2);
    const workspaces = { 'ws-0000': 'admin' } as const;
    const tokens = { 'part-token': { acme: { manageVcsSettings: true, workspaces } } };
    world = await World.start({ organizations, tokens }, { profile: 'hcp-terraform' });
    const { stdout } = await world.expect(1, hcp, { env: { TETHER_TOKEN: 'part-token' } });
    assert.match(stdout, /\? workspace ws-0001 {2}GET/);
  });

  const list = { method: 'GET', route: '/organizations/:organization_name/workspaces' };
  const faults = {
    'answers 503': { how: 'status', status: 503 },
    'answers 500': { how: 'status', status: 500 },
    'loses the connection': { how: 'reset-after' },
    'cuts its answer short': { how: 'truncate' },
  } as const;
  for (const [what, fault] of Object.entries(faults)) {
    it(`goes on where page 2 of that list ${what} once`, async () => {
      world = await World.start(seedOf(250), { profile: 'hcp-terraform' });
      world.service.fault({ ...list, ...fault, nth: 2 });
      await exported(world, 0, {}, hcp);
      assert.equal(Object.keys(world.ledger.objects).length, 25);
    });
  }

  it('writes nothing where a page of that list stays away, and all of it the next time', async () => {
    world = await World.start(seedOf(250), { profile: 'hcp-terraform' });
    const down = [2, 3, 4, 5, 6].map((nth) => ({ ...list, how: 'status', status: 503, nth }) as const);
    world.service.fault(down);
    const { stderr } = await world.expect(1, hcp);
    assert.match(stderr, /GET \/organizations\/acme\/workspaces: .*503/);
    assert.deepEqual(filesThere(world), {});
    await exported(world, 0, {}, hcp);
  });

  it('writes nothing where the triggers of one workspace stay away', async () => {
    world = await World.start(seedOf(20), { profile: 'hcp-terraform' });
    const triggers = { method: 'GET', route: '/workspaces/:workspace_id/run-triggers' };
    world.service.fault({ ...triggers, how: 'status', status: 500, probability: 1 });
    const { stderr } = await world.expect(1, hcp);
    assert.match(stderr, /GET \/workspaces\/ws-\d+\/run-triggers: .*500/);
    assert.deepEqual(filesThere(world), {});
  });
});
