/** Decides about each OAuth client and its predecessors. The table names the decision, and one function makes it. */
import type { DesiredEntry } from '../../manifest/desired';
import { carriedOver, describeFixed, plainValues } from '../../resources/diff';
import { type FieldValues, type Found, isReference, setMembers } from '../../resources/kind';
import { oauthClient, unlinkedBy } from '../../resources/oauth-client';
import { findDefinition, setFields } from '../../resources/registry';
import { lackingForCreate } from '../../resources/violations';
import type { ClientRecord } from '../ledger/ledger';
import { carriedSets, droppedMembers } from './carried-sets';
import { clientChanges } from './changes';
import {
  type Binding,
  type ClientChanges,
  type ClientDecision,
  type ClientFate,
  type Cost,
  type DeleteClient,
  describePredecessor,
  findSurvivor,
  type Leave,
  leave,
  type PredecessorDecision,
  type Refuse,
  refuse,
} from './decisions';
import type { Facts } from './facts';
import type { NamedLine } from './forget-lines';
import { Matches } from './matches';
import { leftAlone, type Note } from './plan';
import { type ClientCell, clientTable, decide } from './table';

/** Every decision about a client may need these values. */
interface Context {
  readonly facts: Facts;
  readonly bindings: readonly Binding[];
  readonly matches: Matches;
  readonly lines: readonly NamedLine[];
}

/** A fate with the notes that belong to it. */
type Decided = readonly [fate: ClientFate, notes?: readonly Note[]];

/** Decides about each binding alone. What one decision means for links is not its concern. */
export function decideClients(
  facts: Facts,
  bindings: readonly Binding[],
  lines: readonly NamedLine[],
): readonly ClientDecision[] {
  const context = { facts, bindings, matches: new Matches(facts, bindings), lines };
  const decisions = bindings.map((binding) => decideClient(context, binding));
  return decisions.map((decision) => {
    const note = noteSuccessor(facts, decision, decisions);
    return note === undefined ? decision : { ...decision, notes: [...decision.notes, note] };
  });
}

function decideClient(context: Context, binding: Binding): ClientDecision {
  const [fate, notes = []] = decideFate(context, binding);
  const predecessors = decidePredecessors(context, binding, fate);
  const retired = predecessors.map(({ id }) => id);
  return {
    binding,
    fate,
    predecessors,
    droppedCreate: dropCreate(context.facts, binding, fate),
    leaving: [...leavingIds(binding, fate), ...retired],
    notes,
  };
}

function decideFate(context: Context, binding: Binding): Decided {
  const { facts } = context;
  const { address, entry, record, openCreate } = binding;
  const observation = record && facts.observeClient(record);
  const found = observation?.found;
  const unknownName = entry && leaveForName(facts, entry);
  if (unknownName !== undefined) return [unknownName];
  const cell: ClientCell = {
    declared: entry ? 'yes' : facts.isForgotten(address, record?.id) ? 'forget' : 'no',
    recorded: record ? 'yes' : 'no',
    observed: observation?.state ?? 'none',
    idLine: observeIdLine(context, binding),
  };
  switch (decide(clientTable, cell)) {
    case 'compare':
      return entry && found ? compare(context, binding, entry, found) : nothing;
    case 'create':
      return entry && !openCreate ? [create(context, entry)] : nothing;
    case 'adopt':
      return entry ? adopt(facts, entry) : nothing;
    case 'delete':
      return found ? [deleteClient(context, address, found, estimateCost(facts, address, found))] : nothing;
    case 'forget':
      return [{ action: 'forget', reason: 'forget-line', because: whyForgotten(facts, record) }];
    case 'forget gone': {
      const because = `${record?.id} is not there any more`;
      return [{ action: 'forget', reason: 'already-gone', because }];
    }
    case 'refuse: id differs':
      return [refuse('id-conflict', address, describeIdConflict(context, binding), { at: entry?.idAt })];
    case 'refuse: id missing': {
      const message = `${address} is to adopt ${entry?.id}, which does not exist or cannot be seen with this token. Correct the \`id:\` line, or remove it to create a new client.`;
      return [refuse('id-missing', address, message, { at: entry?.idAt })];
    }
    case 'leave alone': {
      const why = observation?.state === 'unknown' ? observation.why : 'its list cannot be read';
      return [leave(address, why, facts.forgetLine(address))];
    }
    case 'nothing':
      return nothing;
  }
}

const nothing: Decided = [{ action: 'nothing' }];

/** Leaves a client alone if an input is a name whose object is unknown. */
function leaveForName({ inputs }: Facts, entry: DesiredEntry): Leave | undefined {
  // A client refers to no other object that Tether manages.
  const name = Object.values(entry.inputs).find(isReference)?.address;
  if (name === undefined) return undefined;
  const why = `it is unknown which object the name ${name} means`;
  return leave(entry.address, why, { at: inputs.manifests.nameReferences.get(name)?.at });
}

function observeIdLine({ facts, matches }: Context, { entry, record }: Binding): ClientCell['idLine'] {
  const id = entry?.id;
  if (id === undefined || id === record?.id || record?.retiring?.includes(id)) return 'none';
  const { state } = facts.observeClient({ id });
  return findHolder(facts, matches, id) !== undefined && state !== 'missing' ? 'held' : state;
}

/** A client that this plan forgets takes the records of its attachments along, so only a later plan adopts it. */
function findHolder({ clientAddresses }: Facts, { holders }: Matches, id: string): string | undefined {
  return holders.get(id) ?? clientAddresses.get(id);
}

function describeIdConflict(
  { facts, bindings, matches }: Context,
  { address, entry, record }: Binding,
): string {
  const id = entry?.id ?? '';
  const owner = findHolder(facts, matches, id);
  if (owner === undefined) {
    return `${address} is ${record?.id} in the ledger, and its \`id:\` line says ${id}. To keep ${record?.id}, remove that line. To manage the other one, forget this one first: remove the entry and its attachments, add \`forget: [${address}]\` and apply.`;
  }
  const ownerRecord = bindings.find((binding) => binding.address === owner)?.record;
  const isRetiring = ownerRecord !== undefined && ownerRecord.id !== id;
  if (facts.isForgotten(owner, id) || (isRetiring && facts.isIdForgotten(id))) {
    return `${id} is managed as ${owner}, so ${address} cannot adopt it yet. This plan forgets it there: apply it, and plan again.`;
  }
  const removal = facts.clientEntries.has(owner) ? 'remove that entry and its attachments, ' : '';
  const first = isRetiring
    ? `add \`forget: [${oauthClient.kind}/${id}]\``
    : `${removal}add \`forget: [${owner}]\``;
  return `${id} is managed as ${owner}, so ${address} cannot adopt it. Remove the \`id:\` line, or forget it there first: ${first} and apply.`;
}

function compare(context: Context, binding: Binding, entry: DesiredEntry, found: Found): Decided {
  const { facts, matches } = context;
  const { address } = entry;
  const claimed = leaveToClaimant(matches, address, found.id);
  if (claimed !== undefined) return [claimed];
  const difference = clientChanges(facts.inputs, entry, found, binding.record?.values);
  const match = matches.noteOther(entry, found);
  const hidden = refuseHidden(entry, difference);
  if (hidden !== undefined) return [hidden, match];
  if (difference.fixed !== undefined) {
    // The address has a create that may still be executed, and is reported for it.
    const fate = binding.openCreate
      ? { action: 'leave' as const }
      : replace(context, binding.record, entry, found, difference);
    return [fate, match];
  }
  const action = difference.changes.length === 0 ? 'keep' : 'update';
  return [{ action, entry, found, difference }, [...match, ...listNotes(address, difference)]];
}

function listNotes(address: string, { notes }: ClientChanges): readonly Note[] {
  return notes.map((message) => ({ address, message }));
}

/** Refuses a client for which the service does not show a declared value. Nothing is written then. */
function refuseHidden({ address, at }: DesiredEntry, { hidden }: ClientChanges): Refuse | undefined {
  if (hidden === null) return undefined;
  return refuse('not-shown', address, leftAlone(address, hidden).message, { at });
}

function replace(
  context: Context,
  record: ClientRecord | undefined,
  entry: DesiredEntry,
  found: Found,
  difference: ClientChanges,
): ClientFate {
  const { facts, matches } = context;
  const { address, at } = entry;
  const givenFields = new Set([...Object.keys(entry.inputs), ...Object.keys(entry.secrets)]);
  const carried = { ...entry, inputs: { ...carriedOver(oauthClient, found.values), ...entry.inputs } };
  const undeclared = Object.keys(record?.digests ?? {}).find((field) => !givenFields.has(field));
  const lost =
    oauthClient.lostOnReplace?.(found.outputs, givenFields) ??
    (undeclared ? `the new client lacks the ${undeclared} of the old one, which no line declares` : null);
  const hasNoSecrets = Object.keys(entry.secrets).length === 0;
  const lacking =
    lackingForCreate(oauthClient, carried, facts.inputs.manifests.profile) ?? (hasNoSecrets ? lost : null);
  if (lacking !== null) {
    const message = `${address} must be replaced, and no secret can be read from the old client: ${lacking}. Declare the secret, or undo the change.`;
    return refuse('secret-needed', address, message, { at });
  }
  const byId = facts.entries.find(({ inputs }) => Object.values(inputs).includes(found.id));
  if (byId !== undefined) {
    const message = `${address} must be replaced, and ${byId.address} names it by the id ${found.id}, which its successor does not have. Name it by its address there.`;
    return refuse('named-by-id', address, message, { at: byId.at });
  }
  const sent = { ...plainValues(carried.inputs), ...carriedSets(facts, entry, found) };
  const doubt = leaveForLine(context, address, found, sent);
  if (doubt !== undefined) return doubt;
  const verdict = matches.judge(entry, sent, found.id);
  if (verdict.action !== 'make') return verdict;
  // A forgotten client stays, so nobody loses it.
  const { risks, affected } = facts.isIdForgotten(found.id)
    ? noCost
    : estimateCost(facts, address, found, { ...found, values: sent });
  return {
    action: 'replace',
    entry,
    found,
    difference,
    sent,
    affected,
    existing: verdict.existing,
    risks: [...risks, ...difference.risks, ...(lost === null ? [] : [lost])],
  };
}

const noCost: Cost = { risks: [], affected: [] };

/** Leaves a client alone if its successor would lack an attachment that a misspelt `forget` line may mean. */
function leaveForLine(
  { facts, lines }: Context,
  address: string,
  { id, values }: Found,
  sent: FieldValues,
): Leave | undefined {
  for (const { field, kind, end, far } of setFields) {
    const line = lines.find((candidate) => candidate.names === 'nothing' && candidate.kind === kind);
    const kept = setMembers(sent[field]);
    const dropped = setMembers(values[field]).find((member) => !kept.includes(member));
    if (line === undefined || dropped === undefined) continue;
    const owners = new Map([[id, address]]);
    const lost = facts.linkAddress(findDefinition(kind), { [end]: id, [far]: dropped }, owners);
    const why = `the line \`forget: [${line.text}]\` names nothing, and may mean ${lost}, which the new client would lack`;
    return leave(address, why, { at: line.at });
  }
  return undefined;
}

function create({ facts, matches }: Context, entry: DesiredEntry): ClientFate {
  const { address, at } = entry;
  const lacking = lackingForCreate(oauthClient, entry, facts.inputs.manifests.profile);
  if (lacking !== null) return refuse('missing-fields', address, `${lacking}.`, { at });
  const sent = plainValues(entry.inputs);
  const verdict = matches.judge(entry, sent);
  return verdict.action === 'make' ? { action: 'create', entry, existing: verdict.existing } : verdict;
}

function adopt(facts: Facts, entry: DesiredEntry): Decided {
  const { id = '', address } = entry;
  const { found } = facts.observeClient({ id });
  if (found === undefined) return nothing;
  const difference = clientChanges(facts.inputs, entry, found);
  if (difference.fixed !== undefined) {
    const { field } = difference.fixed;
    const message = `${address} cannot adopt ${id}: ${describeFixed([field], found)}. Correct the manifest, or remove the \`id:\` line to create a new client.`;
    return [refuse('cannot-adopt', address, message, { at: entry.fieldsAt[field] ?? entry.at })];
  }
  const hidden = refuseHidden(entry, difference);
  if (hidden !== undefined) return [hidden];
  return [{ action: 'adopt', entry, found, difference }, listNotes(address, difference)];
}

function whyForgotten(facts: Facts, { id = '', retiring = [] }: Partial<ClientRecord> = {}): string {
  const { length } = [...facts.recordedLinks.values()].filter(({ ends }) => Object.values(ends).includes(id));
  const links = length === 0 ? [] : [length === 1 ? 'its link' : `its ${length} links`];
  const others = [...links, ...retiring].join(' and ');
  return `a \`forget\` line names it${others && `, so ${others} will not be managed either`}`;
}

/** If the `id:` line of another address names the object, the ledger disagrees, and the object is left alone. */
function leaveToClaimant({ claimed }: Matches, address: string, id: string): Leave | undefined {
  const claimant = claimed.get(id);
  if (claimant === undefined || claimant === address) return undefined;
  const subject = `${id}, which belongs to ${address},`;
  return leave(address, `the \`id:\` line of ${claimant} names it`, { subject });
}

function deleteClient({ matches }: Context, address: string, found: Found, cost: Cost): DeleteClient | Leave {
  return leaveToClaimant(matches, address, found.id) ?? { action: 'delete', found, ...cost };
}

/** Decides about the earlier ids of an address. They are deleted once their successor exists. */
function decidePredecessors(
  context: Context,
  { address, entry, record }: Binding,
  fate: ClientFate,
): readonly PredecessorDecision[] {
  const { facts } = context;
  if (facts.isForgotten(address, record?.id)) return [];
  const hasSuccessor = entry === undefined || findSurvivor(fate) !== undefined;
  const successor = entry && record && facts.observeClient(record).found;
  const retiring = (record?.retiring ?? []).map((id): PredecessorDecision => {
    const observation = facts.observeClient({ id });
    const subject = describePredecessor(id, address);
    if (facts.isIdForgotten(id)) return { id, fate: forgottenPredecessor };
    if (observation.state === 'missing') {
      const because = `${subject} no longer exists`;
      return { id, fate: { action: 'forget', reason: 'already-gone', because } };
    }
    if (observation.state === 'unknown') {
      const line = `forget: [${oauthClient.kind}/${id}]`;
      return { id, fate: leave(address, observation.why, { line, subject }) };
    }
    if (!hasSuccessor) return { id, fate: leave(address, `${address} is left alone`, { subject }) };
    const { found } = observation;
    const cost = estimateCost(facts, address, found, successor);
    return { id, fate: deleteClient(context, address, found, cost) };
  });
  if (fate.action !== 'replace') return retiring;
  // The replacement itself shows the risks.
  const cost = { ...noCost, affected: fate.affected };
  const { found } = fate;
  const isForgotten = facts.isIdForgotten(found.id);
  const end = isForgotten ? forgottenPredecessor : deleteClient(context, address, found, cost);
  return [{ id: found.id, fate: end }, ...retiring];
}

const forgottenPredecessor = {
  action: 'forget',
  reason: 'forget-line',
  because: 'a `forget` line names it',
} as const;

/** A new create replaces a pending one. */
function dropCreate(facts: Facts, { address, whyDropped }: Binding, { action }: ClientFate) {
  if (whyDropped === undefined || action === 'create' || action === 'replace') return undefined;
  const reason = facts.isForgotten(address) ? 'forget-line' : 'nothing-made';
  return { reason, because: whyDropped } as const;
}

/** Returns the recorded ids that the address no longer has when the plan is done. */
function leavingIds({ record }: Binding, fate: ClientFate): readonly string[] {
  switch (fate.action) {
    case 'create':
    case 'adopt':
    case 'delete':
      return record ? [record.id] : [];
    case 'forget':
      return record ? [record.id, ...(fate.reason === 'forget-line' ? (record.retiring ?? []) : [])] : [];
    case 'nothing':
    case 'leave':
    case 'refuse':
    case 'keep':
    case 'update':
    case 'replace':
      return [];
  }
}

/** Notes a new client with the provider, and the name or both URLs, of an undeclared one: it may be renamed and edited. */
function noteSuccessor(
  facts: Facts,
  { binding, fate }: ClientDecision,
  decisions: readonly ClientDecision[],
): Note | undefined {
  if (fate.action !== 'delete' || facts.approval('destroy', binding.address, fate.found.id).given)
    return undefined;
  const { id, values } = fate.found;
  const successor = decisions
    .flatMap((decision) => (decision.fate.action === 'create' ? decision.fate.entry : []))
    .find(({ inputs }) => {
      const isSame = (field: string) => values[field] !== undefined && inputs[field] === values[field];
      const isAlike = isSame('name') || ['httpUrl', 'apiUrl'].every(isSame);
      return isSame('serviceProvider') && isAlike;
    });
  if (successor === undefined) return undefined;
  const old = binding.address;
  const message = `If this is ${old} under a new address, add \`id: ${id}\` to its entry. Otherwise this plan creates a second client, and ${old} is to be destroyed.`;
  return { address: successor.address, message };
}

/** Says who loses a client with its delete. `successor` is the client that the address has then, if there is one. */
function estimateCost(facts: Facts, address: string, old: Found, successor?: Found): Cost {
  const workspaces = facts.inputs.affected?.[old.id];
  const { count = 0, names = [] } = workspaces ?? {};
  const projects = droppedMembers(facts, address, old, successor);
  const projectNames = projects.map((id) => facts.shown(id)).join(', ');
  const risk =
    successor === undefined
      ? `${projectNames} can no longer use it`
      : `attached to ${old.id}, and not to the client that stays: ${projectNames}`;
  const owners = new Map([[old.id, address]]);
  const isForgotten = ({ kind, end, far }: (typeof setFields)[number]) =>
    projects.some((id) => facts.isLinkForgotten(findDefinition(kind), { [end]: old.id, [far]: id }, owners));
  const lines = setFields.some(isForgotten) ? ', whatever a `forget` line says of their attachments' : '';
  return {
    risks: [unlinkedBy(workspaces), ...(projects.length === 0 ? [] : [risk + lines])],
    // The service may choose other names if it does not give all of them.
    affected: [...projects, ...(count > names.length ? [`${count} workspaces`] : names)],
  };
}
