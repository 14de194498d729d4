/** Clients in the tests of the planner: what a manifest declares, what the ledger has, and what exists. */
import type { OAuthClientDocument } from '../../client/api';
import type { Ledger, LedgerObject, Pending } from '../../reconciler/ledger/ledger';
import type { Facts } from '../../reconciler/plan/facts';
import type { SecretState } from '../../reconciler/plan/inputs';
import { clientEntry, githubFields } from './acme';
import { clientDocument, longAgo, smallFacts, smallLedger, smallManifest, smallNow } from './small-world';

type Fields = Readonly<Record<string, string>>;

export const github = 'OAuthClient/github';
export const existingClient = clientDocument('oc-1');
/** A change that needs a replace. */
export const newUrl = { httpUrl: 'https://new.example.com' };
export const tokenField = { oauthTokenString: '{ fromEnv: GIT_TOKEN }' };

export function declareEntry(name: string, fields: Fields = {}): string {
  return clientEntry(name, { oauthTokenString: null, ...fields });
}

export function declare(fields: Fields = {}, name = 'github'): string {
  return `oauthClients:\n${declareEntry(name, fields)}`;
}

export function recordClient(id = 'oc-1', more: Partial<LedgerObject> = {}): LedgerObject {
  return { id, createdAt: longAgo, values: githubFields, digests: {}, ...more };
}

function toTime(secondsAgo: number): string {
  return new Date(smallNow - secondsAgo * 1000).toISOString();
}

export function pendingCreate(secondsAgo: number, more: Partial<Pending> = {}): Pending {
  return { attemptedAt: toTime(secondsAgo), values: githubFields, digests: {}, existing: [], ...more };
}

export function createdClient(id: string, secondsAgo: number, more: Partial<OAuthClientDocument> = {}) {
  return clientDocument(id, { createdAt: toTime(secondsAgo), ...more });
}

export function approvalNeeded(action: string, id = 'oc-1', address = github): string {
  return `needs approved: [{ ${action}: ${address}, id: ${id} }]`;
}

/** A situation of `OAuthClient/github`, and the lines of its plan. */
export interface ClientRow {
  /** The manifest below its head. */
  readonly manifest?: string;
  readonly record?: LedgerObject;
  /** The other entries of the ledger. */
  readonly ledger?: Ledger['objects'];
  readonly pending?: Pending;
  readonly existing?: readonly OAuthClientDocument[];
  /** The ids that lists lack and a Show has. */
  readonly unlisted?: readonly string[];
  /** The list of clients cannot be read. */
  readonly hidden?: true;
  readonly secretState?: SecretState;
  readonly plan: readonly string[];
}

export function clientFacts(row: Omit<ClientRow, 'plan'>): Promise<Facts> {
  const { existing: clients = [], unlisted: late = [], secretState = 'unknown' } = row;
  const objects = { ...row.ledger, ...(row.record && { [github]: row.record }) };
  const ledger = smallLedger(objects, row.pending && { [github]: row.pending });
  const secrets = { 'oc-1': { secret: secretState, oauthTokenString: secretState } };
  const existing = { clients, late, hidden: row.hidden ? ['acme'] : [] };
  return smallFacts(existing, smallManifest(row.manifest ?? ''), ledger, { secrets });
}
