/** What is written reads back as what was given. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Manifests } from '../../manifest/desired';
import { parseManifest } from '../../manifest/read';
import { writeManifest } from '../../manifest/write';

const head = `apiVersion: tether/v1
organization: acme
profile: hcp-terraform
aliases:
  workspaces: { app: ws-1, network: ws-2 }
  projects: { payments: prj-1 }
`;

function read(text: string): Manifests {
  const { manifests, issues } = parseManifest(text, 'acme.tether.yaml');
  assert.deepEqual(
    issues.filter((issue) => issue.severity === 'error'),
    [],
    text,
  );
  assert.ok(manifests);
  return manifests;
}

/** All that is not a place, in an order of its own. */
function content({ organization, profileName, aliases, entries, sets }: Manifests): unknown {
  const plain = entries.map(({ at: _, fieldsAt: __, idAt: ___, ...entry }) => entry);
  const text = (value: unknown) => JSON.stringify(value);
  return {
    organization,
    profileName,
    aliases,
    entries: plain.sort((left, right) => (left.address < right.address ? -1 : 1)),
    sets: sets
      .map(({ kind, fixed }) => ({ kind, fixed }))
      .sort((left, right) => (text(left) < text(right) ? -1 : 1)),
  };
}

const provider = 'serviceProvider: github, httpUrl: https://a.b, apiUrl: https://a.b';
const texts: Readonly<Record<string, string>> = {
  nothing: '',
  'a client with everything': `oauthClients: { git: { ${provider}, id: oc-1, name: null, key: "42", agentPool: null, organizationScoped: false, projects: [payments, prj-9], protect: true, allowDuplicate: true, secret: { fromEnv: A }, oauthTokenString: { fromFile: b/c } } }\n`,
  'an empty list of projects': `oauthClients: { git: { ${provider}, projects: [] } }\n`,
  'a lifted protection': `oauthClients: { git: { ${provider}, protect: false } }\n`,
  'a text of several lines': `oauthClients: { dc: { serviceProvider: bitbucket_data_center, httpUrl: https://a.b, apiUrl: https://a.b, secret: { fromEnv: A }, rsaPublicKey: "a\\n b\\n" } }\n`,
  'single links': `oauthClients: { git: { ${provider} } }\nprojectAttachments: [{ oauthClient: git, project: payments }, { oauthClient: oc-7, project: prj-2 }]\nrunTriggers: [{ target: app, source: ws-9 }]\n`,
  'sets that meet':
    'runTriggers: [{ target: app, sources: [network, ws-3] }, { source: network, targets: [app] }, { target: ws-8, sources: [] }]\n',
};

describe('a written manifest', () => {
  for (const [name, text] of Object.entries(texts)) {
    it(`reads back with ${name}`, () => {
      const desired = read(head + text);
      assert.deepEqual(content(read(writeManifest(desired))), content(desired));
    });
  }

  it('is YAML that a person likes to read', () => {
    const text = `oauthClients: { git: { ${provider}, projects: [payments] } }\nrunTriggers: [{ target: app, sources: [ws-2] }, { target: ws-2, source: ws-1 }]\n`;
    assert.equal(
      writeManifest(read(head + text)),
      `apiVersion: tether/v1
profile: hcp-terraform
organization: acme
aliases:
  workspaces:
    app: ws-1
    network: ws-2
  projects:
    payments: prj-1
oauthClients:
  git:
    serviceProvider: github
    httpUrl: https://a.b
    apiUrl: https://a.b
    projects:
      - payments
runTriggers:
  - { target: network, source: app }
  - { target: app, sources: [ network ] }
`,
    );
  });

  it('reads back with any name and key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), fc.string(), (name, key) => {
        const desired = read(`${head}oauthClients: { git: { ${provider} } }\n`);
        const [entry] = desired.entries;
        assert.ok(entry);
        const changed = { ...desired, entries: [{ ...entry, inputs: { ...entry.inputs, name, key } }] };
        const { manifests, issues } = parseManifest(writeManifest(changed), 'acme.tether.yaml');
        if (issues.some((issue) => issue.rule === 'control-character')) return;
        assert.deepEqual(issues, []);
        assert.deepEqual(
          [manifests?.entries[0]?.inputs.name, manifests?.entries[0]?.inputs.key],
          [name, key],
        );
      }),
      { numRuns: 200 },
    );
  });
});
