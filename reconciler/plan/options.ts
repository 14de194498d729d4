/** What a person may say about a plan besides the manifests: limits and orders given as flags. */
export interface PlanOptions {
  /** Most deletes and detaches; null for the rule of thumb max(5, 30 %). */
  readonly maxDeletes: number | null;
  /** Most wanted objects that may have vanished; null for max(3, 10 %). */
  readonly acceptMissing: number | null;
  /** Writes every secret that PATCH carries, whether it changed or not. */
  readonly writeSecrets: boolean;
  /** `destroy`: everything of ours is to go. */
  readonly destroy: boolean;
}

export const defaultPlanOptions: PlanOptions = {
  maxDeletes: null,
  acceptMissing: null,
  writeSecrets: false,
  destroy: false,
};
