/** Applies whose ledger is on a server, with every fault of that server: they stop rather than guess, and the next apply converges. */
import assert from 'node:assert/strict';
import { renderLedger } from '../../reconciler/ledger/document';
import { homeTimes } from '../../reconciler/ledger/home';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { freeLock, LedgerLocked, type LedgerStore } from '../../reconciler/ledger/store';
import { acmeLinks, acmeManifest } from '../support/acme';
import { startTether } from '../support/background';
import type { Fate, Seen } from '../support/faulty-proxy';
import { homeNames, placeOf, type RunningHome, startHome } from '../support/ledger-homes';
import { withEnvironment } from '../support/process-environment';
import { worlds } from '../support/scenario';
import { github, head, World } from '../support/world';

const never = new Promise<never>(() => undefined);

for (const name of homeNames) {
  describe(`an apply with its ledger on ${name}`, () => {
    const open = worlds();
    let home: RunningHome;
    let opened = 0;
    const { poll } = homeTimes;
    const document = () => `${name}-${opened}`;

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

    const calm = () => {
      home.proxy.decide = () => 'passes';
      home.proxy.answered = () => undefined;
    };
    const start = async (): Promise<World> => {
      opened += 1;
      const world = await open();
      world.ledgerPlace = placeOf(home, document());
      Object.assign(world.env, home.env);
      world.write(acmeManifest());
      calm();
      home.proxy.seen.length = 0;
      return world;
    };
    /** The requests of an apply in which nothing fails. */
    const undisturbed = async (): Promise<readonly Seen[]> => {
      const world = await start();
      await world.apply({}, { concurrency: 1 });
      return [...home.proxy.seen];
    };
    /** Decides the request with this number, from 0, among those that count; with `andAll` those after it too. */
    const at = (
      index: number,
      counts: (seen: Seen) => boolean,
      fate: () => Fate | Promise<Fate>,
      andAll = false,
    ) => {
      let number = -1;
      home.proxy.decide = (seen) => {
        if (!counts(seen)) return 'passes';
        number += 1;
        return number === index || (andAll && number > index) ? fate() : 'passes';
      };
    };
    const saves = async () => (await undisturbed()).filter((seen) => home.isSave(seen)).length;
    const run = (world: World) => world.apply({}, { concurrency: 1 });
    /** An apply that does not end well; whether it rejects or reports is the same to a person. */
    const fails = async (world: World, says: RegExp) => {
      const told = await run(world).then(
        ({ result }) => result.steps.map(({ status, message = '' }) => `${status} ${message}`).join('\n'),
        (error: Error) => error.message,
      );
      assert.match(told, says);
    };
    /** Does what a person does: frees the lock of the dead run, waits where the plan says so, applies again. */
    const finish = async (world: World) => {
      calm();
      await freeDead(world.store());
      if ((await world.plan()).plan.problems.length > 0) await world.pass(121_000);
      const isOpen = (await world.plan()).plan.steps.length > 0;
      if (isOpen) await world.settle();
      await world.expectNothing();
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(oauthClients.map((one) => one.name).sort(), ['GitHub', 'GitLab']);
      assert.deepEqual(oauthClients.map((one) => one.projectIds.length).sort(), [1, 2]);
      assert.equal(runTriggers.length, 3);
      assert.deepEqual((await world.drift()).rows, []);
      assert.equal(Object.keys((await world.ledger()).objects).length, 8);
    };

    it('goes on when the answer to any save is lost', async () => {
      for (let index = await saves(); index > 0; index -= 1) {
        const world = await start();
        at(index - 1, home.isSave, () => 'unanswered');
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
        for (let index = await saves(); index > 0; index -= 1) {
          const world = await start();
          at(index - 1, home.isSave, () => fate);
          await world.settle();
          await finish(world);
        }
      });

      it(`stops when any save ${what} until the request's time is over, and sends no POST without a record`, async () => {
        // A second save would begin after the request's time.
        homeTimes.poll = homeTimes.request;
        const all = await saves();
        for (let index = all; index > 0; index -= 1) {
          const world = await start();
          at(index - 1, home.isSave, () => fate, true);
          await fails(world, /could not be saved: .*, and it still holds/);
          if (index === 1) assert.deepEqual(world.writes(), []);
          homeTimes.poll = 1;
          await finish(world);
          homeTimes.poll = homeTimes.request;
        }
      });
    }

    it('takes its lock when the answer is lost, and writes nothing when it has none', async () => {
      const world = await start();
      at(0, home.isLock, () => 'unanswered');
      await world.settle();
      await finish(world);
      const other = await start();
      at(0, home.isLock, () => 'lost', true);
      await fails(other, /could not (lock|write)/);
      assert.deepEqual(other.writes(), []);
      await finish(other);
    });

    it('stops at the next save when its lock was freed and another run has it', async () => {
      const count = await saves();
      for (let index = count; index > 0; index -= 1) {
        const world = await start();
        const thief = world.store();
        at(index - 1, home.isSave, async (): Promise<Fate> => {
          calm();
          await freeDead(world.store());
          await thief.lock({ who: 'the other run' }, 0);
          return 'passes';
        });
        // On S3 the lock is read before a save, and this one has begun; the ones after it are refused.
        if (name === 'minio' && index === count) await run(world);
        else await fails(world, /the lock of .* was lost|could not be saved|may have the lock/);
        await thief.unlock();
        await finish(world);
      }
    });

    it('stops when the server is gone from any request on', async () => {
      const { length } = await undisturbed();
      for (let index = 0; index < length; index += 1) {
        const world = await start();
        at(
          index,
          () => true,
          () => 'lost',
          true,
        );
        const told = await run(world).then(
          ({ result }) => result.counts,
          (error: Error) => error.message,
        );
        assert.ok(
          typeof told === 'string' ? /could not|no answer/.test(told) : told.failed > 0,
          JSON.stringify(told),
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
        at(0, home.isSave, async (): Promise<Fate> => {
          calm();
          await home.replace(document(), edit(settled));
          return 'lost';
        });
        await fails(world, /changed by somebody else|is the ledger of other|could not be saved/);
        calm();
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
        const ended = await Promise.all([runner(), runner()]);
        const counts = ended.map(({ result }) => result.counts.done).sort((one, other) => one - other);
        assert.deepEqual(counts, [0, 8]);
        await finish(world);
      }
    });

    for (const when of ['before', 'after'] as const) {
      it(`is taken up by the next apply when it is killed ${when} any save, once a person has freed its lock`, async () => {
        for (let index = 0; index < 3; index += 1) {
          opened += 1;
          let late = 0;
          const time = { now: () => Date.now() + late, wait: () => Promise.resolve() };
          const world = await World.start(undefined, { clock: time });
          world.write(killedManifest(home.line(document())));
          calm();
          let reached = () => {};
          const isReached = new Promise<void>((resolve) => {
            reached = resolve;
          });
          const stands = async () => {
            reached();
            return never;
          };
          if (when === 'before') at(index, home.isSave, stands);
          else {
            let number = -1;
            home.proxy.answered = (seen) => {
              number += home.isSave(seen) ? 1 : 0;
              return home.isSave(seen) && number === index ? stands() : undefined;
            };
          }
          try {
            const env = { ...world.env, ...home.env };
            const apply = startTether(['apply', '--yes'], { cwd: world.folder, env });
            await Promise.race([isReached, apply.ended.then(({ stderr }) => assert.fail(stderr))]);
            apply.signal('SIGKILL');
            await apply.ended;
            calm();
            const more = { env };
            const { stderr } = await world.expect(1, ['apply', '--yes'], more);
            const [, id = ''] =
              /is locked by .*, tether apply since .*tether ledger unlock ([\w-]+)/.exec(stderr) ?? [];
            const freed = await world.expect(0, ['ledger', 'unlock', id], more);
            assert.match(freed.stdout, /^Removed the lock of .*@.*, tether apply since/);
            late = 121_000;
            await world.applyAndExpectNothing([], more);
            const { oauthClients, runTriggers } = world.service.snapshot();
            assert.deepEqual(
              oauthClients.map((one) => [one.name, one.projectIds]),
              [['GitHub', ['prj-payments']]],
            );
            assert.equal(runTriggers.length, 1);
            const shown = await world.expect(0, ['ledger', 'show'], more);
            assert.ok(shown.stdout.includes(`ledger ${home.line(document())}: lineage`), shown.stdout);
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

/** Frees the lock, if there is one, as a person does with the id that the message shows. */
async function freeDead(store: LedgerStore): Promise<void> {
  try {
    await store.lock({ who: 'a person' }, 0);
  } catch (error) {
    if (!(error instanceof LedgerLocked) || error.holder === null) throw error;
    await freeLock(store, error.holder.id, 'a person');
    return;
  }
  await store.unlock();
}
