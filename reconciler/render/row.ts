/** One row of a plan or a drift report: a step or a drifted object in words. Pure; every text is safe to show. */
import { plainLines } from '../../client/text';
import { nameInAddress } from '../../manifest/desired';
import { type FieldValue, isReference, sameValue, setFields } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Action, PlannedChange, Step } from '../plan/plan';
import { linksOfEnded, withoutReplaced } from '../plan/steps';
import { cut, type Style, showMembers, showName, showValue } from './text';

type NameOf = Style['nameOf'];

/** Of a field: from one value to another, or what a set gains and loses. */
export interface ShownChange {
  readonly field: string;
  readonly isRisky: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
  /** `secret, new`; may be empty. */
  readonly note: string;
  /** Where both sides changed it: what was, is and will be. */
  readonly conflict?: readonly string[];
}

/** An object or a link, and what becomes of it. A replacement is one row. */
export interface Row {
  readonly kind: string;
  readonly mark: Action | DriftItem['state'];
  /** Of a link its first end, by which it is grouped; else empty. */
  readonly owner: string;
  /** `agency`; of a link its far end. */
  readonly name: string;
  /** Empty where there is none yet. */
  readonly id: string;
  /** Empty where it goes without saying or the section says it. */
  readonly why: string;
  /** The mark says as much as `why`. */
  readonly isOrdinary: boolean;
  /** May be folded away: it takes nothing away, and nothing is to be said of it. */
  readonly isPlain: boolean;
  readonly changes: readonly ShownChange[];
  /** What is no reason to worry: what a replacement takes over. */
  readonly notes: readonly string[];
  readonly risks: readonly string[];
  readonly approval: '' | 'approved' | 'needs approval, see below';
}

/** What goes without saying of an action with that reason, unless others stand beside it. */
const ordinary: Readonly<Record<string, string>> = {
  'create new': 'new',
  'update manifest-changed': 'the manifest changed',
  'update protection-changed': 'its protection changes',
  'delete destroy': 'destroy was asked for',
};

/** Who uses it is no worry where nobody does. */
const unused = unlinkedBy({ count: 0, names: [] });

/** A row for each step, in their order, but one for a replacement. */
export function rowsOfSteps(all: readonly Step[], nameOf: NameOf): Row[] {
  const links = linksOfEnded(all, registry);
  const replacing = new Map(all.flatMap((step) => (step.action === 'replace' ? [[step.address, step]] : [])));
  /** Whether an object that is replaced has the link today: its successor gets it too. */
  const isMoved = ({ action, inputs }: Step) => {
    const ends = Object.values(inputs);
    const owners = ends.flatMap((end) => (isReference(end) ? (replacing.get(end.address) ?? []) : []));
    const today = owners.flatMap(links.today);
    return action === 'create' && ends.some((end) => typeof end === 'string' && today.includes(end));
  };
  return withoutReplaced(all).map((step) => rowOfStep(step, isMoved(step), links.lost(step), nameOf));
}

function rowOfStep(step: Step, isMoved: boolean, lost: readonly string[], nameOf: NameOf): Row {
  const { kind, action, reason, movedFrom, objectId = '', changes, approval, unmanaged } = step;
  const isNew = action === 'create';
  const usual = unmanaged ? undefined : ordinary[`${action} ${reason}`];
  const renewed = reason === 'manifest-changed' ? '' : `: ${step.because}`;
  const because =
    movedFrom !== undefined
      ? `from ${nameInAddress(movedFrom)}`
      : action === 'replace'
        ? `a new one takes its place${renewed}`
        : (usual ?? step.because);
  const isCarried = ({ from, to, conflict }: PlannedChange) =>
    to !== undefined && sameValue(from, to) && !conflict;
  // A new object needs its secrets too, changed or not.
  const again = Object.keys(action === 'replace' ? step.secrets : {})
    .filter((field) => !changes.some((change) => change.field === field))
    .map((field) => ({ field: fieldName(kind, field), isRisky: false, note: 'secret, new' }));
  const carried = changes
    .filter(isCarried)
    .map(({ field, to }) => `${fieldName(kind, field)} ${showValue(spelt(kind, field, to, nameOf))}`);
  const risks = [...risksOf(step), ...riskOfLost(step, lost.map(nameOf).sort())];
  const worries = risks.filter((risk) => risk !== unused);
  return {
    ...placeOf(step),
    mark: action,
    id: isNew ? '' : cut(objectId),
    why: isMoved ? 'moves to the new client' : plainLines(unmanaged ? `unmanaged: ${because}` : because),
    isOrdinary: usual !== undefined && !isMoved,
    // What is made again was taken away by somebody: that is news.
    isPlain:
      worries.length === 0 && ((isNew && reason === 'new') || (action === 'adopt' && changes.length === 0)),
    changes: [...changes.flatMap((one) => (isCarried(one) ? [] : shownChange(step, one, nameOf))), ...again],
    notes: [
      ...(carried.length === 0 ? [] : [`carried over: ${carried.join(', ')}`]),
      ...(worries.length < risks.length ? [unused] : []),
    ],
    risks: worries.map(plainLines),
    approval: approval === undefined ? '' : approval.given ? 'approved' : 'needs approval, see below',
  };
}

const driftTitles = { changed: 'changed outside Tether', gone: 'gone', unmanaged: 'unmanaged' };
/** Nothing tells one from the other. */
const already = 'as the manifests want it: by somebody else, or by an apply that was interrupted';

export function rowOfItem(item: DriftItem, nameOf: NameOf): Row {
  const { kind, objectId, state, fields, evidence, asDesired } = item;
  const proof = evidence.join('; ');
  const title = asDesired ? `${state}, ${already}` : driftTitles[state];
  return {
    ...placeOf(item),
    mark: state,
    id: cut(objectId ?? ''),
    why: plainLines(proof === '' ? title : `${title}; ${state === 'gone' ? 'checked: ' : ''}${proof}`),
    isOrdinary: false,
    isPlain: false,
    changes: fields.map(({ field, was, is }) => {
      const { from, to, ...members } = shownValues(
        spelt(kind, field, was, nameOf),
        spelt(kind, field, is, nameOf),
      );
      // No arrow says which way time goes.
      const spoken =
        from === undefined || to === undefined ? members : { from: `was ${from}`, to: `is ${to}` };
      return { field: fieldName(kind, field), isRisky: false, ...spoken, note: '' };
    }),
    notes: [],
    risks: [],
    approval: '',
  };
}

function placeOf({ kind, address }: Pick<Step, 'kind' | 'address'>): Pick<Row, 'kind' | 'owner' | 'name'> {
  const name = nameInAddress(address);
  const end = definition(kind)?.pair.length === 0 ? -1 : name.indexOf('/');
  return { kind, owner: showName(name.slice(0, Math.max(0, end))), name: showName(name.slice(end + 1)) };
}

export function definition(kind: string) {
  return registry.find((one) => one.kind === kind);
}

/** `ends`: of links that go with an object without a step of their own. */
function riskOfLost({ action, kind }: Step, ends: readonly string[]) {
  if ((action !== 'delete' && action !== 'replace') || ends.length === 0) return [];
  const links = setFields(registry).filter(({ owner }) => owner === kind);
  const title = links.map((one) => definition(one.kind)?.title.toLowerCase()).join();
  const what = action === 'delete' ? `its ${title} go with it` : `${title} that the new one does not get`;
  return [`${what}: ${ends.map(showName).join(', ')}`];
}

/** What a replacement unlinks, the step's own risks say more exactly than those of its fields. */
function risksOf(step: Step): readonly string[] {
  const ofFields = new Set(step.changes.flatMap(({ risk }) => risk ?? []));
  const isExact = step.risks.some((risk) => !ofFields.has(risk));
  const coarse = new Set(step.changes.flatMap((one) => (isExact && isFixed(step, one) ? one.risk : [])));
  return [...new Set([...step.risks, ...ofFields])].filter((risk) => !coarse.has(risk));
}

/** Whether the change is why the object is replaced. */
function isFixed({ action, kind }: Step, { field }: PlannedChange) {
  return action === 'replace' && definition(kind)?.fields[field]?.onChange === 'replace';
}

const secretWords = {
  same: 'unchanged, written again',
  new: 'new',
  changed: 'changed',
  unverified: 'not verified',
  'not-compared': 'not compared',
} as const;

function shownChange(step: Step, change: PlannedChange, nameOf: NameOf): ShownChange {
  const { field, secret, risk, local, conflict } = change;
  const [from, to, baseline] = [change.from, change.to, change.baseline].map((value) =>
    spelt(step.kind, field, value, nameOf),
  );
  const notes = [
    secret === undefined ? [] : `secret, ${secretWords[secret]}`,
    local ? 'in the ledger only' : [],
    secret === undefined && to === undefined ? 'kept' : [],
    isFixed(step, change) ? 'cannot change in place' : [],
  ];
  return {
    field: fieldName(step.kind, field),
    isRisky: risk !== undefined,
    ...shownValues(from, to),
    note: notes.flat().join('; '),
    ...(conflict && {
      conflict: [
        `last applied         ${showValue(baseline)}`,
        `changed elsewhere to ${showValue(from)}`,
        `the manifest says    ${showValue(to)}`,
      ],
    }),
  };
}

function shownValues(from: FieldValue | undefined, to: FieldValue | undefined): Partial<ShownChange> {
  if (Array.isArray(from) && Array.isArray(to)) return showMembers(from, to);
  return {
    ...(from !== undefined && { from: showValue(from) }),
    ...(to !== undefined && { to: showValue(to) }),
  };
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what is no field (`protect`). */
export function fieldName(kind: string, field: string): string {
  return cut(definition(kind)?.fields[field]?.manifestName ?? field);
}

/** With what the manifests call the objects that its ids refer to. */
export function spelt<Value extends FieldValue | undefined>(
  kind: string,
  field: string,
  value: Value,
  nameOf: NameOf,
) {
  if (definition(kind)?.fields[field]?.refersTo === undefined) return value;
  if (typeof value === 'string') return nameOf(value);
  return Array.isArray(value) ? value.map(nameOf) : value;
}
