/** The calls of the three kinds against the service: a lost answer makes no second object and takes no stranger's. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { createClient } from '../../client/create';
import { AnswerLost, Invalid, NotFound } from '../../client/errors';
import type { Intent } from '../../resources/definition';
import { oauthClient } from '../../resources/oauth-client';
import { discardOAuthClient, ProjectsDropped } from '../../resources/oauth-client-calls';
import { readProfile } from '../../resources/profile';
import { projectAttachment } from '../../resources/project-attachment';
import { runTrigger } from '../../resources/run-trigger';
import type { FieldValues } from '../../resources/values';
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
    mayArriveLate: async () => {
      told.push('may arrive late');
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

    it('is not asked for again when the service refuses it', async () => {
      await start();
      await assert.rejects(
        oauthClient.create(api, key, { ...inputs, serviceProvider: 'nobody' }, intent()),
        Invalid,
      );
      assert.deepEqual(told, []);
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

    it('of unknown content is deleted and made again, and a look-alike stays', async () => {
      await start();
      const stranger = await leave('GitHub');
      const left = await leave();
      const found = await oauthClient.create(api, key, inputs, intent('unknown'));
      assert.notEqual(found.id, left);
      const ids = service.snapshot().oauthClients.map(({ id }) => id);
      assert.deepEqual(new Set(ids), new Set([stranger, found.id]));
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
      await assert.rejects(oauthClient.create(api, key, mixed, intent()), (error) => {
        assert.ok(error instanceof ProjectsDropped);
        assert.match(error.message, /without prj-9:/u);
        return true;
      });
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
