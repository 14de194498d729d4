/** Plans the OAuth clients: one function decides by the table, and one builds the steps of each decision. */
import { type DesiredEntry, nameInAddress } from '../../manifest/desired';
import { foundAll, type Observation } from '../../observation/evidence';
import { carriedOver, describeMatch, isAsCreated, plainValues, possibleMatches } from '../../resources/diff';
import { type FieldValue, type FieldValues, type Found, setFields, setMembers } from '../../resources/kind';
import { addressOf } from '../../resources/names';
import { lackingForCreate } from '../../resources/violations';
import { type Bindings, type Bound, type ClientRecord, heldIds, managedValues } from './bind';
import { differences } from './differences';
import type { World } from './inputs';
import type { LeftAlone, Note, Problem, Step } from './plan';
import { clientStep } from './steps';
import { type ClientCell, decideClient } from './table';

/** What the links of a client need to know of it. */
export type ClientState =
  | { readonly state: 'present'; readonly id: string; readonly found: Found }
  /** Made by this step; `old` is the one that it replaces. */
  | { readonly state: 'new'; readonly step: string; readonly old: Found | undefined }
  | { readonly state: 'left alone'; readonly why: string };

export interface ClientPlan {
  readonly steps: readonly Step[];
  readonly problems: readonly Problem[];
  readonly unknown: readonly LeftAlone[];
  readonly notes: readonly Note[];
  readonly states: ReadonlyMap<string, ClientState>;
  /** Ids of clients that end, are missing or are forgotten: their undeclared links leave the ledger with them. */
  readonly leaving: ReadonlyMap<string, string>;
  /** The addresses of declared clients that are left alone, by recorded id: their links wait. */
  readonly waiting: ReadonlyMap<string, string>;
  readonly unchanged: number;
}

export function planClients(world: World, bindings: Bindings): ClientPlan {
  const planner = new ClientPlanner(world, bindings);
  for (const bound of bindings.bound) planner.plan(bound);
  planner.dropPending();
  return planner.result();
}

class ClientPlanner {
  private readonly steps: Step[] = [];
  private readonly problems: Problem[];
  private readonly unknown: LeftAlone[];
  private readonly notes: Note[] = [];
  private readonly states = new Map<string, ClientState>();
  private readonly leaving = new Map<string, string>();
  private readonly waiting = new Map<string, string>();
  private readonly owners = new Map<string, string>();
  /** The addresses whose `id:` lines name an object, by its id. */
  private readonly claims: ReadonlyMap<string, string>;
  private unchanged = 0;

  constructor(
    private readonly world: World,
    private readonly bindings: Bindings,
  ) {
    this.problems = [...bindings.problems];
    this.unknown = [...bindings.unknown];
    const claims = [...world.clientEntries.values()].flatMap(({ id, address }) =>
      id === undefined ? [] : [[id, address] as const],
    );
    this.claims = new Map(claims);
    for (const { address, record } of bindings.bound) {
      if (record === undefined || this.isForgotten(address)) continue;
      for (const id of [record.id, ...(record.retiring ?? [])]) this.owners.set(id, address);
    }
  }

  result(): ClientPlan {
    const { steps, problems, unknown, notes, states, leaving, waiting, unchanged } = this;
    return { steps, problems, unknown, notes, states, leaving, waiting, unchanged };
  }

  plan(bound: Bound): void {
    const { world } = this;
    const { address, entry, record, step, earlier } = bound;
    for (const one of [earlier, step]) if (one !== undefined) this.steps.push(one);
    const observation = record && world.observeClient(record.id, record.createdAt);
    const before = this.steps.length;
    const left = this.problems.length + this.unknown.length;
    this.decide(bound, observation);
    this.retire(bound, observation);
    const isLeft = this.problems.length + this.unknown.length > left || bound.blocked !== undefined;
    if (entry !== undefined && this.steps.length === before && step === undefined && !isLeft)
      this.unchanged += 1;
    if (entry !== undefined && !this.states.has(address)) {
      this.states.set(address, { state: 'left alone', why: bound.blocked ?? 'see above' });
    }
    if (record !== undefined && this.states.get(address)?.state === 'left alone')
      this.waiting.set(record.id, address);
  }

  /** A create that made nothing is dropped, unless a new one takes its place. */
  dropPending(): void {
    const made = new Set(
      this.steps.flatMap(({ action, address }) =>
        action === 'create' || action === 'replace' ? [address] : [],
      ),
    );
    for (const address of this.bindings.nothingMade) {
      if (made.has(address)) continue;
      const because = 'an earlier apply started to create it, and nothing was made';
      const details = { id: `drop pending ${address}`, reason: 'nothing-made', because } as const;
      this.steps.push(clientStep(this.world, 'forget', address, details));
    }
  }

  private isForgotten(address: string): boolean {
    return this.world.forget.has(address) && !this.world.clientEntries.has(address);
  }

  private decide(bound: Bound, observation: Observation | undefined): void {
    const { world } = this;
    const { address, entry, record } = bound;
    const declared = entry ? 'yes' : this.isForgotten(address) ? 'forget' : 'no';
    const cell: ClientCell = {
      declared,
      recorded: record ? 'yes' : 'no',
      observed: observation?.state ?? 'none',
      idLine: this.idLine(bound),
    };
    const name = entry && world.unknownName(entry.inputs);
    if (name) {
      this.states.set(address, { state: 'left alone', why: `the name ${name} is not known` });
      this.unknown.push(this.waitsForName(address, name));
      return;
    }
    switch (decideClient(cell)) {
      case 'compare':
        if (entry && record && observation?.state === 'present')
          this.compare(bound, entry, record, observation.found);
        return;
      case 'create':
        if (entry) this.create(bound, entry, observation);
        return;
      case 'adopt':
        if (entry) this.adopt(bound, entry);
        return;
      case 'delete':
        if (record && observation?.state === 'present') this.delete(address, record.id, observation.found);
        return;
      case 'forget':
        if (record === undefined) return;
        if (bound.blocked === undefined) {
          this.forget(bound, record, 'forget-line', 'a `forget` line names it');
        } else {
          // It waits, as a late client would be nobody's, and its links wait with it.
          this.leaves(address, record);
        }
        return;
      case 'forget gone':
        if (record) this.forget(bound, record, 'already-gone', `${record.id} was deleted outside Tether`);
        return;
      case 'refuse: id differs':
        this.refuseId(address, entry, record);
        return;
      case 'refuse: id missing':
        this.problems.push({
          rule: 'id-missing',
          address,
          message: `${address} is to adopt ${entry?.id}, which does not exist or cannot be seen with this token. Correct the \`id:\` line, or remove it to create a new client.`,
          ...(entry?.idAt && { at: entry.idAt }),
        });
        return;
      case 'leave alone':
        this.leaveAlone(address, observation);
        return;
      case 'nothing':
    }
  }

  private idLine({ address, entry, record }: Bound): ClientCell['idLine'] {
    const id = entry?.id;
    if (id === undefined || id === record?.id || record?.retiring?.includes(id)) return 'none';
    const owner = this.owners.get(id);
    if (owner !== undefined && owner !== address) return 'held';
    const { state } = this.world.observeClient(id);
    return state;
  }

  private refuseId(address: string, entry: DesiredEntry | undefined, record: ClientRecord | undefined): void {
    const owner = entry?.id === undefined ? undefined : this.owners.get(entry.id);
    const message =
      owner !== undefined && owner !== address
        ? `${entry?.id} is managed as ${owner}, so ${address} cannot adopt it. Forget it there first: remove that entry, add \`forget: [${owner}]\` and apply.`
        : `${address} is ${record?.id} in the ledger, and its \`id:\` line says ${entry?.id}. To keep ${record?.id}, remove that line. To manage the other one, forget this one first: remove the entry, add \`forget: [${address}]\` and apply.`;
    this.problems.push({ rule: 'id-conflict', address, message, ...(entry?.idAt && { at: entry.idAt }) });
  }

  private leaveAlone(address: string, observation: Observation | undefined): void {
    const why = observation?.state === 'unknown' ? observation.why : 'what exists cannot be read';
    this.states.set(address, { state: 'left alone', why });
    const message = `${address} is left alone, because ${why}.`;
    const isUndeclared = !this.world.clientEntries.has(address);
    const line = isUndeclared ? { line: `forget: [${address}]` } : {};
    this.unknown.push({ address, message, ...line });
  }

  private waitsForName(address: string, name: string): LeftAlone {
    const at = this.world.inputs.manifests.names.get(name)?.at;
    const message = `${address} is left alone, because nobody can tell which object the name ${name} means.`;
    return { address, message, ...(at && { at }) };
  }

  private compare(bound: Bound, entry: DesiredEntry, record: ClientRecord, found: Found): void {
    const { world } = this;
    const { address, step } = bound;
    const { changes, reason, because, isReplacement, notes } = differences(
      world,
      entry,
      found.values,
      record,
    );
    this.notes.push(...notes);
    this.states.set(address, { state: 'present', id: found.id, found });
    if (changes.length === 0) return;
    if (isReplacement) {
      this.replace(bound, entry, found, { changes, reason, because });
      return;
    }
    const inputs = valuesOf(changes);
    const secrets = secretsOf(changes, entry);
    this.steps.push(
      clientStep(world, 'update', address, {
        ...{ reason, because, changes, inputs, secrets },
        objectId: found.id,
        values: managedValues(entry),
        observed: found.values,
        needs: step === undefined ? [] : [step.id],
        risks: risksOf(changes),
      }),
    );
  }

  private replace(
    { address, step, record, blocked }: Bound,
    entry: DesiredEntry,
    found: Found,
    details: Pick<Step, 'changes' | 'reason' | 'because'>,
  ): void {
    const { world } = this;
    if (blocked !== undefined) return;
    const given = new Set([...Object.keys(entry.inputs), ...Object.keys(entry.secrets)]);
    const carried = { ...carriedOver(world.clientKind, found.values), ...entry.inputs };
    const lacking = lackingForCreate(
      world.clientKind,
      { ...entry, inputs: carried },
      world.inputs.manifests.profile,
    );
    const lost = world.clientKind.lostOnReplace?.(found.outputs, given) ?? null;
    const isUnconnected = lost !== null && Object.keys(entry.secrets).length === 0;
    if (lacking !== null || isUnconnected) {
      const why = lacking ?? `${lost}`;
      const message = `${address} must be replaced, and the new client would lack a secret that cannot be read from the old one: ${why}. Declare the secret, or undo the change.`;
      this.problems.push({ rule: 'secret-needed', address, message, at: entry.at });
      return;
    }
    const sent: Record<string, FieldValue> = { ...plainValues(carried) };
    const dropped: string[] = [];
    for (const [field, members] of this.carriedSets(entry, found)) {
      sent[field] = members;
      dropped.push(...setMembers(found.values[field]).filter((one) => !members.includes(one)));
    }
    const names = dropped.map((id) => world.shown(id)).join(', ');
    const less =
      dropped.length === 0 ? [] : [`the new client is not offered to ${names}, as the old one was`];
    const matches = this.refuseMatches(address, entry, sent);
    if (matches === null) return;
    const approval = world.approval('replace', address, found.id);
    this.steps.push(
      clientStep(world, 'replace', address, {
        ...details,
        objectId: found.id,
        inputs: sent,
        secrets: entry.secrets,
        values: managedValues(entry),
        observed: found.values,
        existing: matches,
        retiring: [...(record?.retiring ?? []), found.id],
        needs: step === undefined ? [] : [step.id],
        approval,
        risks: [...less, ...(lost === null ? [] : [lost])],
      }),
    );
    const id = `replace ${address}`;
    this.states.set(address, { state: 'new', step: id, old: found });
  }

  /** The members of each set that the new client gets at once: those of the old one that no line takes away. */
  private carriedSets(entry: DesiredEntry, found: Found): readonly (readonly [string, readonly string[]])[] {
    const { world } = this;
    return setFields(world.inputs.registry).flatMap((set) => {
      if (set.owner !== entry.kind) return [];
      const { entries, inputs, recordedLinks } = world;
      const isOwn = (end: unknown) =>
        end === found.id ||
        (typeof end === 'object' && end !== null && 'address' in end && end.address === entry.address);
      const isExact = inputs.manifests.sets.some(
        ({ kind, fixed }) => kind === set.kind && isOwn(fixed[set.end]),
      );
      const wanted = new Set(
        entries.flatMap((link) =>
          link.kind === set.kind && isOwn(link.inputs[set.end]) ? [link.inputs[set.far]] : [],
        ),
      );
      const managed = new Set(
        recordedLinks.flatMap(({ definition, ends }) =>
          definition.kind === set.kind && ends[set.end] === found.id ? [ends[set.far]] : [],
        ),
      );
      const link = world.definition(set.kind);
      const isForgotten = (member: string) => {
        const parts = { [set.end]: nameInAddress(entry.address), [set.far]: world.shown(member) };
        return world.forget.has(addressOf(link, link.pair.map((field) => parts[field]).join('/')));
      };
      // While a name is unknown, any member may be the one that it means.
      const stays = (member: string) =>
        world.hasUnknownNames ||
        wanted.has(member) ||
        isForgotten(member) ||
        (!isExact && !managed.has(member));
      return [[set.field, setMembers(found.values[set.field]).filter(stays)] as const];
    });
  }

  private create(bound: Bound, entry: DesiredEntry, observation: Observation | undefined): void {
    const { world } = this;
    const { address, record, step, blocked } = bound;
    if (blocked !== undefined) return;
    const lacking = lackingForCreate(world.clientKind, entry, world.inputs.manifests.profile);
    if (lacking !== null) {
      this.problems.push({ rule: 'missing-fields', address, message: `${lacking}.`, at: entry.at });
      return;
    }
    const sent = plainValues(entry.inputs);
    const waiting = this.equalPending(address, sent);
    if (waiting !== undefined) {
      const message = `${address} is not created yet: the answer to the create of ${waiting}, which is equal, was lost, and the service may still carry it out. Run the same command again in two minutes.`;
      this.problems.push({ rule: 'create-pending', address, message, at: entry.at });
      return;
    }
    const matches = this.refuseMatches(address, entry, sent);
    if (matches === null) return;
    const isGone = record !== undefined && observation?.state === 'missing';
    if (isGone) this.leaving.set(record.id, address);
    this.steps.push(
      clientStep(world, 'create', address, {
        reason: isGone ? 'gone' : 'new',
        because: isGone
          ? `${record.id} was deleted outside Tether (not in the list; GET returned 404)`
          : 'in the manifest, not on the service yet',
        inputs: entry.inputs,
        secrets: entry.secrets,
        values: sent,
        existing: matches,
        retiring: record?.retiring ?? [],
        needs: step === undefined ? [] : [step.id],
      }),
    );
    this.states.set(address, { state: 'new', step: `create ${address}`, old: undefined });
  }

  /** Another address whose create is not settled yet and would make an equal client. */
  private equalPending(address: string, sent: FieldValues): string | undefined {
    const { ledger } = this.world.inputs;
    const open = [...this.bindings.blocked.keys()].filter((one) => one !== address);
    const { clientKind } = this.world;
    return open.find((one) => {
      const pending = ledger.pending[one];
      const asFound = { id: '', values: pending?.values ?? {}, outputs: {} };
      return pending !== undefined && isAsCreated(clientKind, sent, withDefaults(this.world, asFound));
    });
  }

  /** The ids of the matches that the new client may stand beside; null after a problem. */
  private refuseMatches(address: string, entry: DesiredEntry, sent: FieldValues): readonly string[] | null {
    const { world } = this;
    const { clientKind, organization } = world;
    const clients = foundAll(world.inputs.observed, clientKind, { organization });
    if (clients === null) {
      this.leaveAlone(address, undefined);
      return null;
    }
    const held = heldIds(
      this.bindings.bound.flatMap((bound) => (this.isForgotten(bound.address) ? [] : (bound.record ?? []))),
    );
    const matches = possibleMatches(clientKind, sent, clients).filter(({ id }) => !held.has(id));
    const unexpected = matches.filter(({ id }) => !entry.allowDuplicate.includes(id));
    const [first] = unexpected;
    if (first === undefined) return matches.map(({ id }) => id);
    const described = unexpected.map(describeMatch).join('; ');
    const ids = unexpected.map(({ id }) => id).join(', ');
    this.problems.push({
      rule: 'possible-match',
      address,
      message: `${address} would be created beside a client with the same name, provider and URLs: ${described}. To manage that one, add its \`id:\` to the entry; to create another one, add \`allowDuplicate: [${ids}]\`.`,
      line: `id: ${first.id}`,
      at: entry.at,
    });
    return null;
  }

  private adopt({ address, record, step }: Bound, entry: DesiredEntry): void {
    const { world } = this;
    const { id = '' } = entry;
    const observation = world.observeClient(id);
    if (observation.state !== 'present') return;
    const { found } = observation;
    const { changes, isReplacement, notes } = differences(world, entry, found.values, undefined);
    if (isReplacement) {
      const fixed = changes.find(({ field }) => world.clientKind.fields[field]?.onChange === 'replace');
      const field = fixed?.field ?? '';
      const message = `${address} cannot adopt ${id}: its \`${field}\` is ${JSON.stringify(fixed?.from ?? null)}, and the API cannot change that. Correct the manifest, or remove the \`id:\` line to create a new client.`;
      this.problems.push({ rule: 'cannot-adopt', address, message, at: entry.fieldsAt[field] ?? entry.at });
      return;
    }
    if (record !== undefined) this.leaving.set(record.id, address);
    this.notes.push(...notes);
    this.states.set(address, { state: 'present', id, found });
    this.steps.push(
      clientStep(world, 'adopt', address, {
        reason: 'found',
        because: `${id} exists and the manifest names it`,
        objectId: id,
        inputs: valuesOf(changes),
        secrets: secretsOf(changes, entry),
        changes,
        values: managedValues(entry),
        observed: found.values,
        createdAt: String(found.outputs.createdAt),
        retiring: record?.retiring ?? [],
        needs: step === undefined ? [] : [step.id],
        risks: risksOf(changes),
      }),
    );
  }

  private delete(address: string, id: string, found: Found): void {
    const { world } = this;
    this.leaving.set(id, address);
    if (this.isClaimed(address, id)) return;
    const { destroy } = world.inputs;
    this.steps.push(
      clientStep(world, 'delete', address, {
        reason: destroy ? 'destroy' : 'removed-from-manifest',
        because: destroy
          ? 'everything that Tether manages here is to be destroyed'
          : 'managed by this ledger, no longer in the manifest',
        objectId: id,
        observed: found.values,
        approval: world.approval('destroy', address, id),
        needs: this.stepsAt(address),
      }),
    );
  }

  private forget(
    bound: Bound,
    { id, retiring = [] }: ClientRecord,
    reason: Step['reason'],
    because: string,
  ): void {
    const { address, step } = bound;
    const isByLine = reason === 'forget-line';
    this.leaves(address, isByLine ? { id, retiring } : { id });
    const needs = step === undefined ? [] : [step.id];
    this.steps.push(
      clientStep(this.world, 'forget', address, {
        ...{ reason, because, needs, objectId: id },
        retiring: isByLine ? [] : retiring,
      }),
    );
  }

  private leaves(address: string, { id, retiring = [] }: Pick<ClientRecord, 'id' | 'retiring'>): void {
    for (const one of [id, ...retiring]) this.leaving.set(one, address);
  }

  /** The predecessors of the address: deleted once the successor is there. */
  private retire({ address, entry, record }: Bound, observation: Observation | undefined): void {
    const { world } = this;
    for (const id of record?.retiring ?? []) {
      if (this.isForgotten(address)) continue;
      this.leaving.set(id, address);
      const old = world.observeClient(id);
      const name = `${address} (${id})`;
      const needs = this.stepsAt(address);
      const details = { id: `delete ${name}`, objectId: id, reason: 'replaced', needs } as const;
      if (world.forget.has(`${world.clientKind.kind}/${id}`)) {
        const because = 'a `forget` line names it';
        const more = { ...details, id: `forget ${name}`, reason: 'forget-line', because } as const;
        this.steps.push(clientStep(world, 'forget', address, more));
      } else if (old.state === 'missing') {
        const because = `${id}, the predecessor of ${address}, is gone`;
        const more = { ...details, id: `forget ${name}`, reason: 'already-gone', because } as const;
        this.steps.push(clientStep(world, 'forget', address, more));
      } else if (old.state === 'unknown') {
        const message = `${id}, the predecessor of ${address}, is left alone, because ${old.why}.`;
        const line = `forget: [${world.clientKind.kind}/${id}]`;
        this.unknown.push({ address, message, line });
      } else if ((entry === undefined || this.hasSuccessor(address)) && !this.isClaimed(address, id)) {
        this.steps.push(this.retirement(address, id, old.found, details.id));
      }
    }
    const replacement = this.steps.find(({ id }) => id === `replace ${address}`);
    if (replacement?.objectId !== undefined && observation?.state === 'present') {
      this.leaving.set(replacement.objectId, address);
      if (this.isClaimed(address, replacement.objectId)) return;
      const id = `delete ${address} (${replacement.objectId})`;
      this.steps.push(this.retirement(address, replacement.objectId, observation.found, id));
    }
  }

  /** The `id:` line of another address names it, in contradiction to the ledger: what a line wants is not deleted. */
  private isClaimed(address: string, id: string): boolean {
    const claimant = this.claims.get(id);
    if (claimant === undefined || claimant === address) return false;
    const message = `${id}, which belongs to ${address}, is left alone, because the \`id:\` line of ${claimant} names it.`;
    this.unknown.push({ address, message });
    return true;
  }

  private hasSuccessor(address: string): boolean {
    const state = this.states.get(address)?.state;
    return state === 'new' || state === 'present';
  }

  /** What the plan does with the address so far comes first. */
  private stepsAt(address: string): readonly string[] {
    return this.steps.filter((step) => step.address === address).map(({ id }) => id);
  }

  private retirement(address: string, objectId: string, { values }: Found, id: string): Step {
    const { world } = this;
    const needs = this.stepsAt(address);
    return clientStep(world, 'delete', address, {
      ...{ id, objectId, needs },
      reason: 'replaced',
      because: `${objectId} is replaced by a new client`,
      observed: values,
      approval: world.approval('replace', address, objectId, 'destroy'),
    });
  }
}

/** A wanted object as it would be listed. */
function withDefaults({ clientKind }: World, { id, values, outputs }: Found): Found {
  const all: Record<string, FieldValue> = {};
  for (const [name, field] of Object.entries(clientKind.fields)) {
    if (!field.writeOnly) all[name] = values[name] ?? field.default ?? null;
  }
  return { id, values: all, outputs };
}

function valuesOf(changes: Step['changes']): FieldValues {
  return Object.fromEntries(
    changes.flatMap(({ field, to }) => (to === undefined ? [] : [[field, to] as const])),
  );
}

function secretsOf(changes: Step['changes'], { secrets }: DesiredEntry): Step['secrets'] {
  return Object.fromEntries(
    changes.flatMap(({ field, secret }) => {
      const source = secrets[field];
      return secret === undefined || source === undefined ? [] : [[field, source] as const];
    }),
  );
}

function risksOf(changes: Step['changes']): readonly string[] {
  return [...new Set(changes.flatMap(({ risk }) => risk ?? []))];
}
