/** The limit on the losses of several plans together. */
import assert from 'node:assert/strict';
import type { Plan, Step } from '../../reconciler/plan/plan';
import { type FolderPlan, liftLimit, limitSharedLosses } from '../../reconciler/shared-limit';

const blocker = { rule: 'losses', message: 'too many', remedy: '--max-deletes 8' } as const;

const step: Step = {
  id: 'delete RunTrigger/app/network',
  action: 'delete',
  kind: 'RunTrigger',
  address: 'RunTrigger/app/network',
  key: ['RunTrigger', 'ws-app', 'ws-network'],
  reason: 'removed-from-manifest',
  because: 'no longer in the manifest',
  needs: [],
};

function planWith(count: number, limit: number, more: Partial<Plan> = {}): Plan {
  return {
    organization: 'acme',
    address: 'https://tether.example/api/v2',
    profileName: 'default',
    ledger: { place: 'tether.ledger.json', lineage: 'one', serial: 1, objects: 1 },
    steps: count === 0 ? [] : [step],
    problems: [],
    unknown: [],
    blockers: [],
    losses: { count, limit },
    notes: [],
    unchanged: 0,
    toRecord: [],
    ...more,
  };
}

const named = (plans: readonly Plan[]): readonly FolderPlan[] =>
  plans.map((plan, index) => ({ path: `f${index + 1}`, plan }));

const remedies = (plans: readonly Plan[], maxDeletes?: number) =>
  limitSharedLosses(named(plans), maxDeletes).blockers.map(({ remedy }) => remedy);

describe('the limit of several plans together', () => {
  const small = Array.from({ length: 29 }, () => planWith(5, 5));

  it('is the largest of the plans that do something', () => {
    assert.deepEqual(remedies([planWith(5, 5), planWith(5, 12)]), []);
    assert.deepEqual(remedies(small), ['--max-deletes 145']);
    assert.deepEqual(remedies([planWith(0, 300), ...small]), ['--max-deletes 145']);
  });

  it('leaves out a plan that is blocked', () => {
    assert.deepEqual(remedies([planWith(5, 5), planWith(8, 5, { blockers: [blocker] })]), []);
  });

  it('is lifted for a folder by a number that covers its own losses', () => {
    const plan = planWith(8, 5, { blockers: [blocker] });
    assert.deepEqual(liftLimit(plan, 8).blockers, []);
    // The number would be for the sum, where other folders have losses too.
    const alone = [{ ...blocker, remedy: '--max-deletes 8 in a command for this folder alone' }];
    const either = alone.map(({ remedy, ...rest }) => ({
      ...rest,
      remedy: `${remedy}, or here a number for the losses of all folders`,
    }));
    for (const maxDeletes of [7, 0, undefined])
      assert.deepEqual(liftLimit(plan, maxDeletes).blockers, either);
    assert.deepEqual(liftLimit(planWith(8, 0, { blockers: [blocker] }), 8).blockers, alone);
  });

  it('notes a flag that nothing needs, also not a folder that is blocked for another reason', () => {
    const notes = (plans: readonly Plan[]) => limitSharedLosses(named(plans), 40).notes;
    assert.equal(notes([planWith(2, 5)]).length, 1);
    assert.equal(notes([planWith(2, 5), planWith(8, 5, { blockers: [blocker] })]).length, 0);
  });

  it('names the folders that lose most, what is blocked without the others, and both ways on', () => {
    const plans = [2, 0, 4, 1, 1, 1, 1, 1, 1].map((count) => planWith(count, 5));
    const blocked = planWith(8, 5, { blockers: [blocker] });
    const [shared] = limitSharedLosses(named([...plans, blocked]), undefined).blockers;
    assert.equal(
      shared?.message,
      'First resolve what blocks f10, whose losses are not counted here. These plans together have 12 losses (deletions, and managed objects missing), and the largest limit of one folder is 5: f3 (4), f1 (2), f4 (1), f5 (1), f6 (1), f7 (1) and 2 more folders. Check first what these folders share, such as a template. If all of this is meant, add the flag, or apply one folder after the other.',
    );
    assert.equal(shared.folders.length, 8);
    assert.deepEqual(shared.folders[0], { folder: 'f3', losses: 4 });
  });
});
