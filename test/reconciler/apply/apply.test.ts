/** Applying whole plans against the service over a socket. */
import assert from 'node:assert/strict';
import type { Api } from '../../../client/api';
import { digestSecret } from '../../../service';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld, stepIds } from '../../support/apply-world';

describe('applying a plan', () => {
  let world: ApplyWorld;
  beforeEach(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
  });
  afterEach(() => world.close());

  it('makes everything, names every client, and leaves nothing to do', async () => {
    const { result } = await world.apply();
    assert.deepEqual(result.counts, { done: 8, failed: 0, blocked: 0, 'not-tried': 0 });
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual(oauthClients.map((one) => one.name).sort(), ['GitHub', 'GitLab']);
    assert.equal(runTriggers.length, 3);
    const github = oauthClients.find((one) => one.name === 'GitHub');
    assert.deepEqual([...(github?.projectIds ?? [])].sort(), ['prj-payments', 'prj-shop']);
    assert.equal(github?.agentPoolId, 'apool-dmz');
    assert.equal(world.objects()['OAuthClient/github']?.id, github?.id);
    assert.deepEqual(
      Object.keys(world.objects()).filter((key) => key.startsWith('ProjectAttachment')).length,
      3,
    );
    const text = JSON.stringify(world.ledger);
    assert.ok(!text.includes('canary'), 'no secret in the ledger');
  });

  it('journals the intent before a client is made, and the object as soon as it has an id', async () => {
    await world.apply();
    const events = world.records
      .filter((record) => 'key' in record && record.key === 'OAuthClient/github')
      .map((record) => record.event);
    assert.deepEqual(events, ['intent', 'object']);
  });

  const writesTo = (route: string) =>
    world.service
      .requests()
      .flatMap((one) =>
        one.method !== 'GET' && one.route?.startsWith(route) ? `${one.method} ${one.status}` : [],
      );

  it('makes a client and its attachments in two writes', async () => {
    const { result } = await world.apply();
    assert.deepEqual(writesTo('/organizations'), ['POST 201', 'POST 201']);
    assert.deepEqual(writesTo('/oauth-clients'), ['PATCH 200', 'PATCH 200']);
    assert.ok(result.steps.every(({ status, objectId }) => status === 'done' && objectId !== undefined));
    await world.expectNothing();
  });

  it('attaches projects to a client that is there in one call', async () => {
    const { clients, links } = { clients: acmeClients.replace('    projects: [data]\n', ''), links: '' };
    world.manifest = acmeManifest({ clients, links });
    await world.apply();
    world.service.clearRequests();
    world.manifest = acmeManifest();
    await world.apply();
    assert.deepEqual(writesTo('/oauth-clients'), ['POST 204', 'POST 204']);
  });

  it('gives a client its name alone where a project is refused with it, and attaches the others', async () => {
    world.manifest = acmeManifest().replace('project: shop', 'project: prj-nowhere');
    const { result } = await world.apply({}, { concurrency: 1 });
    const failed = result.steps.filter(({ status }) => status !== 'done');
    assert.deepEqual(
      failed.map(({ step }) => step),
      ['create ProjectAttachment/github/prj-nowhere'],
    );
    assert.match(failed[0]?.message ?? '', /422/);
    const github = world.service.snapshot().oauthClients.find(({ name }) => name === 'GitHub');
    assert.deepEqual(github?.projectIds, ['prj-payments']);
    assert.deepEqual(world.ledger.pending, {});
    world.manifest = acmeManifest().replace('project: shop', 'project: data');
    await world.apply();
    await world.expectNothing();
  });

  it('attaches what the answer to a name lacks in a call of its own', async () => {
    const { oauthClients } = world.api;
    const forgetful: Api = {
      ...world.api,
      oauthClients: {
        ...oauthClients,
        update: (id, { projectIds: _, ...rest }) => oauthClients.update(id, rest),
      },
    };
    const { result } = await world.apply({}, { api: forgetful });
    assert.equal(result.counts.done, result.steps.length);
    assert.deepEqual(writesTo('/oauth-clients').sort(), ['PATCH 200', 'PATCH 200', 'POST 204', 'POST 204']);
    await world.expectNothing();
  });

  it('changes in place only what differs and sends the agent pool along', async () => {
    await world.apply();
    world.manifest = acmeManifest({ clients: acmeClients.replace('name: GitLab', 'name: Lab') });
    const { result } = await world.apply();
    assert.deepEqual(result.counts.done, 1);
    assert.ok(world.service.snapshot().oauthClients.some((one) => one.name === 'Lab'));
  });

  it('writes a changed secret and stores its digest', async () => {
    await world.apply();
    world.env.GIT_SECRET = 'canary-secret-2';
    const { plan } = await world.apply();
    assert.deepEqual(stepIds(plan), ['update OAuthClient/gitlab']);
    const gitlab = world.service.snapshot().oauthClients.find((one) => one.name === 'GitLab');
    assert.equal(gitlab?.secretDigest, digestSecret('canary-secret-2'));
  });

  it('replaces a client: new one made, attachments moved, the old one destroyed last', async () => {
    await world.apply();
    const old = world.objects()['OAuthClient/github']?.id ?? '';
    world.manifest = acmeManifest({
      clients: acmeClients.replace('httpUrl: https://git.example.com', 'httpUrl: https://git2.example.com'),
    });
    const { result } = await world.apply({ approve: true });
    assert.equal(result.counts.done, result.steps.length);
    const object = world.objects()['OAuthClient/github'];
    assert.notEqual(object?.id, old);
    assert.equal(object?.replaced, old);
    assert.equal(object?.replaces, undefined);
    const { oauthClients } = world.service.snapshot();
    assert.deepEqual(oauthClients.map((one) => one.name).sort(), ['GitHub', 'GitLab']);
    assert.ok(!JSON.stringify(Object.keys(world.objects())).includes(old));
  });

  it('deletes links whose lines are gone and takes them out of the ledger', async () => {
    await world.apply();
    world.manifest = acmeManifest({
      links: `projectAttachments: [{ oauthClient: github, project: shop }]
runTriggers: [{ target: app, source: dns }]
`,
    });
    const { result } = await world.apply();
    assert.equal(result.counts.done, result.steps.length);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
    assert.equal(Object.keys(world.objects()).filter((key) => key.startsWith('RunTrigger')).length, 1);
  });

  it('destroys a client with its attachments in the ledger', async () => {
    await world.apply();
    world.manifest = acmeManifest({
      clients: acmeClients.slice(0, acmeClients.indexOf('  gitlab:')),
    });
    const { result } = await world.apply({ approve: true });
    assert.equal(result.counts.done, result.steps.length);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.name),
      ['GitHub'],
    );
    assert.equal(Object.keys(world.objects()).length, 6);
  });

  it('renames an address in the ledger without a call', async () => {
    await world.apply();
    world.service.clearRequests();
    world.manifest = acmeManifest({
      clients: acmeClients.replace('  github:', '  hub:'),
      links: acmeLinks.replaceAll('oauthClient: github', 'oauthClient: hub'),
    });
    const { plan } = await world.apply();
    assert.deepEqual(stepIds(plan), ['move OAuthClient/hub']);
    assert.ok(world.service.requests().every((one) => one.method === 'GET'));
    assert.ok('OAuthClient/hub' in world.objects());
  });

  it('forgets a client and its attachments without a call', async () => {
    await world.apply();
    world.service.clearRequests();
    world.manifest = acmeManifest({
      clients: acmeClients.slice(0, acmeClients.indexOf('  gitlab:')),
      rest: 'forget: [OAuthClient/gitlab]\n',
    });
    const { plan } = await world.plan();
    await world.applyPlan(plan);
    assert.ok(world.service.requests().every((one) => one.method === 'GET'));
    assert.equal(Object.keys(world.objects()).length, 6);
  });

  it('attaches one project to a client that exists', async () => {
    const one = 'projectAttachments:\n  - { oauthClient: github, project: payments }\n';
    world.manifest = acmeManifest({ links: '' });
    await world.apply();
    world.manifest = acmeManifest({ links: one });
    const { result } = await world.apply();
    assert.deepEqual(
      result.steps.map(({ step, status }) => [step, status]),
      [['create ProjectAttachment/github/payments', 'done']],
    );
  });
});
