/** Members of the wrong shape, wherever one may stand: told at their place, and nothing is made of them. */
import assert from 'node:assert/strict';
import { renderIssues } from '../../manifest/issues';
import { parseManifest } from '../../manifest/read';

const head = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { app: ws-1, network: ws-2 }
  projects: { payments: prj-1 }
`;
const client = `oauthClients:
  github:
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api
`;

describe('a manifest with a member of the wrong shape', () => {
  const rows: readonly (readonly [what: string, text: string, rule: string, says: RegExp])[] = [
    ['a move that is a text', 'moved: [x]\n', 'wrong-type', /moved\[0\].*must be a map/],
    ['a move of a list', 'moved: [{ from: [a], to: OAuthClient/b }]\n', 'wrong-type', /moved\[0\]\.from/],
    ['a forgotten list', 'forget: [[a]]\n', 'wrong-type', /forget\[0\]/],
    ['a forgotten empty text', 'forget: [""]\n', 'bad-address', /not a valid address/],
    ['an approval that is a text', 'approved: [x]\n', 'wrong-type', /approved\[0\].*must be a map/],
    [
      'an approval for a list',
      'approved: [{ destroy: OAuthClient/a, id: [x] }]\n',
      'wrong-type',
      /approved\[0\]\.id/,
    ],
    ['an approval of a list', 'approved: [{ destroy: [x], id: oc-1 }]\n', 'wrong-type', /destroy/],
    ['projects that are no list', `${client}    projects: prj-1\n`, 'wrong-type', /projects.*list/],
    ['a project that is a list', `${client}    projects: [[a]]\n`, 'wrong-type', /projects\[0\]/],
    ['a project of an unknown form', `${client}    projects: [{ a: b }]\n`, 'unknown-key', /projects\[0\]/],
    ['a project that nobody declared', `${client}    projects: [nope]\n`, 'unknown-alias', /nope/],
    ['an id that is a list', `${client}    id: [oc-1]\n`, 'wrong-type', /github\.id/],
    ['a flag that is a text', `${client}    protect: "yes"\n`, 'wrong-type', /protect/],
    [
      'a link with too few parts',
      'forget: [RunTrigger/app]\n',
      'bad-address',
      /write RunTrigger\/<target>\/<source>/,
    ],
    [
      'a client with too many parts',
      'forget: [OAuthClient/a/b]\n',
      'bad-address',
      /write OAuthClient\/<name>/,
    ],
    ['a link to nothing that is declared', 'forget: [RunTrigger/app/nope]\n', 'unknown-alias', /nope/],
    [
      'an attachment of a client whose name cannot be',
      'forget: ["ProjectAttachment/bad name/payments"]\n',
      'bad-address',
      /bad name/,
    ],
  ];
  for (const [what, text, rule, says] of rows) {
    it(`tells ${what}`, () => {
      const { issues } = parseManifest(head + text, 'a.tether.yaml');
      assert.deepEqual(
        issues.map((issue) => issue.rule),
        [rule],
        issues.map((issue) => issue.message).join('\n'),
      );
      assert.match(issues[0]?.message ?? '', says);
    });
  }

  it('tells aliases of the wrong shape', () => {
    for (const aliases of ['{ workspaces: [a] }', '{ workspaces: { a: [ws-1] } }', '[a]']) {
      const { issues } = parseManifest(
        `apiVersion: tether/v1\norganization: acme\naliases: ${aliases}\n`,
        'a.yaml',
      );
      assert.deepEqual(
        issues.map((issue) => issue.rule),
        ['wrong-type'],
        aliases,
      );
    }
  });

  it('says what an empty string is', () => {
    const { issues } = parseManifest(`${head}oauthClients: ""\n`, 'a.yaml');
    assert.match(issues[0]?.message ?? '', /not an empty string/);
  });

  it('lists no more than twenty of the names that would have been right', () => {
    const names = Array.from({ length: 25 }, (_, index) => `workspace-number-${index}`);
    const aliases = names.map((name, index) => `${name}: ws-${index}`).join(', ');
    const text = `apiVersion: tether/v1\norganization: acme\naliases: { workspaces: { ${aliases} } }\nrunTriggers: [{ target: zzz, source: ws-9 }]\n`;
    const [issue] = parseManifest(text, 'a.yaml').issues;
    assert.match(issue?.message ?? '', /workspace-number-19, … \(25 in all\)$/);
  });

  it('leaves out of its frames whatever is long enough to be a token', () => {
    const token = 'A1b2C3d4E5'.repeat(5);
    const { issues, sources } = parseManifest(`${head}  - ${token}: {\n`, 'a.yaml');
    const shown = renderIssues(issues, sources, { color: false });
    assert.ok(issues.length > 0);
    assert.ok(!shown.includes(token.slice(0, 20)), shown);
  });
});

describe('a manifest that is right', () => {
  it('shows a workspace with two aliases under the first of them, whichever a line writes', () => {
    const text = `apiVersion: tether/v1
organization: acme
aliases: { workspaces: { zebra: ws-1, apple: ws-1, network: ws-2 } }
runTriggers: [{ target: zebra, source: network }]
`;
    const { manifests, issues } = parseManifest(text, 'a.yaml');
    assert.deepEqual(issues, []);
    assert.equal(manifests?.entries[0]?.address, 'RunTrigger/apple/network');
  });

  it('lets go of an attachment by the address of its client, or by the id of one', () => {
    const text = `${head}forget: [ProjectAttachment/old/payments, ProjectAttachment/oc-7/prj-9, "RunTrigger/ws-1/network"]\n`;
    const { manifests, issues } = parseManifest(text, 'a.yaml');
    assert.deepEqual(issues, []);
    assert.deepEqual(
      manifests?.forget.map((one) => one.address),
      ['ProjectAttachment/old/payments', 'ProjectAttachment/oc-7/prj-9', 'RunTrigger/app/network'],
    );
    const live = `${head}${client}forget: [ProjectAttachment/github/payments]\n`;
    assert.deepEqual(
      parseManifest(live, 'a.yaml').manifests?.forget.map((one) => one.address),
      ['ProjectAttachment/github/payments'],
    );
  });
});
