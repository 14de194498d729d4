/** The oracle: what a plan must say, from the manifests, the ledger and what can be seen, by nothing but design.md. */

import { type ClientFate, expectClients } from './expect-clients';
import { expectGuards, type Limits } from './expect-guards';
import { expectAttachments, expectTriggers } from './expect-links';
import type { Expected, Situation } from './expected';
import { maxSources } from './organization';

/** Who may not administer a target sees its triggers, all of them or from their sources, and the service refuses each write. */
function expectRefusals({ rights, desired }: Situation, expected: Expected): void {
  const [, target] = /^(?:reads|without) (.*)$/u.exec(rights) ?? [];
  if (target === undefined) return;
  const isThere = (subject: string): boolean => subject.startsWith(`RunTrigger/${target}/`);
  for (const { action, subject } of expected.steps) {
    if (isThere(subject) && ['create', 'delete'].includes(action)) expected.refused.add(subject);
  }
  // What a set lets go waits for what it adds.
  const sources = [...desired.triggers.values()]
    .filter((one) => one.target === target)
    .map(({ source }) => source);
  const isIncomplete =
    desired.inSets.has(target) &&
    expected.steps.some(({ action, subject }) => action === 'create' && isThere(subject));
  for (const { action, subject } of expected.steps) {
    const [kind, , source = ''] = subject.split('/');
    if (
      action === 'delete' &&
      kind === 'RunTrigger' &&
      ((sources.includes(source) && desired.outSets.has(source)) || (isThere(subject) && isIncomplete))
    ) {
      expected.lenient.set(subject, 'its set could not be completed');
    }
  }
}

/** A target that others fill takes no more: what is created there is refused, and what leaves its set waits. */
function expectFullTargets({ reality, desired, profile }: Situation, expected: Expected): void {
  const going = new Set(expected.steps.map(({ action, objectId }) => (action === 'delete' ? objectId : '')));
  const created = expected.steps.filter(
    ({ action, subject }) => action === 'create' && /^RunT/u.test(subject),
  );
  const isFull = (target: string): boolean => {
    const staying = reality.triggers.filter((one) => one.target === target && !going.has(one.id)).length;
    const coming = created.filter(({ subject }) => subject.startsWith(`RunTrigger/${target}/`)).length;
    return staying + coming > maxSources[profile];
  };
  const targets = new Set(created.map(({ subject }) => subject.split('/')[1] ?? ''));
  const full = new Set([...targets].filter(isFull));
  const isNear = (target: string, source: string): boolean =>
    full.has(target) ||
    [...desired.triggers.values()].some((one) => one.source === source && full.has(one.target));
  // What waits at one target may keep another full.
  for (let before = -1; before < full.size; ) {
    before = full.size;
    for (const { subject, action, objectId = '' } of expected.steps) {
      const [kind, target = '', source = ''] = subject.split('/');
      if (kind !== 'RunTrigger' || !isNear(target, source)) continue;
      expected.shaky.add(subject);
      if (action === 'delete') going.delete(objectId);
    }
    for (const target of targets) if (isFull(target)) full.add(target);
  }
}

/** Steps about what lists do not show yet, or still show: how they end is not predicted. */
function findShaky({ reality, view, desired, ledger }: Situation, expected: Expected): void {
  const shown = new Set((view.list ?? []).map(({ id }) => id));
  const ghosts = new Set([...shown, ...view.shown.keys()].filter((id) => !reality.clients.has(id)));
  const listed = new Set(
    [...view.inbound.values(), ...view.outbound.values()].flatMap((list) => (list ?? []).map(({ id }) => id)),
  );
  const hidden = reality.triggers.filter(({ id }) => !listed.has(id));
  const unreal = [...listed].filter((id) => !reality.triggers.some((one) => one.id === id));
  for (const { subject, objectId = '' } of expected.steps) {
    const [kind, target = '', source = ''] = subject.split('/');
    const [client = ''] = objectId.split('/');
    if (ghosts.has(client) || unreal.includes(objectId)) expected.shaky.add(subject);
    if (kind === 'RunTrigger' && hidden.some((one) => one.target === target && one.source === source))
      expected.shaky.add(subject);
  }
  for (const [subject, { id }] of Object.entries(ledger.objects)) {
    const [client = ''] = id.split('/');
    if (unreal.includes(id) || ghosts.has(client)) expected.shaky.add(subject);
  }
  // What a set lets go waits for what it adds, and a full target for what leaves it, be it of a set or not.
  const links = expected.steps.filter(({ subject }) => subject.startsWith('RunTrigger/'));
  if ([...expected.shaky].some((subject) => subject.startsWith('RunTrigger/'))) {
    for (const { subject } of links) {
      const [, target = '', source = ''] = subject.split('/');
      if (desired.inSets.has(target) || desired.outSets.has(source)) expected.shaky.add(subject);
    }
    const targetOf = ({ subject }: { subject: string }) => subject.split('/')[1];
    const leaving = links.filter(({ action, subject }) => action === 'delete' && expected.shaky.has(subject));
    const waiting = new Set(leaving.map(targetOf));
    for (const link of links) if (waiting.has(targetOf(link))) expected.shaky.add(link.subject);
  }
  // Attachments share the fate of their client.
  for (const { subject } of expected.steps) {
    const [kind, client = ''] = subject.split('/');
    if (kind !== 'ProjectAttachment') continue;
    if (ghosts.has(client) || expected.shaky.has(`OAuthClient/${client}`)) expected.shaky.add(subject);
  }
}

/** What is not predicted of an attachment is not predicted by either name: a plan has its client's address or its id. */
function openBothNames(
  { desired, ledger }: Situation,
  expected: Expected,
  fates: ReadonlyMap<string, ClientFate>,
): void {
  for (const { subject: client, held } of fates.values()) {
    const name = client.replace('OAuthClient/', '');
    const ids = [held?.id, ledger.objects[client]?.id, desired.clients.get(name)?.entry.id];
    const byId = (subject: string): string[] =>
      subject.startsWith(`ProjectAttachment/${name}/`)
        ? ids.flatMap((id) => (id === undefined ? [] : [subject.replace(`/${name}/`, `/${id}/`)]))
        : [];
    for (const [subject, why] of [...expected.lenient])
      for (const one of byId(subject)) expected.lenient.set(one, why);
    for (const subject of [...expected.shaky]) for (const one of byId(subject)) expected.shaky.add(one);
  }
}

/** What the plan must say. */
export function expect(situation: Situation, limits: Limits = {}): Expected {
  const expected: Expected = {
    steps: [],
    problems: new Set(),
    unknown: new Set(),
    blockers: new Set(),
    maybeBlockers: new Set(),
    refused: new Set(),
    shaky: new Set(),
    leftAlone: new Set(),
    lenient: new Map(),
  };
  const fates = expectClients(situation, expected);
  expectAttachments(situation, expected, fates);
  expectTriggers(situation, expected);
  expectRefusals(situation, expected);
  expectFullTargets(situation, expected);
  findShaky(situation, expected);
  openBothNames(situation, expected, fates);
  expectGuards(situation, expected, limits);
  return expected;
}
