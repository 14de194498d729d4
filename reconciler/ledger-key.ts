/** Under which key the ledger keeps a link. */
import type { FieldValues, Key, ResourceDefinition } from '../resources/kind';

/** Kind and ids of the pair, in the order of the definition: `RunTrigger/ws-app/ws-network`. */
export function ledgerKey(definition: Pick<ResourceDefinition, 'kind' | 'pair'>, ids: FieldValues): string {
  return [definition.kind, ...definition.pair.map((field) => String(ids[field]))].join('/');
}

/** The ids of a link's pair, from its key in the ledger. */
export function pairInKey(pair: readonly string[], key: string): Key {
  const ids = key.split('/').slice(1);
  return Object.fromEntries(pair.map((field, index) => [field, ids[index] ?? '']));
}
