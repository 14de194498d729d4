/** Desired → YAML: a manifest that reads back as what was given. */
import { Document } from 'yaml';
import {
  type DesiredValues,
  definitionOf,
  isReference,
  type Registry,
  type ResourceDefinition,
} from '../resources/kind';
import { externalKinds } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type ExactSet, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';

export type WritableEntry = Pick<DesiredEntry, 'kind' | 'address' | 'inputs'> &
  Partial<Pick<DesiredEntry, 'secrets' | 'id' | 'protect' | 'allowDuplicate'>>;

type WritableSet = Pick<ExactSet, 'kind' | 'fixed'>;

/** Paths of `fromFile` are relative to the root, so the text belongs into a file there. */
export interface WritableManifest extends Pick<Manifests, 'organization' | 'profileName' | 'aliases'> {
  readonly entries: readonly WritableEntry[];
  readonly sets: readonly WritableSet[];
}

/** One manifest as YAML, ids by alias where one exists. */
export function writeManifest(desired: WritableManifest, kinds: Registry = registry): string {
  const document = new Document({});
  const put = (key: string, value: unknown) => document.set(key, document.createNode(value));
  put('apiVersion', apiVersion);
  put('profile', desired.profileName);
  put('organization', desired.organization);
  const aliases = Object.entries(desired.aliases).filter(([, names]) => Object.keys(names).length > 0);
  if (aliases.length > 0) put('aliases', Object.fromEntries(aliases));
  const writer = new Writer(desired, kinds);
  for (const definition of kinds) {
    const { name, form } = definition.section;
    if (form === 'map') {
      const entries = writer.entries(definition);
      if (entries.length > 0) put(name, Object.fromEntries(entries));
    } else {
      const lines = writer.lines(definition).map((line) => document.createNode(line, { flow: true }));
      if (lines.length > 0) put(name, lines);
    }
  }
  return document.toString({ lineWidth: 0 });
}

class Writer {
  readonly #aliasOf: Map<string, string>;

  constructor(
    readonly desired: WritableManifest,
    readonly kinds: Registry,
  ) {
    const named = Object.values(desired.aliases).flatMap((names) => Object.entries(names));
    this.#aliasOf = new Map(named.map(([name, id]) => [id, name]));
  }

  entries(definition: ResourceDefinition) {
    const entries = this.#ofKind(definition);
    return entries.map((one) => [nameInAddress(one.address), this.#fields(definition, one)] as const);
  }

  /** Single lines, then sets, but for those in list fields of entries. */
  lines(definition: ResourceDefinition): object[] {
    const sets = this.desired.sets.filter(({ kind }) => kind === definition.kind);
    const isMember = ({ inputs }: WritableEntry) => sets.some(({ fixed }) => matches(inputs, fixed));
    const single = this.#ofKind(definition).filter((entry) => !isMember(entry));
    const lists = sets.filter(({ fixed }) => !Object.values(fixed).some(isReference));
    const lineOf = (set: WritableSet) =>
      definition.section.ends.map(({ field, singular, plural = singular }) =>
        field in set.fixed
          ? [singular, this.#value(definition, field, set.fixed)]
          : [plural, this.#members(definition, set)],
      );
    return [
      ...single.map((entry) => this.#fields(definition, entry)),
      ...lists.map((set) => Object.fromEntries(lineOf(set))),
    ];
  }

  #ofKind({ kind }: ResourceDefinition) {
    return this.desired.entries.filter((entry) => entry.kind === kind);
  }

  #fields(definition: ResourceDefinition, entry: WritableEntry) {
    const { id, inputs, secrets, protect, allowDuplicate } = entry;
    const written: Record<string, unknown> = {};
    if (id !== undefined) written.id = id;
    for (const { written: key, name, field } of carriedFields(definition)) {
      const value = field.writeOnly
        ? secrets?.[name]
        : field.exactSetOf === undefined
          ? this.#value(definition, name, inputs)
          : this.#owned(field.exactSetOf, entry);
      if (value !== undefined) written[key] = value;
    }
    if (typeof protect === 'boolean') written.protect = protect;
    if (allowDuplicate) written.allowDuplicate = true;
    return written;
  }

  /** The other ends of an entry's links, where an exact set is around it. */
  #owned(linkKind: string, { address }: WritableEntry) {
    const isItsOwn = (end: DesiredValues[string]) => isReference(end) && end.address === address;
    const sets = this.desired.sets.filter(({ kind }) => kind === linkKind);
    const set = sets.find(({ fixed }) => Object.values(fixed).some(isItsOwn));
    return set && this.#members(definitionOf(linkKind, this.kinds), set);
  }

  #members(definition: ResourceDefinition, { fixed }: WritableSet) {
    const field = definition.pair.find((name) => !(name in fixed)) ?? '';
    const members = this.#ofKind(definition).filter(({ inputs }) => matches(inputs, fixed));
    return members.map(({ inputs }) => this.#value(definition, field, inputs));
  }

  /** A value as it is written: a name for an address, an alias for an id. */
  #value({ fields }: ResourceDefinition, field: string, { [field]: value }: DesiredValues) {
    if (isReference(value)) return nameInAddress(value.address);
    if (externalKinds[fields[field]?.refersTo ?? ''] === undefined) return value;
    const alias = (id: unknown) => (typeof id === 'string' ? (this.#aliasOf.get(id) ?? id) : id);
    return Array.isArray(value) ? value.map(alias) : alias(value);
  }
}

function matches(inputs: DesiredValues, fixed: DesiredValues): boolean {
  return Object.entries(fixed).every(([field, end]) => {
    const other = inputs[field];
    return isReference(end) ? isReference(other) && other.address === end.address : other === end;
  });
}
