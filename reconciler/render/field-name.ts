/** Fields as the manifest calls them, so that a reader finds the line a change is about. */
import { type Registry, registry } from '../../resources/registry';

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what no definition knows (`protect`). */
export function fieldName(kind: string, field: string, kinds: Registry = registry): string {
  const known = kinds.find((one) => one.kind === kind)?.fields[field];
  return known?.manifestName ?? field;
}
