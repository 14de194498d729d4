/** What one POST and a record of it cannot rule out. Even there nothing is deleted, and the next plan or `drift` shows what is there. */
import assert from 'node:assert/strict';
import { acmeHead, clientEntry, githubFields } from '../support/acme';
import { worlds } from '../support/scenario';
import { gaps, passing } from './fault-table';
import { type Fault, LateCalls, Tap } from './tap';

const manifest = `${acmeHead}oauthClients:\n${clientEntry('github')}`;

describe('a gap of the create of a client', () => {
  const open = worlds();

  /** An apply with a fault at its one POST. */
  async function applied(fault: Fault | undefined) {
    const world = await open();
    world.write(manifest);
    const late = new LateCalls(world.clock);
    const tap = new Tap(world.service, late, fault === undefined ? [] : [{ index: 2, fault }]);
    const store = world.store();
    const more = { api: tap.api(world.api()), store: tap.store(store) };
    await Promise.race([world.apply({}, more), tap.killed]);
    await store.unlock();
    const ids = () => world.service.snapshot().oauthClients.map(({ id }) => id);
    const deletes = () => world.service.requests().filter(({ method }) => method === 'DELETE');
    return { world, late, ids, deletes };
  }

  it('is a POST that is executed after two minutes and another apply: drift counts the second client', async () => {
    const { world, late, ids, deletes } = await applied(gaps['applied 5 min later']);
    await world.pass(121_000);
    await world.settle();
    await world.pass(200_000);
    await late.arrive();
    await world.expectNothing();
    assert.equal(ids().length, 2);
    assert.equal((await world.drift()).unmanaged.OAuthClient, 1);
    assert.deepEqual(deletes(), []);
  });

  it('is a POST that is executed after two minutes, before another apply: a possible match', async () => {
    const { world, late, ids, deletes } = await applied(gaps['applied 5 min later']);
    await world.pass(301_000);
    await late.arrive();
    const { plan } = await world.plan();
    const [id = ''] = ids();
    assert.deepEqual(
      plan.problems.map(({ line }) => line),
      [`id: ${id}`],
    );
    world.write(manifest.replace('  github:\n', `  github:\n    id: ${id}\n`));
    await world.settle();
    assert.deepEqual([ids(), deletes()], [[id], []]);
  });

  it('is a service that carries out what it answers with 429: drift counts the second client', async () => {
    const { world, ids, deletes } = await applied(gaps['applied, answered with 429']);
    await world.expectNothing();
    assert.equal(ids().length, 2);
    assert.equal((await world.drift()).unmanaged.OAuthClient, 1);
    assert.deepEqual(deletes(), []);
  });

  it('is an equal client that somebody makes within the two minutes: it is taken for the one that was to be made', async () => {
    const { world, ids } = await applied(passing['not applied, never an answer']);
    await world.pass(60_000);
    await world.api().oauthClients.create('acme', githubFields);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ reason }) => reason),
      ['taken-over'],
    );
    assert.equal(ids().length, 1);
  });

  it('is none where an equal client was made right before', async () => {
    const world = await open();
    const { id } = await world.api().oauthClients.create('acme', githubFields);
    world.write(manifest.replace('  github:\n', `  github:\n    allowDuplicate: [${id}]\n`));
    world.service.fault({ method: 'POST', how: 'reset-before', times: 1 });
    await world.apply();
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.match(plan.problems[0]?.message ?? '', /blocked until/);
  });
});
