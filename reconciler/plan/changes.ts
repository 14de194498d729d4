/** Compares each field of a declared client with the existing client and with the values last applied. */
import type { DesiredEntry } from '../../manifest/desired';
import { classifyChange, describeKeptSecret, hiddenValues } from '../../resources/diff';
import { type FieldValue, type FieldValues, type Found, isReference, sameValue } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import type { ClientChanges } from './decisions';
import type { PlanInputs } from './inputs';
import type { PlannedChange } from './plan';

/** Without `lastApplied`, no difference is called a change made elsewhere. */
export function clientChanges(
  inputs: PlanInputs,
  entry: DesiredEntry,
  observed: Found,
  lastApplied: FieldValues = {},
): ClientChanges {
  const { profile } = inputs.manifests;
  const changes: PlannedChange[] = [];
  const notes: string[] = [];
  let fixed: PlannedChange | undefined;
  for (const [field, definition] of Object.entries(oauthClient.fields)) {
    const onChange = classifyChange(definition, profile);
    const change = definition.writeOnly
      ? secretChange(inputs, entry, observed.id, field, onChange === 'update')
      : plainChange(entry.inputs[field], field, observed.values[field], lastApplied[field]);
    if (typeof change === 'string') notes.push(change);
    if (change === undefined || typeof change === 'string') continue;
    const risk = definition.risk?.(change.from, change.to) ?? null;
    changes.push(risk === null ? change : { ...change, risk });
    if (onChange === 'replace') fixed ??= change;
  }
  const reason = reasonFor(changes);
  const hidden = hiddenValues(oauthClient, entry.inputs, observed);
  const unseen = changes.length === 0 ? [] : describeUnseen(entry, observed, fixed !== undefined);
  const risks = [...new Set(changes.flatMap(({ risk }) => risk ?? [])), ...unseen];
  return { changes, risks, reason, because: sentences[reason], fixed, hidden, notes };
}

function plainChange(
  to: DesiredEntry['inputs'][string] | undefined,
  field: string,
  from: FieldValue | undefined,
  baseline: FieldValue | undefined,
): PlannedChange | undefined {
  if (to === undefined || from === undefined || isReference(to) || sameValue(to, from)) return undefined;
  const isElsewhere = baseline !== undefined && !sameValue(baseline, from);
  return { field, from, to, ...(isElsewhere && { baseline }) };
}

/**
 * Plans the write of a secret. One that Tether never wrote is written if it can change in place, and is otherwise taken for the existing
 * one. Returns a note if the secret was not compared.
 */
function secretChange(
  inputs: PlanInputs,
  { secrets }: DesiredEntry,
  id: string,
  field: string,
  isUpdate: boolean,
): PlannedChange | string | undefined {
  if (secrets[field] === undefined) return undefined;
  const state = inputs.secrets?.[id]?.[field] ?? 'unknown';
  if (state === 'same') return undefined;
  if (state === 'changed' || (state === 'unknown' && isUpdate)) return { field, secret: state };
  if (state === 'unknown') return `${describeKeptSecret(field)}.`;
  return `${field} was not compared: ${state.why}.`;
}

/** Names what a write may lose, because the service does not show it and no line declares it. Only the agent pool goes with every PATCH. */
function describeUnseen({ inputs }: DesiredEntry, { id, values }: Found, isReplace: boolean) {
  const unseen = Object.entries(oauthClient.fields).flatMap(([name, { writeOnly, manifestName }]) => {
    const isKept = writeOnly || name in values || name in inputs || !(isReplace || name === 'agentPoolId');
    return isKept ? [] : [manifestName ?? name];
  });
  const effect = isReplace ? "the new client has the API's defaults there" : 'this change may clear it';
  return unseen.length === 0 ? [] : [`the service does not show ${unseen.join(', ')} of ${id}, so ${effect}`];
}

const sentences = {
  conflict: 'the manifest changed, and somebody changed the same field elsewhere',
  'changed-elsewhere': 'was changed outside Tether since the last apply',
  'secret-changed': 'the value of a secret changed',
  'secret-unknown': 'the value of a secret was never written by Tether, or its write was interrupted',
  'manifest-changed': 'the manifest changed',
} as const;

function reasonFor(changes: readonly PlannedChange[]): keyof typeof sentences {
  const elsewhere = changes.filter(({ baseline }) => baseline !== undefined);
  if (elsewhere.some(({ baseline, to }) => !sameValue(baseline, to))) return 'conflict';
  if (elsewhere.length > 0) return 'changed-elsewhere';
  if (changes.every(({ secret }) => secret === 'changed')) return 'secret-changed';
  return changes.every(({ secret }) => secret !== undefined) ? 'secret-unknown' : 'manifest-changed';
}

/** True if the changes give the client that scope: true offers it to everybody, and false only to its attachments. */
export function setsScope(changes: readonly PlannedChange[], scope: boolean): boolean {
  return changes.some(({ field, to }) => oauthClient.fields[field]?.isScope && to === scope);
}
