/** Plans, results and drift reports as text and Markdown: each value is printed whole. */
import assert from 'node:assert/strict';
import type { ApplyResult } from '../../../reconciler/apply/run';
import type { DriftReport } from '../../../reconciler/drift';
import type { Plan, Step, StepMember } from '../../../reconciler/plan/plan';
import { driftReport } from '../../../reconciler/render/drift';
import { type Overview, renderMarkdown } from '../../../reconciler/render/markdown';
import { planReport } from '../../../reconciler/render/plan';
import { type Report, sectionsByKind } from '../../../reconciler/render/report';
import { applyReport } from '../../../reconciler/render/result';
import { renderJson, renderTable, renderText } from '../../../reconciler/render/text';

const ledger = { place: 'tether.ledger.json', lineage: '6f0c', serial: 41, objects: 12 };
const empty: Plan = {
  organization: 'acme',
  address: 'https://app.example.com/api/v2',
  profileName: 'default',
  ledger,
  steps: [],
  problems: [],
  unknown: [],
  blockers: [],
  losses: { count: 0, limit: 5 },
  notes: [],
  unchanged: 12,
  toRecord: [],
};

function step(
  action: Step['action'],
  address: string,
  more: { readonly [Name in StepMember]?: unknown } = {},
): Step {
  const [kind = '', ...parts] = address.split('/');
  const none = { inputs: {}, secrets: {}, changes: [], values: {}, needs: [], risks: [] };
  const because = 'in the manifest, not on the service yet';
  const known = { id: `${action} ${address}`, action, kind, address, key: [kind, ...parts] as const };
  return { ...known, reason: 'new', because, ...none, ...more } as Step;
}

const naming = {
  displayName: (id: string) => (id === 'prj-1' ? 'payments' : id),
  again: (command: string) => `tether ${command} infra`,
};

const shown = (report: Report) => renderText(report, false);
const planText = (plan: Partial<Plan>) => shown(planReport({ ...empty, ...plan }, 'd1', naming));

const full: Partial<Plan> = {
  steps: [
    step('create', 'OAuthClient/github', {
      inputs: { organization: 'acme', name: 'GitHub', agentPoolId: null, projectIds: ['prj-1'] },
      secrets: { oauthTokenString: { fromEnv: 'GIT_TOKEN' } },
    }),
    step('update', 'OAuthClient/hub', {
      reason: 'conflict',
      because: 'changed by both sides',
      objectId: 'oc-2',
      secrets: { secret: { fromEnv: 'HUB_SECRET' } },
      changes: [
        { field: 'name', from: 'Theirs', to: 'Ours', baseline: 'Before' },
        { field: 'organizationScoped', from: true, to: false },
        { field: 'secret', secret: 'unknown' },
      ],
      risks: ['narrower scope'],
    }),
    step('replace', 'OAuthClient/lab', {
      because: 'httpUrl cannot change in place',
      objectId: 'oc-3',
      inputs: { name: 'Lab', projectIds: ['prj-1'], httpUrl: 'https://b.test' },
      observed: { name: 'Lab', projectIds: ['prj-1', 'prj-3'], httpUrl: 'https://a.test' },
      changes: [{ field: 'httpUrl', from: 'https://a.test', to: 'https://b.test' }],
      risks: ['10 workspaces lose their VCS link'],
      approval: { action: 'replace', address: 'OAuthClient/lab', id: 'oc-3', given: false },
    }),
    step('create', 'RunTrigger/app/network'),
    step('create', 'RunTrigger/app/dns'),
    step('delete', 'RunTrigger/app/jobs', {
      reason: 'not-in-exact-set',
      because: 'not listed under the sources of app, which is an exact set',
      objectId: 'rt-1',
      unmanaged: true,
    }),
  ],
  unknown: [
    {
      address: 'RunTrigger/web/app',
      message: 'RunTrigger/web/app is left alone.',
      line: 'forget: [RunTrigger/web/app]',
    },
  ],
  problems: [
    {
      rule: 'possible-match',
      address: 'OAuthClient/two',
      message: 'oc-8 looks like it\ncreated 2026',
      line: 'id: oc-8',
      at: { file: 'a.tether.yaml', line: 3, column: 5 },
    },
  ],
  notes: [{ address: 'OAuthClient/hub', message: 'not authorized yet: open https://x.test' }],
  blockers: [
    {
      rule: 'approval',
      address: 'OAuthClient/lab',
      message: 'replacing it destroys oc-3',
      remedy: '{ replace: OAuthClient/lab, id: oc-3 }',
    },
    { rule: 'losses', message: '8 deletes; the limit is 5', remedy: '--max-deletes 8' },
  ],
};

const fullText = `acme at app.example.com · ledger tether.ledger.json: lineage 6f0c, serial 41, 12 objects

OAuth clients
  + OAuthClient/github
      name              "GitHub"
      agentPool         none
      projects          [payments]
      oauthTokenString  (secret, new)
  ~ OAuthClient/hub     oc-2 changed by both sides
      name                "Theirs" → "Ours"  (conflict: both sides changed "Before"; the manifest wins)
      organizationScoped  true → false
      secret              (secret, will be written: the value that is there is unknown)
      ! narrower scope
  ± OAuthClient/lab     oc-3 httpUrl cannot change in place
      httpUrl  "https://a.test" → "https://b.test"
      keeps name
      ! 10 workspaces lose their VCS link
      needs approval, see below

Run triggers (target ← source)
  + app ← network, dns
  - app ← jobs          rt-1 unmanaged: not listed under the sources of app, which is an exact set

Unknown or waiting: left unchanged
  ? RunTrigger/web/app is left alone.
      to end this, write: forget: [RunTrigger/web/app]

Problems: skipped until you fix them
  ! OAuthClient/two  oc-8 looks like it
      created 2026
      at a.tether.yaml:3:5
      to end this, write: id: oc-8

Notes
  · OAuthClient/hub  not authorized yet: open https://x.test

Blocked: nothing is written until these are resolved
  ✖ OAuthClient/lab  replacing it destroys oc-3
  ✖ 8 deletes; the limit is 5
      to go on, add --max-deletes 8

To approve, paste into a manifest
approved:
  - { replace: OAuthClient/lab, id: oc-3 }

Plan: 3 to create, 1 to update, 1 to replace, 1 to delete (1 unmanaged). 12 unchanged. 1 unknown, 1 problem, 2 blockers.
Digest: d1
Next: resolve what blocks it, then run this command again
`;

describe('a plan as text', () => {
  it('shows ledger, steps by kind, fields, risks, what is left alone, blockers, counts and digest', () => {
    assert.equal(planText(full), fullText);
  });

  const adopt = step('adopt', 'RunTrigger/app/network', { reason: 'found' });
  const ends: readonly (readonly [string, Partial<Plan>, RegExp])[] = [
    ['nothing to do', {}, /^No changes\. 12 objects up to date\.\nDigest: d1\n$/m],
    [
      'only the ledger',
      { steps: [adopt, step('forget', 'RunTrigger/a/b')] },
      /^Next: tether apply infra \(changes only the ledger\)$/m,
    ],
    ['a change', { steps: [adopt, step('delete', 'RunTrigger/a/b')] }, /^Next: tether apply infra$/m],
    [
      'a change beside a problem',
      { steps: [step('delete', 'RunTrigger/a/b')], problems: full.problems ?? [] },
      /^Next: tether apply infra \(leaves 1 problem as shown above\)$/m,
    ],
    [
      'no ledger yet',
      { ledger: { ...ledger, serial: 0 } },
      /^acme at app\.example\.com · ledger tether\.ledger\.json: not written yet, so nothing counts as managed$/m,
    ],
  ];
  for (const [name, plan, expected] of ends) {
    it(`leads on from ${name}`, () => assert.match(planText(plan), expected));
  }

  it('escapes what a terminal would obey, and colours only where it is asked to', () => {
    const notes = [{ address: 'OAuthClient/a', message: 'evil \u001b[2J' }];
    assert.match(planText({ notes }), /evil \\u\{1b\}\[2J/);
    assert.ok(renderText(planReport(empty, 'd1', naming), true).includes('\u001b[1mNo changes'));
    assert.ok(!renderJson({ text: '\u001b' }).includes('\u001b'));
  });
});

describe('the result of an apply as text', () => {
  const result: ApplyResult = {
    steps: [
      { step: '1', address: 'OAuthClient/github', status: 'done', objectId: 'oc-1' },
      { step: '2', address: 'RunTrigger/app/dns', status: 'done', objectId: 'rt-1' },
      { step: '3', address: 'RunTrigger/app/network', status: 'failed', message: 'refused (422)' },
      { step: '4', address: 'RunTrigger/app/jobs', status: 'blocked', message: 'needs 3' },
    ],
    counts: { done: 2, failed: 1, blocked: 1, 'not-tried': 0 },
    interrupted: false,
  };

  it('names what was not done and why, and the ids of new clients', () => {
    const next = /^Next: tether apply infra \(does what is left\)$/m;
    assert.match(shown(applyReport({ ...result, interrupted: true }, empty, naming)), next);
    assert.equal(
      shown(applyReport(result, empty, naming)),
      `acme at app.example.com · ledger tether.ledger.json

Failed
  ✖ RunTrigger/app/network  refused (422)

Blocked by a failed step
  · RunTrigger/app/jobs  needs 3

Done
  ✓ OAuthClient/github  oc-1
  ✓ 1 more, as the plan shows

Apply: 2 done, 1 failed, 1 blocked.
Next: fix the cause, then tether apply infra (does what is left)
`,
    );
  });
});

describe('drift as text', () => {
  const report: DriftReport = {
    organization: 'acme',
    address: 'https://app.example.com/api/v2',
    ledger,
    rows: [
      {
        kind: 'OAuthClient',
        address: 'OAuthClient/hub',
        objectId: 'oc-2',
        state: 'changed',
        changes: [{ field: 'name', was: 'Hub', is: 'Hacked' }],
        evidence: [],
      },
      {
        kind: 'RunTrigger',
        address: 'RunTrigger/app/dns',
        state: 'missing',
        changes: [],
        evidence: ['not in the list of inbound run triggers of ws-app'],
      },
      {
        kind: 'RunTrigger',
        address: 'RunTrigger/app/web',
        state: 'missing',
        changes: [],
        evidence: ['GET returned 404'],
      },
    ],
    unknown: [],
    unmanagedLinks: ['RunTrigger/app/jobs'],
    unmanaged: { OAuthClient: 2, RunTrigger: 1 },
    unchanged: 10,
  };

  it('shows each field as it was and is, the evidence, and what is unmanaged', () => {
    assert.equal(
      shown(driftReport(report, naming)),
      `acme at app.example.com · ledger tether.ledger.json: lineage 6f0c, serial 41, 12 objects

OAuth clients
  ~ OAuthClient/hub  oc-2  changed outside Tether
      name  was "Hub", is "Hacked"

Run triggers (target ← source)
  - app ← dns  not there any more
      checked: not in the list of inbound run triggers of ws-app
  - app ← web  not there any more
      checked: GET returned 404

Unmanaged links of workspaces and clients that this folder names
  · RunTrigger/app/jobs

Drift: 1 changed, 2 missing. 10 as last applied. 1 unmanaged link.
Unmanaged, as far as it was read: 2 OAuthClients, 1 RunTrigger.
Next: tether plan infra (shows how to put back what the manifests say)
`,
    );
  });
});

describe('the reason of a row', () => {
  it('stands only where its mark does not say it', () => {
    const because = 'a reason';
    const silent = [
      ['create', 'new'],
      ['update', 'manifest-changed'],
      ['delete', 'removed-from-manifest'],
      ['delete', 'destroy'],
    ] as const;
    const spoken = [
      ['create', 'gone'],
      ['update', 'changed-elsewhere'],
      ['replace', 'manifest-changed'],
      ['delete', 'not-in-exact-set'],
      ['move', 'renamed'],
      ['adopt', 'taken-over'],
      ['forget', 'already-gone'],
    ] as const;
    for (const [rows, isShown] of [
      [silent, false],
      [spoken, true],
    ] as const) {
      for (const [action, reason] of rows) {
        const text = planText({ steps: [step(action, 'OAuthClient/hub', { reason, because })] });
        assert.equal(text.includes(because), isShown, `${action} ${reason}`);
      }
    }
  });
});

describe('the rows of one pair', () => {
  it('stay apart where they have lines of their own', () => {
    const items = ['rt-1', 'rt-2'].map((id) => ({ kind: 'RunTrigger', id }));
    const toRow = ({ id }: { id: string }) => {
      const lines = [{ text: 'checked: the list' }];
      return { mark: 'added', title: 'RunTrigger/app/network', text: id, lines } as const;
    };
    const [section] = sectionsByKind(items, toRow);
    assert.deepEqual(
      section?.rows.map(({ title, text }) => [title, text]),
      [
        ['app ← network', 'rt-1'],
        ['app ← network', 'rt-2'],
      ],
    );
  });
});

describe('Markdown', () => {
  const report = planReport({ ...empty, ...full }, 'd1', naming);
  const stamp = 'Tether 1.2.3, 2026-01-01T00:00:00Z';
  const overview: Overview = {
    summary: '2 folders: 1 without changes, 1 failed',
    heading: ['Folder', 'Result'],
    urgentRows: [['a|b', 'failed']],
    finishedRows: [['d', 'no changes']],
    sections: [],
  };

  it('has the rows of the text, with the signs that colour a diff', () => {
    const text = renderMarkdown('plan', [{ folder: '.', title: 'Tether plan of acme', report }], stamp, null);
    assert.match(text, /^<!-- tether plan -->\n\n### Tether plan of acme\n\n\*\*Plan: 3 to create/);
    assert.match(text, /^```diff\n\+ \+ app ← network, dns\n- - app ← jobs/m);
    assert.match(text, /^```yaml\napproved:\n {2}- \{ replace: OAuthClient\/lab, id: oc-3 \}\n```/m);
    assert.doesNotMatch(text, /^\| Folder/m);
  });

  it('has a table and folded chapters for several folders, and the reason where one failed', () => {
    const chapters = [
      { folder: 'a<b', title: 'done', report },
      { folder: 'c', title: 'error', failure: 'no token ``` set' },
    ];
    const text = renderMarkdown('plan', chapters, stamp, overview);
    assert.match(
      text,
      /^<!-- tether plan -->\n\n\*\*2 folders: 1 without changes, 1 failed\*\*\n\n\| Folder/,
    );
    assert.match(text, /^\| Folder \| Result \|\n\| --- \| --- \|\n\| `a\\\|b` \| `failed` \|$/m);
    assert.match(
      text,
      /^<details><summary>1 that need nothing<\/summary>\n\n\| Folder .*\n.*\n\| `d` \| `no changes` \|\n<\/details>$/m,
    );
    assert.ok(text.endsWith(`\n\n${stamp}\n`));
    assert.match(text, /^<details><summary><code>a&lt;b<\/code>: done<\/summary>$/m);
    assert.match(text, /^````text\nno token ``` set\n````$/m);
  });

  it('stays below the limit of a comment, and counts the rows that it leaves out', () => {
    const steps = Array.from({ length: 3_000 }, (_, index) =>
      step('delete', `RunTrigger/app${index}/network`),
    );
    const large = planReport({ ...empty, steps }, 'd1', naming);
    const text = renderMarkdown('plan', [{ folder: '.', title: 'large', report: large }], stamp, null);
    assert.ok(text.length < 65_536, String(text.length));
    assert.match(text, /\*\*Not shown here: \d+ of these rows\. The log of this run has them\.\*\*/);
  });

  it('keeps what blocks and the lines to paste where even the deletes are too many', () => {
    const approval = { action: 'destroy', address: 'OAuthClient/old', id: 'oc-1', given: false } as const;
    const deletes = Array.from({ length: 3_000 }, (_, index) =>
      step('delete', `RunTrigger/app${index}/network`),
    );
    const steps = [...deletes, step('delete', 'OAuthClient/old', { approval })];
    const message = 'Destroying OAuthClient/old needs an approval.';
    const blockers: Plan['blockers'] = [{ rule: 'approval', message, remedy: 'approved: […]' }];
    const crowdedReport = planReport({ ...empty, steps, blockers }, 'd1', naming);
    const several = [{ folder: 'a', title: 'blocked', report: crowdedReport }];
    for (const about of [null, overview]) {
      const text = renderMarkdown('plan', several, stamp, about);
      assert.ok(text.length < 65_536, String(text.length));
      assert.match(text, /Not shown here: \d+ of these rows/);
      assert.ok(text.includes(message));
      assert.match(text, /^```yaml\napproved:\n {2}- \{ destroy: OAuthClient\/old, id: oc-1 \}\n```/m);
    }
  });

  /** A plan with many creates before what must not be cut. */
  const crowded = (folder: string) => {
    const creates = Array.from({ length: 6_000 }, (_, index) =>
      step('create', `RunTrigger/${folder}-${index}/network`),
    );
    const urgent = [
      step('delete', `RunTrigger/z-${folder}/deleted`),
      step('replace', `OAuthClient/replaced-${folder}`, {
        approval: { action: 'replace', address: `OAuthClient/replaced-${folder}`, id: 'oc-1', given: false },
      }),
    ];
    const problems = [
      { rule: 'possible-match', address: `OAuthClient/problem-${folder}`, message: 'is wrong' } as const,
    ];
    const blockers: Plan['blockers'] = [
      {
        rule: 'losses',
        address: `OAuthClient/blocker-${folder}`,
        message: 'no',
        remedy: '--max-deletes 9',
      },
    ];
    return planReport({ ...empty, steps: [...creates, ...urgent], problems, blockers }, 'd1', naming);
  };

  it('keeps deletes, replaces, problems and blockers where it is cut, in every folder', () => {
    for (const count of [1, 30, 120]) {
      const chapters = Array.from({ length: count }, (_, index) => {
        const report = index % 5 === 0 ? crowded(`f${index}`) : planReport(empty, 'd1', naming);
        return { folder: `f${index}`, title: 'changes', report };
      });
      const urgentRows = chapters.map(({ folder }) => [folder, 'changes']);
      const text = renderMarkdown('plan', chapters, stamp, count === 1 ? null : { ...overview, urgentRows });
      assert.ok(text.length < 65_536, String(text.length));
      assert.match(text, /Not shown here: \d+ of these rows/);
      for (let index = 0; index < count; index += 5) {
        for (const what of ['z-f# ← deleted', 'OAuthClient/replaced-f#', 'problem-f#', 'blocker-f#']) {
          assert.ok(text.includes(what.replace('#', String(index))), `${what} of ${index} in ${count}`);
        }
        assert.ok(text.includes(`{ replace: OAuthClient/replaced-f${index}, id: oc-1 }`));
      }
    }
  });

  it('counts the folders that it leaves out, and keeps those that failed', () => {
    const chapters = Array.from({ length: 400 }, (_, index) => {
      const report = planReport(empty, 'd1', naming);
      return index === 399
        ? { folder: 'last', title: 'error', failure: 'no token' }
        : { folder: `f${index}`, title: 'done', report };
    });
    const text = renderMarkdown('plan', chapters, stamp, overview);
    assert.match(text, /<code>last<\/code>: error<\/summary>[\s\S]*no token/);
    assert.match(text, /Not shown here: 399 of these blocks/);
  });
});

describe('a table', () => {
  it('pads its cells', () => {
    assert.equal(
      renderTable([
        ['Folder', 'Result'],
        ['a', 'done'],
      ]),
      'Folder  Result\na       done\n',
    );
  });
});
