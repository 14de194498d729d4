/** Builds the steps of the decisions, one builder for each action. `order` adds what a step waits for. */
import { plainValues } from '../../resources/diff';
import { pick } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import type {
  Binding,
  ChangeClient,
  ClientDecision,
  CreateClient,
  DeleteClient,
  ForgetClient,
  LinkDecision,
  Rebinding,
  ReplaceClient,
} from './decisions';
import type { Facts } from './facts';
import {
  type ClientStep,
  type CreateClientStep,
  type DeleteClientStep,
  type ForgetClientStep,
  type LinkStep,
  type MoveClientStep,
  parseKey,
  type ReplaceClientStep,
  type Step,
  type UpdateClientStep,
} from './plan';

/** A step before its order is known. It keeps the union by action. */
export type Unordered<Some> = Some extends Step ? Omit<Some, 'needs' | 'after'> : never;

/** Builds the steps in the order in which a plan lists those of one action and kind. */
export function buildSteps(
  facts: Facts,
  rebindings: readonly Rebinding[],
  clients: readonly ClientDecision[],
  links: readonly LinkDecision[],
): readonly Unordered<Step>[] {
  return [
    ...rebindings.map(buildRebinding),
    ...clients.flatMap((decision) => buildClientSteps(facts, decision)),
    ...links.flatMap(buildLinkStep),
  ];
}

/** Each step of a client has its address as its key. */
function clientBase<Action extends string>(action: Action, address: string, id = `${action} ${address}`) {
  return { id, action, kind: oauthClient.kind, address, key: parseKey(address) };
}

function buildRebinding(rebinding: Rebinding): Unordered<MoveClientStep | UpdateClientStep> {
  const { address, because, record } = rebinding;
  const { id: objectId, values = {}, retiring = [], createdAt } = record;
  if (rebinding.action === 'move') {
    const { from } = rebinding;
    return { ...clientBase('move', address), reason: 'renamed', because, objectId, from, values, retiring };
  }
  return {
    ...clientBase('adopt', address),
    reason: rebinding.reason,
    because,
    objectId,
    values,
    retiring,
    ...(createdAt !== undefined && { createdAt }),
    inputs: {},
    secrets: {},
    changes: [],
    risks: [],
  };
}

function buildClientSteps(facts: Facts, decision: ClientDecision): readonly Unordered<ClientStep>[] {
  const { binding, predecessors, droppedCreate } = decision;
  const { address } = binding;
  return [
    ...buildFate(facts, decision),
    ...predecessors.flatMap(({ id, fate: old }): Unordered<ClientStep> | readonly [] => {
      if (old.action === 'delete') return deletePredecessor(facts, address, old);
      return old.action === 'forget' ? forgetPredecessor(address, id, old) : [];
    }),
    ...(droppedCreate
      ? [{ ...clientBase('forget', address, `drop pending ${address}`), ...droppedCreate }]
      : []),
  ];
}

function buildFate(facts: Facts, { binding, fate }: ClientDecision): readonly Unordered<ClientStep>[] {
  switch (fate.action) {
    case 'create':
      return [createClient(fate, binding)];
    case 'replace':
      return [replaceClient(facts, fate, binding)];
    case 'update':
    case 'adopt':
      return [updateClient(fate, binding)];
    case 'delete':
      return [destroyClient(facts, binding.address, fate)];
    case 'forget':
      return [forgetClient(fate, binding)];
    case 'nothing':
    case 'leave':
    case 'refuse':
    case 'keep':
      return [];
  }
}

function createClient(
  { entry, existing }: CreateClient,
  { address, record }: Binding,
): Unordered<CreateClientStep> {
  const because = record
    ? `${record.id} is not there any more (not in the list; GET returned 404)`
    : 'in the manifest, not on the service yet';
  const { inputs, secrets } = entry;
  return {
    ...clientBase('create', address),
    reason: record ? 'gone' : 'new',
    because,
    inputs,
    secrets,
    existing,
    changes: [],
    risks: [],
    values: plainValues(inputs),
    retiring: record?.retiring ?? [],
  };
}

function replaceClient(
  facts: Facts,
  { entry, found, difference, sent, existing, risks, affected }: ReplaceClient,
  { address, record }: Binding,
): Unordered<ReplaceClientStep> {
  const { changes, reason, because } = difference;
  return {
    ...clientBase('replace', address),
    reason,
    because,
    changes,
    existing,
    risks,
    affected,
    inputs: sent,
    secrets: entry.secrets,
    objectId: found.id,
    values: plainValues(entry.inputs),
    observed: found.values,
    retiring: [...(record?.retiring ?? []), found.id],
    approval: facts.approval('replace', address, found.id),
  };
}

/** Sends only what differs, and records all declared values. */
function updateClient(
  { action, entry, found, difference }: ChangeClient,
  { address, record }: Binding,
): Unordered<UpdateClientStep> {
  const { changes, risks, reason, because } = difference;
  const isChanged = (name: string) => changes.some(({ field }) => field === name);
  const effect = changes.length === 0 ? '' : ', and what differs will be written';
  const adoption = {
    reason: 'found',
    because: `${found.id} exists and the manifest names it${effect}`,
    createdAt: String(found.outputs.createdAt),
    retiring: record?.retiring ?? [],
  } as const;
  return {
    ...clientBase(action, address),
    ...(action === 'adopt' ? adoption : { reason, because }),
    objectId: found.id,
    changes,
    inputs: pick(plainValues(entry.inputs), isChanged),
    secrets: pick(entry.secrets, isChanged),
    values: plainValues(entry.inputs),
    observed: found.values,
    risks,
  };
}

function destroyClient(
  facts: Facts,
  address: string,
  { found, risks, affected }: DeleteClient,
): Unordered<DeleteClientStep> {
  return {
    ...clientBase('delete', address),
    ...facts.whyDeleted,
    objectId: found.id,
    observed: found.values,
    risks,
    affected,
    approval: facts.approval('destroy', address, found.id),
  };
}

function deletePredecessor(
  facts: Facts,
  address: string,
  { found: { id, values }, risks, affected }: DeleteClient,
): Unordered<DeleteClientStep> {
  return {
    ...clientBase('delete', address, `delete ${address} (${id})`),
    reason: 'replaced',
    because: `${id} is replaced by another client`,
    objectId: id,
    observed: values,
    risks,
    affected,
    approval: facts.approval('replace', address, id, 'destroy'),
  };
}

function forgetClient(
  { reason, because }: ForgetClient,
  { address, record }: Binding,
): Unordered<ForgetClientStep> {
  const { id = '', retiring = [] } = record ?? {};
  // A line about the address names its predecessors too.
  const left = reason === 'forget-line' ? [] : retiring;
  return { ...clientBase('forget', address), reason, because, objectId: id, retiring: left };
}

function forgetPredecessor(
  address: string,
  id: string,
  { reason, because }: ForgetClient,
): Unordered<ForgetClientStep> {
  return { ...clientBase('forget', address, `forget ${address} (${id})`), reason, because, objectId: id };
}

function buildLinkStep({ link, fate }: LinkDecision): Unordered<LinkStep> | readonly [] {
  const { address, key } = link;
  const base = { kind: key[0], address, key };
  switch (fate.action) {
    case 'delete': {
      const id = 'unmanaged' in fate ? `delete ${address} (${fate.objectId})` : `delete ${address}`;
      return { id, ...base, ...fate };
    }
    case 'adopt':
    case 'create':
    case 'move':
    case 'forget':
      return { id: `${fate.action} ${address}`, ...base, ...fate };
    case 'nothing':
    case 'leave':
    case 'refuse':
      return [];
  }
}
