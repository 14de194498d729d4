/** A link while it is planned: its ends, and the exact sets that cover it. */
import type { ExactSet } from '../../manifest/desired';
import type { Found, Key, ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import type { MadeClient } from './draft';
import type { LedgerKey, Step } from './plan';

/** An end of a declared link. */
export interface End {
  /** The ids that it may have now; absent where it may have any. */
  readonly ids?: readonly string[] | undefined;
  readonly made?: MadeClient;
  /** Present where the end is not clear. */
  readonly why?: string;
}

/** An exact set whose fixed end has an id. */
export interface KnownSet extends ExactSet {
  /** `RunTrigger workspaceId ws-app`. */
  readonly name: string;
  readonly end: Key;
  /** Ids of the steps that create its members. */
  readonly creates: string[];
}

/** A link by its ids, or by the address of a client that this plan makes. */
export interface Link {
  readonly definition: ResourceDefinition;
  readonly ends: Key;
  readonly key: LedgerKey;
  readonly text: string;
  /** By alias, name or id, as everywhere. */
  readonly address: string;
  readonly object: LedgerObject | undefined;
  /** These cover it. */
  readonly sets: readonly KnownSet[];
}

export function setName(kind: string, field: string, id: string | undefined): string {
  return `${kind} ${field} ${id}`;
}

/** The names that the service gives the ends now, where it does. */
export function called({ section }: ResourceDefinition, found: Found | undefined): Pick<Step, 'called'> {
  const names = section.ends.map(({ nameOutput = '' }) => found?.outputs[nameOutput]);
  return names.every((name) => typeof name === 'string') ? { called: names.join(' ← ') } : {};
}
