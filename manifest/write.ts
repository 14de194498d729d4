/** Desired → YAML: a manifest that reads back as what was given. */
import { Document } from 'yaml';
import { type DesiredValues, isReference, type Registry, type ResourceDefinition } from '../resources/kind';
import { externalKind, externalKinds } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type ExactSet, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';

/** An entry without places. */
export type WritableEntry = Pick<DesiredEntry, 'kind' | 'address' | 'inputs'> &
  Partial<Pick<DesiredEntry, 'secrets' | 'id' | 'protect' | 'allowDuplicate'>>;

/** What `writeManifest` writes. Paths of `fromFile` are relative to the root, so the text belongs into a file there. */
export interface WritableManifest extends Pick<Manifests, 'organization' | 'profileName' | 'aliases'> {
  readonly entries: readonly WritableEntry[];
  readonly sets: readonly Pick<ExactSet, 'kind' | 'fixed'>[];
}

/** One manifest as YAML text: entries as maps, links as single lines or in their exact sets, ids by alias where one exists. */
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
    const entries = desired.entries.filter((entry) => entry.kind === definition.kind);
    if (form === 'map') {
      const map = entries.map((entry) => [nameInAddress(entry.address), writer.fields(definition, entry)]);
      if (map.length > 0) put(name, Object.fromEntries(map));
    } else {
      const lines = writer.lines(definition, entries);
      const nodes = lines.map((line) => document.createNode(line, { flow: true }));
      if (nodes.length > 0) put(name, nodes);
    }
  }
  return document.toString({ lineWidth: 0 });
}

class Writer {
  readonly #aliasOf: ReadonlyMap<string, string>;

  constructor(
    readonly desired: WritableManifest,
    readonly kinds: Registry,
  ) {
    const named = Object.values(externalKinds).flatMap(({ aliases }) =>
      Object.entries(desired.aliases[aliases]),
    );
    this.#aliasOf = new Map(named.map(([name, id]) => [id, name]));
  }

  fields(definition: ResourceDefinition, entry: WritableEntry): Record<string, unknown> {
    const written: Record<string, unknown> = {};
    if (entry.id !== undefined) written.id = entry.id;
    for (const [key, field, name] of carriedFields(definition)) {
      const value = field.writeOnly
        ? entry.secrets?.[name]
        : field.exactSetOf === undefined
          ? this.#value(entry.inputs[name], field.refersTo)
          : this.#members(field.exactSetOf, entry.address);
      if (value !== undefined) written[key] = value;
    }
    if (typeof entry.protect === 'boolean') written.protect = entry.protect;
    if (entry.allowDuplicate) written.allowDuplicate = true;
    return written;
  }

  /** Single lines, then the sets; what stands in a list field of an entry is not repeated here. */
  lines(definition: ResourceDefinition, entries: readonly WritableEntry[]): Record<string, unknown>[] {
    const { ends } = definition.section;
    const covered = new Set<WritableEntry>();
    const lists = this.desired.sets.flatMap(({ kind, fixed: values }) => {
      if (kind !== definition.kind) return [];
      const fixed = ends.find((end) => end.field in values);
      const listed = ends.find((end) => end !== fixed);
      const inField = Object.values(values).some(isReference);
      const isLine = fixed !== undefined && listed?.plural !== undefined;
      if (!inField && !isLine) return [];
      const members = entries.filter((entry) => matches(entry.inputs, values));
      for (const member of members) covered.add(member);
      if (inField || !isLine) return [];
      const others = members.map((entry) => this.#end(definition, listed.field, entry.inputs));
      return [{ [fixed.singular]: this.#end(definition, fixed.field, values), [listed.plural]: others }];
    });
    const single = entries.filter((entry) => !covered.has(entry));
    return [...single.map((entry) => this.fields(definition, entry)), ...lists];
  }

  #end(definition: ResourceDefinition, field: string, values: DesiredValues): unknown {
    return this.#value(values[field], definition.fields[field]?.refersTo);
  }

  /** The other ends of the links around an entry, when a set says that they are all of them. */
  #members(linkKind: string, address: string): unknown[] | undefined {
    const set = this.desired.sets.find(
      ({ kind, fixed }) =>
        kind === linkKind && Object.values(fixed).some((end) => isReference(end) && end.address === address),
    );
    const definition = this.kinds.find((one) => one.kind === linkKind);
    if (set === undefined || definition === undefined) return undefined;
    const other = definition.pair.find((field) => !(field in set.fixed)) ?? '';
    return this.desired.entries
      .filter((entry) => entry.kind === linkKind && matches(entry.inputs, set.fixed))
      .map((entry) => this.#end(definition, other, entry.inputs));
  }

  #value(value: DesiredValues[string] | undefined, refersTo = ''): unknown {
    if (isReference(value)) return nameInAddress(value.address);
    const alias = (text: string) =>
      externalKind(refersTo) === undefined ? text : (this.#aliasOf.get(text) ?? text);
    if (typeof value === 'string') return alias(value);
    return Array.isArray(value) ? value.map(alias) : value;
  }
}

function matches(inputs: DesiredValues, fixed: DesiredValues): boolean {
  return Object.entries(fixed).every(([field, end]) => {
    const other = inputs[field];
    return isReference(end) ? isReference(other) && other.address === end.address : other === end;
  });
}
