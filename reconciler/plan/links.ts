/** Plans the links: declared ones, recorded ones that no line declares, and what exact sets do not list. */
import { type DesiredEntry, type ExactSet, nameInAddress } from '../../manifest/desired';
import { foundAll, isYoung } from '../../observation/evidence';
import {
  type DesiredValues,
  type Found,
  isReference,
  type Key,
  type ResourceDefinition,
} from '../../resources/kind';
import { addressOf } from '../../resources/names';
import type { LedgerObject } from '../ledger/ledger';
import type { ClientPlan, ClientState } from './clients';
import { plainEnds, type RecordedLink, type World } from './inputs';
import { keyText, type LedgerKey, type LeftAlone, type Note, type Problem, type Step } from './plan';
import { linkStep } from './steps';
import { decideLink, type LinkCell } from './table';

export interface LinkPlan {
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  readonly unknown: readonly LeftAlone[];
  readonly notes: readonly Note[];
  readonly unchanged: number;
  /** The known exact sets by kind, field and id of their fixed end: `RunTrigger workspaceId ws-app`. */
  readonly sets: ReadonlySet<string>;
  /** The addresses of clients that exist, by id. */
  readonly addresses: ReadonlyMap<string, string>;
}

/** The end of a declared link, resolved as far as it can be. */
type End =
  | { readonly id: string; readonly client?: Extract<ClientState, { state: 'present' }> }
  | { readonly address: string; readonly client: Extract<ClientState, { state: 'new' }> }
  | { readonly why: string };

/** An exact set whose fixed end is known. */
interface KnownSet {
  readonly set: ExactSet;
  readonly field: string;
  readonly id: string;
}

export function planLinks(world: World, clients: ClientPlan): LinkPlan {
  const planner = new LinkPlanner(world, clients);
  planner.planDeclared();
  planner.planRecorded();
  planner.planSets();
  return planner.result();
}

class LinkPlanner {
  private readonly steps: Step[] = [];
  private readonly problems: Problem[] = [];
  private readonly unknown: LeftAlone[] = [];
  private readonly notes: Note[] = [];
  /** Keys of links that a line declares. */
  private readonly declared = new Set<string>();
  /** Keys that are left alone: no set deletes them either. */
  private readonly kept = new Set<string>();
  /** Those of them about which the report of a line says enough. */
  private readonly reported = new Set<string>();
  private readonly recorded: ReadonlyMap<string, RecordedLink>;
  /** By kind, field and id of the fixed end. */
  private readonly sets = new Map<string, KnownSet>();
  /** The sets of which a member is unknown: they delete nothing. */
  private readonly partial = new Set<string>();
  /** Ids of links that a set deletes already. */
  private readonly deleted = new Set<string>();
  private readonly addresses: ReadonlyMap<string, string>;
  private unchanged = 0;

  constructor(
    private readonly world: World,
    private readonly clients: ClientPlan,
  ) {
    this.addresses = new Map(
      [...clients.states].flatMap(([address, one]) => (one.state === 'present' ? [[one.id, address]] : [])),
    );
    this.recorded = new Map(world.recordedLinks.map((link) => [keyText(link.key), link]));
    this.findSets();
  }

  result(): LinkPlan {
    const { steps, problems, unknown, notes, unchanged } = this;
    const sets = new Set(this.sets.keys());
    return { steps, problems, unknown, notes, unchanged, sets, addresses: this.addresses };
  }

  planDeclared(): void {
    for (const entry of this.world.entries) {
      const definition = this.world.definition(entry.kind);
      if (definition.pair.length > 0) this.declare(definition, entry);
    }
  }

  private declare(definition: ResourceDefinition, entry: DesiredEntry): void {
    const ends = definition.pair.map((field) => this.end(entry.inputs, field));
    const problem = ends.find((end) => 'why' in end);
    if (problem && 'why' in problem) {
      this.leaveDeclared(definition, entry, ends, problem.why);
      return;
    }
    const parts = ends.map((end) => ('id' in end ? end.id : 'address' in end ? end.address : ''));
    const key: LedgerKey = [definition.kind, ...parts];
    const text = keyText(key);
    const contradiction = this.contradiction(definition, entry, ends, text);
    if (contradiction !== undefined) {
      const message = `${entry.address} is left alone, because ${contradiction}.`;
      this.problems.push({ rule: 'same-object', address: entry.address, message, at: entry.at });
      this.kept.add(text);
      this.reported.add(text);
      return;
    }
    this.declared.add(text);
    const fresh = ends.find((end) => 'address' in end);
    if (fresh && 'address' in fresh) {
      this.makeWithClient(definition, entry, key, fresh.client);
      return;
    }
    this.compare(definition, entry, key, text);
  }

  /** What is wrong with a line that names a client by its id. Only the ledger shows which address that client has. */
  private contradiction(
    { kind, pair }: ResourceDefinition,
    { inputs }: DesiredEntry,
    ends: readonly End[],
    text: string,
  ): string | undefined {
    if (this.declared.has(text)) return 'another line declares the same link: keep one of them';
    for (const [index, field] of pair.entries()) {
      const end = ends[index];
      if (end === undefined || !('id' in end) || isReference(inputs[field])) continue;
      const set = this.sets.get(`${kind} ${field} ${end.id}`)?.set;
      if (set !== undefined && isReference(set.fixed[field]))
        return `${set.label} are an exact set: list it there, or remove this line`;
    }
    return undefined;
  }

  private end(inputs: DesiredValues, field: string): End {
    const value = inputs[field];
    if (!isReference(value)) {
      const id = String(value);
      const address = this.clients.leaving.get(id);
      return address === undefined
        ? { id }
        : { why: `it names ${id}, which ${address} no longer uses: name the client by its address` };
    }
    const { address } = value;
    if (this.world.inputs.manifests.names.has(address)) {
      return { why: `nobody can tell which object the name ${address} means` };
    }
    const client = this.clients.states.get(address);
    if (client?.state === 'present') return { id: client.id, client };
    if (client?.state === 'new') return { address, client };
    return { why: `${address} is left alone` };
  }

  /** Nothing is done for it, and what it may mean is not deleted. */
  private leaveDeclared(
    definition: ResourceDefinition,
    entry: DesiredEntry,
    ends: readonly End[],
    why: string,
  ): void {
    const message = `${entry.address} is left alone, because ${why}.`;
    this.unknown.push({ address: entry.address, message, at: entry.at });
    const ids = definition.pair.map((field, index) => this.possibleIds(entry.inputs[field], ends[index]));
    const isClear = ids.every((some) => some !== undefined);
    for (const [text, link] of this.recorded) {
      if (link.definition !== definition) continue;
      const isPossible = definition.pair.every(
        (field, index) => ids[index]?.includes(link.ends[field] ?? '') ?? true,
      );
      if (isPossible) this.kept.add(text);
      // The line was reported, so its link need not be.
      if (isPossible && isClear) this.reported.add(text);
    }
  }

  /** The ids that an end may have; undefined where it may have any. An `id:` line counts too, although it contradicts the ledger. */
  private possibleIds(
    value: DesiredValues[string] | undefined,
    end: End | undefined,
  ): readonly string[] | undefined {
    if (end !== undefined && 'id' in end) return [end.id];
    if (!isReference(value)) return undefined;
    const { clientEntries, recordedClients } = this.world;
    const recorded = recordedClients.get(value.address);
    const claimed = clientEntries.get(value.address)?.id;
    return recorded === undefined ? undefined : [recorded.id, ...(claimed === undefined ? [] : [claimed])];
  }

  /** A link of a client that this plan makes: what the old client has comes with the POST, the rest is attached. */
  private makeWithClient(
    definition: ResourceDefinition,
    entry: DesiredEntry,
    key: LedgerKey,
    { step, old }: Extract<ClientState, { state: 'new' }>,
  ): void {
    const ends = definition.pair.map((field, index) => [field, key[index + 1] ?? ''] as const);
    const oldEnds: Key = Object.fromEntries(
      ends.map(([field, part]) => [field, isReference(entry.inputs[field]) && old ? old.id : part]),
    );
    const has = old !== undefined && this.world.observe(definition, oldEnds).state === 'present';
    const set = this.setOf(entry);
    const more = { inputs: entry.inputs, values: {}, needs: [step], ...(set && { set }) };
    if (!has) {
      const because = 'in the manifest, not on the service yet';
      this.steps.push(
        linkStep(definition, 'create', entry.address, key, { ...more, reason: 'new', because }),
      );
      return;
    }
    const from = keyText([definition.kind, ...definition.pair.map((field) => oldEnds[field] ?? '')]);
    const because = 'the new client is created with it';
    this.steps.push(
      linkStep(definition, 'move', entry.address, key, { ...more, from, reason: 'replaced', because }),
    );
  }

  private compare(definition: ResourceDefinition, entry: DesiredEntry, key: LedgerKey, text: string): void {
    const object = this.recorded.get(text)?.object;
    const ends = plainEnds(
      definition,
      Object.fromEntries(definition.pair.map((f, i) => [f, key[i + 1] ?? ''])),
    );
    const observation = this.world.observe(definition, ends, object?.id, object?.createdAt);
    const decision = decideLink({
      declared: 'yes',
      recorded: object ? 'yes' : 'no',
      observed: observation.state,
      covered: 'no',
    });
    const set = this.setOf(entry);
    const found = observation.state === 'present' ? observation.found : undefined;
    const isOther = definition.idPrefix !== undefined && object !== undefined && found?.id !== object.id;
    if (decision === 'keep' && !isOther) {
      this.unchanged += 1;
    } else if ((decision === 'keep' || decision === 'adopt') && found !== undefined) {
      this.steps.push(
        linkStep(definition, 'adopt', entry.address, key, {
          reason: 'found',
          because: 'already exists; Tether will manage it',
          ...(definition.idPrefix !== undefined && { objectId: found.id }),
          ...(found.outputs.createdAt !== undefined && { createdAt: String(found.outputs.createdAt) }),
          inputs: entry.inputs,
          ...(set && { set }),
        }),
      );
    } else if (decision === 'create') {
      const because = object ? 'was deleted outside Tether' : 'in the manifest, not on the service yet';
      const reason = object ? 'gone' : 'new';
      this.steps.push(
        linkStep(definition, 'create', entry.address, key, {
          ...{ reason, because, inputs: entry.inputs },
          ...(set && { set }),
        }),
      );
    } else if (observation.state === 'unknown') {
      for (const field of definition.pair) this.partial.add(`${definition.kind} ${field} ${ends[field]}`);
      const message = `${entry.address} is left alone, because ${observation.why}.`;
      this.unknown.push({ address: entry.address, message, at: entry.at });
    }
  }

  /** The label of the first set that lists it, for the plan. */
  private setOf({ kind, inputs }: DesiredEntry): string | undefined {
    for (const field of this.world.definition(kind).pair) {
      const end = inputs[field];
      const id = isReference(end) ? end.address : String(end);
      const set = this.sets.get(`${kind} ${field} ${id}`);
      if (set !== undefined) return set.set.label;
    }
    return undefined;
  }

  planRecorded(): void {
    for (const [text, link] of this.recorded) {
      if (!this.declared.has(text) && !this.reported.has(text)) this.endOf(text, link);
    }
  }

  /** A recorded link that no line declares. */
  private endOf(text: string, link: RecordedLink): void {
    const { definition, ends, object, key } = link;
    if (definition.pair.some((field) => this.clients.leaving.has(ends[field] ?? ''))) return;
    const address = this.addressOf(definition, ends);
    const isForgotten = this.world.forget.has(address) || this.world.forget.has(text);
    const waiting = definition.pair.flatMap((field) => this.clients.waiting.get(ends[field] ?? '') ?? []);
    if (waiting.length > 0 && !isForgotten) {
      const message = `${address} is left alone, because ${waiting[0]} is left alone.`;
      this.unknown.push({ address, message });
      return;
    }
    const observation = this.world.observe(definition, ends, object.id, object.createdAt);
    const found = observation.state === 'present' ? observation.found : undefined;
    const isReplaced = object.id !== undefined && found !== undefined && found.id !== object.id;
    const sets = this.covering(definition, ends);
    const cell: LinkCell = {
      declared: isForgotten ? 'forget' : 'no',
      recorded: 'yes',
      observed: isReplaced ? this.stateOfId(object) : observation.state,
      covered:
        this.kept.has(text) || this.isCoveredInPart(definition, ends)
          ? 'part'
          : sets.length > 0
            ? 'yes'
            : 'no',
    };
    const objectId = object.id === undefined ? {} : { objectId: object.id };
    const because = 'managed by this ledger, no longer in the manifest';
    switch (decideLink(cell)) {
      case 'forget':
        this.addEnd(definition, 'forget', address, key, {
          ...objectId,
          reason: 'forget-line',
          because: 'a `forget` line names it',
        });
        return;
      case 'forget gone':
        this.addEnd(definition, 'forget', address, key, {
          ...objectId,
          reason: 'already-gone',
          because: 'was deleted outside Tether',
        });
        if (isReplaced && sets.length === 0) {
          this.notes.push({
            address,
            message: `${found?.id}, another trigger of this pair, exists and still triggers.`,
          });
        }
        return;
      case 'delete':
        if (this.isHeldBack(address, object.id)) return;
        this.addEnd(definition, 'delete', address, key, {
          ...objectId,
          reason: this.world.inputs.destroy ? 'destroy' : 'removed-from-manifest',
          because: this.world.inputs.destroy
            ? 'everything that Tether manages here is to be destroyed'
            : because,
          ...this.called(definition, found),
          ...(sets[0] && { set: sets[0].set.label }),
        });
        this.noteOthers(definition, ends, address, object.id);
        return;
      default: {
        const why =
          observation.state === 'unknown'
            ? observation.why
            : isReplaced
              ? `only another trigger of its pair is listed, and ${object.id} may not be listed yet`
              : this.kept.has(text)
                ? 'it may be the link that a line means which is left alone'
                : 'a member of an exact set that covers it is unknown';
        this.unknown.push({
          address,
          message: `${address} is left alone, because ${why}.`,
          ...(observation.state === 'unknown' && { line: `forget: [${address}]` }),
        });
      }
    }
  }

  /** Another link of its pair exists, which says nothing about this one. */
  private stateOfId({ id = '', createdAt }: LedgerObject): LinkCell['observed'] {
    const { now, shows } = this.world.inputs.observed;
    return shows[id] === 'missing' && !isYoung(createdAt, now) ? 'missing' : 'unknown';
  }

  private addEnd(
    definition: ResourceDefinition,
    action: 'forget' | 'delete',
    address: string,
    key: LedgerKey,
    details: Pick<Step, 'reason' | 'because'> & Partial<Step>,
  ): void {
    const id = `${action} ${address}${details.unmanaged && details.objectId ? ` (${details.objectId})` : ''}`;
    this.steps.push(linkStep(definition, action, address, key, { ...details, id }));
  }

  private noteOthers(
    definition: ResourceDefinition,
    ends: Key,
    address: string,
    id: string | undefined,
  ): void {
    const key = { organization: this.world.organization, ...ends };
    const others = (foundAll(this.world.inputs.observed, definition, key) ?? []).filter(
      (one) => one.id !== id,
    );
    if (others.length === 0 || this.covering(definition, ends).length > 0 || id === undefined) return;
    const ids = others.map((one) => one.id).join(', ');
    this.notes.push({ address, message: `${ids}, which Tether does not manage, still triggers.` });
  }

  /** While a name is unknown no link is deleted, as it may be the one that is meant. */
  private isHeldBack(address: string, id: string | undefined): boolean {
    if (!this.world.hasUnknownNames) return false;
    const what = id === undefined ? address : `${address} (${id})`;
    const message = `${what} is left alone, because a name in the manifests was not found, and this may be the link that it means.`;
    this.unknown.push({ address, message });
    return true;
  }

  /** Finds the sets whose fixed end has an id, and whether all their members are known. */
  private findSets(): void {
    const { manifests, destroy } = this.world.inputs;
    if (destroy || manifests.sets.length === 0) return;
    for (const { kind, inputs } of this.world.entries) {
      const { pair } = this.world.definition(kind);
      if (pair.length === 0) continue;
      const ends = pair.map((field) => this.end(inputs, field));
      for (const [index, field] of pair.entries()) {
        const end = ends[index];
        const isUnknown = ends.some((one, at) => at !== index && 'why' in one);
        if (isUnknown && end && 'id' in end) this.partial.add(`${kind} ${field} ${end.id}`);
      }
    }
    for (const set of manifests.sets) {
      const [field] = Object.keys(set.fixed);
      if (field === undefined) continue;
      const end = this.end(set.fixed, field);
      if ('id' in end) {
        const name = `${set.kind} ${field} ${end.id}`;
        this.sets.set(name, { set, field, id: end.id });
      }
    }
  }

  private covering({ kind, pair }: ResourceDefinition, ends: Key): readonly KnownSet[] {
    return pair.flatMap((field) => this.sets.get(`${kind} ${field} ${ends[field]}`) ?? []);
  }

  private isCoveredInPart({ kind, pair }: ResourceDefinition, ends: Key): boolean {
    const names = pair.map((field) => `${kind} ${field} ${ends[field]}`);
    return names.some((name) => this.sets.has(name) && this.partial.has(name));
  }

  /** Deletes what exists and no line lists, whoever made it. */
  planSets(): void {
    for (const [name, { set, field, id }] of this.sets) {
      const definition = this.world.definition(set.kind);
      const key = { organization: this.world.organization, [field]: id };
      const all = foundAll(this.world.inputs.observed, definition, key);
      if (all === null) {
        const message = `${set.label} cannot be listed with this token, so what else is among them was not compared.`;
        this.unknown.push({ address: set.label, message, at: set.at });
        continue;
      }
      if (!this.partial.has(name)) for (const found of all) this.deleteUnlisted(definition, set, found);
    }
  }

  private deleteUnlisted(definition: ResourceDefinition, set: ExactSet, found: Found): void {
    const ends = plainEnds(definition, found.values);
    const key: LedgerKey = [definition.kind, ...definition.pair.map((field) => ends[field] ?? '')];
    const text = keyText(key);
    const address = this.addressOf(definition, ends);
    const isDeclared = this.declared.has(text);
    if (isDeclared && this.counts(definition, ends, text, found)) return;
    if (!isDeclared && this.recorded.get(text)?.object.id === found.id && this.recorded.has(text)) return;
    if (!isDeclared && this.recorded.has(text) && definition.idPrefix === undefined) return;
    if (this.kept.has(text) || this.isCoveredInPart(definition, ends)) return;
    if (this.world.forget.has(address) || this.world.forget.has(text)) {
      this.notes.push({
        address,
        message:
          'It is left alone as long as a `forget` line names it, although an exact set does not list it.',
      });
      return;
    }
    if (this.deleted.has(found.id) || this.isHeldBack(address, found.id)) return;
    this.deleted.add(found.id);
    this.addEnd(definition, 'delete', address, key, {
      reason: isDeclared ? 'duplicate' : 'not-in-exact-set',
      because: isDeclared
        ? 'a second trigger of this pair, in an exact set'
        : `not listed under ${set.label}, which is an exact set`,
      objectId: found.id,
      unmanaged: true,
      set: set.label,
      ...this.called(definition, found),
    });
  }

  /** True for the one link of its pair that the plan keeps: the recorded one, else the oldest. */
  private counts(definition: ResourceDefinition, ends: Key, text: string, found: Found): boolean {
    const { object } = this.recorded.get(text) ?? {};
    const kept = this.world.observe(definition, ends, object?.id, object?.createdAt);
    return kept.state !== 'present' || kept.found.id === found.id;
  }

  /** By alias, name or id, as everywhere. */
  private addressOf(definition: ResourceDefinition, ends: Key): string {
    const parts = definition.pair.map((field) => {
      const id = ends[field] ?? '';
      const owner = this.addresses.get(id) ?? this.world.clientAddresses.get(id);
      return owner === undefined ? this.world.shown(id) : nameInAddress(owner);
    });
    return addressOf(definition, parts.join('/'));
  }

  /** The names that the service gives the ends now, where it does. */
  private called({ section }: ResourceDefinition, found: Found | undefined): Pick<Step, 'called'> {
    const names = section.ends.map(({ nameOutput = '' }) => found?.outputs[nameOutput]);
    return names.every((name) => typeof name === 'string') ? { called: names.join(' ← ') } : {};
  }
}
