/**
 * Plays one round of the tool: plan, drift and apply. It compares each with the oracle, and checks that nothing is left.
 * The rules are RULES.md, "One service", RULES.md, "Lacking fields", RULES.md, "Any run".
 */
import { isDeepStrictEqual } from 'node:util';
import type { Run, Trouble } from './actions';
import { Broken } from './broken';
import { checkOrder } from './check-order';
import { type Agreed, checkDrift, checkPlan } from './check-plan';
import { checkLedger, checkWorld } from './check-world';
import type { Course } from './course';
import { lacksPermission } from './expect-links';
import { organization } from './organization';
import { subjectOf } from './plan-outcomes';
import { allNames } from './reality';
import { isHidden, type Situation, sharesEnd } from './situation';
import type { Applied, Planned, RunOptions } from './tool';
import { arm } from './trouble';
import { checkAnnounced, checkNoWrites, checkSilence, checkTruth } from './truth';

/** Returns the state that a command must not change. */
const captureState = ({ site }: Course): unknown => {
  const { clients, triggers } = site.reality();
  return structuredClone([[...clients.values()], triggers, site.savedLedger()]);
};

function clearRecordedRequests({ site }: Course): void {
  site.gateway.clear();
  site.elsewhere.clear();
}

/** Checks that no request, which carries the token, went to another service. */
function checkElsewhere({ site }: Course): void {
  const [call] = site.elsewhere.sent;
  if (call !== undefined)
    throw new Broken('the token goes to the service of the run', `${call.method} ${call.path}`);
}

/** Throws the error of a watcher, which could not be thrown at once. */
function checkAlarm({ site }: Course): void {
  const { alarm } = site.gateway;
  site.gateway.alarm = undefined;
  if (alarm instanceof Error) throw alarm;
}

/** Checks that every command refuses a wrong manifest or token, and sends and writes nothing. */
async function playRefusal(course: Course, why: string, isSilent = false): Promise<void> {
  const { tool } = course;
  const before = captureState(course);
  clearRecordedRequests(course);
  for (const outcome of [await tool.plan(), await tool.drift(), await tool.apply()]) {
    if (outcome.state === 'planned') throw new Broken('mistakes are refused', `${why}\n${outcome.text}`);
    checkSilence(course, outcome.text);
  }
  checkNoWrites(course, 'a refusal');
  const [call] = course.site.gateway.sent;
  if (isSilent && call !== undefined)
    throw new Broken(
      'a ledger of another service is refused before the first call',
      `${call.method} ${call.path}`,
    );
  if (!isDeepStrictEqual(captureState(course), before)) throw new Broken('a refusal changes nothing', why);
}

function findObstacles(agreed: Agreed, planned: Planned): Course['open'] {
  const { approvals, secrets } = agreed.limits;
  const losses = planned.blockers.some(({ rule }) => rule === 'losses');
  return { approvals, losses, secrets, problems: planned.problems };
}

const isStopped = ({ approvals, losses, secrets }: Course['open']): boolean =>
  approvals.length + secrets.length > 0 || losses;

/** Checks that a client is recorded, and its step fails, if the answer to its POST lacks what was declared. True if there is one. */
function checkHidden(course: Course, situation: Situation, { steps, results = [] }: Applied): boolean {
  const creates = steps.filter(({ kind, action, address }) => {
    const wanted = situation.desired.clients.get(address.replace('OAuthClient/', ''));
    const isMade = kind === 'OAuthClient' && (action === 'create' || action === 'replace');
    return isMade && !situation.destroy && wanted !== undefined && isHidden(situation, wanted);
  });
  for (const { id, address } of creates) {
    const status = results.find(({ step }) => step === id)?.status;
    const recorded = course.ledger().objects[address]?.id ?? '';
    if (status === 'done' || (status === 'failed' && !course.site.reality().clients.has(recorded))) {
      throw new Broken(
        'a client without what was declared is recorded, and its step fails',
        `${id}: ${status}`,
      );
    }
  }
  return creates.length > 0;
}

/** Checks that each step ends as it must, and that the objects are those of the plan. */
function checkDone(course: Course, situation: Situation, agreed: Agreed, applied: Applied): void {
  const isOpen = (address: string): boolean => {
    const subject = subjectOf(situation, address);
    return lacksPermission(situation, subject) || isFull(situation, subject);
  };
  if (checkHidden(course, situation, applied)) return;
  const undone = (applied.results ?? []).filter(
    ({ status, address }) => status !== 'done' && !isOpen(address),
  );
  // With late lists, an object that was shown a moment ago may disappear.
  if (course.site.isLate || situation.rights !== 'owner') return;
  if (undone.length > 0) throw new Broken('apply: every step is done', JSON.stringify(undone, null, 1));
  const isUndone = (applied.results ?? []).some(({ status }) => status !== 'done');
  if (isUndone) return;
  checkWorld(situation, agreed, course.ledger(), course.site.reality());
  checkLedger(situation, agreed, course.ledger(), course.site.reality());
}

const isFull = ({ profile }: Situation, subject: string): boolean =>
  profile === 'tight' && subject.startsWith('RunTrigger/');

/** Applies with or without trouble, and checks the promises that hold in any case. */
async function apply(
  course: Course,
  situation: Situation,
  options: RunOptions,
  planned: Planned,
  trouble?: Trouble,
): Promise<Applied> {
  const { site, tool } = course;
  const before = site.reality();
  const ledgerBefore = course.ledger();
  clearRecordedRequests(course);
  site.gateway.watch = (passing) => checkAnnounced(course, passing);
  const armed = trouble === undefined ? undefined : arm(course, trouble);
  const applied = await tool.apply(options);
  await armed?.settle();
  site.gateway.watch = () => undefined;
  checkAlarm(course);
  checkElsewhere(course);
  const { address, serial } = course.ledger();
  if (serial !== ledgerBefore.serial && address !== site.address)
    throw new Broken('a save notes the address of its run', `${address}, and not ${site.address}`);
  checkSilence(course, applied.text);
  checkTruth({
    before,
    after: site.reality(),
    ledgerBefore,
    ledger: course.ledger(),
    steps: applied.killed ? planned.steps : applied.steps,
    strangers: armed?.strangers ?? new Set(),
    // After a lost answer, a list that lags does not show the trigger either.
    isLate: site.isLate || (trouble?.trouble === 'treat' && trouble.treatment.do === 'delay'),
    sent: site.gateway.sent,
    lacks: site.gateway.lacks,
  });
  const { results } = applied;
  const { steps } = applied.killed ? planned : applied;
  checkOrder(situation, site.gateway.sent, { ...applied, steps, ...(results && { results }) });
  return applied;
}

/** Checks that nothing is left to do, and that another apply sends no write. */
async function checkSettled(course: Course, options: RunOptions, first: Planned): Promise<void> {
  const situation = await course.situation(options.destroy);
  clearRecordedRequests(course);
  const planned = await (options.destroy ? course.tool.plan({ destroy: true }) : course.tool.plan());
  if (planned.state !== 'planned') throw new Broken('right manifests are planned', planned.text);
  checkPlan(situation, planned);
  // What the first plan left alone may be free now: a client that another entry adopted is no possible match any more.
  const leftAddresses = [...first.problems, ...first.unknown].flatMap(({ address = '' }) => address);
  const steps = planned.steps.filter(
    ({ address }) => !leftAddresses.some((left) => sharesEnd(left, address)),
  );
  if (steps.length > 0 && isFinal(situation, planned)) {
    throw new Broken('a second plan finds nothing', steps.map(({ id }) => id).join('\n'));
  }
}

/** True if no problem or unknown object can hold back a step that the first apply would free. */
function isFinal({ desired, rights, profile }: Situation, planned: Planned): boolean {
  const isHeld = planned.unknown.length + planned.problems.length > 0 || desired.hasUnknownNames;
  return !isHeld && rights === 'owner' && profile !== 'tight';
}

/** Plays events between a review and its apply. If they change the plan, the apply must do nothing. */
async function playAfterReview(course: Course, run: Run, reviewed: Planned): Promise<void> {
  const { site, tool } = course;
  const { address } = site;
  for (const action of run.between ?? []) await course.perform(action);
  if (course.hasMistakes(course.folder, allNames)) return;
  site.write(course.folder);
  if (course.isElsewhere(course.folder)) return;
  const now = await tool.plan(toRunOptions(run));
  // A digest has no values of secrets, so an update of a secret alone does not change it.
  const labels = ({ steps }: Planned): string[] =>
    steps
      .filter(({ action, inputs = {} }) => action !== 'update' || Object.keys(inputs).length > 0)
      .map(
        ({ id, objectId, inputs = {}, approval }) =>
          `${id} ${objectId} ${approval?.given} ${JSON.stringify(Object.entries(inputs).sort())}`,
      )
      .sort();
  if (now.state !== 'planned' || reviewed.digest === undefined) return;
  const isSame = site.address === address && isDeepStrictEqual(labels(now), labels(reviewed));
  if (isSame) return;
  const before = captureState(course);
  clearRecordedRequests(course);
  const applied = await tool.apply({ ...toRunOptions(run), expect: reviewed.digest });
  checkSilence(course, applied.text);
  checkNoWrites(course, 'a stale digest');
  if (!isDeepStrictEqual(captureState(course), before))
    throw new Broken('a stale digest changes nothing', applied.text);
  if (applied.results !== undefined) throw new Broken('a stale digest is refused', applied.text);
}

const toRunOptions = ({ maxDeletes, destroy }: Run): RunOptions => ({
  ...(maxDeletes === undefined ? {} : { maxDeletes }),
  ...(destroy === undefined ? {} : { destroy }),
});

/** Recovers after trouble, with an apply at once and two later ones. Then everything must be as declared. */
async function recover(course: Course): Promise<void> {
  const { site } = course;
  for (const minutes of [0, 3, 3]) {
    site.time.pass(minutes * 60_000);
    await site.gateway.release();
    const run: Run = { do: 'run' };
    await playRound(course, run, minutes > 0);
    const isHeld = course.open.problems.some(({ rule }) => rule !== 'create-pending');
    if (isStopped(course.open) || isHeld) return;
  }
  const { pending } = course.ledger();
  if (Object.keys(pending).length > 0)
    throw new Broken('after trouble nothing is pending', Object.keys(pending).join('\n'));
}

/** Plays one round. With `settles`, it ends with a check that nothing is left to do. Throws `Broken`. */
export async function playRound(course: Course, run: Run, settles = true): Promise<void> {
  const { site, tool } = course;
  site.write(course.folder);
  const situation = await course.situation(run.destroy);
  const { mistakes } = situation.desired;
  if (mistakes.length > 0) {
    // `validate` knows neither what names mean nor the organization that the ledger is of.
    const isOther = course.folder.organization !== organization;
    const hasMistakes = course.hasMistakes({ ...course.folder, organization });
    if (hasMistakes && (await tool.validate()))
      throw new Broken('validate finds mistakes', mistakes.join('\n'));
    // Only the ledger shows that the organization is wrong, and names have other ids there.
    if (isOther && !hasMistakes && situation.ledger.lineage === null) return;
    return playRefusal(course, mistakes.join('\n'));
  }
  course.sound = structuredClone(course.folder);
  // A name and the id that it means look like two ends before names are looked up.
  if (course.hasMistakes()) return;
  if (!(await tool.validate()))
    throw new Broken('validate passes right manifests', JSON.stringify(course.folder));
  if (situation.isElsewhere) return playRefusal(course, 'the ledger is of another service', true);
  const options = toRunOptions(run);
  clearRecordedRequests(course);
  const planned = await tool.plan(options);
  checkSilence(course, planned.text);
  const isBlind = situation.view.revoked || situation.rights === 'no-vcs';
  if (planned.state === 'refused' && isBlind) return playRefusal(course, 'the token sees nothing');
  if (planned.state !== 'planned') throw new Broken('right manifests are planned', planned.text);
  const agreed = checkPlan(situation, planned, options);
  if (run.destroy === undefined) {
    const drifted = await tool.drift();
    checkSilence(course, drifted.text);
    if (drifted.state !== 'planned') throw new Broken('right manifests are planned', drifted.text);
    checkDrift(situation, drifted);
  }
  checkNoWrites(course, 'plan and drift');
  course.open = findObstacles(agreed, planned);
  if (isStopped(course.open)) await checkStopped(course, options);
  if (isStopped(course.open) && run.between === undefined) return;
  if (run.between !== undefined) {
    await playAfterReview(course, run, planned);
    return playRound(course, { do: 'run' }, settles);
  }
  const expect = planned.digest === undefined ? {} : { expect: planned.digest };
  const applied = await apply(course, situation, { ...options, ...expect }, planned, run.trouble);
  if (run.trouble !== undefined) return recover(course);
  if (applied.state !== 'planned') throw new Broken('right manifests are applied', applied.text);
  if (applied.results === undefined) throw new Broken('the plan that was just made is applied', applied.text);
  checkDone(course, situation, agreed, applied);
  if (settles && !site.isLate) await checkSettled(course, options, planned);
}

/** Checks that the apply stops, and sends and writes nothing. */
async function checkStopped(course: Course, options: RunOptions): Promise<void> {
  const before = captureState(course);
  clearRecordedRequests(course);
  const applied = await course.tool.apply(options);
  checkSilence(course, applied.text);
  const what = `an apply that is stopped (${JSON.stringify(course.open)})`;
  checkNoWrites(course, what);
  if (applied.results !== undefined) throw new Broken('what is stopped is not applied', applied.text);
  if (!isDeepStrictEqual(captureState(course), before))
    throw new Broken('a stopped apply changes nothing', what);
}
