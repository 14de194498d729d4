/** An address is renamed in the same apply that makes its client anew: what refers to it goes to the new client. */
import assert from 'node:assert/strict';
import { noncePrefix } from '../../../resources/names';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld, stepIds } from '../../support/apply-world';

const renamed = acmeClients.replace('  github:', '  hub:');
const links = acmeLinks.replaceAll('oauthClient: github', 'oauthClient: hub');
const rest = 'moved: [{ from: OAuthClient/github, to: OAuthClient/hub }]\n';

describe('a client that is renamed and made anew at once', () => {
  let world: ApplyWorld;
  let old: string;
  beforeEach(async () => {
    world = await ApplyWorld.start(acmeSeed());
    world.manifest = acmeManifest();
    await world.apply();
    old = world.objects()['OAuthClient/github']?.id ?? '';
  });
  afterEach(() => world.close());

  const attached = (): readonly string[] => {
    const id = world.objects()['OAuthClient/hub']?.id;
    assert.notEqual(id, old);
    return [...(world.service.snapshot().oauthClients.find((one) => one.id === id)?.projectIds ?? [])].sort();
  };

  it('has its attachments when it was replaced', async () => {
    const clients = renamed.replace('httpUrl: https://git.example.com', 'httpUrl: https://git2.example.com');
    world.manifest = acmeManifest({ clients, links, rest });
    const { result } = await world.apply({ approve: true });
    assert.equal(result.counts.done, result.steps.length);
    assert.deepEqual(attached(), ['prj-payments', 'prj-shop']);
  });

  it('has its attachments when somebody had destroyed it', async () => {
    await world.api.oauthClients.delete(old);
    world.manifest = acmeManifest({ clients: renamed, links, rest });
    const { result } = await world.apply();
    assert.equal(result.counts.done, result.steps.length);
    assert.deepEqual(attached(), ['prj-payments', 'prj-shop']);
  });

  for (const leaves of ['nothing', 'an object'] as const) {
    for (const how of ['replaced', 'destroyed by somebody'] as const) {
      it(`takes an address whose interrupted create left ${leaves}, when it was ${how}`, async () => {
        const nonce = `${noncePrefix('acme', 'OAuthClient/hub')}00000000feed`;
        const body = {
          serviceProvider: 'provider_a',
          httpUrl: 'https://x.test',
          apiUrl: 'https://x.test/api',
        };
        if (leaves === 'an object') await world.api.oauthClients.create('acme', { ...body, name: nonce });
        const { ledger } = world;
        const pending = { 'OAuthClient/hub': { kind: 'OAuthClient', nonce, hash: 'of something else' } };
        world.ledger = { ...ledger, pending };
        if (how !== 'replaced') await world.api.oauthClients.delete(old);
        const clients = how === 'replaced' ? renamed.replace('//git.example', '//git2.example') : renamed;
        world.manifest = acmeManifest({ clients, links, rest });
        const { result } = await world.apply({ approve: true });
        assert.equal(result.counts.done, result.steps.length);
        assert.deepEqual(attached(), ['prj-payments', 'prj-shop']);
        const there = world.service.snapshot().oauthClients;
        assert.deepEqual(there.map((one) => one.name).sort(), ['GitHub', 'GitLab']);
      });
    }
  }
});

describe('a client that a manifest names by its id, and that somebody destroyed', () => {
  it('is a mistake of that line, and is made again without it', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      const old = world.objects()['OAuthClient/github']?.id ?? '';
      world.manifest = acmeManifest({
        clients: acmeClients.replace('  github:\n', `  github:\n    id: ${old}\n`),
      });
      await world.api.oauthClients.delete(old);
      const { plan } = await world.plan();
      assert.deepEqual(stepIds(plan), []);
      assert.ok(plan.problems.some(({ rule }) => rule === 'id-absent'));
      world.manifest = acmeManifest();
      const { result } = await world.apply();
      assert.equal(result.counts.done, result.steps.length);
      assert.notEqual(world.objects()['OAuthClient/github']?.id, old);
    } finally {
      await world.close();
    }
  });
});

describe('a client that is let go while a line keeps a link to its id', () => {
  it('is out of the ledger, and the link is in it', async () => {
    const world = await ApplyWorld.start(acmeSeed());
    try {
      world.manifest = acmeManifest();
      await world.apply();
      const id = world.objects()['OAuthClient/gitlab']?.id ?? '';
      world.manifest = acmeManifest({
        clients: acmeClients.slice(0, acmeClients.indexOf('  gitlab:')),
        links: acmeLinks.replace('runTriggers', `  - { oauthClient: ${id}, project: data }\nrunTriggers`),
        rest: 'forget: [OAuthClient/gitlab]\n',
      });
      await world.apply();
      assert.deepEqual(
        Object.keys(world.objects()).filter((key) => key.includes(id)),
        [`ProjectAttachment/${id}/prj-data`],
      );
      assert.equal(world.objects()['OAuthClient/gitlab'], undefined);
    } finally {
      await world.close();
    }
  });
});
