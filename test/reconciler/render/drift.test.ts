/** What a drift report and the sum of an apply look like, as golden texts. */
import assert from 'node:assert/strict';
import type { ApplyResult, StepResult } from '../../../reconciler/apply/apply';
import type { DriftReport } from '../../../reconciler/drift';
import { renderApplySummary } from '../../../reconciler/render/apply-summary';
import { renderDrift, renderExisting } from '../../../reconciler/render/drift';
import { renderJson } from '../../../reconciler/render/text';
import { planOf, stepOf } from '../../support/plans';

const noColour = { color: false, width: null };

function reportOf(given: Partial<DriftReport> = {}): DriftReport {
  return { organization: 'acme', items: [], unknown: [], pending: [], problems: [], ...given };
}

const resultOf = (steps: readonly StepResult[], interrupted = false): ApplyResult => ({
  steps,
  interrupted,
  counts: {
    done: steps.filter((step) => step.status === 'done').length,
    failed: steps.filter((step) => step.status === 'failed').length,
    blocked: steps.filter((step) => step.status === 'blocked').length,
    'not-tried': steps.filter((step) => step.status === 'not-tried').length,
  },
});

describe('the text of a drift report', () => {
  it('says so when nothing drifted', () => {
    assert.equal(renderDrift(reportOf(), noColour), 'No drift.\n');
  });

  it('does not pass for complete where no workspace was looked around', () => {
    const existing = { managed: 105, unmanaged: [], workspaces: 0, unread: [] };
    assert.equal(
      renderExisting(existing, noColour),
      'Managed: 105 of 105 objects that can be seen. Run triggers were not looked for: nothing here names a workspace.\n',
    );
  });

  it('lists edits that wait without counting them', () => {
    const report = reportOf({ pending: [{ address: 'OAuthClient/github', action: 'update' }] });
    assert.equal(report.items.length, 0);
    assert.equal(
      renderDrift(report, noColour),
      `Not applied yet (edits of the manifests, not drift)
    · OAuthClient/github  update

No drift. 1 edit of the manifests not applied yet.
`,
    );
  });

  it('shows each field as it was and is, what is gone with evidence, and what is unmanaged', () => {
    const report = reportOf({
      items: [
        {
          address: 'OAuthClient/github',
          kind: 'OAuthClient',
          objectId: 'oc-1',
          state: 'changed',
          fields: [
            { field: 'name', was: 'GitHub', is: 'Hacked\u001b[2J' },
            { field: 'agentPoolId', was: null, is: 'apool-1' },
            { field: 'projectIds', was: ['prj-a'], is: ['prj-b'] },
          ],
          evidence: [],
        },
        {
          address: 'RunTrigger/app/network',
          kind: 'RunTrigger',
          objectId: 'rt-1',
          state: 'gone',
          fields: [],
          evidence: [
            'run triggers of ws-app (inbound), read whole, lack it',
            'GET /run-triggers/rt-1 answers 404',
          ],
        },
        {
          address: 'RunTrigger/app/dns',
          kind: 'RunTrigger',
          objectId: 'rt-2',
          state: 'unmanaged',
          fields: [],
          evidence: ['the sources of app do not list it'],
        },
      ],
      unknown: [{ address: 'RunTrigger/web/app', why: 'the list answered 404' }],
      problems: [{ address: 'OAuthClient/twin', message: 'looks like oc-7' }],
    });
    assert.equal(report.items.length, 3);
    assert.equal(
      renderDrift(report, noColour),
      `OAuth clients
    ~ github  oc-1  changed outside Tether
              name       was "GitHub" → is "Hacked\\u{1b}[2J"
              agentPool  was none → is "apool-1"
              projects   + prj-b  - prj-a

Run triggers   target ← source
      app  - network rt-1 (gone; checked: run triggers of ws-app (inbound), read whole, lack it; GET /run-triggers/rt-1 answers 404)  + dns rt-2 (unmanaged; the sources of app do not list it)

Unknown (not readable with this token, or waiting for what is)
    ? RunTrigger/web/app  the list answered 404

Problems
    ! OAuthClient/twin  looks like oc-7

Drift: 1 changed, 1 gone, 1 unmanaged, 1 unknown, 1 problem.
`,
    );
  });
});

describe('the sum of an apply', () => {
  const step = (status: StepResult['status'], address: string, message?: string): StepResult => ({
    step: `create ${address}`,
    address,
    status,
    ...(message === undefined ? {} : { message }),
  });

  it('is one line when all went well', () => {
    assert.equal(
      renderApplySummary(resultOf([step('done', 'A/a')]), planOf({}), noColour),
      'Apply: 1 done.\n',
    );
  });

  it('ends with what has to be reconnected by hand, and to which client', () => {
    const lost = '2 workspaces (app, db) lose their VCS links and must be reconnected by hand';
    const steps = [
      { id: 'replace A/a', action: 'replace', address: 'A/a', risks: [lost] },
      { id: 'delete A/a (replaced oc-1)', action: 'delete', address: 'A/a', risks: [lost] },
      { id: 'delete A/b', action: 'delete', address: 'A/b', risks: ['no workspace uses it at present'] },
      { id: 'delete A/c', action: 'delete', address: 'A/c', risks: [lost] },
    ] as const;
    const plan = planOf({ steps: steps.map((one) => stepOf(one)) });
    const result = resultOf([
      { ...step('done', 'A/a'), step: 'replace A/a', objectId: 'oc-2' },
      { ...step('done', 'A/a'), step: 'delete A/a (replaced oc-1)' },
      { ...step('done', 'A/b'), step: 'delete A/b' },
      { ...step('failed', 'A/c'), step: 'delete A/c' },
    ]);
    assert.equal(
      renderApplySummary(result, plan, noColour),
      `Failed:
    ✖ delete A/c

Now by hand, in the version control settings of each workspace:
    ! A/a  ${lost}; connect them to oc-2

Apply: 2 done, 1 failed. Run apply again to finish.
`,
    );
  });

  it('lists what failed, was blocked, was not tried or could not be seen', () => {
    const result = resultOf(
      [
        step('done', 'A/a'),
        step('failed', 'A/b', '422 in POST /x: bad\nfix it'),
        step('blocked', 'A/c', 'needs create A/b'),
        step('not-tried', 'A/d'),
      ],
      true,
    );
    const wrong = { rule: 'a-rule', severity: 'error', message: 'wrong', path: '', address: 'A/f' } as const;
    const plan = planOf({ unknown: [{ address: 'A/e', why: 'answered 404' }], problems: [wrong] });
    assert.equal(
      renderApplySummary(result, plan, noColour),
      `Failed:
    ✖ create A/b  422 in POST /x: bad
      fix it

Blocked by a failed step:
    · create A/c  needs create A/b

Not tried:
    · create A/d

Left alone, unknown or with a problem:
    ? A/e  answered 404
    ? A/f  wrong

Interrupted: 1 done, 1 failed, 1 blocked, 1 not tried, 2 left alone. Run apply again to finish.
`,
    );
  });
});

describe('the sum of an apply that replaced a client', () => {
  const replace = stepOf({ action: 'replace', address: 'OAuthClient/a', objectId: 'oc-1' });
  const end = stepOf({ action: 'delete', address: 'OAuthClient/a', objectId: 'oc-1', reason: 'replaced' });
  const plan = planOf({ steps: [replace, end] });
  const about = { address: 'OAuthClient/a' };
  const rows = [
    ['done', 'done', /^Apply: 1 done\.\n$/],
    ['failed', 'blocked', /^Failed:\n {4}✖ replace OAuthClient\/a\n\nApply: 0 done, 1 failed\./],
    ['done', 'failed', /^Failed:\n {4}✖ delete OAuthClient\/a\n\nApply: 0 done, 1 failed\./],
    ['not-tried', 'not-tried', /^Not tried:\n.*replace OAuthClient\/a\n\nApply: 0 done, 1 not tried\./],
  ] as const;
  for (const [first, second, expected] of rows) {
    it(`counts it once, as far as it came: ${first}, then ${second}`, () => {
      const steps: StepResult[] = [
        { ...about, step: replace.id, status: first },
        { ...about, step: end.id, status: second },
      ];
      assert.match(renderApplySummary(resultOf(steps), plan, noColour), expected);
    });
  }
});

describe('the sum of an apply in which the service refused something', () => {
  it('says that running again alone does not help', () => {
    const failed = { address: 'A/a', status: 'failed' } as const;
    const done = { step: 'create A/d', address: 'A/d', status: 'done' } as const;
    const steps = [
      done,
      { ...failed, step: 'create A/a', refused: true },
      { ...failed, step: 'create A/b', refused: true },
      { ...failed, step: 'create A/c' },
    ] as const;
    assert.match(
      renderApplySummary(resultOf(steps), planOf({}), noColour),
      /^Apply: 1 done, 3 failed\. The service refused 2 steps and will again: change the manifest, or what it names at the service, then run apply again to finish\.\n$/m,
    );
  });
});

describe('the text of drift that is more than fields', () => {
  it('shows both ids of a link that has none of its own, and a problem without an address', () => {
    const report = reportOf({
      items: [
        {
          address: 'ProjectAttachment/github/payments',
          kind: 'ProjectAttachment',
          objectId: 'oc-1/prj-1',
          state: 'gone',
          fields: [],
          evidence: ['a list lacks it'],
        },
      ],
      problems: [{ address: '', message: 'a flag names nothing' }],
    });
    assert.equal(
      renderDrift(report, noColour),
      `Project attachments
      github  - payments oc-1/prj-1 (gone; checked: a list lacks it)

Problems
    ! a flag names nothing

Drift: 1 gone, 1 problem.
`,
    );
  });
});

describe('the JSON of a report', () => {
  it('holds no character that a terminal could act on, and reads back the same', () => {
    const value = { text: 'a\u001b[2J\u009bz\u202e\ud800\u{e0001}\n', list: [1] };
    const text = renderJson(value);
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Cs}]/u);
    assert.deepEqual(JSON.parse(text), value);
  });
});
