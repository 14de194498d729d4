/** Reads the directives `forget` and `approved`. */
import { isReference } from '../resources/kind';
import { isId, suggestion, toAddress } from '../resources/names';
import { oauthClient } from '../resources/oauth-client';
import { registry } from '../resources/registry';
import { type Approval, nameInAddress } from './desired';
import type { Link } from './links';
import type { Scope } from './names';
import type { Node } from './node';
import { resolveName } from './references';
import { approvedActions } from './schema';

export function readDirectives(scope: Scope, links: readonly Link[]) {
  const linesOf = (section: 'forget' | 'approved') =>
    scope.base.roots.flatMap((root) => root.get(section)?.items ?? []);
  const spots = new Map(links.map(({ entry, spot }) => [entry.address, spot]));
  const forget = linesOf('forget').flatMap((line) => {
    const address = readAddress(scope, line);
    if (address === undefined) return [];
    const declared = scope.entries.get(address)?.node.key ?? spots.get(address);
    if (declared) line.errorBeside(declared, 'forget-live', `${address} is still declared`);
    return [{ address, at: line.at }];
  });
  const approved = linesOf('approved').flatMap((line) => readApproval(scope, line) ?? []);
  return { forget, approved };
}

function readApproval(scope: Scope, line: Node): Approval | undefined {
  const action = approvedActions.find((one) => line.get(one)) ?? 'destroy';
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
  const definition = definitions.find((one) => one.kind === kind);
  if (definition === undefined) {
    // An approval has the id beside the address.
    const isBareId = definitions === registry && isId(text, oauthClient.idPrefix ?? '');
    if (isBareId) return wrong(`write ${toAddress(oauthClient, text)}`);
    const known = definitions.map((one) => one.kind);
    return wrong(`\`${kind}\` is not a kind for this line${suggestion(kind, known, 'the kinds')}`);
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

/** Reads one end of a link. Returns its alias or name if it has one. */
function readEnd(scope: Scope, refersTo: string, part: string, node: Node): string | undefined {
  const { lookups } = scope.base;
  const declared = scope.adopted.get(part);
  if (declared !== undefined) return nameInAddress(declared.address);
  if (registry.some(({ kind }) => kind === refersTo)) return part;
  const { value, shown } = resolveName(scope, refersTo, part, node) ?? {};
  const lookup = isReference(value) ? lookups?.names.get(value.address) : undefined;
  // This line decides what stays, so it takes no guess from a name.
  if (lookup === undefined || !('why' in lookup)) return shown;
  return node.error('unknown-name', `\`${part}\` must be known here (or write its id): ${lookup.why}`);
}
