/** Random manifests, right and wrong: structure is checked by the schema, and what it refuses is never read over. */
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import fc from 'fast-check';
import { parseManifest } from '../../manifest';
import { manifestSchema } from '../../manifest/schema';
import { registry } from '../../resources/registry';

const scalar = fc.constantFrom<unknown>(
  '',
  'a',
  'ws-1',
  'prj-1',
  'oc-1',
  'https://a.b',
  0,
  1,
  1.5,
  true,
  null,
);
const anything = fc.oneof(
  { weight: 6, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('a', 'id', 'fromEnv', 'target', '__proto__'), scalar, { maxKeys: 2 }),
);

/** An object with some of these members, each right or anything. */
function some(members: Readonly<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const right = Object.entries(members);
  return fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...right) }, fc.constant(['bogus', 'x'] as const)),
        fc.option(anything, { nil: undefined, freq: 4 }),
      ),
      { maxLength: 8 },
    )
    .map((picked) =>
      Object.fromEntries(picked.map(([[key, value], other]) => [key, other === undefined ? value : other])),
    );
}

const client = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://a.b',
  apiUrl: 'https://a.b',
  name: null,
  projects: ['prj-1'],
  agentPool: 'apool-1',
  secret: { fromEnv: 'A' },
  organizationScoped: false,
  id: 'oc-1',
  protect: true,
};
const line = { target: 'ws-1', source: 'ws-2', targets: ['ws-3'], sources: [] };
const approval = { destroy: 'OAuthClient/a', id: 'oc-1', deletes: 5, missing: 1, serial: 0 };
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: fc.array(item, { maxLength: 2 }) }, anything);

const manifest = fc.record({
  apiVersion: fc.constant('tether/v1'),
  organization: fc.constant('acme'),
  oauthClients: fc.oneof({ weight: 6, arbitrary: fc.record({ git: some(client) }) }, anything),
  runTriggers: listOf(some(line)),
  projectAttachments: listOf(some({ oauthClient: 'oc-9', project: 'prj-9' })),
  moved: listOf(some({ from: 'OAuthClient/a', to: 'OAuthClient/git' })),
  approved: listOf(some(approval)),
});

describe('the reader of manifests', () => {
  const validate = new Ajv({
    strict: true,
    allErrors: true,
    allowUnionTypes: true,
    validateFormats: false,
  }).compile(manifestSchema(registry));

  it('refuses whatever the schema refuses', () => {
    let wrong = 0;
    fc.assert(
      fc.property(manifest, (value) => {
        const { issues } = parseManifest(JSON.stringify(value), 'a.tether.json');
        if (validate(value)) return;
        wrong += 1;
        assert.ok(
          issues.some(({ severity }) => severity === 'error'),
          JSON.stringify(validate.errors),
        );
      }),
      { numRuns: 1000 },
    );
    assert.ok(wrong > 100, `only ${wrong} were wrong`);
  });
});
