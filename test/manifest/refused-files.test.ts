/** Files that are refused for what they are, where they lead or how they are called; each by name, and unread. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, readManifestFiles, readManifests } from '../../manifest/read';
import { temporaryFolder } from '../support/temporary-folder';

const head = 'apiVersion: tether/v1\norganization: acme\n';

describe('manifests that are refused as files', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder(), name);

  function write(file: string, content: string): void {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), content);
  }

  const read = (folderName = '.', cwd = folder()) => readManifests(folderName, { cwd });
  const readFiles = (...files: readonly string[]) => readManifestFiles(files, { cwd: folder() });
  const told = ({ issues }: ReadManifests) =>
    issues.map((one) =>
      one.at === undefined ? one.rule : `${one.rule} ${one.at.file}:${one.at.line}:${one.at.column}`,
    );

  it('that are pipes are not waited for, but refused by name', () => {
    write('a.tether.yaml', head);
    spawnSync('mkfifo', [at('b.tether.yaml')]);
    for (const result of [read(), readFiles('a.tether.yaml', 'b.tether.yaml')]) {
      assert.deepEqual(told(result), ['unreadable b.tether.yaml:1:1']);
      assert.match(result.issues[0]?.message ?? '', /^b\.tether\.yaml is a named pipe, not a plain file/);
    }
  });

  it('that are devices are refused by name, not read without end', () => {
    const result = readFiles('/dev/zero');
    assert.match(result.issues[0]?.message ?? '', /dev\/zero is a device, not a plain file/);
  });

  const outside: readonly (readonly [string, string])[] = [
    ['a device', '/dev/zero'],
    ['the environment of this process', '/proc/self/environ'],
    ['a file of another folder', '../outside.yaml'],
    ['a manifest of another folder', '../outside.tether.yaml'],
  ];
  for (const [what, target] of outside) {
    it(`that are links out of the folder are refused, unread: ${what}`, () => {
      write('outside.yaml', 'canary');
      write('outside.tether.yaml', head);
      write('in/a.tether.yaml', head);
      symlinkSync(target, at('in/b.tether.yaml'));
      const named = readManifestFiles(['a.tether.yaml', 'b.tether.yaml'], { cwd: at('in') });
      for (const result of [read('.', at('in')), named]) {
        assert.deepEqual(told(result), ['outside b.tether.yaml:1:1']);
        assert.match(
          result.issues[0]?.message ?? '',
          new RegExp(`a link to ${target}, outside of this folder`),
        );
        assert.equal(result.sources.size, 1);
      }
    });
  }

  it('that are links within the folder are read, from a folder behind a link too', () => {
    write('in/sub/a.tether.yaml', head);
    symlinkSync('sub/a.tether.yaml', at('in/b.tether.yaml'));
    symlinkSync('in', at('other'));
    assert.deepEqual(told(read('other')), []);
    assert.deepEqual(told(readFiles('other/b.tether.yaml')), []);
  });

  const json = '{\n  "apiVersion": "tether/v1",\n  "organization": "acme"\n}';
  const strays: readonly (readonly [string, string, string])[] = [
    ['YAML', 'triggers.yaml', head],
    ['YAML with a comment above', 'deep/er/triggers.yml', `# ours\n${head}`],
    ['YAML in capitals', 'triggers.tether.YAML', head],
    ['YAML with quotes', 'x.yaml', '"apiVersion": \'tether/v1\'\n'],
    ['YAML that is indented', 'x.yaml', '\n  apiVersion: tether/v1\n  organization: acme\n'],
    ['a second document', 'x.yaml', `kind: x\n---\n${head}`],
    ['YAML that does not parse', 'x.yaml', `${head}x: "\n`],
    ['another version', 'x.yaml', 'apiVersion: tether/v2\n'],
    ['JSON', 'x.json', json],
    ['JSON that does not parse', 'x.json', json.slice(0, -1)],
    ['JSON with a byte order mark', 'x.json', `\uFEFF${json}`],
    [
      'JSON with a mistake below',
      'x.json',
      '{\n  "organization": "acme",\n  "apiVersion": "tether/v1",\n  "a": []\n  "b": []\n}',
    ],
    [
      'indented YAML with a mistake below',
      'x.yaml',
      '\n  organization: acme\n  apiVersion: tether/v1\n  x: [\n',
    ],
    ['JSON in a second document', 'x.yaml', `kind: x\n---\n{ organization: acme, apiVersion: tether/v1 }\n`],
    ['a mistake above many lines', 'x.yaml', `apiVersion: tether/v1\nx: ]\n${'a: b\n'.repeat(300_000)}`],
    ['a tag that nobody knows', 'x.yaml', '{ organization: !x acme, apiVersion: tether/v1 }\n'],
    ['a name that a download gave', 'triggers.tether.yml.txt', head],
    ['a name that a merge left', 'triggers.tether.yaml.orig', head],
    ['a copy without its original', 'old.tether.yaml.bak', head],
    ['a copy of an editor without its original', 'old.tether.json~', json],
    ['much nesting', 'x.json', `{ "a": ${'['.repeat(30)}${']'.repeat(30)},\n "apiVersion": "tether/v1" }`],
  ];
  for (const [what, name, text] of strays) {
    it(`that have another ending are an error that names them, not taken for removed: ${what}`, () => {
      write('a.tether.yaml', head);
      write(name, text);
      const result = read();
      assert.deepEqual(told(result), [`other-ending ${name}:1:1`]);
      assert.match(
        result.issues[0]?.message ?? '',
        /name does not end in \.tether\.yaml.*rename it, or move it/,
      );
    });
  }

  it('are not seen in what only mentions them, or has no ending of theirs', () => {
    write('a.tether.yaml', head);
    write('ci.yaml', `run: |\n  cat <<E\n  ${head.replaceAll('\n', '\n  ')}\n  E\n`);
    write('list.json', `{"files":[{"apiVersion":"tether/v1"}]}`);
    write('README.md', head);
    for (const copy of ['.bak', '.orig', '~', ' (copy)']) write(`a.tether.yaml${copy}`, head);
    for (const autosave of ['#a.tether.yaml#', '.a.tether.yaml.swp']) write(autosave, head);
    write('a.yamllint', head);
    write('node_modules/x.yaml', head);
    write('.hidden/x.yaml', head);
    write('broken.yaml', `x: "\n  apiVersion: tether/v1`);
    symlinkSync('/dev/zero', at('link.yaml'));
    spawnSync('mkfifo', [at('pipe.json')]);
    assert.deepEqual(told(read()), []);
  });

  it('whose names hold what a terminal obeys are refused, with the name made harmless', () => {
    const name = 'a\u001b[31m\u202ered.tether.yaml';
    write(name, head);
    write(name.replace('.tether', ''), head);
    for (const result of [read(), readFiles(name), readFiles(`none${name}`)]) {
      assert.ok(result.issues.length > 0);
      const shown = renderIssues(result.issues, result.sources, { color: false });
      assert.match(shown, /a\?\[31m\?red\.tether\.yaml/);
      assert.ok(!shown.includes('\u001b') && !shown.includes('\u202e'));
    }
    assert.ok(told(read()).includes('file-name a?[31m?red.tether.yaml:1:1'));
  });
});
