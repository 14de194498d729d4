/** The kinds there are, held to the suite that every kind must pass, with samples of all their fields. */
import assert from 'node:assert/strict';
import type { Api, OAuthClientUpdate } from '../../client/api';
import { isLink } from '../../resources/kind';
import { findDefinition, registry } from '../../resources/registry';
import { runTrigger } from '../../resources/run-trigger';
import { besideClientValue, clientValues } from '../support/client-values';
import { conformance, type Samples } from './conformance';

const { fields } = findDefinition('OAuthClient');

/** As a manifest writes it: a secret by the variable that holds it. */
function written(name: string, value: unknown, variable = 'SECRET_ONE'): unknown {
  return fields[name]?.writeOnly ? { fromEnv: variable } : value;
}

const clientSamples = Object.entries(clientValues).map(([name, [from, to]]) => {
  const beside = Object.entries(besideClientValue[name] ?? {});
  return [
    name,
    {
      from: written(name, from),
      to: written(name, to, 'SECRET_TWO'),
      beside: Object.fromEntries(beside.map(([other, value]) => [other, written(other, value)])),
    },
  ] as const;
});

const client: Samples = {
  base: {
    name: 'One',
    serviceProvider: 'github',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api',
  },
  fields: Object.fromEntries(clientSamples),
  change: async (api, id, field, value) => {
    await api.oauthClients.update(id, { [field]: value } as OAuthClientUpdate);
  },
  remove: (api, id) => api.oauthClients.delete(id),
};

const attachment: Samples = {
  base: { oauthClient: 'oc-there', project: 'prj-1' },
  fields: {
    oauthClientId: { from: 'oc-there', to: 'oc-other' },
    projectId: { from: 'prj-1', to: 'prj-2' },
  },
  remove: (api, _id, values) =>
    api.oauthClients.detach(String(values.oauthClientId), [String(values.projectId)]),
};

const trigger: Samples = {
  base: { target: 'ws-one', source: 'ws-two' },
  fields: {
    workspaceId: { from: 'ws-one', to: 'ws-three' },
    sourceableId: { from: 'ws-two', to: 'ws-three' },
  },
  remove: (api: Api, id) => api.runTriggers.delete(id),
};

const samples: Readonly<Record<string, Samples>> = {
  OAuthClient: client,
  ProjectAttachment: attachment,
  RunTrigger: trigger,
};

for (const definition of registry) conformance(definition, samples[definition.kind]);

describe('isLink', () => {
  it('is true for exactly the kinds with a pair', () => {
    for (const { kind, pair } of registry) assert.equal(isLink(kind), pair.length > 0, kind);
  });
});

describe('the samples of kinds', () => {
  it('are of kinds that the registry has', () => {
    assert.deepEqual(
      Object.keys(samples),
      registry.map(({ kind }) => kind),
    );
  });

  it('are asked for: a kind without them fails', () => {
    assert.throws(() => conformance({ ...runTrigger, kind: 'Lamp' }, undefined), /Lamp has no samples/);
  });
});
