/** One wanted object while it is planned, and what all of its plans share. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { Issue, ResourceDefinition } from '../../resources/kind';

import type { Claim } from './claims';
import type { Context } from './context';
import type { Draft } from './draft';
import type { PlannedChange } from './plan';

/** One wanted object with all that is known of it. */
export interface Subject {
  readonly context: Context;
  readonly draft: Draft;
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  readonly claim: Claim | null;
  /** Whether the object is protected once the plan is applied: as its line says, else as the ledger remembers. */
  readonly protect: boolean;
}

/** The step that gives the object its new key, if there is one. */
export function moveNeeds({ entry, claim }: Subject): readonly string[] {
  return claim?.movedFrom === undefined ? [] : [`move ${entry.address}`];
}

/** The risks of changes, each once, secrets and fields alike. */
export function risksOf(changes: readonly PlannedChange[]): readonly string[] {
  return [...new Set(changes.flatMap((one) => (one.risk === undefined ? [] : [one.risk])))];
}

/** Stops the address: nothing of it, and nothing that refers to it, is planned. */
export function problem(
  subject: Subject,
  rule: string,
  message: string,
  at: Issue['at'] = subject.entry.at,
): void {
  const { draft, entry, claim } = subject;
  draft.problems.push({
    rule,
    severity: 'error',
    message,
    path: entry.address,
    address: entry.address,
    ...(at === undefined ? {} : { at }),
  });
  draft.objects.set(entry.address, {
    state: 'stopped',
    id: claim?.object.id ?? null,
    why: `${entry.address} has a problem`,
  });
}
