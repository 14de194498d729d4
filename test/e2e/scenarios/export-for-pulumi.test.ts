/** `tether export --pulumi`: what `pulumi import --file` reads. What the engine makes of it: test/provider/import-list-on-engine.test.ts. */
import assert from 'node:assert/strict';
import { acmeWith, command, filesThere, made, triggers } from '../../support/export-world';
import { bareHead, World } from '../../support/world';

const list = [...command, '--pulumi'];
const hcp = [...list, '--profile', 'hcp-terraform'];
const github = { ...made, serviceProvider: 'github' };

describe('export for Pulumi', () => {
  let world: World;
  afterEach(() => world.close());

  async function listed(code: number, args: readonly string[] = list) {
    const { stdout, stderr } = await world.expect(code, args);
    assert.deepEqual(world.writes(), [], 'only GET was sent');
    const { resources } = JSON.parse(stdout) as { resources: { type: string; name: string; id: string }[] };
    return {
      rows: resources.map(({ type, name, id }) => `${type.replace('tether:index:', '')} ${name} ${id}`),
      stderr,
    };
  }

  it('lists clients and triggers under names of their own, and no file comes or goes', async () => {
    const seed = acmeWith({
      oauthClients: {
        'oc-1': { ...github, name: 'GitHub', projects: ['prj-web'], createdAt: '2026-01-01T00:00:00.000Z' },
        'oc-2': { ...github, name: 'git HUB!', createdAt: '2026-01-02T00:00:00.000Z' },
        'oc-3': { ...github, createdAt: '2026-01-03T00:00:00.000Z' },
      },
      runTriggers: triggers('network>app', 'dns>app'),
    });
    world = await World.start(seed, { profile: 'hcp-terraform' });
    const before = filesThere(world);
    const { rows } = await listed(0, hcp);
    // The projects of a client come with it: an attachment beside it would be bound twice.
    assert.deepEqual(rows, [
      'OAuthClient github oc-1',
      'OAuthClient git-hub oc-2',
      'OAuthClient github-2 oc-3',
      'RunTrigger network-to-app rt-1',
      'RunTrigger dns-to-app rt-2',
    ]);
    assert.deepEqual((await listed(0, hcp)).rows, rows);
    assert.deepEqual(filesThere(world), before);
  });

  it('lists what manifests and ledgers here do not hold: attachments of a client that Tether has, too', async () => {
    const client = { ...made, name: 'Held' };
    world = await World.start(
      acmeWith({ oauthClients: { 'oc-held': client }, runTriggers: triggers('network>app') }),
    );
    world.write(
      'clients.tether.yaml',
      `${bareHead}aliases:\n  workspaces: { app: ws-app }\noauthClients:\n  held:\n    id: oc-held\n    name: Held\n    serviceProvider: provider_a\n    httpUrl: ${made.httpUrl}\n    apiUrl: ${made.apiUrl}\n`,
    );
    await world.expect(0, ['apply', '--yes']);
    await world.somebody.oauthClients.attach('oc-held', ['prj-web', 'prj-search']);
    world.writes();
    const { rows, stderr } = await listed(0);
    assert.deepEqual(rows, [
      'ProjectAttachment oc-held-prj-search oc-held/prj-search',
      'ProjectAttachment oc-held-prj-web oc-held/prj-web',
      'RunTrigger network-to-app rt-1',
    ]);
    assert.match(stderr, /those that aliases, lines, the ledger and other triggers name/u);
  });

  it('leaves out, with a reason and exit code 1, what it cannot list soundly', async () => {
    const unfinished = 'tether-pending-0123456789ab-00';
    world = await World.start(
      acmeWith({
        oauthClients: { 'oc-1': { ...github, name: unfinished } },
        runTriggers: {
          ...triggers('network>app'),
          'rt-2': { workspace: 'ws-app', sourceable: 'ws-network' },
        },
      }),
      { profile: 'hcp-terraform' },
    );
    const { rows, stderr } = await listed(1, hcp);
    assert.deepEqual(rows, ['RunTrigger network-to-app rt-1']);
    assert.match(stderr, /left out: oc-1: an interrupted create left it under a temporary name/u);
    assert.match(stderr, /left out: rt-2: another one of that pair is older/u);
  });

  it('says what the token does not show', async () => {
    world = await World.start(acmeWith({}));
    const { stderr } = await listed(1, ['export', '--organization', 'nope', '--pulumi']);
    assert.match(stderr, /left out: organization nope: .*Is that its name\?/u);
  });
});
