/** What names mean in a folder: aliases, addresses and the ids that entries claim. */
import { externalKind, externalKinds, type Position, type Reference } from '../resources/kind';
import { addressOf, isId, kindOfId, suggestion, withArticle } from '../resources/names';
import type { Profile } from '../resources/profile';
import type { Registry } from '../resources/registry';

import type { Findings, Spot } from './findings';

/** The members of a manifest's `aliases`. */
export type AliasSection = 'workspaces' | 'projects' | 'agentPools';

/** An alias, where it was first defined. */
export interface Alias {
  readonly id: string;
  readonly at: Position;
}

export interface Scope {
  /** Empty while no file says which. */
  readonly organization: string;
  /** Null when it cannot be read, which is an error of its own. */
  readonly profile: Profile | null;
  readonly kinds: Registry;
  readonly aliases: Readonly<Record<AliasSection, ReadonlyMap<string, Alias>>>;
  /** `workspaces app`: aliases that were told to be wrong where they stand. */
  readonly wrongAliases: ReadonlySet<string>;
  /** Id → its alias, for showing. */
  readonly aliasOf: ReadonlyMap<string, string>;
  /** Addresses of all entries with an id of their own. */
  readonly addresses: ReadonlyMap<string, Position>;
  /** Id → address of the entry that says `id:`. */
  readonly claims: ReadonlyMap<string, string>;
}

/** What a text refers to. */
export interface Target {
  readonly value: string | Reference;
  /** The part it has in an address: an alias where one exists, else an id; the key of an entry. */
  readonly shown: string;
}

/** Resolves an alias, an id or an address to what it stands for; undefined and an error, told once, when it stands for nothing. */
export function resolve(
  scope: Scope,
  findings: Findings,
  refersTo: string,
  text: string,
  spot: Spot,
): Target | undefined {
  const external = externalKind(refersTo);
  if (external === undefined) return resolveAddress(scope, findings, refersTo, text, spot);
  if (isId(text, external.prefix)) return { value: text, shown: scope.aliasOf.get(text) ?? text };
  const named = scope.aliases[external.aliases];
  const alias = named.get(text);
  if (alias !== undefined) return { value: alias.id, shown: scope.aliasOf.get(alias.id) ?? text };
  if (scope.wrongAliases.has(`${external.aliases} ${text}`)) return undefined;
  const wanted = `${withArticle(external.noun)} (\`${external.prefix}-…\`, or an alias)`;
  if (refuseOtherId(scope, findings, text, spot, wanted)) return undefined;
  const other = Object.values(externalKinds).find((one) => scope.aliases[one.aliases].has(text));
  const message =
    other === undefined
      ? `alias \`${text}\` is not declared under \`aliases.${external.aliases}\`${suggestion(text, [...named.keys()], 'the aliases')}`
      : `\`${text}\` is an alias of ${withArticle(other.noun)}; ${wanted} belongs here`;
  findings.error('unknown-alias', spot, message);
  return undefined;
}

function resolveAddress(
  scope: Scope,
  findings: Findings,
  kind: string,
  text: string,
  spot: Spot,
): Target | undefined {
  const definition = scope.kinds.find((one) => one.kind === kind);
  if (definition === undefined) return { value: text, shown: text };
  const prefix = definition.idPrefix ?? '';
  const address = scope.claims.get(text) ?? localAddress(text, addressOf(definition, ''));
  if (scope.addresses.has(address)) return { value: { address }, shown: address.slice(kind.length + 1) };
  if (prefix !== '' && isId(text, prefix)) return { value: text, shown: text };
  const wanted = `an address (\`${definition.kind}/NAME\`) or an id (\`${prefix}-…\`)`;
  if (refuseOtherId(scope, findings, text, spot, wanted)) return undefined;
  const names = [...scope.addresses.keys()]
    .filter((one) => one.startsWith(`${kind}/`))
    .map((one) => one.slice(kind.length + 1));
  const near = suggestion(
    text.slice(text.lastIndexOf('/') + 1),
    names,
    `${definition.section.name} of these manifests`,
  );
  findings.error('dangling-address', spot, `no manifest has \`${text}\`${near}`);
  return undefined;
}

/** `github` → `OAuthClient/github`; a full address stays. */
function localAddress(text: string, start: string): string {
  return text.includes('/') ? text : `${start}${text}`;
}

function refuseOtherId(scope: Scope, findings: Findings, text: string, spot: Spot, wanted: string): boolean {
  const looks = kindOfId(text, scope.kinds);
  if (looks === undefined) return false;
  findings.error('wrong-id-kind', spot, `\`${text}\` is the id of ${looks}; ${wanted} belongs here`);
  return true;
}
