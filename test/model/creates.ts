/**
 * The acceptable outcomes of a client to create, alone or as a replacement: RULES.md, "Moves and creates". Courses cannot show that it accepts
 * too much, so `expectations.test.ts` has outcomes written by hand.
 */
import type { Values, WantedClient } from './desired';
import { readableFields } from './manifests';
import { movesOf } from './moves';
import type { Outcome } from './outcomes';
import type { SeenClient } from './reality';
import {
  clientKey,
  clientsOfInterruptedCreate,
  defaults,
  differsInFixed,
  isSameCreate,
  isWithoutLine,
  isYoung,
  possibleMatches,
  recordedClients,
  type Situation,
  secretsToWrite,
  seenClient,
} from './situation';

/** Includes the values that the new client takes over from the old one. */
export function replaceOutcomes(
  situation: Situation,
  wanted: WantedClient,
  seen: SeenClient,
  digests: Readonly<Record<string, string>> = {},
): Outcome[] {
  const carried: Values = {};
  for (const field of readableFields) {
    const { [field]: value = seen[field] } = wanted.values;
    if (value !== undefined) carried[field] = value;
  }
  const outcomes = outcomesOf(situation, wanted, carried, `replace ${seen.id}`);
  const { secrets } = wanted.entry;
  const held = situation.reality.secrets.get(seen.id);
  // A secret that the manifest does not declare cannot be carried over.
  const isLost = (['oauthTokenString', 'secret', 'privateKey'] as const).some(
    (field) => secrets[field] === undefined && (held?.[field] !== null || digests[field] !== undefined),
  );
  return isLost ? ['problem', ...outcomes] : outcomes;
}

export function createOutcomes(situation: Situation, wanted: WantedClient): Outcome[] {
  if (situation.view.list === null) return ['unknown', 'problem'];
  return outcomesOf(situation, wanted, { ...defaults, ...wanted.values }, 'create');
}

/**
 * The usual outcome of a POST with these values, and what stands in its way. An equal create that may still appear comes first, because
 * nothing is sent before it is settled. Certain obstacles come before possible ones, because they leave one outcome.
 */
function outcomesOf(situation: Situation, wanted: WantedClient, values: Values, usual: Outcome): Outcome[] {
  const { entry, name } = wanted;
  const needsKey = ['provider_c_server', 'ado_server'].includes(entry.serviceProvider);
  const lacksKey = needsKey && entry.secrets.privateKey === undefined;
  const displayName = values.name as string | null;
  const matches = possibleMatches(situation, wanted, displayName);
  // The rule leaves open whether a managed client of another address counts while the plan forgets, moves or changes it.
  const hasManagedMatch = [...recordedClients(situation)].some(
    ([recordedName, { id }]) => recordedName !== name && looksLike(situation, wanted, id, displayName),
  );
  const adopted = new Set([...situation.desired.clients.values()].map((client) => client.entry.id));
  // The client of an `id:` line counts with the values of its entry, unless that replaces it.
  const adoptedMatches = [...situation.desired.clients.values()].filter((client) => {
    const seen = seenClient(situation, client.entry.id ?? '');
    if (seen === undefined || client.name === name || entry.allowDuplicate?.includes(seen.id)) return false;
    const { digests } = recordedClients(situation).get(client.name) ?? {};
    const isReplaced =
      differsInFixed(client.values, seen) || secretsToWrite(situation, client, digests).replace.length > 0;
    const planned = isReplaced ? seen : ({ ...seen, ...client.values } as SeenClient);
    return planned.name === values.name && !differsInFixed(wanted.values, planned);
  });
  const isRecordedMatch = adoptedMatches.some(
    (client) => recordedClients(situation).get(client.name)?.id === client.entry.id,
  );
  const unmanagedMatches = matches.filter(
    ({ id }) => !adopted.has(id) && !isOfInterruptedCreate(situation, id),
  );
  const equalCreates = Object.entries(situation.ledger.pending).flatMap(([key, pending]) =>
    key !== clientKey(name) && isSameCreate(values, pending) ? [pending] : [],
  );
  const mayStillAppear = equalCreates.some(
    (pending) =>
      clientsOfInterruptedCreate(situation, pending).length === 0 && isYoung(situation, pending.attemptedAt),
  );
  if (mayStillAppear) return ['problem', 'unknown'];
  const isLeft = usual === 'create' && isLeftBehind(situation, wanted, displayName);
  if (lacksKey || unmanagedMatches.length > 0 || isLeft || isRecordedMatch) return ['problem'];
  return matches.length + equalCreates.length + adoptedMatches.length > 0 || hasManagedMatch
    ? [usual, 'problem', 'unknown']
    : [usual];
}

/** True if a client looks like the new one that no line decides about and that cannot move. It would be deleted beside its equal. */
function isLeftBehind(situation: Situation, wanted: WantedClient, name: string | null): boolean {
  const { desired, ledger, view } = situation;
  const moves = movesOf(situation);
  return [...recordedClients(situation)].some(([recordedName, { id }]) => {
    const isNamed =
      wanted.entry.allowDuplicate?.includes(id) ||
      [...desired.clients.values()].some(({ entry }) => entry.id === id);
    const mayChange = moves.has(recordedName) || ledger.pending[clientKey(recordedName)] !== undefined;
    const isListed = view.list?.some((client) => client.id === id) === true;
    const stays = isWithoutLine(situation, recordedName, id) && !isNamed && !mayChange;
    return stays && isListed && looksLike(situation, wanted, id, name);
  });
}

function looksLike(situation: Situation, { values }: WantedClient, id: string, name: string | null): boolean {
  const seen = seenClient(situation, id);
  return seen !== undefined && seen.name === name && !differsInFixed(values, seen);
}

/** True if an interrupted create at some address made it. */
function isOfInterruptedCreate(situation: Situation, id: string): boolean {
  return Object.values(situation.ledger.pending).some((pending) =>
    clientsOfInterruptedCreate(situation, pending).some((client) => client.id === id),
  );
}
