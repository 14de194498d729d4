/** Entries and their fields, which lines of links share: values, references, secrets, sets. */
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import {
  type Field,
  type FieldValue,
  type FieldValues,
  isReference,
  type Position,
  type Reference,
  type ResourceDefinition,
  type SecretSource,
} from '../resources/kind';
import { environmentPattern, nearest, suggestion } from '../resources/names';
import { stringViolation, violationsAcross } from '../resources/violations';
import type { DesiredEntry } from './desired';
import type { Spot } from './issues';
import { type EntryNode, resolveName, type Scope, type Target, textOfTarget } from './names';
import { carriedFields } from './schema';
import { hide, type Node, readId, readText } from './yaml';

/** What a string refers to, with its place. */
export type Member = Target & Spot;

/** A list field that stands for links, of which it allows exactly these. */
export interface OwnedSet {
  readonly entry: DesiredEntry;
  readonly linkKind: string;
  readonly members: readonly Member[];
  /** The field's key. */
  readonly key: Spot;
}

/** Reads one entry and its sets; undefined when it is no map at all. What is wrong in it is left out, which was told. */
export function readEntry(
  scope: Scope,
  { definition, address, node }: EntryNode,
): { readonly entry: DesiredEntry; readonly sets: readonly OwnedSet[] } | undefined {
  const { members } = node;
  if (members === undefined) return undefined;
  const { inputs, secrets, fieldsAt, sets } = readFields(scope, definition, members);
  const id = readId(scope.issues, scope.kinds, definition.kind, members.get('id'));
  const protect = members.get('protect')?.value;
  const entry: DesiredEntry = {
    kind: definition.kind,
    address,
    file: node.source.origin.file,
    at: node.key.at,
    fieldsAt,
    inputs,
    secrets,
    ...(id && { id: id.value, idAt: id.at }),
    protect: typeof protect === 'boolean' ? protect : null,
    allowDuplicate: members.get('allowDuplicate')?.value === true,
  };
  const writtenAs = new Map(carriedFields(definition).map(([written, , name]) => [name, written]));
  checkAcross(scope, definition, entry, new Set(Object.keys(fieldsAt)), (field) => {
    return `${node.path}.${writtenAs.get(field) ?? field}`;
  });
  return { entry, sets: sets.map((set) => ({ ...set, entry })) };
}

/** Places what the rules across fields find. */
export function checkAcross(
  { profile, issues }: Scope,
  definition: ResourceDefinition,
  { inputs, fieldsAt, at }: DesiredEntry,
  given: ReadonlySet<string>,
  pathOf: (field: string) => string,
): void {
  if (profile === null) return;
  const values: FieldValues = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [name, isReference(value) ? value.address : value]),
  );
  for (const { rule, path, message } of violationsAcross(definition, values, given, profile)) {
    issues.error(rule, { at: fieldsAt[path] ?? at, path: pathOf(path) }, message);
  }
}

/**
 * The fields of an entry or a line, by code name; `targets` says what those with one string refer to. One that is wrong, which
 * was told, is in none but `fieldsAt`.
 */
export function readFields(scope: Scope, definition: ResourceDefinition, members: ReadonlyMap<string, Node>) {
  const inputs: Record<string, FieldValue | Reference> = {};
  const secrets: Record<string, SecretSource> = {};
  const fieldsAt: Record<string, Position> = {};
  const targets = new Map<string, Member>();
  const sets: Omit<OwnedSet, 'entry'>[] = [];
  for (const [name, { manifestName, refersTo }] of Object.entries(definition.fields)) {
    if (manifestName === null && refersTo === 'organization') inputs[name] = scope.organization;
  }
  for (const [written, field, name] of carriedFields(definition)) {
    const node = members.get(written);
    if (node === undefined) continue;
    fieldsAt[name] = node.at;
    if (field.writeOnly) {
      const source = readSecret(scope, node);
      if (source !== undefined) secrets[name] = source;
    } else if (field.type === 'set') {
      const list = readSet(scope, field, node);
      if (list === undefined) continue;
      if (field.exactSetOf === undefined) inputs[name] = list.map(textOfTarget);
      else sets.push({ linkKind: field.exactSetOf, members: list, key: node.key });
    } else if (field.type === 'boolean') {
      if (typeof node.value === 'boolean') inputs[name] = node.value;
    } else if (node.value === null) {
      if (field.nullable) inputs[name] = null;
    } else {
      const target = readTarget(scope, field, node);
      if (target === undefined) continue;
      inputs[name] = target.value;
      targets.set(name, target);
    }
  }
  return { inputs, secrets, fieldsAt, sets, targets };
}

/** The members of a list, each once; undefined when it is no list. A member that is wrong is left out, which was told. */
export function readSet(scope: Scope, field: Field, node: Node): readonly Member[] | undefined {
  if (node.items === undefined) return undefined;
  const members = new Map<string, Member>();
  for (const item of node.items) {
    const target = readTarget(scope, field, item);
    if (target === undefined) continue;
    const earlier = members.get(textOfTarget(target));
    if (earlier === undefined) members.set(textOfTarget(target), target);
    else {
      const message = `\`${target.shown}\` is listed twice in \`${node.path}\``;
      scope.issues.error('same-twice', item, message, earlier.at);
    }
  }
  return [...members.values()];
}

function readTarget(scope: Scope, field: Field, node: Node): Member | undefined {
  const { issues, profile } = scope;
  const text = readText(issues, node, field.format === 'text')?.value;
  if (text === undefined) return undefined;
  const spot = { at: node.at, path: node.path };
  if (field.refersTo !== undefined) {
    const target = resolveName(scope, field.refersTo, text, spot);
    return target && { ...target, ...spot };
  }
  const violation = stringViolation(field, text, profile);
  if (violation === undefined) return { value: text, shown: text, ...spot };
  if (violation.rule === 'literal-secret') hide(node);
  issues.violation(violation, text, spot);
  return undefined;
}

const sources = ['fromEnv', 'fromFile'];
const forms = '`{ fromEnv: NAME }` or `{ fromFile: path }`';

/**
 * The source that a secret names, without reading it; undefined after an error. A relative `fromFile` is beside the manifest in the
 * text, and relative to the root, with forward slashes, in the result. What is wrong may be the secret itself: no frame shows it.
 */
function readSecret({ issues, root, profile }: Scope, node: Node): SecretSource | undefined {
  const { members, path } = node;
  const wrong = (rule: string, spot: Spot, message: string, hidden?: Node) => {
    if (hidden !== undefined) hide(hidden);
    issues.error(rule, spot, message);
    return undefined;
  };
  if (node.value === null) {
    const message = `\`${path}\` is null, but a secret cannot be cleared: use ${forms}, or leave the line out`;
    return wrong('null-value', node, message);
  }
  if (members === undefined) {
    const message = `secrets must not be written in a manifest: use ${forms} for \`${path}\``;
    return wrong('literal-secret', node, message, node);
  }
  const strangers = [...members].filter(([name]) => !sources.includes(name));
  for (const [name, member] of strangers) {
    if (nearest(name, sources) === undefined) {
      const spot = { at: member.key.at, path };
      wrong('unknown-key', spot, `a key of \`${path}\` is unknown: use ${forms}`, node);
    } else {
      const message = `unknown key \`${name}\` in \`${path}\`${suggestion(name, sources, '')}`;
      wrong('unknown-key', member.key, message, member);
    }
  }
  if (strangers.length > 0) return undefined;
  const [[form, source] = [], ...more] = members;
  if (source === undefined || more.length > 0) {
    return wrong('secret-source', node, `\`${path}\` takes one source: ${forms}`);
  }
  const text = readText(issues, source)?.value;
  if (text === undefined) {
    hide(source);
    return undefined;
  }
  const empty = text === '' ? '; it is empty' : '';
  if (form === 'fromEnv') {
    // Whatever URL the entry names would get it.
    if (text === 'TETHER_TOKEN' || profile?.environment?.token?.includes(text)) {
      const message = `\`${source.path}\` names the token that Tether itself uses, which no entry may send elsewhere: use another variable`;
      return wrong('secret-source', source, message);
    }
    if (new RegExp(environmentPattern).test(text)) return { fromEnv: text };
    const message = `\`${source.path}\` must be the name of an environment variable: letters, digits and underscores${empty}`;
    return wrong('secret-source', source, message, source);
  }
  if (empty !== '') {
    return wrong('secret-source', source, `\`${source.path}\` must be the path of a file${empty}`, source);
  }
  const absolute = resolve(dirname(node.source.origin.absolute), text);
  return { fromFile: isAbsolute(text) ? text : relative(root, absolute).replaceAll('\\', '/') };
}
