/** Translates a plan into the oracle's outcomes. */
import { attachmentOf, idOf, triggerPair } from './desired';
import { type Fates, fatesOf } from './fates';
import { keepOldClient, type Outcome, toObjectSubject } from './outcomes';
import { clientKey, recordedClients, type Situation } from './situation';
import type { Planned, PlannedStep } from './tool';

export interface PlanOutcomes {
  /** The outcomes of subjects. An absent subject has `nothing`. */
  readonly outcomes: ReadonlyMap<string, string>;
  readonly steps: ReadonlyMap<string, readonly PlannedStep[]>;
  readonly fates: Fates;
}

/** The address by ids: `RunTrigger/app/network` → `RunTrigger/ws-1/ws-2`. */
export function subjectOf({ folder, view }: Situation, address: string): string {
  const [kind, one = '', other = ''] = address.split('/');
  const workspace = (text: string): string => idOf(folder, 'workspaces', text, view.names);
  if (kind === 'RunTrigger') return triggerPair(workspace(one), workspace(other));
  if (kind === 'ProjectAttachment') return attachmentOf(one, idOf(folder, 'projects', other, view.names));
  return address;
}

function clientSubject(situation: Situation, step: PlannedStep): string {
  const { address, action, objectId = '', reason } = step;
  if (action !== 'delete' && action !== 'forget') return address;
  const clients = [...recordedClients(situation).values()];
  const isRetiring = clients.some(({ retiring = [] }) => retiring.includes(objectId));
  const isDeclared = !situation.destroy && situation.desired.clients.has(address.replace('OAuthClient/', ''));
  const isOld = isRetiring || reason === 'replaced' || (isDeclared && action === 'delete');
  return isOld ? toObjectSubject(address, objectId) : address;
}

function linkSubject(fates: Fates, { key, action, objectId = '' }: PlannedStep): string {
  const [kind = '', one = '', other = ''] = key;
  if (kind === 'RunTrigger') {
    const pair = triggerPair(one, other);
    return action === 'delete' ? toObjectSubject(pair, objectId) : pair;
  }
  const name = one.startsWith('oc-') ? fates.nameOf(one) : one.replace('OAuthClient/', '');
  const subject = attachmentOf(name, other);
  return one.startsWith('oc-') && !fates.isCurrent(one) ? toObjectSubject(subject, one) : subject;
}

/** `adopt oc-1`, where the id says which object is meant. */
function outcomeOf(steps: readonly PlannedStep[]): string {
  const actions = steps.map(({ action }) => action);
  const has = (...some: string[]): boolean => some.some((action) => actions.includes(action));
  const main = steps.filter(({ action }) => {
    if (action === 'update') return !has('adopt', 'move', 'replace', 'create');
    if (action === 'move' || action === 'adopt') return !has('delete', 'replace', 'create');
    return true;
  });
  const text = ({ action, objectId, kind }: PlannedStep): string =>
    kind === 'OAuthClient' && ['adopt', 'move', 'replace', 'delete'].includes(action)
      ? `${action} ${objectId}`
      : action;
  return main.map(text).sort().join(' + ');
}

/** Returns the outcomes in two passes, because the outcomes of clients decide the owners of links. */
export function planOutcomes(situation: Situation, planned: Planned): PlanOutcomes {
  const steps = new Map<string, PlannedStep[]>();
  const add = (subject: string, step: PlannedStep): void =>
    void steps.set(subject, [...(steps.get(subject) ?? []), step]);
  const replaced = new Set(
    planned.steps.flatMap(({ action, objectId, kind }) =>
      action === 'replace' && kind === 'OAuthClient' ? [objectId] : [],
    ),
  );
  const clients = planned.steps.filter(({ kind }) => kind === 'OAuthClient');
  // The end of a replace is a part of it.
  const own = clients.filter(
    ({ action, objectId }) => !['delete', 'forget'].includes(action) || !replaced.has(objectId),
  );
  for (const step of own) add(clientSubject(situation, step), step);
  const outcomes = new Map<string, string>();
  const say = (what: string, addresses: readonly { readonly address?: string }[]): void => {
    for (const { address } of addresses) {
      // A second trigger of a pair has its id behind the address.
      const [base, id] = (address ?? '').split(/ \(|\)$/u);
      if (address === undefined || base === undefined) continue;
      const subject = subjectOf(situation, base);
      outcomes.set(id === undefined ? subject : toObjectSubject(subject, id), what);
    }
  };
  say('unknown', planned.unknown);
  say('problem', planned.problems);
  const deleted = new Set(clients.flatMap(({ action, objectId }) => (action === 'delete' ? [objectId] : [])));
  const settle = (): void => {
    for (const [subject, some] of steps) {
      const isKept = some.some(({ action, objectId }) => action === 'replace' && !deleted.has(objectId));
      const outcome = outcomeOf(some);
      outcomes.set(subject, isKept ? keepOldClient(outcome as Outcome) : outcome);
    }
  };
  settle();
  const links = planned.steps.filter(({ kind }) => kind !== 'OAuthClient');
  const stopped = new Set(planned.problems.map(({ address }) => address));
  const fates = fatesOf(
    situation,
    (name) => outcomes.get(clientKey(name)) ?? 'nothing',
    (name) => stopped.has(clientKey(name)),
  );
  // The link of an id is that of its address.
  for (const [subject, outcome] of [...outcomes]) {
    const [, id, project] = /^ProjectAttachment\/(oc-[^/]+)\/(.+)$/u.exec(subject) ?? [];
    if (id === undefined || project === undefined || !fates.names.includes(fates.nameOf(id))) continue;
    outcomes.delete(subject);
    const own = attachmentOf(fates.nameOf(id), project);
    if (!outcomes.has(own)) outcomes.set(own, outcome);
  }
  for (const step of links) add(linkSubject(fates, step), step);
  settle();
  return { outcomes, steps, fates };
}
