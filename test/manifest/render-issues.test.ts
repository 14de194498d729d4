/** What people see of issues: places, frames, and never a secret. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { renderIssues } from '../../manifest/issues';
import { parseManifest } from '../../manifest/read';

const head = 'apiVersion: tether/v1\norganization: acme\n';

function render(text: string, options: { color?: boolean; width?: number } = {}): string {
  const { issues, sources } = parseManifest(text, 'acme.tether.yaml');
  return renderIssues(issues, sources, { color: false, ...options });
}

describe('rendered issues', () => {
  it('show place, rule, message and the lines', () => {
    assert.equal(
      render(`${head}forgett: []\nforget: [OAuthClient/a]\n`),
      [
        'acme.tether.yaml:3:1  error  unknown-key',
        '  unknown key `forgett`: did you mean `forget`?',
        '    2 | organization: acme',
        '  > 3 | forgett: []',
        '      | ^',
        '    4 | forget: [OAuthClient/a]',
      ].join('\n'),
    );
  });

  it('show no line break of Windows', () => {
    const text = `${head}forgett: []\n`;
    assert.equal(render(text.replaceAll('\n', '\r\n')), render(text));
  });

  it('show values, but none of clients, URLs, comments, unknown keys, or what the schema does not expect', () => {
    const secrets = ['oauthClients: { git: { name: canary } }', 'ledger: https://user:canary@host/state'];
    const shownLines = [
      'aliases: { workspaces: { app: ws-1 } }',
      'approved: [{ destroy: OAuthClient/a, id: oc-1 }]',
    ];
    const beside = [
      'token: canary',
      'token: { a: canary }',
      'target: { secret: canary }',
      'source: [canary]',
    ];
    const lines = [
      ...shownLines.flatMap((line) => [line, ...secrets]),
      `runTriggers:\n${beside.map((member) => `  - { target: network, ${member} } # canary\n`).join('')}`,
      'forget: [{ secret: canary }] # canary',
      'xyz: canary',
    ];
    const text = render(`${head}${[...new Set(lines)].join('\n')}\n`);
    assert.doesNotMatch(text, /canary/);
    assert.match(text, /{ target: network, token: \*\*\* } # \*\*\*/);
    assert.match(text, /aliases: \{ workspaces: \{ app: ws-1 \} \}/);
  });

  it('show a mistake among many triggers', () => {
    const lines = Array.from({ length: 70 }, (_, index) => `  - { target: ws-${index}, source: ws-app }\n`);
    const rendering = render(`${head}runTriggers:\n${lines.join('')}`.replace('ws-42', 'netwrk'));
    assert.match(rendering, /> 46 \| {3}- \{ target: netwrk, source: ws-app \}\n/);
    assert.match(rendering, /47 \| {3}- \{ target: ws-43, source: ws-app \}$/);
  });

  it('show of a file that was not understood its known keys alone', () => {
    assert.equal(
      render(`${head}oauthClients:\n  github:\n    oauthTokenString: "canary\n`).replace(/^.*\n.*\n/, ''),
      ['    5 |     oauthTokenString: "***', '  > 6 |', '      | ^'].join('\n'),
    );
    assert.match(render(`${head}runTriggers:\n  - { target: app }\n   - {}\n`), /5 \| {4}- \{\}\n/);
  });

  it('name the other place', () => {
    const line = '{ target: ws-1, source: ws-2 }';
    const rendering = render(`${head}runTriggers: [${line}, ${line}]\n`);
    assert.match(rendering, /\n {2}see also acme\.tether\.yaml:3:15$/);
  });

  it('have colours only when asked, and turn control characters into question marks', () => {
    const control = String.fromCharCode(27);
    assert.equal(render('', { color: true }).includes(control), true);
    assert.equal(render(`${head}forget: [a]\n# ${control}[31m\n`).includes(control), false);
  });

  it('cut a long line around the place, and a long key', () => {
    const addresses = Array.from({ length: 300 }, (_, index) => `"OAuthClient/a${index}"`).join();
    const text = `{"apiVersion":"tether/v1","organization":"acme","forget":[${addresses},"x"]}`;
    const frame = render(text).split('\n').slice(-3);
    assert.match(frame.join('\n'), /"x"\]\}\n {6}\| {60} +\^$/);
    assert.ok(frame.join('').length < 400);
    const key = `${head}? ${'k'.repeat(1_000_000)}\n: 1\n`;
    assert.ok(render(key).length < 1000);
    assert.ok(JSON.stringify(parseManifest(key, 'a').issues).length < 5000);
  });

  const field = 'oauthClients:\n  github:\n    serviceProvider: provider_z\n';
  const hiding: Readonly<Record<string, string>> = {
    'a literal secret': `${field}    oauthTokenString: canary\n    httpUrl: x\n`,
    'a literal secret in lines': `${field}    privateKey: |\n      canary\n      canary\n    httpUrl: x\n`,
    'a literal secret in braces': 'oauthClients: { github: { secret: canary, nme: x } }\n',
    'a literal secret of several lines': `${field}    secret: { one: canary,\n      two: canary }\n    httpUrl: x\n`,
    'a literal secret under a misspelt name': `${field}    oauthTokenStrin: canary\n`,
    'a literal secret under an unknown name': `${field}    zzz: canary\n`,
    'the second of two secrets': `${field}    secret: { fromEnv: A }\n    secret: canary\n`,
    'a secret under an entry with a bad name': 'oauthClients:\n  a b:\n    secret: canary\n',
    'a secret in a list of clients': 'oauthClients:\n  - secret: canary\n',
    'a password in a URL': `${field}    httpUrl: https://u:canary@a.b\n`,
    'a secret in place of a variable': `${field}    secret: { fromEnv: "canary canary" }\n`,
    'a secret beside a source': `${field}    secret: { fromEnv: A, value: canary }\n`,
    'a secret as a key beside a source': `${field}    secret: { fromEnv: A, canary-4711: 1 }\n`,
    'a secret with a tag': `${field}    secret: !!omap [canary: 1]\n`,
    'a secret in another encoding': `${field}    secret: !!binary Y2FuYXJ5\n`,
    'a secret before a mistake of syntax': `${field}    secret: canary\n    name: "x\n`,
    'a secret that is a mistake of syntax': `${field}    secret: "canary" "canary"\n`,
    'a secret with an escape that YAML does not know': `${field}    secret: "canary\\q"\n`,
    'a key whose lines are not indented': `${field}    privateKey: |\n-----BEGIN KEY-----\ncanary\n-----END KEY-----\n`,
    'a token as a key': `${field}  - canaryA1b2C3d4E5: {\n`,
    'a secret in a second document': `${field}---\nsecret: canary\n`,
    'a secret between the marks of a conflict': `${field}<<<<<<< HEAD\n    secret: canary\n`,
    'a literal secret in place of a list': `${field}    secret: canary\nforget: canary\n`,
    'a literal secret that a list names': `${field}    secret: canary\nforget: [canary, x]\n`,
    'a secret under a key that stands twice':
      'oauthClients: {}\nforget: [a]\noauthClients: { a: { secret: canary } }\n',
    'a secret in a list that stands twice': 'forget: []\nforget: [{ secret: canary }]\n',
    'a literal secret that a line names again': `${field}    secret: &a canary\nforget: [*a, OAuthClient/x]\n`,
    'a list of secrets': `${field}    secret:\n      - canary\n`,
    'a secret in place of a name': `${field}    name: { secret: canary }\n`,
  };
  const files: Readonly<Record<string, string>> = {
    'a file that is no map': 'token = canary\n',
    'a file of something else': 'a: "canary',
    'a manifest of another version': 'apiVersion: tether/v9\nsecret: canary\n',
  };
  const all = [
    ...Object.entries(hiding).map(([name, text]) => [name, head + text] as const),
    ...Object.entries(files),
  ];
  for (const [name, text] of all) {
    it(`hide ${name}`, () => {
      const { issues, sources } = parseManifest(text, 'a.yaml');
      assert.ok(issues.length > 0);
      assert.doesNotMatch(renderIssues(issues, sources, { color: false }), /canary|Y2Fu/);
      assert.doesNotMatch(JSON.stringify([issues, [...sources]]), /canary|Y2Fu/);
    });
  }

  it('hide a literal secret wherever a mistake stands around it', () => {
    const mistakes = [
      'name: 1',
      'nme: x',
      'organizationScoped: maybe',
      'httpUrl: x',
      'projects: null',
      'id: ws-1',
      'key: [',
      'name: "x',
      '\tkey: a',
    ];
    const secrets = [
      'secret: canary',
      'secret: "canary"',
      'privateKey: |\n      canary',
      'oauthTokenString:\n      canary',
      'secrett: canary',
    ];
    const line = fc.constantFrom(...mistakes, ...secrets);
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 6 }),
        fc.constantFrom(...secrets),
        fc.array(fc.constantFrom(...mistakes), { minLength: 1, maxLength: 4 }),
        (before, secret, after) => {
          const body = [...before, secret, ...after].map((member) => `    ${member}\n`).join('');
          assert.doesNotMatch(render(`${head}oauthClients:\n  github:\n${body}`), /canary/);
        },
      ),
      { numRuns: 200 },
    );
  });
});
