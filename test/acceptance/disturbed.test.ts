/** Runs of the acceptance suite that somebody disturbs, that fail, or that are interrupted. They keep what is not theirs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientBody } from '../support/api-caller';
import { startFaultyProxy } from '../support/faulty-proxy';
import {
  type AcceptanceWorld,
  acceptanceWorlds,
  foundPlaces,
  here,
  markedRows,
  namedClient,
  type Organization,
  readTable,
  token,
  vcsToken,
} from './acceptance-world';
import { removeOwn } from './cleanup';
import type { Tether } from './command-folder';
import { Requests, Unanswered } from './requests';
import { Scope } from './scope';
import { clientsPath } from './sight';

const assumed = 'hcp-terraform';

describe('an acceptance run that does not end well', () => {
  const start = acceptanceWorlds();

  const others: Organization = {
    workspaces: { 'ws-x': {} },
    oauthClients: { 'oc-x': namedClient('GitHub') },
  };

  /** Lets somebody act right before the first command whose manifest has this text. */
  function meddling(text: string, act: () => void): Tether {
    let isDone = false;
    return async (args, place) => {
      const file = join(place.cwd, 'acceptance.tether.yaml');
      if (!isDone && args[0] === 'plan' && readFileSync(file, 'utf8').includes(text)) {
        isDone = true;
        act();
      }
      return here(args, place);
    };
  }

  async function haltedBy(world: AcceptanceWorld, text: string, act: () => void): Promise<string> {
    const { exitCode, table, printed } = await world.run({ tether: meddling(text, act) });
    assert.equal(exitCode, 1, printed);
    assert.equal(world.countOwn(), 0, printed);
    assert.match(table ?? '', /\n\n\*\*Incomplete: the run ended before its probe did\.\*\*\n$/);
    const seen = [...readTable(table).values()].filter(([, , answer]) => answer === '204');
    assert.deepEqual(seen, [], 'the probe ran');
    return printed;
  }

  it('keeps a trigger that somebody adds inside its exact set, and stops', async () => {
    const world = await start({ assumed, others });
    const printed = await haltedBy(world, 'sources:', () =>
      world.service.patchSeed({
        organizations: {
          acme: { runTriggers: { 'rt-x': { workspace: 'ws-acc-3', sourceable: 'ws-x' } } },
        },
      }),
    );
    assert.match(printed, /The plan would delete RunTrigger\/ws-acc-3\/ws-x/);
    assert.deepEqual(
      world.service.snapshot().runTriggers.map(({ id }) => id),
      ['rt-x'],
    );
  });

  it('keeps a client that somebody renames while it runs, and stops', async () => {
    const world = await start({ assumed, others });
    let takenId = '';
    const printed = await haltedBy(world, 'targets:', () => {
      takenId = world.service.snapshot().oauthClients.find(({ name }) => name?.endsWith('-listed'))?.id ?? '';
      world.service.patchSeed({
        organizations: { acme: { oauthClients: { [takenId]: { name: 'Ours now' } } } },
      });
    });
    assert.match(printed, /The ledger has OAuthClient\/listed, which is not this run's/);
    const names = world.service.snapshot().oauthClients.map(({ name }) => name);
    assert.deepEqual(names.sort(), ['GitHub', 'Ours now']);
  });

  it('removes what it made when a step fails, and says which', async () => {
    const world = await start({ assumed, others });
    const before = world.withoutOwn();
    world.service.fault({
      how: 'status',
      method: 'DELETE',
      route: '/run-triggers/:run_trigger_id',
      nth: 2,
      status: 400,
    });
    const { exitCode, table, printed } = await world.run();
    assert.equal(exitCode, 1, printed);
    const life = [...readTable(table)].filter(([question]) => question.startsWith('life: '));
    const failed = life.findIndex(([, cells]) => cells[2] === 'fails' || cells[2] === 'refused');
    assert.ok(failed > 5, printed);
    assert.equal(world.countOwn(), 0);
    assert.deepEqual(world.withoutOwn(), before);
  });

  it('removes what it made after Ctrl-C, at any write', async () => {
    const world = await start({ assumed, others });
    const before = world.withoutOwn();
    for (const stopAt of [1, 9, 30, 60]) {
      world.service.clearRequests();
      const stop = new AbortController();
      const tether: Tether = async (args, place) => {
        const ended = await here(args, place);
        if (world.countWrites() >= stopAt) stop.abort();
        return ended;
      };
      const print = () => {
        if (world.countWrites() >= stopAt) stop.abort();
      };
      const { exitCode, table } = await world.run({ tether, print, signal: stop.signal });
      assert.deepEqual([exitCode, table], [130, undefined]);
      assert.equal(world.countOwn(), 0, `at write ${stopAt}`);
      assert.deepEqual(world.withoutOwn(), before);
    }
  });

  it('removes a client whose answer was lost and that lists show late', async () => {
    const world = await start({ assumed, behaviours: { 'create-hidden-ms': '100' } });
    const settings = world.settings();
    const requests = new Requests(settings);
    const scope = new Scope(foundPlaces);
    const attributes = { 'service-provider': 'github', name: `${scope.prefix}late` };
    const body = clientBody(attributes);
    world.service.fault({ how: 'reset-after', method: 'POST' });
    await assert.rejects(requests.send('POST', clientsPath('acme'), { body }), Unanswered);
    assert.equal(world.countOwn(), 1);
    const pause = async (milliseconds: number) => world.pass(milliseconds);
    assert.equal(await removeOwn(requests, settings, foundPlaces, scope, { pause }), 0);
    assert.equal(world.countOwn(), 0);
  });

  it('removes after Ctrl-C what lists show only later than any of its steps', async () => {
    const world = await start({ assumed, others, behaviours: { 'create-hidden-ms': '1500' } });
    const stop = new AbortController();
    const tether: Tether = async (args, place) => {
      const ended = await here(args, place);
      if (world.countOwn() > 0) stop.abort();
      return ended;
    };
    const { exitCode, printed } = await world.run({ tether, signal: stop.signal });
    assert.equal(exitCode, 130);
    assert.match(printed, /also for what the lists show late/);
    assert.equal(world.countOwn(), 0, printed);
  });

  it('never takes a list that cannot be read for an empty one', async () => {
    const world = await start({ assumed });
    const requests = new Requests(world.settings());
    const scope = new Scope(foundPlaces);
    const body = clientBody({ 'service-provider': 'github', name: `${scope.prefix}here` });
    assert.equal((await requests.send('POST', clientsPath('acme'), { body })).status, 201);
    const route = '/organizations/:organization_name/oauth-clients';
    world.service.fault({ how: 'status', status: 403, method: 'GET', route, times: 2 });
    await assert.rejects(removeOwn(requests, world.settings(), foundPlaces, scope), Unanswered);
    await assert.rejects(world.clean(), Unanswered);
    assert.equal(world.countOwn(), 1);
  });

  it('takes back what the service refuses, marks it, and goes on', async () => {
    const world = await start({ assumed, others });
    const refuse = { how: 'status', status: 422 } as const;
    // The first three PATCHes are drift, its repair and the name; the third POST is that of a replace.
    world.service.fault([
      { ...refuse, method: 'PATCH', route: '/oauth-clients/:id', nth: 4 },
      { ...refuse, method: 'POST', route: '/organizations/:organization_name/oauth-clients', nth: 3 },
    ]);
    const { exitCode, table, printed } = await world.run();
    assert.equal(exitCode, 0, printed);
    const rows = readTable(table);
    assert.deepEqual(markedRows(table), { 'life: key changed in place': 'refused' });
    assert.equal(rows.get('life: client replaced with its approval')?.[2], 'not observed');
    assert.equal(world.countOwn(), 0);
  });

  const stranger: Organization = {
    workspaces: { 'ws-x': {}, 'ws-y': {} },
    oauthClients: { 'oc-0123': namedClient('GitHub') },
    runTriggers: { 'rt-0123': { workspace: 'ws-x', sourceable: 'ws-y' } },
  };
  for (const [kind, route, id] of [
    ['client', '/oauth-clients', 'oc-0123'],
    ['trigger', '/run-triggers', 'rt-0123'],
  ] as const) {
    it(`keeps a ${kind} of others that an answer to its create names`, async () => {
      const world = await start({ assumed, others: stranger });
      const before = world.withoutOwn();
      const proxy = await startFaultyProxy(world.service.url);
      try {
        let isCreate = false;
        proxy.decide = ({ method, url }) => {
          isCreate = method === 'POST' && url.endsWith(route);
          return 'passes';
        };
        proxy.edit = (body) =>
          isCreate ? body.replace(/"id":"(?:oc|rt)-[0-9a-f]{16}"/, `"id":"${id}"`) : body;
        const settings = world.settings({ TETHER_ADDRESS: `${proxy.origin}/api/v2` });
        const { exitCode, printed } = await world.run({ settings, steps: [] });
        assert.equal(exitCode, 1, printed);
        assert.match(printed, /names a (?:client|trigger) that is not of this run/);
      } finally {
        await proxy.close();
      }
      assert.deepEqual(world.withoutOwn(), before);
      assert.equal(world.countOwn(), 0);
    });
  }

  it('prints no token, whatever fails', async () => {
    const world = await start({ assumed });
    world.service.fault({ how: 'garbage', method: 'PATCH' });
    const { table, printed } = await world.run();
    for (const secret of [token, vcsToken]) assert.ok(!`${table}${printed}`.includes(secret));
    assert.equal(world.countOwn(), 0);
  });
});
