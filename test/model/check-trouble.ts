/** What must hold however an apply went wrong: nobody else's things are touched, and nothing is done that the ledger does not know. */
import { Broken } from './broken';
import { playThrough } from './check-world';
import type { Expected } from './expected';
import type { LedgerState } from './outcome';
import type { Reality } from './reality';

/** Every difference is one that the plan would have made. */
export function checkExplained(before: Reality, after: Reality, expected: Expected): void {
  const draft = playThrough(before, expected);
  const strange: string[] = [];
  const going = new Set(expected.steps.flatMap((step) => (step.action === 'delete' ? [step.objectId] : [])));
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
export function checkRecorded(
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
export function checkRecovered(
  before: Reality,
  after: Reality,
  ledger: LedgerState,
  strangers: ReadonlySet<string>,
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
  const pending = Object.keys(ledger.pending);
  if (pending.length > 0) throw new Broken('after trouble: nothing is pending', pending.join('\n'));
}
