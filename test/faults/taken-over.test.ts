/** A client whose create was killed and that somebody has come to use: it is ours, and its end needs an approval. */
import assert from 'node:assert/strict';
import { PlanBlocked } from '../../reconciler/apply/apply';
import { acmeHead } from '../support/acme';
import { FolderWorld } from '../support/folder-world';
import { approve, clientEntry, stepIds } from '../support/scenario';
import { LateCalls, Tap } from './tap';

const head = acmeHead.replace('organization: acme', 'organization: acme\nprofile: hcp-terraform');
const fields = {
  name: 'Azure',
  serviceProvider: 'ado_server',
  privateKey: '{ fromEnv: GIT_SECRET }',
};
const manifest = (more: Readonly<Record<string, string>> = {}) =>
  `${head}oauthClients:\n${clientEntry('azure', { ...fields, ...more })}`;

/** What changes before the next apply, and what that does to the client. */
const edits = [
  ['its URL changes', manifest({ httpUrl: 'https://new.example.com' }), {}, 'replace'],
  ['a secret changes that no PATCH takes', manifest(), { GIT_SECRET: 'git-secret-second' }, 'replace'],
  ['a secret changes that a PATCH takes', manifest(), { GIT_TOKEN: 'git-token-second' }, 'update'],
  ['its entry is removed', head, {}, 'delete'],
] as const;

describe('a client whose create was killed, and that a workspace uses since', () => {
  let world: FolderWorld;
  beforeEach(async () => {
    world = await FolderWorld.open({ profile: 'hcp-terraform' });
    world.write(manifest());
    const tap = new Tap(world.service, new LateCalls(world.clock), [{ index: 1, fault: { kill: 'after' } }]);
    const store = world.store();
    const applied = world.apply({}, { api: tap.api(world.api()), store: tap.store(store) });
    assert.equal(await Promise.race([applied, tap.killed]), 'killed');
    await store.unlock();
    world.service.patchSeed({
      organizations: { acme: { workspaces: { 'ws-app': { oauthClient: theClient() } } } },
    });
    world.service.clearRequests();
  });
  afterEach(() => world.close());

  const theClient = (): string => world.service.snapshot().oauthClients[0]?.id ?? '';
  const writes = (): readonly string[] =>
    world.service.requests().flatMap(({ method }) => (method === 'GET' ? [] : [method]));

  for (const [what, edited, env, action] of edits) {
    it(`is taken over, and nothing of it ends unasked, when ${what}`, async () => {
      const id = theClient();
      world.write(edited);
      Object.assign(world.env, env);
      const { plan } = await world.plan();
      assert.deepEqual(stepIds(plan).slice(0, 2), ['adopt OAuthClient/azure', `${action} OAuthClient/azure`]);
      if (action === 'update') assert.deepEqual(plan.blockers, []);
      else {
        const [blocker] = plan.blockers;
        assert.match(blocker?.message ?? '', /1 workspace \(ws-app\) loses its VCS link/);
        assert.ok(blocker?.remedy.includes(id), blocker?.remedy);
        await assert.rejects(world.apply(), PlanBlocked);
        assert.deepEqual(writes(), []);
        approve(world, plan);
      }
      await world.settle();
      const expected = { update: ['PATCH'], replace: ['POST', 'DELETE'], delete: ['DELETE'] };
      assert.deepEqual(writes(), expected[action]);
      const left = world.service.snapshot().oauthClients.map((one) => one.id === id);
      assert.deepEqual(left, { update: [true], replace: [false], delete: [] }[action]);
    });
  }
});
