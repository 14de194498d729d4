/** Creates and replacements: journaled before the call, in the ledger as soon as the id is known, taken up again after a kill. */
import { ApiError } from '../../client/errors';
import type { FieldValues, Found, Intent } from '../../resources/kind';
import { nonceName } from '../../resources/names';
import { personNeeded } from '../connecting';
import type { LedgerObject, PendingIntent } from '../ledger/ledger';
import { readAgain, refuseStale } from './change';
import { digestsOf, inputsOf, managedValues, type Run, removeLinksOf, type Task } from './task';

/** Creates the objects of these tasks and returns their ids: one object, or several links in one call. */
export async function create(run: Run, tasks: readonly Task[]): Promise<readonly string[]> {
  const started = await Promise.all(tasks.map((task) => startCreate(run, task)));
  let found: readonly Found[];
  try {
    found = await callCreate(run, started);
  } catch (error) {
    for (const one of started) await one.abandon(error);
    throw error;
  }
  return Promise.all(
    started.map(async (one, index) => {
      const made = found[index];
      if (made === undefined) throw new Error(`${one.task.step.id} was made, and its call did not say so`);
      await finishCreate(run, one, made);
      return made.id;
    }),
  );
}

/** Creates the object that takes the place of another, which is remembered until it is destroyed. */
export async function replace(run: Run, task: Task): Promise<string | undefined> {
  const { step } = task;
  if (step.objectId === undefined) throw new Error(`${step.id} does not say what it replaces`);
  if (step.approval?.given === false) throw new Error(`${step.id} is not approved: ${step.approval.line}`);
  // What is carried over was read when it was planned, and the old object goes afterwards.
  refuseStale(run, task, await readAgain(run, task, step.objectId));
  const [id] = await create(run, [task]);
  return id;
}

async function callCreate(run: Run, started: readonly StartedCreate[]): Promise<readonly Found[]> {
  const [first] = started;
  if (first === undefined) return [];
  const { definition, key } = first.task;
  if (started.length === 1) return [await definition.create(run.api, key, first.inputs, first.intent)];
  if (definition.batch === undefined)
    throw new Error(`several ${definition.kind} cannot be made in one call`);
  return definition.batch.create(
    run.api,
    started.map(({ task }) => task.key),
  );
}

async function finishCreate(run: Run, { task, record, before }: StartedCreate, found: Found): Promise<void> {
  await record(found.id);
  run.own.linked(task.definition, task.key, true);
  const needed = personNeeded(found.outputs, run.api.address);
  if (needed !== null) run.note(task, needed);
  const isMissing = task.step.action === 'create' && before !== undefined && before.id !== found.id;
  if (isMissing) await removeLinksOf(run, task, before.id);
}

/** A create whose intent is in the journal. */
interface StartedCreate {
  readonly task: Task;
  readonly inputs: FieldValues;
  readonly intent: Intent;
  /** What the ledger held under its key until now. */
  readonly before: LedgerObject | undefined;
  /** Records the object, once, and so ends the intent. */
  record(id: string): Promise<void>;
  /** Ends the intent when the service refused it and nothing can arrive any more. */
  abandon(error: unknown): Promise<void>;
}

/** Goes on with what an earlier apply started if its inputs were the same, else clears it away; then journals the intent. */
async function startCreate(run: Run, task: Task): Promise<StartedCreate> {
  const { definition, ledgerKey } = task;
  const inputs = inputsOf(run, task);
  const before = run.ledger.objects.get(ledgerKey);
  const planned = await plannedEntry(run, task, before);
  const { nonce, earlier } = await journalIntent(run, task, inputs);
  let mayArrive = earlier === 'same';
  let recorded = false;
  const record = async (id: string): Promise<void> => {
    if (recorded) return;
    await run.ledger.write({ event: 'object', key: ledgerKey, object: { ...planned, id } });
    recorded = true;
  };
  const intent: Intent = {
    nonce,
    earlier,
    existed: (id) => run.seen.has(id) || run.ledger.manages(definition.kind, id),
    created: record,
    mayArriveLate: async () => {
      mayArrive = true;
      await run.ledger.recordUnconfirmed(definition.kind, task.step.address, nonce);
    },
    leftNothing: () => run.ledger.endIntent(ledgerKey),
  };
  const abandon = async (error: unknown): Promise<void> => {
    const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
    if (nothingDone && !mayArrive) await run.ledger.endIntent(ledgerKey);
  };
  return { task, inputs, intent, before, record, abandon };
}

/** What the ledger will hold of the new object. */
async function plannedEntry(
  run: Run,
  task: Task,
  before: LedgerObject | undefined,
): Promise<Omit<LedgerObject, 'id'>> {
  const { kind, file, protect, action, objectId } = task.step;
  const isReplacement = action === 'replace';
  // What an earlier replacement left to be destroyed is not forgotten because its successor is made again.
  const replaces = isReplacement ? objectId : before?.replaces;
  const replaced = isReplacement ? undefined : before?.id;
  return {
    kind,
    file,
    values: managedValues(run, task),
    digests: await digestsOf(run, task),
    protect,
    ...(task.isLink || replaces === undefined ? {} : { replaces }),
    ...(task.isLink || replaced === undefined ? {} : { replaced }),
  };
}

/** The temporary name of the create, and whether an earlier apply started it. */
async function journalIntent(
  run: Run,
  task: Task,
  inputs: FieldValues,
): Promise<Pick<Intent, 'nonce' | 'earlier'>> {
  const { definition, step, ledgerKey } = task;
  // A link holds nothing but its pair, which is its temporary name.
  const hashOf = async (nonce: string) => (task.isLink ? nonce : run.digests.intentHash(inputs, nonce));
  const earlier = run.ledger.pending.get(ledgerKey);
  if (earlier !== undefined) {
    const same = (await hashOf(earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined) {
      await run.ledger.recordUnconfirmed(definition.kind, step.address, earlier.nonce);
    }
    if (same) return { nonce: earlier.nonce, earlier: 'same' };
    await definition.discard?.(run.api, task.key, earlier.nonce);
  }
  const nonce = task.isLink ? ledgerKey : nonceName(run.organization, step.address, run.random(6));
  const intent: PendingIntent = { kind: definition.kind, nonce, hash: await hashOf(nonce) };
  await run.ledger.write({ event: 'intent', key: ledgerKey, intent });
  return { nonce, earlier: 'none' };
}
