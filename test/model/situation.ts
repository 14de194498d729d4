/** Everything that decides a plan, and the queries on it that several rules share. RULES.md has their source. */
import { createHmac, scryptSync } from 'node:crypto';
import { attachmentOf, type Desired, type Values, type WantedClient } from './desired';
import { type Folder, type ReadableField, readableFields, type SecretField } from './manifests';
import type { ProfileName, Rights } from './organization';
import type { HidableField, Reality, SeenClient, View } from './reality';
import type { LedgerObject, LedgerState, PendingCreate } from './tool';

export interface Situation {
  readonly folder: Folder;
  readonly desired: Desired;
  readonly ledger: LedgerState;
  /** The ledger is of another service. */
  readonly isElsewhere: boolean;
  readonly view: View;
  /** All objects, including those that the service does not show. */
  readonly reality: Reality;
  /** The service's time. */
  readonly now: number;
  readonly profile: ProfileName;
  readonly rights: Rights;
  /** The fields that no answer has. */
  readonly lacks: ReadonlySet<HidableField>;
  /** The value as it is sent, or undefined for a variable that is not set or refused. */
  readonly secretOf: (field: SecretField, source: string) => string | undefined;
  readonly destroy: boolean;
}

/** Objects and creates that are younger may still change what lists show. */
export const settleTimeMs = 120_000;

export const isYoung = ({ now }: Situation, since: string | undefined): boolean =>
  since !== undefined && now - Date.parse(since) < settleTimeMs;

export const clientKey = (name: string): string => `OAuthClient/${name}`;
export const ledgerField = (field: ReadableField): string => (field === 'agentPool' ? 'agentPoolId' : field);

export type Presence = 'present' | 'missing' | 'unknown';

export function seenClient({ view }: Situation, id: string): SeenClient | undefined {
  return view.list?.find((client) => client.id === id) ?? view.shown.get(id);
}

/** Returns the presence of a client. Absence needs a whole list, a Show that answers 404, and two minutes. */
export function findPresence(situation: Situation, id: string, createdAt?: string): Presence {
  if (seenClient(situation, id) !== undefined) return 'present';
  if (situation.view.list === null || isYoung(situation, createdAt)) return 'unknown';
  return 'missing';
}

export type RecordedClient = LedgerObject & { readonly id: string };

/** The entries of clients, by name. */
export function recordedClients({ ledger }: Situation): Map<string, RecordedClient> {
  const clients = new Map<string, RecordedClient>();
  for (const [key, object] of Object.entries(ledger.objects)) {
    const [kind, name = ''] = key.split('/');
    if (kind === 'OAuthClient' && object.id !== undefined) clients.set(name, { ...object, id: object.id });
  }
  return clients;
}

/** True if a `forget` line names the client of this name by its address or its id. */
export function isForgotten({ desired }: Situation, name: string, id: string | undefined): boolean {
  return desired.forget.has(clientKey(name)) || (id !== undefined && desired.forget.has(clientKey(id)));
}

/** True if a line under `approved:` lets the client of this name and id be destroyed. */
export const isDestroyApproved = ({ desired }: Situation, name: string, id: string): boolean =>
  desired.approved.some((line) => 'destroy' in line && line.destroy === clientKey(name) && line.id === id);

/** True if a recorded client has no entry, no `forget` line and no approval, so that the plan is free to move it. */
export const isWithoutLine = (situation: Situation, name: string, id: string): boolean =>
  !situation.desired.clients.has(name) &&
  !isForgotten(situation, name, id) &&
  !isDestroyApproved(situation, name, id);

/** Every id that the ledger knows: those of clients, and those of their predecessors. */
export function recordedIds(situation: Situation): Set<string> {
  const clients = [...recordedClients(situation).values()];
  return new Set(clients.flatMap(({ id, retiring = [] }) => [id, ...retiring]));
}

/** The API's defaults for fields that a manifest leaves out. */
export const defaults: Values = { name: null, key: null, organizationScoped: true, agentPool: null };

/** The service's clock may be this much behind when it creates a client. */
const clockToleranceMs = 60_000;

/** Returns the existing clients that an interrupted create may have made. */
export function clientsOfInterruptedCreate(
  situation: Situation,
  { values, existing, attemptedAt }: PendingCreate,
): SeenClient[] {
  const recorded = recordedIds(situation);
  const isEqual = (client: SeenClient): boolean =>
    readableFields.every((field) => {
      if (client[field] === undefined) return true;
      const sent = values[ledgerField(field)];
      return client[field] === (sent === undefined ? defaults[field] : sent);
    });
  const attempt = Date.parse(attemptedAt);
  const isInTime = (createdAt: string): boolean =>
    Date.parse(createdAt) >= attempt - clockToleranceMs && Date.parse(createdAt) <= attempt + settleTimeMs;
  return (situation.view.list ?? []).filter(
    (client) =>
      !existing.includes(client.id) &&
      !recorded.has(client.id) &&
      isInTime(client.createdAt) &&
      isEqual(client),
  );
}

/** True if the ledger has the attachment, also if an interrupted replace made the client with one of its predecessor. */
export function isAttachmentRecorded(
  situation: Situation,
  name: string,
  id: string,
  project: string,
): boolean {
  const { objects, pending } = situation.ledger;
  const isRecorded = (client = '') => objects[`ProjectAttachment/${client}/${project}`] !== undefined;
  const create = pending[clientKey(name)];
  if (isRecorded(id) || create === undefined) return isRecorded(id);
  const { projectIds: sent } = create.values;
  const isSent = Array.isArray(sent) && sent.includes(project);
  const isTaken = clientsOfInterruptedCreate(situation, create).some((client) => client.id === id);
  return isSent && isTaken && isRecorded(recordedClients(situation).get(name)?.id);
}

/** True if a client with these values equals the pending one in all its fields. */
export function isSameCreate(values: Values, pending: PendingCreate): boolean {
  return readableFields.every((field) => {
    const wanted = values[field] ?? defaults[field] ?? null;
    const sent = pending.values[ledgerField(field)] ?? defaults[field] ?? null;
    return wanted === sent;
  });
}

const fixedFields = ['serviceProvider', 'httpUrl', 'apiUrl'] as const;

export const differsInFixed = (wanted: Values, seen: SeenClient): boolean =>
  fixedFields.some((field) => wanted[field] !== seen[field]);

/** What an answer lacks is not compared. */
export const differs = (wanted: Values, seen: SeenClient): boolean =>
  readableFields.some(
    (field) => wanted[field] !== undefined && seen[field] !== undefined && wanted[field] !== seen[field],
  );

/** True if a declared value is not the API's default, and no answer shows that field: RULES.md, "Lacking fields". */
export const isHidden = ({ lacks }: Situation, { values }: WantedClient): boolean =>
  lacks.has('organizationScoped') && values.organizationScoped === false;

/** True if one of the client's projects is unknown. Then it keeps its scope, and its predecessors stay. */
export const hasUnknownProject = ({ desired }: Situation, name: string): boolean =>
  [...desired.unknownLinks].some((link) => link.startsWith(attachmentOf(name, '')));

/** True if a client stays as it is, because its scope would narrow while one of its projects, or its attachment, is unknown. */
export function isScopeHeld(
  situation: Situation,
  { name, values }: WantedClient,
  scope: Values[ReadableField],
): boolean {
  if (values.organizationScoped !== false || scope !== true) return false;
  const { desired, lacks } = situation;
  const isAttached = [...desired.attachments.values()].some(({ client }) => client === name);
  return hasUnknownProject(situation, name) || (isAttached && lacks.has('projects'));
}

/** True for the same address, and for links that have an end in common. */
export function sharesEnd(left: string, right: string): boolean {
  const [kind, ...ends] = left.split('/');
  const [rightKind, ...rightEnds] = right.split('/');
  return (
    left === right ||
    (kind === rightKind && ends.length > 1 && ends.some((end, index) => end === rightEnds[index]))
  );
}

/** True if a line with an unknown name may mean this link. */
export const mayBeMeant = ({ desired }: Situation, link: string): boolean =>
  [...desired.unknownLinks].some((unknown) => sharesEnd(unknown, link));

/** True if a client that is to be replaced has a project that its successor lacks: one that no line declares, managed or left out of a set. */
export function dropsProject(situation: Situation, name: string, id: string): boolean {
  const { desired } = situation;
  const projects = seenClient(situation, id)?.projects ?? [];
  return projects.some((project) => {
    const isManaged = isAttachmentRecorded(situation, name, id, project);
    const isDropped = isManaged || desired.exactProjects.has(name);
    return isDropped && !desired.attachments.has(attachmentOf(name, project));
  });
}

/**
 * True if a predecessor stays: a project of its successor is unknown, or an unknown name may mean one that only the predecessor has. The
 * successor is absent while it is to be made.
 */
export function keepsPredecessor(
  situation: Situation,
  name: string,
  id: string,
  successor?: string,
): boolean {
  const { desired } = situation;
  if (hasUnknownProject(situation, name)) return true;
  if (!desired.hasUnknownNames) return false;
  if (successor === undefined) return dropsProject(situation, name, id);
  const projectsOf = (client: string) => seenClient(situation, client)?.projects ?? [];
  return projectsOf(id).some(
    (project) =>
      !desired.attachments.has(attachmentOf(name, project)) && !projectsOf(successor).includes(project),
  );
}

/** Returns the clients with the name and URLs of a wanted client. Managed clients are no matches, except predecessors that stay. */
export function possibleMatches(situation: Situation, wanted: WantedClient, name: string | null) {
  const { view, desired } = situation;
  const managed = new Set<string>();
  for (const [recordedName, { id, retiring = [] }] of recordedClients(situation)) {
    const isOther = recordedName !== wanted.name && desired.clients.has(recordedName);
    const isEnding = (old: string): boolean => isDestroyApproved(situation, recordedName, old);
    const kept = retiring.filter((old) => !desired.forget.has(clientKey(old)) && (isOther || isEnding(old)));
    for (const managedId of [id, ...kept]) managed.add(managedId);
  }
  const allowed = wanted.entry.allowDuplicate ?? [];
  // A Show also finds clients that the list does not show yet.
  const listedClients = view.list === null ? [] : [...view.shown.values()];
  return listedClients.filter(
    (client) =>
      !managed.has(client.id) &&
      !allowed.includes(client.id) &&
      client.name === name &&
      !differsInFixed(wanted.values, client),
  );
}

export const isUpdatable = (field: SecretField, profile: ProfileName): boolean =>
  field === 'secret' || (field === 'oauthTokenString' && profile === 'hcp-terraform');

/** The form in which the value of a variable is sent: RULES.md, "Secrets". In these profiles a `secret` is one line. */
export function sentSecret(field: SecretField, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const text = value.replace(/^\uFEFF/u, '').replace(/\r?\n$/u, '');
  if (/^".*"$/su.test(text)) return undefined;
  if (field === 'privateKey') return `${text}\n`;
  return /^ | $|[\r\n]/u.test(text) ? undefined : text;
}

const digestResults = new Map<string, boolean>();

/** True if the digest was made from the value. The cost is that of `test/support/cheap-digests.ts`. */
function isDigestOf(digest: string, value: string, salt: string): boolean {
  const cachedResult = digestResults.get(`${digest} ${value}`);
  if (cachedResult !== undefined) return cachedResult;
  const [, nonce = '', hash] = digest.split(':');
  const key = scryptSync(value, salt, 32, { N: 2, r: 8, p: 1 });
  const isSame = createHmac('sha256', key).update(nonce).digest('base64url') === hash;
  digestResults.set(`${digest} ${value}`, isSame);
  return isSame;
}

/** The secrets of a client that exists which a plan writes: in place, or only by replacing it. */
export function secretsToWrite(
  { profile, secretOf, ledger }: Situation,
  { entry }: WantedClient,
  digests: Readonly<Record<string, string>> = {},
) {
  const update: SecretField[] = [];
  const replace: SecretField[] = [];
  for (const [field, source] of Object.entries(entry.secrets) as [SecretField, string][]) {
    const { [field]: digest } = digests;
    const value = secretOf(field, source);
    const isChanged = digest !== undefined && value !== undefined && !isDigestOf(digest, value, ledger.salt);
    const inPlace = isUpdatable(field, profile);
    if (isChanged || (digest === undefined && inPlace)) (inPlace ? update : replace).push(field);
  }
  return { update, replace };
}
