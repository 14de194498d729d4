/** The API as typed operations, and what its objects hold: what client.ts offers and everything above codes against. */

/** What one member of an object holds: `?` means that it may be null or left out. `id` and `ids` are relationships. */
interface Contents {
  readonly string: string;
  readonly 'string?': string | null;
  readonly boolean: boolean;
  readonly id: string;
  readonly 'id?': string | null;
  readonly ids: readonly string[];
  /** Empty where left out. */
  readonly 'ids?': readonly string[];
}

/** One member: its name in JSON:API, and what it holds in an answer, in the body of a create and in that of an update; absent where it is in none. */
export interface Member {
  readonly wire: string;
  readonly shown?: keyof Contents;
  readonly create?: keyof Contents;
  readonly update?: keyof Contents;
  /** Must not appear in anything the client says. */
  readonly secret?: true;
  /** JSON:API type of what a relationship points to; of those that are sent. */
  readonly type?: string;
}

export type Members = Readonly<Record<string, Member>>;

/** The members that answers, creates or updates carry, with their types. */
export type Holding<Table, Where extends 'shown' | 'create' | 'update'> = {
  readonly [Name in keyof Table as Table[Name] extends Record<Where, keyof Contents>
    ? Name
    : never]: Table[Name] extends Record<Where, infer Content extends keyof Contents>
    ? Contents[Content]
    : never;
};

/** Everything an OAuth client has. A field that is new in the API is one line here, and one in resources/oauth-client.ts. */
export const oauthClientMembers = {
  /** ISO 8601 with milliseconds, set by the service. */
  createdAt: { wire: 'created-at', shown: 'string' },
  callbackUrl: { wire: 'callback-url', shown: 'string?' },
  /** Path a person opens to finish connecting, with an organization_id parameter. */
  connectPath: { wire: 'connect-path', shown: 'string?' },
  serviceProvider: { wire: 'service-provider', shown: 'string', create: 'string' },
  serviceProviderDisplayName: { wire: 'service-provider-display-name', shown: 'string?' },
  name: { wire: 'name', shown: 'string?', create: 'string?', update: 'string?' },
  key: { wire: 'key', shown: 'string?', create: 'string', update: 'string' },
  httpUrl: { wire: 'http-url', shown: 'string', create: 'string' },
  apiUrl: { wire: 'api-url', shown: 'string', create: 'string' },
  secret: { wire: 'secret', create: 'string', update: 'string', secret: true },
  privateKey: { wire: 'private-key', create: 'string', secret: true },
  /** PATCH carries it only where the profile says so. */
  oauthTokenString: { wire: 'oauth-token-string', create: 'string', update: 'string', secret: true },
  rsaPublicKey: { wire: 'rsa-public-key', shown: 'string?', create: 'string', update: 'string' },
  organizationScoped: { wire: 'organization-scoped', shown: 'boolean', create: 'boolean', update: 'boolean' },
  /** Name of the owning organization; null when the answer does not carry the relationship. */
  organization: { wire: 'organization', shown: 'id?' },
  /** In the order of the answer. Left out would read as "attached to nothing", so an answer must carry it. */
  projectIds: { wire: 'projects', shown: 'ids', create: 'ids', update: 'ids', type: 'projects' },
  /** Empty for a client that still waits to be connected. */
  oauthTokenIds: { wire: 'oauth-tokens', shown: 'ids?' },
  agentPoolId: { wire: 'agent-pool', shown: 'id?', create: 'id?', update: 'id?', type: 'agent-pools' },
} as const satisfies Members;

type OAuthClientMembers = typeof oauthClientMembers;

/** An OAuth client as the service shows it; write-only values are never part of it. */
export interface OAuthClientDocument extends Holding<OAuthClientMembers, 'shown'> {
  readonly id: string;
}

/** Body of a create. A member left out is not sent, so the API's default applies. */
export type OAuthClientCreate = Partial<Holding<OAuthClientMembers, 'create'>> &
  Pick<Holding<OAuthClientMembers, 'create'>, 'serviceProvider' | 'httpUrl' | 'apiUrl'>;

/** Body of an update: absolute values. A member left out keeps what is there; `agentPoolId: null` sends `{ data: null }`. */
export type OAuthClientUpdate = Partial<Holding<OAuthClientMembers, 'update'>>;

export const runTriggerMembers = {
  createdAt: { wire: 'created-at', shown: 'string' },
  /** The target: where runs are created. */
  workspaceId: { wire: 'workspace', shown: 'id' },
  /** The source: whose runs create them. */
  sourceableId: { wire: 'sourceable', shown: 'id', create: 'id', type: 'workspaces' },
  workspaceName: { wire: 'workspace-name', shown: 'string?' },
  sourceableName: { wire: 'sourceable-name', shown: 'string?' },
} as const satisfies Members;

/** A run trigger: runs of the source workspace (`sourceableId`) create runs in the target (`workspaceId`). */
export interface RunTriggerDocument extends Holding<typeof runTriggerMembers, 'shown'> {
  readonly id: string;
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
  /** Any other call of the API, for kinds that bring their own. Without the right to write, `ReadOnly` for all but GET. */
  readonly perform: Perform;
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

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One call of the API as data: what is sent, what the answer holds, and what may be done when it fails. */
export interface Request<Result> {
  readonly method: Method;
  /** Parts of the path below the base URL, as they are: they are encoded later. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  /** A JSON:API document. */
  readonly body?: object;
  /** By field, the values in the body that must not appear in anything the client says. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Whether sending it twice has the effect of sending it once, so that a lost answer may be retried; by default all but POST. */
  readonly idempotent?: boolean;
  /** A 404 after an attempt that may have been applied means that it was: for deletes. */
  readonly missingIsSuccess?: true;
  /** Whether a refusal with this text passes by itself (a lock) and is tried again until the deadline. */
  readonly retryable?: (text: string) => boolean;
  /** `nothing`: the content of a successful answer is never looked into; by default it is a document. */
  readonly expects?: 'nothing';
  /** Maps the parsed document (undefined for `nothing`); throws `Unreadable` when it is not what the API promises. */
  readonly read: (document: unknown) => Result;
}

/** Executes a request with pacing and retries. Throws an `ApiError`. */
export type Perform = <Result>(request: Request<Result>) => Promise<Result>;
