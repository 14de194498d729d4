/** What a pull request shows of a plan: everything that takes something away, counted, and nothing that others wrote as more than text. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { marked, type Token } from 'marked';
import type { Plan } from '../../../reconciler/plan/plan';
import { failureComment, marker } from '../../../reconciler/render/comment';
import { driftComment, planComment } from '../../../reconciler/render/markdown';
import { readMermaid } from '../../support/mermaid';
import { planOf, stepOf } from '../../support/plans';

const digest = '3f9a01c2d4e5f607';
const run = { folder: '.', redact: (text: string) => text };
const comment = (plan: Plan) => planComment(plan, digest, run);

/** GitHub's limit is 65,536. */
const most = 60_000;

function tokensOf(markdown: string): readonly Token[] {
  const all: Token[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => void all.push(token));
  return all;
}

/** What is in blocks of that language, by lines. */
function blocksOf(markdown: string, language: string): readonly string[] {
  return tokensOf(markdown).flatMap((token) =>
    token.type === 'code' && token.lang === language ? String(token.text).split('\n') : [],
  );
}

/** Fails where anything but words of ours stands outside of code. */
function assertHarmless(markdown: string): void {
  assert.ok(markdown.length < most, String(markdown.length));
  for (const { type, raw } of tokensOf(markdown)) {
    assert.ok(
      ['heading', 'paragraph', 'text', 'strong', 'codespan', 'code', 'html', 'space'].includes(type),
      `${type}: ${raw}`,
    );
    if (type === 'html') {
      assert.match(raw, /^(?:<details(?: open)?><summary>[\w ,:]+<\/summary>|<\/details>)\s*$/u, raw);
    }
    if (type === 'text') assert.doesNotMatch(raw, /[@#<>[\]]/u, raw);
  }
}

const nasty = [
  '@acme/owners',
  '#1',
  '```',
  '````\n```diff',
  '`',
  '~~~',
  '</details>',
  '<script>alert(1)</script>',
  '<!-- x -->',
  '[here](https://evil.example)',
  '![x](https://evil.example/x.png)',
  'https://evil.example',
  'www.evil.example',
  '**Not shown here: 0**',
  '\n# heading',
  '$$x$$',
  ':tada:',
];

/** A plan that repeats that text wherever a plan can hold a name or a message. */
function planWith(text: string): Plan {
  const issue = { rule: 'x', severity: 'error', message: text, path: text, address: text } as const;
  const change = { field: text, from: text, to: `${text}2`, risk: text };
  return planOf({
    organization: text,
    steps: [
      stepOf({ action: 'create', address: `RunTrigger/${text}/${text}` }),
      stepOf({ action: 'update', address: `OAuthClient/${text}`, changes: [change], because: text }),
      stepOf({
        action: 'delete',
        address: `OAuthClient/${text}`,
        objectId: text,
        risks: [text],
        because: text,
      }),
    ],
    unknown: [{ address: text, why: text }],
    problems: [issue],
    warnings: [issue],
    notes: [{ address: text, code: 'x', text }],
    blockers: [
      { code: 'approval', address: text, message: text, line: `- { destroy: ${text} }` },
      { code: 'too-many-deletes', message: text },
    ],
  });
}

describe('a plan as Markdown', () => {
  const change = { field: 'name', from: 'Cloud', to: 'Cloud 2' };
  const plan = planOf({
    steps: [
      stepOf({ action: 'create', address: 'RunTrigger/dns/accounts' }),
      stepOf({ action: 'update', address: 'OAuthClient/cloud', changes: [change] }),
      stepOf({ action: 'delete', address: 'RunTrigger/vault/certificates', objectId: 'rt-1' }),
    ],
    unchanged: ['RunTrigger/certificates/dns', 'RunTrigger/edge/dns', 'OAuthClient/other'],
    blockers: [
      { code: 'approval', message: 'x', line: '- { destroy: RunTrigger/vault/certificates, id: rt-1 }' },
    ],
  });

  it('says first how many, then what is deleted, then what to paste, and then the rest', () => {
    const text = comment(plan);
    const order = [
      '### Plan: 1 to create, 1 to update, 1 to delete, 3 unchanged\n',
      `Organization \`acme\`, digest \`${digest}\`.`,
      '**Blocked: 1 change needs approval** (below).',
      '**Deleted or replaced: 1**',
      'add under `approved:`',
      '<details open><summary>Other changes: 2</summary>',
      '```mermaid',
    ];
    const places = order.map((one) => text.indexOf(one));
    assert.ok(!places.includes(-1), text);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    assert.deepEqual(blocksOf(text, 'yaml'), ['- { destroy: RunTrigger/vault/certificates, id: rt-1 }']);
    assertHarmless(text);
  });

  it('has a + or - or ! in front of each line of a change, by which GitHub colours it', () => {
    const signs = blocksOf(comment(plan), 'diff').map((line) => `${line[0]} ${/cloud|dns|vault/.exec(line)}`);
    assert.deepEqual(signs, ['# null', '- vault', '# null', '! cloud', '! null', '# null', '+ dns']);
  });

  it('draws what comes, what goes, and what stays between the same workspaces alone', async () => {
    const { nodes, arrows } = await readMermaid(blocksOf(comment(plan), 'mermaid').join('\n'));
    assert.deepEqual(nodes, ['accounts', 'dns', 'certificates', 'vault']);
    assert.deepEqual(arrows, [
      'accounts → dns (thick new)',
      'certificates → vault (dotted removed)',
      'dns → certificates',
    ]);
  });

  it('masks what is secret in the picture before it is spelt in numbers', () => {
    const secret = 'a_b_c_d_e_f';
    const steps = [stepOf({ action: 'create', address: `RunTrigger/${secret}/b` })];
    const text = planComment(planOf({ steps }), digest, {
      ...run,
      redact: (name) => name.replace(secret, '(secret)'),
    });
    assert.doesNotMatch(blocksOf(text, 'mermaid').join('\n'), /\["[^"]*a#95;b/);
  });

  it('shows names and messages as text alone, whatever they are', () => {
    for (const text of nasty) assertHarmless(comment(planWith(text)));
    const text = fc
      .array(fc.oneof(fc.constantFrom(...nasty), fc.string({ unit: 'grapheme' })))
      .map((some) => some.join(''));
    const property = fc.property(text, (one) => assertHarmless(comment(planWith(one))));
    fc.assert(property, { numRuns: 200, seed: 20261122 });
  });

  it('fits a comment with 100,000 changes, counts every deletion, and says how many it does not show', () => {
    const links = (action: 'create' | 'delete', count: number) =>
      Array.from({ length: count }, (_, index) =>
        stepOf({ action, address: `RunTrigger/app-${index % 3000}/x-${index}`, reason: 'destroy' }),
      );
    const text = comment(planOf({ steps: [...links('create', 60_000), ...links('delete', 40_000)] }));
    assert.ok(text.length < most, String(text.length));
    assert.match(text, /\*\*Deleted or replaced: 40000\*\*/);
    const missing = Number(/Not shown here: (\d+) of the deletions and replacements/.exec(text)?.[1]);
    const shown = blocksOf(text, 'diff').flatMap((line) => line.match(/- x-\d+/g) ?? []).length;
    assert.equal(shown + missing, 40_000);
    assert.match(text, /`--report json=FILE`/);
    assert.match(text, /100000 run triggers, too many for a picture/);
  });

  it('shows the beginning of one change that is longer than its room', () => {
    const projects = Array.from({ length: 5000 }, (_, index) => `prj-${index}`);
    const one = { field: 'projects', from: projects, to: [] };
    const text = comment(
      planOf({ steps: [stepOf({ action: 'replace', address: 'OAuthClient/a', changes: [one] })] }),
    );
    assert.match(text, /^! -\/\+ a /m);
    assert.match(text, /^…$/m);
    assert.ok(text.length < most);
  });

  it('is two lines where nothing changes', () => {
    const text = comment(planOf({ unchanged: ['OAuthClient/a'] }));
    assert.equal(
      text,
      `### No changes\n\nOrganization \`acme\`, digest \`${digest}\`. 1 object up to date.\n`,
    );
  });
});

describe('drift as Markdown', () => {
  it('shows what was changed, unfolded, and nothing that others wrote as more than text', () => {
    for (const text of nasty) {
      const item = { kind: 'RunTrigger', objectId: text, fields: [], evidence: [text] };
      const report = {
        organization: 'acme',
        items: [
          { ...item, address: `RunTrigger/${text}/b`, state: 'gone' as const },
          { ...item, address: `RunTrigger/a/${text}`, state: 'unmanaged' as const },
        ],
        unknown: [{ address: text, why: text }],
        pending: [{ address: text, action: 'create' as const }],
        problems: [{ address: text, message: text }],
      };
      const markdown = driftComment(report, `Next: ${text}\n`, { ...run, folder: text });
      assertHarmless(markdown);
      assert.match(markdown, /^### Drift: 1 gone, 1 unmanaged, 1 unknown, 1 problem/);
    }
  });
});

describe('what stands around', () => {
  it('is a first line that no folder can break', () => {
    const folders = ['.', 'infra/prod', 'a b', '-->', 'x--\n<script>', 'é🚀', '@team'];
    const lines = folders.map((folder) => marker('plan', folder));
    assert.equal(lines[1], '<!-- tether-plan folder=infra/prod -->');
    for (const line of lines) assert.match(line, /^<!-- tether-plan folder=[\w%./!~*'()-]+ -->$/);
    assert.equal(new Set(lines).size, folders.length);
  });

  it('is the message of what failed, as text', () => {
    for (const text of nasty) assertHarmless(failureComment('plan', `it failed:\n${text}`));
    assertHarmless(failureComment('plan', 'x\n'.repeat(100_000)));
  });
});
