/** Types of the API: its operations, and the members of its objects. */

/** The contents of a member. With `?`, a response may lack it. `id` and `ids` are relationships. */
interface Contents {
  string: string;
  'string?': string | null;
  boolean: boolean;
  'boolean?': boolean;
  id: string;
  'id?': string | null;
  ids: readonly string[];
  'ids?': readonly string[];
}

export type Content = Contents[keyof Contents];

export interface Member {
  /** Its name in JSON:API. */
  readonly wire: string;
  /** Its contents in a response, in a create and in an update. Without them, it has no place there. */
  readonly response?: keyof Contents;
  readonly create?: keyof Contents;
  readonly update?: keyof Contents;
  /** The service never shows it. */
  readonly secret?: true;
  /** The JSON:API type that a relationship points to, if it is sent. */
  readonly type?: string;
}

export type Members = Readonly<Record<string, Member>>;

type Place = 'response' | 'create' | 'update';

type NamesWith<Table, Where extends Place, Content> = {
  [Name in keyof Table]: Table[Name] extends Record<Where, Content> ? Name : never;
}[keyof Table];

/** The members of a response, a create or an update, with their types. They keep the comments of the table. */
export type MembersWith<Table, Where extends Place, Content extends keyof Contents = keyof Contents> = {
  readonly [Name in keyof Pick<Table, NamesWith<Table, Where, Content>>]: Table[Name] extends Record<
    Where,
    infer Own extends Content
  >
    ? Contents[Own]
    : never;
};

/** The members of a response. If a member is absent, nothing follows: it has no default, and is no evidence. */
export type ResponseMembers<Table> = Partial<MembersWith<Table, 'response'>> &
  MembersWith<Table, 'response', 'string' | 'boolean' | 'id' | 'ids'>;

/**
 * Everything an OAuth client has. Editors show these comments for the members of the Pulumi class. CONTRIBUTING.md says where else a new
 * field goes.
 */
export const oauthClientMembers = {
  /** Time of creation, in ISO 8601 with milliseconds. */
  createdAt: { wire: 'created-at', response: 'string' },
  /** URL to enter at the VCS provider. */
  callbackUrl: { wire: 'callback-url', response: 'string?' },
  /** Path that somebody opens once to finish connecting. */
  connectPath: { wire: 'connect-path', response: 'string?' },
  /** The VCS provider that this connects to. The profile lists the values. A change replaces the client. */
  serviceProvider: { wire: 'service-provider', response: 'string', create: 'string' },
  /** Display name of the VCS provider. */
  serviceProviderDisplayName: { wire: 'service-provider-display-name', response: 'string?' },
  /** Display name; null clears it. */
  name: { wire: 'name', response: 'string?', create: 'string?', update: 'string?' },
  /** Client key, consumer key, application key or similar. */
  key: { wire: 'key', response: 'string?', create: 'string', update: 'string' },
  /** Homepage of the VCS provider. A change replaces the client. */
  httpUrl: { wire: 'http-url', response: 'string', create: 'string' },
  /** Base URL of the VCS provider's API. A change replaces the client. */
  apiUrl: { wire: 'api-url', response: 'string', create: 'string' },
  /** OAuth client secret. For a data-center provider, it is the SSH private key of its application link. */
  secret: { wire: 'secret', create: 'string', update: 'string', secret: true },
  /** Text of an SSH private key. A change replaces the client. */
  privateKey: { wire: 'private-key', create: 'string', secret: true },
  /** Token made at the VCS provider. A change replaces the client where the API cannot change it in place. */
  oauthTokenString: { wire: 'oauth-token-string', create: 'string', update: 'string', secret: true },
  /** Text of an SSH public key, together with `secret`. */
  rsaPublicKey: { wire: 'rsa-public-key', response: 'string?', create: 'string', update: 'string' },
  // Terraform Enterprise before 2024 knows neither this nor the projects.
  /** When true (the default), the whole organization may use the client. When false, only its projects may. */
  organizationScoped: {
    wire: 'organization-scoped',
    response: 'boolean?',
    create: 'boolean',
    update: 'boolean',
  },
  /** Name of the organization that owns the client. A change replaces the client. */
  organization: { wire: 'organization', response: 'id?' },
  /** The client is offered to exactly these projects. When absent, its projects are not managed here. */
  projectIds: { wire: 'projects', response: 'ids?', create: 'ids', update: 'ids', type: 'projects' },
  /** Ids of the tokens of this client. It is empty until the client is connected. */
  oauthTokenIds: { wire: 'oauth-tokens', response: 'ids?' },
  /** Agent pool that forwards calls to the VCS provider; null clears it. */
  agentPoolId: { wire: 'agent-pool', response: 'id?', create: 'id?', update: 'id?', type: 'agent-pools' },
} as const satisfies Members;

/** The client as the service shows it, without secrets. */
export interface OAuthClientDocument extends ResponseMembers<typeof oauthClientMembers> {
  readonly id: string;
}

type Creatable = MembersWith<typeof oauthClientMembers, 'create'>;

/** The API has a default for every optional member. */
export type OAuthClientCreate = Partial<Creatable> &
  Pick<Creatable, 'serviceProvider' | 'httpUrl' | 'apiUrl'>;

/** A member that is left out keeps its value, and null clears it. */
export type OAuthClientUpdate = Partial<MembersWith<typeof oauthClientMembers, 'update'>>;

export const runTriggerMembers = {
  /** Time of creation, in ISO 8601 with milliseconds. */
  createdAt: { wire: 'created-at', response: 'string' },
  /** Target: the workspace in which runs are created. */
  workspaceId: { wire: 'workspace', response: 'id' },
  /** Source: the workspace whose runs create them. */
  sourceableId: { wire: 'sourceable', response: 'id', create: 'id', type: 'workspaces' },
  /** Name of the target workspace. */
  workspaceName: { wire: 'workspace-name', response: 'string?' },
  /** Name of the source workspace. */
  sourceableName: { wire: 'sourceable-name', response: 'string?' },
} as const satisfies Members;

export interface RunTriggerDocument extends ResponseMembers<typeof runTriggerMembers> {
  readonly id: string;
}

export type TriggerDirection = 'inbound' | 'outbound';

/** The workspaces that a destroy would unlink. `names` has at most 25 of them, and `count` is exact. */
export interface AffectedWorkspaces {
  readonly count: number;
  readonly names: readonly string[];
}

/** The kinds of objects that Tether does not create, and that some services can list by name. */
export type NamedType = 'workspaces' | 'projects' | 'agent-pools';

export interface NamedObject {
  readonly id: string;
  readonly name: string;
}

/** The reading part of the API. Every method throws an `ApiError`. Lists are complete, or they throw. */
export interface ReadApi {
  /** The base URL has no trailing slash. */
  readonly address: string;
  /** Kinds with calls of their own use it. */
  readonly perform: Perform;
  readonly oauthClients: {
    list(organization: string): Promise<readonly OAuthClientDocument[]>;
    read(id: string): Promise<OAuthClientDocument>;
    /** Returns the client too. The profile says whether the service can do this. */
    affectedWorkspaces(id: string): Promise<AffectedWorkspaces & { readonly client: OAuthClientDocument }>;
  };
  readonly runTriggers: {
    list(workspaceId: string, direction: TriggerDirection): Promise<readonly RunTriggerDocument[]>;
    read(id: string): Promise<RunTriggerDocument>;
  };
  readonly names: {
    list(organization: string, type: NamedType): Promise<readonly NamedObject[]>;
    /** A service may also return names that only resemble this one. */
    search(organization: string, type: NamedType, name: string): Promise<readonly NamedObject[]>;
  };
  /**
   * The service's time in milliseconds since 1970: its newest `Date` header, plus the time since that arrived. Before the first
   * answer it is the time of this computer.
   */
  serviceNow(): number;
}

export interface Api extends ReadApi {
  /** Waits for this many milliseconds, or until an interruption. */
  wait(milliseconds: number): Promise<void>;
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

export type WritesOf<Endpoint extends 'oauthClients' | 'runTriggers'> = Omit<
  Api[Endpoint],
  keyof ReadApi[Endpoint]
>;

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Request<Result> {
  readonly method: Method;
  /** The parts of the path below the base URL are not yet encoded. */
  readonly path: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Secrets of the body, by field. They are never shown. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** The request may be repeated after a lost answer. All methods but POST are idempotent by default. */
  readonly idempotent?: boolean;
  /** Returns true when this text of a 409 or 422 describes a temporary lock. */
  readonly retryable?: (text: string) => boolean;
  /** The permission that the token needs, by the API text. */
  readonly permission?: string;
  /** The body of a successful answer is ignored. */
  readonly expects?: 'nothing';
  /** The document is undefined for `nothing`. Throws `Unreadable`. */
  readonly read: (document: unknown) => Result;
}

/** Sends a request, paced and retried. Throws an `ApiError`. */
export type Perform = <Result>(request: Request<Result>) => Promise<Result>;
