/** The oracle for links: attachments and triggers, single, in sets, late or hidden. */
import { triggerPair } from './desired';
import { type ClientFate, lookAt } from './expect-clients';
import { clientSubject } from './expect-renames';
import { type Draft, type Expected, newId, type Situation } from './expected';
import type { RealClient, RealTrigger, View } from './reality';

const attachmentSubject = (client: string, project: string): string =>
  `ProjectAttachment/${client}/${project}`;

/** A client as links name it: by its address where it has one, else by id. */
interface End {
  readonly name: string;
  readonly fate: ClientFate;
}

function endOf(situation: Situation, fates: ReadonlyMap<string, ClientFate>, client: string): End {
  const byName = fates.get(clientSubject(client));
  if (situation.desired.clients.has(client) && byName !== undefined) return { name: client, fate: byName };
  const ofIt = [...fates].flatMap(([subject, fate]) => {
    const name = subject.replace('OAuthClient/', '');
    const asked = situation.desired.clients.get(name)?.entry.id;
    const held = fate.held?.id ?? situation.ledger.objects[subject]?.id;
    const isIt = [held, asked].includes(client) && fate.becomes !== 'forgotten';
    return isIt ? [{ name, fate, isHolder: held === client }] : [];
  });
  const [end] = ofIt.sort((one, other) => Number(other.isHolder) - Number(one.isHolder));
  // An entry that asks for another's client has a problem, and what is written by that id waits with it.
  const waiting = ofIt.find(({ fate }) => fate.becomes === 'problem');
  if (end !== undefined) {
    const name = end.isHolder || end !== waiting ? end.name : client;
    return { name, fate: (waiting ?? end).fate };
  }
  const seen = lookAt(situation.view, client);
  const subject = client;
  if (seen === 'unknown') return { name: client, fate: { subject, becomes: 'unknown' } };
  if (seen === 'missing') return { name: client, fate: { subject, becomes: 'problem' } };
  return { name: client, fate: { subject, becomes: 'kept', held: seen, after: client } };
}

/** A line by the id of what was replaced means its successor, while that is wanted. */
function wantedEnd(situation: Situation, fates: ReadonlyMap<string, ClientFate>, client: string): End {
  const held = Object.values(situation.ledger.objects);
  const successor = held.find(({ replaced, replaces }) => [replaced, replaces].includes(client));
  if (successor === undefined || held.some(({ id }) => id === client)) return endOf(situation, fates, client);
  const end = endOf(situation, fates, successor.id);
  return situation.desired.clients.has(end.name) ? end : endOf(situation, fates, client);
}

/** `forget` of a client forgets its attachments too, without detaching. */
const isLetGo = (fates: ReadonlyMap<string, ClientFate>, client: string): boolean =>
  [...fates.values()].some(({ becomes, id }) => becomes === 'forgotten' && id === client);

function projectsAfter(
  draft: Draft,
  id: string,
  change: (projects: readonly string[]) => readonly string[],
): void {
  const client: RealClient | undefined = draft.clients.get(id);
  if (client !== undefined)
    draft.clients.set(id, { ...client, projects: [...new Set(change(client.projects))].sort() });
}

function expectAttachment(
  situation: Situation,
  expected: Expected,
  { name, fate }: End,
  project: string,
  { writtenAs, isKept }: { readonly writtenAs: string; readonly isKept: boolean },
): void {
  const subject = attachmentSubject(name, project);
  const { held, after, becomes } = fate;
  if (becomes === 'lenient') expected.lenient.set(subject, 'its client is');
  // A line by the id of what goes, or of what is not there.
  else if (becomes === 'destroyed' || (becomes === 'problem' && fate.subject === writtenAs))
    expected.problems.add(attachmentSubject(writtenAs, project));
  else if (after === undefined) {
    // A client that nobody can see, or whose entry is wrong: nothing is done for what hangs on it.
    expected.lenient.set(subject, 'its client is not planned');
  } else if (becomes === 'kept' && held?.projects.includes(project) === true) {
    const key = attachmentSubject(held.id, project);
    const objectId = `${held.id}/${project}`;
    if (situation.ledger.objects[key] === undefined || !isKept)
      expected.steps.push({ action: 'adopt', subject, objectId });
  } else {
    const effect = (draft: Draft): void => projectsAfter(draft, after, (projects) => [...projects, project]);
    expected.steps.push({ action: 'create', subject, effect });
  }
}

function expectDetach(expected: Expected, { name, fate }: End, project: string, unmanaged?: true): void {
  const id = fate.held?.id ?? '';
  expected.steps.push({
    action: 'delete',
    subject: attachmentSubject(name, project),
    objectId: `${id}/${project}`,
    deletes: true,
    ...(unmanaged === true ? { unmanaged } : {}),
    effect: (draft) => projectsAfter(draft, id, (projects) => projects.filter((one) => one !== project)),
  });
}

/** Attachments: wanted ones, ours that are no longer wanted, and what an exact list does not name. */
export function expectAttachments(
  situation: Situation,
  expected: Expected,
  fates: ReadonlyMap<string, ClientFate>,
): void {
  const { desired, ledger } = situation;
  const wanted = new Set<string>();
  for (const { client, project } of situation.destroy ? [] : desired.attachments) {
    const end = wantedEnd(situation, fates, client);
    const subject = attachmentSubject(end.name, project);
    const isKept = !isLetGo(fates, end.fate.held?.id ?? '');
    // A line by id, and the client's own list: which of them is meant, the manifests do not say.
    const isOfList = end.name !== client && desired.exactProjects.has(end.name);
    if (wanted.has(subject)) expected.lenient.set(subject, 'written twice, by address and by id');
    else if (isOfList) expected.problems.add(attachmentSubject(client, project));
    else expectAttachment(situation, expected, end, project, { writtenAs: client, isKept });
    wanted.add(subject);
  }
  // Projects of attachments that are wanted and of which nothing is predicted: one that goes may be the same under another client.
  const unseen = new Set(
    [...wanted, ...expected.problems].flatMap((subject) => {
      const isLeft = expected.lenient.has(subject) || expected.problems.has(subject);
      return isLeft && subject.startsWith('ProjectAttachment/') ? [subject.split('/')[2] ?? ''] : [];
    }),
  );
  // What an interrupted create left of an attachment that nobody wants any more is cleaned up, where it can be told.
  for (const key of Object.keys(ledger.pending)) {
    const [kind, client = '', project = ''] = key.split('/');
    if (kind !== 'ProjectAttachment') continue;
    const { name, fate } = endOf(situation, fates, client);
    const subject = attachmentSubject(name, project);
    if (!wanted.has(subject)) expected.lenient.set(subject, 'its create was interrupted');
    // Its client is missing and made again: the new one's attachment is another, and this one's intent goes.
    else if (fate.becomes === 'made')
      expected.steps.push({ action: 'cleanup', subject, effect: () => undefined });
  }
  for (const object of Object.values(ledger.objects)) {
    if (object.kind !== 'ProjectAttachment') continue;
    const [clientId = '', project = ''] = object.id.split('/');
    if (isLetGo(fates, clientId)) continue;
    const end = endOf(situation, fates, clientId);
    const subject = attachmentSubject(end.name, project);
    const { becomes, held } = end.fate;
    if (wanted.has(subject)) continue;
    if (becomes === 'unknown') expected.lenient.set(subject, 'its client is unknown');
    else if (['lenient', 'problem'].includes(becomes))
      expected.lenient.set(subject, `its client is ${becomes}`);
    else if (becomes !== 'kept') continue;
    else if (desired.forget.has(subject) || held?.projects.includes(project) !== true) {
      expected.steps.push({ action: 'forget', subject, objectId: object.id });
    } else if (unseen.has(project)) expected.lenient.set(subject, 'what may take its place cannot be seen');
    else expectDetach(expected, end, project);
    wanted.add(subject);
  }
  for (const name of situation.destroy ? [] : desired.exactProjects) {
    const end = endOf(situation, fates, name);
    if (end.fate.becomes !== 'kept') continue;
    const unlisted = (end.fate.held?.projects ?? []).filter(
      (one) => !wanted.has(attachmentSubject(name, one)),
    );
    for (const project of unlisted) expectDetach(expected, end, project, true);
  }
}

interface Pair {
  readonly target: string;
  readonly source: string;
}

/** Every trigger of a pair that some list shows, oldest first. */
function seenOf({ inbound, outbound }: View, { target, source }: Pair): RealTrigger[] {
  const lists = [...(inbound.get(target) ?? []), ...(outbound.get(source) ?? [])];
  const found = new Map(
    lists.filter((one) => one.target === target && one.source === source).map((one) => [one.id, one]),
  );
  return [...found.values()].sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

const readable = ({ inbound, outbound }: View, { target, source }: Pair): boolean =>
  (inbound.get(target) ?? null) !== null && (outbound.get(source) ?? null) !== null;

function removeTrigger(expected: Expected, pair: Pair, id: string, unmanaged?: true): void {
  expected.steps.push({
    action: 'delete',
    subject: triggerPair(pair.target, pair.source),
    objectId: id,
    deletes: true,
    ...(unmanaged === true ? { unmanaged } : {}),
    effect: (draft) => {
      draft.triggers = draft.triggers.filter((one) => one.id !== id);
    },
  });
}

/** What a late list still shows is looked at by its id before it is taken for somebody else's. */
function removeUnmanaged({ reality }: Situation, expected: Expected, trigger: RealTrigger): void {
  if (reality.triggers.some(({ id }) => id === trigger.id))
    removeTrigger(expected, trigger, trigger.id, true);
}

/** Nobody made it yet, no set covers it, and it may not be meant in place of one that would go (decision 71). */
function isNewLine({ desired, ledger }: Situation, { target, source }: Pair): boolean {
  const subject = triggerPair(target, source);
  const made = [
    ...Object.keys({ ...ledger.objects, ...ledger.pending }),
    ...ledger.unconfirmed.map(({ nonce }) => nonce),
  ];
  const mayReplace = Object.keys(ledger.objects).some((key) => {
    const [kind, to, from] = key.split('/');
    return kind === 'RunTrigger' && !desired.triggers.has(key) && (to === target || from === source);
  });
  const isCovered = desired.inSets.has(target) || desired.outSets.has(source);
  return !made.includes(subject) && !mayReplace && !isCovered;
}

function expectTrigger(situation: Situation, expected: Expected, pair: Pair): void {
  const { view, ledger, desired } = situation;
  const subject = triggerPair(pair.target, pair.source);
  const held = ledger.objects[subject];
  const seen = seenOf(view, pair);
  const [oldest] = seen;
  const late = held !== undefined && view.shownTriggers.has(held.id);
  // One end that can be read is enough for what it shows, and not for what it lacks.
  if (oldest === undefined && !readable(view, pair)) {
    const isSeen = (view.inbound.get(pair.target) ?? view.outbound.get(pair.source) ?? null) !== null;
    if (late) expected.lenient.set(subject, 'one of its ends cannot be read');
    else if (isSeen && isNewLine(situation, pair))
      expected.lenient.set(
        subject,
        'unknown, or a create that the service refuses: nobody need look at both ends',
      );
    else expected.unknown.add(subject);
    return;
  }
  if (oldest === undefined && late) return;
  if (oldest === undefined) {
    const id = newId(subject);
    expected.steps.push({
      action: 'create',
      subject,
      effect: (draft) => void draft.triggers.push({ id, ...pair }),
    });
    return;
  }
  // The ledger's own counts where it is there, though no list has it yet; else the oldest.
  const counts = seen.find(({ id }) => id === held?.id) ?? (late ? undefined : oldest);
  if (counts !== undefined && held?.id !== counts.id)
    expected.steps.push({ action: 'adopt', subject, objectId: counts.id });
  const covered = desired.inSets.has(pair.target) || desired.outSets.has(pair.source);
  for (const other of seen) if (other !== counts && covered) removeUnmanaged(situation, expected, other);
}

/** Whether everything that the sets around this pair list can be planned. */
function setsAreSure(situation: Situation, expected: Expected, pair: Pair): boolean {
  const { desired } = situation;
  const around = [...desired.triggers].filter(
    ([, one]) =>
      (one.target === pair.target && desired.inSets.has(pair.target)) ||
      (one.source === pair.source && desired.outSets.has(pair.source)),
  );
  return around.every(([subject]) => !expected.unknown.has(subject) && !expected.lenient.has(subject));
}

/** Triggers: wanted ones, ours that are no longer wanted, and what exact sets do not name. */
export function expectTriggers(situation: Situation, expected: Expected): void {
  const { desired, ledger, view } = situation;
  const wanted: ReadonlyMap<string, Pair> = situation.destroy ? new Map() : desired.triggers;
  // What an interrupted create left of a pair that nobody wants any more is cleaned up, where it can be told.
  for (const key of Object.keys(ledger.pending))
    if (key.startsWith('RunTrigger/') && !wanted.has(key))
      expected.lenient.set(key, 'its create was interrupted');
  // A create whose answer was lost may have made one more: which of them is ours, nobody can say for sure.
  for (const { nonce } of ledger.unconfirmed) {
    const [, target = '', source = ''] = nonce.split('/');
    if (seenOf(view, { target, source }).length > 1) expected.lenient.set(nonce, 'made twice, perhaps');
  }
  for (const pair of wanted.values()) expectTrigger(situation, expected, pair);
  const handled = new Set(wanted.keys());
  const covered = ({ target, source }: Pair): boolean =>
    !situation.destroy && (desired.inSets.has(target) || desired.outSets.has(source));
  const unseen = [...wanted].flatMap(([subject, pair]) => {
    const isUnknown = [expected.unknown, expected.lenient, expected.problems].some((some) =>
      some.has(subject),
    );
    return isUnknown && ledger.objects[subject] === undefined ? [pair] : [];
  });
  for (const [subject, object] of Object.entries(ledger.objects)) {
    if (object.kind !== 'RunTrigger' || handled.has(subject)) continue;
    handled.add(subject);
    const [, target = '', source = ''] = subject.split('/');
    const pair = { target, source };
    const seen = seenOf(view, pair);
    const there = seen.some(({ id }) => id === object.id) || view.shownTriggers.has(object.id);
    if (desired.forget.has(subject)) {
      expected.steps.push({ action: 'forget', subject, objectId: object.id });
      if (covered(pair)) expected.lenient.set(subject, 'let go, and covered by a set');
    } else if (!readable(view, pair)) {
      const isRead = [view.inbound.get(target), view.outbound.get(source)].some((list) => list);
      // One end is enough for a Show that finds nothing to be a proof.
      if (there) expected.lenient.set(subject, 'one of its ends cannot be read');
      else if (isRead) expected.steps.push({ action: 'forget', subject, objectId: object.id });
      else expected.unknown.add(subject);
    } else if (covered(pair) && !setsAreSure(situation, expected, pair)) {
      expected.lenient.set(subject, 'a set around it waits');
    } else if (there && unseen.some((one) => one.target === target || one.source === source)) {
      // What is wanted in its place may be mistyped: it must not cost the trigger that is there.
      expected.lenient.set(subject, 'what may take its place cannot be seen');
    } else {
      if (there) removeTrigger(expected, pair, object.id);
      else expected.steps.push({ action: 'forget', subject, objectId: object.id });
      const others = seen.filter(({ id }) => id !== object.id);
      if (covered(pair)) for (const other of others) removeUnmanaged(situation, expected, other);
    }
  }
  const seenAround = new Map<string, RealTrigger>();
  for (const [side, sets] of [
    [view.inbound, desired.inSets],
    [view.outbound, desired.outSets],
  ] as const) {
    for (const end of situation.destroy ? [] : sets.keys()) {
      if ((side.get(end) ?? null) === null) expected.unknown.add(`the set around ${end}`);
      for (const trigger of side.get(end) ?? []) seenAround.set(trigger.id, trigger);
    }
  }
  for (const trigger of seenAround.values()) {
    const subject = triggerPair(trigger.target, trigger.source);
    if (handled.has(subject)) continue;
    if (setsAreSure(situation, expected, trigger)) removeUnmanaged(situation, expected, trigger);
    else expected.lenient.set(subject, 'a set around it waits');
  }
}
