/** The state of each client after the plan, as its links see it. */
import { unhandled } from './broken';
import { readOutcome } from './outcomes';
import {
  clientKey,
  clientsOfInterruptedCreate,
  findPresence,
  recordedClients,
  type Situation,
  seenClient,
} from './situation';

export type Fate =
  /** It exists and stays under this id. */
  | { readonly state: 'kept'; readonly id: string }
  | { readonly state: 'made' }
  | { readonly state: 'replaced'; readonly id: string }
  | { readonly state: 'goes' }
  | { readonly state: 'forgotten' }
  /** It is left alone, because of a problem or because it cannot be seen. */
  | { readonly state: 'left'; readonly id: string | undefined };

export interface Fates {
  of(name: string): Fate;
  /** The address of an id, or the id itself. */
  nameOf(id: string): string;
  /** True if links of this id belong to its address. */
  isCurrent(id: string): boolean;
  readonly names: readonly string[];
}

function fateOf(situation: Situation, name: string, outcome: string, isLeft: boolean): Fate {
  const object = recordedClients(situation).get(name);
  const isUnclear = situation.desired.clients.get(name)?.isUnknown === true;
  const { action, id } = readOutcome(outcome);
  switch (action) {
    case 'create':
      return { state: 'made' };
    case 'adopt':
    case 'move':
      // A move changes only the ledger, so a client that cannot be seen, is unclear or has a problem moves too.
      return { state: isLeft || isUnclear || seenClient(situation, id) === undefined ? 'left' : 'kept', id };
    case 'replace':
      return { state: 'replaced', id };
    case 'delete':
      return { state: 'goes' };
    case 'forget':
      return { state: 'forgotten' };
    case 'unknown':
    case 'problem':
      return { state: 'left', id: object?.id ?? situation.desired.clients.get(name)?.entry.id };
    case 'nothing':
    case 'update':
      break;
    default:
      throw unhandled(action);
  }
  if (object === undefined) return { state: 'forgotten' };
  const isThere = findPresence(situation, object.id, object.createdAt) === 'present';
  return isThere ? { state: 'kept', id: object.id } : { state: 'left', id: object.id };
}

/** `outcomeOf` returns the plan's outcome for the client of that name, and `isLeft` whether a problem stops it. */
export function fatesOf(
  situation: Situation,
  outcomeOf: (name: string) => string,
  isLeft: (name: string) => boolean,
): Fates {
  const recorded = recordedClients(situation);
  const pending = Object.keys(situation.ledger.pending).map((key) => key.replace(clientKey(''), ''));
  const names = [...new Set([...situation.desired.clients.keys(), ...recorded.keys(), ...pending])];
  const fates = new Map(names.map((name) => [name, fateOf(situation, name, outcomeOf(name), isLeft(name))]));
  const taken = new Map<string, string>();
  for (const name of names) {
    const { action, id } = readOutcome(outcomeOf(name));
    if (id !== '' && action !== 'delete') taken.set(id, name);
  }
  // A moved client and its links belong to its new address.
  for (const [name, { id }] of recorded) {
    if (taken.has(id) && taken.get(id) !== name) fates.set(name, { state: 'forgotten' });
  }
  const owners = new Map<string, string>();
  for (const [name, { id, retiring = [] }] of recorded) {
    for (const one of [...retiring, id]) owners.set(one, name);
  }
  for (const [key, one] of Object.entries(situation.ledger.pending)) {
    for (const { id } of clientsOfInterruptedCreate(situation, one))
      owners.set(id, key.replace(clientKey(''), ''));
  }
  const current = new Set<string>();
  for (const [name, fate] of fates) {
    if (fate.state !== 'kept' && fate.state !== 'replaced' && fate.state !== 'left') continue;
    if (fate.id === undefined) continue;
    owners.set(fate.id, name);
    if (fate.state !== 'replaced') current.add(fate.id);
  }
  return {
    of: (name) => fates.get(name) ?? { state: 'forgotten' },
    nameOf: (id) => owners.get(id) ?? id,
    isCurrent: (id) => current.has(id),
    names,
  };
}
