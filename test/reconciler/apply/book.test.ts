/** The running ledger of an apply says at every moment what folding its journal would say. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Book, type Entry, JournalFailed } from '../../../reconciler/apply/book';
import { emptyLedger, type JournalRecord } from '../../../reconciler/ledger/ledger';
import { Recorder } from '../../../reconciler/ledger/recorder';

const keys = ['OAuthClient/a', 'OAuthClient/b', 'OAuthClient/c'];
const nonces = ['tether-pending-1', 'tether-pending-2'];
const key = fc.constantFrom(...keys);
const nonce = fc.constantFrom(...nonces);
const at = '2026-01-02T03:04:05.000Z';

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ event: fc.constant('intent' as const), key, nonce }).map(
    ({ nonce: name, ...rest }): Entry => ({
      ...rest,
      intent: { kind: 'OAuthClient', nonce: name, hash: 'h' },
    }),
  ),
  fc.tuple(key, fc.constantFrom('oc-1', 'oc-2', 'oc-3')).map(
    ([of, id]): Entry => ({
      event: 'object',
      key: of,
      object: { kind: 'OAuthClient', id, file: null, values: {}, digests: {}, protect: false },
    }),
  ),
  key.map((of): Entry => ({ event: 'removed', key: of })),
  fc.tuple(key, key).map(([from, to]): Entry => ({ event: 'moved', from, to })),
  nonce.map(
    (name): Entry => ({
      event: 'late',
      tombstone: { kind: 'OAuthClient', address: 'OAuthClient/a', nonce: name, since: at },
    }),
  ),
);

describe('the running ledger of an apply', () => {
  it('equals what its journal folds to, after any entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 30 }), async (entries) => {
        const recorder = new Recorder(emptyLedger('acme'), async () => {});
        const journal = { append: (record: JournalRecord) => recorder.append(record) };
        const book = new Book(emptyLedger('acme'), journal, () => new Date(at));
        for (const one of entries) {
          // A record that contradicts the ones before is refused by the journal, and must change nothing here.
          await book.write(one).catch((error: unknown) => assert.ok(error instanceof JournalFailed));
        }
        const folded = recorder.result('j');
        for (const one of keys) {
          assert.deepEqual(book.object(one), folded.objects[one]);
          assert.deepEqual(book.pending(one), folded.pending[one]);
        }
        for (const one of nonces) {
          const isBuried = folded.tombstones.some((tombstone) => tombstone.nonce === one);
          assert.equal(book.hasTombstone(one), isBuried);
        }
        assert.deepEqual(Object.fromEntries(book.objects()), folded.objects);
      }),
    );
  });

  const object = { kind: 'OAuthClient', id: 'oc-1', file: null, values: {}, digests: {}, protect: false };

  /** A book that holds one object, and what it journals. */
  async function holding() {
    const records: JournalRecord[] = [];
    const journal = { append: async (record: JournalRecord) => void records.push(record) };
    const book = new Book(emptyLedger('acme'), journal, () => new Date(at));
    await book.write({ event: 'object', key: 'OAuthClient/a', object });
    return { book, records };
  }

  it('takes an object out only while the key still names that very object', async () => {
    const { book } = await holding();
    await book.remove('OAuthClient/a', 'oc-other');
    assert.equal(book.object('OAuthClient/a')?.id, 'oc-1');
    await book.remove('OAuthClient/a', 'oc-1');
    assert.equal(book.object('OAuthClient/a'), undefined);
  });

  it('ends an unfinished create without losing what stands under its key, and is quiet where there is none', async () => {
    const { book, records } = await holding();
    await book.endIntent('OAuthClient/a');
    assert.equal(records.length, 1);
    const intent = { kind: 'OAuthClient', nonce: 'tether-pending-1', hash: 'h' };
    await book.write({ event: 'intent', key: 'OAuthClient/a', intent });
    await book.endIntent('OAuthClient/a');
    assert.equal(book.pending('OAuthClient/a'), undefined);
    assert.deepEqual(book.object('OAuthClient/a'), object);
  });
});
