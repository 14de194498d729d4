/** What `show` can be asked for: everything the ledger holds and the manifests want, by address, ledger key or id. */
import type { DesiredEntry, Manifests } from '../manifest/desired';
import type { Expectation } from '../observation/evidence';
import type { Ledger } from '../reconciler/ledger/ledger';
import { type FieldValues, isReference, type Key, type ResourceDefinition } from '../resources/kind';
import { definitionOf } from '../resources/registry';

export interface Subject {
  /** By alias where a manifest has one, else by ids. */
  readonly address: string;
  /** Kind and ids for links, else the address. */
  readonly ledgerKey: string;
  readonly expectation: Expectation;
  /** For an object without a known id: readable fields that tell which one is meant. */
  readonly like?: FieldValues;
}

/** Every subject once, manifests' names first, in the order of their addresses; either may be missing. */
export function subjectsOf(ledger: Ledger | null, manifests: Manifests | null): readonly Subject[] {
  const organization = manifests?.organization ?? ledger?.organization ?? '';
  const held = ledger?.objects ?? {};
  const subjects = new Map<string, Subject>();
  const put = (subject: Subject): void => {
    if (!subjects.has(subject.ledgerKey)) subjects.set(subject.ledgerKey, subject);
  };
  for (const entry of manifests?.entries ?? []) {
    const subject = ofEntry(organization, entry, held);
    if (subject !== null) put(subject);
  }
  for (const [ledgerKey, object] of Object.entries(held)) {
    const definition = definitionOf(object.kind);
    const key = { organization, ...idsOf(definition, object.values), ...ownId(definition, object.id) };
    put({ address: ledgerKey, ledgerKey, expectation: { definition, key, id: object.id } });
  }
  return [...subjects.values()].sort((one, two) => (one.address < two.address ? -1 : 1));
}

/** True when the text names the subject: its address, ledger key or id. */
export function isNamed(subject: Subject, text: string): boolean {
  return [subject.address, subject.ledgerKey, subject.expectation.id].includes(text);
}

/** Null for a link whose other end has no id yet. */
function ofEntry(organization: string, entry: DesiredEntry, objects: Ledger['objects']): Subject | null {
  const definition = definitionOf(entry.kind);
  const values: Record<string, FieldValues[string]> = {};
  for (const [field, value] of Object.entries(entry.inputs)) {
    const resolved = isReference(value) ? objects[value.address]?.id : value;
    if (resolved !== undefined) values[field] = resolved;
  }
  if (definition.pair.length > 0) {
    const ids = idsOf(definition, values);
    if (Object.keys(ids).length < definition.pair.length) return null;
    const ledgerKey = [definition.kind, ...definition.pair.map((field) => ids[field])].join('/');
    const id = objects[ledgerKey]?.id;
    const expectation = { definition, key: { organization, ...ids }, ...(id === undefined ? {} : { id }) };
    return { address: entry.address, ledgerKey, expectation };
  }
  const id = objects[entry.address]?.id ?? entry.id;
  const key = { organization, ...(id === undefined ? {} : { id }) };
  const expectation = { definition, key, ...(id === undefined ? {} : { id }) };
  return {
    address: entry.address,
    ledgerKey: entry.address,
    expectation,
    ...(id === undefined ? { like: likeness(definition, values) } : {}),
  };
}

function ownId(definition: ResourceDefinition, id: string): Key {
  return definition.pair.length === 0 ? { id } : {};
}

function idsOf(definition: ResourceDefinition, values: FieldValues): Key {
  return Object.fromEntries(
    definition.pair.flatMap((field) => {
      const value = values[field];
      return typeof value === 'string' ? [[field, value]] : [];
    }),
  );
}

/** Its name and what can never change. */
function likeness(definition: ResourceDefinition, values: FieldValues): FieldValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const field = definition.fields[name];
      return name === 'name' || (field?.onChange === 'replace' && field.refersTo === undefined);
    }),
  );
}
