/** Plans the creation of an object, unless something out there may already be it. Pure. */

import { describe } from '../../resources/diff';
import type { FieldValues, Found, SecretSource } from '../../resources/kind';
import { missingForCreate } from '../../resources/oauth-client';

import { bareStep } from './draft';
import { lookAlikes } from './look-alikes';
import { plainInputs } from './object-changes';
import type { PlannedChange, ReasonCode, Step } from './plan';
import { moveNeeds, problem, type Subject } from './subject';

const because: Readonly<Partial<Record<ReasonCode, string>>> = {
  new: 'it is in the manifest and does not exist',
  gone: 'it is gone: the list and a look by id both say so',
  interrupted: 'its creation was interrupted; what it left is finished or made anew',
};

/** What a create takes over besides the manifest: for a replacement, every observed field that is not managed. */
export interface CreateCause {
  readonly reason: 'new' | 'gone' | 'interrupted';
  readonly replacing: Found | null;
}

/** Adds a create step; a look-alike, an unreadable list or a missing field stops the address instead. */
export function planCreate(subject: Subject, cause: CreateCause): void {
  const { context, draft, entry, protect } = subject;
  const wanted = { ...plainInputs(entry), organization: context.organization };
  if (!mayCreate(subject, wanted, null)) return;
  noteNeededSecrets(subject);
  draft.steps.push({
    ...bareStep,
    id: `create ${entry.address}`,
    action: 'create',
    kind: entry.kind,
    address: entry.address,
    key: entry.address,
    reason: cause.reason,
    because: because[cause.reason] ?? '',
    changes: createChanges(subject, plainInputs(entry)),
    needs: moveNeeds(subject),
    inputs: entry.inputs,
    secrets: entry.secrets,
    managed: entry.inputs,
    file: entry.file,
    protect,
  } satisfies Step);
  draft.objects.set(entry.address, { state: 'pending', id: null, step: `create ${entry.address}` });
}

/** True when nothing out there may be the wanted object and nothing it needs is missing; else the draft says why. */
export function mayCreate(subject: Subject, wanted: FieldValues, replacing: Found | null): boolean {
  const { context, draft, definition, entry } = subject;
  const given = new Set([...Object.keys(entry.inputs), ...Object.keys(entry.secrets)]);
  const required = Object.entries(definition.fields)
    .filter(([name, field]) => field.required && !(name in wanted) && !given.has(name))
    .map(([name]) => name);
  const missing = [...required, ...missingForCreate(plainInputs(entry), given, context.desired.profile)];
  if (missing.length > 0) {
    problem(
      subject,
      'missing-for-create',
      `${entry.address} must be created, and ${missing.map((name) => `\`${name}\``).join(', ')} is missing: add it to the manifest`,
    );
    return false;
  }
  const alike = lookAlikes(context, definition, entry.address, wanted);
  if (alike === null) {
    draft.undetermined.push({
      address: entry.address,
      why: `the list of ${definition.kind} objects of ${context.organization} cannot be read, so nobody can tell whether it exists`,
    });
    draft.objects.set(entry.address, { state: 'stopped', id: null, why: `${entry.address} cannot be seen` });
    return false;
  }
  if (entry.allowDuplicate) return true;
  const same = alike.same.filter((found) => found.id !== replacing?.id);
  if (same.length > 0) {
    problem(
      subject,
      'look-alike',
      `${same.length === 1 ? 'an object that looks' : `${same.length} objects that look`} the same exist${same.length === 1 ? 's' : ''}: ${same.map(describe).join('; ')}. To adopt it, add this line: \`id: ${same[0]?.id ?? ''}\`. To have another one beside it: \`allowDuplicate: true\``,
    );
    return false;
  }
  for (const found of alike.renamed.filter((one) => one.id !== replacing?.id)) {
    const { name = null } = found.values;
    const shown = JSON.stringify(typeof name === 'string' ? name.slice(0, 100) : name);
    draft.warnings.push({
      rule: 'similar-object',
      severity: 'warning',
      message: `${entry.address} will be created; ${describe(found)}, has the same provider and URLs under the name ${shown}. If it is the same, add \`id: ${found.id}\``,
      path: entry.address,
      at: entry.at,
    });
  }
  return true;
}

/** A create writes every secret, and a plan made without one would look as if apply could do without it too. */
export function noteNeededSecrets({ context, draft, entry }: Subject): void {
  const known = context.secrets[entry.address] ?? {};
  const needed = Object.entries(entry.secrets)
    .filter(([field]) => (known[field] ?? 'not-compared') === 'not-compared')
    .map(([field, source]) => `${field} (${placeOf(source)})`);
  if (needed.length === 0) return;
  draft.notes.push({
    address: entry.address,
    code: 'secret-needed',
    text: `apply needs what is not at hand here: ${needed.join(', ')}`,
  });
}

function placeOf(source: SecretSource): string {
  return 'fromEnv' in source ? `environment variable ${source.fromEnv}` : `file ${source.fromFile}`;
}

/** The fields a create writes, as changes from nothing. */
function createChanges(
  { context, definition, entry }: Subject,
  inputs: FieldValues,
): readonly PlannedChange[] {
  return Object.entries(definition.fields).flatMap(([name, field]): PlannedChange[] => {
    if (name in entry.secrets) {
      const known = context.secrets[entry.address]?.[name] ?? 'not-compared';
      return [{ field: name, secret: known === 'not-compared' ? 'not-compared' : 'new' }];
    }
    const value = inputs[name];
    return value === undefined || field.manifestName === null ? [] : [{ field: name, to: value }];
  });
}
