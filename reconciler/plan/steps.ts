/** Builds steps: what most of them leave empty is filled in here. */
import type { ResourceDefinition } from '../../resources/kind';
import type { World } from './inputs';
import { type Action, type LedgerKey, parseKey, type Step } from './plan';

type Details = Pick<Step, 'reason' | 'because'> & Partial<Omit<Step, 'action' | 'kind' | 'address' | 'key'>>;

const empty = { inputs: {}, secrets: {}, changes: [], values: {}, needs: [], risks: [] } as const;

export function clientStep(world: World, action: Action, address: string, details: Details): Step {
  const id = details.id ?? `${action} ${address}`;
  return { ...empty, ...details, id, action, kind: world.clientKind.kind, address, key: parseKey(address) };
}

export function linkStep(
  { kind }: ResourceDefinition,
  action: Action,
  address: string,
  key: LedgerKey,
  details: Details,
): Step {
  return { ...empty, ...details, id: details.id ?? `${action} ${address}`, action, kind, address, key };
}
