/** The schema and the reference say what the reader does. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { parseManifest } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { readProfile } from '../../resources/profile';
import { registry } from '../../resources/registry';
import { manifestReference } from '../../tools/generated/manifest-reference';

const root = resolve(__dirname, '..', '..', '..');
const head = 'apiVersion: tether/v1\norganization: acme\n';
const provider = 'serviceProvider: provider_a, httpUrl: https://a.b, apiUrl: https://a.b';

describe('the JSON Schema of manifests', () => {
  const validate = new Ajv({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    validateFormats: false,
  }).compile(manifestSchema());
  const accepts = (text: string) => validate(parse(text));

  const right: readonly string[] = [
    '',
    'profile: hcp-terraform\naliases: { workspaces: { a: ws-1 }, projects: { b: prj-1 }, agentPools: { c: apool-1 } }\n',
    `oauthClients: { git: { ${provider}, id: oc-1, name: null, agentPool: null, projects: [], allowDuplicate: [oc-2], secret: { fromEnv: A }, privateKey: { fromFile: b } } }\n`,
    'projectAttachments: [{ oauthClient: oc-1, project: prj-1 }]\n',
    'runTriggers: [{ target: ws-1, source: ws-2 }, { target: ws-3, sources: [] }, { source: ws-4, targets: [ws-5] }]\n',
    `profile: hcp-terraform\nrunTriggers: [{ target: ws-1, sources: [app, app (old)] }]\noauthClients: { git: { ${provider}, projects: [prj-1], agentPool: dmz } }\n`,
    'forget: [RunTrigger/a/b, OAuthClient/oc-1]\napproved: [{ destroy: OAuthClient/a, id: oc-1 }]\n',
  ];
  it('accepts what the reader takes', () => {
    for (const text of right) assert.ok(accepts(head + text), text + JSON.stringify(validate.errors));
  });

  it('accepts every manifest of the examples', () => {
    const folder = join(root, 'examples', 'gitops');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.tether.yaml'))) {
      assert.ok(
        accepts(readFileSync(join(folder, file), 'utf8')),
        `${file}: ${JSON.stringify(validate.errors)}`,
      );
    }
  });

  it('has every field of every kind, with its description', () => {
    const text = JSON.stringify(manifestSchema());
    for (const definition of registry) {
      for (const field of Object.values(definition.fields)) {
        if (field.manifestName === null) continue;
        assert.ok(text.includes(JSON.stringify(field.doc).slice(1, -1)), field.doc);
      }
    }
  });
});

describe('the reference of manifests', () => {
  const page = manifestReference([readProfile('default', '/')]);

  it('has examples that the reader takes', () => {
    const examples = [...page.matchAll(/```yaml\n([^`]*?)```/g)].map((match) => match[1] ?? '');
    assert.equal(examples.length, 3 + registry.length);
    for (const example of examples) {
      const whole = (example.includes('apiVersion') ? '' : head) + example;
      assert.deepEqual(parseManifest(whole, 'a.yaml').issues, [], example);
    }
  });

  it('warns of exact sets where teams share a target', () => {
    assert.match(
      page,
      /An exact set deletes the triggers that other folders declare[^.]*each time[^.]*\.[^.]*single lines/s,
    );
  });

  it('is current, and so is the schema', () => {
    const profiles = ['default', 'hcp-terraform'].map((name) => readProfile(name, root));
    const files = [
      ['docs/reference/manifest.schema.json', `${JSON.stringify(manifestSchema(), null, 2)}\n`],
      ['docs/reference/manifest.md', manifestReference(profiles)],
    ] as const;
    for (const [path, content] of files) {
      assert.equal(readFileSync(join(root, path), 'utf8'), content, `${path} is stale: run \`make docs\``);
    }
  });
});
