/** Makes plans for objects that a test declares to exist. It needs no service, so many small worlds take little time. */
import assert from 'node:assert/strict';
import type { OAuthClientDocument, ReadApi, RunTriggerDocument } from '../../client/api';
import type { Manifests } from '../../manifest/desired';
import { parseManifest } from '../../manifest/read';
import { observe } from '../../observation/observe';
import { emptyLedger, type Ledger } from '../../reconciler/ledger/ledger';
import { Facts, unobserved } from '../../reconciler/plan/facts';
import type { PlanInputs } from '../../reconciler/plan/inputs';
import { type Plan, readMember } from '../../reconciler/plan/plan';
import { observationNeeds } from '../../reconciler/targets';
import { notFound } from './read-api';
import { oauthClientDocument } from './wire-documents';

/** The time of every small world. */
export const smallNow = Date.parse('2026-01-01T12:00:00Z');
export const longAgo = '2025-01-01T00:00:00.000Z';

export function clientDocument(id: string, values: Partial<OAuthClientDocument> = {}): OAuthClientDocument {
  return {
    ...oauthClientDocument(id),
    createdAt: longAgo,
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

/** The objects of a small world. */
export interface Existing {
  readonly clients?: readonly OAuthClientDocument[];
  readonly triggers?: readonly RunTriggerDocument[];
  /** Workspaces whose lists and triggers answer 404, and `acme` for the clients. */
  readonly hidden?: readonly string[];
  /** Ids that lists lack and Show has. */
  readonly late?: readonly string[];
}

function createApi({ clients = [], triggers = [], hidden = [], late = [] }: Existing): ReadApi {
  const client = async (id: string) => {
    const match = hidden.includes('acme') ? undefined : clients.find((client) => client.id === id);
    if (match === undefined) throw notFound(id);
    return match;
  };
  const listVisible = <One extends { id: string }>(owner: string, all: readonly One[]) => {
    if (hidden.includes(owner)) throw notFound(owner);
    return all.filter(({ id }) => !late.includes(id));
  };
  return {
    address: 'https://service.test/api/v2',
    perform: () => Promise.reject(new Error('no call of that kind')),
    serviceNow: () => smallNow,
    names: { list: () => Promise.resolve([]), search: () => Promise.resolve([]) },
    oauthClients: {
      list: async (organization) => listVisible(organization, clients),
      read: client,
      affectedWorkspaces: async (id) => ({ count: 0, names: [], client: await client(id) }),
    },
    runTriggers: {
      list: async (workspaceId, direction) => {
        const end = direction === 'inbound' ? 'workspaceId' : 'sourceableId';
        const all = triggers.filter((trigger) => trigger[end] === workspaceId);
        return listVisible(workspaceId, all);
      },
      read: async (id) => {
        const match = triggers.find((trigger) => trigger.id === id);
        const ends = match === undefined ? [] : [match.workspaceId, match.sourceableId];
        if (match === undefined || ends.every((end) => hidden.includes(end))) throw notFound(id);
        return match;
      },
    },
  };
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

/** Observes, and returns the facts that the plan needs. */
export async function smallFacts(
  existing: Existing,
  manifests: Manifests,
  ledger: Ledger,
  { secrets = {}, destroy = false, maxDeletes }: Options = {},
): Promise<Facts> {
  const api = createApi(existing);
  const inputs = { manifests, ledger, place: 'ledger', secrets, destroy, maxDeletes };
  const start = new Facts({ ...inputs, observed: unobserved });
  return start.with({ observed: await observe(api, observationNeeds(start)) });
}

/** Returns a line for each part of a plan, such as `create OAuthClient/github: new`. No step may need one that the plan lacks. */
export function planLines({ steps, problems, unknown, blockers, notes }: Plan): string[] {
  const ids = steps.map(({ id }) => id);
  for (const [index, { needs, after = [] }] of steps.entries()) {
    for (const id of [...needs, ...after]) assert.ok(ids.slice(0, index).includes(id));
  }
  return [
    ...steps.map((step) => `${step.id}: ${step.reason}${readMember(step, 'unmanaged') ? ', unmanaged' : ''}`),
    ...problems.map(({ rule, address }) => `${rule} ${address}`),
    ...unknown.map(({ address }) => `unknown ${address}`),
    ...blockers.map(({ rule, remedy }) => (rule === 'approval' ? `needs ${remedy}` : remedy)),
    ...notes.map(({ address }) => `note ${address}`),
  ];
}
