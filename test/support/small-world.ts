/** A service in memory with the same calls as the real client, and plans of what it holds: for many small worlds in a short time. */
import type { Api, OAuthClientCreate, OAuthClientDocument, RunTriggerDocument } from '../../client/api';
import { Invalid, NotFound } from '../../client/errors';
import type { Manifests } from '../../manifest/desired';
import { parseManifest } from '../../manifest/read';
import { observe } from '../../observation/observe';
import { emptyLedger, type Ledger } from '../../reconciler/ledger/ledger';
import type { LedgerStore } from '../../reconciler/ledger/store';
import type { PlanInputs } from '../../reconciler/plan/inputs';
import { World } from '../../reconciler/plan/inputs';
import { plan } from '../../reconciler/plan/make';
import { observationNeeds } from '../../reconciler/plan/needs';
import { listsForRoom } from '../../reconciler/plan/order';
import type { Plan } from '../../reconciler/plan/plan';
import { registry } from '../../resources/registry';

/** The time of every small world. */
export const smallNow = Date.parse('2026-01-01T12:00:00Z');
export const longAgo = '2025-01-01T00:00:00.000Z';

export function clientDocument(id: string, values: Partial<OAuthClientDocument> = {}): OAuthClientDocument {
  return {
    id,
    createdAt: longAgo,
    callbackUrl: null,
    connectPath: null,
    serviceProvider: 'provider_a',
    serviceProviderDisplayName: null,
    name: 'GitHub',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    key: null,
    rsaPublicKey: null,
    organizationScoped: true,
    organization: 'acme',
    projectIds: [],
    oauthTokenIds: [],
    agentPoolId: null,
    ...values,
  };
}

/** `app<network`: the target, then the source. */
export function triggerDocument(id: string, pair: string, createdAt = longAgo): RunTriggerDocument {
  const [target = '', source = ''] = pair.split('<');
  const ends = { workspaceId: `ws-${target}`, sourceableId: `ws-${source}` };
  return { id, createdAt, ...ends, workspaceName: target, sourceableName: source };
}

export class SmallService {
  clients: OAuthClientDocument[] = [];
  triggers: RunTriggerDocument[] = [];
  now = smallNow;
  /** Workspaces whose lists and triggers answer 404, and `acme` for the clients. */
  readonly hidden = new Set<string>();
  /** Ids that lists lack and Show has. */
  readonly late = new Set<string>();
  /** Every write, in order: `POST client github`. */
  readonly writes: string[] = [];
  mostSources = Number.POSITIVE_INFINITY;
  private made = 0;

  readonly api: Api = {
    address: 'https://service.test/api/v2',
    perform: () => Promise.reject(new Error('no call of that kind')),
    serviceNow: () => this.now,
    wait: () => Promise.resolve(),
    names: { list: () => Promise.resolve([]), search: () => Promise.resolve([]) },
    oauthClients: {
      list: async (organization) => {
        if (this.hidden.has(organization) || organization !== 'acme') throw missing(organization);
        return this.clients.filter(({ id }) => !this.late.has(id));
      },
      read: async (id) => this.client(id),
      affectedWorkspaces: async (id) => ({ count: 0, names: [], client: this.client(id) }),
      create: async (_, body) => this.createClient(body),
      update: async (id, body) => {
        const { secret: _, oauthTokenString: __, ...shown } = body as Partial<OAuthClientCreate>;
        const client: OAuthClientDocument = { ...this.client(id), ...shown };
        this.writes.push(`PATCH ${id} ${Object.keys(body).sort().join(',')}`);
        this.clients = this.clients.map((one) => (one.id === id ? client : one));
        return client;
      },
      delete: async (id) => {
        this.client(id);
        this.writes.push(`DELETE ${id}`);
        this.clients = this.clients.filter((one) => one.id !== id);
      },
      attach: async (id, projects) =>
        this.setProjects(id, projects, (ids) => [...new Set([...ids, ...projects])]),
      detach: async (id, projects) =>
        this.setProjects(id, projects, (ids) => ids.filter((one) => !projects.includes(one)), 'DETACH'),
    },
    runTriggers: {
      list: async (workspaceId, direction) => {
        if (this.hidden.has(workspaceId)) throw missing(workspaceId);
        const end = direction === 'inbound' ? 'workspaceId' : 'sourceableId';
        return this.triggers.filter((one) => one[end] === workspaceId && !this.late.has(one.id));
      },
      read: async (id) => this.trigger(id),
      create: async (workspaceId, sourceableId) => {
        if (this.hidden.has(workspaceId) || this.hidden.has(sourceableId)) throw missing(workspaceId);
        const there = this.triggers.filter((one) => one.workspaceId === workspaceId);
        if (there.some((one) => one.sourceableId === sourceableId)) throw refusal('exists already');
        if (there.length >= this.mostSources) throw refusal('too many sources');
        this.writes.push(`POST ${workspaceId}<${sourceableId}`);
        const pair = `${workspaceId.slice(3)}<${sourceableId.slice(3)}`;
        const made = triggerDocument(this.newId('rt'), pair, this.time());
        this.triggers.push(made);
        return made;
      },
      delete: async (id) => {
        this.trigger(id);
        this.writes.push(`DELETE ${id}`);
        this.triggers = this.triggers.filter((one) => one.id !== id);
      },
    },
  };

  private createClient({ secret: _, oauthTokenString: token, privateKey: __, ...shown }: OAuthClientCreate) {
    const id = this.newId('oc');
    this.writes.push(`POST client ${String(shown.name)}`);
    const tokens = token === undefined ? [] : [`ot-${id}`];
    const made = clientDocument(id, { createdAt: this.time(), name: null, ...shown, oauthTokenIds: tokens });
    this.clients.push(made);
    return made;
  }

  private setProjects(
    id: string,
    projects: readonly string[],
    change: (ids: readonly string[]) => string[],
    call = 'ATTACH',
  ): void {
    const client = this.client(id);
    this.writes.push(`${call} ${id} ${projects.join(',')}`);
    const projectIds = change(client.projectIds);
    this.clients = this.clients.map((one) => (one.id === id ? { ...client, projectIds } : one));
  }

  private client(id: string): OAuthClientDocument {
    const found = this.hidden.has('acme') ? undefined : this.clients.find((one) => one.id === id);
    if (found === undefined) throw missing(id);
    return found;
  }

  private trigger(id: string): RunTriggerDocument {
    const found = this.triggers.find((one) => one.id === id);
    if (found === undefined || (this.hidden.has(found.workspaceId) && this.hidden.has(found.sourceableId)))
      throw missing(id);
    return found;
  }

  private newId(prefix: string): string {
    this.made += 1;
    return `${prefix}-new${this.made}`;
  }

  private time(): string {
    return new Date(this.now).toISOString();
  }
}

function missing(what: string): NotFound {
  const context = { method: 'GET', route: what, status: 404, attempts: 1, details: [] };
  return new NotFound(`${what}: not found (404)`, 'rejected', context);
}

function refusal(what: string): Invalid {
  const context = { method: 'POST', route: what, status: 422, attempts: 1, details: [] };
  return new Invalid(`${what} (422)`, 'rejected', context);
}

/** A manifest of acme; throws its mistakes. */
export function smallManifest(body: string): Manifests {
  const { manifests, issues } = parseManifest(
    `apiVersion: tether/v1\norganization: acme\n${body}`,
    'a.tether.yaml',
  );
  if (manifests === null) throw new Error(issues.map(({ message }) => message).join('\n'));
  return manifests;
}

export function smallLedger(objects: Ledger['objects'], pending: Ledger['pending'] = {}): Ledger {
  return { ...emptyLedger('acme'), lineage: 'line', serial: 7, objects, pending };
}

type Options = Partial<Pick<PlanInputs, 'secrets' | 'destroy' | 'maxDeletes'>>;

/** What a run of the planner gets of this service. */
export async function smallInputs(
  service: SmallService,
  manifests: Manifests,
  ledger: Ledger,
  { secrets = {}, destroy = false, maxDeletes }: Options = {},
): Promise<PlanInputs> {
  const desired = destroy ? { ...manifests, entries: [], sets: [] } : manifests;
  const needs = observationNeeds(desired, ledger, registry);
  const more = { manifests, ledger, place: 'ledger', secrets, affected: {}, destroy, maxDeletes, registry };
  const inputs = { ...more, observed: await observe(service.api, needs) };
  const room = listsForRoom(new World(inputs), plan(inputs).steps);
  if (room.length === 0) return inputs;
  const forced = [...needs.forced, ...room];
  return { ...more, observed: await observe(service.api, { ...needs, forced }) };
}

/** The same with each line that the plan asks for under `approved:`. */
export function withApprovals(manifests: Manifests, { steps }: Plan): Manifests {
  const approved = steps.flatMap(({ approval }) => approval ?? []);
  return { ...manifests, approved: [...manifests.approved, ...approved] };
}

/** One line for each thing that a plan says: `create OAuthClient/github: new`, `possible-match OAuthClient/github`. */
export function linesOf({ steps, problems, unknown, blockers, notes }: Plan): string[] {
  return [
    ...steps.map(({ id, reason, unmanaged }) => `${id}: ${reason}${unmanaged ? ', unmanaged' : ''}`),
    ...problems.map(({ rule, address }) => `${rule} ${address}`),
    ...unknown.map(({ address }) => `unknown ${address}`),
    ...blockers.map(({ rule, remedy }) => (rule === 'approval' ? `needs ${remedy}` : remedy)),
    ...notes.map(({ address }) => `note ${address}`),
  ];
}

export class MemoryStore implements LedgerStore {
  readonly place = 'memory';
  /** Fails the save with this number and those after it, as when a run is killed. */
  failsAt = Number.POSITIVE_INFINITY;
  private saves = 0;

  constructor(public ledger: Ledger) {}

  read(): Promise<Ledger> {
    return Promise.resolve(this.ledger);
  }

  lock(): Promise<void> {
    return Promise.resolve();
  }

  save(ledger: Ledger): Promise<void> {
    this.saves += 1;
    if (this.saves >= this.failsAt) return Promise.reject(new Error('killed'));
    this.ledger = JSON.parse(JSON.stringify(ledger)) as Ledger;
    return Promise.resolve();
  }

  unlock(): Promise<void> {
    return Promise.resolve();
  }
}
