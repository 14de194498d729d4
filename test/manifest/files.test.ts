/** Which files are read, what of them is refused, and how the files of one organization merge. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, readManifestFiles, readManifests } from '../../manifest/read';
import { readProfile } from '../../resources/profile';

const head = 'apiVersion: tether/v1\norganization: acme\n';
const trigger = (target: string, source: string) =>
  `${head}runTriggers: [{ target: ws-${target}, source: ws-${source} }]\n`;

describe('manifests in files', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'tether-manifests-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function write(file: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }

  function read(folder = '.', cwd = root): ReadManifests {
    return readManifests(folder, { cwd });
  }

  function readFiles(...files: readonly string[]): ReadManifests {
    return readManifestFiles(files, { cwd: root });
  }

  function told({ issues }: ReadManifests): string[] {
    return issues.map(({ rule, at }) =>
      at === undefined ? rule : `${rule} ${at.file}:${at.line}:${at.column}`,
    );
  }

  it('are found in folders by their ending, not in node_modules and dot folders, in the order of their names', () => {
    for (const file of [
      'b.tether.yml',
      'a.tether.yaml',
      'deep/er/c.tether.json',
      'node_modules/x.tether.yaml',
      '.git/x.tether.yaml',
      'other.yaml',
    ]) {
      const text = file.endsWith('json') ? `{"apiVersion":"tether/v1","organization":"acme"}` : head;
      write(file, file === 'other.yaml' ? 'apiVersion: v1\n' : text);
    }
    const result = read();
    assert.deepEqual(told(result), []);
    assert.deepEqual([...result.sources.keys()], ['a.tether.yaml', 'b.tether.yml', 'deep/er/c.tether.json']);
    assert.equal(result.manifests?.organization, 'acme');
  });

  it('need no ending when they are named, and are read once', () => {
    write('any.txt', head);
    write('a.tether.yaml', head);
    const result = readFiles('any.txt', './a.tether.yaml', 'a.tether.yaml');
    assert.deepEqual([...result.sources.keys()], ['a.tether.yaml', 'any.txt']);
  });

  it('are placed relative to the working directory, and remembered relative to the folder', () => {
    write('sub/a.tether.yaml', trigger('1', '2'));
    const [entry] = read('sub').manifests?.entries ?? [];
    assert.equal(entry?.file, 'a.tether.yaml');
    assert.equal(entry?.at.file, 'sub/a.tether.yaml');
  });

  it('that are symbolic links are read as what they point to, once', () => {
    write('a.tether.yaml', head);
    symlinkSync(join(root, 'a.tether.yaml'), join(root, 'b.tether.yaml'));
    assert.equal(read().sources.size, 1);
  });

  it('are missed in an empty folder, by the patterns that were looked for', () => {
    const result = read();
    assert.deepEqual(told(result), ['no-manifests']);
    assert.match(result.issues[0]?.message ?? '', /\*\.tether\.yaml, \*\.tether\.yml and \*\.tether\.json/);
  });

  const refused: readonly (readonly [string, () => Uint8Array | string, string])[] = [
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from(`${head}x: a`), Buffer.from([0xff])]),
      'not-utf8 a.tether.yaml:3:5',
    ],
    ['UTF-16', () => Buffer.from(`\uFEFF${head}`, 'utf16le'), 'not-utf8 a.tether.yaml:1:1'],
    [
      'UTF-16 of the other order',
      () => Buffer.from(`\uFEFF${head}`, 'utf16le').swap16(),
      'not-utf8 a.tether.yaml:1:1',
    ],
    ['10 MB', () => `${head}#${'x'.repeat(10_000_000)}`, 'too-large a.tether.yaml:1:1'],
    ['nothing', () => '', 'empty-file a.tether.yaml:1:1'],
    ['a bomb of aliases', () => bomb(), 'alias-bomb a.tether.yaml:6:10'],
    ['a tower of brackets', () => `${head}x: ${'['.repeat(20_000)}`, 'too-deep a.tether.yaml'],
  ];
  for (const [name, content, expected] of refused) {
    it(`with ${name} are refused`, () => {
      write('a.tether.yaml', content());
      const result = read();
      assert.equal(result.issues.length, 1);
      assert.match(told(result)[0] ?? '', new RegExp(`^${expected.split(':')[0]}`));
      if (!expected.startsWith('alias') && !expected.startsWith('too-deep'))
        assert.deepEqual(told(result), [expected]);
      assert.equal(result.manifests, null);
    });
  }

  it('with mistakes of syntax are told the first of each', () => {
    for (const name of ['a', 'b']) write(`${name}.tether.yaml`, `${head}x: [\ny: ]\n`);
    assert.deepEqual(told(read()), ['yaml-syntax a.tether.yaml:4:1', 'yaml-syntax b.tether.yaml:4:1']);
  });

  it('are a folder, or files that are named, and the one is not taken for the other', () => {
    write('sub/a.tether.yaml', head);
    const file = read('sub/a.tether.yaml');
    assert.deepEqual(told(file), ['unreadable']);
    assert.match(file.issues[0]?.message ?? '', /a folder is the unit; `tether validate` takes files/);
    const both = readFiles('sub', 'sub/a.tether.yaml');
    assert.deepEqual(told(both), ['unreadable sub:1:1']);
    assert.match(both.issues[0]?.message ?? '', /^sub is a folder.*give a folder alone, or files only$/);
  });

  it('that do not exist are told by name', () => {
    const result = readFiles('none.tether.yaml');
    assert.deepEqual(told(result), ['unreadable']);
    assert.match(result.issues[0]?.message ?? '', /no file or folder none\.tether\.yaml/);
  });

  it('that are links to nothing, or to themselves, are told with where they point', () => {
    symlinkSync('../elsewhere.yaml', join(root, 'a.tether.yaml'));
    symlinkSync('b.tether.yaml', join(root, 'b.tether.yaml'));
    const told = ({ issues }: ReadManifests) => issues.map((issue) => issue.message);
    const [broken, loop] = [
      'a.tether.yaml is a link to ../elsewhere.yaml, which does not exist: correct the link, or name the file itself',
      'b.tether.yaml is a link that leads back to itself',
    ];
    assert.deepEqual(told(readFiles('a.tether.yaml', 'b.tether.yaml')), [broken, loop]);
    assert.deepEqual(
      told(read()).map((text) => text.replaceAll(`${root}/`, '')),
      [broken, loop],
    );
  });

  it('that are folders behind a link, or below a file, are told by name', () => {
    write('a.tether.yaml', head);
    mkdirSync(join(root, 'folder'));
    symlinkSync(join(root, 'folder'), join(root, 'b.tether.yaml'));
    assert.deepEqual(told(read()), ['unreadable b.tether.yaml:1:1']);
    assert.deepEqual(told(readFiles('a.tether.yaml/x')), ['unreadable']);
  });

  it('with twenty thousand equal lines get a page of mistakes and a count', () => {
    const lines = '  - { target: ws-1, source: ws-2 }\n'.repeat(20_000);
    write('a.tether.yaml', `${head}runTriggers:\n${lines}`);
    const { issues } = read();
    assert.equal(issues.length, 201);
    assert.equal(issues.at(-1)?.severity, 'error');
    assert.equal(issues.at(-1)?.message, 'and 19799 more errors, shown once these are fixed');
  });

  it('that dangle as links are told by name, and the rest is read', () => {
    write('a.tether.yaml', head);
    symlinkSync(join(root, 'gone'), join(root, 'b.tether.yaml'));
    const result = read();
    assert.deepEqual(told(result), ['unreadable']);
    assert.equal(result.sources.size, 1);
  });

  it('of one organization merge: aliases, clients and links of one serve the others', () => {
    write('a.tether.yaml', `${head}aliases: { projects: { shop: prj-1 }, workspaces: { app: ws-1 } }\n`);
    write(
      'b.tether.yaml',
      `${head}aliases: { workspaces: { app: ws-1 } }\nprojectAttachments: [{ oauthClient: git, project: shop }]\n`,
    );
    write(
      'c.tether.yaml',
      `${head}oauthClients: { git: { serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b } }\n`,
    );
    const result = read();
    assert.deepEqual(told(result), []);
    assert.deepEqual(
      result.manifests?.entries.map(({ address, file }) => [address, file]),
      [
        ['OAuthClient/git', 'c.tether.yaml'],
        ['ProjectAttachment/git/shop', 'b.tether.yaml'],
      ],
    );
  });

  const provider = '{ serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }';
  const clashes: readonly (readonly [string, string, string, string, string])[] = [
    [
      'one address',
      `oauthClients:\n  git: ${provider}\n`,
      `oauthClients:\n  git: ${provider}\n`,
      'same-address-twice b.tether.yaml:4:3',
      'a.tether.yaml:4:3',
    ],
    [
      'one address with other projects',
      `oauthClients:\n  git: ${provider.replace(' }', ', projects: [prj-1] }')}\n`,
      `oauthClients:\n  git: ${provider.replace(' }', ', projects: [prj-2] }')}\n`,
      'same-address-twice b.tether.yaml:4:3',
      'a.tether.yaml:4:3',
    ],
    [
      'one alias with two meanings',
      'aliases: { projects: { a: prj-1 } }\n',
      'aliases: { projects: { a: prj-2 } }\n',
      'alias-clash b.tether.yaml:3:24',
      'a.tether.yaml:3:24',
    ],
    [
      'two profiles',
      'profile: default\n',
      'profile: hcp-terraform\n',
      'profile-clash b.tether.yaml:3:10',
      'a.tether.yaml:3:10',
    ],
    [
      'one trigger',
      'runTriggers: [{ target: ws-1, source: ws-2 }]\n',
      'runTriggers: [{ target: ws-1, source: ws-2 }]\n',
      'same-link-twice b.tether.yaml:3:15',
      'a.tether.yaml:3:15',
    ],
    [
      'a line and a set',
      'runTriggers: [{ target: ws-1, source: ws-2 }]\n',
      'runTriggers: [{ target: ws-1, sources: [ws-2] }]\n',
      'line-beside-set a.tether.yaml:3:15',
      'b.tether.yaml:3:41',
    ],
  ];
  for (const [name, first, second, expected, other] of clashes) {
    it(`of one organization clash at both places over ${name}`, () => {
      write('a.tether.yaml', head + first);
      write('b.tether.yaml', head + second);
      const result = read();
      assert.deepEqual(told(result), [expected]);
      assert.deepEqual(
        result.issues[0]?.related?.map((at) => `${at.file}:${at.line}:${at.column}`),
        [other],
      );
    });
  }

  it('of a second organization are told at both places, and not taken for those of the first', () => {
    const text = (organization: string) =>
      `apiVersion: tether/v1\norganization: ${organization}\noauthClients:\n  git: { id: oc-1, serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n`;
    write('a.tether.yaml', text('acme'));
    write('b.tether.yaml', text('beta'));
    write('c.tether.yaml', text('gamma'));
    const result = read();
    assert.deepEqual(told(result), [
      'second-organization b.tether.yaml:2:15',
      'second-organization c.tether.yaml:2:15',
    ]);
    assert.deepEqual(
      result.issues.map((issue) => issue.related),
      [1, 2].map(() => [{ file: 'a.tether.yaml', line: 2, column: 15 }]),
    );
    assert.match(
      result.issues[0]?.message ?? '',
      /`beta`, but `acme` at a\.tether\.yaml:2:15: .*another folder/,
    );
    assert.equal(result.manifests, null);
  });

  it('of a second organization, which are not read further, show no secret beside the place', () => {
    const secrets = 'oauthClients: { git: { secret: canary, httpUrl: "https://u:canary@a.b" } }';
    write('a.tether.yaml', head);
    write('b.tether.yaml', `apiVersion: tether/v1\norganization: beta\n${secrets}\n`);
    const { issues, sources } = read();
    assert.equal(issues.length, 3);
    assert.doesNotMatch(renderIssues(issues, sources, { color: false }), /canary/);
  });

  it('of which two claim one id are told', () => {
    const text = (name: string) =>
      `${head}oauthClients:\n  ${name}: { id: oc-1, serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }\n`;
    write('a.tether.yaml', text('git'));
    write('b.tether.yaml', text('hub'));
    assert.deepEqual(told(read()), ['same-id-twice b.tether.yaml:4:14']);
  });

  it('with a mistake of syntax do not make others complain of names that may be in there', () => {
    write('a.tether.yaml', `${head}aliases: { projects: { shop: prj-1 }\n`);
    write('b.tether.yaml', `${head}projectAttachments: [{ oauthClient: git, project: shop }]\n`);
    assert.deepEqual(
      told(read()).map((text) => text.split(':')[0]),
      ['yaml-syntax a.tether.yaml'],
    );
  });

  it('need to name the organization in one of them only', () => {
    const rest = 'runTriggers: [{ target: app, source: ws-2 }]\n';
    write('a.tether.yaml', `apiVersion: tether/v1\n${rest}`);
    write('b.tether.yaml', `${head}aliases: { workspaces: { app: ws-1 } }\n`);
    const result = read();
    assert.deepEqual(told(result), []);
    assert.deepEqual(result.manifests?.organizationAt, { file: 'b.tether.yaml', line: 2, column: 15 });
    assert.equal(result.manifests?.entries[0]?.address, 'RunTrigger/app/ws-2');
  });

  it('of which none names the organization are told once', () => {
    write('a.tether.yaml', 'apiVersion: tether/v1\n');
    write('b.tether.yaml', 'apiVersion: tether/v1\nrunTriggers: [{ target: app, source: ws-2 }]\n');
    assert.deepEqual(told(read()), ['missing-field a.tether.yaml:1:1', 'unknown-alias b.tether.yaml:2:25']);
  });

  it('may name a profile file beside them', () => {
    const profile = readProfile('default', root);
    write('p/own.json', JSON.stringify({ ...profile, name: 'own' }));
    write('a.tether.yaml', `${head}profile: p/own.json\n`);
    write('sub/b.tether.yaml', `${head}profile: ../p/own.json\n`);
    const result = read();
    assert.deepEqual(told(result), []);
    assert.equal(result.manifests?.profile.name, 'own');
  });
});

function bomb(): string {
  const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const lines = levels.map(
    (name, at) =>
      `${name}: &${name} [${Array(10)
        .fill(at === 0 ? 'x' : `*${levels[at - 1]}`)
        .join(', ')}]\n`,
  );
  return head + lines.join('');
}
