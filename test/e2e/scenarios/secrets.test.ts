/** Secrets that change, that the service takes only in a create, and that are not at hand: what is said, and what helps. */
import assert from 'node:assert/strict';
import { acme, bareHead, github, head, World } from '../../support/world';

const adopted = (id: string, text: string) => text.replace('    name:', `    id: ${id}\n    name:`);
const unset = { env: { GIT_TOKEN: '' } };
const rotated = { env: { GIT_TOKEN: 'rotated-secret-canary' } };
const inPlace = github.replace('oauthTokenString', 'secret');

describe('a secret', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  async function apply(text: string) {
    world.write('main.tether.yaml', head + text);
    await world.applyAndExpectNothing();
    return world.service.snapshot().oauthClients[0]?.id ?? '';
  }

  it('that only a create takes is not written by --write-secrets, which says so and what does', async () => {
    await apply(github);
    const { stdout } = await world.expect(0, ['plan', '--write-secrets']);
    assert.match(stdout, /secret not written: oauthTokenString \(this service takes it only in a create/);
    assert.match(stdout, /^No changes\./m);
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /Notes/);
  });

  it('that was adopted unseen and only a create takes leads out: a second client takes over, the first is removed', async () => {
    const id = await world.somebody.oauthClients
      .create('acme', {
        serviceProvider: 'provider_a',
        name: 'GitHub',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api/v3',
      })
      .then((made) => made.id);
    await apply(adopted(id, github));
    for (const args of [['plan'], ['plan', '--write-secrets']]) {
      const { stdout } = await world.expect(0, args);
      assert.match(
        stdout,
        /secret not verified: oauthTokenString \(never written by Tether; .*second client/,
      );
      assert.doesNotMatch(stdout, /--write-secrets writes/);
    }
    const second = github.replace('github:', 'github-2:').replace('GitHub', 'GitHub 2');
    const beside = `${second.replace('oauthClients:\n', '')}    allowDuplicate: true\n`;
    await apply(adopted(id, github) + beside);
    assert.equal(world.service.snapshot().oauthClients.length, 2);
    world.write('main.tether.yaml', `${head}oauthClients:\n${beside}`);
    await world.approve(['apply', '--yes']);
    await world.expect(0, ['apply', '--yes']);
    world.remove('approved.tether.yaml');
    assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /not verified|Warnings/);
    assert.deepEqual(
      world.service.snapshot().oauthClients.map((one) => one.name),
      ['GitHub 2'],
    );
  });

  it('is called changed only when it changed', async () => {
    await apply(inPlace);
    const same = await world.expect(0, ['plan', '--write-secrets']);
    assert.match(same.stdout, /its secrets are written because --write-secrets was given/);
    assert.match(same.stdout, /secret +\(secret, unchanged, written again\)/);
    assert.doesNotMatch(same.stdout, /the value of a secret changed|secret, changed/);
    const other = await world.expect(0, ['plan', '--write-secrets'], rotated);
    assert.match(other.stdout, /the value of a secret changed/);
    const hidden = await world.expect(0, ['plan', '--write-secrets'], unset);
    assert.match(hidden.stdout, /secret +\(secret, not compared\)/);
    assert.match(hidden.stdout, /apply will also need: secret \(environment variable GIT_TOKEN\)/);
  });

  it('that may replace its client says so where its value is not at hand, with the line that approves it', async () => {
    const id = await apply(github);
    const line = `- { replace: OAuthClient/github, id: ${id} }`;
    const { stdout } = await world.expect(0, ['plan'], unset);
    assert.match(stdout, /not compared: oauthTokenString \(environment variable GIT_TOKEN is not at hand\)/);
    assert.match(stdout, /If it changed, apply replaces the client, which needs this line under `approved:`/);
    assert.ok(stdout.includes(line), stdout);
    // The line can be reviewed with the pull request: it is no slip there, and does its work on merge.
    world.write('approved.tether.yaml', `${bareHead}approved:\n  ${line}\n`);
    const reviewed = await world.expect(0, ['plan'], unset);
    assert.match(reviewed.stdout, /apply replaces the client, which is approved/);
    assert.doesNotMatch(reviewed.stdout, /Warnings/);
    const applied = await world.expect(0, ['apply', '--yes'], rotated);
    assert.doesNotMatch(reviewed.stdout + applied.stdout, /canary/);
    const done = await world.expect(0, ['plan'], rotated);
    assert.match(done.stdout, /nothing is to be replaced as OAuthClient\/github/);
  });

  it('that an update needs and that is not at hand is named by the plan', async () => {
    await apply(github);
    world.write('main.tether.yaml', `${head}${github}    secret: { fromEnv: LATER }\n`);
    const { stdout } = await world.expect(0, ['plan']);
    assert.match(stdout, /~ github {2}oc-/);
    assert.match(stdout, /apply will also need: secret \(environment variable LATER\)/);
    const atHand = await world.expect(0, ['plan'], { env: { LATER: 'later-secret-canary' } });
    assert.doesNotMatch(atHand.stdout, /will also need/);
  });
});

describe('projects of a client', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(acme);
  });
  afterEach(() => world.close());

  const warning =
    /OAuthClient\/github is offered to the whole organization, so the projects of github restrict nothing/;
  const withProjects = `${head}${github}    projects: [payments]\n`;

  it('that restrict nothing are a warning of validate and of plan, at their line', async () => {
    for (const text of [withProjects, `${withProjects}    organizationScoped: true\n`]) {
      world.write('main.tether.yaml', text);
      const validated = await world.expect(0, ['validate']);
      assert.match(validated.stdout, /main\.tether\.yaml:14:5 {2}warning {2}projects-restrict-nothing/);
      const planned = await world.expect(0, ['plan']);
      assert.match(planned.stdout, warning);
      assert.match(planned.stdout, /write `organizationScoped: false`/);
    }
  });

  it('that restrict are none, and an empty list is none', async () => {
    for (const text of [
      `${withProjects}    organizationScoped: false\n`,
      withProjects.replace('[payments]', '[]'),
    ]) {
      world.write('main.tether.yaml', text);
      assert.doesNotMatch((await world.expect(0, ['validate'])).stdout, /restrict/);
      assert.doesNotMatch((await world.expect(0, ['plan'])).stdout, /restrict/);
    }
  });

  it('of a client that is there restrict by the scope that it has, which only a plan sees', async () => {
    world.write('main.tether.yaml', `${withProjects}    organizationScoped: false\n`);
    await world.applyAndExpectNothing();
    world.write('main.tether.yaml', withProjects);
    for (const command of ['validate', 'plan']) {
      assert.doesNotMatch((await world.expect(0, [command])).stdout, warning);
    }
    const [{ id = '' } = {}] = world.service.snapshot().oauthClients;
    await world.somebody.oauthClients.update(id, { organizationScoped: true });
    assert.doesNotMatch((await world.expect(0, ['validate'])).stdout, warning);
    assert.match((await world.expect(0, ['plan'])).stdout, warning);
  });
});
