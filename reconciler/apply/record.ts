/** How the ledger learns what a step made, changed or let go. */
import { type FieldValues, partOf } from '../../resources/kind';
import { placeOf, type Run, secretsOf, type Task } from './run';

/** The managed readable values of the object, for the next comparison: for a link its pair. */
export function managedValues(run: Run, task: Task): FieldValues {
  const { step, definition } = task;
  if (definition.pair.length === 0) return run.references.resolve(step.managed);
  const { key } = placeOf(run, task);
  return Object.fromEntries(definition.pair.map((field) => [field, partOf(key, field)]));
}

/** Digests of the secrets the step wrote, by field. */
export async function digestsOf(run: Run, task: Task): Promise<Readonly<Record<string, string>>> {
  const written = Object.entries(secretsOf(run, task)).map(
    async ([field, value]) => [field, await run.digests.digest(value)] as const,
  );
  return Object.fromEntries(await Promise.all(written));
}

/** Links of an object that is gone or let go leave the ledger with it. */
export async function removeLinksOf(run: Run, { step }: Task, id: string): Promise<void> {
  for (const [key, object] of run.ledger.objects) {
    const definition = run.definitions.get(object.kind);
    const isLink = definition?.pair.some(
      (field) => definition.fields[field]?.refersTo === step.kind && object.values[field] === id,
    );
    if (isLink) await run.ledger.remove(key, object.id);
  }
}
