/** The model of a kind of resource and of its values. */
import type { Api, ReadApi } from '../client/api';

export interface Field {
  readonly type: 'string' | 'boolean' | 'set';
  readonly doc: string;
  /** `replace` means that the API has no call to change the field. */
  readonly onChange: 'update' | 'replace';
  /** The capability under which a `replace` field is an update. */
  readonly updatableWith?: 'tokenInPatch';
  readonly required?: true;
  /** Null clears the value. */
  readonly nullable?: true;
  /** A secret, which the API accepts and never returns. */
  readonly writeOnly?: true;
  /** The field holds the name of an organization, or the id of an external kind or a kind. */
  readonly refersTo?: string;
  /** Manifests write `agentPool` for `agentPoolId`. No manifest carries a field with null. */
  readonly manifestName?: string | null;
  /** The API sets this value when a create leaves the field out. */
  readonly default?: FieldValue;
  /** `line` forbids line breaks and control characters. `text` may have several lines. `url` is http or https. */
  readonly format?: 'url' | 'line' | 'text';
  /** The allowed values are the profile's service providers. */
  readonly valuesFrom?: 'serviceProviders';
  /** A manifest writes links of that kind as this exact set. */
  readonly exactSetOf?: string;
  /** True offers the object to everybody, and false only to its links. */
  readonly isScope?: true;
  /** Returns a warning about this change, or null. */
  readonly risk?: (from: FieldValue | undefined, to: FieldValue | undefined) => string | null;
}

export function endField(refersTo: string, manifestName: string, doc: string): Field {
  return { type: 'string', doc, onChange: 'replace', required: true, refersTo, manifestName };
}

/** An output, whose value the service sets. */
export type Output = Pick<Field, 'type' | 'doc' | 'nullable'>;

/** A set is an array whose order and repeats mean nothing. */
export type FieldValue = string | boolean | null | readonly string[];

/** A missing field of a desired object is not managed. Of an observed object, it is not shown. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export function sameValue(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  const leftMembers = new Set<unknown>(left);
  const rightMembers = new Set<unknown>(right);
  return (
    leftMembers.size === rightMembers.size && [...leftMembers].every((member) => rightMembers.has(member))
  );
}

/** Makes equal sets equal lists. */
export function toSet(members: readonly unknown[]): readonly string[] {
  return [...new Set(members.map(String))].sort();
}

/** The Pulumi engine compares lists place by place, so its inputs and states have the same order. */
export function sortSets(values: FieldValues): FieldValues {
  const sort = (value: FieldValue) => (Array.isArray(value) ? toSet(value) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, sort(value)]));
}

/** Returns the members whose names are picked. */
export function pick<Value>(
  members: Readonly<Record<string, Value>>,
  isPicked: (name: string) => boolean | undefined,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isPicked(name)));
}

export function setMembers(value: FieldValue | undefined): readonly string[] {
  return Array.isArray(value) ? value : [];
}

/** Refers to a managed object, which may have no id yet. */
export interface Reference {
  /** The address, such as `OAuthClient/github`. */
  readonly address: string;
}

export type DesiredValues = Readonly<Record<string, FieldValue | Reference>>;

export function isReference(value: FieldValue | Reference | undefined): value is Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'address' in value;
}

export type SecretSource = ({ readonly fromEnv: string } | { readonly fromFile: string }) & {
  /** The text of a key has several lines. Any other secret is one line. */
  readonly isKey?: true;
};

/** Holds `organization`, and `id` or the fields of a link's pair. */
export type Key = Readonly<Record<string, string>>;

/** Throws if the part is missing. Keys of a checked manifest or ledger have it. */
export function readPart(key: Key, name: string): string {
  const part = key[name];
  if (part === undefined) throw new Error(`a key without ${name}`);
  return part;
}

export interface Found {
  readonly id: string;
  readonly values: FieldValues;
  readonly outputs: FieldValues;
}

/** Compares by age and then by id, so that every read of a list picks the same object. */
export function byAge(left: Found, right: Found): number {
  const leftTime = String(left.outputs.createdAt);
  const rightTime = String(right.outputs.createdAt);
  if (leftTime === rightTime) return left.id < right.id ? -1 : 1;
  return leftTime < rightTime ? -1 : 1;
}

/** After a lost answer, an attempt tells the object of this POST from earlier objects. */
export interface Attempt {
  /** The service's time before the last POST, in milliseconds since 1970. */
  attemptedAt: number;
  /** The time before the first POST, which a service with a rate limit may want again. */
  firstAttemptAt?: number;
  /** True for ids that existed before or are recorded. This attempt did not create them. */
  isOther(id: string): boolean;
}

export interface Created extends Found {
  /** The answer was lost, and a list showed the object. */
  readonly takenOver?: true;
}

export interface Section {
  readonly name: string;
  /** `map` is a map from names to fields. `links` is a list of single links and exact sets. */
  readonly form: 'map' | 'links';
  /** The ends are in the order of the address. A map has none. */
  readonly ends: readonly LinkEnd[];
}

/** The names of an end, as in `{ target: app, sources: [network] }`. */
export interface LinkEnd {
  readonly field: string;
  readonly singular: string;
  /** A list under this name is an exact set around the other end. */
  readonly plural?: string;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The name of the profile's limit on the number of `from` ends of one `to` end. */
  readonly limit?: 'maxSources';
}

/**
 * The contract of a kind. A plan asks in this order, and an apply goes on with the calls that write:
 *
 * 1. `check`, once for each entry of the manifests or of a program.
 * 2. `listedIn`, then `read` of the chosen lists, then `showsLinks` and `find` on their items.
 * 3. `readItem` of a list for each expected object that its list lacks, and `find` again.
 * 4. `lostOnReplace`, while planning.
 * 5. `queue`, which arranges the steps of an apply.
 * 6. `create`, `update` or `delete`. A client is read again before each write, and recorded as pending before its create.
 * 7. `waitsFor`, after a create.
 *
 * `check`, `listedIn`, `showsLinks`, `find`, `lostOnReplace`, `waitsFor` and `queue` must be pure. The others may call the
 * API. They throw `ApiError` or `UnexpectedAnswer`, and whoever calls them never repeats a write.
 * A link has no values beside its pair, so nothing compares or updates links, and `update` is for other objects only.
 */
export interface ResourceDefinition {
  /** The first part of addresses and of the keys of the ledger. It can never change. */
  readonly kind: string;
  /** The heading of its section in a plan. */
  readonly title: string;
  readonly doc: string;
  /** It is absent for links without ids of their own. */
  readonly idPrefix?: string;
  readonly section: Section;
  /**
   * The fields of an object. Manifests (`manifest/schema.ts`, `entries.ts`), rules (`violations.ts`), diffs (`diff.ts`), the ledger and the
   * Pulumi classes read them. A new optional member of `Field` has no effect until one of these reads it.
   */
  readonly fields: Readonly<Record<string, Field>>;
  readonly outputs: Readonly<Record<string, Output>>;
  /** The fields that identify a link, with the owner of a batch first. It is empty for other objects. */
  readonly pair: readonly string[];
  /** The field with the id of the object whose answer shows the link. */
  readonly shownBy?: string;
  /** False for an answer of that object that lacks its links, and so is no evidence. */
  showsLinks?(item: ListItem): boolean;
  /** It is present if a cycle of links needs a warning. */
  readonly edge?: Edge;
  /** The `type` of each list of `listedIn`. */
  readonly listType: string;
  /** Each of these lists must show the object. For one end of a pair, they must show all its links. */
  listedIn(key: Key): readonly ListRef[];
  /** Returns the oldest first. A key without `id` or pair finds all. The items may belong to several lists. */
  find(items: readonly ListItem[], key: Key): readonly Found[];
  /** Must throw `NotFound` only for a 404. It is absent if the API has no such call. */
  read?(api: ReadApi, id: string): Promise<Found>;
  /** Returns mistakes across fields, after each field was checked alone. Fields may be missing. */
  check?(inputs: FieldValues): readonly FieldsIssue[];
  /** Returns a sentence about values that a successor would lack, because they are neither readable nor `given`. */
  lostOnReplace?(outputs: FieldValues, given: ReadonlySet<string>): string | null;
  /** Returns a sentence about a step that the user still has to do at this base URL. */
  waitsFor?(outputs: FieldValues, address: string): string | null;
  /**
   * Must never make a second object. After a lost answer it may look for the first, but never take one of which `isOther` is true.
   * While the object may exist, the outcome of its error must be `ambiguous`: any other one ends the pending entry.
   * The caller compares the answer with what it sent (`unlikeSent`).
   */
  create(api: Api, key: Key, inputs: FieldValues, attempt: Attempt): Promise<Created>;
  /** Must change these fields and no others. `observed` was just read. Returns the answer. It is absent if every field needs a replace. */
  update?(api: Api, id: string, changes: FieldValues, observed: FieldValues): Promise<Found>;
  /** Must succeed for an object that lists prove missing. A link without an id is found by its key. */
  delete(api: Api, id: string, key: Key): Promise<void>;
  /** Creates with the same queue run one after the other, or go into one call of `batch`. */
  queue(key: Key): string;
  /** Takes the place of `create` and `delete` for all links of one queue. Results are in the order of the keys. */
  readonly batch?: {
    create(api: Api, keys: readonly Key[]): Promise<readonly Found[]>;
    delete(api: Api, keys: readonly Key[]): Promise<void>;
  };
}

/** The only kind whose objects have values beside their key. */
export const clientKind = 'OAuthClient';

/** True for a kind of links, which are pairs of ids. */
export function isLink(kind: string): boolean {
  return kind !== clientKind;
}

export interface ListItem {
  readonly id: string;
}

/** A list of the API, which is always read whole. Its name identifies it. Both calls throw `ApiError`. */
export interface ListRef<Item extends ListItem = ListItem> {
  /** The name for messages, such as `run triggers of ws-app (inbound)`. */
  readonly name: string;
  /** A token that may read one list of an owner may read them all. */
  readonly owner: string;
  /** Lists of one type show the same kinds. */
  readonly type: string;
  read(api: ReadApi): Promise<readonly Item[]>;
  /** Reads one item that the list should show. */
  readItem(api: ReadApi, id: string): Promise<Item>;
}

/** Lines and columns count from 1. */
export interface Position {
  /** The path is relative to the working directory. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A mistake or a warning. Issues are not thrown, but collected and shown together. */
export interface Issue {
  /** A stable code for programs, such as `unknown-key`. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The path of the value, such as `oauthClients.github.httpUrl`. It is empty for the whole manifest. */
  readonly path: string;
  readonly at?: Position;
  /** Other positions that matter, such as the first of two duplicates. */
  readonly related?: readonly Position[];
}

export type FieldsIssue = Pick<Issue, 'rule' | 'message' | 'path'>;
