/** Any run of records folds to one ledger, however often it is folded and wherever it is cut. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseLedger } from '../../../reconciler/ledger/file';
import { foldJournal, journalHeader, parseJournal } from '../../../reconciler/ledger/journal';
import {
  emptyLedger,
  type JournalRecord,
  type Ledger,
  serializeLedger,
} from '../../../reconciler/ledger/ledger';
import { LedgerState } from '../../../reconciler/ledger/state';
import { at, clientObject, startOf } from '../../support/ledger-samples';

const key = fc.constantFrom('OAuthClient/a', 'OAuthClient/b', 'OAuthClient/c');
const id = fc.constantFrom('oc-1', 'oc-2', 'oc-3');
const nonce = fc.constantFrom('n-1', 'n-2');
const start = fc.record({ at: fc.constant(at) });
const fresh = { ...emptyLedger('acme'), lineage: 'lineage-1' };
const header = journalHeader(startOf({ serial: 0 }), at);

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
function run(ledger: Ledger, records: readonly JournalRecord[], journal: string) {
  const written: JournalRecord[] = [];
  const state = new LedgerState(ledger);
  for (const one of records) {
    try {
      state.accept(one);
      written.push(one);
    } catch {}
  }
  return { written, result: state.ledger(journal) };
}

/** Without what counts runs. */
function content({ serial: _, journal: __, ...ledger }: Ledger): string {
  return serializeLedger({ ...ledger, serial: 0 });
}

describe('any run of records', () => {
  const records = fc.array(record, { maxLength: 40 });

  it('folds from its journal to the ledger it had in memory, which can be written and read', () => {
    fc.assert(
      fc.property(records, (all) => {
        const { written, result } = run(fresh, all, 'j-1');
        const text = header + written.map((one) => `${JSON.stringify(one)}\n`).join('');
        const folded = foldJournal(null, parseJournal(text, 'x'), 'x') ?? fresh;
        assert.equal(serializeLedger(folded), serializeLedger(result));
        const read = parseLedger(serializeLedger(folded), 'x');
        assert.equal(serializeLedger(read), serializeLedger(folded));
        assert.equal(foldJournal(read, parseJournal(text, 'x'), 'x'), read);
      }),
    );
  });

  it('gives the same whether it ran through or was cut off anywhere and went on', () => {
    fc.assert(
      fc.property(records, fc.nat(40), (all, cut) => {
        const whole = run(fresh, all, 'j-1');
        const first = run(fresh, all.slice(0, cut), 'j-1');
        const second = run(first.result, all.slice(cut), 'j-2');
        assert.equal(content(second.result), content(whole.result));
      }),
    );
  });
});
