/** Export beside names, ledgers and folders that leave in doubt whose an object is. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../../service';
import { exported } from '../../support/export-world';
import { World } from '../../support/world';

const head = 'apiVersion: tether/v1\nprofile: hcp-terraform\norganization: acme\n';
const made = {
  serviceProvider: 'github',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};
const client = `serviceProvider: github, httpUrl: ${made.httpUrl}, apiUrl: ${made.apiUrl}`;

const seed: SeedObject = {
  organizations: {
    acme: {
      workspaces: Object.fromEntries(
        ['network', 'app', 'dns', 'jobs'].map((name, index) => [`ws-${index + 1}`, { name }]),
      ),
      oauthClients: { 'oc-1': { ...made, name: 'GitHub' }, 'oc-2': { ...made, name: 'Mirror' } },
      runTriggers: {
        'rt-1': { workspace: 'ws-2', sourceable: 'ws-1' },
        'rt-2': { workspace: 'ws-4', sourceable: 'ws-3' },
      },
    },
  },
  tokens: { 'owner-token': { acme: 'owner' } },
};

const trigger = 'runTriggers: [{ target: app, source: network }]\n';

describe('export beside what is in doubt', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start(seed, { profile: 'hcp-terraform' });
  });
  afterEach(() => world.close());

  const rename = (id: string, name: string) =>
    world.service.patchSeed({ organizations: { acme: { workspaces: { [id]: { name } } } } });

  const objectsOf = (folder: string): string[] => {
    const { objects } = JSON.parse(world.read(`${folder}/tether.ledger.json`)) as typeof world.ledger;
    return Object.keys(objects).sort();
  };

  const plansNothing = async (folder: string) =>
    assert.match((await world.expect(0, ['plan', folder])).stdout, /^No changes\./m);

  it('takes over no trigger that a line may mean whose workspace was made anew, until it is said which is meant', async () => {
    world.write('main.tether.yaml', `${head}${trigger}`);
    await world.expect(0, ['apply', '--yes']);
    rename('ws-2', 'app-old');
    rename('ws-4', 'app');
    const { id } = await world.somebody.runTriggers.create('ws-4', 'ws-1');
    world.writes();
    const { stdout } = await world.expect(1, ['export']);
    assert.match(
      stdout.replace(/\s+/g, ' '),
      new RegExp(
        `RunTrigger/ws-4/network RunTrigger/app/network \\(main\\.tether\\.yaml:4:15\\) may mean ${id}: say what its names mean, and export again`,
      ),
    );
    const triggers = () => Object.keys(world.ledger.objects).filter((key) => key.startsWith('RunTrigger'));
    assert.deepEqual(triggers(), ['RunTrigger/ws-2/ws-1', 'RunTrigger/ws-4/ws-3']);
    world.write('main.tether.yaml', `${head}${trigger.replace('app', 'app-old')}`);
    await exported(world, 0);
    assert.equal(triggers().length, 3);
  });

  it('leaves two folders of one repository what each manages, whichever is exported first', async () => {
    world.write('.git/HEAD', '');
    world.write(
      'platform/a.tether.yaml',
      `${head}oauthClients:\n  github: { id: oc-1, ${client}, name: GitHub }\n`,
    );
    world.write('apps/a.tether.yaml', `${head}${trigger}`);
    await world.applyAndExpectNothing(['platform']);
    await world.applyAndExpectNothing(['apps']);
    world.writes();
    const { stdout } = await world.expect(0, ['export', 'platform']);
    assert.match(stdout, /\n {4}· apps {2}1 object\n/);
    assert.deepEqual(objectsOf('platform'), [
      'OAuthClient/github',
      'OAuthClient/mirror',
      'RunTrigger/ws-4/ws-3',
    ]);
    const again = await world.expect(0, ['export', 'apps']);
    assert.match(again.stdout, /^Nothing to write/m);
    assert.deepEqual(objectsOf('apps'), ['RunTrigger/ws-2/ws-1']);
    await plansNothing('platform');
    await plansNothing('apps');
    assert.deepEqual(world.writes(), []);
  });

  it('joins two folders into one once the other ledger is gone: links and clients with `id:` at once, others by the line it prints', async () => {
    world.write('.git/HEAD', '');
    world.write(
      'all/a.tether.yaml',
      `${head}oauthClients:\n  github: { id: oc-1, ${client}, name: GitHub }\n`,
    );
    const apps = `oauthClients:
  git: { ${client}, name: New, secret: { fromEnv: GIT_TOKEN } }
  mirror: { id: oc-2, ${client}, name: Mirror }
${trigger}`;
    world.write('apps/a.tether.yaml', `${head}${apps}`);
    await world.applyAndExpectNothing(['all']);
    await world.applyAndExpectNothing(['apps']);
    world.writes();
    const { objects } = JSON.parse(world.read('apps/tether.ledger.json')) as typeof world.ledger;
    const id = objects['OAuthClient/git']?.id ?? '';
    world.write('all/apps.tether.yaml', `${head}${apps}`);
    const early = await world.expect(1, ['export', 'all']);
    assert.match(early.stdout, /\n {4}· apps {2}3 objects\n/);
    assert.deepEqual(objectsOf('all'), ['OAuthClient/github', 'RunTrigger/ws-4/ws-3']);
    world.remove('apps');
    const { stdout } = await world.expect(1, ['export', 'all']);
    assert.match(
      stdout,
      new RegExp(`OAuthClient ${id} {2}OAuthClient/git .* may mean it: add \`id: ${id}\``),
    );
    const links = ['RunTrigger/ws-2/ws-1', 'RunTrigger/ws-4/ws-3'];
    assert.deepEqual(objectsOf('all'), ['OAuthClient/github', 'OAuthClient/mirror', ...links]);
    world.write('all/apps.tether.yaml', `${head}${apps.replace('git: {', `git: { id: ${id},`)}`);
    await world.expect(0, ['export', 'all']);
    assert.deepEqual(objectsOf('all'), [
      'OAuthClient/git',
      'OAuthClient/github',
      'OAuthClient/mirror',
      ...links,
    ]);
    await plansNothing('all');
    assert.deepEqual(world.writes(), []);
  });

  it('adds names to a ledger that was written before there were any', async () => {
    world.write('main.tether.yaml', `${head}${trigger}`);
    await world.applyAndExpectNothing();
    const { names, ...old } = world.ledger;
    world.write('tether.ledger.json', JSON.stringify(old));
    world.writes();
    await exported(world, 0);
    assert.deepEqual(world.ledger.names, { ...names, 'workspace/dns': 'ws-3', 'workspace/jobs': 'ws-4' });
  });

  it('deletes nothing by a ledger without names, whatever the names mean by now', async () => {
    world.write('main.tether.yaml', `${head}${trigger}`);
    await world.applyAndExpectNothing();
    const { names: _, ...old } = world.ledger;
    world.write('tether.ledger.json', JSON.stringify(old));
    rename('ws-1', 'net');
    world.writes();
    const { stdout } = await world.expect(1, ['export']);
    assert.match(stdout, /workspace\/network .*no workspace that this token can see is called so/);
    assert.deepEqual(Object.keys(world.ledger.objects).sort().slice(2), [
      'RunTrigger/ws-2/ws-1',
      'RunTrigger/ws-4/ws-3',
    ]);
    await world.expect(1, ['apply', '--yes']);
    assert.deepEqual(world.writes(), []);
  });
});
