/** What planning needs, gathered: the same value goes to plan and drift. */
import type { Manifests } from '../manifest/desired';
import type { Observed } from '../observation/evidence';
import type { Ledger } from './ledger/ledger';

/** How a write-only field compares with what was last written: by address, then field. */
export type SecretStates = Readonly<
  Record<string, Readonly<Record<string, 'same' | 'changed' | 'new' | 'unverified' | 'not-compared'>>>
>;

export interface PlanInputs {
  readonly manifests: Manifests;
  readonly ledger: Ledger;
  readonly observed: Observed;
  readonly secrets: SecretStates;
}
