/** One round of the tool: plan, drift and apply, each held against the oracle, and once more to see that nothing is left to do. */
import type { Action } from './actions';
import { Broken } from './broken';
import { checkDrift, checkPlan, checkPlanExit, subjectOf } from './check-plan';
import { checkLedger, checkNothingLeft, checkWorld } from './check-world';
import { checkAllSent, checkNoStrays } from './check-writes';
import type { Course } from './course';
import { desiredOf } from './desired';
import { expect } from './expect';
import type { Situation } from './expect-clients';
import type { Expected } from './expected';
import type { LedgerState, Planned } from './outcome';

type Run = Extract<Action, { do: 'run' }>;

/** No secret and no token in anything that was printed or written. */
function checkSilence(course: Course, ...texts: string[]): void {
  const ledger = course.site.savedLedger() ?? '';
  for (const text of [...texts, ledger]) {
    const at = text.indexOf('CANARY');
    if (at >= 0) throw new Broken('no secret in any output', text.slice(Math.max(0, at - 200), at + 60));
  }
}

function checkNoWrites(course: Course, what: string): void {
  const { writes } = course.site.gateway;
  if (writes.length === 0) return;
  throw new Broken(
    `${what} sends no write`,
    writes.map(({ method, path }) => `${method} ${path}`).join('\n'),
  );
}

/** Manifests with mistakes: every command says so, exit 1, and nothing is sent or written. */
async function playRefusal(course: Course, mistakes: readonly string[]): Promise<void> {
  const { site, tool } = course;
  const before = [
    JSON.stringify([...site.reality().clients]),
    JSON.stringify(site.reality().triggers),
    site.savedLedger(),
  ];
  site.gateway.clear();
  for (const outcome of [await tool.plan(), await tool.drift(), await tool.apply()]) {
    if (outcome.state === 'planned' || outcome.exit !== 1) {
      throw new Broken('mistakes are refused', `${mistakes.join('\n')}\nand yet: ${outcome.text}`);
    }
    checkSilence(course, outcome.text);
  }
  checkNoWrites(course, 'a refusal');
  const after = [
    JSON.stringify([...site.reality().clients]),
    JSON.stringify(site.reality().triggers),
    site.savedLedger(),
  ];
  if (before.some((one, at) => one !== after[at]))
    throw new Broken('a refusal changes nothing', mistakes.join('\n'));
}

function mustPlan(planned: { state: string; text: string }): void {
  if (planned.state !== 'planned') throw new Broken('right manifests are planned', planned.text);
}

/** Whether an id was that client's before or after. */
const knows =
  (ledgers: readonly LedgerState[]) =>
  (id: string, name: string): boolean =>
    ledgers.some(({ objects }) => objects[`OAuthClient/${name}`]?.id === id);

/** Whether an apply of this expectation stops before its first write. */
function stopsOf(expected: Expected, course: Course): string[] {
  const missing = expected.steps.flatMap(({ needsSecrets = [] }) =>
    needsSecrets.filter((source) => course.secretOf(source) === undefined),
  );
  return [...expected.blockers, ...missing.map((source) => `no value for ${source}`)];
}

/** What an apply did that nothing disturbed. */
async function checkApplied(
  course: Course,
  run: Run,
  situation: Situation,
  expected: Expected,
): Promise<void> {
  const { site, tool, folder } = course;
  site.gateway.clear();
  const before = site.reality();
  const bytes = site.savedLedger();
  const applied = await tool.apply({ ...run.options, ...(run.destroy ? { destroy: true } : {}) });
  checkSilence(course, applied.text);
  mustPlan(applied);
  const stops = stopsOf(expected, course);
  if (stops.length > 0) {
    checkNoWrites(course, `an apply that is stopped (${stops.join(', ')})`);
    if (applied.exit !== 1) throw new Broken('a stopped apply exits with 1', `${applied.exit}`);
    if (site.savedLedger() !== bytes) throw new Broken('a stopped apply changes no ledger', stops.join('\n'));
    return;
  }
  const ledger = await tool.ledger();
  const known = knows([situation.ledger, ledger]);
  checkNoStrays(folder, applied.steps, site.gateway.writes, known);
  checkAllSent(folder, applied.steps, site.gateway.writes, known);
  const open = (address: string): boolean => expected.lenient.has(subjectOf(folder, address));
  const undone = (applied.results ?? []).filter(({ status, address }) => status !== 'done' && !open(address));
  if (undone.length > 0) throw new Broken('apply: every step is done', JSON.stringify(undone, null, 1));
  const wanted = applied.problems.length + applied.unknown.length > 0 ? 1 : 0;
  if (expected.lenient.size === 0 && applied.exit !== wanted)
    throw new Broken('apply: exit code', `${applied.exit}, not ${wanted}`);
  checkWorld(before, site.reality(), ledger, situation, expected);
  checkLedger(site.reality(), situation, expected, ledger);
  if (expected.lenient.size === 0) checkNothingLeft(site.reality());
}

/** Nothing is left to do, and another apply sends no write. */
async function checkSettled(course: Course, run: Run): Promise<void> {
  const { site, tool, folder } = course;
  const situation = await course.situation(await tool.ledger(), destroyOf(run));
  const expected = expect(situation, limitsOf(run));
  const planned = await tool.plan();
  mustPlan(planned);
  checkPlan(folder, expected, planned);
  const quiet = planned.steps.filter(({ address }) => !expected.lenient.has(subjectOf(folder, address)));
  if (quiet.length > 0 && !site.isLate)
    throw new Broken('a second plan finds nothing', quiet.map(({ id }) => id).join('\n'));
  if (expected.lenient.size > 0 || site.isLate) return;
  site.gateway.clear();
  const applied = await tool.apply({ ...run.options, writeSecrets: false });
  checkNoWrites(course, 'a second apply');
  const drifted = await tool.drift();
  checkDrift(folder, situation, expected, drifted);
  const exit = expected.problems.size + expected.unknown.size > 0 ? 1 : 0;
  if (applied.exit !== exit)
    throw new Broken('a second apply: exit code', `${applied.exit}, not ${exit}: ${applied.text}`);
}

const destroyOf = (run: Run): { destroy?: true } => (run.destroy ? { destroy: true } : {});
const limitsOf = ({ options = {} }: Run): { deletes?: number; missing?: number } => ({
  ...(options.maxDeletes === undefined ? {} : { deletes: options.maxDeletes }),
  ...(options.acceptMissing === undefined ? {} : { missing: options.acceptMissing }),
});

/** Plays one round. Throws `Broken`. */
export async function playRound(course: Course, run: Run): Promise<void> {
  const { site, tool, folder } = course;
  site.write(folder);
  const { mistakes } = desiredOf(folder, site.conditions.profile);
  if (mistakes.length > 0) return playRefusal(course, mistakes);
  const ledger = await tool.ledger();
  const situation = await course.situation(ledger, { ...run.options, ...destroyOf(run) });
  const expected = expect(situation, limitsOf(run));
  site.gateway.clear();
  if (!run.destroy) {
    const planned: Planned = await tool.plan(run.options ?? {});
    checkSilence(course, planned.text);
    mustPlan(planned);
    checkPlan(folder, expected, planned);
    checkPlanExit(planned);
    const drifted = await tool.drift();
    checkSilence(course, drifted.text);
    mustPlan(drifted);
    checkDrift(folder, situation, expected, drifted);
    checkNoWrites(course, 'plan and drift');
  }
  course.open = { blockers: stopsOf(expected, course), problems: [...expected.problems] };
  await checkApplied(course, run, situation, expected);
  if (course.open.blockers.length === 0 && !run.destroy) await checkSettled(course, run);
}
