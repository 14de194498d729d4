/** A service whose answers lack fields: they are not compared, no evidence, and not carried over. */

import assert from 'node:assert/strict';
import type { Props } from '../../provider/resource-provider';
import { PlanBlocked } from '../../reconciler/apply/apply';
import { readMember } from '../../reconciler/plan/plan';
import { acmeHead, acmeSeed, clientEntry, githubFields, seedClient } from '../support/acme';
import { providersFor } from '../support/provider-session';
import { approve, stepIds, worlds } from '../support/scenario';
import { scopeMembers, startSilentService } from '../support/silent-service';
import { World, type WorldOptions } from '../support/world';

const declared = (fields: Record<string, string | null> = {}) =>
  `${acmeHead}oauthClients:\n${clientEntry('github', fields)}`;

describe('what an answer lacks', () => {
  const open = worlds();
  const proxies: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close();
  });

  async function silence(url: string, members: readonly string[] = scopeMembers) {
    const service = await startSilentService(url, members);
    proxies.push(service);
    return service;
  }

  /** The members may change during a test. */
  async function silentWorld(members = scopeMembers, options: WorldOptions = {}) {
    const world = await open(options);
    const service = await silence(world.service.url, members);
    world.address = service.address;
    return { world, service };
  }

  const toClientList = (world: World) => world.service.snapshot().oauthClients;

  for (const fields of [{}, { organizationScoped: 'true', projects: '[]' }]) {
    it(`is no difference where ${JSON.stringify(fields)} is declared, from the first apply on`, async () => {
      const { world } = await silentWorld();
      world.write(declared(fields));
      await world.settle();
      world.write(declared({ ...fields, name: 'Renamed' }));
      await world.settle();
      assert.deepEqual((await world.drift()).rows, []);
      assert.equal(toClientList(world).length, 1);
    });
  }

  it('fails the first POST of a narrower client, records it, and then writes nothing', async () => {
    const { world } = await silentWorld();
    world.write(declared({ organizationScoped: 'false', key: 'k1' }));
    const { result } = await world.apply();
    const message =
      /was created and recorded, but this service offers it to the whole organization, and does not show `organizationScoped`/;
    assert.match(result.steps[0]?.message ?? '', message);
    assert.equal(result.counts.failed, 1);
    assert.deepEqual(world.writes(), ['POST /organizations/:organization_name/oauth-clients']);
    world.write(declared({ organizationScoped: 'false', key: 'k2' }));
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.equal(plan.problems[0]?.rule, 'not-shown');
    assert.match(plan.problems[0]?.message ?? '', /does not show `organizationScoped` of oc-/);
    await world.apply();
    assert.deepEqual(world.writes(), []);
    assert.deepEqual((await world.drift()).rows, []);
    world.write(declared({ key: 'k2' }));
    await world.settle();
    assert.equal(toClientList(world).length, 1);
  });

  it('does not keep a client from being found after a lost answer', async () => {
    const { world } = await silentWorld();
    world.write(declared({ organizationScoped: 'false' }));
    const route = '/organizations/:organization_name/oauth-clients';
    world.service.fault({ how: 'reset-after', method: 'POST', route, times: 1 });
    const { result } = await world.apply();
    assert.match(result.steps[0]?.message ?? '', /was created and recorded, but this service offers it/);
    world.write(declared());
    await world.settle();
    assert.equal(toClientList(world).length, 1);
  });

  it('is no evidence about attachments: none is made, deleted or forgotten', async () => {
    const { world, service } = await silentWorld([]);
    const links = (...projects: string[]) =>
      projects.map((project) => `  - { oauthClient: github, project: ${project} }\n`).join('');
    world.write(`${declared()}projectAttachments:\n${links('payments', 'shop')}`);
    await world.settle();
    const { objects } = await world.ledger();
    world.writes();
    service.members = scopeMembers;
    world.write(`${declared()}projectAttachments:\n${links('payments', 'data')}`);
    const { plan } = await world.plan();
    assert.deepEqual(plan.steps, []);
    assert.deepEqual(
      plan.unknown.map(({ address, line }) => [address, line?.replace(/oc-\w+/, 'oc-1')]),
      [
        ['ProjectAttachment/github/payments', undefined],
        ['ProjectAttachment/github/data', undefined],
        ['ProjectAttachment/github/shop', 'forget: [ProjectAttachment/oc-1/prj-shop]'],
      ],
    );
    assert.match(plan.unknown[0]?.message ?? '', /the service does not show what oc-\S+ is linked with/);
    await world.apply();
    const { rows, unknown } = await world.drift();
    assert.deepEqual([rows, unknown.length], [[], 2]);
    assert.deepEqual(world.writes(), []);
    assert.deepEqual((await world.ledger()).objects, objects);
    service.members = [];
    await world.settle();
    assert.deepEqual(toClientList(world)[0]?.projectIds.toSorted(), ['prj-data', 'prj-payments']);
  });

  it('is not carried over to a successor, and the plan says so beside the approval', async () => {
    const oauthClients = {
      'oc-1': seedClient({ organizationScoped: false, projects: ['prj-data'], key: 'by hand' }),
    };
    const { world, service } = await silentWorld([], { seed: acmeSeed({ oauthClients }) });
    world.write(declared({ id: 'oc-1' }));
    await world.settle();
    world.write(declared({ apiUrl: 'https://git.example.com/api/v4' }));
    service.members = scopeMembers;
    const { plan } = await world.plan();
    const replace = plan.steps.find(({ action }) => action === 'replace');
    assert.deepEqual(
      Object.keys((replace && readMember(replace, 'inputs')) ?? {}).filter((name) =>
        /scope|project/i.test(name),
      ),
      [],
    );
    assert.match(
      (replace && readMember(replace, 'risks')?.join()) ?? '',
      /does not show organizationScoped, projects of oc-1/,
    );
    await assert.rejects(world.apply(), PlanBlocked);
    approve(world, plan);
    // The scope is shown again after the plan.
    const api = world.api();
    const { read } = api.oauthClients;
    api.forStep = () => ({
      ...api,
      oauthClients: {
        ...api.oauthClients,
        read: (id) => {
          service.members = [];
          return read(id);
        },
      },
    });
    world.writes();
    const { result } = await world.apply({}, { api });
    assert.equal(result.steps[0]?.code, 'stale');
    assert.deepEqual(world.writes(), []);
    await world.settle();
    const [client] = toClientList(world);
    assert.deepEqual(
      [client?.organizationScoped, client?.projectIds, client?.key],
      [false, ['prj-data'], 'by hand'],
    );
  });

  it('is carried over to a successor if only the list lacks it, and the plan shows it', async () => {
    const oauthClients = {
      'oc-1': seedClient({ organizationScoped: false, projects: ['prj-data'], key: 'by hand' }),
    };
    const { world, service } = await silentWorld(scopeMembers, { seed: acmeSeed({ oauthClients }) });
    service.onlyInLists = true;
    world.write(declared({ id: 'oc-1' }));
    await world.settle();
    world.write(declared({ apiUrl: 'https://git.example.com/api/v4' }));
    const { plan } = await world.plan();
    const replace = plan.steps.find(({ action }) => action === 'replace');
    assert.doesNotMatch((replace && readMember(replace, 'risks')?.join()) ?? '', /does not show/);
    approve(world, plan);
    await world.settle();
    const [client, ...others] = toClientList(world);
    assert.deepEqual(
      [client?.organizationScoped, client?.projectIds, client?.key, others],
      [false, ['prj-data'], 'by hand', []],
    );
  });

  it('is read of a client that is replaced, and what was read before stays proved', async () => {
    const secondFields = { name: 'Second', httpUrl: 'https://second.example.com' };
    const oauthClients = { 'oc-1': seedClient(), 'oc-2': seedClient(secondFields) };
    const { world, service } = await silentWorld(scopeMembers, { seed: acmeSeed({ oauthClients }) });
    service.onlyInLists = true;
    const declareBoth = (fields: Record<string, string> = {}, id: Record<string, string> = {}) =>
      declared(fields) + clientEntry('second', { ...secondFields, ...id });
    world.write(declareBoth({ id: 'oc-1' }, { id: 'oc-2' }));
    await world.settle();
    await world.somebody.oauthClients.delete('oc-2');
    world.write(declareBoth({ apiUrl: 'https://git.example.com/api/v4' }));
    const { plan } = await world.plan();
    assert.deepEqual(stepIds(plan), [
      'create OAuthClient/second',
      'replace OAuthClient/github',
      'delete OAuthClient/github (oc-1)',
    ]);
    assert.deepEqual([plan.unknown, plan.losses.count], [[], 2]);
    assert.deepEqual(
      plan.blockers.map(({ rule }) => rule),
      ['approval', 'losses'],
    );
    approve(world, plan);
    await world.apply({ maxDeletes: 2 });
    await world.expectNothing();
    assert.equal(toClientList(world).length, 2);
  });

  it('is not adopted as it is declared, and nothing is written', async () => {
    const oauthClients = { 'oc-1': seedClient({ agentPool: 'apool-dmz' }) };
    const { world } = await silentWorld(['agent-pool'], { seed: acmeSeed({ oauthClients }) });
    world.write(declared({ id: 'oc-1', agentPool: 'lab', name: 'Renamed' }));
    const { plan } = await world.plan();
    assert.deepEqual([plan.steps, plan.problems.map(({ rule }) => rule)], [[], ['not-shown']]);
    // A PATCH does not clear a pool that it does not know.
    world.write(declared({ id: 'oc-1', name: 'Renamed' }));
    await world.settle();
    assert.equal(toClientList(world)[0]?.agentPoolId, 'apool-dmz');
  });

  it('may be lost with a PATCH, which cannot carry an agent pool that it does not know, and the plan says so', async () => {
    const oauthClients = { 'oc-1': seedClient({ agentPool: 'apool-dmz' }) };
    const behaviours = { 'patch-without-agent-pool': 'clear' };
    const { world, service } = await silentWorld([], { seed: acmeSeed({ oauthClients }), behaviours });
    const risksOf = async () => (await world.plan()).plan.steps.map((step) => readMember(step, 'risks'));
    world.write(declared({ id: 'oc-1' }));
    service.members = ['agent-pool'];
    assert.deepEqual(await risksOf(), [[]]);
    await world.settle();
    world.write(declared({ id: 'oc-1', name: 'Renamed' }));
    const risk = 'the service does not show agentPool of oc-1, so this change may clear it';
    assert.deepEqual(await risksOf(), [[risk]]);
    world.write(declared({ id: 'oc-1', name: 'Renamed', agentPool: 'null' }));
    assert.deepEqual(await risksOf(), [[]]);
    service.members = [];
    world.write(declared({ id: 'oc-1', name: 'Renamed' }));
    assert.deepEqual(await risksOf(), [[]]);
    await world.settle();
    assert.equal(toClientList(world)[0]?.agentPoolId, 'apool-dmz');
  });

  for (const [field, member, value] of [
    ['name', 'name', 'Renamed'],
    ['key', 'key', 'k2'],
    ['organizationScoped', 'organization-scoped', 'false'],
    ['agentPool', 'agent-pool', 'lab'],
  ] as const) {
    for (const method of ['POST', 'PATCH']) {
      it(`fails the ${method} that sent \`${field}\`, and what is shown later is no change`, async () => {
        const { world, service } = await silentWorld([]);
        if (method === 'PATCH') {
          world.write(declared());
          await world.settle();
        }
        const api = world.api();
        const silence =
          <Sent extends unknown[], Answer>(call: (...sent: Sent) => Promise<Answer>) =>
          (...sent: Sent) => {
            service.members = [member];
            return call(...sent);
          };
        const { create, update } = api.oauthClients;
        const oauthClients = { ...api.oauthClients, create: silence(create), update: silence(update) };
        api.forStep = () => ({ ...api, oauthClients });
        world.write(declared({ [field]: value }));
        const { result } = await world.apply({}, { api });
        assert.equal(result.counts.failed, 1);
        const message = new RegExp(`^oc-.*, but this service .*does not show \`${field}\` of oc-`);
        assert.match(result.steps[0]?.message ?? '', message);
        service.members = [];
        await world.settle();
        assert.equal(toClientList(world).length, 1);
      });
    }
  }

  it('may be the same, where a client is looked for that must not be made twice', async () => {
    const { world } = await silentWorld(['name', ...scopeMembers], {
      seed: acmeSeed({ oauthClients: { 'oc-1': seedClient() } }),
    });
    world.write(declared());
    const { plan } = await world.plan();
    assert.deepEqual([stepIds(plan), plan.problems[0]?.rule], [[], 'possible-match']);
    assert.match(plan.problems[0]?.message ?? '', /oc-1, created 2023-01-01T00:00:00.000Z, not connected\./);
  });

  it('does not make a refused detach a success', async () => {
    const { world, service } = await silentWorld([]);
    const links = 'projectAttachments:\n  - { oauthClient: github, project: payments }\n';
    world.write(declared() + links);
    await world.settle();
    world.write(declared());
    const route = '/oauth-clients/:id/relationships/projects';
    world.service.fault({ how: 'status', status: 422, method: 'DELETE', route });
    const api = world.api();
    const { detach } = api.oauthClients;
    api.forStep = () => ({
      ...api,
      oauthClients: {
        ...api.oauthClients,
        detach: (id, projects) => {
          service.members = scopeMembers;
          return detach(id, projects);
        },
      },
    });
    const { result } = await world.apply({}, { api });
    assert.equal(result.counts.failed, 1);
    world.service.clearFaults();
    service.members = [];
    await world.settle();
    assert.deepEqual(toClientList(world)[0]?.projectIds, []);
  });

  it('is left out of an export, of which the plan finds nothing', async () => {
    const profile = 'hcp-terraform';
    const seed = acmeSeed({ oauthClients: { 'oc-1': seedClient({ serviceProvider: 'github' }) } });
    const world = await World.start(seed, { profile });
    try {
      const { address } = await silence(world.service.url);
      const env = { TETHER_ADDRESS: address };
      const { stdout } = await world.expect(0, ['export', '--organization', 'acme', '--profile', profile], {
        env,
      });
      assert.doesNotMatch(stdout, /organizationScoped|undefined/);
      world.write(stdout);
      await world.applyAndExpectNothing([], { env });
      const shown = await world.expect(0, ['show'], { env });
      assert.doesNotMatch(shown.stdout, /organizationScoped|projects/);
    } finally {
      await world.close();
    }
  });

  describe('under Pulumi', () => {
    const inputs = { organization: 'acme', ...githubFields };

    async function silentProviders() {
      const world = await open({ token: 'owner-token', behaviours: { 'rate-limit': 'off' } });
      const service = await silence(world.service.url);
      return { world, service, providers: providersFor(service.address) };
    }

    it('is no difference where the default is given, and stays so after a refresh', async () => {
      const { providers, world, service } = await silentProviders();
      const given = { ...inputs, organizationScoped: true, projectIds: [] };
      const { id, outs } = await providers.OAuthClient.create(given);
      const { props = {} } = await providers.OAuthClient.read(id, outs);
      await providers.OAuthClient.check(props, given);
      assert.deepEqual(await providers.OAuthClient.diff(id, props, given), { replaces: [], changes: false });
      assert.equal(toClientList(world).length, 1);
      const adopted = await providersFor(service.address).OAuthClient.create({ ...given, adoptId: id });
      assert.equal(adopted.id, id);
      assert.deepEqual(world.writes(), ['POST /organizations/:organization_name/oauth-clients']);
    });

    it('fails a create that is narrower, keeps the client, and does not write it in the next run', async () => {
      const { providers, world } = await silentProviders();
      const given = { ...inputs, organizationScoped: false };
      const failure = await providers.OAuthClient.create(given).then(
        () => assert.fail('it was created'),
        (error: Error & { id: string; properties: Props }) => error,
      );
      assert.match(
        failure.message,
        /was created and recorded, but this service offers it to the whole organization/,
      );
      world.writes();
      const { id, properties } = failure;
      await providers.OAuthClient.check(properties, given);
      await assert.rejects(providers.OAuthClient.update(id, { ...properties }, given), {
        message: /^nothing was written, because this service offers it to the whole organization/,
      });
      assert.deepEqual(world.writes(), []);
    });

    it('is not lost with a PATCH of another field, because nothing is written', async () => {
      const { providers, world, service } = await silentProviders();
      service.members = [];
      const given = { ...inputs, agentPoolId: 'apool-dmz' };
      const { id, outs } = await providers.OAuthClient.create(given);
      service.members = ['agent-pool'];
      world.writes();
      const renamed = { ...given, name: 'Renamed' };
      const message = /^nothing was written, because this service does not show `agentPool` of oc-/;
      await assert.rejects(providers.OAuthClient.update(id, outs, renamed), { message });
      assert.deepEqual(world.writes(), []);
      service.members = [];
      await providers.OAuthClient.update(id, outs, renamed);
      assert.equal(toClientList(world)[0]?.agentPoolId, 'apool-dmz');
    });

    it('is unknown as an attachment, so the state stays', async () => {
      const { providers, service } = await silentProviders();
      service.members = [];
      const { id } = await providers.OAuthClient.create(inputs);
      const link = { oauthClientId: id, projectId: 'prj-payments', organization: 'acme' };
      const made = await providers.ProjectAttachment.create(link);
      service.members = scopeMembers;
      const later = providersFor(service.address);
      await assert.rejects(later.ProjectAttachment.read(made.id, made.outs), {
        message: /it is unknown whether .* still exists.*does not show what/,
      });
    });
  });
});
