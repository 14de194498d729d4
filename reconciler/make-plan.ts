/** One pass: observe what the manifests and the ledger speak of, compare secrets, and plan. Sends nothing but GET. */
import { setImmediate } from 'node:timers/promises';
import type { AffectedWorkspaces, ReadApi } from '../client/api';
import { BadAnswer, Invalid, NotFound, OperationalError } from '../client/errors';
import { endsInApiPath } from '../client/options';
import type { Manifests } from '../manifest/desired';
import { renderPosition } from '../manifest/issues';

import type { Look, Observed } from '../observation/evidence';
import type { ListCache } from '../observation/list-cache';
import { type Budget, inParallel, observe } from '../observation/observe';
import { definitionOf, type Issue, type Registry } from '../resources/kind';

import { isId } from '../resources/names';
import { oauthClientFound } from '../resources/oauth-client-calls';
import { registry as kinds } from '../resources/registry';
import { unlessNotFound } from '../resources/safe-calls';
import { resolveSecret } from '../resources/secrets';
import { digestsFor } from './ledger/digest';
import type { Ledger, LedgerObject } from './ledger/ledger';
import { type NameLists, nameLists } from './names';
import { observationNeeds } from './observation-needs';
import { bindLedger, otherLedger } from './plan/bindings';
import type { PlanInputs } from './plan/context';
import { draftPlan, finishPlan } from './plan/make';
import type { Plan, PlanOptions, SecretState, SecretStates, Step } from './plan/plan';

export interface MakePlanOptions {
  readonly api: ReadApi;
  readonly manifests: Manifests;
  /** Folded with its journal. */
  readonly ledger: Ledger;
  readonly options?: PlanOptions;
  /** Where `fromEnv` looks. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was read already is not read again. */
  readonly cache?: ListCache;
  readonly names?: NameLists;
  readonly registry?: Registry;
}

export interface MadePlan {
  readonly plan: Plan;
  readonly inputs: PlanInputs;
  /** Besides the names that are looked up. `affected`: clients that go, whose workspaces were asked for. */
  readonly budget: Budget & { readonly affected: number };
  /** By id, of clients that the plan ends, where the service can tell what uses them. */
  readonly looks: ReadonlyMap<string, Look>;
}

export class LedgerMismatch extends OperationalError {
  constructor(readonly issue: Issue) {
    super(`${issue.at ? `${renderPosition(issue.at)}: ` : ''}${issue.message}`);
  }
}

/** Plans against what is there now; between two stages that may each be long it lets a Ctrl-C through. Throws `ApiError`, `OrganizationNotVisible` or `LedgerMismatch`. */
export async function makePlan(given: MakePlanOptions): Promise<MadePlan> {
  const { api, manifests, ledger, options = {}, env, cache, registry = kinds } = given;
  const { names = nameLists(api, manifests) } = given;
  const other = otherLedger(manifests, ledger);
  if (other !== null) throw new LedgerMismatch(other);
  const over = new AbortController();
  const comparing = compareSecrets(manifests, ledger, env, registry, over.signal);
  const observing = observe(api, observationNeeds(manifests, ledger, registry), cache).catch(
    (error: unknown) => {
      over.abort();
      throw error;
    },
  );
  const [{ budget, ...seen }, secrets] = await Promise.all([observing, comparing]);
  const observed = withPlaces(seen, manifests);
  refuseUnseen(manifests, ledger, observed, registry);
  let inputs: PlanInputs = { manifests, ledger, observed, secrets };
  await setImmediate();
  let draft = draftPlan(inputs, options, registry);
  const { deleted, objects } = await findDeleted(api, draft.findings.steps, registry);
  if (deleted.size > 0) {
    inputs = { ...inputs, observed: without(observed, deleted) };
    draft = draftPlan(inputs, options, registry);
  }
  const clients = manifests.profile.capabilities.affectedWorkspaces ? draft.leaving : [];
  const { affected, looks } = await readAffected(api, manifests, clients);
  await setImmediate();
  const plan = finishPlan(draft, affected);
  await setImmediate();
  const warnings = [...plan.warnings, ...(await unlistedIds(manifests, names, plan.steps))];
  const notes = [...plan.notes, ...deleted.values()];
  const sum = { ...budget, objects: budget.objects + objects, affected: clients.length };
  return { plan: { ...plan, warnings, notes }, inputs, budget: sum, looks };
}

/** Notes by id, on links to delete that the ledger does not hold: a late list may show what we deleted a moment ago, and its page (for all who may read the list) does not. */
async function findDeleted(api: ReadApi, steps: readonly Step[], registry: Registry) {
  const deleted = new Map<string, Plan['notes'][number]>();
  const unheld = steps.flatMap(({ reason, unmanaged, kind, address, objectId = '' }) => {
    const { read } = definitionOf(kind, registry);
    return read && (unmanaged || reason === 'duplicate') ? { read, address, objectId } : [];
  });
  await inParallel(unheld, async ({ read, address, objectId }) => {
    try {
      await read(api, objectId);
    } catch (error) {
      const text = `a list still shows ${objectId}, which is deleted`;
      if (error instanceof NotFound) deleted.set(objectId, { address, code: 'late-list', text });
      else if (!(error instanceof BadAnswer || error instanceof Invalid)) throw error;
    }
  });
  return { deleted, objects: unheld.length };
}

function without(observed: Observed, ids: ReadonlyMap<string, unknown>): Observed {
  const lists = Object.values(observed.lists).map((list) =>
    list.state === 'read' ? { ...list, items: list.items.filter(({ id }) => !ids.has(id)) } : list,
  );
  return { ...observed, lists: Object.fromEntries(lists.map((list) => [list.ref.name, list])) };
}

/** Ids that a step writes and no list shows: the service would refuse them. Of workspaces, lists of triggers tell. */
async function unlistedIds({ written }: Manifests, lists: NameLists, steps: readonly Step[]) {
  const issues: Issue[] = [];
  for (const [kind, { external, names, read }] of lists) {
    const ofKind = [...written].filter(([id]) => kind !== 'workspace' && isId(id, external.prefix));
    if (ofKind.length === 0) continue;
    const ids = writtenIds(steps);
    const unlisted = () => ofKind.filter(([id]) => ids.has(id) && !names.has(id));
    if (unlisted().length === 0 || !(await unlessNotFound(read()))) continue;
    for (const [id, { as, at }] of unlisted()) {
      const message = `no ${external.noun} that this token can see is ${id}, and apply will write it: check ${as}, and what the token may see`;
      issues.push({ rule: 'unlisted-id', severity: 'warning', path: id, message, at });
    }
  }
  return issues;
}

function writtenIds(steps: readonly Step[]) {
  return new Set<unknown>(
    steps.flatMap(({ action, changes, inputs }) =>
      action === 'adopt' && changes.length === 0 ? [] : Object.values(inputs).flat(),
    ),
  );
}

/** With what to check of each workspace that was not found: where the manifests have its id. */
export function withPlaces(observed: Observed, { written }: Manifests): Observed {
  const all = Object.values(observed.lists);
  if (all.every(({ state }) => state === 'read')) return observed;
  const lists = all.map((list) => {
    const [, id = ''] = list.ref.owner.split('workspace ');
    const { as, at } = written.get(id) ?? {};
    if (list.state === 'read' || at === undefined) return list;
    const hint = `Check ${as} (${renderPosition(at)}): is ${id} meant, and may the token read its runs?`;
    return { ...list, why: `${list.why.replace(/\.$/, '')}. ${hint}` };
  });
  return { ...observed, lists: Object.fromEntries(lists.map((list) => [list.ref.name, list])) };
}

/** Which workspaces the end of these clients would unlink. */
async function readAffected(api: ReadApi, { organization }: Manifests, clients: readonly string[]) {
  const affected: Record<string, AffectedWorkspaces> = {};
  const looks = new Map<string, Look>();
  await inParallel(clients, async (id) => {
    try {
      const at = performance.now();
      const { client, ...workspaces } = await api.oauthClients.affectedWorkspaces(id);
      affected[id] = workspaces;
      looks.set(id, { ...oauthClientFound(client, organization), at });
    } catch (error) {
      // It only informs: without it the plan says "an unknown number of workspaces".
      if (!(error instanceof BadAnswer || error instanceof Invalid || error instanceof NotFound)) throw error;
    }
  });
  return { affected, looks };
}

export class OrganizationNotVisible extends OperationalError {}

/** Throws when a list of the organization answered "not found", unless it was only to show what a create may have left. */
function refuseUnseen(manifests: Manifests, ledger: Ledger, observed: Observed, registry: Registry): void {
  const { organization } = manifests;
  const unseen = new Set(
    Object.values(observed.lists)
      .filter(({ state, ref }) => state === 'unreadable' && ref.owner === `organization ${organization}`)
      .map(({ ref }) => ref.name),
  );
  if (unseen.size === 0) return;
  const settled = { ...ledger, pending: {}, tombstones: [] };
  const { expected, forced } = observationNeeds(manifests, settled, registry);
  const needed = [...forced, ...expected.flatMap(({ definition, key }) => definition.listedIn(key))];
  if (!needed.some(({ name }) => unseen.has(name))) return;
  const address = endsInApiPath(observed.address) ? '' : ` (${observed.address} does not end in /api/v2)`;
  const { organizationAt: at } = manifests;
  const named = at ? `the name in the manifest (${renderPosition(at)})` : '--organization';
  throw new OrganizationNotVisible(
    `organization ${organization}: not found, or the token may not manage its VCS settings (the service does not tell which). Check ${named}, the address${address}, and the token's permissions; nothing was planned`,
  );
}

/**
 * How each write-only field compares with the digest of what was last written. Without a digest it is `unverified` where the object
 * was there before us, and `new` or `needed` where the entry had no such field at the last apply.
 */
export async function compareSecrets(
  manifests: Manifests,
  ledger: Ledger,
  env: MakePlanOptions['env'],
  registry: Registry,
  signal?: AbortSignal,
): Promise<SecretStates> {
  const states: Record<string, SecretStates[string]> = {};
  const objects = manifests.entries.filter(({ kind }) => definitionOf(kind, registry).pair.length === 0);
  if (objects.length === 0) return states;
  const { byAddress } = bindLedger(manifests, ledger, registry);
  await inParallel(objects, async ({ address, secrets }) => {
    const fields: Record<string, SecretState> = {};
    states[address] = fields;
    for (const [field, source] of Object.entries(secrets)) {
      if (signal?.aborted) return;
      const resolution = resolveSecret(source, { env, root: manifests.folder });
      const value = resolution.ok ? resolution.value : null;
      fields[field] = await stateOf(value, field, byAddress.get(address)?.object, ledger);
    }
  });
  return states;
}

/** `value`: null where it is not at hand. */
async function stateOf(
  value: string | null,
  field: string,
  object: LedgerObject | undefined,
  ledger: Ledger,
): Promise<SecretState> {
  const digest = object?.digests[field];
  const isNew = object !== undefined && digest === undefined && !object.unverified?.includes(field);
  if (isNew) return value === null ? 'needed' : 'new';
  if (value === null) return 'not-compared';
  if (digest === undefined) return 'unverified';
  return (await digestsFor(ledger).match(value, digest)) ? 'same' : 'changed';
}
