/** What an address stands for while an apply runs: what the plan names, else what was made by then. */
import assert from 'node:assert/strict';
import { References, Stale } from '../../../reconciler/apply/task';
import { emptyLedger } from '../../../reconciler/ledger/ledger';
import { RunningLedger } from '../../../reconciler/ledger/state';
import { planOf, stepOf } from '../../support/plans';
import { clientInLedger } from '../../support/pure-world';

describe('an address while an apply runs', () => {
  const address = 'OAuthClient/github';
  const book = () => new RunningLedger(emptyLedger('acme'), { append: async () => {} }, () => new Date(0));
  const references = (held: RunningLedger, ...steps: Parameters<typeof stepOf>[0][]) =>
    new References(planOf({ steps: steps.map(stepOf) }), held);

  for (const action of ['adopt', 'update', 'move'] as const) {
    it(`stands for the object of its ${action} before that is done`, () => {
      assert.equal(references(book(), { action, address, objectId: 'oc-1' }).idOf(address), 'oc-1');
    });
  }

  it('stands for nothing before its create, and then for what was made', async () => {
    const held = book();
    const known = references(held, { action: 'create', address });
    assert.throws(() => known.resolve({ oauthClientId: { address } }), Stale);
    await held.write({
      event: 'object',
      key: address,
      object: clientInLedger('oc-2', {}),
    });
    assert.deepEqual(known.resolve({ oauthClientId: { address }, projectId: 'prj-1' }), {
      oauthClientId: 'oc-2',
      projectId: 'prj-1',
    });
  });

  it('does not stand for the old object of its replacement', () => {
    const known = references(book(), { action: 'replace', address, objectId: 'oc-1' });
    assert.equal(known.idOf(address), undefined);
  });
});
