/** How often a client is looked at before it is deleted: once, by the plan where nobody is asked in between, else right before. */
import assert from 'node:assert/strict';
import type { Look } from '../../../observation/evidence';
import { acmeHead, acmeSeed } from '../../support/acme';
import { ApplyWorld } from '../../support/apply-world';
import { head, World } from '../../support/world';

const client = `oauthClients:
  github:
    name: GitHub
    serviceProvider: github
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api/v3
    oauthTokenString: { fromEnv: GIT_TOKEN }
`;
const profile = 'hcp-terraform';

describe('a client that is destroyed where the service tells what uses it', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(undefined, { profile });
    world.write('main.tether.yaml', `profile: ${profile}\n${head}${client}`);
    await world.applyAndExpectNothing();
    await world.approve(['destroy']);
    world.writes();
  });
  afterEach(() => world.close());

  const looks = () => world.service.requests().filter(({ route }) => route === '/oauth-clients/:id');

  it('is looked at once with --yes', async () => {
    await world.expect(0, ['destroy', '--yes']);
    assert.deepEqual(
      looks().map(({ method }) => method),
      ['GET', 'DELETE'],
    );
    assert.deepEqual(world.service.snapshot().oauthClients, []);
  });

  it('is looked at again after a question, and stays where somebody changed it meanwhile', async () => {
    const [{ id = '' } = {}] = world.service.snapshot().oauthClients;
    const ended = await world.here(['destroy'], {
      ask: async () => {
        await world.somebody.oauthClients.update(id, { name: 'Theirs' });
        return true;
      },
    });
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /name was "GitHub" and is "Theirs"/);
    assert.equal(world.service.snapshot().oauthClients.length, 1);
  });
});

describe('what a plan saw of a client that goes', () => {
  let world: ApplyWorld;
  beforeEach(async () => {
    world = await ApplyWorld.start(acmeSeed(), { profile });
    world.manifest = `profile: ${profile}\n${acmeHead}${client}`;
    await world.apply();
    world.manifest = `profile: ${profile}\n${acmeHead}`;
  });
  afterEach(() => world.close());

  const destroy = async (change: (look: Look) => Look) => {
    const { plan, looks } = await world.plan({ approve: true });
    world.service.clearRequests();
    const changed = new Map([...looks].map(([id, look]) => [id, change(look)]));
    assert.equal(changed.size, 1);
    const { counts } = await world.applyPlan(plan, { looks: changed });
    return [
      counts.done,
      world.service
        .requests()
        .map(({ method }) => method)
        .join(' '),
    ];
  };

  it('counts for half a minute', async () => {
    assert.deepEqual(await destroy((look) => ({ ...look, at: look.at - 31_000 })), [1, 'GET DELETE']);
  });

  it('is enough until then', async () => {
    assert.deepEqual(await destroy((look) => look), [1, 'DELETE']);
  });

  it('keeps it where that is not what the list showed', async () => {
    const other = (look: Look) => ({ ...look, values: { ...look.values, name: 'Theirs' } });
    assert.deepEqual(await destroy(other), [0, '']);
  });
});
