/** One row of a plan or a drift report: a step or a drifted object in words. Pure; every text is safe to show. */
import { plainLines } from '../../client/text';
import { nameInAddress } from '../../manifest/desired';
import { type FieldValue, isReference, sameValue, setMembers } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Action, PlannedChange, Step } from '../plan/plan';
import { cut, showMembers, showValue } from './text';

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
  /** Last applied; present where both sides changed it, and the manifest wins. */
  readonly baseline?: string;
}

/** An object or a link, and what becomes of it. A replacement is one row. */
export interface Row {
  readonly mark: Action | DriftItem['state'];
  /** `agency`; of a link its far end. */
  readonly name: string;
  /** Empty where there is none yet. */
  readonly id: string;
  /** Empty where it goes without saying or the section says it. */
  readonly why: string;
  readonly changes: readonly ShownChange[];
  /** What a replacement takes over as it is. */
  readonly carried: readonly ShownChange[];
  readonly risks: readonly string[];
  readonly approval: '' | 'approved' | 'needs approval, see below';
}

/** A row with what decides its place. */
export interface Placed {
  readonly row: Row;
  readonly kind: string;
  /** Of a link. */
  readonly owner?: string;
  readonly isOrdinary: boolean;
  /** May be folded away: it takes nothing away, and says nothing but that it is there. */
  readonly isPlain: boolean;
}

/** What goes without saying of an action with that reason, unless others stand beside it. */
const ordinary: Readonly<Record<string, string>> = {
  'create new': 'new',
  'update manifest-changed': 'the manifest changed',
  'update protection-changed': 'its protection changes',
  'replace manifest-changed': 'a new one takes its place',
  'delete destroy': 'destroy was asked for',
};

export function placedStep(step: Step, replaced: ReadonlyMap<string, Step>): Placed {
  const { action, kind, address, movedFrom, objectId = '', reason, changes, approval, unmanaged } = step;
  const from = movedFrom === undefined ? '' : `from ${cut(nameInAddress(movedFrom))}`;
  const special = action === 'create' && follows(step, replaced) ? 'moves to the new client' : from;
  const usual = special === '' && !unmanaged ? ordinary[`${action} ${reason}`] : undefined;
  const because = special || (usual ?? step.because);
  const secrets = Object.keys(action === 'replace' ? step.secrets : {});
  // A new object needs its secrets too, changed or not.
  const again = secrets
    .filter((field) => !changes.some((change) => change.field === field))
    .map((field) => ({ field: fieldName(kind, field), isRisky: false, note: 'secret, new' }));
  const isCarried = ({ from, to, conflict }: PlannedChange) =>
    to !== undefined && sameValue(from, to) && !conflict;
  const show = (some: readonly PlannedChange[]) => some.map((change) => shownChange(step, change));
  const risks = risksOf(step).map(plainLines);
  const row: Row = {
    mark: action,
    ...namesOf(kind, address).row,
    id: action === 'create' ? '' : cut(objectId),
    why: plainLines(unmanaged ? `unmanaged: ${because}` : because),
    changes: [...show(changes.filter((change) => !isCarried(change))), ...again],
    carried: show(changes.filter(isCarried)),
    risks,
    approval: approval === undefined ? '' : approval.given ? 'approved' : 'needs approval, see below',
  };
  const isPlain = action === 'create' || (action === 'adopt' && changes.length === 0);
  return {
    row,
    kind,
    ...namesOf(kind, address).placed,
    isOrdinary: usual !== undefined && action !== 'replace',
    isPlain: isPlain && risks.length === 0 && approval === undefined,
  };
}

export function placedItem({
  kind,
  address,
  objectId,
  state,
  fields,
  evidence,
  asDesired,
}: DriftItem): Placed {
  const titles = { changed: 'changed outside Tether', gone: 'gone', unmanaged: 'unmanaged' };
  // Nothing tells one from the other.
  const already = 'as the manifests want it: by somebody else, or by an apply that was interrupted';
  const title = asDesired ? `${state}, ${already}` : titles[state];
  const proof =
    state === 'gone' && evidence.length > 0 ? ['checked', evidence.join('; ')].join(': ') : evidence;
  const shown = fields.map(({ field, was, is }) => ({
    field: fieldName(kind, field),
    isRisky: false,
    ...spoken(shownValues(was, is)),
    note: '',
  }));
  const row: Row = {
    mark: state,
    ...namesOf(kind, address).row,
    id: cut(objectId ?? ''),
    why: plainLines([title, proof].flat().join('; ')),
    changes: shown,
    carried: [],
    risks: [],
    approval: '',
  };
  return { row, kind, ...namesOf(kind, address).placed, isOrdinary: false, isPlain: false };
}

/** No direction of time is left to an arrow. */
function spoken({ from, to, ...members }: ReturnType<typeof shownValues>) {
  return from === undefined || to === undefined ? members : { from: `was ${from}`, to: `is ${to}` };
}

/** The name in a row: of a link its far end, beside the one by which it is grouped. */
function namesOf(kind: string, address: string) {
  const [first = '', ...far] = nameInAddress(address).split('/').map(cut);
  const isLink = far.length > 0 && (definition(kind)?.pair.length ?? far.length) > 0;
  return isLink
    ? { row: { name: far.join('/') }, placed: { owner: first } }
    : { row: { name: [first, ...far].join('/') }, placed: {} };
}

export function definition(kind: string) {
  return registry.find((one) => one.kind === kind);
}

/** Whether an object that is replaced has the link today: its successor gets it too. */
function follows({ kind, inputs }: Step, replaced: ReadonlyMap<string, Step>) {
  const ends = Object.values(inputs);
  return ends.some((end) => {
    const owner = isReference(end) ? replaced.get(end.address) : undefined;
    const fields = Object.entries(definition(owner?.kind ?? '')?.fields ?? {});
    const [name = ''] = fields.find(([, { exactSetOf }]) => exactSetOf === kind) ?? [];
    const today = setMembers(owner?.observed?.[name]);
    return ends.some((other) => typeof other === 'string' && today.includes(other));
  });
}

/** What a replacement unlinks, the step's own risks say more exactly than those of its fields. */
function risksOf({ action, kind, changes, risks }: Step): string[] {
  const { fields = {} } = definition(kind) ?? {};
  const ofFields = new Set(changes.flatMap(({ risk }) => risk ?? []));
  const isExact = action === 'replace' && risks.some((risk) => !ofFields.has(risk));
  const coarse = changes.flatMap(({ field, risk }) =>
    isExact && fields[field]?.onChange === 'replace' ? risk : [],
  );
  return [...new Set([...risks, ...ofFields])].filter((risk) => !coarse.includes(risk));
}

const secretWords = {
  same: 'unchanged, written again',
  new: 'new',
  changed: 'changed',
  unverified: 'not verified',
  'not-compared': 'not compared',
} as const;

function shownChange({ action, kind }: Step, change: PlannedChange): ShownChange {
  const { field, from, to, secret, risk, local, conflict, baseline } = change;
  const isFixed = action === 'replace' && definition(kind)?.fields[field]?.onChange === 'replace';
  const isCarried = to !== undefined && sameValue(from, to);
  const notes = [
    secret === undefined ? '' : `secret, ${secretWords[secret]}`,
    local ? 'in the ledger only' : '',
    secret === undefined && to === undefined ? 'kept' : '',
    isFixed && !isCarried ? 'cannot change in place' : '',
  ];
  const values = secret !== undefined ? {} : isCarried ? { to: showValue(to) } : shownValues(from, to);
  return {
    field: fieldName(kind, field),
    isRisky: risk !== undefined,
    ...values,
    note: notes.filter((note) => note !== '').join('; '),
    ...(conflict ? { baseline: showValue(baseline) } : {}),
  };
}

function shownValues(
  from: FieldValue | undefined,
  to: FieldValue | undefined,
): Pick<ShownChange, 'from' | 'to' | 'added' | 'removed'> {
  if (Array.isArray(from) && Array.isArray(to)) return showMembers(from, to);
  return {
    ...(from === undefined ? {} : { from: showValue(from) }),
    ...(to === undefined ? {} : { to: showValue(to) }),
  };
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what is no field (`protect`). */
export function fieldName(kind: string, field: string): string {
  return cut(definition(kind)?.fields[field]?.manifestName ?? field);
}
