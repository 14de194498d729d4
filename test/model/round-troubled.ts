/** A round whose apply goes wrong: what must not happen, and that the next rounds put everything right. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, Trouble } from './actions';
import { Broken } from './broken';
import { checkExplained, checkRecorded, checkRecovered } from './check-trouble';
import { checkWorld } from './check-world';
import { checkNoStrays, ownership } from './check-writes';
import type { Course } from './course';
import type { Situation } from './expect-clients';
import type { Expected } from './expected';
import type { Applied, LedgerState, Planned } from './outcome';
import type { Reality } from './reality';
import { arm } from './trouble';

type Run = Extract<Action, { do: 'run' }>;

/** What has to be put right, and what to hold the end against. */
export interface Aftermath {
  readonly before: Reality;
  readonly strangers: ReadonlySet<string>;
  readonly trouble: Trouble;
}

/** Trouble during which somebody else changes things: what is there then is not the tool's doing alone. */
const isShared = ({ trouble }: Trouble): boolean => trouble === 'deed' || trouble === 'other-clone';

function checkJournal(course: Course): void {
  const file = join(course.site.folder, 'tether.ledger.json.journal');
  if (existsSync(file) && readFileSync(file, 'utf8').includes('CANARY'))
    throw new Broken('no secret in any output', 'the journal');
}

function checkEnd(trouble: Trouble, applied: Applied): void {
  const allowed =
    trouble.trouble === 'interrupt' ? [0, 1, 130] : trouble.trouble === 'kill' ? [0, 1, 137] : [0, 1];
  if (!allowed.includes(applied.exit))
    throw new Broken('trouble: exit code', `${applied.exit}\n${applied.text}`);
  const undone = (applied.results ?? []).filter(({ status }) => status !== 'done');
  if (applied.exit === 0 && undone.length > 0) throw new Broken('trouble: exit code', JSON.stringify(undone));
}

/** Applies with trouble and checks what must hold at once. */
export async function applyTroubled(
  course: Course,
  run: Run,
  trouble: Trouble,
  planned: Planned,
  situation: Situation,
  expected: Expected,
): Promise<Aftermath> {
  const { site, tool, folder } = course;
  site.gateway.clear();
  const before = site.reality();
  const armed = arm(course, trouble);
  course.watchJournal = armed.onJournal;
  const applied = await tool.apply(run.options ?? {});
  course.watchJournal = undefined;
  site.gateway.interfere = undefined;
  await armed.settle();
  const { strangers } = armed;
  checkJournal(course);
  checkEnd(trouble, applied);
  if (applied.text.includes('CANARY')) throw new Broken('no secret in any output', applied.text);
  const ledger: LedgerState = await tool.ledger();
  const steps = applied.killed ? planned.steps : applied.steps;
  checkNoStrays(folder, steps, site.gateway.writes, ownership([situation.ledger, ledger], before));
  const after = site.reality();
  const isSure = expected.lenient.size + expected.shaky.size === 0 && !isShared(trouble);
  if (isSure && trouble.trouble !== 'other-values') checkExplained(before, after, expected);
  if (isSure && applied.exit === 0) checkWorld(before, after, ledger, situation, expected);
  if (
    trouble.trouble === 'other-values' &&
    applied.exit === 0 &&
    site.gateway.sent.some(({ treated }) => treated === 'change')
  ) {
    throw new Broken('an answer with other values fails its step', applied.text);
  }
  if (isSure) checkRecorded(before, after, ledger, strangers);
  return { before, strangers, trouble };
}

/** The end of it all, when the rounds after it are played. */
export async function checkAftermath(
  course: Course,
  { before, strangers, trouble }: Aftermath,
): Promise<void> {
  if (isShared(trouble)) return;
  checkRecovered(before, course.site.reality(), await course.tool.ledger(), strangers);
}
