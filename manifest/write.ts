/** Writes a manifest as YAML that is read back as the same manifest. */
import { Document, Scalar, visit } from 'yaml';
import { escapedInString, inert, plainLines } from '../client/text';
import type { FieldValues, ResourceDefinition } from '../resources/kind';
import { describeIdKind, externalKinds } from '../resources/names';
import { registry } from '../resources/registry';
import { type DesiredEntry, type Manifests, nameInAddress } from './desired';
import { apiVersion, carriedFields } from './schema';
import { foreignComment } from './yaml';

/** A client or a trigger. A list field that is an exact set stands in `inputs`. */
export interface WritableEntry extends Pick<DesiredEntry, 'kind' | 'address' | 'id'> {
  readonly inputs: FieldValues;
}

export interface WritableManifest extends Pick<Manifests, 'organization'> {
  readonly profileName: string;
  /** The comment at the top of the file. */
  readonly comment: string;
  /** The names of ids. A name that looks like an id is not used. */
  readonly namesById: ReadonlyMap<unknown, string>;
  readonly entries: readonly WritableEntry[];
}

/** Sorts links by their ends, and writes each on one line. */
export function writeManifest(manifest: WritableManifest): string {
  const { organization, profileName: profile, comment, entries } = manifest;
  // Readers of YAML 1.1 misread more strings, such as `no`, `2024-01-01` and `1_000`.
  const document = new Document({}, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  const sections = registry.map((definition) => {
    const ofKind = entries.filter(({ kind }) => kind === definition.kind);
    const { name, form } = definition.section;
    if (ofKind.length === 0) return [name, undefined];
    const render = (entry: WritableEntry) => renderFields(definition, entry, manifest);
    if (form === 'map') {
      const members = ofKind.map((entry) => [nameInAddress(entry.address), render(entry)]);
      return [name, Object.fromEntries(members)];
    }
    const links = ofKind.map(render).sort(byEnds);
    return [name, links.map((link) => document.createNode(link, { flow: true }))];
  });
  const value = { apiVersion, profile, organization, ...Object.fromEntries(sections) };
  document.contents = document.createNode(value);
  // It may hold text of the service, and a YAML comment has no escapes.
  document.commentBefore = plainLines(comment).replace(/^/gm, ' ');
  visit(document, {
    Scalar: (_, node) => {
      const { value: text } = node;
      if (typeof text !== 'string') return;
      if (inert(text) !== text || foreignComment.test(text)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return inert(document.toString({ lineWidth: 0 }), escapedInString);
}

function byEnds(left: object, right: object): number {
  return Object.values(left).join('\n') < Object.values(right).join('\n') ? -1 : 1;
}

/** Returns the fields with aliases or names in place of ids. */
function renderFields(definition: ResourceDefinition, entry: WritableEntry, { namesById }: WritableManifest) {
  const { id, inputs } = entry;
  const toName = (end: unknown) => {
    const name = namesById.get(end);
    return name === undefined || describeIdKind(name) !== undefined ? end : name;
  };
  const fields = carriedFields(definition).map(({ keyInManifest, name, field: { refersTo = '' } }) => {
    const value = inputs[name];
    if (!(refersTo in externalKinds)) return [keyInManifest, value];
    return [keyInManifest, Array.isArray(value) ? value.map(toName) : toName(value)];
  });
  return Object.fromEntries([['id', id], ...fields].filter(([, value]) => value !== undefined));
}
