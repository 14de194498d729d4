/** Aliases and ids where no list of the service shows names: what is called otherwise there, and what is not there. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { World } from '../../support/world';

const seed: SeedObject = {
  organizations: { acme: { workspaces: { 'ws-1': { name: 'network' }, 'ws-2': { name: 'app' } } } },
  tokens: { 'owner-token': { acme: 'owner' } },
};

describe('without a lookup of names', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(seed);
  });
  afterEach(() => world.close());
  const bare = 'apiVersion: tether/v1\norganization: acme\n';

  it('an alias that has another name there is a warning', async () => {
    const aliases = 'aliases:\n  workspaces:\n    application: ws-2\n    network: ws-1\n';
    world.write(
      'main.tether.yaml',
      `${bare}${aliases}runTriggers: [{ target: application, source: network }]\n`,
    );
    await world.applyAndExpectNothing();
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /alias `application` \(ws-2\) is called `app` there \(main\.tether\.yaml:5:5\)/);
    assert.doesNotMatch(stdout, /alias `network`/);
  });

  it('a name is an error that says what there is instead', async () => {
    world.write(
      'main.tether.yaml',
      `${bare}runTriggers: [{ target: { name: app }, source: { id: ws-1 } }]\n`,
    );
    const { stdout } = await world.expect(1, ['validate']);
    assert.match(stdout, /profile `default` cannot look up names: use an id, or an alias/);
  });

  it('an id that answers 404 is told with its alias, its place and what to check', async () => {
    world.write(
      'main.tether.yaml',
      `${bare}aliases: { workspaces: { app: ws-nope } }\nrunTriggers: [{ target: app, source: ws-none }]\n`,
    );
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(
      stdout,
      /RunTrigger\/app\/ws-none .*Check alias `app` \(main\.tether\.yaml:3:26\): is ws-nope meant, and may the token read its runs/,
    );
  });

  it('an exact set around an id that answers 404 is told alike', async () => {
    world.write(
      'main.tether.yaml',
      `${bare}aliases: { workspaces: { app: ws-nope } }\nrunTriggers: [{ target: app, sources: [] }]\n`,
    );
    const { stdout } = await world.expect(1, ['plan']);
    assert.match(stdout, /the sources of app .*Check alias `app` \(main\.tether\.yaml:3:26\): is ws-nope/);
  });
});
