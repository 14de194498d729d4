/** API documents as found objects: the readable fields and outputs under our names. */
import type { OAuthClientDocument, RunTriggerDocument } from '../client/api';
import type { Found } from './kind';

/** What the readable fields and outputs of a client document are called here. */
export function oauthClientFound(document: OAuthClientDocument, organization: string): Found {
  return {
    id: document.id,
    values: {
      organization: document.organization ?? organization,
      serviceProvider: document.serviceProvider,
      name: document.name,
      httpUrl: document.httpUrl,
      apiUrl: document.apiUrl,
      key: document.key,
      rsaPublicKey: document.rsaPublicKey,
      organizationScoped: document.organizationScoped,
      projectIds: [...document.projectIds].sort(),
      agentPoolId: document.agentPoolId,
    },
    outputs: {
      createdAt: document.createdAt,
      callbackUrl: document.callbackUrl,
      connectPath: document.connectPath,
      serviceProviderDisplayName: document.serviceProviderDisplayName,
      oauthTokenIds: [...document.oauthTokenIds],
    },
  };
}

/** What the readable fields and outputs of a trigger document are called here. */
export function runTriggerFound(document: RunTriggerDocument): Found {
  return {
    id: document.id,
    values: { workspaceId: document.workspaceId, sourceableId: document.sourceableId },
    outputs: {
      createdAt: document.createdAt,
      workspaceName: document.workspaceName,
      sourceableName: document.sourceableName,
    },
  };
}

/** Oldest first, then by id, so that every look at the same list names the same one. */
export function byAge(left: Found, right: Found): number {
  const one = `${String(left.outputs.createdAt)} ${left.id}`;
  const two = `${String(right.outputs.createdAt)} ${right.id}`;
  return one < two ? -1 : one > two ? 1 : 0;
}
