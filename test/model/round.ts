/** One round of the tool: plan, drift and apply, each held against the oracle, and once more to see that nothing is left to do. */
import { isDeepStrictEqual } from 'node:util';
import type { Action } from './actions';
import { Broken } from './broken';
import { checkDrift, checkPlan, checkPlanExit, subjectOf } from './check-plan';
import { checkLedger, checkNothingLeft, checkWorld } from './check-world';
import { checkAllSent, checkNoStrays, ownership } from './check-writes';
import type { Course } from './course';
import { desiredOf } from './desired';
import { expect } from './expect';
import type { Limits } from './expect-guards';
import { type Expected, labelOf, type Situation } from './expected';
import type { Folder } from './manifests';
import type { Planned } from './outcome';
import { type Aftermath, applyTroubled, checkAftermath } from './round-troubled';

type Run = Extract<Action, { do: 'run' }>;

/** What became of a round: whether the manifests were refused, and whether what was asked of the run came to pass. */
export interface Round {
  readonly refused: boolean;
  readonly asAsked: boolean;
}

const refused: Round = { refused: true, asAsked: false };
const untouched: Round = { refused: false, asAsked: false };
const played: Round = { refused: false, asAsked: true };

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
  // Of the ledger and its organization, `validate` knows nothing.
  const isSeen = mistakes.some((one) => !/ is of |a ledger stands/u.test(one));
  if (isSeen && (await tool.validate()) !== 1)
    throw new Broken('validate finds mistakes', mistakes.join('\n'));
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

/** Whether the token sees none of the lists that anything of this folder or its ledger would be in. */
function isBlind({ desired, ledger, view, destroy }: Situation): boolean {
  const wanted = destroy ? [] : [...desired.triggers.values()];
  const held = Object.keys(ledger.objects).map((key) => key.split('/'));
  const pairs = [
    ...wanted.map(({ target, source }) => [target, source] as const),
    ...held
      .filter(([kind]) => kind === 'RunTrigger')
      .map(([, target = '', source = '']) => [target, source] as const),
    ...(destroy ? [] : [...desired.inSets.keys()].map((target) => [target, ''] as const)),
    ...(destroy ? [] : [...desired.outSets.keys()].map((source) => ['', source] as const)),
  ];
  const clients =
    held.some(([kind]) => kind !== 'RunTrigger') ||
    (!destroy && desired.clients.size + desired.attachments.length > 0);
  const seen = pairs.some(
    ([target, source]) =>
      (view.inbound.get(target) ?? null) !== null || (view.outbound.get(source) ?? null) !== null,
  );
  return (clients || pairs.length > 0) && !(clients && view.list !== null) && !seen;
}

/** A token that sees nothing: exit 1, nothing is planned and nothing sent. */
async function playBlind(course: Course): Promise<void> {
  const { site, tool } = course;
  const before = site.savedLedger();
  site.gateway.clear();
  for (const outcome of [await tool.plan(), await tool.drift(), await tool.apply()]) {
    checkSilence(course, outcome.text);
    const steps = 'steps' in outcome ? outcome.steps : [];
    if (outcome.exit !== 1 || steps.length > 0) throw new Broken('a blind token plans nothing', outcome.text);
  }
  checkNoWrites(course, 'a blind token');
  if (site.savedLedger() !== before) throw new Broken('a blind token changes no ledger', String(before));
}

function mustPlan(planned: { state: string; text: string }): void {
  if (planned.state !== 'planned') throw new Broken('right manifests are planned', planned.text);
}

/** Whether an apply of this expectation stops before its first write. */
function stopsOf(expected: Expected, course: Course): string[] {
  const missing = expected.steps.flatMap(({ needsSecrets = [] }) =>
    needsSecrets.filter((source) => course.secretOf(source) === undefined),
  );
  return [...expected.blockers, ...missing.map((source) => `no value for ${source}`)];
}

/** What is left to a person to decide. */
function openOf(expected: Expected, course: Course): Course['open'] {
  const counts = Math.max(expected.steps.length, 1);
  return { blockers: stopsOf(expected, course), problems: [...expected.problems], counts };
}

/** What an apply did that nothing disturbed. */
async function checkApplied(
  course: Course,
  run: Run,
  situation: Situation,
  expected: Expected,
): Promise<void> {
  const { site, tool } = course;
  site.gateway.clear();
  const before = site.reality();
  const bytes = site.hasJournal ? undefined : site.savedLedger();
  const applied = await tool.apply({ ...run.options, ...(run.destroy ? { destroy: true } : {}) });
  checkSilence(course, applied.text);
  // As a plan, it cannot tell a wrong name from a missing permission.
  if (applied.state === 'refused' && (situation.view.list === null || situation.view.revoked)) {
    return checkNoWrites(course, 'a blind token');
  }
  const stops = stopsOf(expected, course);
  const isRefused = applied.state === 'refused' && stops.length > 0;
  if (!isRefused) {
    mustPlan(applied);
    checkPlan(situation.spoken, expected, applied);
    stops.splice(0, stops.length, ...stopsOf(expected, course));
  }
  if (stops.length > 0) {
    checkNoWrites(course, `an apply that is stopped (${stops.join(', ')})`);
    if (applied.exit !== 1) throw new Broken('a stopped apply exits with 1', `${applied.exit}`);
    const isSame =
      bytes === undefined
        ? isDeepStrictEqual(await tool.ledger(), situation.ledger)
        : site.savedLedger() === bytes;
    if (!isSame) throw new Broken('a stopped apply changes no ledger', stops.join('\n'));
    return;
  }
  const ledger = await tool.ledger();
  const known = ownership(situation.spoken, [situation.ledger, ledger], before);
  const open = (address: string): boolean => {
    const subject = subjectOf(situation.spoken, address);
    return expected.lenient.has(subject) || expected.shaky.has(subject);
  };
  checkNoStrays(situation.spoken, applied.steps, site.gateway.writes, known);
  checkAllSent(
    situation.spoken,
    applied.steps.filter(({ address }) => !open(address)),
    site.gateway.writes,
    known,
  );
  const isSure = expected.lenient.size + expected.shaky.size === 0;
  const isRefusedThere = (address: string): boolean =>
    expected.refused.has(subjectOf(situation.spoken, address));
  const undone = (applied.results ?? []).filter(
    ({ status, address }) => (status === 'done') === isRefusedThere(address) && !open(address),
  );
  if (undone.length > 0)
    throw new Broken('apply: every step ends as it must', JSON.stringify(undone, null, 1));
  const wanted = applied.problems.length + applied.unknown.length + expected.refused.size > 0 ? 1 : 0;
  if (isSure && applied.exit !== wanted)
    throw new Broken('apply: exit code', `${applied.exit}, not ${wanted}`);
  checkWorld(before, site.reality(), ledger, situation, expected);
  checkLedger(site.reality(), situation, expected, ledger);
  if (isSure && !site.isLate) checkNothingLeft(site.reality());
}

/** Nothing is left to do, and another apply sends no write. */
async function checkSettled(course: Course, run: Run, former: Expected): Promise<void> {
  const { site, tool } = course;
  const situation = await course.situation(await tool.ledger(), destroyOf(run));
  const expected = expect(situation, limitsOf(run));
  const planned = await tool.plan();
  mustPlan(planned);
  checkPlan(situation.spoken, expected, planned);
  // What stood in the way of one step, such as a client that another entry adopts, may be gone with the first apply.
  const stood = new Set([...former.problems].map((subject) => subject.split('/')[1]));
  const isFree = (address: string): boolean => stood.has(subjectOf(situation.spoken, address).split('/')[1]);
  const left = planned.steps.filter(
    ({ address }) => !expected.lenient.has(subjectOf(situation.spoken, address)),
  );
  const quiet = left.filter(({ address }) => !isFree(address));
  if (quiet.length > 0 && !site.isLate)
    throw new Broken('a second plan finds nothing', quiet.map(({ id }) => id).join('\n'));
  if (expected.lenient.size > 0 || site.isLate || left.length > 0) return;
  site.gateway.clear();
  const applied = await tool.apply({ ...run.options, writeSecrets: false });
  checkNoWrites(course, 'a second apply');
  const drifted = await tool.drift();
  checkDrift(situation, expected, drifted);
  const exit = expected.problems.size + expected.unknown.size > 0 ? 1 : 0;
  if (applied.exit !== exit)
    throw new Broken('a second apply: exit code', `${applied.exit}, not ${exit}: ${applied.text}`);
}

const destroyOf = (run: Run): { destroy?: true } => (run.destroy ? { destroy: true } : {});
const limitsOf = ({ options = {} }: Run): Limits => ({
  ...(options.maxDeletes === undefined ? {} : { deletes: options.maxDeletes }),
  ...(options.acceptMissing === undefined ? {} : { missing: options.acceptMissing }),
});

/** After trouble: two rounds without any put right what it left, and then everything is as it should be. */
async function recover(course: Course, aftermath: Aftermath): Promise<void> {
  const { site } = course;
  for (let round = 0; round < 3; round += 1) {
    await site.gateway.release();
    if (round > 0) site.time.pass(7_200_000);
    // What the first round settled needs no other.
    const isOver = round === 1 && !site.isLate && (await isQuiet(course));
    if (isOver) break;
    await playRound(course, { do: 'run' }, round !== 1);
    if (course.open.blockers.length > 0 || course.open.problems.length > 0) return;
  }
  await checkAftermath(course, aftermath);
}

/** What the next apply would meet and do, as far as the oracle knows; what stands in its way is left in `course.open`. */
export async function foresee(course: Course): Promise<{ writes: number; creates: number }> {
  const situation = await course.situation(await course.tool.ledger(), {});
  const expected = expect(situation);
  course.open = openOf(expected, course);
  const count = (...actions: string[]): number =>
    expected.steps.filter((step) => actions.includes(step.action)).length;
  const creates = expected.steps.filter(
    ({ action, subject }) => ['create', 'replace'].includes(action) && subject.startsWith('OAuthClient/'),
  ).length;
  return { writes: count('create', 'replace', 'delete', 'update'), creates };
}

async function isQuiet({ tool }: Course): Promise<boolean> {
  const { pending, unconfirmed } = await tool.ledger();
  return Object.keys(pending).length + unconfirmed.length === 0;
}

/** Something happens between a review and the apply of its digest: where it changes the plan, the new one is shown and nothing else is done. */
async function playStale(
  course: Course,
  run: Run,
  between: Exclude<Action, { do: 'run' }>,
  reviewed: Planned,
  before: Expected,
): Promise<boolean> {
  const { site, tool } = course;
  await course.perform(between);
  site.write(course.folder);
  if (course.hasMistakes() || reviewed.digest === undefined) return false;
  const situation = await course.situation(await tool.ledger(), {});
  if (isBlind(situation)) return false;
  const expected = expect(situation, limitsOf(run));
  const labels = (one: Expected): string => JSON.stringify(one.steps.map(labelOf).sort());
  if (labels(expected) === labels(before)) return false;
  site.gateway.clear();
  const bytes = site.savedLedger();
  const applied = await tool.apply({ ...run.options, expect: reviewed.digest });
  checkSilence(course, applied.text);
  if (applied.exit !== 1) throw new Broken('a stale digest exits with 1', `${applied.exit}\n${applied.text}`);
  checkNoWrites(course, 'a stale digest');
  if (site.savedLedger() !== bytes) throw new Broken('a stale digest changes no ledger', applied.text);
  if (applied.state === 'planned') checkPlan(situation.spoken, expected, applied);
  return true;
}

const textsOf = (folder: Folder): string => JSON.stringify(folder.files);

/** Plays one round; `settles`: it ends with the proof that nothing is left to do. Throws `Broken`. */
export async function playRound(course: Course, run: Run, settles = true): Promise<Round> {
  const { site, tool, folder } = course;
  site.write(folder);
  site.placeStray(course.stray);
  course.rightsOfLastRound = site.gateway.rights;
  const stray = course.stray === null ? [] : [`a ledger stands ${course.stray}`];
  const mistakes = [...desiredOf(folder, site.conditions.profile).mistakes, ...stray];
  if (run.trouble?.trouble === 'listed-id' && site.isLate) site.time.pass(7_200_000);
  // Where nothing was ever applied and only triggers are declared, a misspelt name cannot be told from a right one.
  if (
    mistakes.length > 0 &&
    mistakes.every((one) => / is of /u.test(one)) &&
    site.savedLedger() === undefined
  )
    return refused;
  if (mistakes.length > 0) {
    await playRefusal(course, mistakes);
    return refused;
  }
  course.sound = structuredClone(folder);
  if ((await tool.validate()) !== 0) throw new Broken('validate passes right manifests', textsOf(folder));
  const ledger = await tool.ledger();
  const situation = await course.situation(ledger, { ...run.options, ...destroyOf(run) });
  if (isBlind(situation)) {
    await playBlind(course);
    return untouched;
  }
  const expected = expect(situation, limitsOf(run));
  site.gateway.clear();
  if (run.destroy) {
    await checkApplied(course, run, situation, expected);
    return played;
  }
  const planned: Planned = await tool.plan(run.options ?? {});
  checkSilence(course, planned.text);
  // Without the organization's list, a wrong name and a missing permission look the same.
  if (planned.state === 'refused' && (situation.view.list === null || situation.view.revoked)) {
    await playBlind(course);
    return untouched;
  }
  mustPlan(planned);
  checkPlan(situation.spoken, expected, planned);
  checkPlanExit(planned);
  const drifted = await tool.drift();
  checkSilence(course, drifted.text);
  mustPlan(drifted);
  checkDrift(situation, expected, drifted);
  checkNoWrites(course, 'plan and drift');
  course.open = openOf(expected, course);
  const isClear = course.open.blockers.length === 0 && site.gateway.rights === 'owner';
  if (run.trouble !== undefined && isClear) {
    const aftermath = await applyTroubled(course, run, run.trouble, planned, situation, expected);
    await recover(course, aftermath);
    return aftermath.met ? played : untouched;
  }
  const { review } = run;
  if (review !== undefined && 'between' in review) {
    const isStale = await playStale(course, run, review.between, planned, expected);
    // What came in between is there now: the plan is made again.
    const again = await playRound(course, { do: 'run' });
    return { ...again, asAsked: isStale };
  }
  const digest = review === undefined || planned.digest === undefined ? {} : { expect: planned.digest };
  await checkApplied(course, { ...run, options: { ...run.options, ...digest } }, situation, expected);
  const isSettled = course.open.blockers.length === 0 && expected.refused.size + expected.shaky.size === 0;
  if (isSettled && settles) await checkSettled(course, run, expected);
  return run.trouble === undefined ? played : untouched;
}
