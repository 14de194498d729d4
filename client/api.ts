/** The API as typed operations: what the transport-backed clients offer and everything above codes against. */

/** An OAuth client as the service shows it; write-only values are never part of it. */
export interface OAuthClientDocument {
  readonly id: string;
  /** ISO 8601 with milliseconds, set by the service. */
  readonly createdAt: string;
  readonly callbackUrl: string | null;
  /** Path a person opens to finish connecting, with an organization_id parameter. */
  readonly connectPath: string | null;
  readonly serviceProvider: string;
  readonly serviceProviderDisplayName: string | null;
  readonly name: string | null;
  readonly httpUrl: string;
  readonly apiUrl: string;
  readonly key: string | null;
  readonly rsaPublicKey: string | null;
  readonly organizationScoped: boolean;
  /** Name of the owning organization; null when the answer does not carry the relationship. */
  readonly organization: string | null;
  /** In the order of the answer. */
  readonly projectIds: readonly string[];
  /** Empty for a client that still waits to be connected. */
  readonly oauthTokenIds: readonly string[];
  readonly agentPoolId: string | null;
}

/** A run trigger: runs of the source workspace (`sourceableId`) create runs in the target (`workspaceId`). */
export interface RunTriggerDocument {
  readonly id: string;
  readonly createdAt: string;
  readonly workspaceId: string;
  readonly sourceableId: string;
  /** Null when the answer leaves the name out. */
  readonly workspaceName: string | null;
  readonly sourceableName: string | null;
}

/** Body of a create. A member left out is not sent, so the API's default applies. */
export interface OAuthClientCreate {
  readonly serviceProvider: string;
  readonly httpUrl: string;
  readonly apiUrl: string;
  readonly name?: string | null;
  readonly key?: string;
  readonly secret?: string;
  readonly privateKey?: string;
  readonly oauthTokenString?: string;
  readonly rsaPublicKey?: string;
  readonly organizationScoped?: boolean;
  readonly projectIds?: readonly string[];
  readonly agentPoolId?: string | null;
}

/** Body of an update: absolute values. A member left out keeps what is there; `agentPoolId: null` sends `{ data: null }`. */
export interface OAuthClientUpdate {
  readonly name?: string | null;
  readonly key?: string;
  readonly secret?: string;
  readonly rsaPublicKey?: string;
  /** Only where the profile says that PATCH carries it. */
  readonly oauthTokenString?: string;
  readonly organizationScoped?: boolean;
  readonly projectIds?: readonly string[];
  readonly agentPoolId?: string | null;
}

export type TriggerDirection = 'inbound' | 'outbound';

/** Workspaces that a destroy would unlink; at most 25 names with the true count (profile capability). */
export interface AffectedWorkspaces {
  readonly count: number;
  readonly names: readonly string[];
}

/** What can be read. Every method throws an `ApiError` (client/errors.ts); lists are complete or they throw. */
export interface ReadApi {
  /** Base URL with /api/v2, without a trailing slash. */
  readonly address: string;
  readonly oauthClients: {
    /** All clients of the organization in one unpaginated answer: an atomic snapshot. */
    list(organization: string): Promise<readonly OAuthClientDocument[]>;
    read(id: string): Promise<OAuthClientDocument>;
    /** Which workspaces use the client (`show_affected_workspaces`), where the profile has it. */
    affectedWorkspaces(id: string): Promise<AffectedWorkspaces>;
  };
  readonly runTriggers: {
    /** All triggers of the workspace in that direction, over all pages, accepted only when the pass is consistent. */
    list(workspaceId: string, direction: TriggerDirection): Promise<readonly RunTriggerDocument[]>;
    read(id: string): Promise<RunTriggerDocument>;
  };
}

/** Everything the API offers. */
export interface Api extends ReadApi {
  readonly oauthClients: ReadApi['oauthClients'] & {
    create(organization: string, body: OAuthClientCreate): Promise<OAuthClientDocument>;
    update(id: string, body: OAuthClientUpdate): Promise<OAuthClientDocument>;
    delete(id: string): Promise<void>;
    attach(id: string, projectIds: readonly string[]): Promise<void>;
    detach(id: string, projectIds: readonly string[]): Promise<void>;
  };
  readonly runTriggers: ReadApi['runTriggers'] & {
    create(workspaceId: string, sourceableId: string): Promise<RunTriggerDocument>;
    delete(id: string): Promise<void>;
  };
}

// One operation of the API as data: what is sent, what the answer holds, and what may be done when it fails.
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Request<Result> {
  readonly method: Method;
  /** Parts of the path below the base URL, as they are: they are encoded later. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON:API document. */
  readonly body?: object;
  /** By field, the values in the body that must not appear in anything the client says. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Whether sending it twice has the effect of sending it once, so that a lost answer may be retried. */
  readonly repeatable: boolean;
  /** A 404 after an attempt that may have been applied means that it was: for deletes. */
  readonly goneIsDone?: boolean;
  /** Whether a refusal with these texts passes by itself (a lock) and is tried again until the deadline. */
  readonly passes?: (text: string) => boolean;
  /** What a successful answer holds; one without content is never looked into. */
  readonly expects: 'document' | 'nothing';
  /** Maps the parsed document (undefined for `nothing`); throws `Unreadable` when it is not what the API promises. */
  readonly read: (document: unknown) => Result;
}
