/** The calls of a client against the service: one POST, whatever becomes of its answer. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import { AnswerLost, Invalid, NotFound } from '../../client/errors';
import { oauthClient } from '../../resources/oauth-client';
import {
  clientCalls,
  madeBy,
  spelledAs,
  toClientList,
  toFoundClient,
} from '../../resources/oauth-client-calls';
import { githubFields as inputs } from '../support/acme';
import { KindCalls } from '../support/kind-calls';
import { clientDocument } from '../support/small-world';

const key = { organization: 'acme' };
const post = { method: 'POST', route: '/organizations/:organization_name/oauth-clients' };

describe('a client, by its calls,', () => {
  const calls = new KindCalls();

  const create = (more = {}, api: Api = calls.api) =>
    oauthClient.create(api, key, { ...inputs, ...more }, calls.attempt());
  const ids = () => calls.service.snapshot().oauthClients.map(({ id }) => id);
  const posts = () => calls.methods().filter((method) => method === 'POST').length;

  for (const late of ['carried out', 'shown'] as const) {
    it(`is one when the answer is lost and it is ${late} five seconds later`, async () => {
      await calls.start(late === 'shown' ? { behaviours: { 'create-hidden-ms': '5000' } } : {});
      calls.service.fault({ ...post, how: late === 'shown' ? 'reset-after' : 'delay-apply', ms: 5000 });
      const { id } = await create();
      assert.deepEqual([ids(), posts()], [[id], 1]);
    });
  }

  it('is given up after one lost answer and fifteen seconds without it, and never asked for again', async () => {
    await calls.start();
    calls.service.fault({ ...post, how: 'reset-before' });
    const before = calls.clock.now();
    await assert.rejects(create(), AnswerLost);
    assert.ok(calls.clock.now() - before >= 15_000);
    assert.deepEqual([ids(), posts()], [[], 1]);
  });

  it('belongs to an organization in any spelling of its name', async () => {
    await calls.start();
    const { id } = await create();
    const ownerIn = async (name: string) =>
      (await toClientList(name).readItem?.(calls.api, id))?.organization;
    assert.deepEqual([await ownerIn('ACME'), await ownerIn('shop')], ['ACME', 'acme']);
    assert.equal(spelledAs('acme', 'Acme'), 'acme');
    assert.equal(clientCalls.queue({ organization: 'Acme' }), clientCalls.queue({ organization: 'acme' }));
    const made = await calls.api.oauthClients.read(id);
    const oauthClients = {
      ...calls.api.oauthClients,
      create: async () => ({ ...made, organization: 'Acme' }),
    };
    assert.equal((await create({}, { ...calls.api, oauthClients })).values.organization, 'acme');
  });

  it('is not taken over where nobody can look for it', async () => {
    await calls.start();
    calls.service.fault([
      { ...post, how: 'reset-after' },
      { method: 'GET', how: 'status', status: 403 },
    ]);
    await assert.rejects(create(), AnswerLost);
    assert.equal(ids().length, 1);
  });

  it('is none of two that were made like it since: the error names both', async () => {
    await calls.start();
    const [one, two] = [await calls.leave(), await calls.leave()];
    calls.service.fault({ ...post, how: 'reset-before' });
    await assert.rejects(create(), { name: 'UnexpectedAnswer', message: new RegExp(`${one} and ${two}`) });
  });

  it('is not one that was there before, whatever the answer or the list says', async () => {
    await calls.start();
    const there = await calls.leave();
    calls.existing.add(there);
    calls.service.fault({ ...post, how: 'reset-before' });
    await assert.rejects(create(), AnswerLost);
    const document = await calls.api.oauthClients.read(there);
    const lying = { ...calls.api, oauthClients: { ...calls.api.oauthClients, create: async () => document } };
    await assert.rejects(create({}, lying), /a client that was there before/);
  });

  it('that the service refuses is not looked for', async () => {
    await calls.start();
    await assert.rejects(create({ serviceProvider: 'nonsense' }), Invalid);
    assert.deepEqual(calls.methods(), ['POST']);
  });

  it('that an update changes to something else than was sent is an error', async () => {
    await calls.start({ profile: 'hcp-terraform' });
    const { id, values } = await create({ serviceProvider: 'github' });
    const document = await calls.api.oauthClients.read(id);
    const lying = { ...calls.api, oauthClients: { ...calls.api.oauthClients, update: async () => document } };
    await assert.rejects(
      async () => oauthClient.update?.(lying, id, { name: 'New' }, values),
      /stored other values of oc-\w+ than were sent: name$/,
    );
  });

  it('that is gone already counts as deleted; one that merely cannot be seen does not', async () => {
    await calls.start();
    const id = await calls.leave();
    await oauthClient.delete(calls.api, id, key);
    await oauthClient.delete(calls.api, id, key);
    calls.service.patchSeed({ tokens: { nobody: { acme: { manageVcsSettings: false } } } });
    const blind = createClient({ address: calls.service.url, token: 'nobody', rate: 1000 });
    await assert.rejects(oauthClient.delete(blind, id, key), NotFound);
  });
});

describe('a client that a lost answer may have made', () => {
  const attemptedAt = Date.parse('2026-01-01T12:00:00Z');
  const made = (seconds: number, more = {}, first = {}) => {
    const createdAt = new Date(attemptedAt + seconds * 1000).toISOString();
    const found = toFoundClient(clientDocument('oc-1', { createdAt, ...more }), 'acme');
    return madeBy(oauthClient, inputs, { attemptedAt, isOther: () => false, ...first }, [found]).length === 1;
  };

  it('was created between a minute before the attempt and two minutes after, as it was sent', () => {
    assert.deepEqual(
      [-61, -60, 0, 120, 121].map((seconds) => made(seconds)),
      [false, true, true, true, false],
    );
    for (const more of [
      { key: 'k' },
      { name: null },
      { organizationScoped: false },
      { projectIds: ['prj-1'] },
      { agentPoolId: 'apool-1' },
    ])
      assert.equal(made(0, more), false, JSON.stringify(more));
  });

  it('may have been created by the first POST, if a rate limit asked for more', () => {
    const first = { firstAttemptAt: attemptedAt - 100_000 };
    assert.deepEqual(
      [-161, -160, 120, 121].map((seconds) => made(seconds, {}, first)),
      [false, true, true, false],
    );
  });
});
