/** Holds a plan and a drift report against the oracle. */
import { Broken, sameMembers } from './broken';
import { type Expected, labelOf, type Situation } from './expected';
import { type Folder, idOf, readableFields } from './manifests';
import type { Drifted, Planned, PlannedStep } from './outcome';

/** The address by ids: `RunTrigger/app/network` → `RunTrigger/ws-1/ws-2`. */
export function subjectOf(folder: Folder, address: string): string {
  const [kind, one = '', other = ''] = address.split('/');
  if (kind === 'RunTrigger')
    return `${kind}/${idOf(folder, 'workspaces', one)}/${idOf(folder, 'workspaces', other)}`;
  if (kind === 'ProjectAttachment') return `${kind}/${one}/${idOf(folder, 'projects', other)}`;
  return address;
}

const isObject = (address: string): boolean =>
  /^(?:OAuthClient|ProjectAttachment|RunTrigger)\//u.test(address);

function labels(
  folder: Folder,
  steps: readonly PlannedStep[],
  withObject: (step: PlannedStep) => boolean,
): string[] {
  return steps.map((step) =>
    labelOf({
      action: step.action,
      subject: subjectOf(folder, step.address),
      ...(step.objectId !== undefined && withObject(step) ? { objectId: step.objectId } : {}),
    }),
  );
}

/** The plan says what the oracle says: steps, problems, unknown objects, and what stops an apply. */
export function checkPlan(folder: Folder, expected: Expected, planned: Planned): void {
  const isOpen = (subject: string): boolean => expected.lenient.has(subject);
  const steps = planned.steps.filter(({ address }) => !isOpen(subjectOf(folder, address)));
  const wanted = expected.steps.filter(({ subject }) => !isOpen(subject));
  sameMembers(
    'plan: steps',
    labels(folder, steps, ({ action }) => action !== 'create'),
    wanted.map(labelOf),
  );
  const problems = planned.problems
    .flatMap(({ address }) => address ?? [])
    .map((one) => subjectOf(folder, one));
  const closed = (list: Iterable<string>): string[] =>
    [...new Set(list)].filter((one) => isObject(one) && !isOpen(one));
  sameMembers('plan: problems', closed(problems), closed(expected.problems));
  const unknown = planned.unknown.map((one) => subjectOf(folder, one));
  sameMembers('plan: unknown', closed(unknown), closed(expected.unknown));
  const blockers = planned.blockers.map(({ code, address }) =>
    address === undefined ? `${code}` : `${code} ${address}`,
  );
  // What is protected may also be said to lack its approval.
  const isSaid = (blocker: string): boolean =>
    !expected.blockers.has(blocker.replace('approval ', 'protected ')) || !blocker.startsWith('approval ');
  for (const maybe of expected.maybeBlockers) if (blockers.includes(maybe)) expected.blockers.add(maybe);
  sameMembers('plan: blockers', new Set(blockers.filter(isSaid)), expected.blockers);
}

/** Drift is what differs between the ledger and what can be seen, and what is unmanaged in an exact set. */
export function checkDrift(situation: Situation, expected: Expected, drifted: Drifted): void {
  const { ledger, view, spoken } = situation;
  const wanted: string[] = [];
  // A client that moves is shown under its new address.
  const movedTo = (key: string, id: string): string =>
    expected.steps.find(({ action, objectId }) => action === 'move' && objectId === id)?.subject ?? key;
  const unsure = new Set([...expected.lenient.keys(), ...expected.unknown]);
  for (const [held, object] of Object.entries(ledger.objects)) {
    if (object.kind !== 'OAuthClient') continue;
    const key = movedTo(held, object.id);
    const seen = view.list?.find(({ id }) => id === object.id) ?? view.shown.get(object.id);
    if (seen === undefined) {
      if (view.list === null) unsure.add(key);
      else wanted.push(`missing ${key}`);
      continue;
    }
    for (const field of readableFields) {
      // What the manifest has no line for is not managed any more.
      const entry = situation.desired.clients.get(key.replace('OAuthClient/', ''));
      if (entry !== undefined && entry.values[field] === undefined) continue;
      const was = object.values[field === 'agentPool' ? 'agentPoolId' : field];
      if (was !== undefined && was !== seen[field])
        wanted.push(`changed ${key} ${field}: ${was} → ${seen[field]}`);
    }
  }
  const clientOf = (id: string): string => {
    const [key] = Object.entries(ledger.objects).find(([, one]) => one.id === id) ?? [];
    return key === undefined ? id : movedTo(key, id).replace('OAuthClient/', '');
  };
  for (const [key, object] of Object.entries(ledger.objects)) {
    if (object.kind === 'ProjectAttachment') {
      const [id = '', project = ''] = object.id.split('/');
      const subject = `ProjectAttachment/${clientOf(id)}/${project}`;
      const seen = view.list?.find((one) => one.id === id) ?? view.shown.get(id);
      if (seen === undefined && view.list === null) unsure.add(subject);
      else if (seen?.projects.includes(project) !== true) wanted.push(`missing ${subject}`);
    }
    if (object.kind === 'RunTrigger') {
      const [, target = '', source = ''] = key.split('/');
      const [inbound, outbound] = [view.inbound.get(target) ?? null, view.outbound.get(source) ?? null];
      const listed = [...(inbound ?? []), ...(outbound ?? [])].some(
        (one) => one.target === target && one.source === source,
      );
      if (inbound === null || outbound === null) unsure.add(key);
      else if (!listed && !view.shownTriggers.has(object.id)) wanted.push(`missing ${key}`);
    }
  }
  for (const { action, subject, objectId, unmanaged } of expected.steps) {
    const pair = subject.startsWith('ProjectAttachment/') ? objectId : `${subject} ${objectId}`;
    if (action === 'delete' && unmanaged === true) wanted.push(`unmanaged ${pair}`);
  }
  const names: Record<string, string> = { gone: 'missing', foreign: 'unmanaged' };
  const actual = drifted.items.flatMap((item) => {
    const subject = subjectOf(spoken, item.address);
    const state = names[item.state] ?? item.state;
    if (state === 'unmanaged' && item.kind === 'ProjectAttachment') return [`unmanaged ${item.objectId}`];
    if (state === 'unmanaged') return [`unmanaged ${subject} ${item.objectId}`];
    if (state !== 'changed') return [`${state} ${subject}`];
    return item.fields.map(
      ({ field, was, is }) =>
        `changed ${subject} ${field === 'agentPoolId' ? 'agentPool' : field}: ${was} → ${is}`,
    );
  });
  const open = (line: string): boolean => ![...unsure].some((subject) => line.includes(` ${subject}`));
  sameMembers('drift', actual.filter(open), wanted.filter(open));
  const exit = drifted.unknown.length > 0 || drifted.problems.length > 0 ? 1 : actual.length > 0 ? 2 : 0;
  if (drifted.exit !== exit) throw new Broken('drift: exit code', `${drifted.exit} instead of ${exit}`);
}

/** The exit code of a plan. */
export function checkPlanExit(planned: Planned): void {
  const wanted = planned.unknown.length > 0 || planned.problems.length > 0 ? 1 : 0;
  if (planned.exit !== wanted) throw new Broken('plan: exit code', `${planned.exit} instead of ${wanted}`);
}
