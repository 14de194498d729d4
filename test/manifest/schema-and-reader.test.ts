/** One mistake at every place of a manifest: the reader refuses all that the schema refuses. */
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import { parseManifest } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { keywordsOfLaterPasses, reporters } from '../../manifest/shape';

const right = {
  $schema: 'x.json',
  apiVersion: 'tether/v1',
  organization: 'acme',
  profile: 'hcp-terraform',
  ledger: 's3://bucket/key',
  addresses: ['https://a.b/api/v2', 'https://c.d/api/v2'],
  aliases: { workspaces: { app: 'ws-1' }, projects: { shop: 'prj-1' }, agentPools: { dmz: 'apool-1' } },
  oauthClients: {
    git: {
      id: 'oc-1',
      allowDuplicate: ['oc-2'],
      serviceProvider: 'bitbucket_data_center',
      name: null,
      httpUrl: 'https://a.b',
      apiUrl: 'https://a.b',
      key: 'k',
      secret: { fromEnv: 'A' },
      rsaPublicKey: 'k',
      organizationScoped: false,
      projects: ['shop'],
      agentPool: 'dmz',
    },
    azure: {
      serviceProvider: 'ado_server',
      httpUrl: 'https://a.b',
      apiUrl: 'https://a.b',
      oauthTokenString: { fromFile: 'b' },
      privateKey: { fromEnv: 'B' },
    },
  },
  projectAttachments: [{ oauthClient: 'oc-9', project: 'shop' }],
  runTriggers: [
    { target: 'app', source: 'ws-2' },
    { target: 'ws-3', sources: ['ws-2'] },
    { source: 'ws-4', targets: [] },
  ],
  forget: ['OAuthClient/legacy'],
  approved: [
    { destroy: 'OAuthClient/old', id: 'oc-7' },
    { replace: 'OAuthClient/git', id: 'oc-8' },
  ],
};

const otherValues: readonly unknown[] = [
  '',
  'a',
  ' ',
  0,
  1,
  -1,
  1.5,
  1e300,
  true,
  null,
  [],
  {},
  ['a', 'a'],
  [{}],
  { x: 1 },
];

/** The value with one mistake, for each mistake: something else in place of a part, a part left out, a part too many. */
function* mistaken(value: unknown): Generator<unknown> {
  yield* otherValues;
  if (Array.isArray(value)) {
    yield [...value, ...value];
    for (const [index, item] of value.entries()) {
      for (const mistake of mistaken(item)) yield value.with(index, mistake);
    }
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, bogus: 1 };
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
      for (const mistake of mistaken(member)) yield { ...value, [key]: mistake };
    }
  }
}

/** Returns the keywords of a schema by which a manifest can be wrong. */
function keywordsIn(schema: unknown): readonly string[] {
  return Object.entries(Object(schema)).flatMap(([keyword, part]) => {
    if (annotations.includes(keyword)) return [];
    if (mapsOfSchemas.includes(keyword)) return Object.values(Object(part)).flatMap(keywordsIn);
    const parts = subschemas.includes(keyword) ? [part].flat().flatMap(keywordsIn) : [];
    return applicators.includes(keyword) ? parts : [keyword, ...parts];
  });
}

const annotations = ['$schema', 'title', 'description', 'default'];
const mapsOfSchemas = ['properties', 'definitions'];
const subschemas = ['items', 'additionalProperties', 'propertyNames', 'oneOf', 'allOf'];
/** These report nothing of their own. `not` stands only below `oneOf`, which reports it. */
const applicators = ['items', 'allOf', '$ref', 'not'];

/** A secret with no source or two violates these. `findMistakes` reports every violation in a secret alike. */
const keywordsOfSecrets = ['minProperties', 'maxProperties'];

describe('the reader of manifests', () => {
  const options = { strict: true, strictRequired: false, allowUnionTypes: true, validateFormats: false };
  const validate = new Ajv(options).compile(manifestSchema());
  const errorsOf = (value: unknown) =>
    parseManifest(JSON.stringify(value), 'a.tether.json').issues.filter(
      (issue) => issue.severity === 'error',
    );

  it('knows each keyword of the schema: `manifest/shape.ts` reports it, or names it as one of later passes', () => {
    const known = [...Object.keys(reporters), ...keywordsOfLaterPasses, ...keywordsOfSecrets];
    assert.deepEqual([...new Set(keywordsIn(manifestSchema()))].sort(), known.sort());
  });

  it('has every key of a manifest in the sample', () => {
    const { properties = {}, definitions } = manifestSchema();
    const { OAuthClient } = definitions as Record<string, { properties: object }>;
    assert.deepEqual(Object.keys(right).sort(), Object.keys(properties).sort());
    assert.deepEqual(
      Object.keys({ ...right.oauthClients.git, ...right.oauthClients.azure }).sort(),
      Object.keys(OAuthClient?.properties ?? {}).sort(),
    );
  });

  it('refuses whatever the schema refuses', () => {
    assert.ok(validate(right), JSON.stringify(validate.errors));
    assert.deepEqual(errorsOf(right), []);
    const refused = [...mistaken(right)].filter((value) => !validate(value));
    assert.ok(refused.length > 500);
    for (const value of refused) assert.notDeepEqual(errorsOf(value), [], JSON.stringify(value));
  });
});
