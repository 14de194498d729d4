/** OAuth clients under Pulumi, against the embedded service. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { type Props, unknownValue } from '../../provider/properties';
import { createService, type Service } from '../../service';
import { githubFields } from '../support/acme';
import { seed } from '../support/client-and-service';
import { clientDefaults } from '../support/client-values';
import { type Providers, providersFor } from '../support/provider-session';

const wanted = { organization: 'acme', ...githubFields, oauthTokenString: 'canary-1' };

describe('an OAuth client under Pulumi', () => {
  let service: Service;
  let providers: Providers;
  beforeEach(async () => {
    // A PATCH without the agent pool clears it here, so each has to carry it.
    service = await createService({ seed, behaviours: { 'patch-without-agent-pool': 'clear' } });
    providers = providersFor(service.url);
  });
  afterEach(() => service.close());

  const somebody = () => createClient({ address: service.url, token: 'owner-token', rate: 100_000 });
  const clients = () => service.snapshot().oauthClients;
  const ids = () => clients().map(({ id }) => id);
  const calls = () => service.requests().map(({ method, status }) => `${method} ${status}`);
  const create = (inputs: Props) => providers.OAuthClient.create(inputs);
  const detach = (oauthClientId: string) => {
    const link = { oauthClientId, projectId: 'prj-one', organization: 'acme' };
    return providers.ProjectAttachment.delete(`${oauthClientId}/prj-one`, link);
  };
  /** The engine checks what the program has before it compares that. */
  const diff = async (id: string, olds: Props, news: Props) => {
    await providers.OAuthClient.check(olds, news);
    return providers.OAuthClient.diff(id, olds, news);
  };
  /** When it is going to replace a client, the engine then checks the inputs once more. */
  const replacing = async (id: string, olds: Props, news: Props, last = news) => {
    const compared = await diff(id, olds, news);
    await providers.OAuthClient.check({}, last);
    return compared;
  };

  it('is created once with its fields, and the state says what was given and what the service shows', async () => {
    const { id, outs } = await create(wanted);
    assert.deepEqual(calls(), ['GET 200', 'POST 201']);
    const { createdAt, callbackUrl, connectPath, oauthTokenIds, ...rest } = outs ?? {};
    assert.deepEqual(rest, {
      ...clientDefaults,
      ...wanted,
      key: null,
      rsaPublicKey: null,
      serviceProviderDisplayName: 'Provider A',
      address: service.url,
      managed: 'name,oauthTokenString',
    });
    assert.deepEqual(ids(), [id]);
    assert.ok([createdAt, callbackUrl, connectPath, oauthTokenIds].every((one) => one !== undefined));
  });

  it('is refused beside a possible match, whose id and ways out the message gives, until one is written', async () => {
    const there = await somebody().oauthClients.create('acme', wanted);
    const message = new RegExp(
      `acme already has a matching OAuth client: ${there.id}, .*adoptId: '${there.id}'.*allowDuplicate: \\['${there.id}'\\].*aliases`,
    );
    await assert.rejects(create(wanted), { message });
    const error = await create({ ...wanted, allowDuplicate: ['oc-other'] }).catch((reason) => reason);
    assert.match(error.message, message);
    // The SDK prints it so.
    assert.equal(`${error}: ${error.stack}`, `tether: ${error.message}`);
    assert.equal(clients().length, 1);
    await create({ ...wanted, allowDuplicate: [there.id] });
    assert.equal(clients().length, 2);
    const adopted = await create({ ...wanted, adoptId: there.id, key: 'new' });
    assert.deepEqual([adopted.id, adopted.outs?.key], [there.id, 'new']);
    assert.equal(clients().length, 2);
    assert.match(`${providers.said}`, /^oc-\w+: oauthTokenString was not written, because the API/);
  });

  it('has one resource: another one of the program neither adopts it nor is told to', async () => {
    const { id, outs = {} } = await create(wanted);
    await diff(id, outs, wanted);
    const second = create({ ...wanted, adoptId: id });
    await assert.rejects(second, { message: /belongs to another resource of this program/ });
    await assert.rejects(create(wanted), { message: /Another resource .* has oc-\w+: .* remove one/ });
    // A resource that goes keeps nothing.
    providers = providersFor(service.url);
    await create({ ...wanted, adoptId: id });
  });

  it('loses a dropped project also if it replaced another one in an earlier run', async () => {
    const { id, outs = {} } = await create({ ...wanted, projectIds: ['prj-one'] });
    providers = providersFor(service.url);
    await diff(id, { ...outs, replaces: ['oc-old'] }, wanted);
    await detach('oc-old');
    assert.deepEqual(clients()[0]?.projectIds, []);
  });

  it('is adopted when the answer to its create is lost, which is said', async () => {
    service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    const { id } = await create(wanted);
    assert.deepEqual(ids(), [id]);
    assert.deepEqual(providers.said, [`${id} was adopted after a lost answer`]);
  });

  it('is not adopted where a field that never changes differs, or where it belongs to others', async () => {
    const there = await somebody().oauthClients.create('acme', wanted);
    const other = create({ ...wanted, httpUrl: 'https://other.example.com', adoptId: there.id });
    await assert.rejects(other, {
      message: /cannot be adopted: its httpUrl is "https:\/\/git\.example\.com"/,
    });
    const stranger = create({ ...wanted, organization: 'shop', adoptId: there.id });
    await assert.rejects(stranger, { message: /cannot be adopted: its organization is "acme"/ });
    const { outs } = await create({ ...wanted, organization: 'Acme', adoptId: there.id });
    assert.equal(outs?.organization, 'Acme');
    await assert.rejects(create({ ...wanted, adoptId: 'oc-none' }), {
      message: /there is no client oc-none.*: correct adoptId, or remove it/,
    });
    assert.ok(service.requests().every(({ method }) => method !== 'PATCH'));
  });

  it('keeps what somebody changed since the state was written, and records it', async () => {
    const declared = { ...wanted, key: 'ours' };
    const { id, outs = {} } = await create({ ...declared, projectIds: ['prj-one'] });
    await somebody().oauthClients.update(id, { key: 'theirs', projectIds: ['prj-one', 'prj-two'] });
    const news = { ...declared, name: 'Renamed', projectIds: [] };
    const updated = await providers.OAuthClient.update(id, outs, news);
    assert.deepEqual([clients()[0]?.key, clients()[0]?.projectIds], ['theirs', ['prj-two']]);
    assert.deepEqual([updated.outs?.key, updated.outs?.projectIds], ['theirs', ['prj-two']]);
  });

  it('is succeeded by one that carries over what the program leaves out, and does not take it for a match', async () => {
    const { id, outs = {} } = await create(wanted);
    await somebody().oauthClients.update(id, {
      agentPoolId: 'apool-dmz',
      projectIds: ['prj-one'],
      organizationScoped: false,
    });
    const news = { ...wanted, oauthTokenString: 'canary-2' };
    // As with `ignoreChanges`, which the engine does not apply to the inputs of a replacement.
    const last = { ...news, oauthTokenString: 'canary-3' };
    assert.deepEqual(await replacing(id, outs, news, last), { replaces: ['oauthTokenString'] });
    const successor = await create(last);
    const made = clients().find((one) => one.id === successor.id);
    assert.notEqual(successor.id, id);
    assert.deepEqual(
      [made?.agentPoolId, made?.projectIds, made?.organizationScoped],
      ['apool-dmz', ['prj-one'], false],
    );
    // An attachment that the program dropped in the same run is dropped from the successor too.
    const dropped = { organization: 'acme', oauthClientId: id, projectId: 'prj-one' };
    await providers.ProjectAttachment.delete(`${id}/prj-one`, dropped);
    assert.deepEqual(clients().find((one) => one.id === successor.id)?.projectIds, []);
    // A second create with these inputs sees the successor.
    await assert.rejects(create(news), { message: /already has a matching OAuth client/ });
  });

  it('is looked for in a list that is read right before the create', async () => {
    await providers.OAuthClient.read((await create({ ...wanted, name: 'Other' })).id, {
      organization: 'acme',
    });
    await somebody().oauthClients.create('acme', wanted);
    await assert.rejects(create(wanted), { message: /already has a matching OAuth client/ });
  });

  it('is succeeded by what the state has of it where somebody deleted it and it had to go first', async () => {
    const { id, outs = {} } = await create({ ...wanted, agentPoolId: 'apool-dmz', name: 'Old' });
    providers = providersFor(service.url);
    // What feeds it is replaced first, so no client of the program was checked yet.
    const news = { ...wanted, apiUrl: 'https://new.example.com', oauthTokenString: unknownValue };
    await providers.OAuthClient.diff(id, outs, news);
    await somebody().oauthClients.delete(id);
    await providers.OAuthClient.delete(id, outs);
    const successor = await create({ ...wanted, apiUrl: 'https://new.example.com' });
    assert.deepEqual([successor.outs?.agentPoolId, clients().length], ['apool-dmz', 1]);
  });

  it('that has to go first stays where its successor would be refused', async () => {
    const { id, outs = {} } = await create(wanted);
    const other = await somebody().oauthClients.create('acme', { ...wanted, name: 'Other' });
    const refused = [
      [{ name: 'Other' }, /already has a matching OAuth client/],
      [{ adoptId: other.id, httpUrl: 'https://new.example.com' }, /cannot be adopted/],
      [{ adoptId: 'oc-none' }, /there is no client oc-none/],
    ] as const;
    for (const [changes, message] of refused) {
      providers = providersFor(service.url);
      await diff(id, outs, { ...wanted, oauthTokenString: 'canary-2', ...changes });
      await assert.rejects(providers.OAuthClient.delete(id, outs), { message });
    }
    assert.deepEqual(ids(), [id, other.id]);
  });

  it('is replaced by another one that adoptId names, which is left alone when the first one goes', async () => {
    const { id, outs = {} } = await create(wanted);
    const other = await somebody().oauthClients.create('acme', wanted);
    const news = { ...wanted, adoptId: other.id };
    assert.deepEqual(await providers.OAuthClient.check(outs, news), { inputs: news, failures: [] });
    assert.deepEqual(await replacing(id, outs, news), { replaces: ['adoptId'] });
    // An equal client that is replaced in the same run has a successor of its own.
    const third = await somebody().oauthClients.create('acme', { ...wanted, name: 'Third' });
    const equal = { ...wanted, adoptId: third.id };
    await replacing(third.id, { ...outs, ...equal, oauthTokenString: 'old' }, equal);
    await assert.rejects(create(equal), { message: /already has a matching OAuth client/ });
    const adopted = await create(news);
    assert.equal(adopted.id, other.id);
    await providers.OAuthClient.delete(other.id, adopted.outs ?? {});
    assert.match(providers.said.at(-1) ?? '', /stays: another resource has it/);
    await providers.OAuthClient.delete(id, outs);
    assert.deepEqual(ids(), [other.id, third.id]);
    // Gone already.
    await providers.OAuthClient.delete(id, outs);
  });

  it('is not deleted for a resource that goes while another one keeps or changes it', async () => {
    const { id, outs = {} } = await create(wanted);
    const second = await create({ ...wanted, adoptId: id });
    for (const name of ['GitHub', 'Renamed']) {
      providers = providersFor(service.url);
      const news = { ...wanted, name };
      const { changes } = await diff(id, outs, news);
      if (changes !== false) await providers.OAuthClient.update(id, outs, news);
      await providers.OAuthClient.delete(id, second.outs ?? {});
      assert.equal(clients().length, 1);
    }
    providers = providersFor(service.url);
    // A refresh compares what the program does not have any more.
    await providers.OAuthClient.diff(id, outs, wanted);
    await providers.OAuthClient.delete(id, second.outs ?? {});
    assert.equal(clients().length, 0);
  });

  it('that another resource adopts gives its successor what the program leaves out, and keeps its own', async () => {
    const { id, outs = {} } = await create(wanted);
    await somebody().oauthClients.update(id, { organizationScoped: false });
    await somebody().oauthClients.attach(id, ['prj-one']);
    providers = providersFor(service.url);
    const news = { ...wanted, httpUrl: 'https://new.example.com' };
    const old = { ...wanted, adoptId: id };
    await replacing(id, outs, news);
    await providers.OAuthClient.check({}, old);
    const adopted = await create(old);
    const successor = await create(news);
    await providers.OAuthClient.delete(id, outs);
    const projects = () => clients().map(({ projectIds }) => projectIds);
    assert.deepEqual(projects(), [['prj-one'], ['prj-one']]);
    providers = providersFor(service.url);
    await diff(successor.id, successor.outs ?? {}, news);
    await diff(id, adopted.outs ?? {}, old);
    await detach(id);
    assert.deepEqual(projects(), [[], ['prj-one']]);
  });

  it('keeps the projects that it lists when an attachment of one goes', async () => {
    const news = { ...wanted, projectIds: ['prj-one'] };
    const { id, outs = {} } = await create(news);
    providers = providersFor(service.url);
    await diff(id, outs, news);
    await detach(id);
    assert.deepEqual(clients()[0]?.projectIds, ['prj-one']);
  });

  for (const isRetained of [false, true])
    it(`${isRetained ? 'keeps' : 'loses'} in a later process what it got from the ${isRetained ? 'retained' : 'deleted'} client of an attachment that goes`, async () => {
      const { id, outs = {} } = await create(wanted);
      await somebody().oauthClients.attach(id, ['prj-one']);
      let last = { id, outs };
      const run = async (changed: Props) => {
        providers = providersFor(service.url);
        const news = { ...wanted, ...changed };
        const { changes, replaces } = await diff(last.id, last.outs, news);
        if (replaces?.length) {
          await providers.OAuthClient.check({}, news);
          last = { outs: {}, ...(await create(news)) };
        } else if (changes !== false)
          last = { ...last, ...(await providers.OAuthClient.update(last.id, last.outs, news)) };
      };
      await run({ httpUrl: 'https://new.example.com' });
      await run({ httpUrl: 'https://newer.example.com' });
      await run({ httpUrl: 'https://newer.example.com', key: 'new' });
      await run({ httpUrl: 'https://newest.example.com', key: 'new' });
      await detach(id);
      if (!isRetained) await providers.OAuthClient.delete(id, outs);
      assert.deepEqual(clients().at(-1)?.projectIds, isRetained ? ['prj-one'] : []);
    });

  it('that changes is no predecessor of a copy, nor of another client that the program adds', async () => {
    const { id, outs = {} } = await create({ ...wanted, agentPoolId: 'apool-dmz' });
    const refused = { message: /already has a matching OAuth client/ };
    const news = { ...wanted, key: 'new' };
    await replacing(id, outs, news, wanted);
    await assert.rejects(create(wanted), refused);
    await replacing(id, outs, news);
    await providers.OAuthClient.update(id, outs, news);
    await assert.rejects(create(news), refused);
    providers = providersFor(service.url);
    const other = { ...wanted, name: 'Other' };
    await replacing(id, outs, { ...wanted, httpUrl: 'https://new.example.com' }, other);
    const added = await create(other);
    assert.equal(added.outs?.agentPoolId, null);
    // Of two equal ones, a run replaces one, and a preview may not know yet whether they are equal.
    for (const [httpUrl, isRefused] of [
      [unknownValue, false],
      ['https://newest.example.com', true],
    ] as const) {
      await diff(id, outs, { ...wanted, httpUrl });
      const second = diff(added.id, added.outs ?? {}, { ...wanted, httpUrl });
      if (isRefused) await assert.rejects(second, { message: /are equal, so one run cannot replace both/ });
      else await second;
    }
  });

  it('is recorded without what an update may have written, so that the next one writes it again', async () => {
    const { id, outs = {} } = await create({ ...wanted, secret: 'one' });
    service.fault({ how: 'reset-after', method: 'PATCH' });
    const news = { ...wanted, name: 'Two', secret: 'two', projectIds: ['prj-one'] };
    const error = await providers.OAuthClient.update(id, outs, news).catch((reason: unknown) => reason);
    const { properties, reasons } = error as { properties: Props; reasons: string[] };
    const { name, secret, projectIds } = properties;
    assert.deepEqual([name, secret, projectIds, reasons.length], [undefined, undefined, ['prj-one'], 1]);
    assert.notEqual((await diff(id, properties, { ...wanted, secret: 'one' })).changes, false);
  });

  it('is recorded when it was made otherwise than sent, and leaves its projects behind in its organization', async () => {
    await service.close();
    service = await createService({
      profile: 'hcp-terraform',
      seed: {
        organizations: { acme: { projects: { 'prj-one': {} } }, shop: { projects: { 'prj-two': {} } } },
        tokens: { 'owner-token': { acme: 'owner', shop: 'owner' } },
      },
    });
    providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' });
    const inputs = {
      ...wanted,
      serviceProvider: 'github',
      projectIds: ['prj-one', 'prj-two'],
      __provider: 'line',
    };
    const error = await create(inputs).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.match(error.message, /stored other values of oc-\w+ than were sent: projectIds was sent as/);
    const { id, properties, reasons } = error as Error & { id: string; properties: Props; reasons: string[] };
    assert.deepEqual(
      [id, properties.__provider, properties.projectIds],
      [clients()[0]?.id, 'line', ['prj-one']],
    );
    assert.deepEqual(reasons, [error.message]);
    const moved = { ...wanted, serviceProvider: 'github', organization: 'shop' };
    await diff(id, properties, moved);
    assert.deepEqual((await create(moved)).outs?.projectIds, []);
  });

  it('is read from the shared list; what the program did not give is no input', async () => {
    const { id, outs = {} } = await create(wanted);
    const other = await create({ ...wanted, name: 'Other' });
    await somebody().oauthClients.update(id, { name: 'Mine', key: 'theirs' });
    providers = providersFor(service.url);
    service.clearRequests();
    const [read] = await Promise.all([
      providers.OAuthClient.read(id, outs),
      providers.OAuthClient.read(other.id, other.outs ?? {}),
    ]);
    assert.deepEqual(calls(), ['GET 200']);
    assert.deepEqual(read.inputs, { ...wanted, name: 'Mine' });
    assert.deepEqual([read.id, read.props?.name, read.props?.key], [id, 'Mine', 'theirs']);
    assert.equal(read.props?.managed, outs.managed);
  });

  it('is gone only where the whole list and its own page lack it, and where it is not new', async () => {
    const { id, outs = {} } = await create(wanted);
    await somebody().oauthClients.delete(id);
    providers = providersFor(service.url);
    await assert.rejects(providers.OAuthClient.read(id, outs), {
      message: /created less than two minutes ago/,
    });
    const old = { ...outs, createdAt: '2020-01-01T00:00:00.000Z' };
    service.clearRequests();
    assert.deepEqual(await providers.OAuthClient.read(id, old), {});
    assert.deepEqual(calls(), ['GET 404']);
    providers = providersFor(service.url, { 'tether:token': 'reader-token' });
    await assert.rejects(providers.OAuthClient.read(id, old), {
      message: /it is unknown whether oc-\w+ still exists/,
    });
    await assert.rejects(providers.OAuthClient.read('oc-none', { organization: 'acme' }), { message: /404/ });
  });

  it('never moves to another service', async () => {
    const { id, outs = {} } = await create(wanted);
    const other = providersFor('http://127.0.0.1:9/api/v2').OAuthClient;
    const refused = /belongs to http.*, and this provider is configured for http:\/\/127\.0\.0\.1:9\/api\/v2/;
    await assert.rejects(other.diff(id, outs, wanted), { message: refused });
    await assert.rejects(other.read(id, outs), { message: refused });
    await assert.rejects(other.update(id, outs, wanted), { message: refused });
    await assert.rejects(other.delete(id, outs), { message: refused });
  });
});
