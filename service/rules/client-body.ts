// The bodies of OAuth client requests, as they are after the route's schema accepted them.

/** A reference to another resource. */
export interface Reference {
  readonly id: string;
  readonly type: string;
}

/** The attributes of create; the schema has made sure of the ones that are required. */
export interface CreateAttributes {
  readonly 'service-provider': string;
  readonly 'http-url': string;
  readonly 'api-url': string;
  readonly name?: string | null;
  readonly key?: string;
  readonly secret?: string;
  readonly 'private-key'?: string;
  readonly 'rsa-public-key'?: string;
  readonly 'oauth-token-string'?: string;
  readonly 'organization-scoped'?: boolean;
}

/** An agent pool relationship; null, `{}` and no data mean none. */
export interface AgentPoolRelationship {
  readonly data?: Partial<Reference> | null;
}

/** The body of create. */
export interface CreateClientBody {
  readonly data: {
    readonly attributes: CreateAttributes;
    readonly relationships?: {
      readonly projects?: { readonly data?: readonly Reference[] };
      readonly 'agent-pool'?: AgentPoolRelationship;
    };
  };
}

/** The attributes of update; what is left out keeps its value. */
export type UpdateAttributes = Partial<
  Pick<
    CreateAttributes,
    'name' | 'key' | 'secret' | 'rsa-public-key' | 'organization-scoped' | 'oauth-token-string'
  >
>;

/** The body of update; `projects` may be a bare array or `{ data }`. */
export interface UpdateClientBody {
  readonly data: {
    readonly id?: string;
    readonly attributes?: UpdateAttributes;
    readonly relationships?: {
      readonly projects?: readonly Reference[] | { readonly data: readonly Reference[] };
      readonly 'agent-pool'?: AgentPoolRelationship;
    };
  };
}

/** The body of attach and detach. */
export interface ProjectsBody {
  readonly data: readonly Reference[];
}
