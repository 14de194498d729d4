/** Resolves references to ids or addresses. */
import { type FieldValue, isReference, type Reference } from '../resources/kind';
import { externalKinds, isId, suggestion, toAddress, visible } from '../resources/names';
import { findDefinition } from '../resources/registry';
import { idViolation } from '../resources/violations';
import { nameInAddress } from './desired';
import type { Scope } from './names';
import type { Node } from './node';

export interface Target {
  readonly value: string | Reference;
  /** The form that addresses use. */
  readonly shown: string;
  readonly spot: Node;
}

/** Returns the address of an entry or a name in place of a reference. */
export function plainValue(value: FieldValue | Reference): FieldValue {
  return isReference(value) ? value.address : value;
}

/** Returns undefined after an error. */
export function resolveName(scope: Scope, refersTo: string, text: string, spot: Node) {
  const violation = idViolation(refersTo, text);
  if (violation?.rule === 'wrong-id-kind') return spot.reportViolation(violation, text);
  const known = scope.aliases.get(refersTo);
  if (known === undefined) return resolveAddress(scope, refersTo, text, spot);
  const alias = known.get(text);
  const id = violation === undefined ? text : alias?.value;
  if (typeof id === 'string') return targetOfId(scope, id, text, spot);
  // The alias itself was reported.
  if (alias !== undefined) return undefined;
  const { capabilities } = scope.base.profile;
  if (capabilities.lookupByName) return lookUpName(scope, refersTo, text, spot);
  const near = suggestion(text, known.keys(), 'the aliases');
  const hint = known.size === 0 ? '. Add it, or set a profile that can look up names' : near;
  const section = externalKinds[refersTo]?.aliases;
  const message = `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`;
  return spot.error('unknown-alias', message);
}

/** Returns undefined after an error. */
export function readReference(scope: Scope, refersTo: string, node: Node): Target | undefined {
  const text = node.text();
  return text === undefined ? undefined : resolveName(scope, refersTo, text, node);
}

/** `text` is the reference as the manifest writes it. */
function targetOfId({ written }: Scope, id: string, text: string, spot: Node): Target {
  let first = written.get(id);
  if (first === undefined) {
    // An address has no name with a slash.
    first = { id, as: text.includes('/') ? id : text };
    written.set(id, first);
  }
  // A hundred thousand links share these strings.
  return { value: first.id, shown: first.as, spot };
}

function lookUpName(scope: Scope, kind: string, name: string, spot: Node): Target | undefined {
  if (name === '') {
    return spot.error('empty-value', `\`${spot.path}\` is empty: give a name or an id`);
  }
  if (name.trim() !== name) {
    const message = `the name ${visible(name)} begins or ends with a blank: remove it, or write the id`;
    return spot.error('blank-end', message);
  }
  const address = `${kind}/${name}`;
  const lookup = scope.base.lookups?.names.get(address) ?? { why: 'it was not looked up' };
  if (!scope.names.has(address)) scope.names.set(address, { at: spot.at, ...lookup });
  if ('id' in lookup) return targetOfId(scope, lookup.id, name, spot);
  return { value: { address }, shown: name, spot };
}

function resolveAddress(scope: Scope, kind: string, text: string, spot: Node) {
  const { section, idPrefix = '' } = findDefinition(kind);
  const start = toAddress({ kind }, '');
  const full = text.includes('/') ? text : start + text;
  const address = scope.adopted.get(text)?.address ?? full;
  const shown = nameInAddress(address);
  if (scope.entries.has(address)) return { value: { address }, shown, spot };
  if (isId(text, idPrefix)) return { value: text, shown: text, spot };
  const declared = [...scope.entries.keys()].filter((one) => one.startsWith(start));
  const noun = `${section.name} of these manifests`;
  const near = suggestion(nameInAddress(text), declared.map(nameInAddress), noun);
  return spot.error('dangling-address', `no manifest declares \`${text}\`${near}`);
}
