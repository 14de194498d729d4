/** The calls of the three kinds against the service: a lost answer makes no second object and takes no stranger's. */
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
import type { FieldValues, Intent } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { discardOAuthClient } from '../../resources/oauth-client-create';
import { readProfile } from '../../resources/profile';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';

import { createService, type Service, type ServiceOptions } from '../../service';

const nonce = 'tether-pending-0a1b2c-3d4e5f';
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
const pair = { organization: 'acme', workspaceId: 'ws-app', sourceableId: 'ws-network' };
const postTrigger = { method: 'POST', route: '/workspaces/:workspace_id/run-triggers' };

describe('calls that never make two', () => {
  let service: Service;
  let api: Api;
  let told: string[];
  let existing: Set<string>;

  async function start(options: ServiceOptions = {}): Promise<void> {
    service = await createService({
      seed: {
        organizations: {
          acme: {
            projects: { 'prj-1': { name: 'one' }, 'prj-2': { name: 'two' } },
            workspaces: {
              'ws-app': { name: 'app' },
              'ws-network': { name: 'network' },
              'ws-dns': { name: 'dns' },
            },
          },
          other: { projects: { 'prj-9': { name: 'nine' } } },
        },
        tokens: { owner: { acme: 'owner', other: 'owner' } },
      },
      ...options,
    });
    api = createClient({ address: service.url, token: 'owner', rate: 1000 });
    told = [];
    existing = new Set();
  }
  afterEach(async () => {
    await service.close();
  });

  const intent = (earlier: Intent['earlier'] = 'none'): Intent => ({
    nonce,
    earlier,
    created: async (made) => {
      told.push(`created ${made}`);
    },
    existed: (id) => existing.has(id),
    mayArriveLate: async () => {
      told.push('may arrive late');
    },
    leftNothing: async () => {
      told.push('left nothing');
    },
  });
  const methods = () => service.requests().map(({ method }) => method);
  const contextOf = (status: number | null) => ({
    method: 'POST',
    route: '/create',
    status,
    attempts: 1,
    details: [],
  });
  /** Carries a client's create out, and says all the same that it did not. */
  const answering = (status: number): Api => ({
    ...api,
    oauthClients: {
      ...api.oauthClients,
      create: async (...given) => {
        await api.oauthClients.create(...given);
        const kinds = { 404: NotFound, 409: Conflict, 422: Invalid, 501: ServerError };
        const kind = kinds[status as keyof typeof kinds];
        throw new kind('create: refused', 'rejected', contextOf(status));
      },
    },
  });
  const names = (): readonly (string | null)[] => service.snapshot().oauthClients.map(({ name }) => name);
  /** Leaves a client under the nonce, as an interrupted attempt does. */
  const leave = async (name = nonce): Promise<string> =>
    (
      await api.oauthClients.create('acme', {
        serviceProvider: 'provider_a',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api',
        name,
      })
    ).id;

  describe('a client', () => {
    it('is made under its nonce, journaled, then named', async () => {
      await start();
      const found = await oauthClient.create(api, key, inputs, intent());
      assert.deepEqual(names(), ['GitHub']);
      assert.deepEqual(told, [`created ${found.id}`]);
      assert.equal(found.values.name, 'GitHub');
      const writes = service.requests().filter(({ method }) => method !== 'GET');
      assert.deepEqual(
        writes.map(({ method }) => method),
        ['POST', 'PATCH'],
      );
    });

    it('without a name loses its nonce too', async () => {
      await start();
      const { name: _, ...nameless } = inputs;
      await oauthClient.create(api, key, nameless, intent());
      assert.deepEqual(names(), [null]);
    });

    for (const how of ['reset-before', 'reset-after'] as const) {
      it(`is one when the answer is lost (${how})`, async () => {
        await start();
        service.fault({ ...post, how, nth: 1 });
        const found = await oauthClient.create(api, key, inputs, intent());
        assert.deepEqual(names(), ['GitHub']);
        assert.deepEqual(told, ['may arrive late', `created ${found.id}`]);
      });
    }

    it('is given up after four lost answers, each of which may still arrive', async () => {
      await start();
      service.fault({ ...post, how: 'reset-before' });
      await assert.rejects(oauthClient.create(api, key, inputs, intent()), AnswerLost);
      assert.deepEqual(told, Array(4).fill('may arrive late'));
      assert.deepEqual(names(), []);
    });

    it('is not asked for again when nobody can look for it after a lost answer', async () => {
      await start();
      service.fault({ ...post, how: 'reset-after', nth: 1 });
      service.fault({ how: 'status', method: 'GET', status: 403 });
      await assert.rejects(oauthClient.create(api, key, inputs, intent()), { name: 'AnswerLost' });
      assert.deepEqual(names(), [nonce]);
    });

    it('is not asked for again when the service refuses it, once a list showed that nothing came of it', async () => {
      await start();
      await assert.rejects(
        oauthClient.create(api, key, { ...inputs, serviceProvider: 'nobody' }, intent()),
        Invalid,
      );
      // A list may be late, so it may still appear.
      assert.deepEqual(told, ['may arrive late', 'left nothing']);
      assert.deepEqual(methods(), ['POST', 'GET']);
    });

    for (const status of [404, 409, 422, 501]) {
      it(`that was made and answered with ${status} is recorded, and named later`, async () => {
        await start();
        await assert.rejects(oauthClient.create(answering(status), key, inputs, intent()), {
          name: 'UnexpectedAnswer',
          message: /^create: refused\. Yet oc-\w+ was made.*run again to finish it/,
        });
        const [made] = service.snapshot().oauthClients;
        assert.deepEqual([told, names()], [['may arrive late', `created ${made?.id}`], [nonce]]);
      });
    }

    it('that was refused stays as it was begun where nobody can look for it', async () => {
      await start();
      service.fault({ how: 'status', method: 'GET', status: 403 });
      const refused = { name: 'NotFound', message: /create: refused/ };
      await assert.rejects(oauthClient.create(answering(404), key, inputs, intent()), refused);
      assert.deepEqual([told, names()], [['may arrive late'], [nonce]]);
    });

    for (const status of [401, 429]) {
      it(`is over without a look when the answer is ${status}`, async () => {
        await start();
        const refused = new (status === 401 ? Unauthorized : RateLimited)(
          'no',
          'rejected',
          contextOf(status),
        );
        const create = async () => Promise.reject(refused);
        const silent = { ...api, oauthClients: { ...api.oauthClients, create } };
        await assert.rejects(oauthClient.create(silent, key, inputs, intent()), { name: refused.name });
        assert.deepEqual([told, service.requests()], [[], []]);
      });
    }

    for (const earlier of ['none', 'same'] as const) {
      it(`is not taken to be one that was there before, whatever the answer names (${earlier})`, async () => {
        await start();
        const victim = await leave('Theirs');
        existing.add(victim);
        const lying = { ...api.oauthClients, create: () => api.oauthClients.read(victim) };
        service.clearRequests();
        await assert.rejects(
          oauthClient.create({ ...api, oauthClients: lying }, key, inputs, intent(earlier)),
          {
            name: 'UnexpectedAnswer',
            message: new RegExp(`with ${victim}, which was there before: nothing was written to it`, 'u'),
          },
        );
        const over = earlier === 'same' ? [] : ['left nothing'];
        assert.deepEqual([told, names()], [['may arrive late', ...over], ['Theirs']]);
        assert.ok(methods().every((method) => method === 'GET'));
      });
    }

    it('that only the answer hides behind another is recorded, and named later', async () => {
      await start();
      const victim = await leave('Theirs');
      existing.add(victim);
      const create: Api['oauthClients']['create'] = async (...given) => {
        await api.oauthClients.create(...given);
        return api.oauthClients.read(victim);
      };
      const lying = { ...api, oauthClients: { ...api.oauthClients, create } };
      await assert.rejects(oauthClient.create(lying, key, inputs, intent()), /there before/);
      const [, made] = service.snapshot().oauthClients;
      assert.deepEqual(
        [told, names()],
        [
          ['may arrive late', `created ${made?.id}`],
          ['Theirs', nonce],
        ],
      );
    });

    it('is over where the service put its name on one that was there before: nobody may clear that away', async () => {
      await start();
      const victim = await leave('Theirs');
      existing.add(victim);
      for (const lost of [false, true]) {
        told = [];
        const create: Api['oauthClients']['create'] = async (_, { name = null }) => {
          const there = await api.oauthClients.update(victim, { name });
          if (lost) throw new AnswerLost('lost', 'ambiguous', contextOf(null));
          return there;
        };
        const lying = { ...api, oauthClients: { ...api.oauthClients, create } };
        await assert.rejects(oauthClient.create(lying, key, inputs, intent()), /there before/);
        assert.deepEqual(told, ['left nothing']);
      }
      assert.deepEqual(names(), [nonce]);
    });

    it('that is kept with other values than were sent is recorded, and the error has both', async () => {
      await start();
      const create: Api['oauthClients']['create'] = (organization, body) =>
        api.oauthClients.create(organization, { ...body, httpUrl: 'https://other.example.com' });
      const changing = { ...api, oauthClients: { ...api.oauthClients, create } };
      await assert.rejects(oauthClient.create(changing, key, inputs, intent()), {
        name: 'UnexpectedAnswer',
        message:
          /other values of oc-\w+ .*: httpUrl was sent as "https:\/\/git\.example\.com" and is "https:\/\/other\.example\.com"$/,
      });
      const [made] = service.snapshot().oauthClients;
      assert.deepEqual([told, made?.name], [[`created ${made?.id}`], 'GitHub']);
    });

    it('that an update changes to something else than was sent is an error with both values', async () => {
      await start();
      const id = await leave('Before');
      const update: Api['oauthClients']['update'] = (of, changes) =>
        api.oauthClients.update(of, { ...changes, name: 'Else' });
      const changing = { ...api, oauthClients: { ...api.oauthClients, update } };
      const observed = (await oauthClient.read?.(api, id))?.values ?? {};
      await assert.rejects(async () => oauthClient.update?.(changing, id, { name: 'After' }, observed), {
        name: 'UnexpectedAnswer',
        message: /name was sent as "After" and is "Else"$/,
      });
    });

    it('that an earlier attempt left is taken over when its content is ours', async () => {
      await start();
      const id = await leave();
      const found = await oauthClient.create(api, key, inputs, intent('same'));
      assert.equal(found.id, id);
      assert.deepEqual(names(), ['GitHub']);
    });

    it('that an earlier attempt left and somebody destroyed is made again', async () => {
      await start();
      const id = await leave();
      await api.oauthClients.delete(id);
      const found = await oauthClient.create(api, key, inputs, intent('same'));
      assert.notEqual(found.id, id);
      assert.deepEqual(names(), ['GitHub']);
    });

    it('is cleared away only where it is named exactly the nonce', async () => {
      await start();
      for (const name of ['GitHub', `${nonce}0`, nonce, nonce]) await leave(name);
      await discardOAuthClient(api, key, nonce);
      assert.deepEqual(names(), ['GitHub', `${nonce}0`]);
    });

    it('that lost a project of another organization on the way is an error that names it', async () => {
      await start({ profile: 'hcp-terraform' });
      const mixed = { ...inputs, serviceProvider: 'github', projectIds: ['prj-1', 'prj-9'] };
      await assert.rejects(oauthClient.create(api, key, mixed, intent()), {
        name: 'UnexpectedAnswer',
        message:
          /projectIds was sent as \["prj-1","prj-9"\] and is \["prj-1"\] .*another organization in silence/,
      });
      assert.deepEqual(told, [`created ${service.snapshot().oauthClients[0]?.id}`]);
    });

    it('keeps its agent pool when something else is updated, also where a PATCH without one clears it', async () => {
      await start({ behaviours: { 'patch-without-agent-pool': 'clear' } });
      service.patchSeed({ organizations: { acme: { agentPools: { 'apool-1': { name: 'pool' } } } } });
      const { id, values } = await oauthClient.create(
        api,
        key,
        { ...inputs, agentPoolId: 'apool-1' },
        intent(),
      );
      await oauthClient.update?.(api, id, { name: 'New' }, values);
      assert.equal((await api.oauthClients.read(id)).agentPoolId, 'apool-1');
      await oauthClient.update?.(api, id, { agentPoolId: null }, values);
      assert.equal((await api.oauthClients.read(id)).agentPoolId, null);
    });

    it('that is gone already counts as deleted; one that merely cannot be seen does not', async () => {
      await start();
      const id = await leave();
      await oauthClient.delete(api, id, key);
      await oauthClient.delete(api, id, key);
      service.patchSeed({ tokens: { nobody: { acme: { manageVcsSettings: false } } } });
      const blind = createClient({ address: service.url, token: 'nobody', rate: 1000 });
      await assert.rejects(oauthClient.delete(blind, id, key), NotFound);
    });
  });

  describe('a trigger', () => {
    const pairs = (): readonly string[] =>
      service.snapshot().runTriggers.map(({ workspaceId, sourceableId }) => `${workspaceId} ${sourceableId}`);

    for (const how of ['reset-before', 'reset-after'] as const) {
      for (const duplicate of ['422', '409', 'accept']) {
        it(`is one when the answer is lost (${how}) and a duplicate means ${duplicate}`, async () => {
          await start({ behaviours: { 'duplicate-trigger': duplicate } });
          service.fault({ ...postTrigger, how, nth: 1 });
          await runTrigger.create(api, pair, {}, intent());
          assert.deepEqual(pairs(), ['ws-app ws-network']);
          assert.deepEqual(told, ['may arrive late']);
        });
      }
    }

    it('of another source is not taken for ours', async () => {
      await start();
      const other = await runTrigger.create(api, { ...pair, sourceableId: 'ws-dns' }, {}, intent());
      service.fault({ ...postTrigger, how: 'reset-before', nth: 1 });
      const made = await runTrigger.create(api, pair, {}, intent('same'));
      assert.notEqual(made.id, other.id);
      assert.deepEqual(pairs(), ['ws-app ws-dns', 'ws-app ws-network']);
    });

    it('that is there already is taken for ours, without a write when an attempt came before', async () => {
      await start();
      const { id } = await runTrigger.create(api, pair, {}, intent());
      assert.equal((await runTrigger.create(api, pair, {}, intent())).id, id);
      service.clearRequests();
      assert.equal((await runTrigger.create(api, pair, {}, intent('same'))).id, id);
      assert.ok(service.requests().every(({ method }) => method === 'GET'));
    });

    it('that the service refuses for another reason stays refused', async () => {
      await start();
      const self = { ...pair, sourceableId: 'ws-app' };
      await assert.rejects(runTrigger.create(api, self, {}, intent()), Invalid);
      await assert.rejects(
        runTrigger.create(api, { ...pair, sourceableId: 'ws-none' }, {}, intent()),
        NotFound,
      );
    });

    it('that the service refuses is told as refused, also when nobody can look for it then', async () => {
      await start({ behaviours: { 'duplicate-trigger': '409' } });
      await runTrigger.create(api, pair, {}, intent());
      service.fault({ how: 'status', method: 'GET', status: 403 });
      const self = { ...pair, sourceableId: 'ws-app' };
      await assert.rejects(runTrigger.create(api, self, {}, intent()), {
        name: 'Invalid',
        message: /^POST /,
      });
      await assert.rejects(runTrigger.create(api, pair, {}, intent()), { name: 'Conflict' });
    });

    it('whose answer is lost is not asked for again when nobody can look for it', async () => {
      await start({ behaviours: { 'duplicate-trigger': 'accept' } });
      service.fault({ ...postTrigger, how: 'reset-after', nth: 1 });
      service.fault({ how: 'status', method: 'GET', status: 403 });
      await assert.rejects(runTrigger.create(api, pair, {}, intent()), { name: 'AnswerLost' });
      assert.deepEqual(pairs(), ['ws-app ws-network']);
    });

    for (const Refusal of [NotFound, Conflict, Invalid]) {
      it(`that was made and answered with ${Refusal.name} is taken for ours`, async () => {
        await start();
        const create: Api['runTriggers']['create'] = async (...given) => {
          await api.runTriggers.create(...given);
          throw new Refusal('no', 'rejected', contextOf(404));
        };
        const lying = { ...api, runTriggers: { ...api.runTriggers, create } };
        const made = await runTrigger.create(lying, pair, {}, intent());
        assert.deepEqual([pairs(), made.values.sourceableId], [['ws-app ws-network'], 'ws-network']);
      });
    }

    it('of another pair in the answer is not taken: the list decides which one it is', async () => {
      await start();
      const other = await api.runTriggers.create('ws-app', 'ws-dns');
      const answer = (carryOut: boolean) => ({
        ...api,
        runTriggers: {
          ...api.runTriggers,
          create: async (...given: Parameters<Api['runTriggers']['create']>) => {
            if (carryOut) await api.runTriggers.create(...given);
            return other;
          },
        },
      });
      await assert.rejects(runTrigger.create(answer(false), pair, {}, intent()), {
        name: 'UnexpectedAnswer',
        message: new RegExp(`create of ws-app from ws-network with ${other.id}, ws-app from ws-dns`, 'u'),
      });
      const made = await runTrigger.create(answer(true), pair, {}, intent());
      assert.notEqual(made.id, other.id);
      assert.deepEqual(made.values, { workspaceId: 'ws-app', sourceableId: 'ws-network' });
    });

    it('that was there before in the answer is looked up in the list', async () => {
      await start();
      const other = await api.runTriggers.create('ws-app', 'ws-dns');
      existing.add(other.id);
      const create: Api['runTriggers']['create'] = async (...given) => ({
        ...(await api.runTriggers.create(...given)),
        id: other.id,
      });
      const made = await runTrigger.create(
        { ...api, runTriggers: { ...api.runTriggers, create } },
        pair,
        {},
        intent(),
      );
      assert.notEqual(made.id, other.id);
    });

    it('is given up after four lost answers', async () => {
      await start();
      service.fault({ ...postTrigger, how: 'reset-before' });
      await assert.rejects(runTrigger.create(api, pair, {}, intent()), AnswerLost);
      assert.deepEqual(told, Array(4).fill('may arrive late'));
    });

    it('that is gone already counts as deleted', async () => {
      await start();
      const { id } = await runTrigger.create(api, pair, {}, intent());
      await runTrigger.delete(api, id, pair);
      await runTrigger.delete(api, id, pair);
      assert.deepEqual(pairs(), []);
    });

    it('refuses to trigger itself, and only itself', () => {
      const rules = (values: FieldValues): readonly string[] =>
        (runTrigger.check?.(values, new Set(), readProfile('default', '/')) ?? []).map(({ rule }) => rule);
      assert.deepEqual(rules({ workspaceId: 'ws-app', sourceableId: 'ws-app' }), ['self-trigger']);
      assert.deepEqual(rules({ workspaceId: 'ws-app', sourceableId: 'ws-network' }), []);
      assert.deepEqual(rules({}), []);
    });
  });

  describe('an attachment', () => {
    const link = (projectId: string, oauthClientId: string) => ({
      organization: 'acme',
      oauthClientId,
      projectId,
    });
    const attached = (): readonly string[] =>
      service.snapshot().oauthClients.flatMap(({ projectIds }) => projectIds);

    for (const again of ['204', '422']) {
      it(`may be made and taken away twice where the second time means ${again}`, async () => {
        await start({ behaviours: { 'attach-again': again } });
        const id = await leave();
        for (const _ of [1, 2]) {
          const found = await projectAttachment.create(api, link('prj-1', id), {}, intent());
          assert.equal(found.id, `${id}/prj-1`);
          assert.deepEqual(attached(), ['prj-1']);
        }
        for (const _ of [1, 2]) {
          await projectAttachment.delete(api, `${id}/prj-1`, link('prj-1', id));
          assert.deepEqual(attached(), []);
        }
      });
    }

    it('goes with several others in one call', async () => {
      await start();
      const id = await leave();
      service.clearRequests();
      await projectAttachment.batch?.create(api, [link('prj-1', id), link('prj-2', id)]);
      assert.deepEqual(attached(), ['prj-1', 'prj-2']);
      await projectAttachment.batch?.delete(api, [link('prj-1', id), link('prj-2', id)]);
      assert.deepEqual(attached(), []);
      assert.deepEqual(
        service.requests().map(({ method }) => method),
        ['POST', 'DELETE'],
      );
    });

    for (const Refusal of [NotFound, Conflict, Invalid]) {
      it(`that was made, or taken away, and answered with ${Refusal.name} is done`, async () => {
        await start();
        const id = await leave();
        const refuse = async (done: Promise<void>) => {
          await done;
          throw new Refusal('no', 'rejected', contextOf(404));
        };
        const { attach, detach } = api.oauthClients;
        const lying = {
          ...api,
          oauthClients: {
            ...api.oauthClients,
            attach: (...given: Parameters<typeof attach>) => refuse(attach(...given)),
            detach: (...given: Parameters<typeof detach>) => refuse(detach(...given)),
          },
        };
        await projectAttachment.create(lying, link('prj-1', id), {}, intent());
        assert.deepEqual(attached(), ['prj-1']);
        await projectAttachment.delete(lying, `${id}/prj-1`, link('prj-1', id));
        assert.deepEqual(attached(), []);
      });
    }

    it('to an unknown project is refused, and so is taking one away that is still there', async () => {
      await start({ behaviours: { 'attach-again': '422' } });
      const id = await leave();
      await assert.rejects(projectAttachment.create(api, link('prj-none', id), {}, intent()), Invalid);
      await projectAttachment.create(api, link('prj-1', id), {}, intent());
      await assert.rejects(
        projectAttachment.batch?.create(api, [link('prj-1', id), link('prj-none', id)]) ?? Promise.resolve(),
        Invalid,
      );
      await assert.rejects(
        projectAttachment.batch?.delete(api, [link('prj-1', id), link('prj-none', id)]) ?? Promise.resolve(),
        Invalid,
      );
      assert.deepEqual(attached(), ['prj-1']);
    });

    it('that the service refuses is told as refused, also when nobody can look for it then', async () => {
      await start({ behaviours: { 'attach-again': '422' } });
      const id = await leave();
      service.fault({ how: 'status', method: 'GET', status: 403 });
      const refused = { name: 'Invalid', message: /projects: / };
      await assert.rejects(projectAttachment.create(api, link('prj-none', id), {}, intent()), refused);
      await assert.rejects(projectAttachment.delete(api, `${id}/prj-1`, link('prj-1', id)), refused);
    });

    it('of a client that is gone is gone; of one that merely cannot be seen it is not', async () => {
      await start();
      const id = await leave();
      await projectAttachment.create(api, link('prj-1', id), {}, intent());
      service.patchSeed({ tokens: { nobody: { acme: { manageVcsSettings: false } } } });
      const blind = createClient({ address: service.url, token: 'nobody', rate: 1000 });
      await assert.rejects(projectAttachment.delete(blind, `${id}/prj-1`, link('prj-1', id)), NotFound);
      await api.oauthClients.delete(id);
      await projectAttachment.delete(api, `${id}/prj-1`, link('prj-1', id));
    });
  });
});
