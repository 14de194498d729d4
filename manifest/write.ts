/** Writes a manifest as YAML that reads back as what was given. */
import { Document, isMap, isSeq } from 'yaml';
import { isReference, type ResourceDefinition } from '../resources/kind';
import { externalKinds } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';

/** An entry of a map, or a single link. A list field that is an exact set stands in `inputs`. */
export type WritableEntry = Pick<DesiredEntry, 'kind' | 'address' | 'inputs'> &
  Partial<Pick<DesiredEntry, 'secrets' | 'id'>>;

export interface WritableManifest extends Pick<Manifests, 'organization'> {
  /** Left out where it is `default`. */
  readonly profileName: string;
  /** Every id that has an alias here is written as that alias. */
  readonly aliases: Partial<Manifests['aliases']>;
  readonly entries: readonly WritableEntry[];
}

/** Sorts entries by address, and writes each link on one line. */
export function writeManifest(manifest: WritableManifest): string {
  const { organization, profileName, aliases } = manifest;
  const used = Object.entries(aliases).filter(([, ids]) => Object.keys(ids).length > 0);
  const entries = [...manifest.entries].sort((one, other) => (one.address < other.address ? -1 : 1));
  const sections = registry.flatMap((definition) => {
    const { name, form } = definition.section;
    const own = entries.filter(({ kind }) => kind === definition.kind);
    const fields = own.map((entry) => fieldsOf(definition, entry, manifest));
    if (own.length === 0) return [];
    const named = own.map(({ address }, index) => [nameInAddress(address), fields[index]] as const);
    return [[name, form === 'map' ? Object.fromEntries(named) : fields] as const];
  });
  const value = {
    apiVersion,
    ...(profileName !== 'default' && { profile: profileName }),
    organization,
    ...(used.length > 0 && { aliases: Object.fromEntries(used) }),
    ...Object.fromEntries(sections),
  };
  // Readers of YAML 1.1 take more strings for something else: `no`, `2024-01-01`, `1_000`.
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  for (const { section } of registry) {
    const list: unknown = section.form === 'links' ? document.get(section.name) : undefined;
    for (const line of isSeq(list) ? list.items : []) if (isMap(line)) line.flow = true;
  }
  return document.toString({ lineWidth: 0 });
}

/** The fields as they are written: the key of an entry for its address, an alias for an id. */
function fieldsOf(
  definition: ResourceDefinition,
  { id, inputs, secrets = {} }: WritableEntry,
  { aliases }: WritableManifest,
) {
  const fields = carriedFields(definition).map(({ written, name, field: { refersTo = '' } }) => {
    const value = inputs[name] ?? secrets[name];
    if (isReference(inputs[name])) return [written, nameInAddress(inputs[name].address)];
    const section = externalKinds[refersTo]?.aliases;
    const known = Object.entries((section && aliases[section]) ?? {});
    const shown = (one: unknown) => known.find(([, aliased]) => aliased === one)?.[0] ?? one;
    return [written, Array.isArray(value) ? value.map(shown) : shown(value)];
  });
  return Object.fromEntries([['id', id], ...fields].filter(([, value]) => value !== undefined));
}
