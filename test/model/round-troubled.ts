/** A round whose apply goes wrong: what must not happen, and that the next rounds put everything right. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Action, Trouble } from './actions';
import { Broken } from './broken';
import { checkWorld, playThrough } from './check-world';
import { checkNoStrays, ownership } from './check-writes';
import type { Course } from './course';
import type { Expected, Situation } from './expected';
import type { Sent } from './gateway';
import { maxSources } from './organization';
import type { Applied, LedgerState, Planned } from './outcome';
import type { Reality } from './reality';
import { arm } from './trouble';

type Run = Extract<Action, { do: 'run' }>;

/** What has to be put right, and what to hold the end against. */
export interface Aftermath {
  readonly before: Reality;
  readonly strangers: ReadonlySet<string>;
  readonly trouble: Trouble;
  /** Whether it came to pass at all. */
  readonly met: boolean;
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

/** Every difference is one that the plan would have made. */
function checkExplained(before: Reality, after: Reality, expected: Expected): void {
  const draft = playThrough(before, expected);
  const strange: string[] = [];
  const going = new Set(
    expected.steps.flatMap(({ action, objectId }) =>
      ['delete', 'cleanup'].includes(action) ? [objectId] : [],
    ),
  );
  for (const [id, was] of before.clients) {
    const now = after.clients.get(id);
    const then = draft.clients.get(id);
    if (now === undefined) {
      if (!going.has(id)) strange.push(`${id} was destroyed`);
      continue;
    }
    for (const [field, value] of Object.entries(now)) {
      if (field === 'projects' || value === Reflect.get(was, field)) continue;
      if (then === undefined || value !== Reflect.get(then, field))
        strange.push(`${id}.${field} is ${value}`);
    }
    const kept = then?.projects ?? was.projects;
    for (const one of now.projects)
      if (!was.projects.includes(one) && !kept.includes(one)) strange.push(`${id}: ${one} attached`);
    for (const one of was.projects)
      if (!now.projects.includes(one) && kept.includes(one)) strange.push(`${id}: ${one} detached`);
  }
  const known = (id: string): boolean => before.triggers.some((one) => one.id === id);
  for (const { id } of before.triggers) {
    if (!after.triggers.some((one) => one.id === id) && !going.has(id)) strange.push(`${id} was deleted`);
  }
  for (const { id, target, source } of after.triggers) {
    const wanted = draft.triggers.some((one) => one.target === target && one.source === source);
    if (!known(id) && !wanted) strange.push(`${target} <- ${source} was made`);
  }
  if (strange.length > 0) throw new Broken('nothing else is touched', strange.join('\n'));
}

/** What this run made is in the ledger, or the ledger knows that it may be there. */
function checkRecorded(
  before: Reality,
  after: Reality,
  ledger: LedgerState,
  strangers: ReadonlySet<string>,
): void {
  const owned = new Set(Object.values(ledger.objects).map(({ id }) => id));
  const names = new Set([
    ...Object.values(ledger.pending).map(({ nonce }) => nonce),
    ...ledger.unconfirmed.map(({ nonce }) => nonce),
  ]);
  const keys = new Set([
    ...Object.keys(ledger.pending),
    ...ledger.unconfirmed.flatMap(({ address, nonce }) => [address, nonce]),
  ]);
  const lost: string[] = [];
  for (const [id, { name }] of after.clients) {
    if (before.clients.has(id) || strangers.has(id) || owned.has(id)) continue;
    if (name === null || !names.has(name)) lost.push(`${id} ${name}`);
  }
  for (const { id, target, source } of after.triggers) {
    if (before.triggers.some((one) => one.id === id) || strangers.has(id) || owned.has(id)) continue;
    if (!keys.has(`RunTrigger/${target}/${source}`)) lost.push(`${id} ${target} <- ${source}`);
  }
  if (lost.length > 0) throw new Broken('the ledger knows what was made', lost.join('\n'));
}

/** Once all is over: what was made is owned, and nothing waits or lies about. */
function checkRecovered(
  before: Reality,
  after: Reality,
  ledger: LedgerState,
  strangers: ReadonlySet<string>,
  isFull: (target?: string) => boolean,
): void {
  const owned = new Set(Object.values(ledger.objects).map(({ id }) => id));
  const stray = [
    ...[...after.clients].flatMap(([id, { name }]) => (before.clients.has(id) ? [] : [[id, name] as const])),
    ...after.triggers.flatMap(({ id, target, source }) =>
      before.triggers.some((one) => one.id === id) ? [] : [[id, `${target} <- ${source}`] as const],
    ),
  ].filter(([id]) => !owned.has(id) && !strangers.has(id));
  if (stray.length > 0)
    throw new Broken('after trouble: nothing is left over', stray.map((one) => one.join(' ')).join('\n'));
  // What is to be created in a full target is refused each time.
  const pending = Object.keys(ledger.pending).filter(
    (key) => !key.startsWith('RunTrigger/') || !isFull(key.split('/')[1]),
  );
  if (pending.length > 0) throw new Broken('after trouble: nothing is pending', pending.join('\n'));
}

/** Whether a client that exists was answered to be missing. */
function isHiddenShow({ method, path, status }: Sent, before: Reality): boolean {
  const id = /^\/oauth-clients\/([^/]+)$/u.exec(path)?.[1];
  return method === 'GET' && status === 404 && id !== undefined && before.clients.has(id);
}

/** Whether another value was sent than is kept: what was left out the service may fill as it likes. */
function differs(body: unknown, kept: Readonly<Record<string, unknown>>): boolean {
  const { attributes } = (body as { data: { attributes: Record<string, unknown> } }).data;
  return Object.entries(kept).some(([name, value]) => name in attributes && attributes[name] !== value);
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
  const { site, tool } = course;
  const { spoken } = situation;
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
  checkNoStrays(spoken, steps, site.gateway.writes, ownership(spoken, [situation.ledger, ledger], before));
  const after = site.reality();
  const isSure = expected.lenient.size + expected.shaky.size === 0 && !isShared(trouble);
  // A late list that lacks it and a Show that answers 404 count as evidence, even where the 404 comes of lost rights.
  const wasMisled = site.isLate && site.gateway.sent.some((sent) => isHiddenShow(sent, before));
  if (isSure && trouble.trouble !== 'other-values') checkExplained(before, after, expected);
  if (isSure && applied.exit === 0 && trouble.trouble !== 'other-values' && !wasMisled)
    checkWorld(before, after, ledger, situation, expected);
  if (
    trouble.trouble === 'other-values' &&
    applied.exit === 0 &&
    site.gateway.sent.some(
      (sent) => sent.treated === 'change' && sent.status === 201 && differs(sent.body, trouble.attributes),
    )
  ) {
    throw new Broken('an answer with other values fails its step', applied.text);
  }
  // What was refused and made all the same cannot be seen while lists are late.
  const isHidden = site.isLate && trouble.trouble === 'treat' && trouble.treatment.do === 'claim';
  if (isSure && !isHidden) checkRecorded(before, after, ledger, strangers);
  return { before, strangers, trouble, met: armed.met() };
}

/** The end of it all, when the rounds after it are played. */
export async function checkAftermath(
  course: Course,
  { before, strangers, trouble }: Aftermath,
): Promise<void> {
  if (isShared(trouble)) return;
  const reality = course.site.reality();
  const limit = maxSources[course.site.conditions.profile];
  const isFull = (target = ''): boolean =>
    reality.triggers.filter((one) => one.target === target).length >= limit;
  checkRecovered(before, reality, await course.tool.ledger(), strangers, isFull);
}
