/** A plan in figures: how many there are of each action, and what stops it. Pure. */
import { plain } from '../../client/text';
import { groupBy } from '../../resources/groups';
import type { Plan } from '../plan/plan';
import { withoutReplaced } from '../plan/steps';
import { counted } from './text';

const obstacles = {
  approval: (count: number) => `${counted(count, 'change')} ${count === 1 ? 'needs' : 'need'} approval`,
  protected: (count: number) => `${counted(count, 'object')} ${count === 1 ? 'is' : 'are'} protected`,
  'too-many-deletes': () => 'too many deletes',
  'too-many-missing': () => 'too many missing objects',
} as const;

/** What stops an apply: `Blocked: 1 change needs approval; too many deletes`, the causes, and the lines that approve all of it. */
export function blockedBy({ blockers }: Plan) {
  const causes = blockers.flatMap(({ address = '', message, line, remark }) => {
    const text = line === undefined ? message : remark;
    return text === undefined ? [] : [{ address, text }];
  });
  const lines = [...new Set(blockers.flatMap(({ line }) => (line === undefined ? [] : plain(line))))];
  const counts = [...groupBy(blockers, ({ code }) => code)];
  const title = `Blocked: ${counts.map(([code, some]) => obstacles[code](some.length)).join('; ')}`;
  return { title, causes, lines };
}

/** How many there are of each; actions in the order in which they are shown. A replacement is one. */
export function summarize({ steps, unchanged, unknown, problems, blockers }: Plan) {
  const actions = { create: 0, adopt: 0, update: 0, replace: 0, delete: 0, move: 0, forget: 0, cleanup: 0 };
  for (const { action } of withoutReplaced(steps)) actions[action] += 1;
  return {
    actions,
    unchanged: unchanged.length,
    unknown: unknown.length,
    problems: problems.length,
    blockers: blockers.length,
  };
}

/** `Plan: 3 to create, 1 to update, 60 unchanged.`, or that nothing changes. */
export function summaryLine(summary: ReturnType<typeof summarize>): string {
  const { actions, unchanged, unknown, problems } = summary;
  const parts = Object.entries(actions).flatMap(([action, count]) =>
    count === 0 ? [] : [`${count} to ${action === 'cleanup' ? 'clean up' : action}`],
  );
  if (unknown > 0) parts.push(`${unknown} unknown`);
  if (problems > 0) parts.push(counted(problems, 'problem'));
  if (parts.length === 0) return `No changes. ${counted(unchanged, 'object')} up to date.`;
  if (unchanged > 0) parts.push(`${unchanged} unchanged`);
  return `Plan: ${parts.join(', ')}.`;
}
