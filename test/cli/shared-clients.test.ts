/** Several folders of one command and one OAuth client: only one of them may manage it. */
import assert from 'node:assert/strict';
import { emptyLedger } from '../../reconciler/ledger/ledger';
import { bareHead, clientEntry, githubFields } from '../support/acme';
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy';
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
  const entry = (fields: Readonly<Record<string, string | null>> = {}) =>
    `oauthClients:\n${clientEntry('github', { projects: '[prj-payments]', ...fields })}`;
  const adopting = (fields: Readonly<Record<string, string>> = {}) => entry({ id, ...fields });
  const approval = () => `approved: [{ destroy: OAuthClient/github, id: ${id} }]\n`;
  const forget = () => `forget: [OAuthClient/${id}]\n`;

  const bothOrders = [
    ['old', 'new'],
    ['new', 'old'],
  ];

  const expectRefused = (...folders: readonly string[]) =>
    expectMessage(
      folders,
      (other) =>
        `this plan and that of ${other} both manage OAuthClient/${id}, and one of them changes it: declare it in one of them with \`id: ${id}\`, and write \`forget: [OAuthClient/${id}]\` in the other, in place of its entry and attachments`,
    );
  const expectMessage = async (folders: readonly string[], toMessage: (other: string) => string) => {
    for (const command of [['plan'], ['apply', '--yes']]) {
      const { stderr, stdout } = await world.expect(1, [...command, ...folders]);
      for (const [folder, other = ''] of [folders.slice(0, 2), folders.slice(0, 2).reverse()]) {
        assert.ok(
          stderr.includes(`error: ${folder}: ${toMessage(other)}\n`),
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
    for (const folders of bothOrders) {
      await expectMessage(
        folders,
        (other) =>
          `one of this plan and that of ${other} deletes OAuthClient/${id}, and an entry of the other one may mean it: to manage it by that entry, write \`forget: [OAuthClient/${id}]\` in the one and \`id: ${id}\` in the entry; to create another client, name it under \`allowDuplicate\` of the entry`,
      );
    }
    write('new', entry({ allowDuplicate: `[${id}]` }));
    for (const folders of bothOrders) {
      const { stderr } = await world.here(['plan', ...folders]);
      assert.equal(stderr, '');
    }
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

  describe('whose attachments another folder has, by its id', () => {
    const attachment = () => `projectAttachments: [{ oauthClient: ${id}, project: prj-shop }]\n`;
    const replacing = () =>
      `${entry({ httpUrl: 'https://b.example.com' })}approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
    const projects = () => world.service.snapshot().oauthClients.flatMap((client) => client.projectIds);
    const expectEnds = async (...names: readonly string[]) => {
      for (const command of [['plan'], ['apply', '--yes', '--max-deletes', '9']]) {
        const { stderr } = await world.expect(1, [...command, ...names]);
        const message = `one of this plan and that of ${names[1]} deletes OAuthClient/${id}, and links of the other one name it by its id: remove their lines and apply that folder first, or keep the client\n`;
        assert.ok(stderr.includes(`error: ${names[0]}: ${message}`), stderr);
      }
      assert.deepEqual(world.writes(), []);
    };

    beforeEach(async () => {
      write('old', entry({ projects: null }));
      write('links', attachment());
      await world.expect(0, ['apply', '--yes', 'old', 'links']);
      world.writes();
    });

    for (const folders of [
      ['old', 'links'],
      ['links', 'old'],
    ]) {
      it(`is neither replaced nor destroyed beside them, in the order ${folders}`, async () => {
        for (const text of [replacing(), approval()]) {
          write('old', text);
          await expectEnds(...folders);
        }
        // A new line alone counts too.
        world.remove('links/tether.ledger.json');
        await expectEnds(...folders);
      });
    }

    it('goes after them', async () => {
      write('old', approval());
      write('links', '');
      await expectEnds('old', 'links');
      await world.expect(0, ['apply', '--yes', 'links']);
      await world.expect(0, ['apply', '--yes', 'old', 'links']);
      await expectNothing('old', 'links');
      assert.deepEqual(world.service.snapshot().oauthClients, []);
    });

    it('is changed and attached to other projects beside them', async () => {
      write(
        'old',
        entry({ name: 'Renamed', projects: null }) +
          `projectAttachments: [{ oauthClient: github, project: prj-data }]\n`,
      );
      await world.expect(0, ['apply', '--yes', 'old', 'links']);
      await expectNothing('old', 'links');
    });

    it('keeps those that another folder has in its ledger, whatever an exact set lists, until one of them forgets', async () => {
      write('old', entry());
      const key = `ProjectAttachment/${id}/prj-shop`;
      for (const command of [['plan'], ['apply', '--yes', '--max-deletes', '9']]) {
        const { stderr } = await world.expect(1, [...command, 'old', 'links']);
        const message = `this plan and that of links both decide about ${key}, and one of them deletes it: keep its line in one of them, and write \`forget: [${key}]\` in the other`;
        assert.ok(stderr.includes(`error: old: ${message}\n`), stderr);
      }
      assert.deepEqual(world.writes(), []);
      write('old', `${entry()}forget: [${key}]\n`);
      await world.expect(0, ['apply', '--yes', 'old', 'links']);
      assert.deepEqual(projects().toSorted(), ['prj-payments', 'prj-shop']);
      write('old', entry());
      write('links', `forget: [${key}]\n`);
      await world.expect(0, ['apply', '--yes', '--max-deletes', '9', 'old', 'links']);
      assert.deepEqual(projects(), ['prj-payments']);
    });

    it('may lose those that go with a client which the other folder forgets', async () => {
      world.remove('links');
      write('old', entry());
      await world.expect(0, ['apply', '--yes', '--max-deletes', '1', 'old']);
      write('old', forget());
      write('new', adopting({ projects: '[]' }));
      // The limit of a new set stays.
      const { stderr } = await world.here(['plan', 'old', 'new']);
      assert.equal(stderr, '');
    });
  });

  describe('of an organization that they spell in two ways', () => {
    let proxy: FaultyProxy;
    beforeEach(async () => {
      proxy = await startFaultyProxy(world.service.url);
      proxy.rewrite = (url) => url.replace('/Acme/', '/acme/');
      world.env.TETHER_ADDRESS = proxy.origin + new URL(world.service.url).pathname;
      for (const file of ['old', 'new']) world.remove(file);
    });
    afterEach(() => proxy.close());
    const other = (text: string) =>
      world.write(bareHead.replace('acme', 'Acme') + text, 'new/main.tether.yaml');

    it('is not adopted by one and destroyed by the other', async () => {
      write('old', adopting());
      await world.expect(0, ['apply', '--yes', 'old']);
      world.writes();
      write('old', approval());
      other(adopting());
      for (const folders of bothOrders) await expectRefused(...folders);
    });

    it('is not made by both', async () => {
      const fields = { name: 'Second', httpUrl: 'https://b.example.com' };
      write('old', `oauthClients:\n${clientEntry('github', fields)}`);
      other(`oauthClients:\n${clientEntry('gitlab', fields)}`);
      const { stderr } = await world.expect(1, ['apply', '--yes', 'old', 'new']);
      assert.match(stderr, /would both make a client with the same name/);
      assert.deepEqual(world.writes(), []);
    });

    it('has no trigger that both make', async () => {
      const trigger = 'runTriggers: [{ target: ws-app, source: ws-dns }]\n';
      write('old', trigger);
      other(trigger);
      const { stderr } = await world.expect(1, ['apply', '--yes', 'old', 'new']);
      assert.match(stderr, /both change RunTrigger\/ws-app\/ws-dns/);
      assert.deepEqual(world.writes(), []);
    });
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
