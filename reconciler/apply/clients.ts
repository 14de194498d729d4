/** The steps of OAuth clients: what they write is looked at before, and each is saved as soon as it is done. */
import type { Api } from '../../client/api';
import { ApiError, NotFound } from '../../client/errors';
import { isAsCreated, keptOtherValues, plainValues, possibleMatches } from '../../resources/diff';
import { type FieldValues, type Found, type ResourceDefinition, sameValue } from '../../resources/kind';
import { provedGone, UnexpectedAnswer } from '../../resources/safe-calls';
import type { Step } from '../plan/plan';
import { type Run, retiringOf, Stale } from './run';

/** What there is to say of a step that was done. */
export interface Done {
  readonly objectId?: string;
  readonly message?: string;
}

export async function applyClientStep(run: Run, step: Step): Promise<Done> {
  const api = run.apiForStep();
  switch (step.action) {
    case 'create':
    case 'replace':
      return create(run, api, step);
    case 'adopt':
    case 'update':
      return update(run, api, step);
    case 'delete':
      return remove(run, api, step);
    case 'forget':
      return forget(run, step);
    case 'move':
      return move(run, step);
  }
}

/** The service did nothing. Any other failure leaves the create open: the client may be there, or still come. */
const refusals: ReadonlySet<number | null> = new Set([401, 403, 404, 415, 422, 429]);

async function create(run: Run, api: Api, step: Step): Promise<Done> {
  const { ledger } = run;
  const { address } = step;
  const definition = run.definition(step);
  if (step.action === 'replace') await readUnchanged(api, step, definition, false);
  const sent = run.resolve(step.inputs);
  const before = await run.clientsBefore(definition, api);
  refuseNewMatches(run, step, definition, sent, before);
  refuseEqualPending(run, step, definition, sent);
  const digests = await run.digestsOf(step);
  const attemptedAt = api.serviceNow();
  const existing = before.filter((found) => isAsCreated(definition, sent, found)).map(({ id }) => id);
  const { organization: _, ...values } = sent;
  const pending = { attemptedAt: new Date(attemptedAt).toISOString(), values, digests, existing };
  ledger.setPending(address, pending);
  await ledger.save();
  const attempt = { attemptedAt, isOther: (id: string) => run.known.has(id) };
  const inputs = { ...sent, ...run.secretsOf(step) };
  const made = await definition
    .create(api, run.keyOf(step), inputs, attempt)
    .catch(async (error: unknown) => {
      const isRefused =
        error instanceof ApiError &&
        (error.outcome === 'not-sent' ||
          (error.outcome === 'rejected' && refusals.has(error.context.status)));
      if (isRefused) {
        ledger.setPending(address, null);
        await ledger.save();
      }
      throw error;
    });
  run.known.add(made.id);
  const old = ledger.objects.get(address);
  if (step.reason === 'gone' && old?.id !== undefined) ledger.removeLinksOf(old.id, run.options.registry);
  ledger.setPending(address, null);
  ledger.set(address, {
    id: made.id,
    createdAt: String(made.outputs.createdAt),
    values: managed(step),
    digests,
    ...retiringOf(step.retiring ?? []),
  });
  await ledger.save();
  const problem = keptOtherValues(values, made);
  if (problem !== null) throw new UnexpectedAnswer(`${made.id} was created and recorded, but ${problem}`);
  const open = definition.waitsFor?.(made.outputs, api.address) ?? null;
  if (open !== null) run.options.note(`${address}: ${open}`);
  return { objectId: made.id, ...(made.takenOver && { message: 'taken over after a lost answer' }) };
}

/** A client like it that the plan did not see may be the wanted one. */
function refuseNewMatches(
  run: Run,
  { address, existing = [], objectId }: Step,
  definition: ResourceDefinition,
  sent: FieldValues,
  before: readonly Found[],
): void {
  const held = new Set(
    [...run.ledger.objects.values()].flatMap(({ id, retiring = [] }) => [id, ...retiring]),
  );
  const unseen = possibleMatches(definition, sent, before).filter(
    ({ id }) => !existing.includes(id) && !held.has(id) && id !== objectId,
  );
  const [first] = unseen;
  if (first === undefined) return;
  throw new Stale(
    `${address}: ${first.id}, with the same name, provider and URLs, was created since the plan was made. Nothing was written; plan again`,
  );
}

/** The open create of another address may make the client that this one would be taken for. */
function refuseEqualPending(
  run: Run,
  { address }: Step,
  definition: ResourceDefinition,
  sent: FieldValues,
): void {
  for (const [other, { values }] of run.ledger.pending) {
    if (
      other === address ||
      !isAsCreated(definition, sent, { id: '', values: complete(definition, values), outputs: {} })
    )
      continue;
    throw new Stale(
      `${address}: the answer to the create of ${other}, which is equal, was lost. Nothing was written; run the same command again in two minutes`,
    );
  }
}

/** With the API's defaults, as a list would show it. */
function complete({ fields }: ResourceDefinition, values: FieldValues): FieldValues {
  const defaults = Object.entries(fields).map(([name, field]) => [name, field.default ?? null] as const);
  return { ...Object.fromEntries(defaults), ...values };
}

async function update(run: Run, api: Api, step: Step): Promise<Done> {
  const { ledger } = run;
  const { address, objectId: id = '' } = step;
  const definition = run.definition(step);
  const before = ledger.objects.get(address);
  const secrets = run.secretsOf(step);
  const changes = { ...run.resolve(step.inputs), ...secrets };
  const digests = await run.digestsOf(step);
  const pending = step.reason === 'taken-over' ? ledger.pending.get(address) : undefined;
  const kept = before?.id === id ? (before.digests ?? {}) : (pending?.digests ?? {});
  const createdAt = step.createdAt ?? before?.createdAt;
  const retiring = retiringOf(step.retiring ?? before?.retiring ?? []);
  const record = (written: Readonly<Record<string, string>>) => ({
    id,
    ...(createdAt !== undefined && { createdAt }),
    values: managed(step),
    digests: { ...written },
    ...retiring,
  });
  if (Object.keys(changes).length > 0) {
    const found = await readUnchanged(api, step, definition, true);
    if (Object.keys(secrets).length > 0 && before?.id === id) {
      // A run that is killed here writes them again.
      const others = Object.entries(kept).filter(([field]) => !(field in secrets));
      ledger.set(address, { ...before, digests: Object.fromEntries(others) });
      await ledger.save();
    }
    await definition.update?.(api, id, changes, found.values);
  }
  if (before?.id !== undefined && before.id !== id && !step.retiring?.includes(before.id)) {
    ledger.removeLinksOf(before.id, run.options.registry);
  }
  if (step.action === 'adopt') ledger.setPending(address, null);
  ledger.set(address, record({ ...kept, ...digests }));
  await ledger.save();
  return { objectId: id };
}

function managed({ values }: Step): FieldValues {
  const { organization: _, ...rest } = plainValues(values);
  return rest;
}

async function remove(run: Run, api: Api, step: Step): Promise<Done> {
  const { address, objectId: id = '' } = step;
  const definition = run.definition(step);
  const key = { organization: run.options.organization, id };
  try {
    await readUnchanged(api, step, definition, true);
    await definition.delete(api, id, key);
  } catch (error) {
    if (!(error instanceof NotFound) || !(await provedGone(api, definition, id, key))) throw error;
  }
  run.ledger.removeClient(address, id, run.options.registry);
  await run.ledger.save();
  return {};
}

async function forget(run: Run, { address, objectId, reason, retiring = [] }: Step): Promise<Done> {
  const { ledger } = run;
  const { registry } = run.options;
  if (reason === 'nothing-made') ledger.setPending(address, null);
  else if (reason === 'forget-line' && ledger.objects.get(address)?.id === objectId) {
    const object = ledger.objects.get(address);
    for (const id of [object?.id ?? '', ...(object?.retiring ?? [])]) ledger.removeLinksOf(id, registry);
    ledger.set(address, null);
    ledger.setPending(address, null);
  } else if (objectId !== undefined) ledger.removeClient(address, objectId, registry);
  await ledger.save();
  return retiring.length > 0
    ? { message: `${retiring.join(', ')} stays in the ledger until it is deleted` }
    : {};
}

async function move(run: Run, { address, from = '' }: Step): Promise<Done> {
  const { ledger } = run;
  const object = ledger.objects.get(from);
  if (object === undefined) throw new Error(`there is nothing at ${from} to move`);
  ledger.set(from, null);
  ledger.set(address, object);
  await ledger.save();
  return object.id === undefined ? {} : { objectId: object.id };
}

/** Reads it again before a write. Throws `Stale` where it is not what the plan saw, `NotFound` for a delete of what is gone. */
async function readUnchanged(
  api: Api,
  step: Step,
  definition: ResourceDefinition,
  isOwnSetIgnored: boolean,
): Promise<Found> {
  const { address, objectId = '', observed = {}, action } = step;
  if (definition.read === undefined) throw new Error(`${definition.kind} has no read`);
  const found = await definition.read(api, objectId).catch((error: unknown) => {
    if (action === 'delete' || !(error instanceof NotFound)) throw error;
    throw new Stale(
      `${address}: ${objectId} is not there any more, or this token can no longer see it. Nothing was written; plan again`,
    );
  });
  const differing = Object.entries(found.values).filter(([field, is]) => {
    // Steps of this apply attach and detach.
    const isSet = isOwnSetIgnored && definition.fields[field]?.exactSetOf !== undefined;
    const was = observed[field];
    return field !== 'organization' && !isSet && was !== undefined && !sameValue(was, is);
  });
  if (differing.length === 0) return found;
  const texts = differing.map(([field, is]) => `${field} was ${cut(observed[field])} and is ${cut(is)}`);
  throw new Stale(
    `${address}: ${objectId} was changed since it was planned: ${texts.join('; ')}. Nothing was written; plan again`,
  );
}

function cut(value: unknown): string {
  const text = JSON.stringify(value) ?? 'not set';
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
