/** Types of the API: its operations, and the members of its objects. */

/** The contents of a member. With `?`, an answer may lack it. `id` and `ids` are relationships. */
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
  readonly shown?: keyof Contents;
  readonly create?: keyof Contents;
  readonly update?: keyof Contents;
  /** The service never shows it. */
  readonly secret?: true;
  /** The JSON:API type that a relationship points to, if it is sent. */
  readonly type?: string;
}

export type Members = Readonly<Record<string, Member>>;

/** The members of an answer, a create or an update, with their types. */
export type Holding<
  Table,
  Where extends 'shown' | 'create' | 'update',
  Content extends keyof Contents = keyof Contents,
> = {
  readonly [Name in keyof Table as Table[Name] extends Record<Where, Content>
    ? Name
    : never]: Table[Name] extends Record<Where, infer Own extends Content> ? Contents[Own] : never;
};

/** The members of an answer. What may be absent says nothing if it is: it is no default, and no evidence. */
export type Shown<Table> = Partial<Holding<Table, 'shown'>> &
  Holding<Table, 'shown', 'string' | 'boolean' | 'id' | 'ids'>;

/** Everything an OAuth client has. CONTRIBUTING.md says where else a new field goes. */
export const oauthClientMembers = {
  /** The service sets it, in ISO 8601 with milliseconds. */
  createdAt: { wire: 'created-at', shown: 'string' },
  callbackUrl: { wire: 'callback-url', shown: 'string?' },
  /** A person opens it to finish connecting. */
  connectPath: { wire: 'connect-path', shown: 'string?' },
  serviceProvider: { wire: 'service-provider', shown: 'string', create: 'string' },
  serviceProviderDisplayName: { wire: 'service-provider-display-name', shown: 'string?' },
  name: { wire: 'name', shown: 'string?', create: 'string?', update: 'string?' },
  key: { wire: 'key', shown: 'string?', create: 'string', update: 'string' },
  httpUrl: { wire: 'http-url', shown: 'string', create: 'string' },
  apiUrl: { wire: 'api-url', shown: 'string', create: 'string' },
  secret: { wire: 'secret', create: 'string', update: 'string', secret: true },
  privateKey: { wire: 'private-key', create: 'string', secret: true },
  /** PATCH carries it only if the profile says so. */
  oauthTokenString: { wire: 'oauth-token-string', create: 'string', update: 'string', secret: true },
  rsaPublicKey: { wire: 'rsa-public-key', shown: 'string?', create: 'string', update: 'string' },
  /** Terraform Enterprise before 2024 knows neither this nor the projects. */
  organizationScoped: {
    wire: 'organization-scoped',
    shown: 'boolean?',
    create: 'boolean',
    update: 'boolean',
  },
  /** The name of the owner. */
  organization: { wire: 'organization', shown: 'id?' },
  projectIds: { wire: 'projects', shown: 'ids?', create: 'ids', update: 'ids', type: 'projects' },
  /** There is none until the client is connected. */
  oauthTokenIds: { wire: 'oauth-tokens', shown: 'ids?' },
  agentPoolId: { wire: 'agent-pool', shown: 'id?', create: 'id?', update: 'id?', type: 'agent-pools' },
} as const satisfies Members;

/** The client as the service shows it, without secrets. */
export interface OAuthClientDocument extends Shown<typeof oauthClientMembers> {
  readonly id: string;
}

type Creatable = Holding<typeof oauthClientMembers, 'create'>;

/** The API has a default for every optional member. */
export type OAuthClientCreate = Partial<Creatable> &
  Pick<Creatable, 'serviceProvider' | 'httpUrl' | 'apiUrl'>;

/** A member that is left out keeps its value, and null clears it. */
export type OAuthClientUpdate = Partial<Holding<typeof oauthClientMembers, 'update'>>;

export const runTriggerMembers = {
  createdAt: { wire: 'created-at', shown: 'string' },
  workspaceId: { wire: 'workspace', shown: 'id' },
  sourceableId: { wire: 'sourceable', shown: 'id', create: 'id', type: 'workspaces' },
  workspaceName: { wire: 'workspace-name', shown: 'string?' },
  sourceableName: { wire: 'sourceable-name', shown: 'string?' },
} as const satisfies Members;

export interface RunTriggerDocument extends Shown<typeof runTriggerMembers> {
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
