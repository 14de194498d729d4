/** What a plan looks like to a reviewer, as golden texts. */
import assert from 'node:assert/strict';
import { plain } from '../../../client/text';
import type { Plan } from '../../../reconciler/plan/plan';
import { renderBlockers, renderPlan } from '../../../reconciler/render/plan';
import { showValue } from '../../../reconciler/render/text';
import { planOf, stepOf } from '../../support/plans';

const noColour = { color: false, width: null };

const create = stepOf({
  action: 'create',
  address: 'OAuthClient/github',
  changes: [
    { field: 'name', to: 'GitHub' },
    { field: 'oauthTokenString', secret: 'new' },
    { field: 'projectIds', to: ['prj-b', 'prj-a'] },
  ],
});

const golden: readonly (readonly [string, Plan, string])[] = [
  ['nothing to do', planOf({ unchanged: ['OAuthClient/github'] }), 'No changes. 1 object up to date.\n'],
  [
    'a create with a secret and a set',
    planOf({ steps: [create] }),
    `OAuth clients
    + github  name              "GitHub"
              oauthTokenString  (secret, new)
              projects          [prj-a, prj-b]

Plan: 1 to create.
`,
  ],
  [
    'an update with a risky field, a set, a long key and a conflict',
    planOf({
      unchanged: ['RunTrigger/app/network'],
      steps: [
        stepOf({
          action: 'update',
          address: 'OAuthClient/github',
          objectId: 'oc-1',
          reason: 'manifest-changed',
          because: 'the manifest changed',
          risks: ['a changed key can break connections'],
          changes: [
            { field: 'key', from: 'old', to: 'new', risk: 'a changed key can break connections' },
            { field: 'projectIds', from: ['prj-a', 'prj-b'], to: ['prj-b', 'prj-c'] },
            { field: 'rsaPublicKey', from: null, to: 'ssh-rsa AAA\nBBB\nCCC\n' },
            { field: 'name', from: 'Theirs', to: 'Ours', baseline: 'Before', conflict: true },
            { field: 'secret', secret: 'changed' },
            { field: 'protect', from: false, to: true, local: true },
          ],
        }),
      ],
    }),
    `OAuth clients
    ~ github  oc-1
              ! key           "old" → "new"
                projects      + prj-c  - prj-a
                rsaPublicKey  none → "ssh-rsa AAA" … (3 lines)
                name          "Theirs" → "Ours"
                              conflict: both sides changed it; the manifest wins
                                last applied         "Before"
                                changed elsewhere to "Theirs"
                                the manifest says    "Ours"
                secret        (secret, changed)
                protect       false → true  (in the ledger only)
              ! a changed key can break connections

Plan: 1 to update, 1 unchanged.
`,
  ],
  [
    'a replacement that lacks approval, and the destroy it ends with',
    planOf({
      steps: [
        stepOf({
          action: 'replace',
          address: 'OAuthClient/github',
          objectId: 'oc-1',
          reason: 'manifest-changed',
          because: 'the manifest changed',
          changes: [
            { field: 'httpUrl', from: 'https://a', to: 'https://b', risk: 'unlinks' },
            { field: 'name', from: 'GitHub', to: 'GitHub' },
          ],
          secrets: { secret: { fromEnv: 'SECRET' } },
          risks: ['unlinks an unknown number of workspaces from their repositories'],
          approval: {
            action: 'replace',
            id: 'oc-1',
            given: false,
            line: '- { replace: OAuthClient/github, id: oc-1 }',
          },
        }),
        stepOf({
          action: 'delete',
          address: 'OAuthClient/github',
          objectId: 'oc-1',
          reason: 'replaced',
          because: 'the new one has taken its place',
          risks: ['unlinks an unknown number of workspaces from their repositories'],
        }),
      ],
      blockers: [
        {
          code: 'approval',
          address: 'OAuthClient/github',
          message: 'replacing it is not approved',
          line: '- { replace: OAuthClient/github, id: oc-1 }',
        },
      ],
    }),
    `OAuth clients
  -/+ github  oc-1  a new one takes its place
              ! httpUrl  "https://a" → "https://b"  (cannot change in place)
                secret   (secret, new)
              carried over: name "GitHub"
              ! unlinks an unknown number of workspaces from their repositories
              needs approval, see below

Blocked: 1 change needs approval. Add under \`approved:\` in a manifest, if it is meant
    - { replace: OAuthClient/github, id: oc-1 }

Plan: 1 to replace.
`,
  ],
  [
    'the destroy that an interrupted replacement left, with its risk',
    planOf({
      steps: [
        stepOf({
          action: 'delete',
          address: 'OAuthClient/github',
          objectId: 'oc-1',
          reason: 'replaced',
          because: 'the new one has taken its place',
          risks: ['unlinks 3 workspaces'],
          approval: { action: 'destroy', id: 'oc-1', given: true, line: '' },
        }),
      ],
    }),
    `OAuth clients
    - github  oc-1  the new one has taken its place
              ! unlinks 3 workspaces
              approved

Plan: 1 to delete.
`,
  ],
  [
    'what cannot be seen, is wrong, is said and is unmanaged',
    planOf({
      steps: [
        stepOf({
          action: 'delete',
          address: 'RunTrigger/app/dns',
          objectId: 'rt-9',
          because: 'not among the sources of app',
          unmanaged: true,
        }),
        stepOf({
          action: 'move',
          address: 'OAuthClient/new',
          movedFrom: 'OAuthClient/old',
          objectId: 'oc-1',
          because: 'renamed in the manifest',
        }),
      ],
      unknown: [{ address: 'RunTrigger/app/secret', why: 'the list answered 404' }],
      problems: [
        {
          address: 'OAuthClient/twin',
          rule: 'possible-match',
          severity: 'error',
          path: '',
          message: 'looks like oc-7; add one of:\n  id: oc-7\n  allowDuplicate: true',
          at: { file: 'a.tether.yaml', line: 3, column: 5 },
        },
      ],
      warnings: [{ rule: 'spent', severity: 'warning', path: '', message: 'this approval is spent' }],
      notes: [{ address: 'OAuthClient/github', code: 'connect', text: 'open /auth/x to finish connecting' }],
      unchanged: ['OAuthClient/github'],
    }),
    `OAuth clients
    → new  oc-1  from old

Run triggers   target ← source
      app  - dns rt-9 (unmanaged: not among the sources of app)

Unknown (not readable with this token, or waiting for what is): left unchanged
    ? RunTrigger/app/secret  the list answered 404

Problems: skipped until you fix them
    ! OAuthClient/twin  looks like oc-7; add one of:
        id: oc-7
        allowDuplicate: true (a.tether.yaml:3:5)

Warnings
    ! this approval is spent

Notes
    · OAuthClient/github  open /auth/x to finish connecting

Plan: 1 to delete, 1 to move, 1 unknown, 1 problem, 1 unchanged.
`,
  ],
  [
    'a plan that only lets go',
    planOf({
      steps: [stepOf({ action: 'forget', address: 'OAuthClient/legacy', because: 'told to forget it' })],
    }),
    `OAuth clients
    ∅ legacy  told to forget it

Plan: 1 to forget.
`,
  ],
];

describe('the text of a value', () => {
  const values: readonly (readonly [string, Parameters<typeof showValue>[0], string])[] = [
    ['unknown', undefined, 'unknown'],
    ['none', null, 'none'],
    ['a boolean', false, 'false'],
    ['an object that has no id yet', { address: 'OAuthClient/github' }, 'OAuthClient/github'],
    ['an empty text', '', '""'],
    ['a line with a break at its end', 'one\n', '"one"'],
    ['a long first line of several', `${'x'.repeat(50)}\ny`, `"${'x'.repeat(40)}…" … (2 lines)`],
    ['a line without end', 'x'.repeat(1_000_000), `"${'x'.repeat(200)}…" (1000000 characters)`],
    ['no member', [], '[]'],
    ['members, in order', ['b', 'a'], '[a, b]'],
  ];
  for (const [name, value, text] of values) {
    it(`shows ${name}`, () => {
      assert.equal(showValue(value), text);
    });
  }
});

describe('text from elsewhere', () => {
  it('stays on one line, with nothing in it that a terminal acts on', () => {
    assert.equal(plain('a\nb\tc\rd\u0007e\u200bf\u2028g'), 'a\\nb\\tc\\rd\\u{7}e\\u{200b}f\\u{2028}g');
    assert.equal(plain('Grüße, 日本 ✓'), 'Grüße, 日本 ✓');
  });
});

describe('the text of a replacement', () => {
  it('shows the secrets that the new object needs again, and not twice', () => {
    const source = { fromEnv: 'S' };
    const step = stepOf({
      action: 'replace',
      address: 'OAuthClient/github',
      objectId: 'oc-1',
      reason: 'manifest-changed',
      because: 'the manifest changed',
      secrets: { secret: source, oauthTokenString: source },
      changes: [
        { field: 'oauthTokenString', secret: 'changed' },
        { field: 'key', from: 'k', to: 'k' },
      ],
    });
    const update = stepOf({
      ...step,
      action: 'update',
      changes: [{ field: 'oauthTokenString', secret: 'changed' }],
    });
    assert.equal(
      renderPlan(planOf({ steps: [step, update] }), noColour),
      `OAuth clients
  -/+ github  oc-1  a new one takes its place
              oauthTokenString  (secret, changed; cannot change in place)
              secret            (secret, new)
              carried over: key "k"
    ~ github  oc-1
              oauthTokenString  (secret, changed)

Plan: 1 to update, 1 to replace.
`,
    );
  });
});

describe('the text of a plan', () => {
  for (const [name, plan, text] of golden) {
    it(`shows ${name}`, () => {
      assert.equal(renderPlan(plan, noColour), text);
    });
  }

  it('colours only when asked', () => {
    const plan = planOf({ steps: [create] });
    assert.ok(renderPlan(plan, { color: true, width: null }).includes('\u001b['));
    assert.ok(!renderPlan(plan, noColour).includes('\u001b'));
  });

  it('never passes on a control character, wherever it stands', () => {
    const bad = 'x\u001b[2Jy\u202ez\r\u009b1m';
    const plan = planOf({
      organization: bad,
      steps: [
        stepOf({
          action: 'update',
          address: `OAuthClient/${bad}`,
          movedFrom: bad,
          objectId: bad,
          because: bad,
          risks: [bad],
          approval: { action: 'replace', id: bad, given: false, line: bad },
          changes: [
            { field: bad, from: bad, to: bad, risk: bad, baseline: bad, conflict: true },
            { field: 'set', from: [bad], to: [] },
            { field: 'lines', from: `${bad}\n${bad}\n${bad}`, to: null },
          ],
        }),
      ],
      unknown: [{ address: bad, why: bad }],
      problems: [{ address: bad, rule: bad, severity: 'error', path: bad, message: bad }],
      warnings: [{ rule: bad, severity: 'warning', path: bad, message: bad }],
      notes: [{ address: bad, code: bad, text: bad }],
      blockers: [{ code: 'approval', address: bad, message: bad }],
    });
    const text = renderPlan(plan, noColour) + renderBlockers(plan, noColour);
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
    assert.ok(text.includes('x\\u{1b}[2Jy\\u{202e}z\\r\\u{9b}1m'));
  });

  it('wraps at the width of the terminal, beside the names', () => {
    const because = 'word '.repeat(30).trim();
    const step = stepOf({ action: 'delete', address: 'OAuthClient/b', because });
    const lines = renderPlan(planOf({ steps: [step] }), { color: false, width: 60 }).split('\n');
    assert.ok(
      lines.every((line) => line.length <= 60),
      lines.join('\n'),
    );
    assert.ok(lines[1]?.startsWith('    - b  word'));
    assert.ok(lines.slice(2, 4).every((line) => line.startsWith('         word')));
  });
});

describe('the text of what stops an apply', () => {
  it('is empty without a stop', () => {
    assert.equal(renderBlockers(planOf({ steps: [create] }), noColour), '');
  });

  it('lists every stop with what lifts it, and the plan can leave them to it', () => {
    const line = '- { destroy: OAuthClient/old, id: oc-1 }';
    const plan = planOf({
      steps: [
        stepOf({
          action: 'delete',
          address: 'OAuthClient/old',
          because: 'gone from the manifest',
          approval: { action: 'destroy', id: 'oc-1', given: true, line },
        }),
      ],
      blockers: [
        { code: 'approval', address: 'OAuthClient/old', message: `not approved; add:\n  ${line}`, line },
        {
          code: 'too-many-deletes',
          message: '8 deletes: --max-deletes 8 allows it',
          remark: '8 deletes; or give --max-deletes 8',
          line: '- { deletes: 8, serial: 3 }',
        },
      ],
    });
    assert.equal(
      renderBlockers(plan, noColour),
      `Stopped before the first write; nothing was changed.

Blocked: 1 change needs approval; too many deletes
    ✖ 8 deletes; or give --max-deletes 8
Add under \`approved:\` in a manifest, if it is meant
    - { destroy: OAuthClient/old, id: oc-1 }
    - { deletes: 8, serial: 3 }
`,
    );
    assert.equal(
      renderPlan(plan, { ...noColour, blockers: false }),
      `OAuth clients
    - old  gone from the manifest
           approved

Plan: 1 to delete.
`,
    );
  });
});
