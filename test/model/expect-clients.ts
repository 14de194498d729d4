/** The oracle for OAuth clients: what design.md makes of the manifests, the ledger and what can be seen. */
import { endOfMoves, type WantedClient } from './desired';
import { expectCleanups, isLeftElsewhere, pendingName, unowned } from './expect-leftovers';
import { clientSubject, ledgerKeyOf, renames } from './expect-renames';
import { secretsToWrite } from './expect-secrets';
import { type Draft, type Expected, newId, type Situation } from './expected';
import { readableFields } from './manifests';
import type { LedgerObject } from './outcome';
import type { RealClient, View } from './reality';

/** What becomes of a client by the end of the plan, for its attachments. */
export interface ClientFate {
  readonly subject: string;
  /** The ledger's id, for one that is let go. */
  readonly id?: string;
  /** The object that is there now; absent where there is none. */
  readonly held?: RealClient;
  /** Its id after the plan; absent where it goes, or where nothing is planned for it. */
  readonly after?: string;
  readonly becomes:
    | 'kept'
    | 'made'
    | 'replaced'
    | 'destroyed'
    | 'forgotten'
    | 'missing'
    | 'unknown'
    | 'problem'
    | 'lenient';
}

const neverInPlace = ['serviceProvider', 'httpUrl', 'apiUrl'];

/** What is known of a client id: the object, or that it is missing, or neither. */
export function lookAt(view: View, id: string): RealClient | 'missing' | 'unknown' {
  const seen = view.list?.find((client) => client.id === id) ?? view.shown.get(id);
  if (seen !== undefined) return seen;
  return view.list === null ? 'unknown' : 'missing';
}

function withDefaults(
  values: WantedClient['values'],
  carried: RealClient | undefined,
): Omit<RealClient, 'id' | 'projects'> {
  const plain = {
    name: carried?.name ?? null,
    key: carried?.key ?? null,
    rsaPublicKey: carried?.rsaPublicKey ?? null,
    organizationScoped: carried?.organizationScoped ?? true,
    agentPool: carried?.agentPool ?? null,
  };
  return { serviceProvider: '', httpUrl: '', apiUrl: '', ...plain, ...values };
}

/** Whether a client looks like the wanted one and belongs to nobody in this ledger. */
function possibleMatches(situation: Situation, wanted: WantedClient, replaced?: RealClient): RealClient[] {
  // A name that the manifest leaves out is carried over.
  const { serviceProvider, httpUrl, apiUrl, name = replaced?.name ?? null } = wanted.values;
  return unowned(situation).filter(
    (client) =>
      client.id !== replaced?.id &&
      client.name === name &&
      client.serviceProvider === serviceProvider &&
      client.httpUrl === httpUrl &&
      client.apiUrl === apiUrl,
  );
}

/** Write-only fields that a create needs and the entry lacks. */
function lacksForCreate({ entry }: WantedClient): boolean {
  if (['provider_c_server', 'ado_server'].includes(entry.serviceProvider))
    return entry.secrets.privateKey === undefined;
  return false;
}

function make(
  draft: Draft,
  situation: Situation,
  wanted: WantedClient,
  carried: RealClient | undefined,
): void {
  const id = newId(wanted.name);
  const { desired, ledger } = situation;
  // A managed link whose line is gone goes with it; the others are carried over.
  const isManaged = (project: string): boolean =>
    desired.exactProjects.has(wanted.name) ||
    ledger.objects[`ProjectAttachment/${carried?.id}/${project}`] !== undefined;
  const projects = (carried?.projects ?? []).filter((project) => !isManaged(project));
  draft.clients.set(id, { id, ...withDefaults(wanted.values, carried), projects });
  const written: Record<string, string> = {};
  for (const [field, source] of Object.entries(wanted.entry.secrets)) {
    written[field] = situation.secretOf(source) ?? '';
  }
  draft.written.set(id, written);
}

/** Expects a create, unless something stands in its way. */
function expectCreate(
  situation: Situation,
  expected: Expected,
  wanted: WantedClient,
  carried?: RealClient,
): ClientFate {
  const subject = clientSubject(wanted.name);
  const blocked =
    (wanted.entry.allowDuplicate !== true && possibleMatches(situation, wanted, carried).length > 0) ||
    lacksForCreate(wanted);
  if (blocked) {
    expected.problems.add(subject);
    return { subject, becomes: 'problem', ...(carried ? { held: carried } : {}) };
  }
  const needsSecrets = Object.values(wanted.entry.secrets);
  const effect = (draft: Draft): void => make(draft, situation, wanted, carried);
  const objectId = carried?.id;
  expected.steps.push({
    action: carried === undefined ? 'create' : 'replace',
    subject,
    ...(objectId === undefined ? {} : { objectId }),
    needsSecrets,
    effect,
  });
  if (carried === undefined) return { subject, becomes: 'made', after: newId(wanted.name) };
  expected.steps.push({
    action: 'delete',
    subject,
    objectId: carried.id,
    deletes: true,
    effect: (draft) => void draft.clients.delete(carried.id),
  });
  return { subject, becomes: 'replaced', held: carried, after: newId(wanted.name) };
}

/** An object that is there and ours, or becomes ours: differences are written in place, or replace it. */
function expectPresent(
  situation: Situation,
  expected: Expected,
  wanted: WantedClient,
  observed: RealClient,
  held: LedgerObject | undefined,
): ClientFate {
  const subject = clientSubject(wanted.name);
  const fate = { subject, held: observed };
  const differing = readableFields.filter(
    (field) => wanted.values[field] !== undefined && wanted.values[field] !== observed[field],
  );
  const fixed = differing.filter((field) => neverInPlace.includes(field));
  const secrets =
    held === undefined && !situation.writeSecrets
      ? { update: [], replace: [] }
      : secretsToWrite(situation, wanted, held);
  if (held === undefined && fixed.length > 0) {
    expected.problems.add(subject);
    return { ...fate, becomes: 'problem' };
  }
  if (held !== undefined && (fixed.length > 0 || secrets.replace.length > 0)) {
    const replaced = expectCreate(situation, expected, wanted, observed);
    // One that cannot be made needs no approval yet.
    if (replaced.becomes === 'problem') return replaced;
    if (held.protect || wanted.entry.protect === true) expected.blockers.add(`protected ${subject}`);
    else if (!isApproved(situation, 'replace', subject, observed.id))
      expected.blockers.add(`approval ${subject}`);
    return replaced;
  }
  const unnamed = observed.name?.startsWith(pendingName) === true && wanted.values.name === undefined;
  const protect = wanted.entry.protect ?? held?.protect ?? false;
  const changes =
    differing.length > 0 || secrets.update.length > 0 || unnamed || protect !== (held?.protect ?? protect);
  const effect = (draft: Draft): void => {
    // What a late list still shows may be gone.
    const now = draft.clients.get(observed.id);
    if (now === undefined) return;
    const values = Object.fromEntries(differing.map((field) => [field, wanted.values[field]]));
    draft.clients.set(observed.id, { ...now, ...(unnamed ? { name: null } : {}), ...values });
    const written = secrets.update.map((field) => [
      field,
      situation.secretOf(wanted.entry.secrets[field] ?? '') ?? '',
    ]);
    if (written.length > 0)
      draft.written.set(observed.id, Object.fromEntries(written) as Record<string, string>);
  };
  const needsSecrets = secrets.update.map((field) => wanted.entry.secrets[field] ?? '');
  const step = { subject, objectId: observed.id, needsSecrets, effect };
  if (held === undefined) expected.steps.push({ action: 'adopt', ...step });
  else if (changes) expected.steps.push({ action: 'update', ...step });
  return { ...fate, becomes: 'kept', after: observed.id };
}

function isApproved(
  { desired }: Situation,
  action: 'replace' | 'destroy',
  address: string,
  id: string,
): boolean {
  return desired.approved.some(
    (line) => action in line && 'id' in line && line.id === id && Reflect.get(line, action) === address,
  );
}

function expectWanted(
  situation: Situation,
  expected: Expected,
  wanted: WantedClient,
  key: string | undefined,
): ClientFate {
  const { ledger, view } = situation;
  const subject = clientSubject(wanted.name);
  const held = key === undefined ? undefined : ledger.objects[key];
  const { id } = wanted.entry;
  const give = (becomes: 'problem' | 'unknown'): ClientFate => {
    (becomes === 'problem' ? expected.problems : expected.unknown).add(subject);
    return { subject, becomes };
  };
  if (ledger.pending[subject] !== undefined) {
    expected.lenient.set(subject, 'its create was interrupted');
    return { subject, becomes: 'lenient' };
  }
  if (isLeftElsewhere(situation, wanted)) {
    if (held !== undefined && key !== subject)
      expected.steps.push({ action: 'move', subject, objectId: held.id });
    return give('problem');
  }
  if (held === undefined && id === undefined) {
    return view.list === null ? give('unknown') : expectCreate(situation, expected, wanted);
  }
  // The predecessor that was replaced may still be named.
  const isFormer = id !== undefined && [held?.replaced, held?.replaces].includes(id);
  if (held !== undefined && id !== undefined && held.id !== id && !isFormer) {
    if (key !== subject) expected.steps.push({ action: 'move', subject, objectId: held.id });
    return give('problem');
  }
  const seen = lookAt(view, held?.id ?? id ?? '');
  if (seen === 'unknown') return give('unknown');
  if (seen !== 'missing') {
    if (held !== undefined && key !== subject)
      expected.steps.push({ action: 'move', subject, objectId: held.id });
    const others = Object.entries(ledger.objects).some(
      ([other, { id: own, replaces }]) => other !== key && [own, replaces].includes(seen.id),
    );
    if (held === undefined && others) return give('problem');
    return expectPresent(situation, expected, wanted, seen, held);
  }
  if (held !== undefined && key !== subject)
    expected.steps.push({ action: 'move', subject, objectId: held.id });
  if (id !== undefined && !isFormer) return give('problem');
  return expectCreate(situation, expected, wanted);
}

function expectRemoved(
  situation: Situation,
  expected: Expected,
  key: string,
  held: LedgerObject,
): ClientFate {
  const seen = lookAt(situation.view, held.id);
  if (situation.desired.forget.has(key)) {
    expected.steps.push({ action: 'forget', subject: key, objectId: held.id });
    return {
      subject: key,
      id: held.id,
      becomes: 'forgotten',
      ...(typeof seen === 'string' ? {} : { held: seen }),
    };
  }
  if (seen === 'unknown') {
    expected.unknown.add(key);
    return { subject: key, becomes: 'unknown' };
  }
  if (seen === 'missing') {
    expected.steps.push({ action: 'forget', subject: key, objectId: held.id });
    return { subject: key, becomes: 'missing' };
  }
  if (held.protect) expected.blockers.add(`protected ${key}`);
  else if (!isApproved(situation, 'destroy', key, held.id)) expected.blockers.add(`approval ${key}`);
  const effect = (draft: Draft): void => void draft.clients.delete(held.id);
  expected.steps.push({ action: 'delete', subject: key, objectId: held.id, deletes: true, effect });
  return { subject: key, becomes: 'destroyed', held: seen };
}

/** A replaced object that an earlier run could not destroy any more goes now, with the approval it had; without its successor it is destroyed like any other. */
function expectLeftover(
  situation: Situation,
  expected: Expected,
  { subject, becomes }: ClientFate,
  id: string,
): ClientFate {
  const seen = lookAt(situation.view, id);
  if (typeof seen === 'string') {
    expected.lenient.set(subject, 'what it replaced cannot be seen');
    return { subject, id, becomes: 'lenient' };
  }
  // Nothing is done of an address with a problem, and nothing of what hangs on the old object either.
  if (becomes === 'problem') return { subject, id, becomes: 'destroyed', held: seen };
  const approval = ['destroyed', 'missing'].includes(becomes) ? 'destroy' : 'replace';
  if (!isApproved(situation, approval, subject, id)) expected.maybeBlockers.add(`approval ${subject}`);
  const effect = (draft: Draft): void => void draft.clients.delete(id);
  expected.steps.push({ action: 'delete', subject, objectId: id, deletes: true, effect });
  return { subject, id, becomes: 'destroyed', held: seen };
}

/** "Left alone until they are solved": the ledger's clients that `moved` lines lead to one address, and what has that address. */
function expectClashes(
  { desired, ledger }: Situation,
  expected: Expected,
  wanted: readonly WantedClient[],
): Map<string, ClientFate> {
  const fates = new Map<string, ClientFate>();
  for (const { name } of wanted) {
    const subject = clientSubject(name);
    const moving = [...desired.moved.keys()].filter(
      (from) => endOfMoves(desired.moved, from) === subject && ledger.objects[from] !== undefined,
    );
    if (moving.length + (ledger.objects[subject] === undefined ? 0 : 1) < 2) continue;
    expected.problems.add(subject);
    for (const key of [subject, ...moving]) {
      expected.leftAlone.add(key);
      fates.set(key, { subject: key, becomes: 'problem' });
    }
  }
  return fates;
}

/** Expects the steps of all clients; returns what becomes of each, by address. */
export function expectClients(situation: Situation, expected: Expected): Map<string, ClientFate> {
  const { desired, ledger } = situation;
  const keys = new Map<string, string | undefined>();
  const declared = situation.destroy ? [] : [...desired.clients.values()];
  const fates = expectClashes(situation, expected, declared);
  const clashing = new Set(fates.keys());
  const wanted = declared.filter(({ name }) => !clashing.has(clientSubject(name)));
  for (const client of wanted) keys.set(client.name, ledgerKeyOf(situation, client.name));
  const gone = Object.keys(ledger.objects).filter(
    (key) =>
      key.startsWith('OAuthClient/') &&
      ![...keys.values()].includes(key) &&
      !clashing.has(key) &&
      !desired.forget.has(key),
  );
  const fresh = wanted.filter(({ name }) => keys.get(name) === undefined);
  const renamed = renames(situation, gone, fresh);
  for (const [name, key] of renamed) keys.set(name, key);
  for (const client of wanted) {
    fates.set(clientSubject(client.name), expectWanted(situation, expected, client, keys.get(client.name)));
  }
  for (const [key, held] of Object.entries(ledger.objects)) {
    if (held.kind !== 'OAuthClient' || [...keys.values()].includes(key) || clashing.has(key)) continue;
    const isNamed = declared.some(({ entry: { id } }) => id && [held.id, held.replaces].includes(id));
    if (isNamed && !desired.forget.has(key)) {
      // "What an `id:` line names is left alone."
      expected.leftAlone.add(key);
      fates.set(key, { subject: key, becomes: 'problem' });
      continue;
    }
    fates.set(key, expectRemoved(situation, expected, key, held));
  }
  expectCleanups(situation, expected);
  for (const [key, { replaces }] of Object.entries(ledger.objects)) {
    // Under the address that it moves to.
    const [moved = key.replace('OAuthClient/', '')] = [...keys].find(([, held]) => held === key) ?? [];
    const fate = fates.get(clientSubject(moved));
    if (replaces === undefined || fate === undefined || clashing.has(key)) continue;
    const isLetGo = fate.becomes === 'forgotten';
    const before = isLetGo ? { ...fate, id: replaces } : expectLeftover(situation, expected, fate, replaces);
    fates.set(`${key} before`, before);
  }
  return fates;
}
