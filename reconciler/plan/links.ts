/** Plans the links: declared ones, undeclared recorded ones, and those that exact sets do not list. */
import type { DesiredEntry, ExactSet } from '../../manifest/desired';
import type { Observation } from '../../observation/evidence';
import {
  type DesiredValues,
  type Found,
  isReference,
  type Key,
  type ResourceDefinition,
} from '../../resources/kind';
import { findDefinition } from '../../resources/registry';
import type { LedgerObject } from '../ledger/ledger';
import type { Draft, StepDetails } from './draft';
import type { Facts } from './facts';
import { type NamedLine, nameLines, noteIdleLines } from './forget-lines';
import { type Action, endsOf, keyOf, keyText, type LedgerKey, parseKey, type Step } from './plan';
import { decide, type LinkCell, linkTable } from './table';
import { endName, endNames, reducesAccess, setsScope, Waits } from './waits';

/** An end of a declared link has an id, or this plan makes its client. If it is unclear, there is a reason, and perhaps no client. */
interface End {
  readonly id?: string;
  readonly made?: Step;
  readonly why?: string;
  readonly cause?: string;
}

/** An exact set whose fixed end has an id. */
interface KnownSet extends ExactSet {
  readonly end: Key;
  /** True if the ledger has no link of it. */
  readonly isNew: boolean;
}

/** A link between ids. One end may be the address of a client that this plan creates, and an unclear one may be empty. */
interface Link {
  readonly definition: ResourceDefinition;
  readonly ends: Key;
  readonly key: LedgerKey;
  /** The key as one string. */
  readonly text: string;
  /** Each end appears by its alias, else by its name or id. */
  readonly address: string;
  readonly object: LedgerObject | undefined;
  /** The exact sets that cover the link. */
  readonly sets: readonly KnownSet[];
}

export function planLinks(facts: Facts, draft: Draft): void {
  const planner = new LinkPlanner(facts, draft);
  planner.planDeclared();
  planner.planRecorded();
  planner.planSets();
  planner.waits.orderDeletes();
  noteIdleLines(draft, planner.lines);
}

class LinkPlanner {
  /** The addresses of clients once the plan is done. The keys are their ids. */
  private readonly owners: Map<string, string>;
  /** The keys are ends such as `RunTrigger workspaceId ws-app`. */
  private readonly sets = new Map<string, KnownSet>();
  readonly lines: readonly NamedLine[];
  readonly waits: Waits;
  /** Keys of links that a line declares. */
  private readonly declared = new Set<string>();
  /** Addresses of declared links that are unknown. Recorded links with such an address need no report of their own. */
  private readonly reported = new Set<string>();

  constructor(
    private readonly facts: Facts,
    private readonly draft: Draft,
  ) {
    this.owners = new Map([...facts.clientAddresses, ...draft.waiting]);
    for (const [address, { id }] of draft.clients) if (id !== undefined) this.owners.set(id, address);
    const recorded = new Set([...facts.recordedLinks.keys()].flatMap((key) => endNames(parseKey(key))));
    this.lines = nameLines(facts, draft, this.owners);
    this.waits = new Waits(facts, draft, this.lines);
    for (const set of facts.sets) {
      for (const [field, value] of Object.entries(set.fixed)) {
        const { id } = this.end(value);
        if (id === undefined) continue;
        const name = endName(set.kind, field, id);
        this.sets.set(name, { ...set, end: { [field]: id }, isNew: !recorded.has(name) });
      }
    }
  }

  planDeclared(): void {
    for (const entry of this.facts.entries) {
      const definition = findDefinition(entry.kind);
      if (definition.pair.length === 0) continue;
      const ends = definition.pair.map((field) => this.end(entry.inputs[field]));
      const parts = ends.map(({ id, made }) => id ?? made?.address ?? '');
      const link = this.link(definition, endsOf(definition, [entry.kind, ...parts]), entry.address);
      const unclear = ends.find(({ why }) => why !== undefined);
      if (unclear !== undefined) {
        this.leaveDeclared(link, entry, unclear.why, unclear.cause);
        continue;
      }
      const contradiction = this.contradiction(link, entry);
      this.declared.add(link.text);
      if (contradiction !== undefined) {
        const message = `${entry.address} is left alone, because ${contradiction}.`;
        this.draft.problems.push({ rule: 'same-object', address: entry.address, message, at: entry.at });
        this.waits.hold(link.key, entry.address);
        continue;
      }
      const made = ends.find((end) => end.made)?.made;
      if (made === undefined) this.planWanted(link, entry);
      else this.makeWithClient(link, entry, made);
    }
  }

  /** Finds contradictions of a line that names a client by its id. Only the ledger shows the client's address. */
  private contradiction({ text, sets }: Link, { inputs }: DesiredEntry): string | undefined {
    if (this.declared.has(text)) return 'another line declares the same link: keep one of them';
    const against = sets.find(({ fixed }) =>
      Object.keys(fixed).some((field) => isReference(fixed[field]) && !isReference(inputs[field])),
    );
    return against && `${against.label} are an exact set: list it there, or remove this line`;
  }

  private end(value: DesiredValues[string] | undefined): End {
    const { facts, draft } = this;
    if (!isReference(value)) {
      const id = String(value);
      const address = draft.leaving.get(id);
      if (address !== undefined) {
        return { ...draft.clients.get(address), why: `it names ${id}, which ${this.howItLeaves(address)}` };
      }
      const isMissing = facts.inputs.observed.shows[id] === 'missing';
      const why = `${id} does not exist, or this token may not see it: correct or remove this line`;
      return isMissing ? { why } : { id };
    }
    const { address } = value;
    if (facts.inputs.manifests.nameReferences.has(address)) {
      // The run deletes no link while a name is unknown.
      return { why: `it is unknown which object the name ${address} means`, cause: address };
    }
    return draft.clients.get(address) ?? { why: `${address} is left alone`, cause: address };
  }

  private howItLeaves(address: string): string {
    const { facts, draft } = this;
    if (facts.clientEntries.has(address)) return `${address} no longer uses: name the client by its address`;
    const isDeleted = draft.clientSteps(address).some(({ action }) => action === 'delete');
    return isDeleted
      ? `belongs to ${address}, whose entry is gone: remove this line, or keep that entry`
      : `leaves the ledger with ${address}: plan again after the apply`;
  }

  private link(definition: ResourceDefinition, ends: Key, address?: string): Link {
    const { kind, pair } = definition;
    const key = keyOf(definition, ends);
    const text = keyText(key);
    return {
      definition,
      ends,
      key,
      text,
      address: address ?? this.facts.linkAddress(definition, ends, this.owners),
      object: this.facts.recordedLinks.get(text)?.object,
      sets: pair.flatMap((field) => this.sets.get(endName(kind, field, ends[field])) ?? []),
    };
  }

  /** Leaves an unclear line alone. Every link that it may mean has an end in common with it. */
  private leaveDeclared({ key, address }: Link, { at }: DesiredEntry, why = '', cause?: string): void {
    this.draft.leaveAlone(address, why, { at, cause });
    this.reported.add(address);
    this.waits.hold(key, address);
  }

  private planWanted(link: Link, entry: DesiredEntry): void {
    const { definition, object } = link;
    const { inputs } = entry;
    const hasId = definition.idPrefix !== undefined;
    const observation = this.facts.observe(definition, link.ends, object);
    const { found } = observation;
    const isOther = hasId && found !== undefined && found.id !== object?.id;
    const cell: LinkCell = {
      declared: 'yes',
      recorded: object === undefined || isOther ? 'no' : 'yes',
      observed: observation.state,
      covered: 'no',
    };
    switch (decide(linkTable, cell)) {
      case 'adopt':
        this.add('adopt', link, {
          reason: 'found',
          because: 'already exists; Tether will manage it',
          inputs,
          ...(hasId && found && { objectId: found.id }),
        });
        return;
      case 'create':
        if (object === undefined) this.addNew(link, entry);
        else this.add('create', link, { reason: 'gone', because: isGone, inputs });
        return;
      case 'leave alone':
        if (observation.state === 'unknown') this.leaveDeclared(link, entry, observation.why);
    }
  }

  /** Plans a link of a client that this plan creates. The POST carries links of the old client, and others are attached. */
  private makeWithClient(link: Link, entry: DesiredEntry, made: Step): void {
    const { definition, key } = link;
    const { address, objectId: old } = made;
    const [kind, ...parts] = key;
    const oldKey: LedgerKey = [kind, ...parts.map((part) => (part === address && old ? old : part))];
    const isThere =
      old !== undefined && this.facts.observe(definition, endsOf(definition, oldKey)).state === 'present';
    const { inputs } = entry;
    const more = { needs: [made.id] };
    const because = 'the new client is created with it';
    if (isThere)
      this.add('move', link, { ...more, inputs, from: keyText(oldKey), reason: 'replaced', because });
    else this.addNew(link, entry, more);
  }

  /** Adds a create, unless a list that was read whole lacks an end. Recorded and listed links are not judged by it. */
  private addNew(link: Link, entry: DesiredEntry, more: Pick<Step, 'needs'> = { needs: [] }): void {
    const { definition, ends } = link;
    const { lookups, organization } = this.facts.inputs.manifests;
    for (const field of definition.pair) {
      const { refersTo = '' } = definition.fields[field] ?? {};
      const { [field]: id = '' } = ends;
      if (!lookups?.listedKinds.has(refersTo) || lookups.currentNames.has(id)) continue;
      const why = `${id} is not among the ${refersTo}s of ${organization} that this token may list: correct or remove this line`;
      this.leaveDeclared(link, entry, why);
      return;
    }
    this.add('create', link, { ...isNew, ...more, inputs: entry.inputs });
  }

  planRecorded(): void {
    for (const [text, { definition, ends }] of this.facts.recordedLinks) {
      const isLeaving = Object.values(ends).some((id) => this.draft.leaving.has(id));
      if (isLeaving || this.declared.has(text)) continue;
      const link = this.link(definition, ends);
      if (this.reported.has(link.address)) continue;
      const observation = this.facts.observe(definition, ends, { ...link.object, isOnly: true });
      this.planUnwanted(link, link.object, observation);
    }
  }

  /** Plans the deletes of links that no line lists, even if Tether did not make them. */
  planSets(): void {
    const seen = new Set<string>();
    for (const { kind, label, end, at } of this.sets.values()) {
      const definition = findDefinition(kind);
      const all = this.facts.foundAll(definition, end);
      if (all === null) {
        const message = `${label} cannot be listed with this token, so Tether did not look for others among them.`;
        this.draft.unknown.push({ address: label, message, at });
      }
      for (const found of all ?? []) {
        const link = this.link(definition, endsOf(definition, keyOf(definition, found.values)));
        if (seen.has(found.id) || this.isPlanned(link, found)) continue;
        seen.add(found.id);
        this.planUnwanted(link, undefined, { state: 'present', found });
      }
    }
  }

  /** True for the one link of its pair that is declared or recorded. */
  private isPlanned({ definition, ends, text, object }: Link, { id }: Found): boolean {
    if (this.declared.has(text)) return this.facts.observe(definition, ends, object).found?.id === id;
    return object !== undefined && (definition.idPrefix === undefined || object.id === id);
  }

  /** A link that no line declares: the ledger records `object`, or an exact set found it. */
  private planUnwanted(link: Link, object: LedgerObject | undefined, observation: Observation): void {
    const { facts, draft } = this;
    const { definition, ends, address, sets } = link;
    const ids = object === undefined ? [] : Object.values(ends);
    const [waiting] = ids.flatMap((id) => draft.waiting.get(id) ?? []);
    const { found } = observation;
    const isForgotten = facts.isLinkForgotten(definition, ends, this.owners);
    const cell: LinkCell = {
      declared: isForgotten ? 'forget' : 'no',
      recorded: object === undefined ? 'no' : 'yes',
      observed: waiting ? 'unknown' : observation.state,
      covered: sets.length > 0 ? 'yes' : 'no',
    };
    const id = object?.id === undefined ? {} : { objectId: object.id };
    switch (decide(linkTable, cell)) {
      case 'forget':
        this.add('forget', link, { ...id, reason: 'forget-line', because: 'a `forget` line names it' });
        return;
      case 'forget gone':
        this.add('forget', link, { ...id, reason: 'already-gone', because: isGone });
        this.noteOthers(link);
        return;
      case 'delete':
        this.add('delete', link, { ...id, ...facts.whyDeleted });
        this.noteOthers(link);
        return;
      case 'delete unmanaged':
        if (found) this.deleteUnmanaged(link, found);
        return;
      case 'nothing':
        if (isForgotten) {
          const message = 'A `forget` line keeps it, although an exact set does not list it.';
          draft.notes.push({ address, message });
        }
        return;
      case 'leave alone':
        if (waiting !== undefined) draft.leaveAlone(address, `${waiting} is left alone`, { cause: waiting });
        else if (observation.state === 'unknown') {
          draft.leaveAlone(address, observation.why, facts.forgetLine(address, link.text));
        }
    }
  }

  private deleteUnmanaged(link: Link, found: Found): void {
    const isDeclared = this.declared.has(link.text);
    const newSet = link.sets.find(({ isNew }) => isNew)?.label;
    this.add('delete', link, {
      id: `delete ${link.address} (${found.id})`,
      reason: isDeclared ? 'duplicate' : 'not-in-exact-set',
      because: isDeclared
        ? 'a second trigger of this pair, in an exact set'
        : `not listed under ${link.sets[0]?.label}, which is an exact set`,
      objectId: found.id,
      unmanaged: true,
      ...(newSet !== undefined && { newSet }),
    });
  }

  private noteOthers({ definition, ends, address, object, sets }: Link): void {
    if (sets.length > 0 || object?.id === undefined) return;
    const all = this.facts.foundAll(definition, ends) ?? [];
    const others = all.filter(({ id }) => id !== object.id).map(({ id }) => id);
    if (others.length === 0) return;
    const message = `${others.join(', ')}, which Tether does not manage, still triggers.`;
    this.draft.notes.push({ address, message });
  }

  /** Adds a step. It attaches before the access to the client is reduced, and detaches after the scope widens. */
  private add(action: Action, { address, key, ends }: Link, details: StepDetails): void {
    const { draft } = this;
    const step = draft.addStep(action, address, key, details);
    const owners = Object.values(ends).map((id) => this.owners.get(id) ?? id);
    for (const other of owners.flatMap((owner) => draft.clientSteps(owner))) {
      if (action === 'delete' && setsScope(other, true)) step.needs.push(other.id);
      if (action !== 'delete' && reducesAccess(other)) other.needs.push(step.id);
    }
  }
}

const isGone = 'is not there any more';
const isNew = { reason: 'new', because: 'in the manifest, not on the service yet' } as const;
