/** Two valid values for each field of an OAuth client, for suites over all fields. The order is that of the definition. */
import { oauthClient } from '../../resources/oauth-client';

/** The keys are names in code. Secrets are in plain text. */
export const clientValues = {
  serviceProvider: ['github', 'github_enterprise'],
  name: ['before', 'after'],
  httpUrl: ['https://git.example.com', 'https://new.example.com'],
  apiUrl: ['https://git.example.com/api', 'https://new.example.com/api'],
  key: ['key-1', 'key-2'],
  oauthTokenString: ['canary-token-1', 'canary-token-2'],
  privateKey: ['canary-private-1', 'canary-private-2'],
  secret: ['canary-secret-1', 'canary-secret-2'],
  rsaPublicKey: ['rsa-1', 'rsa-2'],
  organizationScoped: [true, false],
  // One that goes as well as one that comes.
  projectIds: [['prj-1'], ['prj-2']],
  agentPoolId: ['apool-dmz', 'apool-lab'],
} as const;

/** What must stand beside a value of these fields, so that it is valid. */
export const besideClientValue: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  privateKey: { serviceProvider: 'ado_server' },
  rsaPublicKey: { serviceProvider: 'bitbucket_data_center', key: 'k', secret: 'canary-secret' },
};

/** The defaults of the fields that have one. */
export const clientDefaults = Object.fromEntries(
  Object.entries(oauthClient.fields).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, value]],
  ),
);
