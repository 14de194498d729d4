/** An address is renamed in the same apply that makes its client anew: what refers to it goes to the new client. */
import assert from 'node:assert/strict';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../../support/acme';
import { ApplyWorld } from '../../support/apply-world';

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
    const { result } = await world.apply({ allowReplace: ['OAuthClient/hub'] });
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
});
