/** The kinds there are, held to the suite that every kind must pass, with samples of all their fields. */
import assert from 'node:assert/strict';
import type { Api, OAuthClientUpdate } from '../../client/api';
import { registry } from '../../resources/registry';
import { runTrigger } from '../../resources/run-trigger';
import type { SeedObject } from '../../service';
import { conformance, type Samples } from './conformance';

/** A service with everything that samples refer to; the client is there for attachments to hang on. */
const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-one': {}, 'apool-two': {} },
      projects: { 'prj-one': {}, 'prj-two': {} },
      workspaces: { 'ws-one': {}, 'ws-two': {}, 'ws-three': {} },
      oauthClients: {
        'oc-there': {
          serviceProvider: 'github',
          httpUrl: 'https://there.example.com',
          apiUrl: 'https://there.example.com/api',
          name: 'There',
        },
      },
    },
  },
  tokens: { owner: { acme: 'owner' } },
};

const shared = { seed, registry, profile: 'hcp-terraform' };

const keys = { key: 'k', rsaPublicKey: 'ssh-rsa AAAA', secret: { fromEnv: 'SECRET_ONE' } };

const client: Samples = {
  ...shared,
  base: {
    name: 'One',
    serviceProvider: 'github',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api',
  },
  fields: {
    serviceProvider: { from: 'github', to: 'github_enterprise' },
    name: { from: 'One', to: 'Two' },
    httpUrl: { from: 'https://one.example.com', to: 'https://two.example.com' },
    apiUrl: { from: 'https://one.example.com/api', to: 'https://two.example.com/api/' },
    key: { from: 'key-one', to: 'key-two' },
    oauthTokenString: { from: { fromEnv: 'SECRET_ONE' }, to: { fromEnv: 'SECRET_TWO' } },
    privateKey: {
      from: { fromEnv: 'SECRET_ONE' },
      to: { fromEnv: 'SECRET_TWO' },
      beside: { serviceProvider: 'ado_server' },
    },
    secret: { from: { fromEnv: 'SECRET_ONE' }, to: { fromEnv: 'SECRET_TWO' } },
    rsaPublicKey: {
      from: 'ssh-rsa AAAA one',
      to: 'ssh-rsa AAAA two',
      beside: { serviceProvider: 'bitbucket_data_center', ...keys },
    },
    organizationScoped: { from: true, to: false },
    projectIds: { from: ['prj-one'], to: ['prj-two'] },
    agentPoolId: { from: 'apool-one', to: 'apool-two' },
  },
  change: async (api, id, field, value) => {
    await api.oauthClients.update(id, { [field]: value } as OAuthClientUpdate);
  },
  remove: (api, id) => api.oauthClients.delete(id),
};

const attachment: Samples = {
  ...shared,
  seed: {
    ...seed,
    organizations: {
      acme: {
        ...seed.organizations?.acme,
        oauthClients: {
          ...seed.organizations?.acme?.oauthClients,
          'oc-other': {
            serviceProvider: 'github',
            httpUrl: 'https://other.example.com',
            apiUrl: 'https://other.example.com/api',
          },
        },
      },
    },
  },
  base: { oauthClient: 'oc-there', project: 'prj-one' },
  fields: {
    oauthClientId: { from: 'oc-there', to: 'oc-other' },
    projectId: { from: 'prj-one', to: 'prj-two' },
  },
  remove: (api, _id, values) =>
    api.oauthClients.detach(String(values.oauthClientId), [String(values.projectId)]),
};

const trigger: Samples = {
  ...shared,
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
