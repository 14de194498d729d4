/** Updates, adoptions and moves: what they write to is read again before. */
import { type FieldValue, type Found, sameValue } from '../../resources/kind';
import { unlessNotFound } from '../../resources/safe-calls';
import type { Plan } from '../plan/plan';
import { digestsOf, managedValues, objectIdOf, type Run, Stale, secretsOf, type Task } from './task';

/** Writes what differs and records the object as it is then. */
export async function update(task: Task) {
  const { run, step, definition, entryKey } = task;
  const id = objectIdOf(task);
  const changes = changesOf(task);
  if (Object.keys(changes).length > 0) {
    if (definition.update === undefined) throw new Error(`${definition.kind} has no update`);
    const found = await readBeforeWrite(task);
    refuseStale(task, found);
    await definition.update(run.api, id, changes, found.values);
  } else if (step.action === 'adopt' && definition.read !== undefined) {
    // A list may still show what is gone, which the ledger must not hold.
    await readBeforeWrite(task);
  }
  const before = run.ledger.objects.get(entryKey);
  const { unverified: earlier = [], ...kept } = before?.id === id ? before : { digests: {} };
  const digests = { ...kept.digests, ...(await digestsOf(task)) };
  const unverified = [...new Set([...earlier, ...(step.unverified ?? [])])].filter(
    (field) => !(field in digests),
  );
  const { kind, file, protect } = step;
  const values = managedValues(task);
  const open = unverified.length === 0 ? {} : { unverified };
  const object = { ...kept, kind, id, file, values, digests, protect, ...open };
  await run.ledger.write({ event: 'object', key: entryKey, object });
  return id;
}

/** By field; secrets included. */
function changesOf(task: Task) {
  const { run, step } = task;
  const inputs = run.references.resolve(step.inputs);
  const changes: Record<string, FieldValue> = {};
  for (const { field, to, local, secret } of step.changes) {
    const value = inputs[field] ?? to;
    if (!local && secret === undefined && value !== undefined) changes[field] = value;
  }
  return { ...changes, ...secretsOf(task) };
}

export async function move({ run, step }: Task) {
  const { movedFrom: from, key, file } = step;
  if (from === undefined) throw new Error(`${step.id} does not say what it moves`);
  await run.ledger.write({ event: 'moved', from, to: key });
  const object = run.ledger.objects.get(key);
  if (object !== undefined && object.file !== file) {
    await run.ledger.write({ event: 'object', key, object: { ...object, file } });
  }
  return object?.id;
}

/** Records managed values, files and forms of digests that changed without a call. Rejects with `JournalFailed`. */
export async function refreshBaseline({ ledger, registry, digests }: Run, plan: Plan) {
  for (const { key, managed, file } of plan.baselineRefresh) {
    const object = ledger.objects.get(key);
    if (object === undefined) continue;
    // It would end an unfinished create of that key, which may have made another object (but no other link without an id).
    const hasId = registry.find((one) => one.kind === object.kind)?.idPrefix !== undefined;
    if (hasId && ledger.pending.has(key)) continue;
    await ledger.write({ event: 'object', key, object: { ...object, values: managed, file } });
  }
  for (const [key, object] of [...ledger.objects]) {
    const texts = Object.entries(object.digests);
    const renewed = await Promise.all(
      texts.map(async ([field, text]) => [field, await digests.renew(text)] as const),
    );
    if (ledger.pending.has(key) || renewed.every(([field, text]) => object.digests[field] === text)) continue;
    await ledger.write({ event: 'object', key, object: { ...object, digests: Object.fromEntries(renewed) } });
  }
}

/** The links of an object leave the ledger with it. */
export async function removeLinksOf({ run, step }: Task, id: string) {
  for (const key of run.ledger.keysWith(id)) {
    const object = run.ledger.objects.get(key);
    const definition = run.registry.find(({ kind }) => kind === object?.kind);
    const isItsLink = definition?.pair.some(
      (field) => definition.fields[field]?.refersTo === step.kind && object?.values[field] === id,
    );
    if (isItsLink) await run.ledger.remove(key, object?.id);
  }
}

/** Throws `Stale` where it is not there any more. */
export async function readBeforeWrite(task: Task) {
  const { run, step, definition } = task;
  const id = objectIdOf(task);
  if (definition.read === undefined) throw new Error(`${definition.kind} has no read`);
  const found = await unlessNotFound(definition.read(run.api, id));
  if (found !== undefined) return found;
  throw new Stale(
    `${step.address}: ${id} is not there any more, or the token may no longer see it. Nothing was written; plan again`,
  );
}

/** Throws `Stale` unless this is what the plan saw; `isBefore`: it was read before this apply did anything. */
export function refuseStale({ run, step }: Task, { id, values }: Found, isBefore = false) {
  if (step.observed === undefined) return;
  const expected = isBefore ? step.observed : run.own.expected(id, step.observed);
  const differing = Object.entries(values).flatMap(([name, is]) => {
    const was = expected[name];
    return was === undefined || sameValue(was, is) ? [] : [`${name} was ${cut(was)} and is ${cut(is)}`];
  });
  if (differing.length === 0) return;
  throw new Stale(
    `${id} was changed since it was planned: ${differing.join('; ')}. Nothing was written; plan again`,
  );
}

function cut(value: FieldValue) {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
