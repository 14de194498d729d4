/** Lines → YAML: a manifest that reads back as what was given. */
import { DUMP_SCHEMA, dump } from 'js-yaml';
import { plainLines } from '../client/text';
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
  const parts = [
    commented(comment),
    '',
    lines({
      apiVersion,
      ...(profileName !== null && { profile: profileName }),
      organization,
      ...(Object.keys(workspaces).length > 0 && { aliases: { workspaces } }),
    }),
  ];
  for (const definition of registry) {
    const { name, form } = definition.section;
    const written = entries
      .filter(({ kind }) => kind === definition.kind)
      .map((entry) => {
        const fields = fieldsOf(definition, entry, manifest);
        if (form === 'links') return lines([fields], 1);
        const [key = '', ...others] = lines({ [nameInAddress(entry.address)]: fields }).split('\n');
        const above = entry.comment === undefined ? [] : [indented(commented(entry.comment))];
        return [key, ...above, ...others].join('\n');
      });
    if (written.length > 0) parts.push(`${name}:`, ...written.map(indented));
  }
  return `${parts.join('\n')}\n`;
}

/** Quoted is also what a reader of YAML 1.1 takes for something else than text: `no`, `2024-01-01`, `1_000`. */
function lines(value: unknown, flowLevel = -1): string {
  const style = { quoteStyle: 'double', flowBracketPadding: true, lineWidth: -1, noRefs: true } as const;
  return dump(value, { ...style, flowLevel, schema: DUMP_SCHEMA }).replace(/\n$/, '');
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

/** Words of the service may be in it, and a comment has no escapes. */
function commented(text: string): string {
  return plainLines(text).replace(/^/gm, '# ');
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
