/**
 * The inputs of a plan. The command gives those that do not depend on the service (`plan-folder.ts`, `drift.ts`), `readFacts` adds what is
 * observed, and `makePlan` adds the secrets and the workspaces. `Facts` answers questions about them.
 */
import type { AffectedWorkspaces } from '../../client/api';
import type { Manifests } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import type { Ledger } from '../ledger/ledger';

/** The result of comparing a declared secret with the digest of the value last written, or why there is none. */
export type SecretState = 'same' | 'changed' | 'unknown' | { readonly why: string };

export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  /** The ledger's name for messages, such as `tether.ledger.json`. */
  readonly place: string;
  readonly observed: Observed;
  /** The keys are ids of clients, and then fields. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, SecretState>>>>;
  /** The workspaces that lose their connection with a client. The keys are ids of clients. */
  readonly affected?: Readonly<Record<string, AffectedWorkspaces>>;
  /** When true, everything in the ledger is deleted. */
  readonly destroy?: boolean;
  /** It replaces the default limit on losses. */
  readonly maxDeletes?: number | undefined;
}
