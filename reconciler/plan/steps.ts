/** What the parts of the planner find, steps above all, whose ids are spelled here only. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { FieldValues, Found, Issue, Key } from '../../resources/kind';
import type { Action, Plan, Step } from './plan';

/** What one part of the planner found, each list in the order of the plan; a list that is left out is empty. */
export type Findings = Partial<
  Pick<Plan, 'steps' | 'unchanged' | 'unknown' | 'problems' | 'warnings' | 'notes' | 'baselineRefresh'>
>;

export function joinFindings(parts: readonly Findings[]): Required<Findings> {
  return {
    steps: parts.flatMap((part) => part.steps ?? []),
    unchanged: parts.flatMap((part) => part.unchanged ?? []),
    unknown: parts.flatMap((part) => part.unknown ?? []),
    problems: parts.flatMap((part) => part.problems ?? []),
    warnings: parts.flatMap((part) => part.warnings ?? []),
    notes: parts.flatMap((part) => part.notes ?? []),
    baselineRefresh: parts.flatMap((part) => part.baselineRefresh ?? []),
  };
}

/** A mistake in an entry, of which nothing is planned until it is solved. */
export function problem(
  { address, at: ownAt }: DesiredEntry,
  rule: string,
  message: string,
  at: Issue['at'] = ownAt,
): Findings {
  return { problems: [{ rule, severity: 'error', message, path: address, address, at }] };
}

export function warning(
  { address: path, at: ownAt }: DesiredEntry,
  rule: string,
  message: string,
  at: Issue['at'] = ownAt,
): Issue {
  return { rule, severity: 'warning', message, path, at };
}

/** What cannot be seen, or waits for it, is left as it is. */
export function leaveAlone(address: string, why: string): Findings {
  return { unknown: [{ address, why }] };
}

/** The code of a step's reason, and its sentence. */
export type Why = readonly [Step['reason'], string];

/** The object that a step is about; links are never protected. */
export type About = Pick<Step, 'kind' | 'address' | 'key' | 'file' | 'protect'>;

/** `detail` tells apart what else happens to the address in the same plan. */
export function stepId(action: Action, address: string, detail?: string): string {
  return `${action} ${address}${detail === undefined ? '' : ` (${detail})`}`;
}

/** A step; what is left out is empty. */
export function buildStep(
  action: Action,
  about: About,
  [reason, because]: Why,
  { detail, ...more }: Partial<Step> & { readonly detail?: string } = {},
): Step {
  return {
    id: stepId(action, about.address, detail),
    action,
    ...about,
    reason,
    because,
    changes: [],
    risks: [],
    needs: [],
    inputs: {},
    secrets: {},
    managed: {},
    ...more,
  };
}

/** Nothing to do; where it is not `recorded` so, the ledger learns which fields are managed now, and in which file. */
export function leaveAsItIs(
  { address, key, file }: About,
  managed: FieldValues,
  isRecorded: boolean,
): Findings {
  return { unchanged: [address], baselineRefresh: isRecorded ? [] : [{ key, managed, file }] };
}

/** The deletes of further links of a pair: a lost create of ours made them (`late`), or anybody, in an exact set. */
export function deleteDuplicates(
  about: About,
  duplicates: readonly Found[],
  ids: Key,
  isLate: boolean,
): readonly Step[] {
  const because = isLate
    ? 'a create whose answer was lost made it twice'
    : 'the exact set allows this pair once';
  return duplicates.map(({ id, values }) =>
    buildStep('delete', { ...about, file: null, protect: false }, ['duplicate', because], {
      detail: `duplicate ${id}`,
      objectId: id,
      managed: ids,
      observed: values,
      ...(isLate ? {} : { unmanaged: true }),
    }),
  );
}

/** The values of each key, in their order. */
export function grouped<Value>(
  pairs: Iterable<readonly [string, Value]>,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
