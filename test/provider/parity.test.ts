/** Pulumi's diff and the planner say the same of any two states of a client: update or replace, and which fields. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { differencesOf, outputsOf } from '../../provider/state';
import { definitionOf, type FieldValues } from '../../resources/kind';
import { readProfile } from '../../resources/profile';
import { registry } from '../../resources/registry';
import {
  clientDocument,
  clientInLedger,
  ledgerWith,
  manifest,
  planIn,
  pureWorld,
} from '../support/pure-world';

const definition = definitionOf('OAuthClient', registry);
const profile = readProfile('default', '/');

/** What a person may say of a client; a field left out is not managed. */
const wishes = fc.record(
  {
    name: fc.constantFrom('GitHub', 'Git', null),
    key: fc.constantFrom('k1', 'k2'),
    organizationScoped: fc.boolean(),
    agentPoolId: fc.constantFrom('apool-1', 'apool-2', null),
    projectIds: fc.constantFrom([], ['prj-1'], ['prj-1', 'prj-2']),
    oauthTokenString: fc.constantFrom('t1', 't2'),
    secret: fc.constantFrom('s1', 's2'),
  },
  { requiredKeys: [] },
);
const fixed = fc.record({
  serviceProvider: fc.constantFrom('provider_a', 'provider_b_hosted'),
  httpUrl: fc.constantFrom('https://a.example.com', 'https://b.example.com'),
  apiUrl: fc.constant('https://a.example.com/api'),
});
const inputs = fc
  .tuple(fixed, wishes)
  .map(([one, two]) => ({ organization: 'acme', ...one, ...two }) as FieldValues);

const secretNames = ['oauthTokenString', 'secret'];
const manifestNames: Readonly<Record<string, string>> = { agentPoolId: 'agentPool', projectIds: 'projects' };

describe('the two diffs', () => {
  it('agree on every pair of inputs', () => {
    fc.assert(
      fc.property(inputs, inputs, (before, after) => {
        assert.deepEqual(plannedBy(before, after), comparedBy(before, after));
      }),
      { numRuns: 500 },
    );
  });
});

function comparedBy(before: FieldValues, after: FieldValues): Record<string, string> {
  const document = documentOf(before);
  const values = { ...document, organization: 'acme' };
  const readable = Object.fromEntries(
    Object.entries(definition.fields).flatMap(([name, field]) => {
      const value = (values as Record<string, unknown>)[name];
      return field.writeOnly || value === undefined ? [] : [[name, value as string]];
    }),
  );
  const olds = outputsOf(before, { values: readable, outputs: {} }, 'http://127.0.0.1');
  const differences = Object.entries(differencesOf(definition, olds, after, profile));
  return Object.fromEntries(
    differences.flatMap(([onChange, fields]) => fields.map((field) => [field, onChange])),
  );
}

function plannedBy(before: FieldValues, after: FieldValues): Record<string, string> {
  const digests = Object.fromEntries(secretNames.map((name) => [name, 'any']));
  const readable = Object.fromEntries(
    Object.entries(before).filter(([name]) => !secretNames.includes(name) && name !== 'projectIds'),
  );
  const world = pureWorld({
    clients: [documentOf(before)],
    ledger: ledgerWith({ 'OAuthClient/github': clientInLedger('oc-1', readable, { digests }) }),
  });
  const states = Object.fromEntries(
    secretNames.flatMap((name) =>
      name in after ? [[name, stateOf(before[name], after[name])] as const] : [],
    ),
  );
  const { steps } = planIn(world, manifest(yamlOf(after)), {}, { 'OAuthClient/github': states });
  const changes: Record<string, string> = {};
  const replaced = steps.some((step) => step.action === 'replace');
  for (const step of steps) {
    if (step.kind === 'ProjectAttachment' && step.action !== 'adopt') changes.projectIds = 'update';
    if (step.action !== 'update' && step.action !== 'replace') continue;
    for (const change of step.changes) {
      const carried =
        change.secret === undefined && JSON.stringify(change.from) === JSON.stringify(change.to);
      if (!carried) changes[change.field] = onChangeOf(change.field);
    }
  }
  // A replacement makes all attachments anew, the unchanged ones too.
  if (replaced) {
    const same = JSON.stringify(documentOf(before).projectIds) === JSON.stringify(after.projectIds);
    if (after.projectIds === undefined || same) delete changes.projectIds;
    else changes.projectIds = 'update';
  }
  return changes;
}

/** How the command line compares a secret: `compareSecrets` has a test for each of these. */
function stateOf(before: unknown, after: unknown): 'new' | 'same' | 'changed' {
  if (before === undefined) return 'new';
  return before === after ? 'same' : 'changed';
}

function onChangeOf(field: string): string {
  return definition.fields[field]?.onChange ?? '';
}

function documentOf(values: FieldValues) {
  const { oauthTokenString: _, secret: __, organization: ___, ...readable } = values;
  return clientDocument('oc-1', { name: null, ...readable });
}

function yamlOf(values: FieldValues): string {
  const entry = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      if (name === 'organization') return [];
      return [
        [manifestNames[name] ?? name, secretNames.includes(name) ? { fromEnv: 'ANY' } : value] as const,
      ];
    }),
  );
  return `oauthClients: ${JSON.stringify({ github: entry })}\n`;
}
