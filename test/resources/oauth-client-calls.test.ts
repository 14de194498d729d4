/** The calls of a client against the service: a lost answer makes no second one and takes no stranger's. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import {
  AnswerLost,
  Conflict,
  Invalid,
  NotFound,
  RateLimited,
  ServerError,
  Unauthorized,
} from '../../client/errors';
import type { FieldValues } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { clientCalls } from '../../resources/oauth-client-calls';
import type { ServiceOptions } from '../../service';
import { contextOf, KindCalls, nonce } from '../support/kind-calls';

const key = { organization: 'acme' };
const inputs: FieldValues = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  name: 'GitHub',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api',
  oauthTokenString: 'a-token',
};
const post = { method: 'POST', route: '/organizations/:organization_name/oauth-clients' };

describe('a client, by its calls,', () => {
  let calls: KindCalls;
  const start = async (options: ServiceOptions = {}): Promise<void> => {
    calls = await KindCalls.start(options);
  };
  afterEach(async () => calls.end());

  /** Carries a client's create out, and says all the same that it did not. */
  const answering = (status: number): Api => ({
    ...calls.api,
    oauthClients: {
      ...calls.api.oauthClients,
      create: async (...given) => {
        await calls.api.oauthClients.create(...given);
        const kinds = { 404: NotFound, 409: Conflict, 422: Invalid, 501: ServerError };
        const kind = kinds[status as keyof typeof kinds];
        throw new kind('create: refused', 'rejected', contextOf(status));
      },
    },
  });
  const names = (): readonly (string | null)[] =>
    calls.service.snapshot().oauthClients.map(({ name }) => name);

  it('is made under its nonce, journaled, then named', async () => {
    await start();
    const found = await oauthClient.create(calls.api, key, inputs, calls.intent());
    assert.deepEqual(names(), ['GitHub']);
    assert.deepEqual(calls.told, [`created ${found.id}`]);
    assert.equal(found.values.name, 'GitHub');
    const writes = calls.service.requests().filter(({ method }) => method !== 'GET');
    assert.deepEqual(
      writes.map(({ method }) => method),
      ['POST', 'PATCH'],
    );
  });

  it('without a name loses its nonce too', async () => {
    await start();
    const { name: _, ...nameless } = inputs;
    await oauthClient.create(calls.api, key, nameless, calls.intent());
    assert.deepEqual(names(), [null]);
  });

  for (const how of ['reset-before', 'reset-after'] as const) {
    it(`is one when the answer is lost (${how})`, async () => {
      await start();
      calls.service.fault({ ...post, how, nth: 1 });
      const found = await oauthClient.create(calls.api, key, inputs, calls.intent());
      assert.deepEqual(names(), ['GitHub']);
      assert.deepEqual(calls.told, ['may arrive late', `created ${found.id}`]);
    });
  }

  for (const late of ['carried out', 'shown'] as const) {
    it(`is one when the answer is lost and it is ${late} five seconds later`, async () => {
      await start(late === 'shown' ? { behaviours: { 'create-hidden-ms': '5000' } } : {});
      const how = late === 'shown' ? 'reset-after' : 'delay-apply';
      calls.service.fault({ ...post, how, ms: 5000, nth: 1 });
      await oauthClient.create(calls.api, key, inputs, calls.intent());
      calls.clock.pass(10_000);
      assert.equal((await calls.api.oauthClients.list('acme')).length, 1);
    });
  }

  it('is given up after two lost answers, each of which may still arrive', async () => {
    await start();
    calls.service.fault({ ...post, how: 'reset-before' });
    await assert.rejects(oauthClient.create(calls.api, key, inputs, calls.intent()), AnswerLost);
    assert.deepEqual(calls.told, Array(2).fill('may arrive late'));
    assert.deepEqual(names(), []);
  });

  it('is not asked for again when nobody can look for it after a lost answer', async () => {
    await start();
    calls.service.fault({ ...post, how: 'reset-after', nth: 1 });
    calls.service.fault({ how: 'status', method: 'GET', status: 403 });
    await assert.rejects(oauthClient.create(calls.api, key, inputs, calls.intent()), { name: 'AnswerLost' });
    assert.deepEqual(names(), [nonce]);
  });

  it('is not asked for again when the service refuses it, once a list showed that nothing came of it', async () => {
    await start();
    await assert.rejects(
      oauthClient.create(calls.api, key, { ...inputs, serviceProvider: 'nobody' }, calls.intent()),
      Invalid,
    );
    // A list may be late, so it may still appear.
    assert.deepEqual(calls.told, ['may arrive late', 'left nothing']);
    assert.deepEqual(calls.methods(), ['POST', 'GET']);
  });

  for (const status of [404, 409, 422, 501]) {
    it(`that was made and answered with ${status} is recorded, and named later`, async () => {
      await start();
      await assert.rejects(oauthClient.create(answering(status), key, inputs, calls.intent()), {
        name: 'UnexpectedAnswer',
        message: /^create: refused\. Yet oc-\w+ was made.*run again to finish it/,
      });
      const [made] = calls.service.snapshot().oauthClients;
      assert.deepEqual([calls.told, names()], [['may arrive late', `created ${made?.id}`], [nonce]]);
    });
  }

  it('that was refused stays as it was begun where nobody can look for it', async () => {
    await start();
    calls.service.fault({ how: 'status', method: 'GET', status: 403 });
    const refused = { name: 'NotFound', message: /create: refused/ };
    await assert.rejects(oauthClient.create(answering(404), key, inputs, calls.intent()), refused);
    assert.deepEqual([calls.told, names()], [['may arrive late'], [nonce]]);
  });

  for (const status of [401, 429]) {
    it(`is over without a look when the answer is ${status}`, async () => {
      await start();
      const refused = new (status === 401 ? Unauthorized : RateLimited)('no', 'rejected', contextOf(status));
      const create = async () => Promise.reject(refused);
      const silent = { ...calls.api, oauthClients: { ...calls.api.oauthClients, create } };
      await assert.rejects(oauthClient.create(silent, key, inputs, calls.intent()), { name: refused.name });
      assert.deepEqual([calls.told, calls.service.requests()], [[], []]);
    });
  }

  for (const earlier of ['none', 'same'] as const) {
    it(`is not taken to be one that was there before, whatever the answer names (${earlier})`, async () => {
      await start();
      const victim = await calls.leave('Theirs');
      calls.existing.add(victim);
      const lying = { ...calls.api.oauthClients, create: () => calls.api.oauthClients.read(victim) };
      calls.service.clearRequests();
      await assert.rejects(
        oauthClient.create({ ...calls.api, oauthClients: lying }, key, inputs, calls.intent(earlier)),
        {
          name: 'UnexpectedAnswer',
          message: new RegExp(`with ${victim}, which was there before: nothing was written to it`, 'u'),
        },
      );
      const over = earlier === 'same' ? [] : ['left nothing'];
      assert.deepEqual([calls.told, names()], [['may arrive late', ...over], ['Theirs']]);
      assert.ok(calls.methods().every((method) => method === 'GET'));
    });
  }

  it('that only the answer hides behind another is recorded, and named later', async () => {
    await start();
    const victim = await calls.leave('Theirs');
    calls.existing.add(victim);
    const create: Api['oauthClients']['create'] = async (...given) => {
      await calls.api.oauthClients.create(...given);
      return calls.api.oauthClients.read(victim);
    };
    const lying = { ...calls.api, oauthClients: { ...calls.api.oauthClients, create } };
    await assert.rejects(oauthClient.create(lying, key, inputs, calls.intent()), /there before/);
    const [, made] = calls.service.snapshot().oauthClients;
    assert.deepEqual(
      [calls.told, names()],
      [
        ['may arrive late', `created ${made?.id}`],
        ['Theirs', nonce],
      ],
    );
  });

  it('is over where the service put its name on one that was there before: nobody may clear that away', async () => {
    await start();
    const victim = await calls.leave('Theirs');
    calls.existing.add(victim);
    for (const lost of [false, true]) {
      calls.told = [];
      const create: Api['oauthClients']['create'] = async (_, { name = null }) => {
        const there = await calls.api.oauthClients.update(victim, { name });
        if (lost) throw new AnswerLost('lost', 'ambiguous', contextOf(null));
        return there;
      };
      const lying = { ...calls.api, oauthClients: { ...calls.api.oauthClients, create } };
      await assert.rejects(oauthClient.create(lying, key, inputs, calls.intent()), /there before/);
      assert.deepEqual(calls.told, ['left nothing']);
    }
    assert.deepEqual(names(), [nonce]);
  });

  it('that is kept with other values than were sent is recorded, and the error has both', async () => {
    await start();
    const create: Api['oauthClients']['create'] = (organization, body) =>
      calls.api.oauthClients.create(organization, { ...body, httpUrl: 'https://other.example.com' });
    const changing = { ...calls.api, oauthClients: { ...calls.api.oauthClients, create } };
    await assert.rejects(oauthClient.create(changing, key, inputs, calls.intent()), {
      name: 'UnexpectedAnswer',
      message:
        /other values of oc-\w+ .*: httpUrl was sent as "https:\/\/git\.example\.com" and is "https:\/\/other\.example\.com"$/,
    });
    const [made] = calls.service.snapshot().oauthClients;
    assert.deepEqual([calls.told, made?.name], [[`created ${made?.id}`], 'GitHub']);
  });

  it('that an update changes to something else than was sent is an error with both values', async () => {
    await start();
    const id = await calls.leave('Before');
    const update: Api['oauthClients']['update'] = (of, changes) =>
      calls.api.oauthClients.update(of, { ...changes, name: 'Else' });
    const changing = { ...calls.api, oauthClients: { ...calls.api.oauthClients, update } };
    const observed = (await oauthClient.read?.(calls.api, id))?.values ?? {};
    await assert.rejects(async () => oauthClient.update?.(changing, id, { name: 'After' }, observed), {
      name: 'UnexpectedAnswer',
      message: /name was sent as "After" and is "Else"$/,
    });
  });

  it('that an earlier attempt left is taken over when its content is ours', async () => {
    await start();
    const id = await calls.leave();
    const found = await oauthClient.create(calls.api, key, inputs, calls.intent('same'));
    assert.equal(found.id, id);
    assert.deepEqual(names(), ['GitHub']);
  });

  it('that an earlier attempt left and somebody destroyed is made again', async () => {
    await start();
    const id = await calls.leave();
    await calls.api.oauthClients.delete(id);
    const found = await oauthClient.create(calls.api, key, inputs, calls.intent('same'));
    assert.notEqual(found.id, id);
    assert.deepEqual(names(), ['GitHub']);
  });

  it('is cleared away only where it is named exactly the nonce', async () => {
    await start();
    for (const name of ['GitHub', `${nonce}0`, nonce, nonce]) await calls.leave(name);
    await clientCalls.discard(calls.api, key, nonce);
    assert.deepEqual(names(), ['GitHub', `${nonce}0`]);
  });

  it('that lost a project of another organization on the way is an error that names it', async () => {
    await start({ profile: 'hcp-terraform' });
    const mixed = { ...inputs, serviceProvider: 'github', projectIds: ['prj-1', 'prj-9'] };
    await assert.rejects(oauthClient.create(calls.api, key, mixed, calls.intent()), {
      name: 'UnexpectedAnswer',
      message:
        /projectIds was sent as \["prj-1","prj-9"\] and is \["prj-1"\] .*another organization in silence/,
    });
    assert.deepEqual(calls.told, [`created ${calls.service.snapshot().oauthClients[0]?.id}`]);
  });

  it('keeps its agent pool when something else is updated, also where a PATCH without one clears it', async () => {
    await start({ behaviours: { 'patch-without-agent-pool': 'clear' } });
    calls.service.patchSeed({ organizations: { acme: { agentPools: { 'apool-1': { name: 'pool' } } } } });
    const { id, values } = await oauthClient.create(
      calls.api,
      key,
      { ...inputs, agentPoolId: 'apool-1' },
      calls.intent(),
    );
    await oauthClient.update?.(calls.api, id, { name: 'New' }, values);
    assert.equal((await calls.api.oauthClients.read(id)).agentPoolId, 'apool-1');
    await oauthClient.update?.(calls.api, id, { agentPoolId: null }, values);
    assert.equal((await calls.api.oauthClients.read(id)).agentPoolId, null);
  });

  it('that is gone already counts as deleted; one that merely cannot be seen does not', async () => {
    await start();
    const id = await calls.leave();
    await oauthClient.delete(calls.api, id, key);
    await oauthClient.delete(calls.api, id, key);
    calls.service.patchSeed({ tokens: { nobody: { acme: { manageVcsSettings: false } } } });
    const blind = createClient({ address: calls.service.url, token: 'nobody', rate: 1000 });
    await assert.rejects(oauthClient.delete(blind, id, key), NotFound);
  });
});
