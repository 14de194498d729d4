/** Makes a report from a plan: its steps by kind, then unknown objects, problems and blockers. */
import { approvalLine } from '../../manifest/desired';
import { sameValue } from '../../resources/kind';
import { counted } from '../../resources/names';
import {
  type Action,
  type Plan,
  type PlannedChange,
  type Reason,
  readMember,
  type Step,
  shownAction,
} from '../plan/plan';
import {
  aboutLedger,
  fieldName,
  type Line,
  leftAloneCounts,
  messageSection,
  type Naming,
  type Report,
  type Row,
  type Section,
  sectionsByKind,
  showField,
  toSections,
} from './report';

export function planReport(plan: Plan, digest: string, naming: Naming): Report {
  const { steps, unknown, problems, notes } = plan;
  const next = findNextCommand(plan, naming);
  return {
    about: aboutLedger(plan),
    sections: [
      ...sectionsByKind(steps, (step) => stepRow(step, naming)),
      ...messageSection('unknown', 'Unknown or waiting: left unchanged', unknown),
      ...messageSection('problem', 'Problems: skipped until you fix them', problems),
      ...messageSection('note', 'Notes', notes),
      ...blockerSections(plan),
    ],
    summary: planSummary(plan),
    footer: `Digest: ${digest}`,
    ...(next !== null && { next }),
  };
}

const order: readonly Action[] = ['create', 'update', 'replace', 'delete', 'adopt', 'move', 'forget'];

/** Writes `Plan: 3 to create, 2 to delete (1 unmanaged). 12 unchanged.` */
export function planSummary(plan: Plan): string {
  const { steps, unchanged } = plan;
  const unmanaged = steps.filter((step) => readMember(step, 'unmanaged')).length;
  const actions = order.flatMap((action) => {
    const count = steps.filter((step) => shownAction(step) === action).length;
    const marked = action === 'delete' && unmanaged > 0 ? ` (${unmanaged} unmanaged)` : '';
    return count === 0 ? [] : `${count} to ${action}${marked}`;
  });
  const done =
    actions.length === 0
      ? `No changes. ${counted(unchanged, 'object')} up to date.`
      : `Plan: ${actions.join(', ')}. ${unchanged} unchanged.`;
  const left = leftAloneCounts(plan);
  return left === '' ? done : `${done} ${left}.`;
}

/** True for a step that changes only the ledger. */
function isForLedger(step: Step): boolean {
  return ['forget', 'move', 'adopt'].includes(shownAction(step));
}

function findNextCommand(plan: Plan, { again }: Naming): string | null {
  const { steps, blockers } = plan;
  const left = leftAloneCounts(plan);
  if (blockers.length > 0) return 'resolve what blocks it, then run this command again';
  if (steps.length === 0) return left === '' ? null : `do what the rows above say, then ${again('plan')}`;
  const isAdoption = steps.every(({ action }) => action === 'adopt');
  const adopted = isAdoption ? `adopts ${steps.length}, changes nothing` : 'changes only the ledger';
  const parts = [
    ...(steps.every(isForLedger) ? [adopted] : []),
    ...(left === '' ? [] : [`leaves ${left} as shown above`]),
  ];
  return parts.length === 0 ? again('apply') : `${again('apply')} (${parts.join('; ')})`;
}

/** The mark of a row says everything about these actions and reasons. */
const saidByMark: ReadonlySet<string> = new Set<`${Action} ${Reason}`>([
  'create new',
  'update manifest-changed',
  'delete removed-from-manifest',
  'delete destroy',
]);

function stepRow(step: Step, naming: Naming): Row {
  const { address, action, reason, because, objectId } = step;
  const approval = readMember(step, 'approval');
  const texts = [
    ...(objectId === undefined || objectId.includes('/') || because.includes(objectId) ? [] : [objectId]),
    ...(readMember(step, 'unmanaged') ? ['unmanaged:'] : []),
    ...(saidByMark.has(`${action} ${reason}`) ? [] : [because]),
  ];
  const lines = [
    ...fieldLines(step, naming),
    ...(readMember(step, 'risks') ?? []).map((risk) => ({ text: `! ${risk}` })),
    ...(approval === undefined ? [] : [{ text: approval.given ? 'approved' : 'needs approval, see below' }]),
  ];
  return { mark: shownAction(step), title: address, text: texts.join(' '), lines };
}

/** Returns the changes of a step. A new object has all the values that are sent. */
function fieldLines(step: Step, naming: Naming): readonly Line[] {
  if (!('changes' in step)) return [];
  const { action, kind, changes, inputs, secrets } = step;
  const lines = changes.map((change) => changeLine(step, change, naming));
  if (action !== 'create' && action !== 'replace') return lines;
  const changed = new Set(changes.map(({ field }) => field));
  const isSent = (field: string) => !changed.has(field) && field !== 'organization';
  const sentFields = Object.keys(inputs).filter(isSent);
  for (const field of action === 'create' ? sentFields : []) {
    lines.push({ label: fieldName(kind, field), text: showField(kind, field, inputs[field], naming) });
  }
  for (const field of Object.keys(secrets).filter(isSent)) {
    lines.push({ label: fieldName(kind, field), text: '(secret, new)' });
  }
  // The new object gets fewer members of a set if the plan removes some.
  const equalFields = sentFields.filter((field) =>
    sameValue(inputs[field], readMember(step, 'observed')?.[field]),
  );
  const kept = equalFields.map((field) => fieldName(kind, field));
  if (action === 'replace' && kept.length > 0) lines.push({ text: `keeps ${kept.join(', ')}` });
  return lines;
}

function changeLine({ kind }: Step, change: PlannedChange, naming: Naming): Line {
  const { field, from, to, baseline, secret } = change;
  const label = fieldName(kind, field);
  const show = (value: PlannedChange['to']) => showField(kind, field, value, naming);
  if (secret === 'unknown')
    return { label, text: '(secret, will be written: the value that is there is unknown)' };
  if (secret !== undefined) return { label, text: `(secret, ${secret})` };
  const text = from === undefined ? show(to) : `${show(from)} → ${show(to)}`;
  const isConflict = baseline !== undefined && !sameValue(baseline, to);
  const conflict = isConflict ? `  (conflict: both sides changed ${show(baseline)}; the manifest wins)` : '';
  return { label, text: text + conflict };
}

/** Returns the reasons why apply would refuse, and all lines to paste at once. */
export function blockerSections({ blockers, steps }: Pick<Plan, 'blockers' | 'steps'>): readonly Section[] {
  const rows = blockers.map(({ rule, address = '', message, remedy }): Row => {
    const lines = rule === 'approval' ? [] : [{ text: `to go on, add ${remedy}` }];
    return { mark: 'blocker', title: address, text: message, lines };
  });
  const lines = steps.flatMap((step) => {
    const approval = readMember(step, 'approval');
    return approval === undefined || approval.given ? [] : [`  - ${approvalLine(approval)}`];
  });
  const paste = ['approved:', ...new Set(lines)];
  return [
    ...toSections('Blocked: nothing is written until these are resolved', rows),
    ...(lines.length === 0 ? [] : [{ title: 'To approve, paste into a manifest', rows: [], paste }]),
  ];
}
