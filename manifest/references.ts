/** Says what a reference stands for: an alias, an id, a name of the service, or an address. */
import { definitionOf, type Reference } from '../resources/kind';
import {
  addressOf,
  externalKinds,
  isId,
  kindOfId,
  nameOrId,
  nameProblem,
  suggestion,
  withArticle,
} from '../resources/names';
import { nameInAddress } from './desired';
import type { Scope } from './names';
import type { Node, Spot } from './node';

/** What a string refers to. */
export interface Target {
  readonly value: string | Reference;
  /** Its part of an address: an alias, a name or an id; the key of an entry. */
  readonly shown: string;
  readonly spot: Spot;
}

/** Undefined after an error. */
export function resolveName(scope: Scope, refersTo: string, text: string, spot: Spot): Target | undefined {
  const external = externalKinds[refersTo];
  if (external === undefined) return resolveAddress(scope, refersTo, text, spot);
  const { aliases: section, prefix, noun } = external;
  const known = scope.aliases[section];
  const alias = known.get(text);
  const id = isId(text, prefix) ? text : alias?.id;
  if (id !== undefined) return targetOfId(scope, id, text, spot);
  // The id of this alias is wrong, which was reported.
  if (alias !== undefined) return undefined;
  const wanted = `${withArticle(noun)} (\`${prefix}-…\`, or an alias)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  if (scope.profile?.capabilities.lookupByName) return resolveExactName(scope, refersTo, text, spot);
  const other = Object.values(externalKinds).find((one) => scope.aliases[one.aliases].get(text)?.id);
  if (other !== undefined) {
    const message = `\`${text}\` is an alias of ${withArticle(other.noun)}; ${wanted} belongs here`;
    return spot.error('unknown-alias', message);
  }
  const near = suggestion(text, soundNames(scope, known.keys()), 'the aliases');
  const hint = known.size === 0 ? '. Add it, or pass the file that declares it' : near;
  return spot.error('unknown-alias', `alias \`${text}\` is not declared under \`aliases.${section}\`${hint}`);
}

/** Reads `{ id: ws-1 }` or `{ name: app }`. Undefined after an error. */
export function readExact(scope: Scope, refersTo: string, node: Node): Target | undefined {
  const [[form, content] = [], ...more] = node.members ?? [];
  if (content === undefined || more.length > 0) {
    const message = `\`${node.path}\` takes one of \`{ id: … }\` and \`{ name: … }\``;
    return node.error('exact-name', message);
  }
  const text = form === 'id' ? content.id(refersTo, scope.kinds) : content.text();
  if (text === undefined) return undefined;
  if (form === 'id') return targetOfId(scope, text, text, content);
  return form === 'name' ? resolveExactName(scope, refersTo, text, content) : undefined;
}

/** `text` is the alias, the name, or the id itself. */
function targetOfId({ written }: Scope, id: string, text: string, spot: Spot): Target {
  let first = written.get(id);
  if (first === undefined) {
    first = { id, as: text === id ? id : nameOrId(text, id), at: spot.at };
    written.set(id, first);
  }
  // All links share these strings, as there may be a hundred thousand.
  return { value: first.id, shown: first.as, spot };
}

/** What has this name in the service, whatever aliases there are. */
function resolveExactName(scope: Scope, kind: string, name: string, spot: Spot): Target | undefined {
  const { lookups, names, profile } = scope;
  if (name === '') return spot.error('empty-value', `\`${spot.path}\` is empty: give a name or an id`);
  if (profile !== null && !profile.capabilities.lookupByName) {
    const message = `profile \`${profile.name}\` cannot look up names: use an id, or an alias declared under \`aliases\``;
    return spot.error('no-lookup', message);
  }
  const address = `${kind}/${name}`;
  const lookup = lookups?.get(address) ?? { why: 'it was not looked up' };
  if (!names.has(address)) names.set(address, { at: spot.at, ...('why' in lookup && { why: lookup.why }) });
  if ('id' in lookup) return targetOfId(scope, lookup.id, name, spot);
  return { value: { address }, shown: nameOrId(name, `{ name: ${name} }`), spot };
}

function resolveAddress(scope: Scope, kind: string, text: string, spot: Spot): Target | undefined {
  const { section, idPrefix = '' } = definitionOf(kind, scope.kinds);
  const start = addressOf({ kind }, '');
  const address = scope.adopted.get(text)?.address ?? (text.includes('/') ? text : start + text);
  if (scope.addresses.has(address)) return { value: { address }, shown: nameInAddress(address), spot };
  if (isId(text, idPrefix)) return { value: text, shown: text, spot };
  const wanted = `an address (\`${start}NAME\`) or an id (\`${idPrefix}-…\`)`;
  if (isOtherId(scope, text, spot, wanted)) return undefined;
  const names = [...scope.addresses.keys()].filter((one) => one.startsWith(start)).map(nameInAddress);
  const noun = `${section.name} of these manifests`;
  const near = suggestion(nameInAddress(text), soundNames(scope, names), noun);
  return spot.error('dangling-address', `no manifest declares \`${text}\`${near}`);
}

function isOtherId({ kinds }: Scope, text: string, spot: Spot, wanted: string): boolean {
  const looks = kindOfId(text, kinds);
  if (looks) spot.error('wrong-id-kind', `\`${text}\` is the id of ${looks}; ${wanted} belongs here`);
  return looks !== undefined;
}

/** Names that were refused are not suggested. */
function soundNames({ kinds }: Scope, names: Iterable<string>): string[] {
  return [...names].filter((name) => nameProblem(name, kinds) === undefined);
}

/** An id, or the address of an entry or a name. */
export function textOfTarget({ value }: Target): string {
  return typeof value === 'string' ? value : value.address;
}
