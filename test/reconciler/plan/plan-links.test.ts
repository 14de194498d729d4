/** What the plan of links and of a destroy says in each situation. */
import assert from 'node:assert/strict';
import type { Step } from '../../../reconciler/plan/plan';
import { github, values } from '../../support/plan-samples';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planAll,
  planIn,
  pureWorld,
  triggerDocument,
  triggerInLedger,
} from '../../support/pure-world';

const ids = (steps: readonly Step[]): string[] => steps.map((step) => step.id);
const blockers = (made: ReturnType<typeof planIn>): string[] =>
  made.plan.blockers.map((one) => one.code) ?? [];
const notes = (made: ReturnType<typeof planIn>): string[] => made.plan.notes.map((one) => one.code) ?? [];

/** acme with one client that is ours and unchanged. */
const settled = (more: Parameters<typeof clientDocument>[1] = {}, inLedger: object = {}) =>
  pureWorld({
    clients: [clientDocument('oc-1', more)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', values, inLedger) }),
  });

describe('planning links', () => {
  it('adopts what exists, mentions nothing that is not declared', () => {
    const world = pureWorld({
      triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a'), triggerDocument('rt-2', 'ws-c', 'ws-a')],
    });
    assert.deepEqual(ids(planIn(world, manifest('runTriggers: [{ target: ws-a, source: ws-b }]\n')).steps), [
      'adopt RunTrigger/ws-a/ws-b',
    ]);
  });

  it('creates none that is gone while one of its ends cannot be seen: another may stand there', () => {
    const world = pureWorld({
      ledger: ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') }),
    });
    const wanted = manifest('runTriggers: [{ target: ws-a, source: ws-b }]\n');
    assert.deepEqual(ids(planIn(world, wanted).steps), ['create RunTrigger/ws-a/ws-b']);
    world.hidden.add('run triggers of ws-b (outbound)');
    const { plan, steps } = planIn(world, wanted);
    assert.deepEqual(ids(steps), []);
    assert.match(plan.unknown[0]?.why ?? '', /ws-b \(outbound\): 404/);
    assert.deepEqual(ids(planIn(world, manifest('runTriggers: []\n')).steps), [
      'forget RunTrigger/ws-a/ws-b',
    ]);
  });

  it('deletes unmanaged ones from an exact set, counted and marked', () => {
    const world = pureWorld({
      triggers: ['b', 'c', 'd', 'e'].map((one) => triggerDocument(`rt-${one}`, `ws-${one}`, 'ws-a')),
    });
    const made = planIn(world, manifest('runTriggers: [{ target: ws-a, sources: [ws-b] }]\n'));
    const deletes = made.steps.filter((one) => one.action === 'delete');
    assert.deepEqual(
      deletes.map((one) => [one.unmanaged, one.reason]),
      Array(3).fill([true, 'not-in-exact-set']),
    );
    assert.ok(made.plan.notes.some((one) => one.text.includes('3 deletes (3 unmanaged); the limit is 5')));
  });

  it('deletes a removed line that is ours, and reports an unmanaged duplicate as still there', () => {
    const world = pureWorld({
      triggers: [triggerDocument('rt-1', 'ws-b', 'ws-a'), triggerDocument('rt-2', 'ws-b', 'ws-a')],
      ledger: ledgerWith({ 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') }),
    });
    const made = planIn(world, manifest('runTriggers: []\n'));
    assert.deepEqual(
      [made.steps.map((one) => one.objectId), notes(made)],
      [['rt-1'], ['still-there', 'removed', 'deletes']],
    );
  });

  it('takes the oldest trigger of a pair where the ledger holds none, and keeps its own where it holds one', () => {
    const text = manifest('runTriggers: [{ target: ws-a, sources: [ws-b] }]\n');
    const triggers = [
      triggerDocument('rt-new', 'ws-b', 'ws-a', '2026-03-01T00:00:00.000Z'),
      triggerDocument('rt-old', 'ws-b', 'ws-a', '2026-01-01T00:00:00.000Z'),
    ];
    const withTwo = (held?: string) =>
      pureWorld({
        triggers,
        ledger: ledgerWith(
          held === undefined ? {} : { 'RunTrigger/ws-a/ws-b': triggerInLedger(held, 'ws-b', 'ws-a') },
        ),
      });
    const seen = (steps: readonly Step[]) => steps.map((one) => [one.action, one.objectId]);
    assert.deepEqual(seen(planIn(withTwo(), text).steps), [
      ['adopt', 'rt-old'],
      ['delete', 'rt-new'],
    ]);
    assert.deepEqual(seen(planIn(withTwo('rt-new'), text).steps), [['delete', 'rt-old']]);
    // The list of one end is late, so that it shows the newer one alone.
    const both = 'runTriggers: [{ target: ws-a, sources: [ws-b] }, { source: ws-b, targets: [ws-a] }]\n';
    const world = withTwo();
    const { inputs } = planIn(world, manifest(both));
    const name = 'run triggers of ws-a (inbound)';
    const late = triggers.slice(0, 1);
    const list = inputs.observed.lists[name];
    assert.ok(list?.state === 'read');
    const lists = { ...inputs.observed.lists, [name]: { ...list, items: late } };
    const plan = planAll({ ...inputs, observed: { ...inputs.observed, lists } });
    assert.deepEqual(seen(plan.steps), [
      ['adopt', 'rt-old'],
      ['delete', 'rt-new'],
    ]);
  });

  it('removes a duplicate only when an exact set covers it or our own lost answer made it', () => {
    const triggers = [triggerDocument('rt-1', 'ws-b', 'ws-a'), triggerDocument('rt-2', 'ws-b', 'ws-a')];
    const objects = { 'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a') };
    const single = manifest('runTriggers: [{ target: ws-a, source: ws-b }]\n');
    const left = planIn(pureWorld({ triggers, ledger: ledgerWith(objects) }), single);
    assert.deepEqual([ids(left.steps), notes(left)], [[], ['duplicate']]);
    const tombstones = [
      {
        kind: 'RunTrigger',
        address: 'RunTrigger/ws-a/ws-b',
        nonce: 'RunTrigger/ws-a/ws-b',
        since: '2026-01-01T00:00:00.000Z',
      },
    ];
    const late = planIn(pureWorld({ triggers, ledger: ledgerWith(objects, { tombstones }) }), single);
    assert.deepEqual(
      late.steps.map((one) => [one.objectId, one.unmanaged]),
      [['rt-2', undefined]],
    );
    const gone = planIn(
      pureWorld({ triggers, ledger: ledgerWith(objects, { tombstones }) }),
      manifest('runTriggers: []\n'),
    );
    assert.deepEqual(
      [gone.steps.map((one) => one.objectId), notes(gone)],
      [
        ['rt-2', 'rt-1'],
        ['removed', 'deletes'],
      ],
    );
    const exact = planIn(
      pureWorld({ triggers, ledger: ledgerWith(objects) }),
      manifest('runTriggers: [{ target: ws-a, sources: [ws-b] }]\n'),
    );
    assert.deepEqual(
      exact.steps.map((one) => [one.objectId, one.unmanaged]),
      [['rt-2', true]],
    );
  });

  it('takes no second trigger for that of a lost create that was made long after it', () => {
    const key = 'RunTrigger/ws-a/ws-b';
    const tombstone = { kind: 'RunTrigger', address: key, nonce: key, since: '2026-01-01T00:00:00.000Z' };
    const world = pureWorld({
      triggers: [
        triggerDocument('rt-1', 'ws-b', 'ws-a'),
        triggerDocument('rt-2', 'ws-b', 'ws-a', '2026-01-01T00:59:00.000Z'),
        triggerDocument('rt-3', 'ws-b', 'ws-a', '2026-01-01T01:01:00.000Z'),
      ],
      ledger: ledgerWith(
        { [key]: triggerInLedger('rt-1', 'ws-b', 'ws-a') },
        { tombstones: [tombstone, { ...tombstone, nonce: 'RunTrigger/ws-a/ws-c', since: '2026-02-01' }] },
      ),
    });
    const found = (text: string) => {
      const { plan, steps } = planIn(world, manifest(`runTriggers: ${text}\n`));
      const told = plan.notes.filter(({ address }) => address !== '');
      return [steps.map((one) => [one.objectId, one.unmanaged]), told.map((one) => [one.code, one.text])];
    };
    assert.deepEqual(found('[{ target: ws-a, source: ws-b }]'), [
      [['rt-2', undefined]],
      [['duplicate', 'rt-3, made by somebody else, links the same pair a second time']],
    ]);
    assert.deepEqual(found('[]'), [
      [
        ['rt-2', undefined],
        ['rt-1', undefined],
      ],
      [['still-there', 'rt-3, made by somebody else, still links this pair']],
    ]);
    assert.deepEqual(found('[{ target: ws-a, sources: [ws-b] }]'), [
      [
        ['rt-2', undefined],
        ['rt-3', true],
      ],
      [],
    ]);
  });

  it('counts deletes against max(5, 30 %), and the flag lifts it', () => {
    const sources = Array.from({ length: 12 }, (_, index) => `ws-s${index}`);
    const world = pureWorld({
      triggers: sources.map((source) => triggerDocument(`rt-${source}`, source, 'ws-a')),
      ledger: ledgerWith(
        Object.fromEntries(
          sources.map((source) => [
            `RunTrigger/ws-a/${source}`,
            triggerInLedger(`rt-${source}`, source, 'ws-a'),
          ]),
        ),
      ),
    });
    const left = (count: number) =>
      manifest(
        `runTriggers: [${sources
          .slice(0, count)
          .map((source) => `{ target: ws-a, source: ${source} }`)
          .join(', ')}]\n`,
      );
    assert.deepEqual(blockers(planIn(world, left(4))), ['too-many-deletes']);
    assert.ok(planIn(world, left(4)).plan.blockers[0]?.message.includes('--max-deletes 8'));
    assert.deepEqual(blockers(planIn(world, left(4), { maxDeletes: 8 })), []);
    assert.deepEqual(blockers(planIn(world, left(7))), []);
    assert.deepEqual(blockers(planIn(world, left(6))), ['too-many-deletes']);
  });

  it('stops when more than max(3, 10 %) of the wanted vanished, and the flag lifts it', () => {
    const sources = Array.from({ length: 20 }, (_, index) => `ws-s${index}`);
    const world = (there: number) =>
      pureWorld({
        triggers: sources.slice(0, there).map((source) => triggerDocument(`rt-${source}`, source, 'ws-a')),
        ledger: ledgerWith(
          Object.fromEntries(
            sources.map((source) => [
              `RunTrigger/ws-a/${source}`,
              triggerInLedger(`rt-${source}`, source, 'ws-a'),
            ]),
          ),
        ),
      });
    const all = manifest(`runTriggers: [{ target: ws-a, sources: [${sources.join(', ')}] }]\n`);
    assert.deepEqual(blockers(planIn(world(15), all)), ['too-many-missing']);
    assert.deepEqual(blockers(planIn(world(15), all, { acceptMissing: 5 })), []);
    assert.deepEqual(blockers(planIn(world(17), all)), []);
    assert.deepEqual(blockers(planIn(world(16), all)), ['too-many-missing']);
  });

  it('attaches after the client is made, and before its scope narrows', () => {
    const text = `${github}    organizationScoped: false\nprojectAttachments: [{ oauthClient: github, project: prj-a }]\n`;
    const fresh = planIn(pureWorld(), manifest(text)).steps;
    assert.deepEqual(ids(fresh), ['create OAuthClient/github', 'create ProjectAttachment/github/prj-a']);
    const narrowing = planIn(settled(), manifest(text)).steps;
    assert.deepEqual(ids(narrowing), ['create ProjectAttachment/github/prj-a', 'update OAuthClient/github']);
    assert.deepEqual(narrowing[1]?.needs, ['create ProjectAttachment/github/prj-a']);
  });

  it('detaches after the scope widened', () => {
    const world = settled({ organizationScoped: false, projectIds: ['prj-a'] });
    world.ledger = ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', { ...values, organizationScoped: false }),
      'ProjectAttachment/oc-1/prj-a': {
        ...clientInLedger('oc-1/prj-a', { oauthClientId: 'oc-1', projectId: 'prj-a' }),
        kind: 'ProjectAttachment',
      },
    });
    const steps = planIn(world, manifest(`${github}    organizationScoped: true\n`)).steps;
    assert.deepEqual(ids(steps), ['update OAuthClient/github', 'delete ProjectAttachment/github/prj-a']);
    assert.deepEqual(steps[1]?.needs, ['update OAuthClient/github']);
  });
});

describe('planning a destroy', () => {
  it('takes away all that is ours and nothing else, with approval for clients', () => {
    const world = settled();
    world.triggers = [triggerDocument('rt-1', 'ws-b', 'ws-a'), triggerDocument('rt-2', 'ws-c', 'ws-a')];
    world.ledger = ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values),
      'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
    });
    const text = `${github}runTriggers: [{ target: ws-a, sources: [ws-b] }]\n`;
    const made = planIn(world, manifest(text), { destroy: true });
    assert.deepEqual(made.steps.map((one) => one.objectId).sort(), ['oc-1', 'rt-1']);
    assert.deepEqual(blockers(made), ['approval', 'too-many-deletes']);
    assert.deepEqual(blockers(planIn(world, manifest(text), { destroy: true, approve: true })), []);
  });

  it('lets go of what is to be let go, and touches none of it', () => {
    const world = settled();
    world.triggers = [triggerDocument('rt-1', 'ws-b', 'ws-a')];
    world.ledger = ledgerWith({
      'OAuthClient/github': clientInLedger('oc-1', values),
      'RunTrigger/ws-a/ws-b': triggerInLedger('rt-1', 'ws-b', 'ws-a'),
    });
    const made = planIn(world, manifest('forget: [OAuthClient/github, RunTrigger/ws-a/ws-b]\n'), {
      destroy: true,
    });
    assert.deepEqual(
      made.steps.map((one) => one.id),
      ['forget OAuthClient/github', 'forget RunTrigger/ws-a/ws-b'],
    );
    assert.deepEqual(blockers(made), []);
  });
});
