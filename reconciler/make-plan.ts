/** Reads everything that a plan needs, and makes the plan. */

import type { AffectedWorkspaces, ReadApi } from '../client/api';
import { BadAnswer, Invalid, NotFound } from '../client/errors';
import { type Observed, withShowResults } from '../observation/evidence';
import { inParallel } from '../observation/observe';
import type { ListItem, ListRef } from '../resources/kind';
import { oauthClient } from '../resources/oauth-client';
import { toClientList } from '../resources/oauth-client-calls';
import { unlessNotFound } from '../resources/safe-calls';
import { resolveSecret } from '../resources/secrets';
import { matchesDigest } from './ledger/digest';
import { bindClients } from './plan/bind';
import type { Facts } from './plan/facts';
import type { SecretState } from './plan/inputs';
import { planChanges } from './plan/make';
import { type Plan, readMember } from './plan/plan';
import { planDigest } from './plan-digest';
import { type GivenInputs, readFacts } from './read-facts';

export interface MakePlanOptions extends GivenInputs {
  readonly api: ReadApi;
  /** The environment variables that `fromEnv` names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export interface MadePlan {
  readonly plan: Plan;
  readonly observed: Observed;
  /** `apply --expect` takes this digest. */
  readonly digest: string;
}

/** Rejects with an `OperationalError`: an `ApiError`, or `OrganizationNotVisible`. */
export async function makePlan(options: MakePlanOptions): Promise<MadePlan> {
  const { api, env, signal, ...given } = options;
  const observedFacts = await readFacts(api, given);
  const facts = observedFacts.with({ secrets: await compareSecrets(observedFacts, options) });
  const shownFacts = await readReplaced(api, facts, planChanges(facts));
  const first = planChanges(shownFacts);
  const ended = new Set(first.steps.flatMap((step) => readMember(step, 'approval')?.id ?? []));
  const isTold = given.manifests.profile.capabilities.affectedWorkspaces && ended.size > 0;
  const plan = isTold
    ? planChanges(shownFacts.with({ affected: await readAffected(api, [...ended]) }))
    : first;
  return { plan, observed: shownFacts.inputs.observed, digest: planDigest(plan, facts.entries) };
}

/**
 * Compares each declared secret with the digests of the values last written to the client of that address, and to its predecessor if the
 * answer to a create was lost.
 */
async function compareSecrets(facts: Facts, { env, signal }: MakePlanOptions) {
  const { ledger } = facts.inputs;
  const states: Record<string, Record<string, SecretState>> = {};
  const clients = bindClients(facts).clients.flatMap(({ address, entry, record }) => {
    const records = new Set([record ?? [], facts.recordedClients.get(address) ?? []].flat());
    return entry === undefined
      ? []
      : [...records].map((candidate) => ({ secrets: entry.secrets, record: candidate }));
  });
  await inParallel(clients, async ({ secrets, record }) => {
    const fields: Record<string, SecretState> = {};
    states[record.id] = fields;
    const isMissing = facts.observeClient(record).state === 'missing';
    for (const [field, source] of Object.entries(secrets)) {
      signal?.throwIfAborted();
      const digest = isMissing ? undefined : record.digests?.[field];
      const resolution = resolveSecret(source, { env, root: facts.inputs.manifests.folder });
      if (digest === undefined) fields[field] = 'unknown';
      else if (!resolution.ok) fields[field] = { why: resolution.why };
      else fields[field] = (await matchesDigest(resolution.value, digest, ledger)) ? 'same' : 'changed';
    }
  });
  return states;
}

/** Reads the clients that are replaced and whose list shows them in part, because a successor gets what is shown. */
async function readReplaced(api: ReadApi, facts: Facts, { steps }: Plan): Promise<Facts> {
  const ref = toClientList(facts.organization);
  const results = new Map<string, { readonly ref: ListRef; readonly item: ListItem }>();
  const isReadable = (field: string) => oauthClient.fields[field]?.writeOnly !== true;
  const fields = Object.keys(oauthClient.fields).filter(isReadable);
  await inParallel(steps, async (step) => {
    const { action, objectId = '' } = step;
    if (action !== 'replace' || fields.every((field) => field in step.observed)) return;
    const item = await unlessNotFound(ref.readItem(api, objectId));
    if (item !== undefined) results.set(objectId, { ref, item });
  });
  return results.size === 0
    ? facts
    : facts.with({ observed: withShowResults(facts.inputs.observed, results) });
}

/** Reads the workspaces of clients. It leaves out a client for which the service does not tell. */
async function readAffected(api: ReadApi, ids: readonly string[]) {
  const affected: Record<string, AffectedWorkspaces> = {};
  await inParallel(ids, async (id) => {
    try {
      affected[id] = await api.oauthClients.affectedWorkspaces(id);
    } catch (error) {
      if (![BadAnswer, Invalid, NotFound].some((known) => error instanceof known)) throw error;
    }
  });
  return affected;
}
