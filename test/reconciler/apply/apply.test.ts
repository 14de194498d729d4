/** What one apply sends, saves and says. */

import assert from 'node:assert/strict';
import { emptyLedger, type Ledger, nextSerial } from '../../../reconciler/ledger/ledger';
import type { LedgerStore } from '../../../reconciler/ledger/store';
import { readMember } from '../../../reconciler/plan/plan';
import { plainValues } from '../../../resources/diff';
import { acmeClients, acmeHead, acmeLinks, acmeManifest, clientEntry } from '../../support/acme';
import { approve, worlds } from '../../support/scenario';
import type { World } from '../../support/world';

const client = '/organizations/:organization_name/oauth-clients';
const projects = '/oauth-clients/:id/relationships/projects';
const trigger = '/workspaces/:workspace_id/run-triggers';

/** Keeps each document that is saved. */
function recording(world: World): { readonly store: LedgerStore; readonly saved: Ledger[] } {
  const store = world.store();
  const save = store.save.bind(store);
  const saved: Ledger[] = [];
  store.save = async (ledger, before) => {
    saved.push(ledger);
    await save(ledger, before);
  };
  return { store, saved };
}

describe('an apply', () => {
  const open = worlds();

  it('makes a client with one POST, the attachments of each in one call, and triggers one by one', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.apply({}, { concurrency: 1 });
    assert.deepEqual(world.writes().sort(), [
      ...Array<string>(2).fill(`POST ${projects}`),
      ...Array<string>(2).fill(`POST ${client}`),
      ...Array<string>(3).fill(`POST ${trigger}`),
    ]);
  });

  it('saves before each POST of a client, and its id with the end of that record', async () => {
    const world = await open();
    world.write(acmeManifest({ clients: acmeClients.replace('    projects: [data]\n', ''), links: '' }));
    const { store, saved } = recording(world);
    await world.apply({}, { store, concurrency: 1 });
    const held = saved.map(({ objects, pending }) => [
      Object.keys(pending).join(),
      Object.keys(objects).filter((key) => key.startsWith('OAuthClient')).length,
    ]);
    assert.deepEqual(held, [
      ['', 0],
      ['OAuthClient/github', 0],
      ['', 1],
      ['OAuthClient/gitlab', 1],
      ['', 2],
    ]);
    assert.deepEqual(
      saved.map(({ serial }) => serial),
      [1, 2, 3, 4, 5],
    );
    assert.equal(new Set(saved.map(({ lineage }) => lineage)).size, 1);
  });

  it('saves links before the first and at the end where they take less than a second, and nothing where nothing changes', async () => {
    const world = await open();
    world.write(acmeManifest({ clients: '', links: acmeLinks.slice(acmeLinks.indexOf('runTriggers')) }));
    const { store, saved } = recording(world);
    await world.apply({}, { store, now: () => 0 });
    assert.equal(saved.length, 2);
    await world.apply({}, { store });
    assert.equal(saved.length, 2);
  });

  for (const [seconds, held] of [
    [1, [0, 1, 2, 3]],
    [10, [0, 3]],
  ] as const) {
    it(`saves links where the last save is ${seconds} seconds ago, as the home wants it`, async () => {
      const world = await open();
      world.write(acmeManifest({ clients: '', links: acmeLinks.slice(acmeLinks.indexOf('runTriggers')) }));
      const { store, saved } = recording(world);
      let milliseconds = 0;
      const now = (): number => {
        milliseconds += 1000;
        return milliseconds;
      };
      Object.assign(store, { saveEveryMs: seconds * 1000 });
      await world.apply({}, { store, concurrency: 1, now });
      assert.deepEqual(
        saved.map(({ objects }) => Object.keys(objects).length),
        held,
      );
    });
  }

  it('removes the digest of a secret before it sends another value, and writes the new one after', async () => {
    const world = await open();
    world.write(acmeManifest());
    await world.settle();
    world.env.GIT_SECRET = 'git-secret-second';
    const { store, saved } = recording(world);
    await world.apply({}, { store });
    const digests = saved.map(({ objects }) => Object.keys(objects['OAuthClient/gitlab']?.digests ?? {}));
    const both = ['oauthTokenString', 'secret'];
    assert.deepEqual(digests, [both, ['oauthTokenString'], both]);
  });

  it('names the link that failed, and no other of its call, where a step waits for it', async () => {
    const world = await open();
    const declare = (...projects: string[]) =>
      world.write(
        `${acmeHead}oauthClients:\n${clientEntry('github', { projects: `[${projects.join(', ')}]` })}`,
      );
    declare('payments');
    await world.settle();
    declare('data', 'prj-nowhere');
    const { result } = await world.apply();
    assert.deepEqual(
      result.steps.map(({ address, status }) => `${address} ${status}`),
      [
        'ProjectAttachment/github/data done',
        'ProjectAttachment/github/prj-nowhere failed',
        'ProjectAttachment/github/payments blocked',
      ],
    );
    const needs = 'it needs "create ProjectAttachment/github/prj-nowhere", which was not done';
    assert.equal(result.steps[2]?.message, needs);
  });

  it('keeps a client whose successor did not get a declared project', async () => {
    const world = await open();
    const declare = (more: Readonly<Record<string, string>>) =>
      world.write(`${acmeHead}oauthClients:\n${clientEntry('github', more)}`);
    declare({});
    await world.settle();
    declare({ httpUrl: 'https://new.example.com', organizationScoped: 'false', projects: '[prj-nowhere]' });
    approve(world, (await world.plan()).plan);
    const { result } = await world.apply();
    const statuses = result.steps.map(({ status }) => status);
    assert.deepEqual(statuses, ['done', 'failed', 'blocked']);
  });

  it('starts nothing more once the token is refused', async () => {
    const world = await open();
    world.write(acmeManifest());
    world.service.fault({ how: 'status', status: 401, method: 'POST' });
    const { result } = await world.apply({}, { concurrency: 1 });
    assert.equal(world.writes().length, 1);
    const rest = result.steps.filter(({ status }) => status === 'not-tried');
    assert.ok(rest.length > 0 && rest.every(({ message }) => message === 'the token was refused'));
    assert.deepEqual((await world.ledger()).pending, {});
  });

  it('makes no client whose record is older than ten seconds by the time of its POST', async () => {
    const world = await open();
    world.write(`${acmeHead}oauthClients:\n${clientEntry('github')}`);
    const store = world.store();
    const save = store.save.bind(store);
    let seconds = 11;
    store.save = async (ledger, before) => {
      await save(ledger, before);
      await world.pass(seconds * 1000);
    };
    const { result } = await world.apply({}, { store });
    const message =
      'OAuthClient/github: saving the ledger took too long. Nothing was written; run the same command again';
    assert.deepEqual([result.steps[0]?.message, world.writes()], [message, []]);
    assert.deepEqual((await world.ledger()).pending, {});
    seconds = 10;
    await world.apply({}, { store });
    await world.expectNothing();
  });

  it('records no id that the next run could not read, and keeps the create open', async () => {
    const world = await open();
    world.write(`${acmeHead}oauthClients:\n${clientEntry('github')}`);
    const api = world.api();
    const { create } = api.oauthClients;
    const withOddId = async (...args: Parameters<typeof create>) => ({
      ...(await create(...args)),
      id: 'oc-1.v1',
    });
    const forStep = () => ({ ...api, oauthClients: { ...api.oauthClients, create: withOddId } });
    const { result } = await world.apply({}, { api: { ...api, forStep } });
    const reason = /\/objects\/OAuthClient\/github\/id must match pattern "\^oc-/;
    assert.match(result.steps[0]?.message ?? '', reason);
    assert.deepEqual(Object.keys((await world.ledger()).pending), ['OAuthClient/github']);
    const { plan } = await world.settle();
    assert.deepEqual(
      plan.steps.map(({ id }) => id),
      ['adopt OAuthClient/github'],
    );
  });

  // `client/outcome.ts` decides which of these statuses are refusals.
  for (const [status, staysPending] of [
    [400, false],
    [403, false],
    [409, false],
    [422, false],
    [501, false],
    [408, true],
    [500, true],
  ] as const) {
    it(`${staysPending ? 'keeps' : 'removes'} the pending entry of a create that ${status} answered`, async () => {
      const world = await open();
      world.write(`${acmeHead}oauthClients:\n${clientEntry('github')}`);
      world.service.fault({ how: 'status', status, method: 'POST', times: 1 });
      await world.apply();
      const { pending } = await world.ledger();
      assert.deepEqual(Object.keys(pending), staysPending ? ['OAuthClient/github'] : []);
      await world.pass(150_000);
      await world.settle();
    });
  }

  it('makes equal clients whose earlier creates made nothing, beside each other', async () => {
    const world = await open();
    world.write(`${acmeHead}oauthClients:\n${clientEntry('one')}${clientEntry('two')}`);
    const { plan } = await world.plan();
    const attemptedAt = new Date(world.clock.now()).toISOString();
    const pending = plan.steps.map((step) => {
      const { address } = step;
      const { organization: _, ...sent } = plainValues(readMember(step, 'values') ?? {});
      return [address, { attemptedAt, values: sent, digests: {}, existing: [] }];
    });
    const store = world.store();
    await store.lock({ who: 'test' }, 0);
    await store.save(
      { ...nextSerial(emptyLedger('acme'), world.service.url), pending: Object.fromEntries(pending) },
      null,
    );
    await store.unlock();
    await world.pass(150_000);
    await world.settle();
  });

  it('says where a person has to go to connect a new client', async () => {
    const world = await open();
    world.write(
      acmeManifest({ clients: acmeClients.replaceAll('    oauthTokenString: { fromEnv: GIT_TOKEN }\n', '') }),
    );
    const notes: string[] = [];
    await world.apply({}, { onEvent: (event) => event.type === 'note' && notes.push(event.message) });
    assert.equal(notes.length, 2);
    assert.match(
      notes[0] ?? '',
      /^OAuthClient\/git\w+: not authorized yet: open http\S+ to complete the OAuth connection$/,
    );
  });
});
