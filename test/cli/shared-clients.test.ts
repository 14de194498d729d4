/** Several folders of one command and one OAuth client: only one of them may manage it. */
import assert from 'node:assert/strict';
import { emptyLedger } from '../../reconciler/ledger/ledger';
import { bareHead, clientEntry, githubFields } from '../support/acme';
import { World } from '../support/world';

describe('a client of several folders', () => {
  let world: World;
  let id: string;
  beforeEach(async () => {
    world = await World.start();
    write('old', entry());
    await world.expect(0, ['apply', '--yes', 'old']);
    id = world.service.snapshot().oauthClients[0]?.id ?? '';
    world.writes();
  });
  afterEach(() => world.close());

  const write = (folder: string, text: string) => world.write(bareHead + text, `${folder}/main.tether.yaml`);
  const entry = (fields: Readonly<Record<string, string>> = {}) =>
    `oauthClients:\n${clientEntry('github', { projects: '[prj-payments]', ...fields })}`;
  const adopting = (fields: Readonly<Record<string, string>> = {}) => entry({ id, ...fields });
  const approval = () => `approved: [{ destroy: OAuthClient/github, id: ${id} }]\n`;
  const forget = () => `forget: [OAuthClient/${id}]\n`;

  const bothOrders = [
    ['old', 'new'],
    ['new', 'old'],
  ];

  const expectRefused = async (...folders: readonly string[]) => {
    for (const command of [['plan'], ['apply', '--yes']]) {
      const { stderr, stdout } = await world.expect(1, [...command, ...folders]);
      const message = `both manage OAuthClient/${id}, and one of them changes it: declare it in one of them with \`id: ${id}\`, and write \`forget: [OAuthClient/${id}]\` in the other, in place of its entry and attachments`;
      for (const [folder, other] of [folders.slice(0, 2), folders.slice(0, 2).reverse()]) {
        assert.ok(
          stderr.includes(`error: ${folder}: this plan and that of ${other} ${message}\n`),
          `${command}: ${stderr}\n${stdout}`,
        );
      }
    }
    assert.deepEqual(world.writes(), []);
    assert.ok(world.service.snapshot().oauthClients.some((client) => client.id === id));
  };
  const expectNothing = async (...folders: readonly string[]) => {
    await world.expect(0, ['plan', '--detailed-exitcode', ...folders]);
  };

  it('is not adopted by one and destroyed by the other, and the approval changes nothing about that', async () => {
    write('new', adopting());
    for (const folders of bothOrders) {
      write('old', '');
      await expectRefused(...folders);
      write('old', approval());
      await expectRefused(...folders);
    }
  });

  for (const folders of bothOrders) {
    it(`moves by a forget line in the old and an id line in the new one, in the order ${folders}`, async () => {
      write('new', adopting({ name: 'Renamed' }));
      write('old', forget());
      const { stdout } = await world.expect(0, ['apply', '--yes', ...folders]);
      assert.match(stdout, /^2 folders: 2 applied$/m);
      write('old', '');
      await expectNothing(...folders);
      assert.deepEqual(world.writes(), ['PATCH /oauth-clients/:id']);
      assert.equal(world.service.snapshot().oauthClients[0]?.id, id);
      await world.expect(0, ['drift', ...folders]);
    });
  }

  it('is not adopted by two, and a third folder goes on', async () => {
    world.remove('old');
    write('k1', adopting());
    write('k2', adopting());
    write('k3', 'runTriggers: [{ target: ws-app, source: ws-dns }]\n');
    const { stdout } = await world.expect(1, ['apply', '--yes', 'k1', 'k2', 'k3']);
    assert.match(stdout, /^3 folders: 1 applied, 2 failed$/m);
    assert.deepEqual(world.writes(), ['POST /workspaces/:workspace_id/run-triggers']);
    await expectRefused('k1', 'k2');
  });

  it('is left as it is where two have it, until one of them would change it', async () => {
    write('new', adopting());
    await world.expect(0, ['apply', '--yes', 'new']);
    await expectNothing('old', 'new');
    await world.expect(0, ['apply', '--yes', 'old', 'new']);
    for (const folders of bothOrders) {
      const [, second = ''] = folders;
      const before = world.read(`${second}/main.tether.yaml`);
      write(second, entry({ name: 'Renamed' }));
      await expectRefused(...folders);
      write(second, approval());
      await expectRefused(...folders);
      const replaced = '{ replace: OAuthClient/github';
      write(second, entry({ httpUrl: 'https://b.example.com' }) + approval().replace(/\{[^,]*/, replaced));
      await expectRefused(...folders);
      world.write(before, `${second}/main.tether.yaml`);
    }
    // The one that lets go of it may do so in any command.
    write('old', forget());
    write('new', approval());
    await world.expect(0, ['apply', '--yes', 'old', 'new']);
    assert.deepEqual(world.service.snapshot().oauthClients, []);
  });

  it('is not deleted as a predecessor while another folder declares it', async () => {
    const route = '/oauth-clients/:id';
    world.service.fault({ method: 'DELETE', route, nth: 1, how: 'status', status: 422 });
    const replaced = entry({ httpUrl: 'https://b.example.com' });
    write('old', `${replaced}approved: [{ replace: OAuthClient/github, id: ${id} }]\n`);
    await world.expect(1, ['apply', '--yes', 'old']);
    world.service.clearFaults();
    world.writes();
    write('new', adopting());
    for (const folders of bothOrders) await expectRefused(...folders);
    write('old', `${replaced}${forget()}`);
    await world.expect(0, ['apply', '--yes', 'old', 'new']);
    write('old', replaced);
    await expectNothing('old', 'new');
    assert.equal(world.service.snapshot().oauthClients.length, 2);
  });

  it('is not deleted after an approved replacement while the entry of another folder may mean it', async () => {
    write('new', entry());
    const approved = `approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
    const replaced = entry({ httpUrl: 'https://b.example.com' }) + approved;
    write('old', replaced);
    for (const folders of bothOrders) await expectRefused(...folders);
    write('new', adopting());
    write('old', replaced + forget());
    await world.expect(0, ['apply', '--yes', 'old', 'new']);
    await expectNothing('old', 'new');
    assert.ok(world.service.snapshot().oauthClients.some((client) => client.id === id));
    // An adoption or an update is no loss for the folder that shows a problem.
    write('third', entry());
    write('new', adopting({ key: 'k' }));
    await world.expect(1, ['apply', '--yes', 'new', 'third']);
    await expectNothing('new');
  });

  describe('that does not exist yet', () => {
    const second = { httpUrl: 'https://b.example.com', name: 'Second' };
    const declare = (name: string, fields: Readonly<Record<string, string>> = second) =>
      `oauthClients:\n${clientEntry(name, fields)}`;

    const expectNeither = async (addresses: readonly [string, string]) => {
      const [one, two] = addresses;
      world.writes();
      for (const command of [['plan'], ['apply', '--yes']]) {
        const { stderr } = await world.expect(1, [...command, 'k1', 'k2']);
        const wayOut = `declare it in one of them, or run ${command[0]} for one folder after the other, where the second one names the first client under \`allowDuplicate\``;
        for (const [folder, other, here, there] of [
          ['k1', 'k2', one, two],
          ['k2', 'k1', two, one],
        ]) {
          const what = `would both make a client with the same name, provider and URLs, ${here} here and ${there} there`;
          assert.ok(
            stderr.includes(`error: ${folder}: this plan and that of ${other} ${what}: ${wayOut}\n`),
            stderr,
          );
        }
      }
      assert.deepEqual(world.writes(), []);
    };

    beforeEach(async () => {
      await world.close();
      // The second folder cannot see what the first one made.
      world = await World.start(undefined, { behaviours: { 'create-hidden-ms': '600000' } });
    });

    it('is made by neither of two folders of one command, and both addresses are named', async () => {
      write('k1', declare('github'));
      write('k2', declare('gitlab'));
      await expectNeither(['OAuthClient/github', 'OAuthClient/gitlab']);
      await world.applyAndExpectNothing(['k1']);
    });

    it('is made by neither if one of them makes it by a replacement', async () => {
      write('k1', declare('github', { name: 'Second' }));
      await world.expect(0, ['apply', '--yes', 'k1']);
      const replaced = JSON.parse(world.read('k1/tether.ledger.json')).objects['OAuthClient/github'].id;
      const approved = `approved: [{ replace: OAuthClient/github, id: ${replaced} }]\n`;
      write('k1', declare('github') + approved);
      write('k2', declare('gitlab'));
      await expectNeither(['OAuthClient/github', 'OAuthClient/gitlab']);
    });

    it('is not made while the create of the other folder may still be executed', async () => {
      write('k1', declare('github'));
      write('k2', declare('gitlab'));
      const values = { ...githubFields, ...second };
      const open = { attemptedAt: new Date().toISOString(), values, digests: {}, existing: [] };
      const pending = { 'OAuthClient/github': open };
      const ledger = {
        ...emptyLedger('acme'),
        address: world.service.url,
        lineage: 'one',
        serial: 1,
        pending,
      };
      world.write(JSON.stringify(ledger), 'k1/tether.ledger.json');
      await expectNeither(['OAuthClient/github', 'OAuthClient/gitlab']);
    });

    it('is made by both if the two differ in a URL', async () => {
      write('k1', declare('github'));
      write('k2', declare('gitlab', { ...second, apiUrl: 'https://b.example.com/v4' }));
      await world.expect(0, ['apply', '--yes', 'k1', 'k2']);
      await expectNothing('k1', 'k2');
      assert.equal(world.service.snapshot().oauthClients.length, 2);
    });
  });
});
