/** Creates and replacements: journaled before the call, in the ledger once the id is known. */
import { ApiError } from '../../client/errors';
import { grouped } from '../../resources/groups';
import {
  definitionOf,
  type FieldValues,
  type Found,
  type Intent,
  isReference,
  partOf,
  type Registry,
  setFields,
  setMembers,
} from '../../resources/kind';
import { noncePrefix } from '../../resources/names';
import { saltedHash } from '../ledger/digest';
import type { LedgerObject } from '../ledger/ledger';
import type { TemporaryName } from '../ledger/state';
import type { Plan, Step } from '../plan/plan';
import { readBeforeWrite, refuseStale, removeLinksOf } from './change';
import {
  digestsOf,
  inputsOf,
  isNew,
  managedValues,
  objectIdOf,
  type Run,
  resolveTask,
  type Task,
  type Tasks,
} from './task';

/** One object, or several links in one call; returns their ids, and then those of the links that the call for the object made too. */
export async function create(tasks: Tasks, along: readonly Step[] = []) {
  const [{ definition, run }] = tasks;
  const { batch } = definition;
  const started = await Promise.all(tasks.map((task) => startCreate(task, along)));
  let found: readonly Found[];
  try {
    const keys = tasks.map(({ key }) => key);
    found = await (batch?.create(run.api, keys) ?? Promise.all(started.map(({ call }) => call())));
  } catch (error) {
    for (const { abandon } of started) await abandon(error);
    throw error;
  }
  const ids = await Promise.all(
    started.map(async ({ step, finish }, index) => {
      const made = found[index];
      if (made === undefined) throw new Error(`${step.id} was made, and its call did not say so`);
      return [made.id, ...(await finish(made))];
    }),
  );
  return ids.flat();
}

/** Whether the create of that link can come along with this step: then the new object shows it in a set. */
export function canComeAlong({ registry }: Run, step: Step, { action, kind, inputs }: Step) {
  const isEnd = (end: Step['inputs'][string] | undefined) => isReference(end) && end.address === step.address;
  return (
    isNew(step) &&
    action === 'create' &&
    setFields(registry).some(
      (set) =>
        set.owner === step.kind &&
        set.kind === kind &&
        isEnd(inputs[set.end]) &&
        typeof inputs[set.far] === 'string',
    )
  );
}

/** The replaced object is remembered until it is destroyed. */
export async function replace(task: Task, along: readonly Step[]) {
  // What is carried over was read by the plan, and the old object goes.
  refuseStale(task, await readBeforeWrite(task));
  return create([task], along);
}

interface Started {
  readonly step: Step;
  call(): Promise<Found>;
  /** Returns the ids of what came along, undefined for what did not. */
  finish(found: Found): Promise<readonly (string | undefined | undefined)[]>;
  abandon(error: unknown): Promise<void>;
}

/** Goes on with what an earlier apply started with the same inputs, else clears that away and begins anew. */
async function startCreate(task: Task, along: readonly Step[] = []): Promise<Started> {
  const { run, definition, key, entryKey, step } = task;
  const { ledger } = run;
  const inputs = inputsOf(task);
  const before = ledger.objects.get(entryKey);
  const planned = await plannedEntry(task, before);
  const { nonce, earlier } = await journalIntent(task, inputs);
  let mayArrive = earlier === 'same';
  let isRecorded = false;
  const links: { readonly task: Task; readonly started: Started }[] = [];
  const intent: Intent = {
    nonce,
    earlier,
    existed: (id) => run.seen.has(id) || ledger.manages(definition.kind, id),
    created: async (id) => {
      if (isRecorded) return;
      await ledger.write({ event: 'object', key: entryKey, object: { ...planned, id } });
      isRecorded = true;
    },
    mayArriveLate: async () => {
      mayArrive = true;
      await ledger.recordUnconfirmed(definition.kind, step.address, nonce);
    },
    leftNothing: () => ledger.endIntent(entryKey),
    // Journaled as in a call of their own.
    along: async () => {
      const tasks = along.map((one) => resolveTask(run, one));
      links.push(
        ...(await Promise.all(tasks.map(async (link) => ({ task: link, started: await startCreate(link) })))),
      );
      return setsWith(tasks);
    },
  };
  return {
    step,
    call: () => definition.create(run.api, key, inputs, intent),
    /** Records what was made, and so ends the intent. */
    finish: async ({ id, values, outputs }: Found) => {
      await intent.created(id);
      run.own.linked(definition, key, true);
      const needed = definition.waitsFor?.(outputs, run.api.address) ?? null;
      if (needed !== null) run.note(step, needed);
      const isMissing = step.action === 'create' && before !== undefined && before.id !== id;
      if (isMissing) await removeLinksOf(task, before.id);
      return Promise.all(
        links.map(async ({ task: link, started }) => {
          const isMade = Object.entries(setsWith([link])).every(([field, [member = '']]) =>
            setMembers(values[field]).includes(member),
          );
          if (!isMade) {
            await ledger.endIntent(link.entryKey);
            return undefined;
          }
          const made = { id: Object.values(link.ends).join('/'), values: link.ends, outputs: {} };
          await started.finish(made);
          return made.id;
        }),
      );
    },
    /** Ends the intent unless something may have been made or may still arrive. */
    abandon: async (error: unknown) => {
      for (const { started } of links) await started.abandon(error);
      const nothingDone = error instanceof ApiError && error.outcome !== 'ambiguous';
      if (nothingDone && !mayArrive) await ledger.endIntent(entryKey);
    },
  };
}

/** The members of an object's sets that stand for these links of it. */
function setsWith(links: readonly Task[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    grouped(
      links.flatMap(({ run, step, ends }) =>
        setFields(run.registry)
          .filter(({ kind }) => kind === step.kind)
          .map(({ field, far }) => [field, partOf(ends, far)] as const),
      ),
    ),
  );
}

async function plannedEntry(task: Task, before?: LedgerObject): Promise<Omit<LedgerObject, 'id'>> {
  const { kind, file, protect, action } = task.step;
  const isReplacement = action === 'replace';
  // What an earlier replacement left is not forgotten when its successor is made again.
  const replaces = isReplacement ? objectIdOf(task) : before?.replaces;
  const replaced = isReplacement ? undefined : before?.id;
  return {
    kind,
    file,
    values: managedValues(task),
    digests: await digestsOf(task),
    protect,
    ...(task.isLink || replaces === undefined ? {} : { replaces }),
    ...(task.isLink || replaced === undefined ? {} : { replaced }),
  };
}

/** Of the creates of clients, made before the first for those who find that this run was lost. A link is found by its pair. */
export function temporaryNames({ organization, steps }: Plan, registry: Registry, random: () => string) {
  const isClient = ({ kind }: Step) => definitionOf(kind, registry).pair.length === 0;
  const clients = steps.filter((step) => isNew(step) && isClient(step));
  return clients.map(({ kind, key, address }): TemporaryName => {
    return { key, kind, nonce: `${noncePrefix(organization, address)}${random()}` };
  });
}

/** The temporary name, and whether an earlier apply started the create. */
async function journalIntent(
  { run, definition, isLink, key, step, entryKey }: Task,
  inputs: FieldValues,
): Promise<Pick<Intent, 'nonce' | 'earlier'>> {
  const { kind } = definition;
  // A link holds nothing but its pair, which is its temporary name.
  const hashOf = async (nonce: string) => (isLink ? nonce : intentHash(inputs, nonce));
  const earlier = run.ledger.pending.get(entryKey);
  if (earlier !== undefined) {
    const isSame = (await hashOf(earlier.nonce)) === earlier.hash;
    if (definition.idPrefix !== undefined) {
      await run.ledger.recordUnconfirmed(kind, step.address, earlier.nonce);
    }
    if (isSame) return { nonce: earlier.nonce, earlier: 'same' };
    for (const id of (await definition.discard?.(run.api, key, earlier.nonce)) ?? []) {
      const why = `workspaces use ${id}, which its interrupted create left with other values`;
      run.note(step, `is made anew, and ${why}: that one stays, and the next plan asks about it`);
    }
  }
  const nonce = run.temporaryNames.get(entryKey)?.nonce ?? entryKey;
  const intent = { kind, nonce, hash: await hashOf(nonce) };
  await run.ledger.write({ event: 'intent', key: entryKey, intent });
  return { nonce, earlier: 'none' };
}

/** Of all inputs, secrets included, salted with the nonce; members and sets in any order. */
export function intentHash(inputs: FieldValues, nonce: string) {
  const members = Object.entries(inputs)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, value]) => [name, Array.isArray(value) ? [...new Set<string>(value)].sort() : value]);
  return saltedHash(JSON.stringify(members), `intent:${nonce}`);
}
