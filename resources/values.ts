/** Values of fields as they travel between manifests, the diff, the ledger and the API. */

/** A set is an array whose order and repeats mean nothing. */
export type FieldValue = string | boolean | null | readonly string[];

/** Values by field name in camelCase. A missing member means "not managed" in desired values, "not shown" in observed ones. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** A managed object of this plan or ledger that may have no id yet: `{ address: 'OAuthClient/github' }`. */
export interface Reference {
  readonly address: string;
}

/** Desired values before references are resolved to ids. */
export type DesiredValues = Readonly<Record<string, FieldValue | Reference>>;

/** Where a write-only value comes from; the value itself is read only when a step must write it. */
export type SecretSource = { readonly fromEnv: string } | { readonly fromFile: string };

/** What identifies an object for its definition: `organization`, and `id` or the fields of a link's pair. */
export type Key = Readonly<Record<string, string>>;

/** One member of a key. Throws for one that is missing, which no checked manifest or ledger makes. */
export function partOf(key: Key, name: string): string {
  const part = key[name];
  if (part === undefined) throw new Error(`a key without ${name}`);
  return part;
}

/** True for a reference to a managed object, false for a plain value. */
export function isReference(value: FieldValue | Reference | undefined): value is Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'address' in value;
}

/** Equality of two field values; sets compare without order or repeats. */
export function sameValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    const one = new Set<string>(left);
    const two = new Set<string>(right);
    return one.size === two.size && [...one].every((member) => two.has(member));
  }
  return left === right;
}
