/** What a kind of resource is, and the values it is about. All else follows from it. */
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
  /** What its id names: `organization`, an external kind, or a kind. */
  readonly refersTo?: string;
  /** Where it differs (`agentPool` for `agentPoolId`); null: no manifest carries it. */
  readonly manifestName?: string | null;
  /** The API's, where a create leaves it out. */
  readonly default?: FieldValue;
  /** `line`: no line breaks or control characters; `text`: several lines; `url`: http or https. */
  readonly format?: 'url' | 'line' | 'text';
  /** The allowed values are the profile's service providers. */
  readonly valuesFrom?: 'serviceProviders';
  /** In a manifest the set is an exact set of links of that kind. */
  readonly exactSetOf?: string;
  /** True: offered to everybody. False: only to its links, which are then made first. */
  readonly isScope?: true;
  /** What to know before this change; null when it is harmless. */
  readonly risk?: (from: FieldValue | undefined, to: FieldValue | undefined) => string | null;
}

/** The field of a link with the id of one end. */
export function endField(refersTo: string, manifestName: string, doc: string): Field {
  return { type: 'string', doc, onChange: 'replace', required: true, refersTo, manifestName };
}

/** A value that the service makes. */
export type Output = Pick<Field, 'type' | 'doc' | 'nullable'>;

/** A set is an array whose order and repeats mean nothing. */
export type FieldValue = string | boolean | null | readonly string[];

/** By field. A missing one is not managed if desired, not shown if observed. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

export function sameValue(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  const one = new Set<unknown>(left);
  const two = new Set<unknown>(right);
  return one.size === two.size && [...one].every((member) => two.has(member));
}

/** None of what is no set. */
export function setMembers(value: FieldValue | undefined): readonly string[] {
  return Array.isArray(value) ? value : [];
}

/** To a managed object, which may have no id yet. */
export interface Reference {
  /** `OAuthClient/github`. */
  readonly address: string;
}

export type DesiredValues = Readonly<Record<string, FieldValue | Reference>>;

export function isReference(value: FieldValue | Reference | undefined): value is Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'address' in value;
}

/** Where a secret is read, only when a step must write it. */
export type SecretSource = { readonly fromEnv: string } | { readonly fromFile: string };

/** What identifies an object: `organization`, and `id` or the fields of a link's pair. */
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
  return (
    compare(String(left.outputs.createdAt), String(right.outputs.createdAt)) || compare(left.id, right.id)
  );
}

function compare(one: string, two: string): number {
  return one < two ? -1 : one > two ? 1 : 0;
}

/** What is known before the POST of an object, so that a lost answer makes no second one. */
export interface Attempt {
  /** The service's time before the POST, in milliseconds since 1970. */
  readonly attemptedAt: number;
  /** True for ids that existed before or are recorded: never what this attempt made. */
  isOther(id: string): boolean;
}

/** What a create made, or found after its answer was lost. */
export interface Created extends Found {
  readonly takenOver?: true;
}

/** Where a kind stands in a manifest. */
export interface Section {
  readonly name: string;
  /** `map`: address → fields. `links`: a list of single links and exact sets. */
  readonly form: 'map' | 'links';
  /** In the order of the address; none for a map. */
  readonly ends: readonly LinkEnd[];
}

/** One end of a link as a manifest writes it: `{ target: app, sources: [network] }`. */
export interface LinkEnd {
  readonly field: string;
  readonly singular: string;
  /** The list form: an exact set around the other end. */
  readonly plural?: string;
  /** The output that says how the service calls it. */
  readonly nameOutput?: string;
}

/** The fields of a link's ends, as of an arrow. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  /** The profile's limit on different `from` of one `to`. */
  readonly limit?: 'maxSources';
}

export interface ResourceDefinition {
  readonly kind: string;
  /** Heads its section of a plan. */
  readonly title: string;
  readonly doc: string;
  /** Of its ids: `oc`; absent for links without ids of their own. */
  readonly idPrefix?: string;
  readonly section: Section;
  readonly fields: Readonly<Record<string, Field>>;
  readonly outputs: Readonly<Record<string, Output>>;
  /** The fields that identify a link; empty for other objects. */
  readonly pair: readonly string[];
  /** Of a link that another object shows: the field with its id. */
  readonly shownBy?: string;
  /** Present where a cycle of links deserves a warning. */
  readonly edge?: Edge;
  /** Of the lists that show it: see `ListRef`. */
  readonly listType: string;
  /** Each, read whole, shows the object or its absence; for half a pair, all its links. */
  listedIn(key: Key): readonly ListRef[];
  /** Those of that key in such a list, oldest first; a key without `id` or pair means all. */
  find(items: readonly ListItem[], key: Key): readonly Found[];
  /** Absent where the API has no such call. */
  read?(api: ReadApi, id: string): Promise<Found>;
  /** Rules across fields. */
  check?(inputs: FieldValues): readonly FieldsIssue[];
  /** What a successor of an object with these outputs lacks: it cannot be read and is not `given`. Null for nothing. */
  lostOnReplace?(outputs: FieldValues, given: ReadonlySet<string>): string | null;
  /** What a person still has to do at this base URL; null for nothing. */
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

/** Throws for any other kind, which no checked manifest, plan or ledger has. */
export function definitionOf(kind: string, kinds: Registry): ResourceDefinition {
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return definition;
}

/** Each field that is an exact set of links: `projectIds` of its `owner`, a client, of attachments (`kind`), which hold the owner at `end` and a member of the set at `far`. */
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

/** A list of the API, always read whole; `readItem` reads one item that it should show. Both throw `ApiError`. Two with one name are one list. */
export interface ListRef<Item extends ListItem = ListItem> {
  /** For messages too: `run triggers of ws-app (inbound)`. */
  readonly name: string;
  /** `workspace ws-app`: who may read one list of an owner may read them all. */
  readonly owner: string;
  /** Of its items, in the API: lists of one type show the same kinds. */
  readonly type: string;
  read(api: ReadApi): Promise<readonly Item[]>;
  readItem(api: ReadApi, id: string): Promise<Item>;
}

/** Where in a file, from 1; `file` is relative to the working directory. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A user's mistake, or a warning: never thrown, but collected and shown at once. */
export interface Issue {
  /** Stable, for reports: `unknown-key`. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** `oauthClients.github.httpUrl`; empty for the whole. */
  readonly path: string;
  readonly at?: Position;
  /** Such as the first of two duplicates. */
  readonly related?: readonly Position[];
}

/** Of the fields of one object together; `path` is one of them. */
export type FieldsIssue = Pick<Issue, 'rule' | 'message' | 'path'>;
