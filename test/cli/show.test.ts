/** `tether show` without an id to go by: one that fits is shown, several or none are said to be so. */
import assert from 'node:assert/strict';
import { github, head, World } from '../support/world';

const two = `${github}  gitlab:
    name: GitLab
    serviceProvider: provider_b_hosted
    httpUrl: https://gitlab.example.com
    apiUrl: https://gitlab.example.com/api/v4
`;

describe('tether show', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  const make = (name: string) =>
    world.somebody.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      name,
    });

  it('finds a client that nobody recorded by its name and URLs, and says which is not there', async () => {
    world.write('main.tether.yaml', head + two);
    const { id } = await make('GitHub');
    await make('Another');
    const { stdout } = await world.expect(1, ['show']);
    assert.match(stdout, new RegExp(`^OAuthClient/github\\n +id +${id}\\n`));
    assert.match(stdout, /^OAuthClient\/gitlab missing\n +no object matches it$/m);
    assert.match(
      (await world.expect(0, ['show', '--only', 'OAuthClient/github'])).stdout,
      /^OAuthClient\/github\n/,
    );
  });

  it('does not choose among several that look the same', async () => {
    world.write('main.tether.yaml', head + github);
    const ids = [(await make('GitHub')).id, (await make('GitHub')).id];
    const { stdout } = await world.expect(1, ['show']);
    assert.match(stdout, /^OAuthClient\/github unknown\n +several objects match: /);
    for (const id of ids) assert.ok(stdout.includes(id));
  });

  it('says that it cannot see what the token may not see', async () => {
    world.service.patchSeed({ tokens: { less: { acme: { manageVcsSettings: false } } } });
    world.write('main.tether.yaml', head + github);
    const { stdout } = await world.expect(1, ['show'], { env: { TETHER_TOKEN: 'less' } });
    assert.match(stdout, /^OAuthClient\/github unknown\n +.*404/);
  });

  it('leaves out a link to a client that does not exist yet', async () => {
    const text = `${github}projectAttachments:\n  - { oauthClient: github, project: payments }\n`;
    world.write('main.tether.yaml', head + text);
    assert.doesNotMatch((await world.expect(1, ['show'])).stdout, /ProjectAttachment/);
    await world.applyAndExpectNothing();
    const { stdout } = await world.expect(0, ['show', '--only', 'ProjectAttachment/github/payments']);
    assert.match(stdout, /^ProjectAttachment\/github\/payments\n +id +oc-.*\/prj-payments\n/);
  });

  it('takes the folder that it is given, and says how an address is named', async () => {
    world.write('acme/main.tether.yaml', head + github);
    await make('GitHub');
    const { stdout } = await world.expect(0, ['show', 'acme', '--only', 'OAuthClient/github']);
    assert.match(stdout, /^OAuthClient\/github\n/);
    const { stderr } = await world.expect(1, ['show', 'OAuthClient/github']);
    assert.match(stderr, /OAuthClient\/github is an address, not a folder: use --only OAuthClient\/github/);
  });

  it('says that nothing is known where nothing is', async () => {
    world.write('main.tether.yaml', head);
    assert.match((await world.expect(0, ['show'])).stdout, /^Nothing is known here/);
  });

  it('refuses mistakes where no ledger knows better', async () => {
    world.write('main.tether.yaml', `${head}nonsense: 1\n`);
    assert.match((await world.expect(1, ['show'])).stderr, /the manifests have errors/);
  });
});
