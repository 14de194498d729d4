/** Lines → YAML: a manifest that reads back as what was given. */
import { Document } from 'yaml';
import { isReference, type ResourceDefinition } from '../resources/kind';
import { externalKinds } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';

/** A map entry or a single link. A field that is an exact set stands in `inputs`. */
export type WritableEntry = Pick<DesiredEntry, 'kind' | 'address' | 'inputs'> &
  Partial<Pick<DesiredEntry, 'secrets' | 'id'>> & {
    /** Of a map entry. */
    readonly comment?: string;
  };

export interface WritableManifest extends Pick<Manifests, 'organization'> {
  /** Null leaves it to other files. */
  readonly profileName: string | null;
  readonly comment: string;
  /** Aliases that are declared here. */
  readonly workspaces: Manifests['aliases']['workspaces'];
  /** By id, those of other files too. */
  readonly aliasOf: ReadonlyMap<unknown, string>;
  readonly entries: readonly WritableEntry[];
}

/** One manifest as YAML, ids by alias where one exists. */
export function writeManifest(manifest: WritableManifest): string {
  const { organization, profileName, comment, workspaces, entries } = manifest;
  // Quoted is also what a reader of YAML 1.1 takes for something else than text: `no`, `2024-01-01`, `1_000`.
  const document = new Document({}, { compat: 'yaml-1.1' });
  const put = (key: string, value: unknown) => document.set(key, document.createNode(value));
  document.commentBefore = commented(comment);
  put('apiVersion', apiVersion);
  if (profileName !== null) put('profile', profileName);
  put('organization', organization);
  if (Object.keys(workspaces).length > 0) put('aliases', { workspaces });
  for (const definition of registry) {
    const { name, form } = definition.section;
    const lines = entries.filter(({ kind }) => kind === definition.kind);
    const nodes = lines.map((entry) => {
      const node = document.createNode(fieldsOf(definition, entry, manifest), { flow: form === 'links' });
      if (entry.comment !== undefined) node.commentBefore = commented(entry.comment);
      return [nameInAddress(entry.address), node] as const;
    });
    if (nodes.length > 0)
      put(name, form === 'map' ? Object.fromEntries(nodes) : nodes.map(([, node]) => node));
  }
  return document.toString({ lineWidth: 0 });
}

/** The text after the `#` of each line. */
function commented(text: string): string {
  return text.replace(/^/gm, ' ');
}

/** As they are written: a name for an address, an alias for an id. */
function fieldsOf(
  definition: ResourceDefinition,
  { id, inputs, secrets = {} }: WritableEntry,
  { aliasOf }: WritableManifest,
) {
  const fields = carriedFields(definition).map(({ written, name, field: { refersTo = '' } }) => {
    const value = inputs[name] ?? secrets[name];
    const shown = (one: unknown) => (refersTo in externalKinds ? (aliasOf.get(one) ?? one) : one);
    if (isReference(inputs[name])) return [written, nameInAddress(inputs[name].address)];
    return [written, Array.isArray(value) ? value.map(shown) : shown(value)];
  });
  return Object.fromEntries([['id', id], ...fields].filter(([, value]) => value !== undefined));
}
