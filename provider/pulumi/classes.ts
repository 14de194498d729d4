/** Generated from the definitions by `make docs`: what each resource takes and shows, and its class. */
import type { Input } from '@pulumi/pulumi';
import { resourceClass, type StateOf } from './declare';

/** The values of the shipped profiles, by the names that `pulumi import` prints. */
export const ServiceProvider = {
  Ado_server: 'ado_server',
  Ado_services: 'ado_services',
  Bitbucket_data_center: 'bitbucket_data_center',
  Bitbucket_hosted: 'bitbucket_hosted',
  Bitbucket_server: 'bitbucket_server',
  Github: 'github',
  Github_enterprise: 'github_enterprise',
  Gitlab_community_edition: 'gitlab_community_edition',
  Gitlab_enterprise_edition: 'gitlab_enterprise_edition',
  Gitlab_hosted: 'gitlab_hosted',
  Provider_a: 'provider_a',
  Provider_a_enterprise: 'provider_a_enterprise',
  Provider_b_community_edition: 'provider_b_community_edition',
  Provider_b_enterprise_edition: 'provider_b_enterprise_edition',
  Provider_b_hosted: 'provider_b_hosted',
  Provider_c_server: 'provider_c_server',
} as const;

/** Which VCS provider a client connects to: the values of the shipped profiles, or one of a profile file. */
export type ServiceProvider =
  | (typeof ServiceProvider)[keyof typeof ServiceProvider]
  | (string & Record<never, never>);

export interface OAuthClientArgs {
  /** Name of the organization that owns the client. A change replaces the resource. */
  organization: Input<string>;
  /** Which VCS provider this connects to; the profile lists the values. A change replaces the resource. */
  serviceProvider: Input<ServiceProvider>;
  /** Display name. `null` clears it, and the provider's display name is shown instead. */
  name?: Input<string | null | undefined>;
  /** Homepage of the VCS provider. Compared byte for byte. A change replaces the resource. */
  httpUrl: Input<string>;
  /** Base URL of the VCS provider's API. Compared byte for byte. A change replaces the resource. */
  apiUrl: Input<string>;
  /** Client key: consumer key, application key or similar. It can be changed and not cleared: the API has no call for that. */
  key?: Input<string | undefined>;
  /** Token made at the VCS provider beforehand, so that nobody has to open the connect path. A change replaces the resource. */
  oauthTokenString?: Input<string | undefined>;
  /** Text of an SSH private key, for the providers that need one. A change replaces the resource. */
  privateKey?: Input<string | undefined>;
  /** OAuth client secret; for a data-center provider the text of the SSH private key of its application link. */
  secret?: Input<string | undefined>;
  /** Text of an SSH public key; only for a data-center provider, together with `secret`. It can be changed and not cleared. */
  rsaPublicKey?: Input<string | undefined>;
  /** True: offered to every project and workspace of the organization. False: only to the listed projects. */
  organizationScoped?: Input<boolean | undefined>;
  /** Projects the client is offered to: exactly these. An empty list clears them. Left out, they are not managed. */
  projectIds?: Input<readonly Input<string>[] | undefined>;
  /** Agent pool that forwards calls to the VCS provider. `null` clears it. */
  agentPoolId?: Input<string | null | undefined>;
  /** Id of an existing client (`oc-…`) to take over instead of creating one. Dropping the resource later deletes it: set `retainOnDelete` to keep it. */
  adoptId?: Input<string | undefined>;
  /** Create although another client with the same name, provider and URLs exists. */
  allowDuplicate?: Input<boolean | undefined>;
  /** Whether destroying and replacing the client is refused, since it unlinks every workspace that uses it. True when left out. */
  deletionProtection?: Input<boolean | undefined>;
}

export interface OAuthClientShown {
  name: string | null;
  key: string | null;
  rsaPublicKey: string | null;
  organizationScoped: boolean;
  projectIds: string[];
  agentPoolId: string | null;
  /** When the service created it, ISO 8601 with milliseconds. */
  createdAt: string;
  /** URL to enter at the VCS provider. */
  callbackUrl: string | null;
  /** Path a person opens to finish connecting. */
  connectPath: string | null;
  /** Display name of the provider. */
  serviceProviderDisplayName: string | null;
  /** Ids of the tokens this client manages; empty until it is connected. */
  oauthTokenIds: string[];
}

/** What is known of one that is read. */
export type OAuthClientState = StateOf<OAuthClientArgs, OAuthClientShown>;

/** The connection between an organization and a VCS provider. */
export class OAuthClient extends resourceClass<OAuthClientArgs, OAuthClientShown>('OAuthClient') {}

export interface ProjectAttachmentArgs {
  /** The OAuth client that is offered. A change replaces the resource. */
  oauthClientId: Input<string>;
  /** The project it is offered to. A change replaces the resource. */
  projectId: Input<string>;
}

export interface ProjectAttachmentShown {
  /** Name of the organization that owns the client. */
  organization: string;
}

/** What is known of one that is read. */
export type ProjectAttachmentState = StateOf<ProjectAttachmentArgs, ProjectAttachmentShown>;

/** One project that an OAuth client is offered to, where the list of projects is not wholly ours. */
export class ProjectAttachment extends resourceClass<ProjectAttachmentArgs, ProjectAttachmentShown>(
  'ProjectAttachment',
) {}

export interface RunTriggerArgs {
  /** Target workspace: the one in which runs are created. A change replaces the resource. */
  workspaceId: Input<string>;
  /** Source workspace: the one whose runs create them. A change replaces the resource. */
  sourceableId: Input<string>;
}

export interface RunTriggerShown {
  /** When the service created it, ISO 8601 with milliseconds. */
  createdAt: string;
  /** Name of the target workspace. */
  workspaceName: string | null;
  /** Name of the source workspace. */
  sourceableName: string | null;
}

/** What is known of one that is read. */
export type RunTriggerState = StateOf<RunTriggerArgs, RunTriggerShown>;

/** Runs of the source workspace create runs in the target workspace. */
export class RunTrigger extends resourceClass<RunTriggerArgs, RunTriggerShown>('RunTrigger') {}

export interface InboundRunTriggersArgs {
  /** Target workspace: the one in which runs are created. A change replaces the resource. */
  workspaceId: Input<string>;
  /** Source workspaces: exactly these trigger the target. An empty list means none. */
  sourceableIds: Input<readonly Input<string>[]>;
  /** Create the set although triggers that it does not list exist, and delete those. */
  removeUnmanaged?: Input<boolean | undefined>;
}

/** What is known of one that is read. */
export type InboundRunTriggersState = StateOf<InboundRunTriggersArgs>;

/** Exactly these workspaces trigger runs in the target workspace. */
export class InboundRunTriggers extends resourceClass<InboundRunTriggersArgs>('InboundRunTriggers') {}

export interface OutboundRunTriggersArgs {
  /** Source workspace: the one whose runs create them. A change replaces the resource. */
  sourceableId: Input<string>;
  /** Target workspaces: exactly these are triggered by the source. An empty list means none. */
  workspaceIds: Input<readonly Input<string>[]>;
  /** Create the set although triggers that it does not list exist, and delete those. */
  removeUnmanaged?: Input<boolean | undefined>;
}

/** What is known of one that is read. */
export type OutboundRunTriggersState = StateOf<OutboundRunTriggersArgs>;

/** Exactly these workspaces are triggered by runs of the source workspace. */
export class OutboundRunTriggers extends resourceClass<OutboundRunTriggersArgs>('OutboundRunTriggers') {}
