/** What a plan leaves alone is not lost by the way: links beside a set in part, a forget line, and a replacement. */
import assert from 'node:assert/strict';
import { acmeHead, acmeSeed } from '../support/acme';
import { approve, bareHead, clientEntry, stepIds, worlds } from '../support/scenario';

const attached = 'projectAttachments:\n  - { oauthClient: github, project: shop }\n';
const forgotten = 'forget: [ProjectAttachment/github/shop]\n';
const client = (fields = {}) => `${acmeHead}oauthClients:\n${clientEntry('github', fields)}`;

describe('what is left alone', () => {
  const open = worlds();

  it('stays where a member of its exact set cannot be seen with this token', async () => {
    const workspaces = { 'ws-app': 'admin', 'ws-dns': 'admin', 'ws-docs': 'admin' } as const;
    const seed = acmeSeed();
    const part = { acme: { manageVcsSettings: true, workspaces } };
    const world = await open({ seed: { ...seed, tokens: { ...seed.tokens, part } } });
    world.write(`${bareHead}runTriggers:\n  - { target: ws-app, sources: [ws-dns] }\n`);
    await world.settle();
    world.token = 'part';
    const sets =
      '  - { target: ws-app, sources: [ws-network] }\n  - { source: ws-network, targets: [ws-app] }\n';
    world.write(`${bareHead}runTriggers:\n${sets}`);
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), []);
    assert.notDeepEqual(plan.unknown, []);
  });

  it('stays where a forget line names it by the address of a client with a problem', async () => {
    const world = await open();
    const { id } = await world.api().oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://other.example.com',
      apiUrl: 'https://other.example.com/api',
    });
    world.write(client() + attached);
    await world.settle();
    world.write(client({ id }) + forgotten);
    const { plan } = await world.plan();
    assert.deepEqual(
      plan.problems.map(({ rule }) => rule),
      ['id-conflict'],
    );
    assert.deepEqual(stepIds(plan), ['forget ProjectAttachment/github/shop']);
  });

  it('comes with the successor of its client where a forget line names it', async () => {
    const world = await open();
    world.write(client() + attached);
    await world.settle();
    world.write(client({ httpUrl: 'https://new.example.com' }) + forgotten);
    approve(world, (await world.plan()).plan);
    await world.settle({ maxDeletes: 2 });
    assert.deepEqual(
      world.service.snapshot().oauthClients.map(({ projectIds }) => projectIds),
      [['prj-shop']],
    );
  });
});
