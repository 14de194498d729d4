/** A replacement is cut off before the old client goes, then somebody changes their mind: nothing is lost, nothing stays behind. */
import assert from 'node:assert/strict';
import { acmeClients, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld } from '../../support/apply-world';

const withUrl = (url: string): string =>
  acmeClients.replace('httpUrl: https://git.example.com', `httpUrl: ${url}`);
const withoutGithub = `oauthClients:\n${acmeClients.slice(acmeClients.indexOf('  gitlab:'))}`;
const triggersOnly = 'runTriggers:\n  - { target: docs, source: app }\n';
const approved = { approve: true } as const;

describe('after a replacement that was cut off before the old client went', () => {
  let world: ApplyWorld;
  let old: string;
  beforeEach(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
    await world.apply();
    old = world.objects()['OAuthClient/github']?.id ?? '';
    world.manifest = acmeManifest({ clients: withUrl('https://git2.example.com') });
    world.service.fault({
      method: 'DELETE',
      route: '/oauth-clients/:id',
      how: 'status',
      status: 422,
      nth: 1,
    });
    const { result } = await world.apply(approved);
    assert.deepEqual([result.counts.failed, world.objects()['OAuthClient/github']?.replaces], [1, old]);
    world.service.clearFaults();
  });
  afterEach(() => world.close());

  const urls = (): (string | null)[] => {
    const clients = world.service.snapshot().oauthClients.filter((one) => one.name === 'GitHub');
    return clients.map((one) => one.httpUrl);
  };

  it('the same manifest ends it', async () => {
    const { result } = await world.apply();
    assert.deepEqual([result.counts.failed, urls()], [0, ['https://git2.example.com']]);
  });

  for (const [what, url] of [
    ['another edit', 'https://git3.example.com'],
    ['going back', 'https://git.example.com'],
  ] as const) {
    it(`${what} replaces once more and leaves one client with its attachments`, async () => {
      world.manifest = acmeManifest({ clients: withUrl(url) });
      const { result } = await world.apply(approved);
      assert.deepEqual([result.counts.failed, result.counts.blocked, urls()], [0, 0, [url]]);
      const client = world.service.snapshot().oauthClients.find((one) => one.name === 'GitHub');
      assert.deepEqual([...(client?.projectIds ?? [])].sort(), ['prj-payments', 'prj-shop']);
    });
  }

  it('taking the entry away destroys both', async () => {
    world.manifest = acmeManifest({ clients: withoutGithub, links: triggersOnly });
    const { result } = await world.apply({ ...approved, maxDeletes: 10 });
    assert.deepEqual([result.counts.failed, urls()], [0, []]);
    assert.ok(!JSON.stringify(world.objects()).includes(old));
  });

  it('taking it away keeps the old one in the ledger for as long as it cannot be destroyed', async () => {
    world.manifest = acmeManifest({ clients: withoutGithub, links: triggersOnly });
    world.service.fault({
      method: 'DELETE',
      route: '/oauth-clients/:id',
      how: 'status',
      status: 422,
      nth: 1,
    });
    const { result } = await world.apply({ ...approved, maxDeletes: 10 });
    assert.deepEqual([result.counts.failed, result.counts.blocked], [1, 1]);
    world.service.clearFaults();
    await world.apply({ ...approved, maxDeletes: 10 });
    assert.deepEqual(urls(), []);
  });

  it('the new one is made again when it was destroyed by hand, and the old one goes', async () => {
    await world.api.oauthClients.delete(world.objects()['OAuthClient/github']?.id ?? '');
    world.service.fault({
      method: 'DELETE',
      route: '/oauth-clients/:id',
      how: 'status',
      status: 422,
      nth: 1,
    });
    const { result } = await world.apply(approved);
    assert.deepEqual([result.counts.failed, world.objects()['OAuthClient/github']?.replaces], [1, old]);
    world.service.clearFaults();
    await world.apply(approved);
    assert.deepEqual(urls(), ['https://git2.example.com']);
  });
});

describe('a replacement of a client that somebody changed since it was planned', () => {
  it('makes nothing, for what it would carry over is old', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      const id = world.objects()['OAuthClient/github']?.id ?? '';
      world.manifest = acmeManifest({ clients: withUrl('https://git2.example.com') });
      const { plan } = await world.plan(approved);
      await world.api.oauthClients.update(id, { key: 'theirs' });
      const result = await world.applyPlan(plan);
      const step = result.steps.find((one) => one.step === 'replace OAuthClient/github');
      assert.match(step?.message ?? '', /key was null and is "theirs". Nothing was written/);
      assert.equal(world.service.snapshot().oauthClients.length, 2);
    } finally {
      await world.close();
    }
  });
});
