/** What all steps of one apply share. */
import type { Api } from '../../client/api';
import { type FieldValues, isReference, type Key, type ResourceDefinition } from '../../resources/kind';

import { ledgerKey } from '../ledger-key';
import type { Step } from '../plan/plan';
import type { OwnWrites } from './own-writes';
import { type References, Unresolved } from './references';
import type { RunningLedger } from './running-ledger';
import type { SecretValues } from './secret-values';

/** Digests of what must not be stored (reconciler/ledger/digest.ts). */
export interface Digests {
  digest(value: string): Promise<string>;
  intentHash(inputs: FieldValues, nonce: string): Promise<string>;
}

export interface Run {
  readonly organization: string;
  /** For the calls of the step that is carried out. */
  readonly api: Api;
  /** The same for the next step. */
  readonly forStep: () => Api;
  readonly ledger: RunningLedger;
  readonly references: References;
  readonly own: OwnWrites;
  readonly definitions: ReadonlyMap<string, ResourceDefinition>;
  readonly digests: Digests;
  readonly secrets: SecretValues;
  /** So many random bytes as lower-case hex. */
  readonly random: (bytes: number) => string;
  /** Nonces of creates that this plan goes on with, which no sweep may end. */
  readonly continued: ReadonlySet<string>;
  /** Ids of all that the plan saw: none of it is new. */
  readonly seen: ReadonlySet<string>;
  /** Tells whoever watches what the object of a task needs beyond what is done here. */
  readonly note: (task: Task, text: string) => void;
}

/** One step and what it is about. */
export interface Task {
  readonly step: Step;
  readonly definition: ResourceDefinition;
}

/** Where a task's object is: the key for its definition's calls, and its key in the ledger. */
export interface Place {
  readonly key: Key;
  readonly ledgerKey: string;
}

/** Finds the place of a task. Throws `Unresolved` for a link to an object that has no id. */
export function placeOf(run: Run, { step, definition }: Task): Place {
  if (definition.pair.length === 0) {
    const id = step.action === 'create' || step.objectId === undefined ? {} : { id: step.objectId };
    return { key: { organization: run.organization, ...id }, ledgerKey: step.key };
  }
  const pair = pairOf(run, { step, definition });
  return { key: { organization: run.organization, ...pair }, ledgerKey: ledgerKey(definition, pair) };
}

/** The ids of a link: what a create asks for, else what was seen, what the ledger holds, or what its key says. */
function pairOf(run: Run, { step, definition }: Task): Key {
  const ofKey = fromKey(step.key, definition);
  const seen: readonly FieldValues[] =
    step.action === 'create'
      ? []
      : [step.observed ?? {}, run.ledger.objects.get(step.key)?.values ?? {}, ofKey];
  return Object.fromEntries(
    definition.pair.map((field) => {
      const known = seen.map((values) => values[field]).find((value) => typeof value === 'string');
      return [field, known ?? wantedEnd(run, { step, definition }, field, ofKey)];
    }),
  );
}

function wantedEnd(run: Run, { step }: Task, field: string, ofKey: FieldValues): string {
  const wanted = step.inputs[field];
  if (typeof wanted === 'string') return wanted;
  if (!isReference(wanted)) throw new Error(`${step.id} does not say its ${field}`);
  const id = run.references.idOf(wanted.address);
  if (id !== undefined) return id;
  const planned = step.key === step.address ? undefined : ofKey[field];
  if (typeof planned === 'string') return planned;
  throw new Unresolved(`${wanted.address} has no id, and ${step.address} needs it: plan again`);
}

/** A link's key holds its ids, except where one was not known when the plan was made. */
function fromKey(key: string, definition: ResourceDefinition): FieldValues {
  const [kind, ...ids] = key.split('/');
  if (kind !== definition.kind || ids.length !== definition.pair.length) return {};
  return Object.fromEntries(definition.pair.map((field, index) => [field, ids[index] ?? null]));
}

/** The write-only values a step writes. */
export function secretsOf(run: Run, { step }: Task): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(step.secrets).map((field) => {
      const value = run.secrets.value(step.address, field);
      if (value === undefined) throw new Error(`the value of ${step.address} ${field} was not resolved`);
      return [field, value];
    }),
  );
}
