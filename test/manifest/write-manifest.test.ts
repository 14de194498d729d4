/** What is written reads back as what was given. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseManifest } from '../../manifest/read';
import { type WritableEntry, type WritableManifest, writeManifest } from '../../manifest/write';

function written(entries: readonly WritableEntry[], more: Partial<WritableManifest> = {}): string {
  const namesById = new Map([
    ['ws-1', 'app'],
    ['ws-2', 'ws-odd'],
    ['prj-1', 'payments'],
  ]);
  const head = { organization: 'acme', profileName: 'hcp-terraform', comment: 'Found.\nEdit it.' };
  return writeManifest({ ...head, namesById, entries, ...more });
}

/** The names are looked up. */
const read = (text: string) => parseManifest(text, 'a.tether.yaml');

const client = {
  kind: 'OAuthClient',
  address: 'OAuthClient/git',
  inputs: { serviceProvider: 'github', httpUrl: 'https://a.b', apiUrl: 'https://a.b' },
};
const trigger = (workspaceId: string, sourceableId: string): WritableEntry => {
  const address = `RunTrigger/${workspaceId}/${sourceableId}`;
  return { kind: 'RunTrigger', address, inputs: { workspaceId, sourceableId } };
};

const all: readonly WritableEntry[] = [
  {
    ...client,
    id: 'oc-1',
    inputs: { ...client.inputs, key: '42', organizationScoped: false, projectIds: ['prj-1', 'prj-9'] },
  },
  { ...client, address: 'OAuthClient/like', inputs: { ...client.inputs, name: 'ws-1', projectIds: [] } },
  trigger('ws-8', 'ws-9'),
  trigger('ws-1', 'ws-9'),
  trigger('ws-1', 'ws-2'),
];

describe('a written manifest', () => {
  it('is YAML that a person likes to read, with links in the order of their ends', () => {
    assert.equal(
      written(all),
      `# Found.
# Edit it.

apiVersion: tether/v1
profile: hcp-terraform
organization: acme
oauthClients:
  git:
    id: oc-1
    serviceProvider: github
    httpUrl: https://a.b
    apiUrl: https://a.b
    key: "42"
    organizationScoped: false
    projects:
      - payments
      - prj-9
  like:
    serviceProvider: github
    name: ws-1
    httpUrl: https://a.b
    apiUrl: https://a.b
    projects: []
runTriggers:
  - { target: app, source: ws-2 }
  - { target: app, source: ws-9 }
  - { target: ws-8, source: ws-9 }
`,
    );
  });

  it('reads back with every field, sets as their links', () => {
    const { manifests, issues } = read(written(all));
    assert.deepEqual(issues, []);
    const [git, like, ...others] = manifests?.entries ?? [];
    const { projectIds: _, ...inputs } = all[0]?.inputs ?? {};
    assert.equal(git?.id, 'oc-1');
    assert.deepEqual(git?.inputs, { organization: 'acme', ...inputs });
    assert.equal(like?.inputs.name, 'ws-1');
    assert.deepEqual(
      others.map(({ address }) => address),
      [
        'ProjectAttachment/git/payments',
        'ProjectAttachment/git/prj-9',
        'RunTrigger/app/ws-2',
        'RunTrigger/app/ws-9',
        'RunTrigger/ws-8/ws-9',
      ],
    );
    assert.equal(manifests?.sets.length, 2);
  });

  it('reads back with any name, key and text of several lines, and with any comment', () => {
    const provider = { serviceProvider: 'bitbucket_data_center' };
    const text = fc.string({ unit: 'grapheme-ascii' });
    const property = fc.property(
      text,
      fc.string(),
      fc.array(text),
      fc.string(),
      (name, key, lines, comment) => {
        // The package `yaml` loses the space of a text that is only spaces and line breaks.
        fc.pre(lines.length < 2 || lines.some((line) => line.trim() !== ''));
        const inputs = { ...client.inputs, ...provider, name, key, rsaPublicKey: lines.join('\n') };
        const yaml = written([{ ...client, inputs }], { comment: `${comment}\0\r\u2028a: b` });
        // Such a key needs a secret beside it.
        const { manifests, issues } = read(yaml.replace('  git:\n', '$&    secret: { fromEnv: A }\n'));
        if (issues.some(({ rule }) => /control-character|never-empty/.test(rule))) return;
        assert.deepEqual(issues, []);
        assert.deepEqual(manifests?.entries[0]?.inputs, { organization: 'acme', ...inputs });
      },
    );
    fc.assert(property, { numRuns: 300, examples: [['', '/*', ['// a'], '']] });
  });

  it('says as text to readers of YAML 1.1 and 1.2 what one of them takes for something else', () => {
    const notText =
      'yes no y N on Off true 1_000 0x1f 0b11 010 0o17 1e3 1.5 .5 .inf .nan 1:30 2024-01-01 2001-12-14t21:59:43.10-05:00 ~ null <<';
    for (const name of notText.split(' ')) {
      const map = { ...client, inputs: { ...client.inputs, name, projectIds: ['prj-1'] } };
      const namesById = new Map(['ws-1', 'prj-1'].map((id) => [id, name]));
      const entries = [map, trigger('ws-1', 'ws-2')];
      const text = written(entries, { organization: name, namesById });
      for (const version of ['1.1', '1.2'] as const) {
        const map = parse(text, { version, mapAsMap: true }) as Map<string, unknown>;
        assert.equal(map.get('organization'), name);
        const [entry] = (map.get('oauthClients') as Map<string, Map<string, unknown>>).values();
        assert.deepEqual([entry?.get('name'), entry?.get('projects')], [name, [name]]);
        const [line] = map.get('runTriggers') as Map<string, unknown>[];
        assert.equal(line?.get('target'), name);
      }
    }
  });
});
