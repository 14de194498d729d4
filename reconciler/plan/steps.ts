/** Builds steps, and joins what the parts of the planner find. Step ids are spelled here only. Pure. */
import type { DesiredEntry } from '../../manifest/desired';
import type { Found, Key } from '../../resources/kind';
import type { Action, Plan, Step } from './plan';

/** What one part of the planner found, each list in the order of the plan. */
export type Findings = Pick<
  Plan,
  'steps' | 'unchanged' | 'undetermined' | 'problems' | 'warnings' | 'notes' | 'baselineRefresh'
>;

/** All findings, one part after the other; what a part leaves out is empty. */
export function joinFindings(parts: readonly Partial<Findings>[]): Findings {
  return {
    steps: parts.flatMap((part) => part.steps ?? []),
    unchanged: parts.flatMap((part) => part.unchanged ?? []),
    undetermined: parts.flatMap((part) => part.undetermined ?? []),
    problems: parts.flatMap((part) => part.problems ?? []),
    warnings: parts.flatMap((part) => part.warnings ?? []),
    notes: parts.flatMap((part) => part.notes ?? []),
    baselineRefresh: parts.flatMap((part) => part.baselineRefresh ?? []),
  };
}

/** The code of a step's reason, and its sentence. */
export type Why = readonly [Step['reason'], string];

/** The object that a step is about. */
export type About = Pick<Step, 'kind' | 'address' | 'key' | 'file' | 'protect'>;

/** A wanted entry under its ledger key; links are never protected. */
export function aboutEntry({ kind, address, file }: DesiredEntry, key = address, protect = false): About {
  return { kind, address, key, file, protect };
}

/** `detail` tells apart what else happens to the address in the same plan. */
export function stepId(action: Action, address: string, detail?: string): string {
  return `${action} ${address}${detail === undefined ? '' : ` (${detail})`}`;
}

/** A step; what is left out is empty. */
export function buildStep(
  action: Action,
  about: About,
  [reason, because]: Why,
  more: Partial<Step> & { readonly detail?: string } = {},
): Step {
  const { detail, ...rest } = more;
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
    ...rest,
  };
}

const whyDuplicate = {
  late: 'a create whose answer was lost made it twice',
  covered: 'the exact set allows this pair once',
} as const;

/** The delete of a second link: `late` was made by Tether, `covered` by anybody, in an exact set. */
export function duplicateStep(
  about: About,
  { id, values }: Found,
  ids: Key,
  why: keyof typeof whyDuplicate,
): Step {
  const second = { ...about, file: null, protect: false };
  return buildStep('delete', second, ['duplicate', whyDuplicate[why]], {
    detail: `duplicate ${id}`,
    objectId: id,
    managed: ids,
    observed: values,
    ...(why === 'late' ? {} : { foreign: true }),
  });
}
