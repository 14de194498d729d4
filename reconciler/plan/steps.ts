/** What the parts of the planner find, above all steps, whose ids only this file spells. */
import type { DesiredEntry } from '../../manifest/desired';
import type { FieldValues, Found, Issue, Key } from '../../resources/kind';
import type { Action, Plan, Step } from './plan';

/** What one part of the planner found; a list that is left out is empty. */
export type Findings = Partial<
  Pick<Plan, 'steps' | 'unchanged' | 'unknown' | 'problems' | 'warnings' | 'notes' | 'baselineRefresh'>
>;

export function joinFindings(parts: readonly Findings[]): Required<Findings> {
  return {
    steps: joined(parts, 'steps'),
    unchanged: joined(parts, 'unchanged'),
    unknown: joined(parts, 'unknown'),
    problems: joined(parts, 'problems'),
    warnings: joined(parts, 'warnings'),
    notes: joined(parts, 'notes'),
    baselineRefresh: joined(parts, 'baselineRefresh'),
  };
}

function joined<Name extends keyof Findings>(parts: readonly Findings[], name: Name) {
  const all: Required<Findings>[Name][number][] = [];
  for (const { [name]: some } of parts) {
    // One after the other: as arguments, a hundred thousand are too many.
    if (some !== undefined) for (const one of some) all.push(one);
  }
  return all;
}

/** A mistake in an entry, of which nothing is planned until it is solved. */
export function problem(entry: DesiredEntry, rule: string, message: string, at = entry.at): Findings {
  const { address } = entry;
  return { problems: [{ rule, severity: 'error', message, path: address, address, at }] };
}

export function warning(entry: DesiredEntry, rule: string, message: string, at = entry.at): Issue {
  return { rule, severity: 'warning', message, path: entry.address, at };
}

/** What cannot be seen, or waits for it, is left as it is. */
export function leaveAlone(address: string, why: string): Findings {
  return { unknown: [{ address, why }] };
}

/** The code of a step's reason, and its sentence. */
export type Why = readonly [Step['reason'], string];

/** The object that a step is about: by default in no file, and not protected. */
export type About = Pick<Step, 'kind' | 'address' | 'key'> & Partial<Pick<Step, 'file' | 'protect'>>;

/** `detail` tells apart what else happens to the address. */
export function stepId(action: Action, address: string, detail?: string) {
  return `${action} ${address}${detail === undefined ? '' : ` (${detail})`}`;
}

/** Shared: a plan may have a hundred thousand steps. */
const none: readonly never[] = [];
const nothing = {};

/** What is left out is empty. */
export function buildStep(
  action: Action,
  { kind, address, key, file = null, protect = false }: About,
  [reason, because]: Why,
  { detail, ...more }: Partial<Step> & { readonly detail?: string } = {},
): Step {
  return {
    id: stepId(action, address, detail),
    action,
    kind,
    address,
    key,
    file,
    protect,
    reason,
    because,
    changes: none,
    risks: none,
    needs: none,
    inputs: nothing,
    secrets: nothing,
    managed: nothing,
    ...more,
  };
}

/** Nothing to do; if not `isRecorded`, the ledger learns which fields are managed now, and in which file. */
export function leaveAsItIs({ address, key, file = null }: About, managed: FieldValues, isRecorded: boolean) {
  return { unchanged: [address], ...(!isRecorded && { baselineRefresh: [{ key, managed, file }] }) };
}

/** Deletes further links of a pair: a lost create of ours made them (`isLate`), or anybody, in an exact set. */
export function deleteDuplicates(
  { kind, address, key }: About,
  duplicates: readonly Found[],
  ids: Key,
  isLate: boolean,
): readonly Step[] {
  const because = isLate
    ? 'a create whose answer was lost made it twice'
    : 'the exact set allows this pair once';
  return duplicates.map(({ id, values }) =>
    buildStep('delete', { kind, address, key }, ['duplicate', because], {
      detail: `duplicate ${id}`,
      objectId: id,
      managed: ids,
      observed: values,
      ...(isLate ? {} : { unmanaged: true }),
    }),
  );
}

/** Each change once: without the deletes that end what other steps replace. */
export function withoutReplaced(steps: readonly Step[]): readonly Step[] {
  const replaced = new Set(steps.flatMap(({ action, objectId }) => (action === 'replace' ? objectId : [])));
  return steps.filter(({ reason, objectId }) => reason !== 'replaced' || !replaced.has(objectId));
}
