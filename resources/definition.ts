/** What a kind of resource is: the one place from which schema, validation, diff, docs, planning and calls come. */
import type { Api, ReadApi } from '../client/api';
import type { Issue } from './issue';
import type { ListContents, ListRef } from './lists';
import type { Profile } from './profile';
import type { FieldValue, FieldValues, Key } from './values';

export type ReferenceKind = 'organization' | 'workspace' | 'project' | 'agentPool' | 'OAuthClient';

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
  /** What the id in this field names. */
  readonly refersTo?: ReferenceKind;
  /** Name in a manifest where it is not the code's name (`agentPool` for `agentPoolId`); null where no manifest carries it. */
  readonly manifestName?: string | null;
  /** The API's default when a create leaves the field out. */
  readonly default?: FieldValue;
  readonly format?: 'url' | 'line' | 'text';
  /** The allowed values are the profile's service providers. */
  readonly valuesFrom?: 'serviceProviders';
  /** In a manifest the set is expanded to links of that kind, of which it allows exactly these. */
  readonly exactSetOf?: string;
  /** What a person should know before this change is applied; null when it is harmless. */
  readonly risk?: (from: FieldValue | undefined, to: FieldValue | undefined) => string | null;
}

/** A value that the service makes and we only show. */
export interface Output {
  readonly type: 'string' | 'boolean' | 'set';
  readonly doc: string;
  readonly nullable?: true;
}

/** An object found in a list: its id, its readable fields and its outputs. */
export interface Found {
  readonly id: string;
  readonly values: FieldValues;
  readonly outputs: FieldValues;
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
  /** None for a map. For links: the fields in the order of the address, with the singular and plural names of a line and which of them may be fixed for an exact set. */
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
  /** The objects of that key in such a list, oldest first; more than one is a duplicate. With no `id` or pair in the key: all of them. */
  find(contents: ListContents, key: Key): readonly Found[];
  /** Reads one object by its id; absent where the API has no such call. Throws `ApiError`. */
  read?(api: ReadApi, id: string): Promise<Found>;
  /** Rules across fields. `given` holds every field that is set, write-only ones included. */
  check?(
    inputs: FieldValues,
    given: ReadonlySet<string>,
    profile: Profile,
  ): readonly Pick<Issue, 'rule' | 'message' | 'path'>[];
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
