/** Plans the wanted links, row by row of the table in docs/architecture.md. */
import type { DesiredEntry } from '../../manifest/desired';
import { groupBy } from '../../resources/groups';
import {
  addressesIn,
  type DesiredValues,
  type Found,
  type Key,
  type ResourceDefinition,
} from '../../resources/kind';
import { externalKinds } from '../../resources/names';
import { ledgerKey, pairOf } from '../ledger-key';
import type { Context } from './context';
import { type ObjectState, type ObjectStates, stableId } from './object-task';
import type { Plan, Step } from './plan';
import {
  buildStep,
  deleteDuplicates,
  type Findings,
  joinFindings,
  leaveAlone,
  leaveAsItIs,
  problem,
  stepId,
  type Why,
} from './steps';

/** Shared: there may be a hundred thousand links. */
const none: readonly never[] = [];

export type PlannedLinks = ReturnType<typeof planLinks>;

export function planLinks(context: Context, states: ObjectStates) {
  /** Ledger keys, where the pair is known. */
  const wanted = new Set<string>();
  /** Those new to the ledger that this plan leaves alone; they may be meant in place of one that it has. */
  const unseen: { readonly kind: string; readonly address: string; readonly ids: Key }[] = [];
  const parts: Findings[] = [];
  /** How many the ledger has and this plan looked at. */
  let heldCount = 0;
  for (const entry of context.linkEntries) {
    const task = linkTask(context, states, entry);
    const { ids, about, held, isKnown } = task;
    // Also where it has to wait: a client with a problem must not lose its attachments.
    if (isKnown) wanted.add(about.key);
    const remark = context.linkRemarks.get(entry);
    const refused = remark?.problems === undefined ? refuseLink(task) : {};
    const planned = refused ?? (isKnown ? planPair(task) : planPendingPair(task));
    if (remark !== undefined) parts.push(remark);
    parts.push(planned);
    const isLeft = planned.unknown ?? planned.problems ?? remark?.unknown ?? remark?.problems;
    if (held === undefined && isLeft) unseen.push({ kind: entry.kind, address: entry.address, ids });
    if (refused === null && held !== undefined) heldCount += 1;
  }
  const found = joinFindings(parts);
  const notes = [...found.notes, ...accessNotes(context, found.steps)];
  return { ...found, notes, wanted, held: heldCount, unseen };
}

/** Of new links one end was looked at: to read a list of each other end costs more than its create, which tells. */
function accessNotes(context: Context, steps: readonly Step[]): Plan['notes'] {
  const creates = groupBy(
    steps.filter(({ action }) => action === 'create'),
    ({ kind }) => kind,
  );
  return [...creates].flatMap(([kind, ofKind]) => {
    const definition = context.definition(kind);
    return definition.section.ends.flatMap(({ field, singular, plural = singular }) => {
      const ids = new Set(ofKind.map(({ managed }) => managed[field]));
      const count = [...ids].filter((id) => context.isUnchecked(definition, field, id)).length;
      const what = count === 1 ? singular : plural;
      const text = `access to ${count} ${what} not checked: apply finds out with the first create of each`;
      return count === 0 ? [] : [{ address: '', code: 'access-not-checked', text }];
    });
  });
}

type LinkTask = ReturnType<typeof linkTask>;

function linkTask(context: Context, states: ObjectStates, entry: DesiredEntry) {
  const { kind, address, file, inputs } = entry;
  const definition = context.definition(kind);
  /** Of the ends, as far as known. */
  const ids = pairOf(definition, inputs, (owner) => stableId(states, owner));
  const isKnown = definition.pair.every((field) => ids[field] !== undefined);
  const key = ledgerKey(definition, ids);
  return {
    context,
    definition,
    entry,
    /** Of what it refers to by address. */
    owners: ownersOf(states, inputs),
    ids,
    isKnown,
    about: { kind, address, key: isKnown ? key : address, file },
    held: context.ledger.objects[key],
  };
}

function ownersOf(states: ObjectStates, inputs: DesiredValues): readonly ObjectState[] {
  const addresses = addressesIn(inputs);
  return addresses.length === 0 ? none : addresses.map((owner) => states.get(owner) ?? notPlanned);
}

const notPlanned: ObjectState = { id: null, why: 'what it refers to is not planned' };

function refuseLink(task: LinkTask): Findings | null {
  const { entry, owners } = task;
  const wrong = wrongEnd(task);
  if (wrong !== null) return problem(entry, 'bad-end', wrong);
  const why = owners.find((owner) => owner.why !== undefined)?.why;
  return why === undefined ? null : leaveAlone(entry.address, `it waits: ${why}`);
}

/** What is wrong with an end that is an id; null when nothing is, or it is unknown. */
function wrongEnd(task: LinkTask) {
  const { context, entry } = task;
  for (const { id, kind, leaving } of endsById(task)) {
    const needs = `${entry.address} needs ${id}, which`;
    if (leaving !== undefined && !context.isLetGo(leaving)) {
      return `${needs} is ${leaving} in the ledger, and that is not in the manifests any more: remove this line too, or let the client go with \`forget: [${leaving}]\``;
    }
    const all = context.found(kind);
    const found = all?.find((one) => one.id === id);
    if (all !== null && found === undefined) {
      return `${needs} does not exist: correct the line, or remove it`;
    }
    const organization = found?.values.organization ?? context.organization;
    if (organization !== context.organization) {
      return `${needs} belongs to organization ${String(organization)}: correct the line, or remove it`;
    }
  }
  return null;
}

/** The ends that are ids of managed kinds; `leaving`: the ledger key of what no manifest wants. */
function endsById({ context, definition: { fields, pair }, entry }: LinkTask) {
  const { registry, keyOfId, bindings } = context;
  const ends: { id: string; kind: ResourceDefinition; leaving: string | undefined }[] = [];
  for (const field of pair) {
    const refersTo = fields[field]?.refersTo ?? '';
    const id = entry.inputs[field];
    const kind = externalKinds[refersTo] ? undefined : registry.find((one) => one.kind === refersTo);
    if (typeof id !== 'string' || kind === undefined) continue;
    const key = keyOfId.get(id);
    ends.push({ id, kind, leaving: key !== undefined && bindings.boundKeys.has(key) ? undefined : key });
  }
  return ends;
}

/** An end is yet to be made: the link cannot exist. */
function planPendingPair({ context, definition, entry: { inputs }, owners, about }: LinkTask): Findings {
  const needs = owners.flatMap(({ step }) => step ?? []);
  // With the id of what is replaced.
  const before = pairOf(definition, inputs, () => owners[0]?.id ?? null);
  const isWhole = Object.keys(before).length === definition.pair.length;
  const isMoved = isWhole && (context.found(definition, before) ?? []).length > 0;
  const why: Why = isMoved
    ? ['moved', 'moves to the new client']
    : ['new', 'created together with its client'];
  return { steps: [buildStep('create', about, why, { needs, inputs, managed: inputs })] };
}

function planPair(task: LinkTask): Findings {
  const { context, definition, entry, ids, about, held } = task;
  const { inputs } = entry;
  const isPending = context.ledger.pending[about.key] !== undefined;
  const all = context.found(definition, ids) ?? [];
  // Ours, else the oldest that any list shows.
  const chosen = all.find((found) => found.id === held?.id) ?? all[0];
  if (chosen === undefined) {
    const byId = context.observe(definition, ids, held?.id);
    // Somebody may have made another one for the pair since, where the token cannot see it.
    const isReplaced = held !== undefined && byId.state === 'missing';
    const observation = isReplaced ? context.observe(definition, ids) : byId;
    if (observation.state === 'unknown') return leaveAlone(about.address, observation.why);
    const why = whyCreate(held !== undefined, isPending);
    return { steps: [buildStep('create', about, why, { inputs, managed: ids })] };
  }
  const { id, values: observed } = chosen;
  const others = all.length === 1 ? none : all.filter((found) => found !== chosen);
  const duplicates = planDuplicates(task, others);
  // The line takes the link over again after its client is let go.
  const needs = endsById(task).flatMap(({ leaving }) =>
    leaving !== undefined && context.isLetGo(leaving) ? stepId('forget', leaving) : [],
  );
  if (held?.id === id && needs.length === 0) {
    // A link without an id of its own is all that an unfinished create of its pair could make.
    const isFinished = definition.idPrefix === undefined && isPending;
    const isRecorded = held.file === entry.file && !isFinished;
    return { ...duplicates, ...leaveAsItIs(about, ids, isRecorded) };
  }
  const because =
    needs.length === 0
      ? 'already exists; Tether will manage it'
      : 'its client is let go, and this line keeps the link';
  const more = { objectId: id, needs, inputs, managed: ids, observed };
  const adopt = buildStep('adopt', about, ['found', because], more);
  return { ...duplicates, steps: [...(duplicates.steps ?? []), adopt] };
}

function whyCreate(isHeld: boolean, isPending: boolean): Why {
  if (isHeld) return ['gone', 'deleted outside Tether'];
  if (isPending) return ['interrupted', 'its creation was interrupted'];
  return ['new', 'in the manifest, not found on the service'];
}

/** Further links of a wanted pair go when we made them or an exact set covers them. */
function planDuplicates({ context, about, ids }: LinkTask, others: readonly Found[]): Findings {
  if (others.length === 0) return {};
  const { kind, address, key } = about;
  const [ours, rest] = context.lateArrivals(kind, key, others);
  const steps = deleteDuplicates(about, ours, ids, true);
  const isCovered = Object.values(ids).some((id) =>
    context.around
      .sets(id)
      .some(
        (set) =>
          set.kind === kind && Object.entries(set.fixed).every(([field, value]) => ids[field] === value),
      ),
  );
  if (isCovered) return { steps: [...steps, ...deleteDuplicates(about, rest, ids, false)] };
  const text = 'made by somebody else, links the same pair a second time';
  return { steps, notes: rest.map(({ id }) => ({ address, code: 'duplicate', text: `${id}, ${text}` })) };
}
