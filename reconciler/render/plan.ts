/** A plan as a report: its steps by kind, then all that is unknown, wrong or in the way. */
import { approvalLine } from '../../manifest/desired';
import { definitionOf, sameValue } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { type Action, countActions, type Plan, type PlannedChange, type Step } from '../plan/plan';
import {
  aboutLedger,
  counted,
  fieldName,
  type Line,
  leftAloneRow,
  type Naming,
  type Report,
  type Row,
  remark,
  type Section,
  sectionOf,
  sectionsByKind,
  showField,
  someOf,
} from './report';

export function planReport(plan: Plan, digest: string, naming: Naming): Report {
  const { steps, unknown, problems, notes } = plan;
  const next = nextOf(plan, naming);
  return {
    about: aboutLedger(plan),
    sections: [
      ...sectionsByKind(steps, (step) => stepRow(step, naming)),
      ...sectionOf(
        'Unknown: cannot be read, so left unchanged',
        unknown.map((one) => leftAloneRow('unknown', one)),
      ),
      ...sectionOf(
        'Problems: skipped until you fix them',
        problems.map((one) => leftAloneRow('problem', one)),
      ),
      ...sectionOf(
        'Notes',
        notes.map(({ address, message }) => ({ mark: 'note', title: address, text: message, lines: [] })),
      ),
      ...blockerSections(plan),
    ],
    summary: planSummary(plan),
    footer: [`Digest: ${digest}`, ...(next === null ? [] : [`Next: ${next}`])],
  };
}

/** `Plan: 3 to create, 2 to delete (1 unmanaged). 12 unchanged.` */
export function planSummary({ steps, unchanged, unknown, problems, blockers }: Plan): string {
  const unmanaged = steps.filter((step) => step.unmanaged).length;
  const counts = [...countActions(steps)].sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
  const actions = counts.map(([action, count]) => {
    const marked = action === 'delete' && unmanaged > 0 ? ` (${unmanaged} unmanaged)` : '';
    return `${count} to ${action}${marked}`;
  });
  const left = someOf({
    unknown: unknown.length,
    [problems.length === 1 ? 'problem' : 'problems']: problems.length,
    [blockers.length === 1 ? 'blocker' : 'blockers']: blockers.length,
  });
  const sentences = [
    actions.length === 0 ? 'No changes' : `Plan: ${actions.join(', ')}`,
    actions.length === 0 ? `${counted(unchanged, 'object')} up to date` : `${unchanged} unchanged`,
    ...(left === '' ? [] : [left]),
  ];
  return `${sentences.join('. ')}.`;
}

const order: readonly Action[] = ['create', 'update', 'replace', 'delete', 'adopt', 'move', 'forget'];

/** True for a step that changes the ledger alone. */
function isForLedger({ action, changes }: Step): boolean {
  return action === 'forget' || action === 'move' || (action === 'adopt' && changes.length === 0);
}

function nextOf({ steps, problems, unknown, blockers }: Plan, { again }: Naming): string | null {
  const isDestroy = steps.some(({ reason }) => reason === 'destroy');
  if (blockers.length > 0) return `resolve what blocks it, then ${again(isDestroy ? 'destroy' : 'plan')}`;
  if (steps.length === 0) return problems.length > 0 ? `fix the problems, then ${again('plan')}` : null;
  if (!steps.every(isForLedger)) return again('apply');
  const isAdoption = steps.every(({ action }) => action === 'adopt');
  if (!isAdoption) return `${again('apply')} (updates the ledger; nothing changes in the service)`;
  const rest = problems.length + unknown.length > 0 ? '; problems and unknowns stay' : '';
  return `${again('apply')} (adopts ${steps.length}, changes nothing${rest})`;
}

function stepRow(step: Step, naming: Naming): Row {
  const { action, address, because, objectId, unmanaged, from, risks, approval } = step;
  const isLink = definitionOf(step.kind, registry).pair.length > 0;
  const isSaid = (text: string) => because.includes(text);
  const texts = [
    ...(objectId === undefined || objectId.includes('/') || isSaid(objectId) ? [] : [objectId]),
    ...(unmanaged ? ['unmanaged:'] : []),
    ...(from === undefined || isLink || isSaid(from) ? [] : [`from ${from}:`]),
    because,
  ];
  const lines = [
    ...(isLink ? [] : fieldLines(step, naming)),
    ...risks.map((risk) => remark(`! ${risk}`)),
    ...(approval === undefined ? [] : [remark(approval.given ? 'approved' : 'needs approval, see below')]),
  ];
  return { mark: action, title: address, text: texts.join(' '), lines };
}

/** What changes; of a new object all that is sent. */
function fieldLines(step: Step, naming: Naming): readonly Line[] {
  const { action, kind, changes, inputs, secrets } = step;
  const changed = new Set(changes.map(({ field }) => field));
  const isNew = action === 'create' || action === 'replace';
  const sent = Object.keys(isNew ? inputs : {}).filter(
    (field) => !changed.has(field) && fieldName(kind, field) !== 'organization',
  );
  const written = Object.keys(isNew ? secrets : {}).filter((field) => !changed.has(field));
  const shown = sent.map((field) => ({
    label: fieldName(kind, field),
    text: showField(kind, field, inputs[field], naming),
  }));
  return [
    ...changes.flatMap((change) => changeLines(step, change, naming)),
    ...(action === 'create' ? shown : []),
    ...written.map((field) => ({ label: fieldName(kind, field), text: '(secret, new)' })),
    ...(action === 'replace' && shown.length > 0
      ? [remark(`keeps ${shown.map(({ label }) => label).join(', ')}`)]
      : []),
  ];
}

function changeLines(step: Step, change: PlannedChange, naming: Naming): readonly Line[] {
  const { field, from, to, baseline, secret, risk } = change;
  const label = fieldName(step.kind, field);
  const show = (value: PlannedChange['to']) => showField(step.kind, field, value, naming);
  const risks = risk === undefined || step.risks.includes(risk) ? [] : [remark(`! ${risk}`)];
  if (secret !== undefined) {
    return [{ label, text: `(secret, ${secretText(secret, step.secrets[field])})` }, ...risks];
  }
  const isConflict =
    baseline !== undefined &&
    !sameValue(baseline, to) &&
    !sameValue(baseline, from) &&
    step.reason === 'conflict';
  if (isConflict) {
    return [
      { label, text: 'conflict: changed by both sides; the manifest wins' },
      remark(`  last applied         ${show(baseline)}`),
      remark(`  changed elsewhere to ${show(from)}`),
      remark(`  the manifest says    ${show(to)}`),
      ...risks,
    ];
  }
  const isSet = Array.isArray(from) && Array.isArray(to);
  const text = isSet
    ? setText(from, to, naming)
    : from === undefined
      ? show(to)
      : `${show(from)} → ${show(to)}`;
  return [{ label, text }, ...risks];
}

function setText(from: readonly string[], to: readonly string[], { nameOf }: Naming): string {
  const only = (these: readonly string[], others: readonly string[], sign: string) =>
    these.filter((one) => !others.includes(one)).map((one) => `${sign}${nameOf(one)}`);
  return [...only(to, from, '+').sort(), ...only(from, to, '-').sort()].join(' ');
}

function secretText(
  secret: NonNullable<PlannedChange['secret']>,
  source: Step['secrets'][string] | undefined,
): string {
  if (secret === 'unknown') return 'last written value unknown';
  if (secret !== 'not-compared') return secret;
  if (source === undefined) return 'not compared';
  return 'fromEnv' in source
    ? `not compared, because the variable ${source.fromEnv} is not set here`
    : `not compared, because the file ${source.fromFile} cannot be read here`;
}

/** Why apply would refuse, and all lines to paste at once. */
function blockerSections({ blockers, steps }: Plan): readonly Section[] {
  if (blockers.length === 0) return [];
  const rows = blockers.map(({ rule, address = '', message, remedy }): Row => {
    const lines = rule === 'approval' ? [] : [remark(`to go on, add ${remedy}`)];
    return { mark: 'blocker', title: address, text: message, lines };
  });
  const lines = steps.flatMap(({ approval }) =>
    approval === undefined || approval.given ? [] : [`  - ${approvalLine(approval)}`],
  );
  const paste = lines.length === 0 ? [] : ['approved:', ...new Set(lines)];
  return [
    { title: 'Blocked: `apply` refuses before its first write until these are resolved', rows },
    ...(paste.length === 0 ? [] : [{ title: 'To approve, paste into a manifest', rows: [], paste }]),
  ];
}
