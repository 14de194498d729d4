/** Addresses to ids while an apply runs: what the plan names, else what the ledger holds by now. */

import { type DesiredValues, type FieldValues, isReference } from '../../resources/kind';
import type { Plan } from '../plan/plan';
import type { RunningLedger } from './running-ledger';

/** A value refers to an object that has no id: its own step did not make it. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved';
}

/** Steps whose `objectId` is what their address stands for; a create has none yet, a replacement names the old one. */
const naming = new Set(['adopt', 'update', 'move']);
/** Steps after which their address stands for a new object, although a move before them names the old one. */
const renewing = new Set(['create', 'replace']);

export class References {
  private readonly planned = new Map<string, string>();

  constructor(
    plan: Plan,
    private readonly ledger: RunningLedger,
  ) {
    const renewed = new Set(plan.steps.filter((one) => renewing.has(one.action)).map((one) => one.address));
    for (const { action, address, objectId } of plan.steps) {
      if (naming.has(action) && objectId !== undefined && !renewed.has(address))
        this.planned.set(address, objectId);
    }
  }

  /** The id behind an address; absent when nothing has it yet. */
  idOf(address: string): string | undefined {
    return this.planned.get(address) ?? this.ledger.objects.get(address)?.id;
  }

  /** The values with every reference as an id. Throws `Unresolved`. */
  resolve(values: DesiredValues): FieldValues {
    return Object.fromEntries(
      Object.entries(values).map(([field, value]) => {
        if (!isReference(value)) return [field, value];
        const id = this.idOf(value.address);
        if (id !== undefined) return [field, id];
        throw new Unresolved(`${value.address} has no id, and ${field} needs it: plan again`);
      }),
    );
  }
}
