/** What somebody does between the plan and its apply: a write looks at what it is about, and refuses what is not as it was planned. */
import assert from 'node:assert/strict';
import type { Api } from '../../../client/api';
import { applyPlan, neededSecrets } from '../../../reconciler/apply/apply';
import { resolveSecrets } from '../../../resources/secrets';
import { acmeHead, clientEntry, githubFields } from '../../support/acme';
import { worlds } from '../../support/scenario';
import type { World } from '../../support/world';

const clients = (fields: Readonly<Record<string, string>> = {}) =>
  `${acmeHead}oauthClients:\n${clientEntry('github', fields)}`;

interface Row {
  /** After a first apply of `clients()`, unless that is `null`. */
  readonly wanted: (id: string) => string;
  readonly isFirst?: true;
  readonly meanwhile: (api: Api, id: string) => Promise<unknown>;
  /** The writes of the apply, and what it says of its first step; nothing where that is done. */
  readonly writes: readonly string[];
  readonly says?: RegExp;
}

const moved = (id: string) =>
  `${clients({ httpUrl: 'https://new.example.com' })}approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
const removed = (id: string) => `${acmeHead}approved: [{ destroy: OAuthClient/github, id: ${id} }]\n`;
const rename = (api: Api, id: string) => api.oauthClients.update(id, { name: 'By hand' });
const changed = /name of oc-\S+ changed since it was planned\. Nothing was written; plan again/;
const gone = /no longer exists, or this token can no longer see it\. Nothing was written; plan again/;

const rows: Readonly<Record<string, Row>> = {
  'changes the client that is to be replaced': {
    wanted: moved,
    meanwhile: rename,
    writes: [],
    says: changed,
  },
  'changes the client that is to be destroyed': {
    wanted: removed,
    meanwhile: rename,
    writes: [],
    says: changed,
  },
  'attaches a project to the client that is to be destroyed': {
    wanted: removed,
    meanwhile: (api, id) => api.oauthClients.attach(id, ['prj-data']),
    writes: [],
    says: /projects of oc-\S+ changed since it was planned/,
  },
  'destroys the client that is to be updated': {
    wanted: () => clients({ key: 'k2' }),
    meanwhile: (api, id) => api.oauthClients.delete(id),
    writes: [],
    says: gone,
  },
  'destroys the client that is to be destroyed': {
    wanted: removed,
    meanwhile: (api, id) => api.oauthClients.delete(id),
    writes: [],
  },
  'makes the client that is to be created': {
    wanted: () => clients(),
    isFirst: true,
    meanwhile: (api) => api.oauthClients.create('acme', githubFields),
    writes: [],
    says: /with the same name, provider and URLs, was created since the plan was made\. Nothing was written; plan again/,
  },
  'makes another client than the one that is to be created': {
    wanted: () => clients(),
    isFirst: true,
    meanwhile: (api) => api.oauthClients.create('acme', { ...githubFields, name: 'Other' }),
    writes: ['POST /organizations/:organization_name/oauth-clients'],
  },
};

describe('an apply, when somebody in the meantime', () => {
  const open = worlds();

  for (const [what, { wanted, isFirst = false, meanwhile, writes, says }] of Object.entries(rows)) {
    it(`${what}, ${says === undefined ? 'is done' : 'refuses the step'}`, async () => {
      const world = await open();
      world.write(clients());
      if (!isFirst) await world.settle();
      await world.pass(150_000);
      const id = (await world.ledger()).objects['OAuthClient/github']?.id ?? '';
      world.write(wanted(id));
      const result = await applyAfter(world, () => meanwhile(world.api(), id));
      assert.deepEqual(world.writes(), writes);
      const [first] = result.steps;
      if (says === undefined) assert.equal(first?.status, 'done', first?.message);
      else assert.match(`${first?.status}: ${first?.message}`, says);
      assert.deepEqual((await world.ledger()).pending, {});
    });
  }

  it('does nothing, creates clients like one that it has destroyed', async () => {
    const world = await open();
    world.write(clients());
    await world.settle();
    const { id = '' } = (await world.ledger()).objects['OAuthClient/github'] ?? {};
    world.write(`${removed(id)}oauthClients:\n${clientEntry('one')}${clientEntry('two')}`);
    const { counts } = await applyAfter(world, async () => undefined);
    assert.deepEqual([counts.done, counts.failed], [3, 0]);
    await world.expectNothing();
  });
});

/** Plans, lets something happen, and applies what was planned, one step at a time. */
async function applyAfter(world: World, meanwhile: () => Promise<unknown>) {
  const { plan, observed } = await world.plan({ maxDeletes: 9 });
  await meanwhile();
  world.service.clearRequests();
  const secrets = resolveSecrets(neededSecrets(plan), { env: world.env, root: world.folder });
  const store = world.store();
  await store.lock({ who: 'test' }, 0);
  try {
    const ledger = await world.ledger();
    return await applyPlan({ api: world.api(), plan, observed, ledger, store, secrets, concurrency: 1 });
  } finally {
    await store.unlock();
  }
}
