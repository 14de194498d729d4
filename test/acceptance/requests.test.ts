/** The suite's own requests: pages, limits of the rate, redirects, and what they never do off loopback. */
import assert from 'node:assert/strict';
import { acceptanceWorlds, foundPlaces } from './acceptance-world';
import { probe } from './probe';
import { ProbeStage } from './probe-stage';
import { Requests } from './requests';
import { Scope } from './scope';
import { clientsPath } from './sight';

describe('the requests of the acceptance suite', () => {
  const start = acceptanceWorlds();
  const route = '/organizations/:organization_name/oauth-clients';

  it('read a list to its last page', async () => {
    const world = await start({ assumed: 'hcp-terraform' });
    const path = '/organizations/acme/workspaces?page%5Bsize%5D=1';
    const { resources, status } = await new Requests(world.settings()).list(path);
    assert.deepEqual([status, resources.map(({ id }) => id)], [200, foundPlaces.workspaceIds]);
  });

  it('wait after a 429 and send the request again', async () => {
    const world = await start({ assumed: 'default' });
    const headers = { 'retry-after': '0.01' };
    world.service.fault({ how: 'status', method: 'GET', route, status: 429, nth: 1, headers });
    const { status } = await new Requests(world.settings()).list(clientsPath('acme'));
    assert.equal(status, 200);
    assert.equal(world.service.requests().length, 2);
  });

  it('follow no redirect, which would take the token elsewhere', async () => {
    const world = await start({ assumed: 'default' });
    const headers = { location: `${world.service.url}/run-triggers/rt-1` };
    world.service.fault({ how: 'status', method: 'GET', route, status: 307, headers });
    const { status } = await new Requests(world.settings()).list(clientsPath('acme'));
    assert.equal(status, 307);
    assert.equal(world.service.requests().length, 1);
  });

  it('make no cycle and no trigger of a workspace to itself off loopback', async () => {
    const world = await start({ assumed: 'default' });
    const settings = { ...world.settings(), isLoopback: false };
    const { vcs } = settings;
    assert.ok(vcs !== undefined);
    const requests = new Requests(settings);
    const scope = new Scope(foundPlaces);
    const stage = new ProbeStage({ settings, vcs, places: foundPlaces, scope, requests });
    assert.equal(await probe['a workspace that triggers itself'].observe(stage), undefined);
    assert.equal(await probe['a cycle of triggers'].observe(stage), undefined);
    assert.deepEqual(world.service.requests(), []);
  });
});
