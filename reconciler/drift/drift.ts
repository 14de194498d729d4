/** Drift: what was changed elsewhere since the last apply, as plain JSON. */
import type { FieldValue } from '../../resources/kind';

export interface DriftItem {
  readonly address: string;
  readonly kind: string;
  readonly objectId: string | null;
  /** `changed`: fields differ from what was applied. `gone`: proved absent. `foreign`: in an exact set, not ours. */
  readonly state: 'changed' | 'gone' | 'foreign';
  /** For changed: what it was when applied and what it is now. */
  readonly fields: readonly { readonly field: string; readonly was: FieldValue; readonly is: FieldValue }[];
  /** For gone: which reads prove it. For foreign: which exact set. */
  readonly evidence: readonly string[];
}

/** What was changed elsewhere in the organization of one folder. */
export interface DriftReport {
  readonly organization: string;
  readonly items: readonly DriftItem[];
  readonly undetermined: readonly { readonly address: string; readonly why: string }[];
  /** Manifest edits not applied yet: listed, not counted. */
  readonly pending: readonly { readonly address: string; readonly action: string }[];
  readonly problems: readonly { readonly address: string; readonly message: string }[];
}
