/** Decides which deletes wait for other steps, and which are not planned because of a declared object that is left alone. */
import { groupBy } from '../../resources/groups';
import { setMembers } from '../../resources/kind';
import { toAddress } from '../../resources/names';
import { oauthClient } from '../../resources/oauth-client';
import { findDefinition, setFields } from '../../resources/registry';
import type { Draft, DraftStep } from './draft';
import type { Facts } from './facts';
import { holdingMessage, type NamedLine } from './forget-lines';
import { endsOf, keyOf, keyText, type LedgerKey, type PlannedChange, type Step } from './plan';
import { makeRoom } from './room';

/** An object that ends with a delete: that of the step, or an attachment that no successor of its client has. */
interface Ending {
  readonly step: DraftStep;
  readonly key: LedgerKey;
}

export class Waits {
  /** The addresses of declared links that are left alone or not created. No link with such an end is deleted. */
  private readonly heldAt = new Map<string, string>();

  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
    private readonly lines: readonly NamedLine[],
  ) {}

  /**
   * Keeps every link that has an end in common with this one, which is left alone. An end that is not known is empty. A client that is to
   * be made has its address instead of an id.
   */
  hold(key: LedgerKey, address: string): void {
    for (const end of endNames(key)) this.heldAt.set(end, address);
  }

  /** Returns the reason why an object is not deleted. */
  private whyKept(ending: Ending): string | undefined {
    const { key } = ending;
    const line = this.lines.find((one) => mayMean(one, ending));
    if (line) return `the line \`forget: [${line.address}]\` names nothing, and may mean it`;
    const [other] = endNames(key).flatMap((end) => this.heldAt.get(end) ?? []);
    if (other !== undefined) return `${other}, which has an end in common with it, is left alone`;
    if (!this.facts.isLink(key[0])) return this.whyClientsStay();
    if (this.facts.unknownNames.length === 0) return undefined;
    return 'a name in the manifests is unknown, and may mean one of its ends';
  }

  /** Returns a declared client that does not exist and is not made. The undeclared ones may be needed until it is. */
  private whyClientsStay(): string | undefined {
    const { facts, draft } = this;
    const present = [...draft.waiting].filter(([id]) => facts.observeClient({ id }).found);
    const addresses = new Set([...draft.clients.keys(), ...present.map(([, address]) => address)]);
    const lacking = [...facts.clientEntries.keys()].find((address) => !addresses.has(address));
    if (lacking === undefined) return undefined;
    return `${lacking} is declared and cannot be made or seen now: solve that first, or take ${lacking} out of the manifests`;
  }

  /** A delete waits for creates of links that have an end in common with it, unless it has to make room for one. */
  orderDeletes(): void {
    const all = this.endings(new Set());
    for (const line of this.lines) {
      const meant = all.filter((ending) => mayMean(line, ending)).flatMap(spellings);
      if (meant.length === 0) continue;
      this.draft.unknown.push({ address: line.address, message: holdingMessage(line, meant), at: line.at });
    }
    this.drop(this.keptEndings(all));
    const { makers, refused } = makeRoom(this.facts, this.draft);
    for (const { key, address } of refused) {
      const definition = findDefinition(key[0]);
      // Deletes at a full target make the room that it lacks.
      const others = { ...endsOf(definition, key), [definition.edge?.to ?? '']: '' };
      this.hold(keyOf(definition, others), address);
    }
    const ending = this.endings(makers);
    this.drop([...this.keptEndings(ending), ...this.keptClients()]);
    const byEnd = groupBy(
      ending.flatMap(({ step, key }) => endNames(key).map((end) => ({ end, step }))),
      ({ end }) => end,
    );
    for (const { action, id, key } of this.draft.steps) {
      if (action !== 'create' && action !== 'move') continue;
      const waiting = endNames(key).flatMap((end) => byEnd.get(end) ?? []);
      for (const { step } of waiting) step.needs.push(id);
    }
    this.orderClients();
  }

  /** Clients are deleted after everything else, and only if all new ones were made. */
  private orderClients(): void {
    const { steps } = this.draft;
    const clientSteps = steps.filter(({ kind }) => !this.facts.isLink(kind));
    const deletes = clientSteps.filter(({ action }) => action === 'delete');
    const made = clientSteps.filter(({ action }) => action === 'create' || action === 'replace');
    // A step that only drops an entry may need the delete before it at that address.
    const before = steps.filter((step) => step.action !== 'forget' && !deletes.includes(step));
    for (const step of deletes) {
      step.needs = [...new Set([...step.needs, ...made.map(({ id }) => id)])];
      step.after = before.map(({ id }) => id);
    }
  }

  /** Finds the deletes of objects that must stay, and of their clients. Returns the reasons. */
  private keptEndings(ending: readonly Ending[]) {
    return ending.flatMap((object) => {
      const { step, key } = object;
      const why = this.whyKept(object);
      if (why === undefined) return [];
      return [[step, step.key === key ? why : `one of its links is kept: ${why}`] as const];
    });
  }

  /** Finds the steps that reduce the access to a client while a declared attachment of it is left alone. Returns the reasons. */
  private keptClients() {
    const { draft } = this;
    return draft.steps.flatMap((step) => {
      if (!reducesAccess(step)) return [];
      const id = draft.clients.get(step.address)?.id ?? step.address;
      const [other] = setFields.flatMap(({ kind, end }) => this.heldAt.get(endName(kind, end, id)) ?? []);
      return other === undefined ? [] : [[step, `${other}, an attachment of it, is left alone`] as const];
    });
  }

  private drop(all: readonly (readonly [DraftStep, string])[]): void {
    const { draft } = this;
    const kept = new Map(all);
    for (const [{ address, action, reason, unmanaged, objectId = '' }, why] of kept) {
      const who = reason === 'replaced' ? `${objectId}, the predecessor of ${address},` : address;
      if (!unmanaged) draft.unknown.push({ address, message: `${who} is left alone, because ${why}.` });
      if (action === 'delete') draft.leaving.delete(objectId);
    }
    draft.steps = draft.steps.filter((step) => !kept.has(step));
    const dropped = new Set([...kept.keys()].map(({ id }) => id));
    for (const step of draft.steps) step.needs = step.needs.filter((id) => !dropped.has(id));
  }

  /** Returns the deleted objects, except those that make room. A client's delete ends the links that no successor has. */
  private endings(makers: ReadonlySet<string>): readonly Ending[] {
    const { draft, facts } = this;
    return draft.steps.flatMap((step): readonly Ending[] => {
      if (step.action !== 'delete' || makers.has(step.id)) return [];
      const own = { step, key: step.key };
      if (facts.isLink(step.kind)) return [own];
      const links = setFields.flatMap(({ field, kind, end, far }) => {
        const members = setMembers(step.observed?.[field]).filter((one) => step.affected?.includes(one));
        const definition = findDefinition(kind);
        const lost = members.map((member) => ({ [end]: step.objectId ?? '', [far]: member }));
        const unforgotten = lost.filter((ends) => !facts.isLinkForgotten(definition, ends));
        return unforgotten.map((ends) => ({ step, key: keyOf(definition, ends) }));
      });
      return [own, ...links];
    });
  }
}

/** Returns the forms in which a `forget` line names a deleted object. The address of a predecessor names its successor. */
function spellings({ step: { address, objectId = '', reason }, key }: Ending): readonly string[] {
  const isClient = key[0] === oauthClient.kind;
  const byId = isClient ? toAddress(oauthClient, objectId) : keyText(key);
  return reason === 'replaced' ? [byId] : [address, byId];
}

/** True if a `forget` line names nothing, and may be a misspelt one of this object. */
function mayMean({ kind, names }: NamedLine, { step, key }: Ending): boolean {
  // Attachments end with a destroyed client, whatever a line says.
  return names === 'nothing' && kind === key[0] && (step.kind === kind || step.reason === 'replaced');
}

/** True if a step gives an existing client that scope. */
export function setsScope({ action, changes }: Step, scope: boolean): boolean {
  const isScope = ({ field, to }: PlannedChange) => oauthClient.fields[field]?.isScope && to === scope;
  return action !== 'replace' && changes.some(isScope);
}

/** True if a step narrows a client or deletes its predecessor. Its attachments must exist before that. */
export function reducesAccess(step: Step): boolean {
  return (step.action === 'delete' && step.reason === 'replaced') || setsScope(step, false);
}

export function endName(kind: string, field: string, id: string | undefined): string {
  return `${kind} ${field} ${id}`;
}

export function endNames([kind, ...ids]: LedgerKey): readonly string[] {
  return findDefinition(kind).pair.map((field, index) => endName(kind, field, ids[index]));
}
