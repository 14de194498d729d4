/** Plans the OAuth clients. The table decides, and one function builds the steps of each decision. */
import type { DesiredEntry } from '../../manifest/desired';
import { carriedOver, describeFixed, isAsCreated, plainValues } from '../../resources/diff';
import { type Found, isReference, sameValue } from '../../resources/kind';
import { oauthClient, unlinkedBy } from '../../resources/oauth-client';
import { findDefinition, setFields } from '../../resources/registry';
import { lackingForCreate } from '../../resources/violations';
import type { LedgerObject } from '../ledger/ledger';
import type { Bound } from './bind';
import { carriedSets, droppedMembers } from './carried-sets';
import { type ClientChanges, clientChanges } from './changes';
import type { Draft, StepDetails } from './draft';
import type { Facts } from './facts';
import { Matches } from './matches';
import type { Action, Step } from './plan';
import { type ClientCell, clientTable, decide } from './table';

export function planClients(facts: Facts, draft: Draft, all: readonly Bound[]): void {
  const planner = new ClientPlanner(facts, draft, all);
  for (const bound of all) planner.plan(bound);
}

class ClientPlanner {
  /** The addresses that hold recorded and retiring ids. */
  private readonly holders = new Map<string, string>();
  private readonly matches: Matches;

  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
    private readonly all: readonly Bound[],
  ) {
    for (const { address, record } of all) {
      if (record === undefined || facts.isForgotten(address)) continue;
      for (const id of [record.id, ...(record.retiring ?? [])]) this.holders.set(id, address);
    }
    const retiring = new Set(all.flatMap(({ record }) => record?.retiring ?? []));
    this.matches = new Matches(facts, draft, this.holders, retiring);
  }

  plan(bound: Bound): void {
    const { draft } = this;
    const { address, record, dropped } = bound;
    this.decide(bound);
    this.retire(bound);
    if (record !== undefined && !draft.clients.has(address)) draft.waiting.set(record.id, address);
    // A new create replaces a pending one, and a `forget` line ends it with the recorded client.
    const isForgotten = this.facts.isForgotten(address);
    if (!dropped || draft.clients.get(address)?.made || (record && isForgotten)) return;
    const reason = isForgotten ? 'forget-line' : 'nothing-made';
    const details = { id: `drop pending ${address}`, reason, because: dropped, needs: [] } as const;
    draft.addClientStep('forget', address, details);
  }

  private decide(bound: Bound): void {
    const { address, entry, record, open } = bound;
    const observation = record && this.facts.observeClient(record);
    const found = observation?.found;
    if (entry !== undefined && this.waitsForName(entry)) return;
    const cell: ClientCell = {
      declared: entry ? 'yes' : this.facts.isForgotten(address) ? 'forget' : 'no',
      recorded: record ? 'yes' : 'no',
      observed: observation?.state ?? 'none',
      idLine: this.idLine(bound),
    };
    switch (decide(clientTable, cell)) {
      case 'compare':
        if (entry && found && !this.leavesToClaimant(address, found.id)) this.compare(bound, entry, found);
        return;
      case 'create':
        if (entry && !open) this.create(bound, entry);
        return;
      case 'adopt':
        if (entry) this.adopt(bound, entry);
        return;
      case 'delete':
        if (found) {
          const approval = this.facts.approval('destroy', address, found.id);
          if (!approval.given) this.noteSuccessor(address, found);
          this.delete(address, found, { ...this.facts.whyDeleted, approval, ...this.cost(address, found) });
        }
        return;
      case 'forget':
        this.forget(bound, 'forget-line', this.whyForgotten(record));
        return;
      case 'forget gone':
        this.forget(bound, 'already-gone', `${record?.id} is not there any more`);
        return;
      case 'refuse: id differs':
        this.refuseId(bound);
        return;
      case 'refuse: id missing':
        this.draft.problems.push({
          rule: 'id-missing',
          address,
          message: `${address} is to adopt ${entry?.id}, which does not exist or cannot be seen with this token. Correct the \`id:\` line, or remove it to create a new client.`,
          at: entry?.idAt,
        });
        return;
      case 'leave alone': {
        const why = observation?.state === 'unknown' ? observation.why : 'its list cannot be read';
        this.draft.leaveAlone(address, why, this.facts.forgetLine(address));
      }
    }
  }

  /** True if an input is a name whose object is unknown. */
  private waitsForName({ address, inputs }: DesiredEntry): boolean {
    // A client refers to no other object that Tether manages.
    const name = Object.values(inputs).find(isReference)?.address;
    if (name === undefined) return false;
    const { nameReferences: names } = this.facts.inputs.manifests;
    const why = `it is unknown which object the name ${name} means`;
    this.draft.leaveAlone(address, why, { at: names.get(name)?.at });
    return true;
  }

  private idLine({ entry, record }: Bound): ClientCell['idLine'] {
    const id = entry?.id;
    if (id === undefined || id === record?.id || record?.retiring?.includes(id)) return 'none';
    if (this.holders.has(id)) return 'held';
    return this.facts.observeClient({ id }).state;
  }

  private refuseId({ address, entry, record }: Bound): void {
    const owner = this.holders.get(entry?.id ?? '');
    const held = this.all.find((one) => one.address === owner)?.record;
    const isRetiring = held !== undefined && held.id !== entry?.id;
    const first = isRetiring
      ? `add \`forget: [${oauthClient.kind}/${entry?.id}]\``
      : `remove that entry and its attachments, add \`forget: [${owner}]\``;
    const message =
      owner === undefined
        ? `${address} is ${record?.id} in the ledger, and its \`id:\` line says ${entry?.id}. To keep ${record?.id}, remove that line. To manage the other one, forget this one first: remove the entry and its attachments, add \`forget: [${address}]\` and apply.`
        : `${entry?.id} is managed as ${owner}, so ${address} cannot adopt it. Remove the \`id:\` line, or forget it there first: ${first} and apply.`;
    this.draft.problems.push({ rule: 'id-conflict', address, message, at: entry?.idAt });
  }

  private compare(bound: Bound, entry: DesiredEntry, found: Found): void {
    const { address } = entry;
    const difference = clientChanges(this.facts, entry, found, bound.record?.values);
    this.matches.noteOther(entry, found);
    if (this.isHidden(entry, difference)) return;
    if (difference.fixed !== undefined) {
      if (!bound.open) this.replace(bound, entry, found, difference);
      return;
    }
    for (const message of difference.notes) this.draft.notes.push({ address, message });
    this.draft.clients.set(address, { id: found.id });
    if (difference.changes.length === 0) this.keepValues(bound, entry, found);
    else this.change('update', entry, found, difference);
  }

  /** True if the service does not show a declared value. Nothing is written then. */
  private isHidden({ address, at }: DesiredEntry, { hidden }: ClientChanges): boolean {
    if (hidden === null) return false;
    const message = `${address} is left alone, because ${hidden}.`;
    this.draft.problems.push({ rule: 'not-shown', address, message, at });
    return true;
  }

  /**
   * Records the values of declared fields, and no others. Somebody else may have written one before a line declared it, and a line may
   * have gone.
   */
  private keepValues({ address, record }: Bound, { inputs }: DesiredEntry, { id }: Found): void {
    const { organization: _, ...values } = plainValues(inputs);
    const recorded = record?.values ?? {};
    const fields = Object.keys({ ...recorded, ...values });
    const isRecorded = fields.every((field) => sameValue(values[field], recorded[field]));
    if (!isRecorded) this.draft.toRecord.push({ address, objectId: id, values });
  }

  /** Plans an update of the fields that can change in place. */
  private change(
    action: Action,
    { address, inputs, secrets }: DesiredEntry,
    found: Found,
    { changes, reason, because }: Pick<Step, 'changes' | 'reason' | 'because'>,
    more: Partial<Step> = {},
  ): void {
    const changed = changes.map(({ field }) => field);
    this.draft.addClientStep(action, address, {
      ...{ reason, because, changes },
      objectId: found.id,
      inputs: pick(plainValues(inputs), changed),
      secrets: pick(secrets, changed),
      values: plainValues(inputs),
      observed: found.values,
      risks: risksOf(changes),
      ...more,
    });
  }

  private replace(
    { address, record }: Bound,
    entry: DesiredEntry,
    found: Found,
    { changes, reason, because }: ClientChanges,
  ): void {
    const { facts } = this;
    const given = new Set([...Object.keys(entry.inputs), ...Object.keys(entry.secrets)]);
    const carried = { ...entry, inputs: { ...carriedOver(oauthClient, found.values), ...entry.inputs } };
    const undeclared = Object.keys(record?.digests ?? {}).find((field) => !given.has(field));
    const lost =
      oauthClient.lostOnReplace?.(found.outputs, given) ??
      (undeclared ? `the new client lacks the ${undeclared} of the old one, which no line declares` : null);
    const isUnconnected = Object.keys(entry.secrets).length === 0;
    const lacking =
      lackingForCreate(oauthClient, carried, facts.inputs.manifests.profile) ?? (isUnconnected ? lost : null);
    if (lacking !== null) {
      const message = `${address} must be replaced, and no secret can be read from the old client: ${lacking}. Declare the secret, or undo the change.`;
      this.draft.problems.push({ rule: 'secret-needed', address, message, at: entry.at });
      return;
    }
    const byId = facts.entries.find(({ inputs }) => Object.values(inputs).includes(found.id));
    if (byId !== undefined) {
      const message = `${address} must be replaced, and ${byId.address} names it by the id ${found.id}, which its successor does not have. Name it by its address there.`;
      this.draft.problems.push({ rule: 'named-by-id', address, message, at: byId.at });
      return;
    }
    const sets = carriedSets(facts, entry, found);
    const sent = { ...plainValues(carried.inputs), ...sets };
    const existing = this.matches.allowed(entry, sent, found.id);
    if (existing === null) return;
    const { risks, affected } = this.cost(address, found, { ...found, values: sent });
    this.make('replace', entry, {
      ...{ changes, reason, because, existing },
      objectId: found.id,
      inputs: sent,
      observed: found.values,
      retiring: [...(record?.retiring ?? []), found.id],
      approval: facts.approval('replace', address, found.id),
      risks: [
        ...risks,
        ...risksOf(changes),
        ...(lost === null ? [] : [lost]),
        ...unseenRisks(carried, found),
      ],
      affected,
    });
    // The replace step shows the risks.
    this.deleteOld(address, found, { risks: [], affected });
  }

  private create({ address, record }: Bound, entry: DesiredEntry): void {
    const { facts, draft } = this;
    const lacking = lackingForCreate(oauthClient, entry, facts.inputs.manifests.profile);
    if (lacking !== null) {
      draft.problems.push({ rule: 'missing-fields', address, message: `${lacking}.`, at: entry.at });
      return;
    }
    const sent = plainValues(entry.inputs);
    const equal = this.all.find(({ open }) => open && isAsCreated(oauthClient, sent, open));
    if (equal !== undefined) {
      const message = `${address} is not created yet: the answer to the create of ${equal.address}, which is equal, was lost, and the service may still execute it. Run the same command again in two minutes.`;
      draft.problems.push({ rule: 'create-pending', address, message, at: entry.at });
      return;
    }
    const existing = this.matches.allowed(entry, sent);
    if (existing === null) return;
    if (record !== undefined) this.draft.leaving.set(record.id, address);
    const because = record
      ? `${record.id} is not there any more (not in the list; GET returned 404)`
      : 'in the manifest, not on the service yet';
    const { inputs } = entry;
    const retiring = record?.retiring ?? [];
    this.make('create', entry, { reason: record ? 'gone' : 'new', because, inputs, existing, retiring });
  }

  private make(action: 'create' | 'replace', entry: DesiredEntry, details: StepDetails): void {
    const { address, inputs, secrets } = entry;
    const more = { secrets, values: plainValues(inputs) };
    const made = this.draft.addClientStep(action, address, { ...more, ...details });
    this.draft.clients.set(address, { made });
  }

  private adopt({ address, record }: Bound, entry: DesiredEntry): void {
    const { facts, draft } = this;
    const { id = '' } = entry;
    const { found } = facts.observeClient({ id });
    if (found === undefined) return;
    const difference = clientChanges(facts, entry, found);
    const { changes, fixed, notes } = difference;
    if (fixed !== undefined) {
      const { field } = fixed;
      const message = `${address} cannot adopt ${id}: ${describeFixed([field], found)}. Correct the manifest, or remove the \`id:\` line to create a new client.`;
      draft.problems.push({ rule: 'cannot-adopt', address, message, at: entry.fieldsAt[field] ?? entry.at });
      return;
    }
    if (this.isHidden(entry, difference)) return;
    if (record !== undefined) this.draft.leaving.set(record.id, address);
    for (const message of notes) draft.notes.push({ address, message });
    this.draft.clients.set(address, { id });
    const effect = changes.length === 0 ? '' : ', and what differs will be written';
    const because = `${id} exists and the manifest names it${effect}`;
    const why = { changes, reason: 'found', because } as const;
    const more = { createdAt: String(found.outputs.createdAt), retiring: record?.retiring ?? [] };
    this.change('adopt', entry, found, why, more);
  }

  private whyForgotten({ id = '', retiring = [] }: LedgerObject = {}): string {
    const { length } = [...this.facts.recordedLinks.values()].filter(({ ends }) =>
      Object.values(ends).includes(id),
    );
    const links = length === 0 ? [] : [length === 1 ? 'its link' : `its ${length} links`];
    const others = [...links, ...retiring].join(' and ');
    return `a \`forget\` line names it${others && `, so ${others} will not be managed either`}`;
  }

  private forget({ address, record }: Bound, reason: Step['reason'], because: string): void {
    if (record === undefined) return;
    const { id, retiring = [] } = record;
    const isByLine = reason === 'forget-line';
    for (const one of isByLine ? [id, ...retiring] : [id]) this.draft.leaving.set(one, address);
    const left = isByLine ? [] : retiring;
    this.draft.addClientStep('forget', address, { objectId: id, reason, because, retiring: left });
  }

  private delete(address: string, { id, values }: Found, details: StepDetails): void {
    this.draft.leaving.set(id, address);
    if (this.leavesToClaimant(address, id)) return;
    this.draft.addClientStep('delete', address, { objectId: id, observed: values, ...details });
  }

  /** Notes a new client with the provider, and the name or both URLs, of an undeclared one: it may be renamed and edited. */
  private noteSuccessor(old: string, { id, values }: Found): void {
    const successor = this.draft.steps.find(({ action, inputs }) => {
      const isSame = (field: string) => values[field] !== undefined && inputs[field] === values[field];
      const isAlike = isSame('name') || ['httpUrl', 'apiUrl'].every(isSame);
      return action === 'create' && isSame('serviceProvider') && isAlike;
    });
    if (successor === undefined) return;
    const message = `If this is ${old} under a new address, add \`id: ${id}\` to its entry. Otherwise this plan creates a second client, and ${old} is to be destroyed.`;
    this.draft.notes.push({ address: successor.address, message });
  }

  /** If the `id:` line of another address names the object, the ledger disagrees, and the object is left alone. */
  private leavesToClaimant(address: string, id: string): boolean {
    const claimant = this.matches.claimed.get(id);
    if (claimant === undefined || claimant === address) return false;
    const message = `${id}, which belongs to ${address}, is left alone, because the \`id:\` line of ${claimant} names it.`;
    this.draft.unknown.push({ address, message });
    return true;
  }

  /** Plans the deletes of an address's predecessors, once their successor exists. */
  private retire({ address, entry, record }: Bound): void {
    const { facts, draft } = this;
    if (facts.isForgotten(address)) return;
    const hasSuccessor = entry === undefined || this.draft.clients.has(address);
    const successor = entry && record && facts.observeClient(record).found;
    for (const old of record?.retiring ?? []) {
      draft.leaving.set(old, address);
      const observation = facts.observeClient({ id: old });
      const line = `${oauthClient.kind}/${old}`;
      const id = `forget ${address} (${old})`;
      if (facts.isIdForgotten(old)) {
        const because = 'a `forget` line names it';
        draft.addClientStep('forget', address, { id, objectId: old, reason: 'forget-line', because });
      } else if (observation.state === 'missing') {
        const because = `${old}, the predecessor of ${address}, no longer exists`;
        draft.addClientStep('forget', address, { id, objectId: old, reason: 'already-gone', because });
      } else if (observation.state === 'unknown') {
        const message = `${old}, the predecessor of ${address}, is left alone, because ${observation.why}.`;
        draft.unknown.push({ address, message, line: `forget: [${line}]` });
      } else if (hasSuccessor) {
        this.deleteOld(address, observation.found, this.cost(address, observation.found, successor));
      } else {
        const message = `${old}, the predecessor of ${address}, is left alone, because ${address} is left alone.`;
        draft.unknown.push({ address, message });
      }
    }
  }

  private deleteOld(address: string, old: Found, cost: Pick<StepDetails, 'risks' | 'affected'>): void {
    this.delete(address, old, {
      id: `delete ${address} (${old.id})`,
      reason: 'replaced',
      because: `${old.id} is replaced by another client`,
      approval: this.facts.approval('replace', address, old.id, 'destroy'),
      ...cost,
    });
  }

  /** Says who loses a client with its delete. `successor` is the client that the address has then, if there is one. */
  private cost(address: string, old: Found, successor?: Found) {
    const { facts } = this;
    const workspaces = facts.inputs.affected?.[old.id];
    const { count = 0, names = [] } = workspaces ?? {};
    const projects = droppedMembers(facts, address, old, successor);
    const shown = projects.map((id) => facts.shown(id)).join(', ');
    const risk =
      successor === undefined
        ? `${shown} can no longer use it`
        : `attached to ${old.id}, and not to the client that stays: ${shown}`;
    const owners = new Map([[old.id, address]]);
    const isForgotten = ({ kind, end, far }: (typeof setFields)[number]) =>
      projects.some((id) =>
        facts.isLinkForgotten(findDefinition(kind), { [end]: old.id, [far]: id }, owners),
      );
    const lines = setFields.some(isForgotten) ? ', whatever a `forget` line says of their attachments' : '';
    return {
      risks: [unlinkedBy(workspaces), ...(projects.length === 0 ? [] : [risk + lines])],
      // The service may choose other names if it does not give all of them.
      affected: [...projects, ...(count > names.length ? [`${count} workspaces`] : names)],
    };
  }
}

function risksOf(changes: Step['changes']): readonly string[] {
  return [...new Set(changes.flatMap(({ risk }) => risk ?? []))];
}

/** Names what the successor gets by default, because the service does not show what the old client has. */
function unseenRisks({ inputs }: DesiredEntry, { id, values }: Found): readonly string[] {
  const unseen = Object.entries(oauthClient.fields).flatMap(([name, { writeOnly, manifestName }]) =>
    writeOnly || name in values || name in inputs ? [] : [manifestName ?? name],
  );
  if (unseen.length === 0) return [];
  return [
    `the service does not show ${unseen.join(', ')} of ${id}, so the new client has the API's defaults there`,
  ];
}

function pick<Value>(values: Readonly<Record<string, Value>>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
