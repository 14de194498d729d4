/** A link while it is planned: its ends, and the exact sets that cover it. */
import type { ExactSet } from '../../manifest/desired';
import type { Key, ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import type { MadeClient } from './draft';
import type { LedgerKey } from './plan';

/** An end of a declared link. */
export interface End {
  /** The ids that it may have now. */
  readonly ids: readonly string[];
  readonly made?: MadeClient;
  /** The reason why the end is unclear. It is absent for a clear one. */
  readonly why?: string;
}

/** An exact set whose fixed end has an id. */
export interface KnownSet extends ExactSet {
  /** A unique name, such as `RunTrigger workspaceId ws-app`. */
  readonly name: string;
  readonly end: Key;
  /** Ids of the steps that create its members. */
  readonly creates: string[];
}

/** A link between ids. One end may be the address of a client that this plan creates. */
export interface Link {
  readonly definition: ResourceDefinition;
  readonly ends: Key;
  readonly key: LedgerKey;
  /** The key as one string. */
  readonly text: string;
  /** Each end appears by its alias, else by its name or id. */
  readonly address: string;
  readonly object: LedgerObject | undefined;
  /** The exact sets that cover the link. */
  readonly sets: readonly KnownSet[];
}

export function setName(kind: string, field: string, id: string | undefined): string {
  return `${kind} ${field} ${id}`;
}
