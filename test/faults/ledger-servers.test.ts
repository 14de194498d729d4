/** Applies whose ledger is on a server, with every fault of that server: they stop rather than guess, and the next apply converges. */
import assert from 'node:assert/strict';
import { renderLedger } from '../../reconciler/ledger/document';
import { homeTimes } from '../../reconciler/ledger/home';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { freeLock, LedgerLocked, type LedgerStore } from '../../reconciler/ledger/store';
import { acmeLinks, acmeManifest } from '../support/acme';
import { startTether } from '../support/background';
import type { Fate, ProxiedRequest } from '../support/faulty-proxy';
import { homeNames, parsePlace, type RunningHome, startHome } from '../support/ledger-homes';
import { withEnvironment } from '../support/process-environment';
import { worlds } from '../support/scenario';
import { github, head, World } from '../support/world';

const never = new Promise<never>(() => undefined);

for (const name of homeNames) {
  describe(`an apply with its ledger on ${name}`, () => {
    const open = worlds();
    let home: RunningHome;
    let worldCount = 0;
    const { poll } = homeTimes;
    const document = () => `${name}-${worldCount}`;

    before(async function () {
      home = await startHome(name, this);
    });
    beforeEach(() => {
      homeTimes.poll = 1;
    });
    after(async () => {
      homeTimes.poll = poll;
      await home?.close();
    });
    withEnvironment(() => home.env);

    const stopFaults = () => {
      home.proxy.decide = () => 'passes';
      home.proxy.afterResponse = () => undefined;
    };
    const start = async (): Promise<World> => {
      worldCount += 1;
      const world = await open();
      world.ledgerPlace = parsePlace(home, document());
      Object.assign(world.env, home.env);
      world.write(acmeManifest());
      stopFaults();
      home.proxy.requests.length = 0;
      return world;
    };
    /** Returns the requests of an apply in which nothing fails. */
    const listRequests = async (): Promise<readonly ProxiedRequest[]> => {
      const world = await start();
      await world.apply({}, { concurrency: 1 });
      return [...home.proxy.requests];
    };
    interface RequestFault {
      /** The number of the request, from 0, among those that `matches` selects. */
      readonly nth: number;
      readonly matches: (request: ProxiedRequest) => boolean;
      readonly fate: () => Fate | Promise<Fate>;
      /** Hits the requests after it too. */
      readonly andLater?: true;
    }
    const failRequest = ({ nth, matches, fate, andLater }: RequestFault) => {
      let number = -1;
      home.proxy.decide = (request) => {
        if (!matches(request)) return 'passes';
        number += 1;
        return number === nth || (andLater && number > nth) ? fate() : 'passes';
      };
    };
    const countSaves = async () => (await listRequests()).filter((request) => home.isSave(request)).length;
    const apply = (world: World) => world.apply({}, { concurrency: 1 });
    /** Expects an apply to fail. It may reject or report, which is the same for a user. */
    const expectFailure = async (world: World, message: RegExp) => {
      const output = await apply(world).then(
        ({ result }) => result.steps.map(({ status, message = '' }) => `${status} ${message}`).join('\n'),
        (error: Error) => error.message,
      );
      assert.match(output, message);
    };
    /** Does what a user does: frees the lock of the dead run, waits if the plan says so, and applies again. */
    const finish = async (world: World) => {
      stopFaults();
      await freeLockOfDeadRun(world.store());
      if ((await world.plan()).plan.problems.length > 0) await world.pass(121_000);
      const isOpen = (await world.plan()).plan.steps.length > 0;
      if (isOpen) await world.settle();
      await world.expectNothing();
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(oauthClients.map((client) => client.name).sort(), ['GitHub', 'GitLab']);
      assert.deepEqual(oauthClients.map((client) => client.projectIds.length).sort(), [1, 2]);
      assert.equal(runTriggers.length, 3);
      assert.deepEqual((await world.drift()).rows, []);
      assert.equal(Object.keys((await world.ledger()).objects).length, 8);
    };

    it('goes on when the answer to any save is lost', async () => {
      for (let index = await countSaves(); index > 0; index -= 1) {
        const world = await start();
        failRequest({ nth: index - 1, matches: home.isSave, fate: () => 'unanswered' });
        await world.settle();
        await finish(world);
      }
    });

    const passing: [what: string, fate: Fate][] = [
      ['is lost', 'lost'],
      ['fails with 503', { status: 503 }],
      ['is answered by a login page', { status: 200, body: '<html>Log in' }],
    ];
    for (const [what, fate] of passing) {
      it(`saves again when any save ${what}`, async () => {
        for (let index = await countSaves(); index > 0; index -= 1) {
          const world = await start();
          failRequest({ nth: index - 1, matches: home.isSave, fate: () => fate });
          await world.settle();
          await finish(world);
        }
      });

      it(`stops when any save ${what} until the request's time is over, and sends no POST without a record`, async () => {
        // A second save would begin after the request's time.
        homeTimes.poll = homeTimes.request;
        const all = await countSaves();
        for (let index = all; index > 0; index -= 1) {
          const world = await start();
          failRequest({ nth: index - 1, matches: home.isSave, fate: () => fate, andLater: true });
          await expectFailure(world, /could not be saved: .*, and it still holds/);
          if (index === 1) assert.deepEqual(world.writes(), []);
          homeTimes.poll = 1;
          await finish(world);
          homeTimes.poll = homeTimes.request;
        }
      });
    }

    it('takes its lock when the answer is lost, and writes nothing when it has none', async () => {
      const world = await start();
      failRequest({ nth: 0, matches: home.isLock, fate: () => 'unanswered' });
      await world.settle();
      await finish(world);
      const secondWorld = await start();
      failRequest({ nth: 0, matches: home.isLock, fate: () => 'lost', andLater: true });
      await expectFailure(secondWorld, /could not (lock|write)/);
      assert.deepEqual(secondWorld.writes(), []);
      await finish(secondWorld);
    });

    it('stops at the next save when its lock was freed and another run has it', async () => {
      const count = await countSaves();
      for (let index = count; index > 0; index -= 1) {
        const world = await start();
        const otherRun = world.store();
        const stealLock = async (): Promise<Fate> => {
          stopFaults();
          await freeLockOfDeadRun(world.store());
          await otherRun.lock({ who: 'the other run' }, 0);
          return 'passes';
        };
        failRequest({ nth: index - 1, matches: home.isSave, fate: stealLock });
        // On S3 the lock is read before a save, and this one has begun; the ones after it are refused.
        if (name === 'minio' && index === count) await apply(world);
        else await expectFailure(world, /the lock of .* was lost|could not be saved|may have the lock/);
        await otherRun.unlock();
        await finish(world);
      }
    });

    it('stops when the server is gone from any request on', async () => {
      const { length } = await listRequests();
      for (let index = 0; index < length; index += 1) {
        const world = await start();
        failRequest({ nth: index, matches: () => true, fate: () => 'lost', andLater: true });
        const outcome = await apply(world).then(
          ({ result }) => result.counts,
          (error: Error) => error.message,
        );
        assert.ok(
          typeof outcome === 'string' ? /could not|no answer/.test(outcome) : outcome.failed > 0,
          JSON.stringify(outcome),
        );
        await finish(world);
      }
    });

    const edits: [what: string, edit: (ledger: Ledger) => string | null][] = [
      ['an older document restored', (ledger) => renderLedger({ ...ledger, serial: 1 })],
      ['edited by hand', (ledger) => renderLedger({ ...ledger, objects: {} })],
      [
        'the document of another organization',
        (ledger) => renderLedger({ ...ledger, organization: 'other' }),
      ],
      ['removed', () => null],
    ];
    for (const [what, edit] of edits) {
      it(`stops at the next save when its document is another: ${what}`, async () => {
        const world = await start();
        world.write(acmeManifest({ links: '' }));
        await world.settle();
        const settled = await world.ledger();
        world.write(acmeManifest());
        const replaceDocument = async (): Promise<Fate> => {
          stopFaults();
          await home.replace(document(), edit(settled));
          return 'lost';
        };
        failRequest({ nth: 0, matches: home.isSave, fate: replaceDocument });
        await expectFailure(world, /changed by somebody else|is the ledger of other|could not be saved/);
        stopFaults();
        await home.replace(document(), renderLedger({ ...settled, serial: 90 }));
        await finish(world);
      });
    }

    it('uses what a person restored or edited between two runs, and makes nothing twice', async () => {
      const world = await start();
      await world.settle();
      const older = await world.ledger();
      world.write(acmeManifest({ links: acmeLinks.replace('[network, dns]', '[dns]') }));
      await world.settle();
      await home.replace(document(), renderLedger(older));
      await world.pass(121_000);
      await world.settle();
      world.write(acmeManifest());
      await world.settle();
      const { 'RunTrigger/ws-docs/ws-app': _, ...objects } = (await world.ledger()).objects;
      await home.replace(document(), JSON.stringify({ ...(await world.ledger()), objects }, null, 4));
      const { plan } = await world.settle();
      assert.deepEqual(
        plan.steps.map(({ action }) => action),
        ['adopt'],
      );
      await finish(world);
    });

    it('lets two runners at once make each thing once, twenty times', async () => {
      for (let round = 0; round < 20; round += 1) {
        const world = await start();
        const runner = () => {
          const store = world.store();
          const { lock } = store;
          store.lock = (holder) => lock.call(store, holder, 60_000);
          return world.apply({}, { store });
        };
        const runs = await Promise.all([runner(), runner()]);
        const counts = runs.map(({ result }) => result.counts.done).sort((left, right) => left - right);
        assert.deepEqual(counts, [0, 8]);
        await finish(world);
      }
    });

    for (const when of ['before', 'after'] as const) {
      it(`is taken up by the next apply when it is killed ${when} any save, once a person has freed its lock`, async () => {
        for (let index = 0; index < 3; index += 1) {
          worldCount += 1;
          let aheadMs = 0;
          const time = { now: () => Date.now() + aheadMs, wait: () => Promise.resolve() };
          const world = await World.start(undefined, { clock: time });
          world.write(killedManifest(home.line(document())));
          stopFaults();
          let reached = () => {};
          const isReached = new Promise<void>((resolve) => {
            reached = resolve;
          });
          const hang = async () => {
            reached();
            return never;
          };
          if (when === 'before') failRequest({ nth: index, matches: home.isSave, fate: hang });
          else {
            let number = -1;
            home.proxy.afterResponse = (seen) => {
              number += home.isSave(seen) ? 1 : 0;
              return home.isSave(seen) && number === index ? hang() : undefined;
            };
          }
          try {
            const env = { ...world.env, ...home.env };
            const process = startTether(['apply', '--yes'], { cwd: world.folder, env });
            await Promise.race([isReached, process.ended.then(({ stderr }) => assert.fail(stderr))]);
            process.signal('SIGKILL');
            await process.ended;
            stopFaults();
            const more = { env };
            const { stderr } = await world.expect(1, ['apply', '--yes'], more);
            const [, id = ''] =
              /is locked by .*, tether apply since .*tether ledger unlock ([\w-]+)/.exec(stderr) ?? [];
            const freed = await world.expect(0, ['ledger', 'unlock', id], more);
            assert.match(freed.stdout, /^Removed the lock of .*@.*, tether apply since/);
            aheadMs = 121_000;
            await world.applyAndExpectNothing([], more);
            const { oauthClients, runTriggers } = world.service.snapshot();
            assert.deepEqual(
              oauthClients.map((client) => [client.name, client.projectIds]),
              [['GitHub', ['prj-payments']]],
            );
            assert.equal(runTriggers.length, 1);
            const { stdout } = await world.expect(0, ['ledger', 'show'], more);
            assert.ok(stdout.includes(`ledger ${home.line(document())}: lineage`), stdout);
          } finally {
            await world.close();
          }
        }
      });
    }
  });
}

function killedManifest(line: string): string {
  const links = `projectAttachments: [{ oauthClient: github, project: payments }]
runTriggers: [{ target: app, sources: [network] }]
`;
  return head.replace('organization: acme\n', `organization: acme\nledger: ${line}\n`) + github + links;
}

/** Frees the lock, if there is one, as a user does with the id that the message shows. */
async function freeLockOfDeadRun(store: LedgerStore): Promise<void> {
  try {
    await store.lock({ who: 'a person' }, 0);
  } catch (error) {
    if (!(error instanceof LedgerLocked) || error.holder === null) throw error;
    await freeLock(store, error.holder.id, 'a person');
    return;
  }
  await store.unlock();
}
