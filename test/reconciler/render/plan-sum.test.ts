/** How a plan is summed up: actions, what else there is, and what stops it where. */
import assert from 'node:assert/strict';
import { renderBlockers } from '../../../reconciler/render/plan';
import { summarize, summaryLine } from '../../../reconciler/render/summary';
import { planOf, stepOf } from '../../support/plans';

describe('the sum of a plan', () => {
  it('names every action and what else there is', () => {
    const actions = ['create', 'adopt', 'update', 'replace', 'delete', 'move', 'forget', 'cleanup'] as const;
    const plan = planOf({
      steps: actions.map((action) => stepOf({ action, address: 'OAuthClient/a' })),
      unknown: [{ address: 'A/b', why: 'unseen' }],
      unchanged: ['A/c'],
    });
    assert.equal(
      summaryLine(summarize(plan)),
      'Plan: 1 to create, 1 to adopt, 1 to update, 1 to replace, 1 to delete, 1 to move, 1 to forget, 1 to clean up, 1 unknown, 1 unchanged.',
    );
  });
});

describe('the sum of a plan without steps', () => {
  it('does not say that there is nothing to do while something is unknown or wrong', () => {
    const problems = [
      { rule: 'a-rule', severity: 'error', message: 'wrong', path: '', address: 'A/b' } as const,
    ];
    const plan = planOf({ unknown: [{ address: 'A/a', why: 'unseen' }], problems, unchanged: ['A/c'] });
    assert.equal(summaryLine(summarize(plan)), 'Plan: 1 unknown, 1 problem, 1 unchanged.');
  });
});

describe('the text of stops', () => {
  it('names what each is about, where it is about one thing', () => {
    const plan = planOf({
      blockers: [
        { code: 'too-many-deletes', message: '8 deletes' },
        { code: 'protected', address: 'A/b', message: 'is protected' },
      ],
    });
    assert.equal(
      renderBlockers(plan, { color: false, width: null }),
      `Stopped before the first write; nothing was changed.

Blocked: too many deletes; 1 object is protected
    ✖ 8 deletes
    ✖ A/b  is protected
`,
    );
  });
});
