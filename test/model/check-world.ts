/** Compares the objects after an undisturbed apply with those that the plan makes of the earlier ones: RULES.md, "Secrets". */
import { digestSecret } from '../../service';
import { Broken, sameMembers } from './broken';
import type { Agreed } from './check-plan';
import { attachmentOf, type Values } from './desired';
import { writtenSecrets } from './expect-limits';
import { lacksPermission } from './expect-links';
import { type ReadableField, readableFields } from './manifests';
import { addressIn, keepsOldClient, objectIdIn } from './outcomes';
import type { HidableField, RealClient, Reality } from './reality';
import {
  clientKey,
  defaults,
  isScopeHeld,
  ledgerField,
  mayBeMeant,
  recordedIds,
  type Situation,
} from './situation';
import type { LedgerState } from './tool';

type Draft = Map<string, { fields: Values; projects: Set<string>; maybe: Set<string> }>;

function draftOf({ clients }: Reality): Draft {
  const fields = (client: RealClient): Values =>
    Object.fromEntries(readableFields.map((field) => [field, client[field]]));
  return new Map(
    [...clients].map(([id, client]) => [
      id,
      { fields: fields(client), projects: new Set(client.projects), maybe: new Set<string>() },
    ]),
  );
}

/** Returns the fields of an existing object, changed by the lines of its entry. */
function merged(base: Values, wanted: Values): Values {
  const all: Values = { ...base };
  for (const field of Object.keys(wanted) as ReadableField[]) all[field] = wanted[field] ?? null;
  return all;
}

function playClients(situation: Situation, plan: Agreed, ledger: LedgerState, draft: Draft): void {
  const { desired, destroy } = situation;
  for (const [subject, steps] of plan.steps) {
    const address = addressIn(subject);
    if (!address.startsWith('OAuthClient/')) continue;
    const wanted = destroy ? undefined : desired.clients.get(address.replace('OAuthClient/', ''));
    const id = ledger.objects[address]?.id ?? `of ${address}`;
    const isReplaced = steps.some(({ action }) => action === 'replace');
    for (const { action, objectId = '' } of steps) {
      const old = draft.get(objectId);
      if (action === 'delete') draft.delete(objectId);
      if (wanted === undefined || objectIdIn(subject) !== undefined) continue;
      if (action === 'create') draft.set(id, made(merged(defaults, wanted.values)));
      if (action === 'replace' && old !== undefined) {
        // Projects that the entry leaves out are carried over. Listed ones are attached with the client or by other steps.
        const isExact = desired.exactProjects.has(wanted.name);
        if (!keepsOldClient(plan.outcomes.get(subject))) draft.delete(objectId);
        // What the answers lack is not carried over.
        const { lacks } = situation;
        const { organizationScoped } = lacks.has('organizationScoped') ? defaults : old.fields;
        const carried = isExact || lacks.has('projects') ? [] : old.projects;
        const fields = { ...old.fields, organizationScoped: organizationScoped ?? true };
        draft.set(id, made(merged(fields, wanted.values), carried));
      }
      const own = draft.get(objectId === '' ? id : objectId);
      // A client whose scope would narrow is left as it is, and so is one that moves and waits for its delete.
      const isStopped = plan.fates.of(wanted.name).state === 'left';
      const isHeld =
        isStopped || isReplaced || isScopeHeld(situation, wanted, own?.fields.organizationScoped);
      if (own !== undefined && !isHeld && ['update', 'adopt', 'move'].includes(action)) {
        // What the answers lack is not written: somebody may have given it another value.
        const { organizationScoped = null } = own.fields;
        const isUnseen = situation.lacks.has('organizationScoped');
        own.fields = merged(own.fields, { ...wanted.values, ...(isUnseen && { organizationScoped }) });
      }
    }
  }
}

function made(fields: Values, projects: Iterable<string> = []) {
  return { fields, projects: new Set(projects), maybe: new Set<string>() };
}

function playAttachments(situation: Situation, plan: Agreed, ledger: LedgerState, draft: Draft): void {
  for (const name of plan.fates.names) {
    const fate = plan.fates.of(name);
    if (fate.state !== 'replaced') continue;
    const own = draft.get(ledger.objects[clientKey(name)]?.id ?? `of ${clientKey(name)}`);
    for (const { client, project } of situation.desired.attachments.values())
      if (client === name) own?.projects.add(project);
    // Managed objects that are no longer declared are deleted, now or in the next run.
    for (const key of Object.keys(situation.ledger.objects)) {
      const [kind, id, project = ''] = key.split('/');
      const isDeclared = situation.desired.attachments.has(`ProjectAttachment/${name}/${project}`);
      if (kind === 'ProjectAttachment' && id === fate.id && !isDeclared) own?.maybe.add(project);
    }
  }
  for (const [subject, steps] of plan.steps) {
    const [kind, name = '', project = ''] = addressIn(subject).split('/');
    const oldId = objectIdIn(subject);
    if (kind !== 'ProjectAttachment') continue;
    const fate = plan.fates.of(name);
    const keptId = fate.state === 'kept' || fate.state === 'left' ? fate.id : undefined;
    const id = keptId ?? ledger.objects[clientKey(name)]?.id ?? `of ${clientKey(name)}`;
    const own = draft.get(oldId ?? id);
    for (const { action } of steps) {
      if (action === 'create') own?.projects.add(project);
      if (action === 'delete') own?.projects.delete(project);
    }
  }
}

function describe(
  id: string,
  fields: Values,
  projects: Iterable<string>,
  maybe: ReadonlySet<string>,
): string {
  const sure = [...projects].filter((project) => !maybe.has(project)).sort();
  return `${id} ${JSON.stringify(readableFields.map((field) => fields[field]))} ${sure.join()}`;
}

/** Checks that the objects are the earlier ones, changed by the plan and by nothing else. */
export function checkWorld(situation: Situation, plan: Agreed, ledger: LedgerState, after: Reality): void {
  const before = situation.reality;
  const draft = draftOf(before);
  playClients(situation, plan, ledger, draft);
  playAttachments(situation, plan, ledger, draft);
  const wanted = [...draft].map(([id, { fields, projects, maybe }]) => describe(id, fields, projects, maybe));
  const actual = [...after.clients].map(([id, client]) => {
    const fields: Values = Object.fromEntries(readableFields.map((field) => [field, client[field]]));
    return describe(id, fields, client.projects, draft.get(id)?.maybe ?? new Set());
  });
  sameMembers('apply: clients', actual, wanted);
  checkTriggers(situation, plan, after);
  checkSecrets(situation, plan, ledger, after);
}

function checkTriggers(situation: Situation, plan: Agreed, after: Reality): void {
  const ids = new Set(situation.reality.triggers.map(({ id }) => id));
  const pairOf = ({ target, source }: { target: string; source: string }): string =>
    `RunTrigger/${target}/${source}`;
  const wanted = new Map(
    situation.reality.triggers.map((trigger) => [trigger.id, `${trigger.id} ${pairOf(trigger)}`]),
  );
  const open = new Set<string>();
  for (const [subject, steps] of plan.steps) {
    const pair = addressIn(subject);
    if (!pair.startsWith('RunTrigger/')) continue;
    if (lacksPermission(situation, pair) || plan.outcomes.get(pair) === 'problem') open.add(pair);
    for (const { action, objectId } of steps) {
      if (action === 'create') wanted.set(pair, `new ${pair}`);
      if (action === 'delete') wanted.delete(objectId ?? '');
    }
  }
  const isOpen = (line: string): boolean => open.has(line.split(' ')[1] ?? '');
  const actual = after.triggers.map(
    (trigger) => `${ids.has(trigger.id) ? trigger.id : 'new'} ${pairOf(trigger)}`,
  );
  const closed = (lines: Iterable<string>): string[] => [...lines].filter((line) => !isOpen(line));
  sameMembers('apply: triggers', closed(actual), closed(wanted.values()));
}

function checkSecrets(situation: Situation, plan: Agreed, ledger: LedgerState, after: Reality): void {
  for (const { name, entry } of situation.desired.clients.values()) {
    const id = ledger.objects[clientKey(name)]?.id ?? '';
    for (const field of writtenSecrets(situation, name, plan)) {
      const value = situation.secretOf(field, entry.secrets[field] ?? '');
      const held = after.secrets.get(id)?.[field];
      if (value !== undefined && held !== digestSecret(value)) {
        throw new Broken(
          'apply: secrets',
          `${clientKey(name)} ${id}: ${field} is not what was to be written`,
        );
      }
    }
  }
}

/** Finds entries that a `forget` line should have ended: RULES.md, "Forget lines". */
function leftOver({ desired }: Situation, ledger: LedgerState): string[] {
  const ids = Object.entries(ledger.objects).flatMap(([key, { id = [], retiring = [] }]) =>
    key.startsWith('OAuthClient/') ? [id, retiring].flat() : [],
  );
  // Links to a client whose adoption waits are links of two ids.
  const adopted = [...desired.clients.values()].map(({ entry }) => entry.id);
  const links = Object.keys(ledger.objects).filter((key) => {
    const [kind, id = ''] = key.split('/');
    return kind === 'ProjectAttachment' && !ids.includes(id) && !adopted.includes(id);
  });
  const pending = Object.keys(ledger.pending).filter((key) => desired.forget.has(key));
  return [...links.map((key) => `${key} has no client`), ...pending.map((key) => `${key} is pending`)];
}

/** Finds recorded values that are not those of the declared fields: RULES.md, "The ledger after an apply". */
function wrongValues(
  situation: Situation,
  isOpen: (subject: string) => boolean,
  ledger: LedgerState,
): string[] {
  const { desired, lacks, reality } = situation;
  return [...desired.clients.values()].flatMap((wanted) => {
    const { name, values } = wanted;
    const { id = '', values: held = {} } = ledger.objects[clientKey(name)] ?? {};
    if (isOpen(clientKey(name)) || ledger.objects[clientKey(name)] === undefined) return [];
    if (isScopeHeld(situation, wanted, reality.clients.get(id)?.organizationScoped)) return [];
    return readableFields.flatMap((field) => {
      const is = held[ledgerField(field)];
      if (lacks.has(field as HidableField)) return [];
      return is === values[field] ? [] : [`${clientKey(name)}: ${field} is ${is}, and not ${values[field]}`];
    });
  });
}

/** Checks that the ledger holds the declared objects that exist, and no missing one. */
export function checkLedger(situation: Situation, plan: Agreed, ledger: LedgerState, after: Reality): void {
  const wrong: string[] = [];
  const { desired, destroy } = situation;
  const isOpen = (subject: string): boolean =>
    ['unknown', 'problem'].includes(plan.outcomes.get(subject) ?? '') ||
    plan.fates.of(subject.replace('OAuthClient/', '')).state === 'left' ||
    lacksPermission(situation, subject);
  const retiring = Object.values(ledger.objects).flatMap((one) => one.retiring ?? []);
  for (const [key, { id = '' }] of Object.entries(ledger.objects)) {
    const [kind, one = '', other = ''] = key.split('/');
    if (kind === 'OAuthClient' && !isOpen(key) && !after.clients.has(id))
      wrong.push(`${key} ${id} does not exist`);
    if (
      kind === 'RunTrigger' &&
      !isOpen(key) &&
      !mayBeMeant(situation, key) &&
      !after.triggers.some((x) => x.target === one && x.source === other)
    )
      wrong.push(`${key} does not exist`);
    if (kind === 'ProjectAttachment' && after.clients.get(one)?.projects.includes(other) === false) {
      const subject = `ProjectAttachment/${plan.fates.nameOf(one)}/${other}`;
      // Links of a predecessor leave the ledger with it.
      const isLeft = isOpen(subject) || isOpen(clientKey(plan.fates.nameOf(one)));
      if (!retiring.includes(one) && !isLeft && !mayBeMeant(situation, subject))
        wrong.push(`${key} is not attached`);
    }
  }
  if (!destroy) {
    const attachments = [...desired.attachments.values()].map(({ client, project }) => {
      const id = ledger.objects[clientKey(client)]?.id ?? client;
      const subject = attachmentOf(client, project);
      return { key: attachmentOf(id, project), isOwnOpen: isOpen(clientKey(client)) || isOpen(subject) };
    });
    const wanted = [...desired.clients.keys()].map(clientKey).concat([...desired.triggers.keys()]);
    for (const key of wanted)
      if (!isOpen(key) && ledger.objects[key] === undefined) wrong.push(`${key} is not in it`);
    for (const { key, isOwnOpen } of attachments) {
      if (!isOwnOpen && ledger.objects[key] === undefined) wrong.push(`${key} is not in it`);
    }
  }
  if (!destroy) wrong.push(...wrongValues(situation, isOpen, ledger));
  wrong.push(...leftOver(situation, ledger));
  const known = recordedIds({ ...situation, ledger });
  const lost = [...recordedIds(situation)].filter((id) => after.clients.has(id) && !known.has(id));
  const isForgotten = (id: string): boolean =>
    desired.forget.has(clientKey(id)) ||
    [...plan.steps.values()]
      .flat()
      .some(
        ({ action, objectId, address }) =>
          action === 'forget' && (objectId === id || desired.forget.has(address)),
      );
  for (const id of lost) if (!isForgotten(id)) wrong.push(`${id} is managed no more`);
  if (wrong.length > 0) throw new Broken('ledger = reality', wrong.join('\n'));
}
