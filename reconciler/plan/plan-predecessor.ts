/** Plans the end of a replacement that was interrupted before the old object went: what is left is to destroy it. Pure. */
import type { ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { approvalFor, unlinks } from './approvals';
import { type Context, observationIn } from './context';
import { bareStep, type Draft } from './draft';

/** The address whose object took the place of another. */
export interface Successor {
  readonly context: Context;
  readonly draft: Draft;
  readonly definition: ResourceDefinition;
  readonly entry: {
    readonly kind: string;
    readonly address: string;
    readonly file: string | null;
  };
  readonly protect: boolean;
}

/** How the old object goes. */
export interface Ending {
  readonly because: string;
  /** Set where more happens than the end of what was approved, so that it needs approval once more. */
  readonly approve: 'destroy' | 'replace' | null;
  readonly needs: readonly string[];
}

/** Adds the delete of what `object` replaced; returns its step, if there is one, or that nobody can see the old object. */
export function planPredecessor(
  { context, draft, definition, entry, protect }: Successor,
  object: LedgerObject,
  { because, approve, needs }: Ending,
): { readonly steps: readonly string[] } | 'unseen' {
  const old = object.replaces;
  if (old === undefined) return { steps: [] };
  const observation = observationIn(context, definition, { id: old }, old);
  if (observation.state === 'undetermined') {
    draft.undetermined.push({
      address: entry.address,
      why: `whether ${old}, which it replaced, still exists: ${observation.why}`,
    });
    return 'unseen';
  }
  const isThere = observation.state === 'present';
  const id = `delete ${entry.address} (replaced ${old})`;
  draft.steps.push({
    ...bareStep,
    id,
    action: 'delete',
    kind: entry.kind,
    address: entry.address,
    key: entry.address,
    objectId: old,
    reason: 'replaced',
    because,
    needs,
    ...(isThere ? { observed: observation.found.values, risks: [unlinks(context, old)] } : {}),
    ...(isThere && approve !== null ? { approval: approvalFor(context, approve, entry.address, old) } : {}),
    file: entry.file,
    protect,
  });
  return { steps: [id] };
}
