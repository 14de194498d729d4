/** What is written reads back as what was given. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parse } from 'yaml';
import { parseManifest } from '../../manifest/read';
import { type WritableEntry, writeManifest } from '../../manifest/write';

function written(entries: readonly WritableEntry[]): string {
  const aliasOf = new Map([
    ['ws-1', 'app'],
    ['prj-1', 'payments'],
  ]);
  const head = { organization: 'acme', profileName: 'hcp-terraform', comment: 'Found.\nEdit it.' };
  return writeManifest({ ...head, workspaces: { app: 'ws-1' }, aliasOf, entries });
}

/** Beside a file that declares the project. */
function read(text: string) {
  return parseManifest(
    text.replace('aliases:\n', 'aliases:\n  projects: { payments: prj-1 }\n'),
    'a.tether.yaml',
  );
}

const client = {
  kind: 'OAuthClient',
  address: 'OAuthClient/git',
  inputs: { serviceProvider: 'github', httpUrl: 'https://a.b', apiUrl: 'https://a.b' },
};

const all: readonly WritableEntry[] = [
  {
    ...client,
    id: 'oc-1',
    inputs: { ...client.inputs, key: '42', organizationScoped: false, projectIds: ['prj-1', 'prj-9'] },
    secrets: { secret: { fromEnv: 'A' } },
    comment: 'created today\noauthTokenString: { fromEnv: B }',
  },
  { ...client, address: 'OAuthClient/like', inputs: { ...client.inputs, name: 'ws-1', projectIds: [] } },
  {
    kind: 'ProjectAttachment',
    address: 'ProjectAttachment/other/payments',
    inputs: { oauthClientId: { address: 'OAuthClient/other' }, projectId: 'prj-1' },
  },
  {
    kind: 'RunTrigger',
    address: 'RunTrigger/app/ws-9',
    inputs: { workspaceId: 'ws-1', sourceableId: 'ws-9' },
  },
];

describe('a written manifest', () => {
  it('is YAML that a person likes to read', () => {
    assert.equal(
      written(all),
      `# Found.
# Edit it.

apiVersion: tether/v1
profile: hcp-terraform
organization: acme
aliases:
  workspaces:
    app: ws-1
oauthClients:
  git:
    # created today
    # oauthTokenString: { fromEnv: B }
    id: oc-1
    serviceProvider: github
    httpUrl: https://a.b
    apiUrl: https://a.b
    key: "42"
    secret:
      fromEnv: A
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
projectAttachments:
  - { oauthClient: other, project: payments }
runTriggers:
  - { target: app, source: ws-9 }
`,
    );
  });

  it('reads back with every field, sets as their links', () => {
    const other = { ...client, address: 'OAuthClient/other' };
    const { manifests, issues } = read(written([...all, other]));
    assert.deepEqual(
      issues.filter(({ severity }) => severity === 'error'),
      [],
    );
    const [git, like, ...links] = manifests?.entries ?? [];
    const { projectIds: _, ...inputs } = all[0]?.inputs ?? {};
    assert.deepEqual([git?.id, git?.secrets], ['oc-1', all[0]?.secrets]);
    assert.deepEqual(git?.inputs, { organization: 'acme', ...inputs });
    assert.equal(like?.inputs.name, 'ws-1');
    assert.deepEqual(
      links.map(({ address }) => address),
      [
        'OAuthClient/other',
        'ProjectAttachment/git/payments',
        'ProjectAttachment/git/prj-9',
        'ProjectAttachment/other/payments',
        'RunTrigger/app/ws-9',
      ],
    );
    assert.equal(manifests?.sets.length, 2);
  });

  it('reads back with a text of several lines', () => {
    const inputs = {
      ...client.inputs,
      serviceProvider: 'bitbucket_data_center',
      rsaPublicKey: 'a\n b\n',
    };
    const { manifests } = read(written([{ ...client, inputs, secrets: { secret: { fromEnv: 'A' } } }]));
    assert.equal(manifests?.entries[0]?.inputs.rsaPublicKey, 'a\n b\n');
  });

  it('reads back with any comment', () => {
    const comment = 'a\0b\rc: d\u2028e: f\n\ng\u0085h: i';
    const text = written([{ ...client, comment }]);
    assert.deepEqual(read(text).manifests?.entries[0]?.inputs, { organization: 'acme', ...client.inputs });
    assert.match(text, /^ {4}# a.*f\n {4}# \n {4}# g.*i\n {4}service/m);
  });

  it('reads back with any name and key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string(), (name, key) => {
        const { manifests, issues } = read(written([{ ...client, inputs: { ...client.inputs, name, key } }]));
        if (issues.some((issue) => issue.rule === 'control-character')) return;
        assert.deepEqual(issues, []);
        const [entry] = manifests?.entries ?? [];
        assert.deepEqual([entry?.inputs.name, entry?.inputs.key], [name, key]);
      }),
      { numRuns: 200 },
    );
  });

  // What YAML 1.1 or 1.2 takes for a boolean, a number, a date, nothing, or a key that merges.
  const notText =
    'yes no y N on Off true 1_000 0x1f 0b11 010 0o17 1e3 1.5 .5 .inf .nan 1:30 2024-01-01 2001-12-14t21:59:43.10-05:00 ~ null <<';
  for (const name of notText.split(' ')) {
    it(`says ${name} as text to every reader`, () => {
      const map = { ...client, inputs: { ...client.inputs, name, projectIds: ['prj-1'] } };
      const link = { ...client, kind: 'RunTrigger', inputs: { workspaceId: 'ws-1', sourceableId: 'ws-2' } };
      const aliasOf = new Map(['ws-1', 'prj-1'].map((id) => [id, name]));
      const head = { organization: name, profileName: name, comment: 'Found.' };
      const text = writeManifest({ ...head, workspaces: { [name]: 'ws-1' }, aliasOf, entries: [map, link] });
      for (const version of ['1.1', '1.2'] as const) {
        const read = parse(text, { version, mapAsMap: true }) as Map<string, unknown>;
        assert.deepEqual([read.get('organization'), read.get('profile')], [name, name]);
        assert.deepEqual(read.get('aliases'), new Map([['workspaces', new Map([[name, 'ws-1']])]]));
        const [written] = (read.get('oauthClients') as Map<string, Map<string, unknown>>).values();
        assert.deepEqual([written?.get('name'), written?.get('projects')], [name, [name]]);
        const [line] = read.get('runTriggers') as Map<string, unknown>[];
        assert.equal(line?.get('target'), name);
      }
    });
  }
});
