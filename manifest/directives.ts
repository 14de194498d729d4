/** Reads the directives `forget` and `approved`. */
import { isReference } from '../resources/kind';
import { isId, suggestion, toAddress } from '../resources/names';
import { oauthClient } from '../resources/oauth-client';
import { registry } from '../resources/registry';
import { type Approval, nameInAddress } from './desired';
import type { Node } from './node';
import { approvedActions } from './schema';
import type { Scope } from './scope';

/** `linkNodes` has the declared links by address. */
export function readDirectives(scope: Scope, linkNodes: ReadonlyMap<string, Node>) {
  const readLines = (section: 'forget' | 'approved') =>
    scope.base.roots.flatMap((root) => root.get(section)?.items ?? []);
  const forget = readLines('forget').flatMap((line) => {
    const address = readAddress(scope, line);
    if (address === undefined) return [];
    const declaration = scope.entries.get(address)?.node.key ?? linkNodes.get(address);
    if (declaration) line.errorBeside(declaration, 'forget-live', `${address} is still declared`);
    return [{ address, text: String(line.value), at: line.at }];
  });
  const approved = readLines('approved').flatMap((line) => readApproval(scope, line) ?? []);
  return { forget, approved };
}

function readApproval(scope: Scope, line: Node): Approval | undefined {
  const action = approvedActions.find((verb) => line.get(verb)) ?? 'destroy';
  const node = line.get(action);
  // Nothing else ever needs an approval.
  const address = node && readAddress(scope, node, [oauthClient]);
  const id = line.get('id')?.id(oauthClient.kind);
  return address && id ? { action, address, id, at: line.at } : undefined;
}

/** Reads an address, which need not be declared. */
function readAddress(scope: Scope, node: Node, definitions = registry): string | undefined {
  const text = node.text();
  if (text === undefined) return undefined;
  const wrong = (message: string) =>
    node.error('bad-address', `\`${text}\` is not a valid address: ${message}`);
  const [kind = '', ...parts] = text.split('/');
  const definition = definitions.find((candidate) => candidate.kind === kind);
  if (definition === undefined) {
    // An approval has the id beside the address.
    const isBareId = definitions === registry && isId(text, oauthClient.idPrefix ?? '');
    if (isBareId) return wrong(`write ${toAddress(oauthClient, text)}`);
    const kinds = definitions.map((candidate) => candidate.kind);
    return wrong(`\`${kind}\` is not a kind for this line${suggestion(kind, kinds, 'the kinds')}`);
  }
  const { form, ends } = definition.section;
  const shape = form === 'map' ? ['<name>'] : ends.map((end) => `<${end.singular}>`);
  if (parts.length !== shape.length || parts.includes('')) {
    return wrong(`write ${[kind, ...shape].join('/')}`);
  }
  if (form === 'map') return text;
  const names = ends.map(({ field }, index) => {
    return readEnd(scope, definition.fields[field]?.refersTo ?? '', parts[index] ?? '', node);
  });
  return names.includes(undefined) ? undefined : toAddress({ kind }, names.join('/'));
}

/** Reads one end of a link, and returns the form that addresses have. Returns undefined after an error. */
function readEnd(scope: Scope, refersTo: string, part: string, node: Node): string | undefined {
  const adopter = scope.adopted.get(part);
  if (adopter !== undefined) return nameInAddress(adopter.address);
  // The end is a managed object, which need not be declared.
  if (registry.some(({ kind }) => kind === refersTo)) return part;
  const { value, addressPart } = scope.resolve(refersTo, part, node) ?? {};
  const lookup = isReference(value) ? scope.base.lookups?.names.get(value.address) : undefined;
  if (lookup?.why === undefined) return addressPart;
  // A `forget` line with an unknown name would not keep its object from being deleted.
  return node.error('unknown-name', `\`${part}\` must be known here (or write its id): ${lookup.why}`);
}
