/** Plans the wanted links, row by row of the table in docs/architecture.md. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import { type Found, isReference, type Key, type ResourceDefinition } from '../../resources/kind';
import type { LedgerObject } from '../ledger/ledger';
import { ledgerKey, pairOf } from '../ledger-key';
import { allLinks, type Context, definitionFor, isLateArrival, observationIn } from './context';
import { forgetSteps, wrongEnd } from './lines';
import { type ObjectStates, presentId } from './object-task';
import type { Step } from './plan';
import {
  type About,
  aboutEntry,
  buildStep,
  duplicateStep,
  type Findings,
  joinFindings,
  type Why,
} from './steps';

export interface PlannedLinks extends Findings {
  /** Ledger keys of all wanted links whose pair is known. */
  readonly wanted: ReadonlySet<string>;
  /** How many wanted links the ledger has and this plan looked at. */
  readonly held: number;
  /** Addresses of those that were proved missing; what went with a missing object is left out. */
  readonly missing: readonly string[];
  /** Wanted links, new to the ledger, that this plan leaves alone: they may be meant in place of one that it has. */
  readonly unseen: readonly UnseenLink[];
}

export interface UnseenLink {
  readonly kind: string;
  readonly address: string;
  readonly ids: Key;
}

interface LinkTask {
  readonly context: Context;
  readonly states: ObjectStates;
  readonly definition: ResourceDefinition;
  readonly entry: DesiredEntry;
  /** The objects it refers to by their address. */
  readonly references: readonly string[];
}

/** What every wanted link needs. */
export function planLinks(context: Context, states: ObjectStates): PlannedLinks {
  const wanted = new Set<string>();
  const missing: string[] = [];
  const unseen: UnseenLink[] = [];
  const parts: Partial<Findings>[] = [];
  let held = 0;
  for (const entry of context.linkEntries) {
    const { kind, address, inputs } = entry;
    const definition = definitionFor(context, entry);
    const ids = pairOf(definition, inputs, (owner) => presentId(states, owner));
    const isKnown = Object.keys(ids).length === definition.pair.length;
    const key = ledgerKey(definition, ids);
    // Also what has to wait is wanted: without this, a client with a problem would lose its attachments.
    if (isKnown) wanted.add(key);
    const references = Object.values(inputs).flatMap((end) => (isReference(end) ? [end.address] : []));
    const task = { context, states, definition, entry, references };
    const refused = refuseLink(task);
    const known = context.ledger.objects[key];
    const planned = refused ?? (isKnown ? planPair(task, ids, key, known) : planPendingPair(task));
    parts.push(byIdWarning(task), planned);
    const isLeft = (planned.undetermined?.length ?? 0) + (planned.problems?.length ?? 0) > 0;
    if (known === undefined && isLeft) unseen.push({ kind, address, ids });
    if (refused !== null || !isKnown || known === undefined) continue;
    held += 1;
    const isMissing = planned.steps?.some((step) => step.reason === 'gone');
    if (isMissing && !references.some((one) => states.get(one)?.isMissing)) missing.push(address);
  }
  return { ...joinFindings(parts), wanted, held, missing, unseen };
}

function byIdWarning({ context, entry }: LinkTask): Partial<Findings> {
  const named = context.byId.get(entry);
  if (named === undefined || named.contradicted) return {};
  const { address: path, at } = entry;
  return { warnings: [{ rule: 'link-by-id', severity: 'warning', message: named.message, path, at }] };
}

function refuseLink({ context, states, definition, entry, references }: LinkTask): Partial<Findings> | null {
  const { address, at } = entry;
  const problem = (rule: string, message: string): Partial<Findings> => ({
    problems: [{ rule, severity: 'error', message, path: address, at, address }],
  });
  const named = context.byId.get(entry);
  if (named?.contradicted) return problem('link-contradicted', named.message);
  const wrong = wrongEnd(context, definition, entry);
  if (wrong !== null) return problem('bad-end', wrong);
  for (const reference of references) {
    const { state, why } = states.get(reference) ?? { state: 'stopped' };
    if (state !== 'stopped') continue;
    return { undetermined: [{ address, why: `it waits: ${why ?? 'what it refers to is not planned'}` }] };
  }
  return null;
}

/** A link of an object that this plan creates or replaces: nothing of it can exist yet. */
function planPendingPair({ states, entry, references }: LinkTask): Partial<Findings> {
  const needs = references.flatMap((address) => states.get(address)?.step ?? []);
  const why = ['new', 'it follows the client that this plan makes'] as const;
  const { inputs } = entry;
  return { steps: [buildStep('create', aboutEntry(entry), why, { needs, inputs, managed: inputs })] };
}

/** `held`: what the ledger has of the pair. */
function planPair(task: LinkTask, ids: Key, key: string, held: LedgerObject | undefined): Partial<Findings> {
  const { context, definition, entry } = task;
  const about = aboutEntry(entry, key);
  const byId = observationIn(context, definition, ids, held?.id);
  // Ours is missing; somebody may have made another one for the pair since, where the token cannot see it.
  const observation = byId.state === 'missing' ? observationIn(context, definition, ids) : byId;
  if (observation.state === 'unknown') {
    return { undetermined: [{ address: entry.address, why: observation.why }] };
  }
  if (observation.state === 'missing') {
    const why = whyCreate(held !== undefined, context.ledger.pending[key] !== undefined);
    return { steps: [buildStep('create', about, why, { inputs: entry.inputs, managed: ids })] };
  }
  const all = allLinks(context, definition, ids) ?? [];
  // Ours where the ledger holds one, else the oldest that any list shows.
  const chosen = all.find((found) => found.id === held?.id) ?? all[0] ?? observation.found;
  const others = all.filter((found) => found.id !== chosen.id);
  const letGo = forgetSteps(context, definition, entry);
  const rest =
    held?.id === chosen.id && letGo.length === 0
      ? leaveAsItIs(task, ids, key, held)
      : { steps: [adoptStep(entry, about, chosen, ids, letGo)] };
  return joinFindings([planDuplicates(context, definition, about, others, ids), rest]);
}

function whyCreate(isHeld: boolean, isInterrupted: boolean): Why {
  if (isHeld) return ['gone', 'it is gone: the lists that would show it do not'];
  if (isInterrupted) return ['interrupted', 'its creation was interrupted'];
  return ['new', 'it is in the manifest and does not exist'];
}

/** `letGo`: the steps that let its client go, after which the line takes the link over again. */
function adoptStep(
  { inputs }: DesiredEntry,
  about: About,
  { id, values }: Found,
  managed: Key,
  letGo: readonly string[],
): Step {
  const because =
    letGo.length === 0
      ? `${id} exists and becomes ours`
      : 'its client is let go, and this line keeps the link';
  return buildStep('adopt', about, ['found', because], {
    objectId: id,
    needs: letGo,
    inputs,
    managed,
    observed: values,
  });
}

/** Nothing to do; the ledger may have to learn in which file it stands, or that a create it began is finished. */
function leaveAsItIs(
  { context, definition, entry: { address, file } }: LinkTask,
  managed: Key,
  key: string,
  held: LedgerObject,
): Partial<Findings> {
  // A link without an id of its own is all that an unfinished create of its pair could make.
  const isFinished = definition.idPrefix === undefined && context.ledger.pending[key] !== undefined;
  const isKnown = held.file === file && !isFinished;
  return { unchanged: [address], baselineRefresh: isKnown ? [] : [{ key, managed, file }] };
}

/** Further links of a wanted pair go when our journal made them or an exact set covers them. */
function planDuplicates(
  context: Context,
  { kind }: ResourceDefinition,
  about: About,
  others: readonly Found[],
  ids: Key,
): Partial<Findings> {
  const { address, key } = about;
  const isLate = isLateArrival(context, kind, key);
  const isCovered = context.desired.sets.some(
    (set) => set.kind === kind && Object.entries(set.fixed).every(([field, value]) => ids[field] === value),
  );
  if (isLate || isCovered) {
    return { steps: others.map((other) => duplicateStep(about, other, ids, isLate ? 'late' : 'covered')) };
  }
  const text = ({ id }: Found): string => `${id}, made by somebody else, links the same pair a second time`;
  return { notes: others.map((other) => ({ address, code: 'twin', text: text(other) })) };
}
