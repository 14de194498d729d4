/** Executes the steps of OAuth clients. It reads a client again before a write, and saves the ledger after each step. */
import type { Api } from '../../client/api';
import { ApiError, NotFound } from '../../client/errors';
import { isAsCreated, isLike, plainValues, possibleMatches, unlikeSent } from '../../resources/diff';
import { type Attempt, type FieldValues, type Found, sameValue } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { clientCalls } from '../../resources/oauth-client-calls';
import {
  deleteUnlessGone,
  provedGone,
  settledAfter,
  settledAfterMs,
  UnexpectedAnswer,
} from '../../resources/safe-calls';
import { heldIds, type LedgerObject } from '../ledger/ledger';
import { inheritedKeys } from '../plan/carried-sets';
import {
  type ClientStep,
  type CreateClientStep,
  type DeleteClientStep,
  type ForgetClientStep,
  type MoveClientStep,
  type ReplaceClientStep,
  readMember,
  type UpdateClientStep,
} from '../plan/plan';
import { type Done, type Run, Stale } from './run';

/** Saves what the step changed in the ledger, even if it failed. */
export async function applyClientStep(run: Run, step: ClientStep): Promise<Done> {
  try {
    return await execute(run, step, run.options.api.forStep(run.beforeWrite));
  } finally {
    await run.ledger.save();
  }
}

function execute(run: Run, step: ClientStep, api: Api): Done | Promise<Done> {
  switch (step.action) {
    case 'create':
    case 'replace':
      return create(run, step, api);
    case 'adopt':
    case 'update':
      return update(run, step, api);
    case 'delete':
      return remove(run, step, api);
    case 'forget':
      return forget(run, step);
    case 'move':
      return move(run, step);
  }
}

/** A POST that waited longer than this for its turn is recorded again, because its create stays open from its record. */
const maxDelayMs = 10_000;

const toTime = (milliseconds: number) => new Date(milliseconds).toISOString();

async function create(run: Run, step: MakeClientStep, api: Api): Promise<Done> {
  const { ledger } = run;
  const { address } = step;
  if (step.action === 'replace') await readUnchanged(api, step);
  const sentValues = plainValues(step.inputs);
  const before = await run.clientsBefore();
  refuseNewMatches(run, step, sentValues, before);
  refuseEqualPending(run, step, sentValues, api.serviceNow());
  const { organization: _, ...values } = sentValues;
  const digests = await run.computeDigests(step);
  const existing = before.filter((found) => isLike(oauthClient, sentValues, found)).map(({ id }) => id);
  const attempt: Attempt = { attemptedAt: 0, isOther: (id) => run.existingIds.has(id) };
  const record = async () => {
    attempt.attemptedAt = api.serviceNow();
    const { attemptedAt, firstAttemptAt } = attempt;
    ledger.setPending(address, {
      attemptedAt: toTime(attemptedAt),
      ...(firstAttemptAt !== undefined && { firstAttemptAt: toTime(firstAttemptAt) }),
      values,
      digests,
      existing,
    });
    await ledger.save();
  };
  const isLate = () => api.serviceNow() > attempt.attemptedAt + maxDelayMs;
  const beforePost = async () => {
    if (isLate()) await record();
    if (isLate()) throw new Stale(address, 'saving the ledger took too long', 'run the same command again');
    attempt.firstAttemptAt ??= attempt.attemptedAt;
    run.beforeWrite();
  };
  const movedKeys = run.options.plan.steps.flatMap((link) => readMember(link, 'from') ?? []);
  if (step.action === 'replace') {
    // If the answer is lost, the new client takes over the keys that remain, but not those of forgotten links.
    const successor = { id: '', values: sentValues };
    for (const key of inheritedKeys(ledger.objects.keys(), step.objectId, successor).keys())
      if (!movedKeys.includes(key)) ledger.remove(key);
  }
  await record();
  const inputs = { ...sentValues, ...run.readSecrets(step) };
  const created = await oauthClient
    .create(run.options.api.forStep(beforePost), run.toCallKey(step), inputs, attempt)
    .catch((error: unknown) => {
      // After an ambiguous failure the create stays open, because the client may still appear.
      const isRefused = error instanceof ApiError && error.outcome !== 'ambiguous';
      if (isRefused || error instanceof Stale) ledger.removePending(address);
      throw error;
    });
  run.existingIds.add(created.id);
  const oldId = ledger.objects.get(address)?.id;
  if (step.reason === 'gone' && oldId !== undefined) ledger.removeLinks(oldId);
  // An apply that ends before the steps of these links must not lose them.
  if (step.action === 'replace') ledger.inheritLinks(movedKeys, step.objectId, created);
  const { createdAt } = created.outputs;
  setRecord(run, step, { id: created.id, createdAt, digests, retiring: step.retiring });
  const problem = unlikeSent(oauthClient, values, created);
  if (problem !== null) throw new UnexpectedAnswer(`${created.id} was created and recorded, but ${problem}`);
  const open = oauthClient.waitsFor?.(created.outputs, api.address) ?? null;
  if (open !== null) run.options.onEvent?.({ type: 'note', message: `${address}: ${open}` });
  return { objectId: created.id, ...(created.takenOver && { message: 'adopted after a lost answer' }) };
}

/** Refuses a create if the plan did not see a possible match, which may be the wanted client. */
function refuseNewMatches(
  { ledger, options }: Run,
  { address, existing, objectId = '' }: MakeClientStep,
  sent: FieldValues,
  before: readonly Found[],
): void {
  // The list may be older than the delete of a client that the ledger held.
  const recordedIds = heldIds([...Object.values(options.ledger.objects), ...ledger.objects.values()]);
  const expectedIds = new Set([...existing, objectId, ...recordedIds]);
  const first = possibleMatches(oauthClient, sent, before).find(({ id }) => !expectedIds.has(id));
  if (first === undefined) return;
  const match = `${first.id}, with the same name, provider and URLs,`;
  throw new Stale(address, `${match} was created since the plan was made`);
}

/** Refuses a create that equals the open create of another address. Nobody could tell the two clients apart. */
function refuseEqualPending({ ledger }: Run, { address }: ClientStep, sent: FieldValues, now: number): void {
  for (const [openAddress, { values, attemptedAt }] of ledger.pending) {
    const isOpen = openAddress !== address && Date.parse(attemptedAt) + settledAfterMs > now;
    if (!isOpen || !isAsCreated(oauthClient, sent, { values })) continue;
    const reason = `the answer to the create of ${openAddress}, which is equal, was lost`;
    throw new Stale(address, reason, `run the same command again in ${settledAfter}`);
  }
}

type MakeClientStep = CreateClientStep | ReplaceClientStep;

type Recorded = Pick<LedgerObject, 'id' | 'digests' | 'retiring'> & { readonly createdAt: unknown };

function setRecord({ ledger }: Run, step: MakeClientStep | UpdateClientStep, object: Recorded): void {
  const { organization: _, ...values } = plainValues(step.values);
  ledger.set(step.address, { ...object, values });
  if (step.action !== 'update') ledger.removePending(step.address);
}

async function update(run: Run, step: UpdateClientStep, api: Api): Promise<Done> {
  const { ledger } = run;
  const { address, objectId: id, reason, retiring } = step;
  const record = ledger.objects.get(address);
  const before = record?.id === id ? record : undefined;
  const pending = reason === 'taken-over' ? ledger.pending.get(address) : undefined;
  const digests = { ...(before ?? pending)?.digests };
  const secrets = run.readSecrets(step);
  const newDigests = await run.computeDigests(step);
  const changes = { ...plainValues(step.inputs), ...secrets };
  if (Object.keys(changes).length > 0) {
    const client = await readUnchanged(api, step);
    for (const field of Object.keys(secrets)) delete digests[field];
    if (before !== undefined && Object.keys(secrets).length > 0) {
      // If this run is killed here, the next one writes the secrets again.
      ledger.set(address, { ...before, digests });
      await ledger.save();
    }
    await oauthClient.update?.(api, id, changes, client.values);
  }
  const oldId = record?.id;
  if (oldId !== undefined && pending !== undefined)
    ledger.inheritLinks(ledger.objects.keys(), oldId, { ...pending, id });
  if (oldId !== undefined && oldId !== id && !retiring?.includes(oldId)) ledger.removeLinks(oldId);
  setRecord(run, step, {
    id,
    createdAt: step.createdAt ?? record?.createdAt,
    digests: { ...digests, ...newDigests },
    retiring: retiring ?? record?.retiring ?? [],
  });
  return { objectId: id };
}

async function remove(run: Run, step: DeleteClientStep, api: Api): Promise<Done> {
  const { address, objectId: id } = step;
  const key = { organization: run.organization, id };
  const removed = readUnchanged(api, step).then(() => oauthClient.delete(api, id, key));
  await deleteUnlessGone(removed, () => provedGone(api, oauthClient, id, key));
  run.ledger.removeClient(address, id);
  return {};
}

function forget({ ledger }: Run, { address, objectId, reason, retiring = [] }: ForgetClientStep): Done {
  const object = ledger.objects.get(address);
  const isAll = reason === 'forget-line' && object?.id === objectId;
  const predecessors = isAll ? (object?.retiring ?? []) : [];
  if (objectId === undefined) ledger.removePending(address);
  else for (const id of [...predecessors, objectId]) ledger.removeClient(address, id);
  if (retiring.length === 0) return {};
  return { message: `${retiring.join(', ')} stays in the ledger until it is deleted` };
}

function move({ ledger }: Run, { address, from }: MoveClientStep): Done {
  const object = ledger.objects.get(from);
  if (object?.id === undefined) throw new Error(`there is nothing at ${from} to move`);
  ledger.remove(from);
  // An `id:` line ends the open create of its address.
  ledger.removePending(address);
  ledger.set(address, object);
  return { objectId: object.id };
}

/** Reads a client before a write. Throws `Stale` if it differs from the plan, and `NotFound` for a delete of a missing one. */
async function readUnchanged(
  api: Api,
  step: ReplaceClientStep | UpdateClientStep | DeleteClientStep,
): Promise<Found> {
  const { address, objectId, observed = {}, action } = step;
  const client = await clientCalls.read(api, objectId).catch((error: unknown) => {
    if (action === 'delete' || !(error instanceof NotFound)) throw error;
    throw new Stale(address, `${objectId} no longer exists, or this token can no longer see it`);
  });
  const differing = Object.entries(client.values).filter(([field, is]) => {
    // Other steps of this apply change the sets of a client that stays.
    const isStaying = action === 'update' || action === 'adopt';
    const isOwnSet = isStaying && oauthClient.fields[field]?.exactSetOf !== undefined;
    const plannedValue = observed[field];
    // A successor would not get what the plan did not see.
    const isNew = plannedValue === undefined && action !== 'replace';
    return field !== 'organization' && !isOwnSet && !isNew && !sameValue(plannedValue, is);
  });
  if (differing.length === 0) return client;
  const names = differing.map(([field]) => oauthClient.fields[field]?.manifestName ?? field);
  throw new Stale(address, `${names.join(' and ')} of ${objectId} changed since it was planned`);
}
