/** Calls the embedded service over its socket and reads responses member by member. */
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';

/** The media type of the API. */
export const mediaType = 'application/vnd.api+json';

/** A response of the service. */
export class ServiceResponse {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  /** Returns the value at a JSON pointer of the body, or undefined if it is absent. */
  at(pointer: string): unknown {
    let value: unknown = this.text === '' ? undefined : JSON.parse(this.text);
    for (const part of pointer.split('/').slice(1)) {
      value = typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined;
    }
    return value;
  }

  /** Returns the text at a JSON pointer, or an empty one. */
  textAt(pointer: string): string {
    const value = this.at(pointer);
    return typeof value === 'string' ? value : '';
  }

  /** Returns the array at a JSON pointer, or an empty one. */
  listAt(pointer: string): unknown[] {
    const value = this.at(pointer);
    return Array.isArray(value) ? value : [];
  }

  /** Returns the id of each resource in the array at a pointer. */
  idsAt(pointer: string): string[] {
    return this.listAt(pointer).map((item) =>
      typeof item === 'object' && item !== null ? String(Reflect.get(item, 'id')) : '',
    );
  }

  /** Returns the pointer or the parameter of each error. */
  sources(): string[] {
    return this.listAt('/errors').map(
      (_error, index) =>
        this.textAt(`/errors/${index}/source/pointer`) || this.textAt(`/errors/${index}/source/parameter`),
    );
  }
}

/** Options of a request. The defaults are the owner's token and the API's media type. */
export interface Sending {
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  /** A body sent as it is, instead of as JSON. */
  readonly raw?: string | Uint8Array;
}

/** Two organizations, and tokens with all kinds of grants. */
export const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': { name: 'dmz' }, 'apool-lab': { name: 'lab' } },
      projects: { 'prj-payments': { name: 'payments' }, 'prj-search': {}, 'prj-web': {} },
      workspaces: {
        'ws-network': { name: 'network', project: 'prj-payments' },
        'ws-app': { name: 'app' },
        'ws-docs': {},
      },
    },
    other: {
      agentPools: { 'apool-far': {} },
      projects: { 'prj-far': {} },
      workspaces: { 'ws-far': {} },
    },
  },
  tokens: {
    owner: { acme: 'owner', other: 'owner' },
    vcs: { acme: { manageVcsSettings: true } },
    reader: { acme: { workspaces: { 'ws-network': 'readRuns' } } },
    builder: { acme: { workspaces: { 'ws-network': 'readRuns', 'ws-app': 'admin' } } },
    foreign: { other: 'owner' },
    nobody: {},
  },
};

/** A running service with the calls that tests make all the time. */
export class Caller {
  service!: Service;

  /** Starts a service with this seed or the one above. */
  static async start(options: ServiceOptions = {}): Promise<Caller> {
    const caller = new Caller();
    await caller.#open(options);
    return caller;
  }

  /** Returns a caller whose service starts before each test and ends after it. Call it once in a `describe`. */
  static startBeforeEach(options: ServiceOptions = {}): Caller {
    const caller = new Caller();
    beforeEach(() => caller.#open(options));
    afterEach(() => caller.close());
    return caller;
  }

  async #open(options: ServiceOptions): Promise<void> {
    this.service = await createService({ seed, ...options });
  }

  /** Ends the service, and starts one with other options. */
  async restart(options: ServiceOptions): Promise<void> {
    await this.close();
    await this.#open(options);
  }

  /** Ends the service. */
  close(): Promise<void> {
    return this.service.close();
  }

  /** Sends one request below the base URL. */
  async send(
    method: string,
    path: string,
    { token = 'owner', headers, body, raw }: Sending = {},
  ): Promise<ServiceResponse> {
    const sentBody = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.service.url + path, {
      method,
      headers: {
        'content-type': mediaType,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(sentBody === undefined ? {} : { body: sentBody }),
    });
    return new ServiceResponse(response.status, response.headers, await response.text());
  }

  /** GET. */
  read(path: string, sending?: Sending): Promise<ServiceResponse> {
    return this.send('GET', path, sending);
  }

  /** Creates a client of acme, with attributes and relationships besides those that every client needs. */
  createClient(
    attributes: Record<string, unknown> = {},
    relationships: Record<string, unknown> = {},
    sending: Sending = {},
  ): Promise<ServiceResponse> {
    const body = clientBody(attributes, relationships);
    return this.send('POST', '/organizations/acme/oauth-clients', { body, ...sending });
  }

  /** Creates a client of acme, and returns its id. */
  async newClient(
    attributes?: Record<string, unknown>,
    relationships?: Record<string, unknown>,
  ): Promise<string> {
    return (await this.createClient(attributes, relationships)).textAt('/data/id');
  }

  /** PATCH of a client. */
  updateClient(
    id: string,
    attributes: Record<string, unknown>,
    relationships?: Record<string, unknown>,
  ): Promise<ServiceResponse> {
    const body = { data: { type: 'oauth-clients', attributes, ...(relationships ? { relationships } : {}) } };
    return this.send('PATCH', `/oauth-clients/${id}`, { body });
  }

  /** POST or DELETE of a client's projects. */
  changeProjects(method: 'POST' | 'DELETE', id: string, ...projectIds: string[]): Promise<ServiceResponse> {
    return this.send(method, `/oauth-clients/${id}/relationships/projects`, {
      body: projects(...projectIds),
    });
  }

  /** POST of a run trigger. */
  createTrigger(target: string, source: string, sending: Sending = {}): Promise<ServiceResponse> {
    const body = triggerBody(source);
    return this.send('POST', `/workspaces/${target}/run-triggers`, { body, ...sending });
  }

  /** GET of a workspace's triggers; `query` is added to the filter. */
  listTriggers(
    workspaceId: string,
    direction: 'inbound' | 'outbound',
    query = '',
    sending?: Sending,
  ): Promise<ServiceResponse> {
    const filter = `filter%5Brun-trigger%5D%5Btype%5D=${direction}`;
    return this.read(`/workspaces/${workspaceId}/run-triggers?${filter}${query}`, sending);
  }
}

/** The body of a create that works, with more or other members. */
export function clientBody(
  attributes: Record<string, unknown> = {},
  relationships: Record<string, unknown> = {},
) {
  return {
    data: {
      type: 'oauth-clients',
      attributes: {
        'service-provider': 'provider_a',
        'http-url': 'https://git.example.com',
        'api-url': 'https://git.example.com/api/v3',
        ...attributes,
      },
      relationships,
    },
  };
}

/** The body of a trigger's create. */
export function triggerBody(source: string) {
  return { data: { relationships: { sourceable: { data: { id: source, type: 'workspaces' } } } } };
}

/** References to projects. */
export function projects(...ids: string[]) {
  return { data: ids.map((id) => ({ id, type: 'projects' })) };
}

/** A reference to an agent pool. */
export function agentPool(id: string) {
  return { data: { id, type: 'agent-pools' } };
}
