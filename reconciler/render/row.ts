/** One row of a plan or a drift report: a step or a drifted object in words. Every text is safe to show. */
import { plainLines } from '../../client/text';
import { glue, widthOf } from '../../client/wrap';
import { nameInAddress } from '../../manifest/desired';
import { type FieldValue, sameValue } from '../../resources/kind';
import { unlinkedBy } from '../../resources/oauth-client';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Action, PlannedChange, ReasonCode, Step } from '../plan/plan';
import { cut, type Style, showName, showValue } from './text';

/** A text, which may have several lines, behind a lead. */
interface Detail {
  readonly lead: string;
  readonly text: string;
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
  /** Its fields, what it takes over or along, its risks and whether it is approved. */
  readonly details: readonly Detail[];
}

/** What goes without saying of an action with that reason, unless others stand beside it. */
const ordinary: Readonly<Partial<Record<Action, Partial<Record<ReasonCode, string>>>>> = {
  create: { new: 'new' },
  update: { 'manifest-changed': 'the manifest changed', 'protection-changed': 'its protection changes' },
  delete: { destroy: 'destroy was asked for' },
};

/** A risk that is none. */
const unused = unlinkedBy({ count: 0, names: [] });

export function rowOfStep(step: Step, style: Style): Row {
  const { action, reason, movedFrom, objectId = '', changes, unmanaged } = step;
  const usual = unmanaged ? undefined : ordinary[action]?.[reason];
  const because =
    movedFrom !== undefined
      ? `from ${nameInAddress(movedFrom)}`
      : action === 'replace'
        ? `a new one takes its place${reason === 'manifest-changed' ? '' : `: ${step.because}`}`
        : (usual ?? step.because);
  const isNew = action === 'create';
  return {
    kind: step.kind,
    owner: ownerOf(step),
    // Of a long list most are not shown.
    get name() {
      return nameOf(step);
    },
    mark: action,
    id: isNew ? '' : cut(objectId),
    why: because === usual ? usual : plainLines(unmanaged ? `unmanaged: ${because}` : because),
    isOrdinary: usual !== undefined,
    // What is made again was taken away by somebody: that is news.
    isPlain:
      step.risks.length === 0 &&
      ((isNew && ['new', 'moved'].includes(reason)) || (action === 'adopt' && changes.length === 0)),
    details: detailsOf(step, style),
  };
}

/** Most steps are links with nothing to tell. */
const none: readonly Detail[] = [];

function detailsOf(step: Step, style: Style): readonly Detail[] {
  const { action, kind, changes, secrets, risks, approval } = step;
  if (action !== 'replace' && changes.length + risks.length === 0 && approval === undefined) return none;
  const { dim, yellow } = style.paint;
  const isCarried = ({ from, to, conflict }: PlannedChange) =>
    to !== undefined && sameValue(from, to) && !conflict;
  const fields = changes.flatMap((change) => (isCarried(change) ? [] : fieldOfChange(step, change, style)));
  // A new object needs its secrets too, changed or not.
  const again = Object.keys(action === 'replace' ? secrets : {})
    .filter((field) => !changes.some((change) => change.field === field))
    .map((field) => ({ name: fieldName(kind, field), isRisky: false, text: dim('(secret, new)') }));
  const carried = changes
    .filter(isCarried)
    .map(({ field, to }) => `${fieldName(kind, field)} ${showField(kind, field, to, style)}`);
  const details = [
    ...fieldDetails([...fields, ...again], style),
    { lead: dim('carried over: '), text: carried.join(', ') },
    ...risks.map((risk) =>
      risk === unused
        ? { lead: '', text: dim(risk) }
        : { lead: yellow('! '), text: yellow(plainLines(risk)) },
    ),
    {
      lead: '',
      text: approval ? (approval.given ? dim('approved') : yellow('needs approval, see below')) : '',
    },
  ];
  return details.filter(({ text }) => text !== '');
}

interface ShownField extends Pick<Detail, 'text'> {
  readonly name: string;
  readonly isRisky: boolean;
}

/** Padded to one column; one with a risk has a `!` in front. */
function fieldDetails(fields: readonly ShownField[], { paint }: Style): Detail[] {
  const column = fields.reduce((most, { name }) => Math.max(most, widthOf(name)), 0);
  const hasRisk = fields.some(({ isRisky }) => isRisky);
  return fields.map(({ name, isRisky, text }) => {
    const mark = isRisky ? paint.yellow('! ') : hasRisk ? '  ' : '';
    return { lead: `${mark}${name.padEnd(column)}  `, text };
  });
}

const secretWords = {
  same: 'unchanged, written again',
  new: 'new',
  changed: 'changed',
  unverified: 'not verified',
  'not-compared': 'not compared',
} as const;

function fieldOfChange({ action, kind }: Step, change: PlannedChange, style: Style): ShownField {
  const { field, from, to, baseline, secret, risk, local, conflict } = change;
  const { dim, yellow } = style.paint;
  const isFixed = action === 'replace' && definition(kind)?.fields[field]?.onChange === 'replace';
  const notes = [
    secret === undefined ? [] : `secret, ${secretWords[secret]}`,
    local ? 'in the ledger only' : [],
    secret === undefined && to === undefined ? 'kept' : [],
    isFixed ? 'cannot change in place' : [],
  ].flat();
  const values = textOfValues(kind, field, [from, to], style);
  const shown = (value: FieldValue | undefined) => showField(kind, field, value, style);
  // Neither side saw the other's.
  const both = [
    yellow('conflict: both sides changed it; the manifest wins'),
    `  last applied         ${shown(baseline)}`,
    `  changed elsewhere to ${shown(from)}`,
    `  the manifest says    ${shown(to)}`,
  ];
  const text = [values, notes.length === 0 ? [] : dim(`(${notes.join('; ')})`)].flat().join('  ');
  const lines = conflict ? [text, ...both] : [text];
  return { name: fieldName(kind, field), isRisky: risk !== undefined, text: lines.join('\n') };
}

/** From one value to another, each behind its word, or what a set gains and loses. */
function textOfValues(
  kind: string,
  field: string,
  [from, to]: readonly [FieldValue | undefined, FieldValue | undefined],
  style: Style,
  [was, is] = ['', ''],
): string[] {
  const { green, red } = style.paint;
  const shown = (value: FieldValue) => showField(kind, field, value, style);
  if (Array.isArray(from) && Array.isArray(to)) {
    const without = (these: readonly string[], others: readonly string[]) => {
      const known = new Set(others);
      return these.filter((member) => !known.has(member)).map((member) => showName(style.nameOf(member)));
    };
    return [
      ...without(to, from)
        .sort()
        .map((member) => green(`+${glue}${member}`)),
      ...without(from, to)
        .sort()
        .map((member) => red(`-${glue}${member}`)),
    ];
  }
  if (to === undefined) return from === undefined ? [] : [shown(from)];
  const after = green(is + shown(to));
  return [from === undefined ? after : `${red(was + shown(from))} →${glue}${after}`];
}

const driftTitles = { changed: 'changed outside Tether', gone: 'gone', unmanaged: 'unmanaged' };
/** Nothing tells one from the other. */
const already = 'as the manifests want it: by somebody else, or by an apply that was interrupted';

export function rowOfItem(item: DriftItem, style: Style): Row {
  const { kind, objectId, state, fields, evidence, asDesired } = item;
  const proof = evidence.join('; ');
  const title = asDesired ? `${state}, ${already}` : driftTitles[state];
  const shown = fields.map(({ field, was, is }) => {
    // No arrow says which way time goes.
    const text = textOfValues(kind, field, [was, is], style, ['was ', 'is ']).join('  ');
    return { name: fieldName(kind, field), isRisky: false, text };
  });
  return {
    kind,
    owner: ownerOf(item),
    name: nameOf(item),
    mark: state,
    id: cut(objectId ?? ''),
    why: plainLines(proof === '' ? title : `${title}; ${state === 'gone' ? 'checked: ' : ''}${proof}`),
    isOrdinary: false,
    isPlain: false,
    details: fieldDetails(shown, style),
  };
}

type Placed = Pick<Step, 'kind' | 'address'>;

/** Between the ends of a link, in the address without its kind; -1 for what has none. */
function endOfOwner({ kind }: Placed, name: string) {
  return definition(kind)?.pair.length === 0 ? -1 : name.indexOf('/');
}

function ownerOf(placed: Placed): string {
  const name = nameInAddress(placed.address);
  const end = endOfOwner(placed, name);
  return end < 1 ? '' : showName(name.slice(0, end));
}

function nameOf(placed: Placed): string {
  const name = nameInAddress(placed.address);
  return showName(name.slice(endOfOwner(placed, name) + 1));
}

export function definition(kind: string) {
  return registry.find((one) => one.kind === kind);
}

/** `agentPool` for `agentPoolId` of an OAuthClient; the given name for what is no field (`protect`). */
export function fieldName(kind: string, field: string): string {
  return cut(definition(kind)?.fields[field]?.manifestName ?? field);
}

/** A value of a field, with what the manifests call the objects that its ids refer to. */
export function showField(
  kind: string,
  field: string,
  value: FieldValue | undefined,
  { nameOf }: Style,
): string {
  if (definition(kind)?.fields[field]?.refersTo === undefined) return showValue(value);
  if (typeof value === 'string') return showValue(nameOf(value));
  return showValue(Array.isArray(value) ? value.map(nameOf) : value);
}
