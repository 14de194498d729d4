/** Which files are read, which are refused, unread and by name, and how the files of one folder merge. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderIssues, renderPosition } from '../../manifest/issues';
import { type ReadManifests, readManifests } from '../../manifest/read';
import { readProfile } from '../../resources/profile';
import { temporaryFolder } from '../support/temporary-folder';

const head = 'apiVersion: tether/v1\norganization: acme\n';
const provider = '{ serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b }';

describe('manifests in files', () => {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder(), name);

  function write(file: string, content: string | Uint8Array = head): void {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), content);
  }

  const read = (below = '.', cwd = folder()) => readManifests(below, { cwd });
  const readFiles = (...files: readonly string[]) => readManifests(files, { cwd: folder() });
  const reported = ({ issues }: ReadManifests) =>
    issues.map(({ rule, at }) => (at === undefined ? rule : `${rule} ${at.file}:${at.line}:${at.column}`));
  const messages = ({ issues }: ReadManifests) => issues.map(({ message }) => message);

  it('are found in folders by their ending, not in node_modules and dot folders, in the order of their names', () => {
    for (const file of [
      'b.tether.yml',
      'a.tether.yaml',
      'node_modules/x.tether.yaml',
      '.git/x.tether.yaml',
    ]) {
      write(file);
    }
    write('deep/er/c.tether.json', '{"apiVersion":"tether/v1","organization":"acme"}');
    write('other.yaml', 'apiVersion: v1\n');
    const result = read();
    assert.deepEqual(reported(result), []);
    assert.deepEqual([...result.sources.keys()], ['a.tether.yaml', 'b.tether.yml', 'deep/er/c.tether.json']);
  });

  it('need no ending when they are named, and are read once, a link within the folder too', () => {
    write('any.txt');
    write('a.tether.yaml');
    symlinkSync('a.tether.yaml', path('b.tether.yaml'));
    const { sources } = readFiles('any.txt', './a.tether.yaml', 'a.tether.yaml', 'b.tether.yaml');
    assert.deepEqual([...sources.keys()], ['a.tether.yaml', 'any.txt']);
    assert.equal(read().sources.size, 1);
  });

  it('are placed relative to the working directory, from a folder behind a link too', () => {
    write('sub/a.tether.yaml', `${head}runTriggers: [{ target: ws-1, source: ws-2 }]\n`);
    symlinkSync('sub', path('other'));
    for (const name of ['sub', 'other']) {
      assert.equal(read(name).manifests?.entries[0]?.at.file, `${name}/a.tether.yaml`);
    }
  });

  it('are missed in an empty folder, by the patterns that were looked for', () => {
    assert.deepEqual(reported(read()), ['no-manifests']);
    assert.match(messages(read())[0] ?? '', /\*\.tether\.yaml, \*\.tether\.yml or \*\.tether\.json/);
  });

  const contents: readonly (readonly [name: string, content: () => Uint8Array | string, expected: string])[] =
    [
      [
        'invalid UTF-8',
        () => Buffer.from([...Buffer.from(`${head}x: a`), 0xff]),
        'not-utf8 a.tether.yaml:3:5',
      ],
      ['UTF-16', () => Buffer.from(`\uFEFF${head}`, 'utf16le'), 'not-utf8 a.tether.yaml:1:1'],
      [
        'UTF-16 turned around',
        () => Buffer.from(`\uFEFF${head}`, 'utf16le').swap16(),
        'not-utf8 a.tether.yaml:1:1',
      ],
      ['10 MB', () => `${head}#${'x'.repeat(10_000_000)}`, 'too-large a.tether.yaml:1:1'],
      ['nothing', () => '', 'unknown-api-version a.tether.yaml:1:1'],
    ];
  for (const [name, content, expected] of contents) {
    it(`with ${name} are refused`, () => {
      write('a.tether.yaml', content());
      assert.deepEqual([reported(read()), read().manifests], [[expected], null]);
    });
  }

  it('are a folder, or files that are named, and the one is not taken for the other', () => {
    write('sub/a.tether.yaml');
    assert.match(
      messages(read('sub/a.tether.yaml')).join(),
      /name its folder \(only `tether validate` takes files\)/,
    );
    const both = readFiles('sub', 'sub/a.tether.yaml');
    assert.deepEqual(reported(both), ['unreadable sub:1:1']);
    assert.match(messages(both).join(), /^sub is a folder.*name files only$/);
  });

  it('that do not exist, or are links to nothing or to themselves, are reported by name', () => {
    write('c.tether.yaml');
    symlinkSync('../elsewhere.yaml', path('a.tether.yaml'));
    symlinkSync('b.tether.yaml', path('b.tether.yaml'));
    const links = [
      'a.tether.yaml does not exist, or is a broken symbolic link',
      'b.tether.yaml cannot be read (ELOOP)',
    ];
    assert.deepEqual(messages(read()), links);
    assert.equal(read().sources.size, 1);
    assert.deepEqual(messages(readFiles('none.yaml')), [
      'none.yaml does not exist, or is a broken symbolic link',
    ]);
  });

  it('that are pipes or devices are refused by name, not waited for and not read without end', () => {
    write('a.tether.yaml');
    spawnSync('mkfifo', [path('b.tether.yaml')]);
    for (const result of [read(), readFiles('a.tether.yaml', 'b.tether.yaml')]) {
      assert.deepEqual(reported(result), ['unreadable b.tether.yaml:1:1']);
      assert.match(messages(result).join(), /^b\.tether\.yaml is a named pipe, not a plain file/);
    }
    assert.match(messages(readFiles('/dev/zero')).join(), /dev\/zero is a device, not a plain file/);
  });

  for (const target of ['/dev/zero', '/proc/self/environ', '../outside.yaml', '../outside.tether.yaml']) {
    it(`that are links out of the folder are refused, unread: ${target}`, () => {
      write('outside.yaml', 'canary');
      write('outside.tether.yaml');
      write('in/a.tether.yaml');
      symlinkSync(target, path('in/b.tether.yaml'));
      const resultOfFiles = readManifests(['a.tether.yaml', 'b.tether.yaml'], { cwd: path('in') });
      for (const result of [read('.', path('in')), resultOfFiles]) {
        assert.deepEqual(reported(result), ['outside b.tether.yaml:1:1']);
        assert.match(messages(result).join(), /a link out of this folder/);
        assert.equal(result.sources.size, 1);
      }
    });
  }

  it('in a folder that a link leads to from inside are refused by the name of the link, unread', () => {
    write('elsewhere/a.tether.yaml');
    write('repo/orgs/acme/a.tether.yaml');
    symlinkSync('../../elsewhere', path('repo/orgs/evil'));
    symlinkSync('acme', path('repo/orgs/same'));
    symlinkSync(path('repo'), path('checkout'));
    for (const [folder, cwd, shown] of [
      ['orgs/evil', 'repo', 'orgs/evil'],
      ['evil', 'repo/orgs', 'evil'],
      [path('repo/orgs/evil'), 'elsewhere', '../repo/orgs/evil'],
    ] as const) {
      const result = read(folder, path(cwd));
      assert.deepEqual(reported(result), ['outside']);
      assert.match(messages(result).join(), new RegExp(`^${shown} is a link out of the folder`));
      assert.equal(result.sources.size, 0);
    }
    for (const [folder, cwd] of [
      ['.', 'repo/orgs/evil'],
      ['orgs/acme', 'checkout'],
      ['orgs/same', 'repo'],
      ['../elsewhere', 'repo'],
      [path('repo/orgs/acme'), 'checkout'],
    ] as const) {
      assert.deepEqual(reported(read(folder, path(cwd))), []);
    }
  });

  it('in a folder that is a link are an error, not taken for removed', () => {
    for (const name of ['in/a', 'in/.vendor/b']) write(`${name}.tether.yaml`);
    symlinkSync('.vendor', path('in/out'));
    assert.deepEqual(reported(read('in')), ['linked-folder in/out:1:1']);
  });

  it('of a folder with a ledger, and of a part with another one, are refused from both sides', () => {
    for (const name of ['in/a', 'in/part/b']) write(`${name}.tether.yaml`);
    write('in/tether.ledger.json', '{}');
    assert.deepEqual(reported(read('in')), []);
    assert.match(
      messages(read('in/part')).join(),
      /^the folder above \(.*\/in\) has a ledger that covers this folder: run/,
    );
    write('in/.worktrees/x/a.tether.yaml');
    assert.deepEqual(reported(read('in/.worktrees/x')), []);
    symlinkSync('in/part', path('link'));
    assert.match(messages(read('link')).join(), /^the folder above/);
    write('in/part/tether.ledger.json', '{}');
    assert.deepEqual(reported(read('in')), ['nested-ledger in/part/tether.ledger.json:1:1']);
  });

  const json = '{\n  "organization": "acme",\n  "apiVersion": "tether/v1"\n}';
  const strays: readonly (readonly [string, string, string])[] = [
    ['YAML', 'triggers.yaml', head],
    ['YAML with a comment above', 'deep/er/triggers.yml', `# ours\n${head}`],
    ['YAML in capitals', 'triggers.tether.YAML', head],
    ['YAML with quotes', 'x.yaml', '"apiVersion": \'tether/v1\'\n'],
    ['a second document', 'x.yaml', `kind: x\n---\n${head}`],
    ['another version', 'x.yaml', 'apiVersion: tether/v2\n'],
    ['JSON with a byte order mark', 'x.json', `\uFEFF${json}`],
    ['JSON that does not parse', 'x.json', json.slice(0, -1)],
    ['YAML in braces', 'x.yaml', '{ organization: acme, apiVersion: tether/v1 }\n'],
  ];
  for (const [what, name, text] of strays) {
    it(`that have another ending are an error that names them, not taken for removed: ${what}`, () => {
      write('a.tether.yaml');
      write(name, text);
      assert.deepEqual(reported(read()), [`other-ending ${name}:1:1`]);
      assert.match(messages(read()).join(), /is not read, because its name does not end in \.tether\.yaml/);
    });
  }

  it('whose names begin with a dot are not read, and such a manifest is an error', () => {
    write('a.tether.yaml');
    symlinkSync('user@host.4711:1789', path('.#a.tether.yaml'));
    write('._a.tether.yaml', Buffer.from([0, 5, 22, 7, 0, 2, 0, 0, 255]));
    write('.gitlab-ci.yml', head);
    write('.b.tether.yaml', `run: |\n  ${head.replaceAll('\n', '\n  ')}\n`);
    symlinkSync('/dev/zero', path('.c.tether.json'));
    spawnSync('mkfifo', [path('.d.tether.yml')]);
    const result = read();
    assert.deepEqual([reported(result), result.sources.size], [[], 1]);
    write('.e.tether.yaml');
    symlinkSync('.e.tether.yaml', path('.f.tether.yaml'));
    assert.deepEqual(reported(read()), [
      'other-ending .e.tether.yaml:1:1',
      'other-ending .f.tether.yaml:1:1',
    ]);
    assert.match(
      messages(read()).join(),
      /is not read, because its name begins with a dot: rename or move it/,
    );
  });

  it('are not looked for in a ledger and its lock, which a run may remove meanwhile', () => {
    write('main.tether.yaml');
    for (const file of ['tether.ledger.json', 'tether.ledger.json.lock.json']) write(file);
    assert.deepEqual(reported(read()), []);
  });

  it('are not seen in what only mentions them, or has no ending of theirs', () => {
    write('a.tether.yaml');
    write('ci.yaml', `run: |\n  cat <<E\n  ${head.replaceAll('\n', '\n  ')}\n  E\n`);
    for (const name of ['README.md', 'a.tether.yaml.bak', 'node_modules/x.yaml', '.hidden/x.yaml'])
      write(name);
    symlinkSync('/dev/zero', path('link.yaml'));
    spawnSync('mkfifo', [path('pipe.json')]);
    assert.deepEqual(reported(read()), []);
  });

  it('whose names hold what a terminal obeys are refused, with the name made harmless', () => {
    const name = 'a\u001b[31m\u202ered.tether.yaml';
    write(name);
    write(name.replace('.tether', ''));
    for (const result of [read(), readFiles(name), readFiles(`none${name}`)]) {
      const rendering = renderIssues(result.issues, result.sources, { color: false });
      assert.match(rendering, /a\?\[31m\?red\.tether\.yaml/);
      assert.ok(!rendering.includes('\u001b') && !rendering.includes('\u202e'));
    }
    assert.ok(reported(read()).includes('file-name a?[31m?red.tether.yaml:1:1'));
    write('::warning::b.tether.yaml', '');
    assert.ok(reported(read()).includes('unknown-api-version ./::warning::b.tether.yaml:1:1'));
  });

  it('merge: aliases, clients, links and the organization of one serve the others', () => {
    const version = 'apiVersion: tether/v1\n';
    write('a.tether.yaml', `${version}aliases: { projects: { shop: prj-1 }, workspaces: { app: ws-1 } }\n`);
    const alias = 'aliases: { workspaces: { app: ws-1 } }\n';
    write('b.tether.yaml', `${head}${alias}projectAttachments: [{ oauthClient: git, project: shop }]\n`);
    write('c.tether.yaml', `${version}oauthClients: { git: ${provider} }\n`);
    const result = read();
    assert.deepEqual(reported(result), []);
    assert.deepEqual(
      result.manifests?.entries.map(({ address, at }) => [address, at.file]),
      [
        ['OAuthClient/git', 'c.tether.yaml'],
        ['ProjectAttachment/git/shop', 'b.tether.yaml'],
      ],
    );
    assert.deepEqual(result.manifests?.organizationAt, { file: 'b.tether.yaml', line: 2, column: 15 });
  });

  it('of which none names the organization are reported once', () => {
    write('a.tether.yaml', 'apiVersion: tether/v1\n');
    write('b.tether.yaml', 'apiVersion: tether/v1\nrunTriggers: [{ target: app, source: ws-2 }]\n');
    assert.deepEqual(reported(read()), [
      'missing-field a.tether.yaml:1:1',
      'unknown-alias b.tether.yaml:2:25',
    ]);
  });

  const client = (projects: string) => `oauthClients:\n  git: ${provider.replace(' }', `${projects} }`)}\n`;
  const clashes: readonly (readonly [what: string, texts: readonly [string, string], ...string[]])[] = [
    ['one address', [client(''), client('')], 'same-address-twice b:4:3 a:4:3'],
    [
      'one address with other projects',
      [client(', projects: [prj-1]'), client(', projects: [prj-2]')],
      'same-address-twice b:4:3 a:4:3',
    ],
    [
      'one id',
      [client(', id: oc-1'), client(', id: oc-1').replace('git', 'hub')],
      'same-id-twice b:4:86 a:4:86',
    ],
    [
      'one alias with two meanings',
      ['aliases: { projects: { a: prj-1 } }\n', 'aliases: { projects: { a: prj-2 } }\n'],
      'alias-clash b:3:24 a:3:24',
    ],
    ['two profiles', ['profile: default\n', 'profile: hcp-terraform\n'], 'profile-clash b:3:10 a:3:10'],
    [
      'one trigger',
      ['runTriggers: [{ target: ws-1, source: ws-2 }]\n', 'runTriggers: [{ target: ws-1, source: ws-2 }]\n'],
      'same-link-twice b:3:15 a:3:15',
    ],
    [
      'a line and a set',
      [
        'runTriggers: [{ target: ws-1, source: ws-2 }]\n',
        'runTriggers: [{ target: ws-1, sources: [ws-2] }]\n',
      ],
      'line-beside-set a:3:15 b:3:15',
    ],
  ];
  for (const [name, [first, second], ...expected] of clashes) {
    it(`clash over ${name}, with both places`, () => {
      write('a.tether.yaml', head + first);
      write('b.tether.yaml', head + second);
      const { issues } = read();
      const summaries = issues.map(({ rule, at, related = [] }) =>
        [
          rule,
          ...[at, ...related].map((position) => `${position?.file[0]}:${position?.line}:${position?.column}`),
        ].join(' '),
      );
      assert.deepEqual(summaries, expected);
    });
  }

  it('of several organizations are reported once, and show no secret', () => {
    const secrets = `oauthClients:\n  git: { serviceProvider: provider_a, secret: canary, httpUrl: "https://u:canary@a.b", apiUrl: https://a.b }\n`;
    write('acme.tether.yaml', head);
    for (const name of ['beta', 'gamma']) {
      const file = `apiVersion: tether/v1\norganization: ${name}\nprofile: hcp-terraform\n${secrets}`;
      write(`${name}.tether.yaml`, file);
    }
    write('aliases.tether.yaml', 'apiVersion: tether/v1\nunknown: canary\n');
    const result = read();
    const related = result.issues.flatMap((issue) => issue.related ?? []);
    assert.deepEqual(reported(result), [
      'second-organization acme.tether.yaml:2:15',
      'unknown-key aliases.tether.yaml:2:1',
      'literal-secret beta.tether.yaml:5:47',
      'literal-secret gamma.tether.yaml:5:47',
    ]);
    assert.deepEqual(related.map(renderPosition), ['beta.tether.yaml:2:15', 'gamma.tether.yaml:2:15']);
    assert.equal(
      messages(result)[0],
      'these files belong to several organizations (acme, beta, gamma): name the folder of each, because one folder has one organization and one ledger',
    );
    const rendering = renderIssues(result.issues, result.sources, { color: false });
    assert.match(rendering, /> 2 \| organization: acme/);
    assert.doesNotMatch(rendering, /canary/);
    assert.equal(result.manifests, null);
  });

  it('name the addresses of the service beside the organization, in their usual form', () => {
    write('a.tether.yaml', `${head}addresses: [https://A.example.com/api/v2/, http://localhost:80]\n`);
    write('b.tether.yaml', `${head}addresses: [https://b.example.com:443/api/v2]\n`);
    const [a, b] = ['https://a.example.com/api/v2', 'https://b.example.com/api/v2'];
    assert.deepEqual(read().manifests?.addresses, [a, 'http://localhost', b]);
    write('0.tether.yaml', 'apiVersion: tether/v1\naddresses: [https://user:canary@host/api/v2]\n');
    write('b.tether.yaml', `${head}addresses: [https://user:canary@host/api/v2, http://host, 5]\n`);
    const result = read();
    assert.deepEqual(reported(result), [
      'misplaced-addresses 0.tether.yaml:2:1',
      'bad-address b.tether.yaml:3:13',
      'bad-address b.tether.yaml:3:46',
      'wrong-type b.tether.yaml:3:59',
    ]);
    const rendering = renderIssues(result.issues, result.sources, { color: false });
    assert.doesNotMatch(rendering, /canary/);
  });

  it('say once where the ledger is, beside the organization', () => {
    const place = 'ledger: s3://bucket/acme.json\n';
    write('a.tether.yaml', head + place);
    write('b.tether.yaml', head + place);
    assert.deepEqual(read().manifests?.ledger, { home: 's3', bucket: 'bucket', key: 'acme.json' });
    write('b.tether.yaml', `${head}ledger: https://user:canary@host/terraform/state/acme\n`);
    write('0.tether.yaml', 'apiVersion: tether/v1\nledger: https://user:canary@host/terraform/state/acme\n');
    write('d.tether.yaml', `${head}ledger: 5\n`);
    const result = read();
    assert.deepEqual(reported(result), [
      'misplaced-ledger 0.tether.yaml:2:1',
      'second-ledger b.tether.yaml:3:9',
      'wrong-type d.tether.yaml:3:9',
    ]);
    assert.match(messages(result)[1] ?? '', /one folder has one ledger \(see a\.tether\.yaml:3:9\)/);
    const rendering = renderIssues(result.issues, result.sources, { color: false });
    assert.doesNotMatch(rendering, /canary/);
  });

  it('with a literal secret hide it in all files, and report nothing that repeats it', () => {
    const urls = 'httpUrl: https://a.b, apiUrl: https://a.b/api';
    write('a.tether.yaml', `${head}oauthClients:\n  git: { serviceProvider: canary, ${urls} }\n`);
    const secondFile = `${head}oauthClients:\n  hub: { serviceProvider: provider_a, ${urls}, secret: canary }\n`;
    write('b.tether.yaml', secondFile);
    assert.deepEqual(reported(read()), ['literal-secret b.tether.yaml:4:94']);
  });

  it('with a mistake of syntax do not make others complain of names that may be in there', () => {
    write('a.tether.yaml', `${head}aliases: { projects: { shop: prj-1 }\n`);
    write('b.tether.yaml', `${head}projectAttachments: [{ oauthClient: git, project: shop }]\n`);
    write('c.tether.yaml', `${head}x: [\ny: ]\n`);
    assert.deepEqual(
      reported(read()).map((text) => text.split(':')[0]),
      ['yaml-syntax a.tether.yaml', 'yaml-syntax c.tether.yaml'],
    );
  });

  it('with twenty thousand equal lines get a page of mistakes and a count', () => {
    const lines = '  - { target: ws-1, source: ws-2 }\n'.repeat(20_000);
    write('a.tether.yaml', `${head}runTriggers:\n${lines}`);
    const { issues } = read();
    assert.deepEqual([issues.length, issues.at(-1)?.severity], [201, 'error']);
    assert.equal(issues.at(-1)?.message, 'and 19799 more, shown once these are fixed');
  });

  it('may name a profile file beside them', () => {
    const profile = { ...readProfile('default', folder()), name: 'own' };
    write('p/own.json', JSON.stringify(profile));
    write('a.tether.yaml', `${head}profile: p/own.json\n`);
    write('sub/b.tether.yaml', `${head}profile: ../p/own.json\n`);
    assert.deepEqual([reported(read()), read().manifests?.profile.name], [[], 'own']);
  });
});
