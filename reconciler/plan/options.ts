/** What a person may say about a plan besides the manifests: targets, approvals and limits given as flags. */
export interface PlanOptions {
  /** Only these addresses and what they depend on; null for everything. */
  readonly targets: readonly string[] | null;
  /** Address → id of an existing object to adopt (`--adopt ADDRESS=ID`). */
  readonly adopt: Readonly<Record<string, string>>;
  /** Addresses whose destruction is allowed by flag. */
  readonly allowDestroy: readonly string[];
  readonly allowReplace: readonly string[];
  /** Most deletes and detaches of one organization; null for the rule of thumb max(5, 30 %). */
  readonly maxDeletes: number | null;
  /** Most wanted objects that may have vanished; null for max(3, 10 %). */
  readonly acceptMissing: number | null;
  /** Writes every secret that PATCH carries, whether it changed or not. */
  readonly writeSecrets: boolean;
  /** `destroy`: everything of ours that the loaded manifests cover is to go. */
  readonly destroy: boolean;
}

export const defaultPlanOptions: PlanOptions = {
  targets: null,
  adopt: {},
  allowDestroy: [],
  allowReplace: [],
  maxDeletes: null,
  acceptMissing: null,
  writeSecrets: false,
  destroy: false,
};
