/** Creates and replacements: journaled before the call, in the ledger as soon as the id is known, taken up again after a kill. */
import { ApiError } from '../../client/errors';
import type { FieldValues, Found, Intent } from '../../resources/kind';
import { nonceName } from '../../resources/names';
import type { LedgerObject } from '../ledger/ledger';
import { readUnchanged, removeLinksOf } from './change';
import { type Digests, digestsOf, idOf, inputsOf, managedValues, type Run, type Task } from './task';

/** Creates one object, or several links in one call; returns their ids. */
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
    started.map(async ({ task, finish }, index) => {
      const made = found[index];
      if (made === undefined) throw new Error(`${task.step.id} was made, and its call did not say so`);
      await finish(made);
      return made.id;
    }),
  );
}

/** Creates the object that takes the place of another, which is remembered until it is destroyed. */
export async function replace(run: Run, task: Task): Promise<string | undefined> {
  // What is carried over was read when it was planned, and the old object goes afterwards.
  await readUnchanged(run, task);
  const [id] = await create(run, [task]);
  return id;
}

async function callCreate({ api }: Run, started: readonly StartedCreate[]): Promise<readonly Found[]> {
  const keys = started.map(({ task }) => task.key);
  const batch = started[0]?.task.definition.batch;
  if (batch !== undefined) return batch.create(api, keys);
  return Promise.all(
    started.map(({ task: { definition, key }, inputs, intent }) =>
      definition.create(api, key, inputs, intent),
    ),
  );
}

/** A create whose intent is in the journal. */
interface StartedCreate {
  readonly task: Task;
  readonly inputs: FieldValues;
  readonly intent: Intent;
  /** Records what was made, and so ends the intent. */
  finish(found: Found): Promise<void>;
  /** Ends the intent unless something may have been made or may still arrive. */
  abandon(error: unknown): Promise<void>;
}

/** Goes on with what an earlier apply started with the same inputs, else clears it away and journals the intent. */
async function startCreate(run: Run, task: Task): Promise<StartedCreate> {
  const { definition, key, ledgerKey, step } = task;
  const { ledger } = run;
  const inputs = inputsOf(run, task);
  const before = ledger.objects.get(ledgerKey);
  const planned = await plannedEntry(run, task, before);
  const { nonce, earlier } = await journalIntent(run, task, inputs);
  let mayArrive = earlier === 'same';
  let isRecorded = false;
  const created = async (id: string): Promise<void> => {
    if (isRecorded) return;
    await ledger.write({ event: 'object', key: ledgerKey, object: { ...planned, id } });
    isRecorded = true;
  };
  return {
    task,
    inputs,
    intent: {
      nonce,
      earlier,
      existed: (id) => run.seen.has(id) || ledger.manages(definition.kind, id),
      created,
      mayArriveLate: async () => {
        mayArrive = true;
        await ledger.recordUnconfirmed(definition.kind, step.address, nonce);
      },
      leftNothing: () => ledger.endIntent(ledgerKey),
    },
    finish: async ({ id, outputs }) => {
      await created(id);
      run.own.linked(definition, key, true);
      const needed = definition.waitsFor?.(outputs, run.api.address) ?? null;
      if (needed !== null) run.note(step, needed);
      const isMissing = step.action === 'create' && before !== undefined && before.id !== id;
      if (isMissing) await removeLinksOf(run, task, before.id);
    },
    abandon: async (error) => {
      const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
      if (nothingDone && !mayArrive) await ledger.endIntent(ledgerKey);
    },
  };
}

/** What the ledger will hold of the new object. */
async function plannedEntry(
  run: Run,
  task: Task,
  before: LedgerObject | undefined,
): Promise<Omit<LedgerObject, 'id'>> {
  const { kind, file, protect, action } = task.step;
  const isReplacement = action === 'replace';
  // What an earlier replacement left to be destroyed is not forgotten because its successor is made again.
  const replaces = isReplacement ? idOf(task) : before?.replaces;
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
  const { kind } = definition;
  // A link holds nothing but its pair, which is its temporary name.
  const hashOf = async (nonce: string) => (task.isLink ? nonce : intentHash(run.digests, inputs, nonce));
  const earlier = run.ledger.pending.get(ledgerKey);
  if (earlier !== undefined) {
    const isSame = (await hashOf(earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined) {
      await run.ledger.recordUnconfirmed(kind, step.address, earlier.nonce);
    }
    if (isSame) return { nonce: earlier.nonce, earlier: 'same' };
    await definition.discard?.(run.api, task.key, earlier.nonce);
  }
  const nonce = task.isLink ? ledgerKey : nonceName(run.organization, step.address, run.random(6));
  const intent = { kind, nonce, hash: await hashOf(nonce) };
  await run.ledger.write({ event: 'intent', key: ledgerKey, intent });
  return { nonce, earlier: 'none' };
}

/** Of all inputs of a create, secrets included, salted with its nonce; members and sets in any order. */
export function intentHash({ saltedHash }: Digests, inputs: FieldValues, nonce: string): Promise<string> {
  const members = Object.entries(inputs).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? [...new Set<string>(value)].sort() : value,
  ]);
  members.sort(([left], [right]) => (left < right ? -1 : 1));
  return saltedHash(JSON.stringify(members), `intent:${nonce}`);
}
