/** What a kind of resource is, and the values it is about: from a definition follow schema, validation, diff, docs, planning and calls. */
import type { Api, ReadApi } from '../client/api';

export interface Field {
  readonly type: 'string' | 'boolean' | 'set';
  /** One or two sentences for the reference docs. */
  readonly doc: string;
  /** What a change of the value does; `replace` means that the API has no call for it. */
  readonly onChange: 'update' | 'replace';
  /** The profile capability under which a `replace` field is an update. */
  readonly updatableWith?: 'tokenInPatch';
  readonly required?: true;
  /** Null clears the value. */
  readonly nullable?: true;
  /** A secret: accepted, never returned, so never compared with what is observed. */
  readonly writeOnly?: true;
  /** What the id in this field names: `organization`, one of `externalKinds`, or a kind of the registry. */
  readonly refersTo?: string;
  /** Name in a manifest where it is not the code's name (`agentPool` for `agentPoolId`); null where no manifest carries it. */
  readonly manifestName?: string | null;
  /** The API's default when a create leaves the field out. */
  readonly default?: FieldValue;
  readonly format?: 'url' | 'line' | 'text';
  /** The allowed values are the profile's service providers. */
  readonly valuesFrom?: 'serviceProviders';
  /** In a manifest the set is expanded to links of that kind, of which it allows exactly these. */
  readonly exactSetOf?: string;
  /** Of a boolean: true offers the object to everybody, false to its links alone, which are made before that. */
  readonly isScope?: true;
  /** What a person should know before this change is applied; null when it is harmless. */
  readonly risk?: (from: FieldValue | undefined, to: FieldValue | undefined) => string | null;
}

/** A value that the service makes and we only show. */
export type Output = Pick<Field, 'type' | 'doc' | 'nullable'>;

/** A set is an array whose order and repeats mean nothing. */
export type FieldValue = string | boolean | null | readonly string[];

/** Values by field name in camelCase. A missing member means "not managed" in desired values, "not shown" in observed ones. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** Equality of two field values; sets compare without order or repeats. */
export function sameValue(left: FieldValue | undefined, right: FieldValue | undefined): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  const one = new Set<string>(left);
  const two = new Set<string>(right);
  return one.size === two.size && [...one].every((member) => two.has(member));
}

/** A managed object of this plan or ledger that may have no id yet: `{ address: 'OAuthClient/github' }`. */
export interface Reference {
  readonly address: string;
}

/** Desired values before references are resolved to ids. */
export type DesiredValues = Readonly<Record<string, FieldValue | Reference>>;

/** True for a reference to a managed object, false for a plain value. */
export function isReference(value: FieldValue | Reference | undefined): value is Reference {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'address' in value;
}

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

/** An object found in a list: its id, its readable fields and its outputs. */
export interface Found {
  readonly id: string;
  readonly values: FieldValues;
  readonly outputs: FieldValues;
}

/** Oldest first, then by id, so that every look at the same list names the same one. */
export function byAge(left: Found, right: Found): number {
  const one = `${String(left.outputs.createdAt)} ${left.id}`;
  const two = `${String(right.outputs.createdAt)} ${right.id}`;
  return one < two ? -1 : one > two ? 1 : 0;
}

/** A create that must survive a lost or a wrong answer: what was journaled before it, and where to journal what happens. */
export interface Intent {
  /** The temporary name an object carries until its id is journaled; kinds with a natural key ignore it. */
  readonly nonce: string;
  /** What an earlier, interrupted attempt under the same nonce may have left: nothing, or an object with these very inputs. */
  readonly earlier: 'none' | 'same';
  /** True for an object that was there before this create: an answer that names it is not about a new one. */
  existed(id: string): boolean;
  /** Records the object as ours before anything else is done with it: it still has its temporary name. */
  created(id: string): Promise<void>;
  /** Records that a request may still arrive although its answer was lost, or said that nothing was done. */
  mayArriveLate(): Promise<void>;
  /** Records that nothing of it is there: a list that was read whole after the failure shows nothing under the nonce. */
  leftNothing(): Promise<void>;
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
  /** Name of the list form that makes an exact set around the other end; absent where a line has none. */
  readonly plural?: string;
}

/** A link as an arrow of a graph. */
export interface Edge {
  /** Fields of the two ends: what happens at `from` makes something happen at `to`. */
  readonly from: string;
  readonly to: string;
  /** The profile's limit on different `from` of one `to`. */
  readonly limit?: 'maxSources';
}

export interface ResourceDefinition {
  readonly kind: string;
  readonly doc: string;
  /** Prefix of the API's ids of this kind (`oc`); absent for links that have none of their own. */
  readonly idPrefix?: string;
  readonly section: Section;
  readonly fields: Readonly<Record<string, Field>>;
  readonly outputs: Readonly<Record<string, Output>>;
  /** The fields whose ids identify a link; empty for objects with an id of their own. */
  readonly pair: readonly string[];
  /** Of a link that only the page of another object shows: the field with that object's id. */
  readonly shownBy?: string;
  /** Present where the links make a graph in which a cycle deserves a warning. */
  readonly edge?: Edge;
  /** Each of these lists, read whole, shows the object or its absence. With half a pair: the lists that show all its links. */
  listedIn(key: Key): readonly ListRef[];
  /** The objects of that key among the items of one of its lists, oldest first; more than one is a duplicate. With no `id` or pair in the key: all of them. */
  find(items: readonly ListItem[], key: Key): readonly Found[];
  /** Reads one object by its id; absent where the API has no such call. Throws `ApiError`. */
  read?(api: ReadApi, id: string): Promise<Found>;
  /** Rules of its own across fields. */
  check?(inputs: FieldValues): readonly FieldsIssue[];
  /** What a successor of an object with these outputs cannot have, for the old value cannot be read and is not `given`. */
  lostOnReplace?(outputs: FieldValues, given: ReadonlySet<string>): readonly string[];
  /** What a person still has to do for the object at the service of this base URL, without a full stop; null for nothing. */
  waitsFor?(outputs: FieldValues, address: string): string | null;
  /** Creates the object so that a lost answer never makes a second one. */
  create(api: Api, key: Key, inputs: FieldValues, intent: Intent): Promise<Found>;
  /** Deletes what an interrupted create left under the nonce, and nothing else. */
  discard?(api: Api, key: Key, nonce: string): Promise<void>;
  /** Writes the changed fields in place. `observed` is what was just read. Absent: every field replaces. */
  update?(api: Api, id: string, changes: FieldValues, observed: FieldValues): Promise<void>;
  /** Deletes; an object that is gone already is no error. */
  delete(api: Api, id: string, key: Key): Promise<void>;
  /** Several links of one group in one call each; `lane` names the group. */
  readonly batch?: {
    lane(key: Key): string;
    create(api: Api, keys: readonly Key[]): Promise<readonly Found[]>;
    delete(api: Api, keys: readonly Key[]): Promise<void>;
  };
  /** Creates with the same lane run one after the other. */
  createLane?(key: Key): string;
}

/** The kinds that somebody works with; `registry` has all that there are. */
export type Registry = readonly ResourceDefinition[];

/** The definition of a kind; throws on one that is not among them, which a checked manifest, plan or ledger never holds. */
export function definitionOf(kind: string, kinds: Registry): ResourceDefinition {
  const definition = kinds.find((one) => one.kind === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return definition;
}

/** An item of a list, as the API shows it. */
export interface ListItem {
  readonly id: string;
}

/** One list of the API that is read whole. Two with one name are one list. */
export interface ListRef<Item extends ListItem = ListItem> {
  /** For maps, messages and evidence: `run triggers of ws-app (inbound)`. */
  readonly name: string;
  /** Whose list it is: `workspace ws-app`. Who may read one list of an owner may read them all. */
  readonly owner: string;
  /** Throws `ApiError`. */
  read(api: ReadApi): Promise<readonly Item[]>;
  /** Reads one item that the list should show, by its id. Throws `ApiError`. */
  readItem(api: ReadApi, id: string): Promise<Item>;
}

/** Where in a file, 1-based, for people: `file` is relative to the working directory. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A user's mistake or a warning, as a collected value: never thrown, always all of them at once. */
export interface Issue {
  /** Stable kebab-case name of the rule, for reports and tests: `unknown-key`. */
  readonly rule: string;
  readonly severity: 'error' | 'warning';
  /** What is wrong and what to do, one or more sentences, no secret. */
  readonly message: string;
  /** Member path inside the thing judged: `oauthClients.github.httpUrl`; empty for the whole. */
  readonly path: string;
  /** Absent where no file is involved (a flag, a program). */
  readonly at?: Position;
  /** Other places that take part: the first of two duplicates. */
  readonly related?: readonly Position[];
}

/** What is wrong with the fields of one object together; `path` is a field. */
export type FieldsIssue = Pick<Issue, 'rule' | 'message' | 'path'>;
