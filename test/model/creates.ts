/** The acceptable outcomes of a client to create, alone or as a replacement. */
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
  isForgotten,
  isSameCreate,
  isYoung,
  possibleMatches,
  recordedClients,
  type Situation,
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

/** The usual outcome of a POST with these values, and what stands in its way. */
function outcomesOf(situation: Situation, wanted: WantedClient, values: Values, usual: Outcome): Outcome[] {
  const { entry, name } = wanted;
  const needsKey = ['provider_c_server', 'ado_server'].includes(entry.serviceProvider);
  const lacksKey = needsKey && entry.secrets.privateKey === undefined;
  const matches = possibleMatches(situation, wanted, values.name as string | null);
  // A managed client counts as unmanaged if a line forgets or moves it, or if its own entry has an `id:` line.
  const isMoving = [...recordedClients(situation)].some(
    ([held, { id }]) => held !== name && looksLike(situation, wanted, id, values.name as string | null),
  );
  const adopted = new Set([...situation.desired.clients.values()].map((client) => client.entry.id));
  // The client of an `id:` line counts with the values of its entry.
  const meant = [...situation.desired.clients.values()].filter((client) => {
    const seen = seenClient(situation, client.entry.id ?? '');
    if (seen === undefined || client.name === name || entry.allowDuplicate?.includes(seen.id)) return false;
    const planned = { ...seen, ...client.values } as SeenClient;
    return planned.name === values.name && !differsInFixed(wanted.values, planned);
  });
  const isHeld = meant.some((one) => recordedClients(situation).get(one.name)?.id === one.entry.id);
  const strange = matches.filter(({ id }) => !adopted.has(id) && !isTaken(situation, id));
  const equal = Object.entries(situation.ledger.pending).flatMap(([key, pending]) =>
    key !== clientKey(name) && isSameCreate(values, pending) ? [pending] : [],
  );
  const waits = equal.some(
    (pending) =>
      clientsOfInterruptedCreate(situation, pending).length === 0 && isYoung(situation, pending.attemptedAt),
  );
  if (waits) return ['problem', 'unknown'];
  const isLeft = usual === 'create' && isLeftBehind(situation, wanted, values.name as string | null);
  if (lacksKey || strange.length > 0 || isLeft || isHeld) return ['problem'];
  return matches.length + equal.length > 0 || isMoving || meant.length > 0
    ? [usual, 'problem', 'unknown']
    : [usual];
}

/** True if a client of an undeclared address, which stays or is to be destroyed, looks like the new one. */
function isLeftBehind(situation: Situation, wanted: WantedClient, name: string | null): boolean {
  const { desired, ledger, view } = situation;
  const moves = movesOf(situation);
  return [...recordedClients(situation)].some(([held, { id }]) => {
    const key = clientKey(held);
    const isNamed =
      desired.clients.has(held) ||
      isForgotten(situation, held, id) ||
      wanted.entry.allowDuplicate?.includes(id) ||
      desired.approved.some((line) => 'destroy' in line && line.destroy === key && line.id === id) ||
      [...desired.clients.values()].some(({ entry }) => entry.id === id);
    const isClear = !isNamed && !moves.has(held) && ledger.pending[key] === undefined;
    const isListed = view.list?.some((one) => one.id === id) === true;
    return isClear && isListed && looksLike(situation, wanted, id, name);
  });
}

function looksLike(situation: Situation, { values }: WantedClient, id: string, name: string | null): boolean {
  const seen = seenClient(situation, id);
  return seen !== undefined && seen.name === name && !differsInFixed(values, seen);
}

/** True if an interrupted create at some address made it. */
function isTaken(situation: Situation, id: string): boolean {
  return Object.values(situation.ledger.pending).some((pending) =>
    clientsOfInterruptedCreate(situation, pending).some((one) => one.id === id),
  );
}
