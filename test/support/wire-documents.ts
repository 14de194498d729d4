/** Documents as a service of this API sends them, for tests of the wire. */

/** A media type of JSON:API, as a response header. */
export const JSON_API = { 'Content-Type': 'application/vnd.api+json' };

/** An `oauth-clients` resource with every field that the API text names. */
export function oauthClientResource(
  id: string,
  changes: { attributes?: object; relationships?: object } = {},
) {
  return {
    id,
    type: 'oauth-clients',
    attributes: {
      'created-at': '2024-01-02T03:04:05.678Z',
      'callback-url': `https://host.test/auth/${id}/callback`,
      'connect-path': `/auth/${id}?organization_id=1`,
      'service-provider': 'provider_a',
      'service-provider-display-name': 'Provider A',
      name: 'GitHub',
      'http-url': 'https://git.example.com',
      'api-url': 'https://git.example.com/api/v3',
      key: null,
      'rsa-public-key': null,
      'organization-scoped': true,
      ...changes.attributes,
    },
    relationships: {
      organization: {
        data: { id: 'acme', type: 'organizations' },
        links: { related: '/api/v2/organizations/acme' },
      },
      projects: { data: [{ id: 'prj-1', type: 'projects' }] },
      'oauth-tokens': {
        data: [{ id: 'ot-1', type: 'oauth-tokens' }],
        links: { related: '/api/v2/oauth-tokens/ot-1' },
      },
      'agent-pool': {
        data: { id: 'apool-1', type: 'agent-pools' },
        links: { related: '/api/v2/agent-pools/apool-1' },
      },
      ...changes.relationships,
    },
  };
}

/** Returns the client's result for `oauthClientResource(id)`. */
export function oauthClientDocument(id: string) {
  return {
    id,
    createdAt: '2024-01-02T03:04:05.678Z',
    callbackUrl: `https://host.test/auth/${id}/callback`,
    connectPath: `/auth/${id}?organization_id=1`,
    serviceProvider: 'provider_a',
    serviceProviderDisplayName: 'Provider A',
    name: 'GitHub',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    key: null,
    rsaPublicKey: null,
    organizationScoped: true,
    organization: 'acme',
    projectIds: ['prj-1'],
    oauthTokenIds: ['ot-1'],
    agentPoolId: 'apool-1',
  };
}

/** A `run-triggers` resource of target and source. */
export function runTriggerResource(id: string, workspaceId = 'ws-app', sourceableId = 'ws-network') {
  return {
    id,
    type: 'run-triggers',
    attributes: {
      'workspace-name': 'app',
      'sourceable-name': 'network',
      'created-at': '2024-01-02T03:04:05.678Z',
    },
    relationships: {
      workspace: { data: { id: workspaceId, type: 'workspaces' } },
      sourceable: { data: { id: sourceableId, type: 'workspaces' } },
    },
    links: { self: `/api/v2/run-triggers/${id}` },
  };
}

/** Returns the client's result for `runTriggerResource(id, workspaceId, sourceableId)`. */
export function runTriggerDocument(id: string, workspaceId = 'ws-app', sourceableId = 'ws-network') {
  return {
    id,
    createdAt: '2024-01-02T03:04:05.678Z',
    workspaceId,
    sourceableId,
    workspaceName: 'app',
    sourceableName: 'network',
  };
}

/** A page of a list document, with what of its pagination the client reads. */
export function pageDocument(items: readonly object[], page = 1, pages = 1, totalCount = items.length) {
  const pagination = { 'next-page': page < pages ? page + 1 : null, 'total-count': totalCount };
  return { data: items, meta: { pagination } };
}
