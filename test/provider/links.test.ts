/** Project attachments and run triggers under Pulumi, against the embedded service. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { createService, type Service } from '../../service';
import { body, seed } from '../support/client-and-service';
import { type Providers, providersFor } from '../support/provider-session';

const pair = { workspaceId: 'ws-app', sourceableId: 'ws-network' };

describe('links under Pulumi', () => {
  let service: Service;
  let providers: Providers;
  let clientId: string;
  beforeEach(async () => {
    service = await createService({ seed });
    providers = providersFor(service.url);
    clientId = (await somebody().oauthClients.create('acme', body)).id;
    service.clearRequests();
  });
  afterEach(() => service.close());

  const somebody = () => createClient({ address: service.url, token: 'owner-token', rate: 100_000 });
  const calls = () => service.requests().map(({ method, status }) => `${method} ${status}`);
  const triggers = () => service.snapshot().runTriggers.length;
  const projects = () => service.snapshot().oauthClients[0]?.projectIds;
  const attachment = (projectId: string) => ({ oauthClientId: clientId, projectId });

  it('stay when a set or the projects of a client take them over in the same run', async () => {
    const old = await providers.RunTrigger.create(pair);
    const attached = await providers.ProjectAttachment.create(attachment('prj-one'));
    const client = { ...body, organization: 'acme', adoptId: clientId };
    const { outs = {} } = await providers.OAuthClient.create(client);
    providers = providersFor(service.url);
    const set = { workspaceId: 'ws-app', sourceableIds: ['ws-network'] };
    await providers.InboundRunTriggers.check({}, set);
    await providers.InboundRunTriggers.create(set);
    const news = { ...client, projectIds: ['prj-one'] };
    await providers.OAuthClient.check(outs, news);
    await providers.OAuthClient.diff(clientId, outs, news);
    await providers.OAuthClient.update(clientId, outs, news);
    await providers.RunTrigger.delete(old.id, old.outs ?? {});
    await providers.ProjectAttachment.delete(attached.id, attached.outs ?? {});
    assert.deepEqual([triggers(), projects()], [1, ['prj-one']]);
    assert.deepEqual(
      providers.printed.slice(-2),
      [old.id, attached.id].map((id) => `${id} was not deleted, because a resource of this program has it`),
    );
  });

  it('stay when a client that the same run adopts has them in its projects', async () => {
    const attached = await providers.ProjectAttachment.create(attachment('prj-one'));
    providers = providersFor(service.url);
    const client = { ...body, organization: 'acme', adoptId: clientId, projectIds: ['prj-one'] };
    await providers.OAuthClient.check({}, client);
    await providers.OAuthClient.create(client);
    await providers.ProjectAttachment.delete(attached.id, attached.outs ?? {});
    assert.deepEqual(projects(), ['prj-one']);
  });

  it('that a trigger and a set declare are made once, and only what existed before the run is called adopted', async () => {
    const { InboundRunTriggers, RunTrigger, printed } = providers;
    const set = { workspaceId: 'ws-app', sourceableIds: ['ws-network'] };
    await Promise.all([RunTrigger.create(pair), RunTrigger.create(pair), InboundRunTriggers.create(set)]);
    await InboundRunTriggers.create(set);
    assert.deepEqual([triggers(), printed], [1, []]);
  });

  it('that were deleted in the same run are made again, and not taken from an older list', async () => {
    const { id } = await somebody().runTriggers.create('ws-app', 'ws-network');
    await providers.RunTrigger.create({ ...pair, sourceableId: 'ws-w1' });
    await providers.RunTrigger.delete(id, pair);
    assert.equal(triggers(), 1);
    assert.notEqual((await providers.RunTrigger.create(pair)).id, id);
    assert.equal(triggers(), 2);
  });

  it('of one client ask once for its organization, and not at all for a client that the run made', async () => {
    const { ProjectAttachment } = providers;
    const ids = ['prj-one', 'prj-two'];
    await Promise.all(ids.map((projectId) => ProjectAttachment.create(attachment(projectId))));
    assert.deepEqual(calls().sort(), ['GET 200', 'POST 204', 'POST 204']);
    const { id } = await providers.OAuthClient.create({ ...body, name: 'New', organization: 'acme' });
    service.clearRequests();
    await ProjectAttachment.create({ oauthClientId: id, projectId: 'prj-one' });
    assert.deepEqual(calls(), ['POST 204']);
  });

  it('fail with a message that no CI runner executes', async () => {
    const detail = '##vso[task.setvariable variable=x]y';
    const body = JSON.stringify({ errors: [{ detail }] });
    service.fault({ method: 'POST', how: 'status', status: 422, body });
    await assert.rejects(providers.RunTrigger.create(pair), { message: /\\u\{23\}#vso\[task/ });
  });

  it('are replaced by every change, without room for both the old one first', async () => {
    const { outs = {} } = await providers.RunTrigger.create(pair);
    const limited = providersFor(service.url, { 'tether:profile': 'hcp-terraform' });
    const diff = ({ RunTrigger }: Providers, change: object) =>
      RunTrigger.diff('rt-1', outs, { ...pair, ...change });
    const [source, target] = [{ sourceableId: 'ws-w1' }, { workspaceId: 'ws-w1' }];
    const replaces = ['sourceableId'];
    assert.deepEqual(await diff(providers, source), { replaces, deleteBeforeReplace: false });
    assert.deepEqual(await diff(limited, source), { replaces, deleteBeforeReplace: true });
    assert.equal((await diff(limited, target)).deleteBeforeReplace, false);
  });

  it('are read from lists that all share; another trigger of the pair counts, and one that is gone is gone', async () => {
    const createdTriggers = await Promise.all(
      ['ws-network', 'ws-w1', 'ws-w2'].map((sourceableId) =>
        providers.RunTrigger.create({ ...pair, sourceableId }),
      ),
    );
    const attachmentState = await providers.ProjectAttachment.create(attachment('prj-one'));
    const [missing, recreated, unchanged] = createdTriggers;
    await somebody().runTriggers.delete(missing?.id ?? '');
    await somebody().runTriggers.delete(recreated?.id ?? '');
    const newTrigger = await somebody().runTriggers.create('ws-app', 'ws-w1');
    await somebody().oauthClients.detach(clientId, ['prj-one']);
    providers = providersFor(service.url);
    service.clearRequests();
    const read = await Promise.all(
      createdTriggers.map(({ id, outs }) => providers.RunTrigger.read(id, outs ?? {})),
    );
    assert.deepEqual(
      read.map(({ id }) => id),
      [undefined, newTrigger.id, unchanged?.id],
    );
    assert.deepEqual(read[2]?.inputs, { workspaceId: 'ws-app', sourceableId: 'ws-w2' });
    // One look for each id that the list lacks.
    assert.deepEqual(calls().sort(), ['GET 200', 'GET 404', 'GET 404']);
    assert.deepEqual(
      await providers.ProjectAttachment.read(attachmentState.id, attachmentState.outs ?? {}),
      {},
    );
  });

  it('are not called gone where neither list can be read, and are where one can', async () => {
    const { id, outs = {} } = await providers.RunTrigger.create({
      workspaceId: 'ws-w1',
      sourceableId: 'ws-app',
    });
    const unreadable = await providers.RunTrigger.create({ workspaceId: 'ws-w1', sourceableId: 'ws-w2' });
    providers = providersFor(service.url, { 'tether:token': 'reader-token' });
    assert.equal((await providers.RunTrigger.read(id, outs)).id, id);
    await assert.rejects(providers.RunTrigger.read(unreadable.id, unreadable.outs ?? {}), {
      message: /it is unknown whether rt-/,
    });
    await somebody().runTriggers.delete(id);
    providers = providersFor(service.url, { 'tether:token': 'reader-token' });
    assert.deepEqual(await providers.RunTrigger.read(id, outs), {});
  });
});
