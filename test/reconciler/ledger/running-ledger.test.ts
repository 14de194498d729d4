/** The running ledger of an apply says at every moment what folding its journal would say. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { emptyLedger, type JournalRecord, type LedgerChange } from '../../../reconciler/ledger/ledger';
import { JournalFailed, LedgerState, RunningLedger } from '../../../reconciler/ledger/state';

const keys = ['OAuthClient/a', 'OAuthClient/b', 'OAuthClient/c'];
const nonces = ['tether-pending-1', 'tether-pending-2'];
const key = fc.constantFrom(...keys);
const nonce = fc.constantFrom(...nonces);
const at = '2026-01-02T03:04:05.000Z';

const entry: fc.Arbitrary<LedgerChange> = fc.oneof(
  fc.record({ event: fc.constant('intent' as const), key, nonce }).map(
    ({ nonce: name, ...rest }): LedgerChange => ({
      ...rest,
      intent: { kind: 'OAuthClient', nonce: name, hash: 'h' },
    }),
  ),
  fc.tuple(key, fc.constantFrom('oc-1', 'oc-2', 'oc-3')).map(
    ([of, id]): LedgerChange => ({
      event: 'object',
      key: of,
      object: { kind: 'OAuthClient', id, file: null, values: {}, digests: {}, protect: false },
    }),
  ),
  key.map((of): LedgerChange => ({ event: 'removed', key: of })),
  fc.tuple(key, key).map(([from, to]): LedgerChange => ({ event: 'moved', from, to })),
  nonce.map(
    (name): LedgerChange => ({
      event: 'late',
      tombstone: { kind: 'OAuthClient', address: 'OAuthClient/a', nonce: name, since: at },
    }),
  ),
);

describe('the running ledger of an apply', () => {
  it('equals what its journal folds to, after any entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 30 }), async (entries) => {
        const state = new LedgerState(emptyLedger('acme'));
        const journal = { append: async (record: JournalRecord) => state.accept(record) };
        const running = new RunningLedger(emptyLedger('acme'), journal, () => new Date(at));
        for (const one of entries) {
          // A record that contradicts the ones before is refused by the journal, and must change nothing here.
          await running.write(one).catch((error: unknown) => assert.ok(error instanceof JournalFailed));
        }
        const folded = state.ledger('j');
        for (const one of keys) {
          assert.deepEqual(running.objects.get(one), folded.objects[one]);
          assert.deepEqual(running.pending.get(one), folded.pending[one]);
        }
        for (const one of nonces) {
          const isBuried = folded.tombstones.some((tombstone) => tombstone.nonce === one);
          assert.equal(running.isUnconfirmed(one), isBuried);
        }
        assert.deepEqual(Object.fromEntries(running.objects), folded.objects);
      }),
    );
  });

  const object = { kind: 'OAuthClient', id: 'oc-1', file: null, values: {}, digests: {}, protect: false };

  /** A running ledger that holds one object, and what it journals. */
  async function holding() {
    const records: JournalRecord[] = [];
    const journal = { append: async (record: JournalRecord) => void records.push(record) };
    const running = new RunningLedger(emptyLedger('acme'), journal, () => new Date(at));
    await running.write({ event: 'object', key: 'OAuthClient/a', object });
    return { running, records };
  }

  it('remembers of several lost creates of one pair when the last was lost', async () => {
    let day = 1;
    const journal = { append: async () => undefined };
    const running = new RunningLedger(emptyLedger('acme'), journal, () => new Date(Date.UTC(2026, 0, day)));
    const key = 'RunTrigger/ws-a/ws-b';
    await running.recordUnconfirmed('RunTrigger', key, key);
    day = 3;
    await running.recordUnconfirmed('RunTrigger', key, key);
    assert.deepEqual(
      running.ledger(null).tombstones.map(({ since }) => since),
      ['2026-01-03T00:00:00.000Z'],
    );
  });

  it('takes an object out only while the key still names that very object', async () => {
    const { running } = await holding();
    await running.remove('OAuthClient/a', 'oc-other');
    assert.equal(running.objects.get('OAuthClient/a')?.id, 'oc-1');
    await running.remove('OAuthClient/a', 'oc-1');
    assert.equal(running.objects.get('OAuthClient/a'), undefined);
  });

  it('ends an unfinished create without losing what stands under its key, and is quiet where there is none', async () => {
    const { running, records } = await holding();
    await running.endIntent('OAuthClient/a');
    assert.equal(records.length, 1);
    const intent = { kind: 'OAuthClient', nonce: 'tether-pending-1', hash: 'h' };
    await running.write({ event: 'intent', key: 'OAuthClient/a', intent });
    await running.endIntent('OAuthClient/a');
    assert.equal(running.pending.get('OAuthClient/a'), undefined);
    assert.deepEqual(running.objects.get('OAuthClient/a'), object);
  });
});
