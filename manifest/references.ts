/** Resolves references to ids or addresses. */
import { type FieldValue, isReference, type Reference } from '../resources/kind';
import { externalKinds, isId, suggestion, toAddress, visible } from '../resources/names';
import { findDefinition } from '../resources/registry';
import { idViolation } from '../resources/violations';
import { nameInAddress } from './desired';
import type { Scope } from './names';
import type { Node } from './node';

/** The object that a reference means. */
export interface Target {
  /** Its id. An entry has an address, and an unknown name the key of its name. */
  readonly value: string | Reference;
  /** Its alias or name in an address, else its id. */
  readonly addressPart: string;
  readonly node: Node;
}

/** Returns the address of an entry or a name in place of a reference. */
export function plainValue(value: FieldValue | Reference): FieldValue {
  return isReference(value) ? value.address : value;
}

/** Returns undefined after an error. */
export function resolveName(scope: Scope, refersTo: string, text: string, node: Node) {
  const violation = idViolation(refersTo, text);
  if (violation?.rule === 'wrong-id-kind') return node.reportViolation(violation, text);
  const aliases = scope.aliases.get(refersTo);
  // Only kinds that Tether does not manage have aliases.
  if (aliases === undefined) return resolveAddress(scope, refersTo, text, node);
  const alias = aliases.get(text);
  const id = violation === undefined ? text : alias?.value;
  if (typeof id === 'string') return toTarget(scope, id, text, node);
  // The alias itself was reported.
  if (alias !== undefined) return undefined;
  const { capabilities } = scope.base.profile;
  if (capabilities.lookupByName) return lookUpName(scope, refersTo, text, node);
  const near = suggestion(text, aliases.keys(), 'the aliases');
  const hint = aliases.size === 0 ? '. Add it, or set a profile that can look up names' : near;
  const section = externalKinds[refersTo]?.aliases;
  const message = `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`;
  return node.error('unknown-alias', message);
}

/** Returns undefined after an error. */
export function readReference(scope: Scope, refersTo: string, node: Node): Target | undefined {
  const text = node.text();
  return text === undefined ? undefined : resolveName(scope, refersTo, text, node);
}

/** `text` is the reference as the manifest writes it. It becomes the name of an id that has none. */
function toTarget({ namesById }: Scope, id: string, text: string, node: Node): Target {
  let namedId = namesById.get(id);
  if (namedId === undefined) {
    // An address has no name with a slash.
    namedId = { id, name: text.includes('/') ? id : text };
    namesById.set(id, namedId);
  }
  // A hundred thousand links share these strings.
  return { value: namedId.id, addressPart: namedId.name, node };
}

/** Finds the answer of the service, and notes in the scope that this name is used. */
function lookUpName(scope: Scope, kind: string, name: string, node: Node): Target | undefined {
  if (name === '') {
    return node.error('empty-value', `\`${node.path}\` is empty: give a name or an id`);
  }
  if (name.trim() !== name) {
    const message = `the name ${visible(name)} begins or ends with a blank: remove it, or write the id`;
    return node.error('blank-end', message);
  }
  const address = `${kind}/${name}`;
  const lookup = scope.base.lookups?.names.get(address) ?? { why: 'it was not looked up' };
  if (!scope.nameReferences.has(address)) scope.nameReferences.set(address, { at: node.at, ...lookup });
  if (lookup.id !== undefined) return toTarget(scope, lookup.id, name, node);
  return { value: { address }, addressPart: name, node };
}

function resolveAddress(scope: Scope, kind: string, text: string, node: Node): Target | undefined {
  const { section, idPrefix = '' } = findDefinition(kind);
  const start = toAddress({ kind }, '');
  const full = text.includes('/') ? text : start + text;
  const address = scope.adopted.get(text)?.address ?? full;
  if (scope.entries.has(address)) return { value: { address }, addressPart: nameInAddress(address), node };
  if (isId(text, idPrefix)) return { value: text, addressPart: text, node };
  const addresses = [...scope.entries.keys()].filter((entry) => entry.startsWith(start));
  const noun = `${section.name} of these manifests`;
  const near = suggestion(nameInAddress(text), addresses.map(nameInAddress), noun);
  return node.error('dangling-address', `no manifest declares \`${text}\`${near}`);
}
