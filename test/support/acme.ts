/** The organization that nearly all tests play in, and manifests of it: two clients, two attachments, three triggers. */
import type { SeedObject } from '../../service';

/** The seed: objects that exist besides those of the manifest. The owner's tokens may do everything. */
export function acmeSeed(more: Partial<NonNullable<SeedObject['organizations']>[string]> = {}): SeedObject {
  return {
    organizations: {
      acme: {
        agentPools: { 'apool-dmz': { name: 'dmz' }, 'apool-lab': { name: 'lab' } },
        projects: { 'prj-payments': {}, 'prj-shop': {}, 'prj-data': {}, 'prj-web': {} },
        workspaces: {
          ...{ 'ws-network': {}, 'ws-dns': {}, 'ws-app': {}, 'ws-docs': {} },
          ...{ 'ws-jobs': {}, 'ws-web': {} },
        },
        ...more,
      },
    },
    tokens: {
      owner: { acme: 'owner' },
      'owner-token': { acme: 'owner' },
      'reader-token': { acme: { manageVcsSettings: false, workspaces: { 'ws-app': 'readRuns' } } },
    },
  };
}

/** The head of every manifest. */
export const acmeHead = `apiVersion: tether/v1
organization: acme
aliases:
  workspaces: { network: ws-network, dns: ws-dns, app: ws-app, docs: ws-docs, jobs: ws-jobs, web: ws-web }
  projects: { payments: prj-payments, shop: prj-shop, data: prj-data }
  agentPools: { dmz: apool-dmz, lab: apool-lab }
`;

/** Returns a manifest with these parts. Each default can be replaced by another text. */
export function acmeManifest({ clients = acmeClients, links = acmeLinks, rest = '' } = {}): string {
  return `${acmeHead}${clients}${links}${rest}`;
}

/** The client that nearly all tests have, by its fields. */
export const githubFields = {
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

export const acmeClients = `oauthClients:
${clientEntry('github', { organizationScoped: 'false', agentPool: 'dmz' })}  gitlab:
    name: GitLab
    serviceProvider: provider_b_hosted
    httpUrl: https://lab.example.com
    apiUrl: https://lab.example.com/api/v4
    key: lab-key
    secret: { fromEnv: GIT_SECRET }
    oauthTokenString: { fromEnv: GIT_TOKEN }
    projects: [data]
`;

export const acmeLinks = `projectAttachments:
  - { oauthClient: github, project: payments }
  - { oauthClient: github, project: shop }
runTriggers:
  - { target: app, sources: [network, dns] }
  - { target: docs, source: app }
`;

export const bareHead = 'apiVersion: tether/v1\norganization: acme\n';

/** A client's entry under `oauthClients:`; a field that is null is left out. */
export function clientEntry(address: string, fields: Readonly<Record<string, string | null>> = {}): string {
  const all: Record<string, string | null> = {
    ...githubFields,
    oauthTokenString: '{ fromEnv: GIT_TOKEN }',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`    ${name}: ${value}\n`],
  );
  return `  ${address}:\n${lines.join('')}`;
}

/** A client in a seed, like the one of `clientEntry`. */
export function seedClient(more: Readonly<Record<string, unknown>> = {}) {
  return {
    ...githubFields,
    createdAt: '2023-01-01T00:00:00.000Z',
    ...more,
  };
}
