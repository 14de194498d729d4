/** OAuth clients under Pulumi, against the embedded service. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import type { Props } from '../../provider/resource-provider';
import { setMembers } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { createService, type Service } from '../../service';
import { githubFields } from '../support/acme';
import { seed } from '../support/client-and-service';
import { clientDefaults } from '../support/client-values';
import { HandClock } from '../support/hand-clock';
import { type Providers, providersFor } from '../support/provider-session';

const declaredInputs = { organization: 'acme', ...githubFields, oauthTokenString: 'canary-1' };

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
    const { id, outs } = await create(declaredInputs);
    assert.deepEqual(calls(), ['GET 200', 'POST 201']);
    const { createdAt, callbackUrl, connectPath, oauthTokenIds, ...rest } = outs ?? {};
    assert.deepEqual(rest, {
      ...clientDefaults,
      ...declaredInputs,
      key: null,
      rsaPublicKey: null,
      serviceProviderDisplayName: 'Provider A',
      address: service.url,
      managed: 'name,oauthTokenString',
    });
    assert.deepEqual(ids(), [id]);
    assert.ok([createdAt, callbackUrl, connectPath, oauthTokenIds].every((output) => output !== undefined));
  });

  it('has the outputs that the service gives after an update or an adoption that writes', async () => {
    await service.close();
    service = await createService({
      profile: 'hcp-terraform',
      seed: { organizations: { acme: {} }, tokens: { 'owner-token': { acme: 'owner' } } },
    });
    const { oauthTokenString, ...unconnected } = { ...declaredInputs, serviceProvider: 'github' };
    const restart = () => {
      providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' });
    };
    restart();
    const { id, outs = {} } = await create(unconnected);
    assert.deepEqual(outs.oauthTokenIds, []);
    const news = { ...unconnected, oauthTokenString };
    const updated = await providers.OAuthClient.update(id, outs, news);
    assert.equal(setMembers(updated.outs?.oauthTokenIds).length, 1);
    const other = await somebody().oauthClients.create('acme', { ...unconnected, name: 'Other' });
    restart();
    const adopted = await create({ ...news, name: 'Other', adoptId: other.id });
    assert.equal(setMembers(adopted.outs?.oauthTokenIds).length, 1);
  });

  it('may be one of two that adopt ids which a preview does not know yet', async () => {
    const unknown = { ...declaredInputs, adoptId: '04da6b54-80e4-46f7-96ec-b56ff0331ba9' };
    for (const name of ['One', 'Two']) {
      assert.deepEqual((await providers.OAuthClient.check({}, { ...unknown, name })).failures, []);
    }
  });

  it('is known as soon as it is made, also where it was made otherwise than sent', async () => {
    await service.close();
    service = await createService({
      profile: 'hcp-terraform',
      seed: {
        organizations: { acme: {}, shop: { projects: { 'prj-two': {} } } },
        tokens: { 'owner-token': { acme: 'owner' } },
      },
    });
    providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' });
    const inputs = { ...declaredInputs, serviceProvider: 'github' };
    await assert.rejects(create({ ...inputs, projectIds: ['prj-two'] }), {
      message: /was created and recorded/,
    });
    await assert.rejects(create(inputs), { message: /another resource .* has oc-\w+: .* remove one/ });
  });

  it('is refused beside a possible match, whose id and ways out the message gives, until one is written', async () => {
    const match = await somebody().oauthClients.create('acme', declaredInputs);
    const message = new RegExp(
      `^acme already has a matching OAuth client: '${match.id}'\n.*created .*\n.*adoptId: '${match.id}'.*\n.*allowDuplicate: \\['${match.id}'\\].*\n.*aliases`,
    );
    await assert.rejects(create(declaredInputs), { message });
    const error = await create({ ...declaredInputs, allowDuplicate: ['oc-other'] }).catch((reason) => reason);
    assert.match(error.message, message);
    // The SDK prints it so, besides the message.
    assert.equal(`${error}: ${error.stack}`, `tether: ${error.message.split('\n')[0]}`);
    assert.equal(clients().length, 1);
    await create({ ...declaredInputs, allowDuplicate: [match.id] });
    assert.equal(clients().length, 2);
    const adopted = await create({ ...declaredInputs, adoptId: match.id, key: 'new' });
    assert.deepEqual([adopted.id, adopted.outs?.key], [match.id, 'new']);
    assert.equal(clients().length, 2);
    assert.match(`${providers.printed.at(-1)}`, /^oc-\w+: oauthTokenString cannot be changed in place/);
  });

  it('has one resource: another one of the program neither adopts it nor is told to', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    await diff(id, outs, declaredInputs);
    const secondAdoption = create({ ...declaredInputs, adoptId: id });
    await assert.rejects(secondAdoption, { message: /belongs to another resource of this program/ });
    await assert.rejects(create(declaredInputs), {
      message: /another resource .* has oc-\w+: .* remove one/,
    });
    // A resource that goes keeps nothing.
    providers = providersFor(service.url);
    await create({ ...declaredInputs, adoptId: id });
  });

  it('is adopted when the answer to its create is lost, which is printed', async () => {
    service.fault({ how: 'reset-after', method: 'POST', nth: 1 });
    const { id } = await create(declaredInputs);
    assert.deepEqual(ids(), [id]);
    assert.deepEqual(providers.printed, [`${id} was adopted after a lost answer`]);
  });

  it('is adopted too when its POST waited for minutes', async () => {
    const clock = new HandClock();
    await service.close();
    service = await createService({ seed, clock });
    const waiting = { now: () => clock.now(), sleep: async (ms: number) => clock.pass(ms) };
    const options = { address: service.url, token: 'owner-token', deadlineMs: 300_000, clock: waiting };
    Object.defineProperty(providers.session, 'api', { value: createClient(options) });
    const limited = {
      how: 'status',
      method: 'POST',
      status: 429,
      headers: { 'retry-after': '100' },
    } as const;
    service.fault([
      { ...limited, nth: 1 },
      { ...limited, nth: 2 },
      { how: 'reset-after', method: 'POST', nth: 3 },
    ]);
    const key = { organization: 'acme' };
    const { id } = await providers.session.create(oauthClient, key, githubFields, []);
    assert.deepEqual([ids(), providers.printed], [[id], [`${id} was adopted after a lost answer`]]);
  });

  it('is not adopted where a field that never changes differs, or where it belongs to others', async () => {
    const existingClient = await somebody().oauthClients.create('acme', declaredInputs);
    const withOtherUrl = create({
      ...declaredInputs,
      httpUrl: 'https://other.example.com',
      adoptId: existingClient.id,
    });
    await assert.rejects(withOtherUrl, {
      message: /cannot be adopted: its `httpUrl` is "https:\/\/git\.example\.com"/,
    });
    providers = providersFor(service.url);
    const inOtherOrganization = create({
      ...declaredInputs,
      organization: 'shop',
      adoptId: existingClient.id,
    });
    await assert.rejects(inOtherOrganization, { message: /cannot be adopted: its `organization` is "acme"/ });
    providers = providersFor(service.url);
    const { outs } = await create({ ...declaredInputs, organization: 'Acme', adoptId: existingClient.id });
    assert.equal(outs?.organization, 'Acme');
    await assert.rejects(create({ ...declaredInputs, adoptId: 'oc-none' }), {
      message: /there is no client oc-none.*\n.*correct adoptId, or remove it/,
    });
    assert.ok(service.requests().every(({ method }) => method !== 'PATCH'));
  });

  it('keeps what somebody changed since the state was written, which stays a difference for a refresh', async () => {
    const changedInputs = { ...declaredInputs, key: 'ours' };
    const { id, outs = {} } = await create({ ...changedInputs, projectIds: ['prj-one'] });
    await somebody().oauthClients.update(id, { key: 'theirs', projectIds: ['prj-one', 'prj-two'] });
    const news = { ...changedInputs, name: 'Renamed', projectIds: [] };
    // A later program may read the same client with `get`, before and afterwards.
    providers = providersFor(service.url);
    const readAgain = () => providers.OAuthClient.read(id, { organization: 'acme', address: service.url });
    assert.equal((await readAgain()).props?.name, 'GitHub');
    const { outs: state = {} } = await providers.OAuthClient.update(id, outs, news);
    assert.deepEqual([clients()[0]?.key, clients()[0]?.projectIds], ['theirs', ['prj-two']]);
    // The engine recorded the same inputs, so `diff` must not see more than the preview shows.
    assert.deepEqual([state.key, state.projectIds], ['ours', []]);
    assert.equal((await readAgain()).props?.name, 'Renamed');
    await providers.OAuthClient.update(id, state, { ...news, name: 'Third' });
    assert.deepEqual([clients()[0]?.key, clients()[0]?.projectIds], ['theirs', ['prj-two']]);
    const { inputs } = await providersFor(service.url).OAuthClient.read(id, state);
    assert.deepEqual([inputs?.key, inputs?.projectIds], ['theirs', ['prj-two']]);
  });

  it('is written again where the answer to a PATCH of default values was lost, unless that arrived', async () => {
    const named = { ...declaredInputs, organizationScoped: false, agentPoolId: 'apool-dmz' };
    const cleared = { ...named, name: null, organizationScoped: true, agentPoolId: null };
    for (const how of ['reset-before', 'reset-after'] as const) {
      const { id, outs = {} } = await create({ ...named, allowDuplicate: ids() });
      service.fault({ how, method: 'PATCH' });
      const error = await providers.OAuthClient.update(id, outs, cleared).catch((reason: unknown) => reason);
      service.clearFaults();
      const { properties } = error as { properties: Props };
      assert.notEqual((await diff(id, properties, cleared)).changes, false);
      service.clearRequests();
      const { outs: state = {} } = await providers.OAuthClient.update(id, properties, cleared);
      assert.deepEqual(calls(), how === 'reset-before' ? ['GET 200', 'PATCH 200'] : ['GET 200']);
      assert.deepEqual(await diff(id, state, cleared), { replaces: [], changes: false });
      const { name, organizationScoped, agentPoolId } = clients().find((client) => client.id === id) ?? {};
      assert.deepEqual([name, organizationScoped, agentPoolId], [null, true, null]);
    }
  });

  it('gets a project again whose PATCH was not done, and keeps those of others', async () => {
    const news = { ...declaredInputs, projectIds: ['prj-one', 'prj-two'] };
    const { id, outs = {} } = await create({ ...declaredInputs, projectIds: ['prj-one'] });
    service.fault({ how: 'reset-before', method: 'PATCH' });
    const error = await providers.OAuthClient.update(id, outs, news).catch((reason: unknown) => reason);
    service.clearFaults();
    const { properties } = error as { properties: Props };
    assert.notEqual((await diff(id, properties, news)).changes, false);
    service.patchSeed({ organizations: { acme: { projects: { 'prj-three': {} } } } });
    await somebody().oauthClients.attach(id, ['prj-three']);
    const { outs: state = {} } = await providers.OAuthClient.update(id, properties, news);
    assert.deepEqual([...(clients()[0]?.projectIds ?? [])].sort(), ['prj-one', 'prj-three', 'prj-two']);
    assert.deepEqual(await diff(id, state, news), { replaces: [], changes: false });
  });

  it('may be replaced after its recorded inputs were compared, as by `up --refresh --run-program`', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    providers = providersFor(service.url);
    const news = { ...declaredInputs, httpUrl: 'https://new.example.com' };
    await providers.OAuthClient.check({}, { ...declaredInputs, name: 'Another' });
    await diff(id, outs, declaredInputs);
    await providers.OAuthClient.check(outs, news);
    assert.deepEqual((await diff(id, outs, news)).replaces, ['httpUrl']);
    await create(news);
    await providers.OAuthClient.delete(id, outs);
    assert.equal(
      clients().some((client) => client.id === id),
      false,
    );
  });

  it('has one resource: of two new ones that adopt it, the second is refused and writes nothing', async () => {
    const { id } = await somebody().oauthClients.create('acme', declaredInputs);
    const adopts = (key: string, organization: string) =>
      create({ ...declaredInputs, organization, adoptId: id, key });
    const both = [adopts('first', 'acme'), adopts('second', 'Acme')];
    const [first, second] = await Promise.allSettled(both);
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.status, 'fulfilled');
    assert.ok(second.status === 'rejected');
    assert.match(String(second.reason.message), new RegExp(`^${id} belongs to another resource`));
    assert.equal(clients()[0]?.key, 'first');
  });

  it('has one resource: the preview refuses a second one that adopts it, whichever is declared first', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    const refused = { message: new RegExp(`^${id} belongs to another resource of this program`) };
    const adoption = { ...declaredInputs, adoptId: id, key: 'second' };
    providers = providersFor(service.url);
    await diff(id, outs, declaredInputs);
    await assert.rejects(providers.OAuthClient.check({}, adoption), refused);
    providers = providersFor(service.url);
    await providers.OAuthClient.check({}, adoption);
    await assert.rejects(diff(id, outs, declaredInputs), refused);
  });

  it('is made once when two equal resources are created at the same time', async () => {
    const [first, second] = await Promise.allSettled([create(declaredInputs), create(declaredInputs)]);
    assert.deepEqual([first.status, clients().length], ['fulfilled', 1]);
    assert.ok(second.status === 'rejected');
    assert.match(String(second.reason.message), /another resource of this program has oc-\w+: .* remove one/);
  });

  it('that nobody connected says so once, with the URL to open', async () => {
    const { oauthTokenString: _, ...inputs } = declaredInputs;
    const { id } = await create(inputs);
    const line = new RegExp(
      `^${id}: not authorized yet: open http://127.0.0.1:.* to complete the OAuth connection$`,
    );
    assert.match(providers.printed.join(), line);
    await create({ ...declaredInputs, name: 'Connected' });
    assert.equal(providers.printed.length, 1);
  });

  it('is succeeded by one that has what the program says, and does not take its predecessor for a match', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    await somebody().oauthClients.update(id, { key: 'theirs', projectIds: ['prj-one'] });
    const news = { ...declaredInputs, oauthTokenString: 'canary-2' };
    // As with `ignoreChanges`, which the engine does not apply to the inputs of a replacement.
    const lastInputs = { ...news, oauthTokenString: 'canary-3' };
    assert.deepEqual(await replacing(id, outs, news, lastInputs), { replaces: ['oauthTokenString'] });
    const successor = await create(lastInputs);
    const newClient = clients().find((client) => client.id === successor.id);
    assert.notEqual(successor.id, id);
    assert.deepEqual([newClient?.key, newClient?.projectIds], [null, []]);
    // A second create with these inputs sees the successor.
    await assert.rejects(create(news), { message: /already has a matching OAuth client/ });
  });

  it('is not succeeded by one that more projects could use, or without its agent pool, unless the program says so', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    const narrow = { organizationScoped: false, agentPoolId: 'apool-dmz' };
    await somebody().oauthClients.update(id, narrow);
    const news = { ...declaredInputs, oauthTokenString: 'canary-2' };
    const message =
      /^oc-\w+ is replaced, .*\n.*organizationScoped: false, or true .*\n.*agentPoolId: 'apool-dmz', or null/;
    // The state does not know it yet, so the preview succeeds.
    await replacing(id, outs, news);
    await assert.rejects(create(news), { message });
    assert.deepEqual(ids(), [id]);
    const { props = {} } = await providersFor(service.url).OAuthClient.read(id, outs);
    await assert.rejects(diff(id, props, news), { message });
    const elsewhere = { ...news, organization: 'shop' };
    await assert.rejects(diff(id, props, elsewhere), {
      message: /organizationScoped: false, or true [^\n]*$/,
    });
    const complete = { ...news, organizationScoped: false, agentPoolId: null };
    await replacing(id, props, complete);
    const { outs: state } = await create(complete);
    assert.deepEqual([state?.organizationScoped, state?.agentPoolId], [false, null]);
  });

  it('is narrowed in the same call that attaches the projects of the program', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    service.clearRequests();
    const news = { ...declaredInputs, organizationScoped: false, projectIds: ['prj-one'] };
    await providers.OAuthClient.update(id, outs, news);
    assert.deepEqual(calls(), ['GET 200', 'PATCH 200']);
    assert.deepEqual([clients()[0]?.organizationScoped, clients()[0]?.projectIds], [false, ['prj-one']]);
  });

  it('is looked for in a list that is read right before the create', async () => {
    await providers.OAuthClient.read((await create({ ...declaredInputs, name: 'Other' })).id, {
      organization: 'acme',
    });
    await somebody().oauthClients.create('acme', declaredInputs);
    await assert.rejects(create(declaredInputs), { message: /already has a matching OAuth client/ });
  });

  it('is replaced by another one that adoptId names, which is left alone when the first one goes', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    providers = providersFor(service.url);
    const namedClient = await somebody().oauthClients.create('acme', declaredInputs);
    const news = { ...declaredInputs, adoptId: namedClient.id };
    assert.deepEqual(await providers.OAuthClient.check(outs, news), { inputs: news, failures: [] });
    assert.deepEqual(await replacing(id, outs, news), { replaces: ['adoptId'] });
    // An equal client that is replaced in the same run has a successor of its own.
    const equalClient = await somebody().oauthClients.create('acme', { ...declaredInputs, name: 'Third' });
    const equalInputs = { ...declaredInputs, adoptId: equalClient.id };
    await replacing(equalClient.id, { ...outs, ...equalInputs, oauthTokenString: 'old' }, equalInputs);
    await assert.rejects(create(equalInputs), { message: /already has a matching OAuth client/ });
    const adopted = await create(news);
    assert.equal(adopted.id, namedClient.id);
    await providers.OAuthClient.delete(namedClient.id, adopted.outs ?? {});
    assert.match(
      providers.printed.at(-1) ?? '',
      /was not deleted, because a resource of this program has it/,
    );
    await providers.OAuthClient.delete(id, outs);
    assert.deepEqual(ids(), [namedClient.id, equalClient.id]);
    // Gone already.
    await providers.OAuthClient.delete(id, outs);
  });

  it('is not deleted for a resource that goes while another one keeps or changes it', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    const secondResource = await providersFor(service.url).OAuthClient.create({
      ...declaredInputs,
      adoptId: id,
    });
    for (const name of ['GitHub', 'Renamed']) {
      providers = providersFor(service.url);
      const news = { ...declaredInputs, name };
      const { changes } = await diff(id, outs, news);
      if (changes !== false) await providers.OAuthClient.update(id, outs, news);
      await providers.OAuthClient.delete(id, secondResource.outs ?? {});
      assert.equal(clients().length, 1);
    }
    providers = providersFor(service.url);
    // A refresh compares what the program does not have any more.
    await providers.OAuthClient.diff(id, outs, declaredInputs);
    await providers.OAuthClient.delete(id, secondResource.outs ?? {});
    assert.equal(clients().length, 0);
  });

  it('is recorded without what an update may have written, so that the next one writes it again', async () => {
    const { id, outs = {} } = await create({ ...declaredInputs, secret: 'one', __provider: 'line' });
    service.fault({ how: 'reset-after', method: 'PATCH' });
    const news = { ...declaredInputs, name: 'Two', secret: 'two', projectIds: ['prj-one'] };
    const error = await providers.OAuthClient.update(id, outs, news).catch((reason: unknown) => reason);
    const { properties, reasons } = error as { properties: Props; reasons: string[] };
    const { name, secret, projectIds, __provider } = properties;
    assert.deepEqual([name, secret, projectIds, reasons.length], [undefined, undefined, ['prj-one'], 1]);
    assert.equal(__provider, 'line');
    assert.notEqual((await diff(id, properties, { ...declaredInputs, secret: 'one' })).changes, false);
  });

  it('that changes is no predecessor of a copy that the program adds', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    providers = providersFor(service.url);
    const refused = { message: /already has a matching OAuth client/ };
    const news = { ...declaredInputs, key: 'new' };
    await diff(id, outs, news);
    await assert.rejects(create(declaredInputs), refused);
    await providers.OAuthClient.update(id, outs, news);
    await assert.rejects(create(news), refused);
  });

  it('is recorded when it was made otherwise than sent', async () => {
    await service.close();
    service = await createService({
      profile: 'hcp-terraform',
      seed: {
        organizations: { acme: { projects: { 'prj-one': {} } }, shop: { projects: { 'prj-two': {} } } },
        tokens: { 'owner-token': { acme: 'owner' } },
      },
    });
    providers = providersFor(service.url, { 'tether:profile': 'hcp-terraform' });
    const inputs = {
      ...declaredInputs,
      serviceProvider: 'github',
      projectIds: ['prj-one', 'prj-two'],
      __provider: 'line',
    };
    const error = await create(inputs).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.match(error.message, /stored other values of oc-\w+ than were sent: projectIds\. Projects/);
    const { id, properties, reasons } = error as Error & { id: string; properties: Props; reasons: string[] };
    assert.deepEqual(
      [id, properties.__provider, properties.projectIds],
      [clients()[0]?.id, 'line', ['prj-one']],
    );
    assert.deepEqual(reasons, [error.message]);
  });

  it('is read from the shared list; what the program did not give is no input', async () => {
    const { id, outs = {} } = await create(declaredInputs);
    const other = await create({ ...declaredInputs, name: 'Other' });
    await somebody().oauthClients.update(id, { name: 'Mine', key: 'theirs' });
    providers = providersFor(service.url);
    service.clearRequests();
    const [read] = await Promise.all([
      providers.OAuthClient.read(id, outs),
      providers.OAuthClient.read(other.id, other.outs ?? {}),
    ]);
    assert.deepEqual(calls(), ['GET 200']);
    assert.deepEqual(read.inputs, { ...declaredInputs, name: 'Mine' });
    assert.deepEqual([read.id, read.props?.name, read.props?.key], [id, 'Mine', 'theirs']);
    assert.equal(read.props?.managed, outs.managed);
  });

  it('is gone only where the whole list and its own page lack it, and where it is not new', async () => {
    const { id, outs = {} } = await create(declaredInputs);
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
    const { id, outs = {} } = await create(declaredInputs);
    const other = providersFor('http://127.0.0.1:9/api/v2').OAuthClient;
    const refused = /belongs to http.*, and this provider is configured for http:\/\/127\.0\.0\.1:9\/api\/v2/;
    await assert.rejects(other.diff(id, outs, declaredInputs), { message: refused });
    await assert.rejects(other.read(id, outs), { message: refused });
    await assert.rejects(other.update(id, outs, declaredInputs), { message: refused });
    await assert.rejects(other.delete(id, outs), { message: refused });
  });
});
