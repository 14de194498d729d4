/** What people see of issues: places, frames, and never a secret. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { renderIssues } from '../../manifest/issues';
import { parseManifest } from '../../manifest/read';

const head = 'apiVersion: tether/v1\norganization: acme\n';

function render(text: string, color = false): string {
  const { issues, sources } = parseManifest(text, 'acme.tether.yaml');
  return renderIssues(issues, sources, { color });
}

describe('rendered issues', () => {
  it('show place, rule, message and the lines', () => {
    assert.equal(
      render(`${head}forgett: []\nforget: [OAuthClient/a]\n`),
      [
        'acme.tether.yaml:3:1  error  unknown-key',
        '  unknown key `forgett`: did you mean `forget`?',
        '    2 | organization: acme',
        '  > 3 | forgett: ***',
        '      | ^',
        '    4 | forget: [OAuthClient/a]',
      ].join('\n'),
    );
  });

  it('name the other place', () => {
    assert.match(
      render(`${head}forget: [OAuthClient/a, OAuthClient/a]\n`),
      /\n {2}see also acme\.tether\.yaml:3:10$/,
    );
  });

  it('suggest no name that was refused itself', () => {
    const refused =
      'aliases: { workspaces: { "net work": ws-1 } }\noauthClients: { "git hub": {} }\nrunTriggers: [{ target: network, source: ws-2 }]\nprojectAttachments: [{ oauthClient: github, project: prj-1 }]\n';
    const { issues } = parseManifest(head + refused, 'a.yaml');
    const messages = issues.flatMap(({ rule, message }) => (/^(unknown|dangling)/.test(rule) ? message : []));
    assert.deepEqual(messages.length, 2);
    for (const message of messages) assert.match(message, /: there is none at all$/);
  });

  it('hide a secret of several lines once in each, however many mistakes it is', () => {
    const rendered = render(
      `${head}oauthClients:\n  github:\n    secret: { one: 1,\n      two: 2 }\n    httpUrl: x\n`,
    );
    assert.match(rendered, /secret: \*\*\*$/m);
    assert.doesNotMatch(rendered, /\*{4}/);
  });

  it('have colours only when asked', () => {
    const ansi = String.fromCharCode(27);
    assert.equal(render('', false).includes(ansi), false);
    assert.equal(render('', true).includes(ansi), true);
  });

  it('are wrapped at the width of a terminal, and the lines of the file are not', () => {
    const line = `forget: [OAuthClient/a] # ${'word '.repeat(20)}`;
    const { issues, sources } = parseManifest(`${head}forgett: []\n${line}\n`, 'acme.tether.yaml');
    const text = renderIssues(issues, sources, { color: false, width: 40 });
    assert.match(text, /\n {2}unknown key `forgett`: did you mean\n {2}`forget`\?\n {4}2 \|/);
    assert.match(text, /\n {4}4 \| forget: .{60,}/);
  });

  it('have no frame for what is in no file', () => {
    const { issues, sources } = parseManifest(head, 'a.yaml', { profile: 'none' });
    assert.match(
      renderIssues(issues, sources, { color: false }),
      /^error {2}unknown-profile\n {2}there is no profile "none"[^\n]*$/,
    );
  });

  it('have no frame for a file that is no manifest: it may hold anything', () => {
    for (const text of ['token = canary\n', 'a: "canary', `apiVersion: tether/v9\na: canary\n`]) {
      assert.doesNotMatch(render(text), /canary/);
      assert.equal(render(text).split('\n').length, 2);
    }
  });

  it('cut a long line around the place', () => {
    const text = `{"apiVersion":"tether/v1","organization":"acme","forget":[${'"OAuthClient/a",'.repeat(300)}"x"]}`;
    const frame = render(text).split('\n').slice(-5).join('\n');
    assert.ok(frame.length < 800);
  });

  it('turn control characters into question marks', () => {
    const text = `${head}forget: [a]\n# ${String.fromCharCode(27)}[31m\n`;
    assert.equal(render(text).includes(String.fromCharCode(27)), false);
  });

  it('stop drawing frames after fifty, and tell the rest in one line', () => {
    const text = `${head}forget: [${Array.from({ length: 60 }, (_, at) => `a${at}`).join(', ')}]\n`;
    const rendered = render(text);
    assert.equal(rendered.match(/bad-address/g)?.length, 60);
    assert.equal(rendered.match(/\^/g)?.length, 50);
  });

  const field = 'oauthClients:\n  github:\n    serviceProvider: provider_z\n';
  const hiding: Readonly<Record<string, string>> = {
    'a literal secret': `${field}    oauthTokenString: canary\n    httpUrl: x\n`,
    'a literal secret in lines': `${field}    privateKey: |\n      canary\n      canary\n    httpUrl: x\n`,
    'a literal secret in braces': 'oauthClients: { github: { secret: canary, nme: x } }\n',
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
    'a key whose lines are not indented': `${field}    privateKey: |\n-----BEGIN KEY-----\ncanary\n-----END KEY-----\n`,
    'a secret in a second document': `${field}---\nsecret: canary\n`,
    'a secret in a manifest of another version': '\nsecret: canary\n',
    'a literal secret that a line names again': `${field}    secret: &a canary\nforget: [*a, OAuthClient/x]\n`,
    'a list of secrets': `${field}    secret:\n      - canary\n`,
    'a secret in place of a name': `${field}    name: { secret: canary }\n`,
  };
  for (const [name, text] of Object.entries(hiding)) {
    it(`hide ${name}`, () => {
      const whole = name.includes('another version') ? `apiVersion: tether/v9${text}` : head + text;
      const { issues, sources } = parseManifest(whole, 'a.yaml');
      assert.ok(issues.length > 0);
      assert.doesNotMatch(renderIssues(issues, sources, { color: false }), /canary/);
      assert.doesNotMatch(JSON.stringify(issues), /canary/);
      assert.doesNotMatch(JSON.stringify([...sources]), /canary/);
    });
  }

  it('hide a literal secret wherever a mistake stands around it', () => {
    const lines = [
      'name: 1',
      'nme: x',
      'protect: maybe',
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
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...lines, ...secrets), { maxLength: 6 }),
        fc.constantFrom(...secrets),
        fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 4 }),
        (before, secret, after) => {
          const body = [...before, secret, ...after].map((line) => `    ${line}\n`).join('');
          const { issues, sources } = parseManifest(`${head}oauthClients:\n  github:\n${body}`, 'a.yaml');
          assert.doesNotMatch(renderIssues(issues, sources, { color: false }), /canary/);
        },
      ),
      { numRuns: 200 },
    );
  });
});
