/** The model of a kind of resource and of its values. */
import type { Api, ReadApi } from '../client/api';

export interface Field {
  readonly type: 'string' | 'boolean' | 'set';
  readonly doc: string;
  /** `replace`: the API has no call that changes it. */
  readonly onChange: 'update' | 'replace';
  /** The capability under which a `replace` field is an update. */
  readonly updatableWith?: 'tokenInPatch';
  readonly required?: true;
  /** Null clears the value. */
  readonly nullable?: true;
  /** A secret: accepted, never returned, so never compared. */
  readonly writeOnly?: true;
  /** The field holds the name of an organization, or the id of an external kind or a kind. */
  readonly refersTo?: string;
  /** Manifests write `agentPool` for `agentPoolId`. No manifest carries a field with null. */
  readonly manifestName?: string | null;
  /** The API sets this value when a create leaves the field out. */
  readonly default?: FieldValue;
  /** `line`: no line breaks or control characters; `text`: several lines; `url`: http or https. */
  readonly format?: 'url' | 'line' | 'text';
  /** The allowed values are the profile's service providers. */
  readonly valuesFrom?: 'serviceProviders';
  /** A manifest writes links of that kind as this exact set. */
  readonly exactSetOf?: string;
  /** True offers the object to everybody, and false only to its links. */
  readonly isScope?: true;
  /** Returns what a person should know before this change, or null. */
  readonly risk?: (from: FieldValue | undefined, to: FieldValue | undefined) => string | null;
}

export function endField(refersTo: string, manifestName: string, doc: string): Field {
  return { type: 'string', doc, onChange: 'replace', required: true, refersTo, manifestName };
}

/** The service makes the value. */
export type Output = Pick<Field, 'type' | 'doc' | 'nullable'>;

/** A set is an array whose order and repeats mean nothing. */
export type FieldValue = string | boolean | null | readonly string[];

/** A field that is missing is not managed if desired, and not shown if observed. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export function sameValue(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  const one = new Set<unknown>(left);
  const two = new Set<unknown>(right);
  return one.size === two.size && [...one].every((member) => two.has(member));
}

export function setMembers(value: FieldValue | undefined): readonly string[] {
  return Array.isArray(value) ? value : [];
}

/** Refers to a managed object, which may have no id yet. */
export interface Reference {
  /** `OAuthClient/github`. */
  readonly address: string;
}

export type DesiredValues = Readonly<Record<string, FieldValue | Reference>>;

export function isReference(value: FieldValue | Reference | undefined): value is Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'address' in value;
}

export type SecretSource = { readonly fromEnv: string } | { readonly fromFile: string };

/** Holds `organization`, and `id` or the fields of a link's pair. */
export type Key = Readonly<Record<string, string>>;

/** Throws when it is missing, as in no checked manifest or ledger. */
export function partOf(key: Key, name: string): string {
  const part = key[name];
  if (part === undefined) throw new Error(`a key without ${name}`);
  return part;
}

export interface Found {
  readonly id: string;
  readonly values: FieldValues;
  readonly outputs: FieldValues;
}

/** Oldest first, then by id: every look at a list names the same one. */
export function byAge(left: Found, right: Found): number {
  const one = String(left.outputs.createdAt);
  const two = String(right.outputs.createdAt);
  if (one === two) return left.id < right.id ? -1 : 1;
  return one < two ? -1 : 1;
}

/** Tells what one POST made from what was there before, when its answer is lost. */
export interface Attempt {
  /** The service's time before the POST, in milliseconds since 1970. */
  readonly attemptedAt: number;
  /** True for ids that existed before or are recorded: never what this attempt made. */
  isOther(id: string): boolean;
}

export interface Created extends Found {
  /** The answer was lost, and a list showed the object. */
  readonly takenOver?: true;
}

export interface Section {
  readonly name: string;
  /** `map`: address → fields. `links`: a list of single links and exact sets. */
  readonly form: 'map' | 'links';
  /** They stand in the order of the address. A map has none. */
  readonly ends: readonly LinkEnd[];
}

/** A manifest writes `{ target: app, sources: [network] }`. */
export interface LinkEnd {
  readonly field: string;
  readonly singular: string;
  /** A list under this name is an exact set around the other end. */
  readonly plural?: string;
  readonly nameOutput?: string;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** This limit of the profile counts the different `from` of one `to`. */
  readonly limit?: 'maxSources';
}

export interface ResourceDefinition {
  readonly kind: string;
  /** Heads its section of a plan. */
  readonly title: string;
  readonly doc: string;
  /** It is absent for links without ids of their own. */
  readonly idPrefix?: string;
  readonly section: Section;
  readonly fields: Readonly<Record<string, Field>>;
  readonly outputs: Readonly<Record<string, Output>>;
  /** The fields that identify a link; empty for other objects. */
  readonly pair: readonly string[];
  /** This field has the id of the object that shows the link. */
  readonly shownBy?: string;
  /** Present where a cycle of links deserves a warning. */
  readonly edge?: Edge;
  readonly listType: string;
  /** Each list shows the object or its absence, and for half a pair all its links. */
  listedIn(key: Key): readonly ListRef[];
  /** Returns the oldest first. A key without `id` or pair finds all. */
  find(items: readonly ListItem[], key: Key): readonly Found[];
  /** Absent where the API has no such call. */
  read?(api: ReadApi, id: string): Promise<Found>;
  check?(inputs: FieldValues): readonly FieldsIssue[];
  /** Says what a successor lacks that can neither be read nor is `given`. */
  lostOnReplace?(outputs: FieldValues, given: ReadonlySet<string>): string | null;
  /** Says what a person still has to do at this base URL. */
  waitsFor?(outputs: FieldValues, address: string): string | null;
  /** A lost answer never makes a second object. The caller compares the answer with what it sent (`keptOtherValues`). */
  create(api: Api, key: Key, inputs: FieldValues, attempt: Attempt): Promise<Created>;
  /** `observed` was just read. Absent: every field replaces. */
  update?(api: Api, id: string, changes: FieldValues, observed: FieldValues): Promise<void>;
  /** An object that is gone already is no error. */
  delete(api: Api, id: string, key: Key): Promise<void>;
  /** Links with the same queue go into one call. */
  readonly batch?: {
    queue(key: Key): string;
    create(api: Api, keys: readonly Key[]): Promise<readonly Found[]>;
    delete(api: Api, keys: readonly Key[]): Promise<void>;
  };
  /** Creates with the same queue run one after the other. */
  createQueue?(key: Key): string;
}

export type Registry = readonly ResourceDefinition[];

/** Throws for an unknown kind, which no checked manifest, plan or ledger has. */
export function definitionOf(kind: string, kinds: Registry): ResourceDefinition {
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return definition;
}

/** Finds fields such as `projectIds`. Its links have the `owner` at `end`, and a member of the set at `far`. */
export function setFields(kinds: Registry) {
  return kinds.flatMap(({ kind: owner, fields }) =>
    Object.entries(fields).flatMap(([field, { exactSetOf: kind }]) => {
      if (kind === undefined) return [];
      const link = definitionOf(kind, kinds);
      const end = link.pair.find((one) => link.fields[one]?.refersTo === owner) ?? '';
      const far = link.pair.find((one) => one !== end) ?? '';
      return [{ owner, field, kind, end, far }];
    }),
  );
}

export interface ListItem {
  readonly id: string;
}

/** A list of the API is always read whole. Two with one name are one list. Both calls throw `ApiError`. */
export interface ListRef<Item extends ListItem = ListItem> {
  /** Messages show it: `run triggers of ws-app (inbound)`. */
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

/** Mistakes and warnings are never thrown. They are collected and shown together. */
export interface Issue {
  /** It never changes, so that programs may read it: `unknown-key`. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** It is empty for the whole manifest: `oauthClients.github.httpUrl`. */
  readonly path: string;
  readonly at?: Position;
  /** One may be the first of two duplicates. */
  readonly related?: readonly Position[];
}

export type FieldsIssue = Pick<Issue, 'rule' | 'message' | 'path'>;
