/** Under which key the ledger keeps a link. */
import type { FieldValues, ResourceDefinition } from '../resources/kind';

/** Kind and ids of the pair, in the order of the definition: `RunTrigger/ws-app/ws-network`. */
export function ledgerKey(definition: Pick<ResourceDefinition, 'kind' | 'pair'>, ids: FieldValues): string {
  return [definition.kind, ...definition.pair.map((field) => String(ids[field]))].join('/');
}
