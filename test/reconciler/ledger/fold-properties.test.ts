/** Any run of records folds to one ledger, however often it is folded and wherever it is cut. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseLedger, serializeLedger } from '../../../reconciler/ledger/file';
import { fold, journalHeader, parseJournal } from '../../../reconciler/ledger/journal';
import {
  emptyLedger,
  type JournalBase,
  type JournalRecord,
  type Ledger,
} from '../../../reconciler/ledger/ledger';
import { Recorder } from '../../../reconciler/ledger/recorder';
import { at, clientObject } from '../../support/ledger-samples';

const key = fc.constantFrom('OAuthClient/a', 'OAuthClient/b', 'OAuthClient/c');
const id = fc.constantFrom('oc-1', 'oc-2', 'oc-3');
const nonce = fc.constantFrom('n-1', 'n-2');
const start = fc.record({ at: fc.constant(at), organization: fc.constantFrom('acme', 'beta') });

function event<Members extends object>(members: fc.Arbitrary<Members>) {
  return fc.tuple(start, members).map(([common, own]) => ({ ...common, ...own }));
}

const record: fc.Arbitrary<JournalRecord> = fc.oneof(
  event(
    fc.record({
      event: fc.constant('intent' as const),
      key,
      intent: nonce.map((name) => ({ kind: 'OAuthClient', nonce: name, hash: 'h' })),
    }),
  ),
  event(
    fc.record({ event: fc.constant('object' as const), key, object: id.map((one) => clientObject(one)) }),
  ),
  event(fc.record({ event: fc.constant('removed' as const), key })),
  event(fc.record({ event: fc.constant('moved' as const), from: key, to: key })),
  event(
    fc.record({
      event: fc.constant('late' as const),
      tombstone: fc.record({ kind: fc.constant('OAuthClient'), address: key, nonce, since: fc.constant(at) }),
    }),
  ),
);

/** What a run writes to its journal for these records, leaving out those it refuses, and where it ends. */
async function run(ledger: Ledger, records: readonly JournalRecord[], journal: string) {
  const written: (JournalRecord | JournalBase)[] = [];
  const recorder = new Recorder(ledger, async (lines) => {
    written.push(...lines);
  });
  for (const one of records) await recorder.append(one).catch(() => {});
  return { written, result: recorder.result(journal) };
}

/** Without what counts runs. */
function content(ledger: Ledger): unknown {
  return Object.entries(JSON.parse(serializeLedger(ledger)).organizations).map(([name, organization]) => [
    name,
    { ...Object(organization), serial: 0, lineage: '' },
  ]);
}

describe('any run of records', () => {
  const records = fc.array(record, { maxLength: 40 });

  it('folds from its journal to the ledger it had in memory, which can be written and read', async () => {
    await fc.assert(
      fc.asyncProperty(records, async (all) => {
        const { written, result } = await run(emptyLedger, all, 'j-1');
        const text = journalHeader('j-1', at) + written.map((one) => `${JSON.stringify(one)}\n`).join('');
        const folded = fold(emptyLedger, parseJournal(text, 'x'), 'x');
        assert.equal(serializeLedger(folded), serializeLedger(result));
        const read = parseLedger(serializeLedger(folded), 'x');
        assert.equal(serializeLedger(read), serializeLedger(folded));
        assert.equal(fold(read, parseJournal(text, 'x'), 'x'), read);
      }),
    );
  });

  it('gives the same whether it ran through or was cut off anywhere and went on', async () => {
    await fc.assert(
      fc.asyncProperty(records, fc.nat(40), async (all, cut) => {
        const whole = await run(emptyLedger, all, 'j-1');
        const first = await run(emptyLedger, all.slice(0, cut), 'j-1');
        const second = await run(first.result, all.slice(cut), 'j-2');
        // An organization that only ever changed back and forth is in one and not in the other, and empty.
        const filled = (ledger: Ledger) =>
          JSON.stringify(content(ledger), (_, value) =>
            Array.isArray(value)
              ? value.filter(
                  (one) => !/"objects":\{\},"pending":\{\},"tombstones":\[\]/.test(JSON.stringify(one)),
                )
              : value,
          );
        assert.equal(filled(second.result), filled(whole.result));
      }),
    );
  });
});
