/** The gaps that one POST and a record of it leave open. Even there nothing is deleted, and the next plan or `drift` shows the client. */
import assert from 'node:assert/strict';
import { acmeHead, clientEntry, githubFields } from '../support/acme';
import { worlds } from '../support/scenario';
import { DelayedCalls, type Fault, FaultInjector } from './fault-injector';
import { createGaps, recoverableFaults } from './faults';

const manifest = `${acmeHead}oauthClients:\n${clientEntry('github')}`;

describe('a create of a client', () => {
  const open = worlds();

  /** Applies with a fault at the POST of the client. */
  async function applyWith(fault: Fault | undefined) {
    const world = await open();
    world.write(manifest);
    const delayedCalls = new DelayedCalls(world.clock);
    const faults = fault === undefined ? [] : [{ at: 'create client', fault }];
    const injector = new FaultInjector(world.service, delayedCalls, faults);
    const store = world.store();
    const more = { api: injector.api(world.api()), store: injector.store(store) };
    await Promise.race([world.apply({}, more), injector.killed]);
    await store.unlock();
    const ids = () => world.service.snapshot().oauthClients.map(({ id }) => id);
    const deletes = () => world.service.requests().filter(({ method }) => method === 'DELETE');
    return { world, delayedCalls, ids, deletes };
  }

  it('makes a second client if the service executes the POST after another apply: drift counts it', async () => {
    const { world, delayedCalls, ids, deletes } = await applyWith(createGaps['applied 5 min later']);
    await world.pass(121_000);
    await world.settle();
    await world.pass(200_000);
    await delayedCalls.execute();
    await world.expectNothing();
    assert.equal(ids().length, 2);
    assert.equal((await world.drift()).unmanaged.OAuthClient, 1);
    assert.deepEqual(deletes(), []);
  });

  it('leaves a possible match if the service executes the POST after two minutes, before another apply', async () => {
    const { world, delayedCalls, ids, deletes } = await applyWith(createGaps['applied 5 min later']);
    await world.pass(301_000);
    await delayedCalls.execute();
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

  it('makes a second client if the service answers 429 and executes the POST: drift counts it', async () => {
    const { world, ids, deletes } = await applyWith(createGaps['applied, answered with 429']);
    await world.expectNothing();
    assert.equal(ids().length, 2);
    assert.equal((await world.drift()).unmanaged.OAuthClient, 1);
    assert.deepEqual(deletes(), []);
  });

  it('takes over an equal client that somebody else makes within the two minutes', async () => {
    const { world, ids } = await applyWith(recoverableFaults['not applied, never a response']);
    await world.pass(60_000);
    await world.api().oauthClients.create('acme', githubFields);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ reason }) => reason),
      ['taken-over'],
    );
    assert.equal(ids().length, 1);
  });

  it('does not take over an equal client that was there before', async () => {
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
