/** Desired → YAML: a manifest that reads back as what was given. */
import { Document } from 'yaml';
import { type DesiredValues, isReference, type Registry, type ResourceDefinition } from '../resources/kind';
import { externalKind } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type ExactSet, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';

/** An entry without places. */
export type WritableEntry = Pick<DesiredEntry, 'kind' | 'address' | 'inputs'> &
  Partial<Pick<DesiredEntry, 'secrets' | 'id' | 'protect' | 'allowDuplicate'>>;

type WritableSet = Pick<ExactSet, 'kind' | 'fixed'>;

/** What `writeManifest` writes. Paths of `fromFile` are relative to the root, so the text belongs into a file there. */
export interface WritableManifest extends Pick<Manifests, 'organization' | 'profileName' | 'aliases'> {
  readonly entries: readonly WritableEntry[];
  readonly sets: readonly WritableSet[];
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
    if (form === 'map') {
      const map = writer.entries(definition);
      if (map.size > 0) put(name, Object.fromEntries(map));
    } else {
      const lines = writer.lines(definition).map((line) => document.createNode(line, { flow: true }));
      if (lines.length > 0) put(name, lines);
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
    const named = Object.values(desired.aliases).flatMap((names) => Object.entries(names));
    this.#aliasOf = new Map(named.map(([name, id]) => [id, name]));
  }

  entries(definition: ResourceDefinition): ReadonlyMap<string, object> {
    const entries = this.#ofKind(definition);
    return new Map(entries.map((one) => [nameInAddress(one.address), this.#fields(definition, one)]));
  }

  /** Single lines, then the sets; what stands in a list field of an entry is not repeated here. */
  lines(definition: ResourceDefinition): readonly object[] {
    const { ends } = definition.section;
    const sets = this.desired.sets.filter(({ kind }) => kind === definition.kind);
    const single = this.#ofKind(definition).filter(
      ({ inputs }) => !sets.some(({ fixed }) => matches(inputs, fixed)),
    );
    const lists = sets.filter(({ fixed }) => !Object.values(fixed).some(isReference));
    return [
      ...single.map((entry) => this.#fields(definition, entry)),
      ...lists.map((set) => {
        const line = ends.map(({ field, singular, plural = singular }) =>
          field in set.fixed
            ? [singular, this.#value(definition, field, set.fixed)]
            : [plural, this.#members(definition, set)],
        );
        return Object.fromEntries(line);
      }),
    ];
  }

  #ofKind({ kind }: ResourceDefinition): readonly WritableEntry[] {
    return this.desired.entries.filter((entry) => entry.kind === kind);
  }

  #fields(definition: ResourceDefinition, entry: WritableEntry): object {
    const { id, inputs, secrets, protect, allowDuplicate } = entry;
    const written: Record<string, unknown> = {};
    if (id !== undefined) written.id = id;
    for (const [key, field, name] of carriedFields(definition)) {
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

  /** The other ends of the links around an entry, when a set says that they are all of them. */
  #owned(linkKind: string, { address }: WritableEntry): readonly unknown[] | undefined {
    const set = this.desired.sets.find(
      ({ kind, fixed }) =>
        kind === linkKind && Object.values(fixed).some((end) => isReference(end) && end.address === address),
    );
    const definition = this.kinds.find((one) => one.kind === linkKind);
    return set && definition && this.#members(definition, set);
  }

  #members(definition: ResourceDefinition, { fixed }: WritableSet): readonly unknown[] {
    const field = definition.pair.find((name) => !(name in fixed)) ?? '';
    const members = this.#ofKind(definition).filter(({ inputs }) => matches(inputs, fixed));
    return members.map(({ inputs }) => this.#value(definition, field, inputs));
  }

  /** A value as it is written: a name for an address, an alias for an id. */
  #value({ fields }: ResourceDefinition, field: string, { [field]: value }: DesiredValues): unknown {
    if (isReference(value)) return nameInAddress(value.address);
    if (externalKind(fields[field]?.refersTo ?? '') === undefined) return value;
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
