/** Plans the removal of what arrived late: objects still named exactly a temporary name of our own. Pure. */
import { foundAll } from '../../observation/observe';
import type { Context } from './context';
import { bareStep, type Draft } from './draft';
import { knownNonces } from './look-alikes';

/** Adds a sweep for each such object, but not for the one that a create of this plan takes up again. */
export function planSweeps(context: Context, draft: Draft): void {
  const nonces = knownNonces(context);
  if (context.ledger === null || nonces.size === 0) return;
  const resumed = new Set(
    draft.steps
      .filter((step) => step.action === 'create' || step.action === 'replace')
      .flatMap((step) => context.ledger?.pending[step.key]?.nonce ?? []),
  );
  for (const definition of context.registry.filter((one) => one.pair.length === 0)) {
    const all = foundAll(context.observed, definition, { organization: context.organization }) ?? [];
    const taken = new Set<string>();
    for (const found of all) {
      const name = found.values.name;
      if (typeof name !== 'string' || !nonces.has(name)) continue;
      if (resumed.has(name) && !taken.has(name)) {
        taken.add(name);
        continue;
      }
      draft.steps.push({
        ...bareStep,
        id: `sweep ${found.id}`,
        action: 'sweep',
        kind: definition.kind,
        address: `${definition.kind}/${found.id}`,
        key: name,
        objectId: found.id,
        reason: 'late-arrival',
        because: 'a create whose answer was lost made it; it still has the temporary name of our journal',
        observed: found.values,
      });
    }
  }
}
