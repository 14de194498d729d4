/** Each mistake a manifest can hold is reported once, by its rule, at its very place, and never repeats a secret. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { parseManifest } from '../../manifest/read';
import { head, unmark } from './marked-text';

const client = `oauthClients:
  github:
    serviceProvider: provider_a
    httpUrl: https://git.example.com
    apiUrl: https://git.example.com/api
`;

/**
 * `=== name | rule | pattern of the message`, and the manifest with `¶` at the place of the issue and `§` at the places
 * related to it. `RAW` begins a whole file; `CLIENT` stands for a sound client.
 */
const table = readFileSync(join(__dirname, '..', '..', '..', 'test', 'manifest', 'mistakes.txt'), 'utf8');
const cases = table
  .split(/^=== (?=.*\|)/m)
  .slice(1)
  .map((block) => {
    const [title = '', ...lines] = block.split('\n');
    const [name = '', rule = '', says = ''] = title.split(' | ');
    const isWhole = lines[0] === 'RAW';
    const text = lines.slice(isWhole ? 1 : 0, -1).join('\n');
    return {
      name,
      rule,
      says,
      marked: (isWhole ? '' : head) + text.replace('CLIENT\n', client).replace('NUL', '\0'),
    };
  });

describe('manifests with a mistake', () => {
  for (const { name, rule, says, marked } of cases) {
    it(`report ${name}`, () => {
      const { text, at, related } = unmark(marked);
      const { issues, sources, manifests } = parseManifest(text, 'acme.tether.yaml');
      const reported = issues.map(
        (issue) => `${issue.rule} ${issue.at?.line}:${issue.at?.column} ${issue.message}`,
      );
      assert.equal(issues.length, 1, `one issue expected: ${reported.join('\n')}`);
      const [issue] = issues;
      assert.equal(`${issue?.rule} ${issue?.at?.line}:${issue?.at?.column}`, `${rule} ${at[0]}`, reported[0]);
      assert.deepEqual([issue?.severity, issue?.at?.file, manifests], ['error', 'acme.tether.yaml', null]);
      const places = (issue?.related ?? []).map((position) => `${position.line}:${position.column}`);
      assert.deepEqual(places, related);
      assert.match(issue?.message ?? '', new RegExp(says, 's'));
      const rendering = renderIssues(issues, sources, { color: false });
      assert.match(rendering, /\n {2}> *\d+ \|.*\n +\| +\^/, 'every mistake has a frame');
      assert.doesNotMatch(rendering + JSON.stringify(issues), /canary/, 'a secret was repeated');
    });
  }

  const several: readonly (readonly [where: string, text: string, rules: string])[] = [
    [
      'an entry with a bad name',
      'oauthClients: { a b: { serviceProvider: nope, httpUrl: x, nme: y, agentPool: zzz, secret: canary } }\n',
      'missing-field bad-name unknown-value bad-url unknown-key unknown-alias literal-secret',
    ],
    [
      'a line with an unknown key',
      'runTriggers: [{ target: nope, source: prj-1, note: x }]\n',
      'unknown-alias wrong-id-kind unknown-key',
    ],
    [
      'lines without an end',
      'runTriggers: [{ target: nope }, { targets: [nada], sources: [app, prj-1] }]\n',
      'wrong-keys wrong-keys',
    ],
    [
      'lines of every pass',
      `oauthClients:
  git: { serviceProvider: nope, httpUrl: x, apiUrl: https://a.b, nme: y }
  hub: { serviceProvider: nope, httpUrl: x, apiUrl: https://a.b, agentPool: zzz }
runTriggers: [{ target: web }, { target: web, source: nope }, { target: web, source: web }, 7]
forget: [OAuthClient/git, 8]
`,
      'unknown-value bad-url unknown-key unknown-value bad-url unknown-alias wrong-keys unknown-alias self-trigger wrong-type forget-live wrong-type',
    ],
    [
      'a secret with more than its source',
      `${client}    secret: { fromEnv: TETHER_TOKEN, more: 1 }\n`,
      'secret-source',
    ],
    ['two aliases', 'aliases: { workspaces: { a b: prj-1 } }\n', 'duplicate-key'],
    [
      'lines in any order',
      'runTriggers:\n  - { target: nope, source: nada }\n  - { target: app, source: prj-1 }\nbogus: 1\n',
      'unknown-alias unknown-alias wrong-id-kind unknown-key',
    ],
    [
      'a set between two lines',
      'runTriggers: [{ target: app, source: dns }, { target: app, sources: [dns] }, { target: app, source: dns }]\n',
      'line-beside-set',
    ],
  ];
  for (const [where, text, rules] of several) {
    it(`are all reported in ${where}, in the order of the file`, () => {
      const { issues } = parseManifest(head + text, 'a.yaml');
      assert.equal(issues.map(({ rule }) => rule).join(' '), rules);
    });
  }

  it('list no more than twenty of the names that would have been right', () => {
    const names = Array.from({ length: 25 }, (_, index) => `workspace-number-${index}: ws-${index}`);
    const text = (aliases: string) =>
      `apiVersion: tether/v1\norganization: acme\naliases: { workspaces: { ${aliases} } }\nrunTriggers: [{ target: zzz, source: ws-9 }]\n`;
    const { issues } = parseManifest(text(names.join(', ')), 'a.yaml');
    assert.match(issues[0]?.message ?? '', /workspace-number-19, …$/);
  });
});
