/** What names, ids, addresses and the temporary names of unfinished creates look like, and which right name a wrong one is near to. */
import { createHash } from 'node:crypto';
import { distance } from 'fastest-levenshtein';
import type { Registry, ResourceDefinition } from './kind';

/** Aliases and keys of addresses. */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
/** Organizations: what the path of the API can carry and an address can name. */
export const organizationPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]*$';
/** Names of environment variables. */
export const environmentPattern = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Control characters, line separators, what turns the direction of text around, and halves of characters. */
const invisible = /[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;
const invisibleButLines = /(?![\n\r\t])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u;

/** The first character that a text of this format may not hold, as `U+0007`; undefined when there is none. */
export function badCharacter(text: string, manyLines: boolean): string | undefined {
  const found = (manyLines ? invisibleButLines : invisible).exec(text)?.[0];
  if (found === undefined) return undefined;
  return `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** What is wrong with the name of an alias or an address; undefined when nothing is. */
export function nameProblem(name: string, kinds: Registry): string | undefined {
  if (name === '__proto__' || name in Object.prototype) return 'is a reserved word: choose another name';
  if (!new RegExp(namePattern).test(name)) {
    return 'is not a name: use letters, digits, dots, dashes and underscores, and begin with a letter or digit';
  }
  const looks = kindOfId(name, kinds);
  if (looks !== undefined) return `looks like the id of ${looks}: choose another name`;
  return undefined;
}

/** Which kind of thing an id belongs to, by its prefix, with its article; undefined when it has the form of no id. */
export function kindOfId(text: string, kinds: Registry): string | undefined {
  const prefix = /^([a-z]+)-[A-Za-z0-9_-]+$/.exec(text)?.[1];
  if (prefix === undefined) return undefined;
  const external = Object.values(externalKinds).find((one) => one.prefix === prefix);
  if (external !== undefined) return withArticle(external.noun);
  const kind = kinds.find((one) => one.idPrefix === prefix)?.kind;
  return kind === undefined ? undefined : withArticle(kind);
}

/** `a workspace`, `an OAuthClient`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** True for the form of an id with this prefix. */
export function isId(text: string, prefix: string): boolean {
  return text.startsWith(`${prefix}-`) && /^[A-Za-z0-9_-]+$/.test(text) && text.length > prefix.length + 1;
}

/** `OAuthClient/github`. */
export function addressOf(definition: ResourceDefinition, name: string): string {
  return `${definition.kind}/${name}`;
}

/** Every temporary name of this address begins with it: `tether-pending-<digest of organization and address>-`. */
export function noncePrefix(organization: string, address: string): string {
  const digest = createHash('sha256').update(`${organization}\n${address}`).digest('hex').slice(0, 12);
  return temporaryPrefix(digest);
}

/** What temporary names with that digest, of twelve hex digits, begin with. */
export function temporaryPrefix(digest: string): string {
  return `tether-pending-${digest}-`;
}

/** One temporary name; `random` is lower-case hex that was never used before. */
export function nonceName(organization: string, address: string, random: string): string {
  return `${noncePrefix(organization, address)}${random}`;
}

/** True for a name that only an unfinished create gives. */
export function isNonce(name: unknown): name is string {
  return typeof name === 'string' && /^tether-pending-[0-9a-f]{12}-/u.test(name);
}

/** Longest list of right names that a message spells out. */
const mostListed = 20;

/** The nearest candidate, when it is near enough to be a slip of the finger; undefined otherwise. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(text.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const far = slips(text.toLowerCase(), candidate.toLowerCase());
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

/** How many slips of the finger lie between two texts; two neighbours in the wrong order are one. */
function slips(one: string, two: string): number {
  const at = [...one].findIndex((letter, index) => letter !== two[index]);
  const swapped = `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}`;
  return at >= 0 && swapped === two ? 1 : distance(one, two);
}

/** The end of a message about an unknown name: the nearest one, else all of them when they are few. */
export function suggestion(text: string, candidates: Iterable<string>, noun: string): string {
  const names = [...candidates];
  const near = nearest(text, names);
  if (near !== undefined) return `: did you mean \`${near}\`?`;
  if (names.length === 0) return ': there is none at all';
  const more = names.length > mostListed ? `, … (${names.length} in all)` : '';
  return `: ${noun} are ${names.slice(0, mostListed).join(', ')}${more}`;
}

/** How many letters of a kind may be wrong: no two kinds are as near as that. */
const mostInKind = 3;

/** The end of a message about an address that names nothing: `; did you mean …?`, or nothing. */
export function suggestAddress(text: string, known: readonly string[]): string {
  const near = nearestAddress(text, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function nearestAddress(text: string, known: readonly string[]): string | undefined {
  const [kind, names] = halves(text);
  const most = Math.max(1, Math.floor(names.length / 3));
  const near = known.flatMap((address) => {
    const [itsKind, itsNames] = halves(address);
    // A name alone is an address whose kind was forgotten.
    const inKind = kind === '' ? 0 : distance(kind, itsKind);
    const inNames = distance(names, itsNames);
    return inKind <= mostInKind && inNames <= most ? [{ address, far: inKind + inNames }] : [];
  });
  return near.sort((one, two) => one.far - two.far)[0]?.address;
}

function halves(address: string): readonly [string, string] {
  const at = address.indexOf('/');
  const lower = address.toLowerCase();
  return at < 0 ? ['', lower] : [lower.slice(0, at), lower.slice(at + 1)];
}

/** Something that is made elsewhere and that fields name by its id. */
export interface ExternalKind {
  /** For people: `agent pool`. */
  readonly noun: string;
  /** What the API's ids begin with, before the dash. */
  readonly prefix: string;
  /** Member of a manifest's `aliases` that names such ids. */
  readonly aliases: 'workspaces' | 'projects' | 'agentPools';
}

/** By the name a field's `refersTo` uses; kinds of the registry are not in here. */
export const externalKinds: Readonly<Record<'workspace' | 'project' | 'agentPool', ExternalKind>> = {
  workspace: { noun: 'workspace', prefix: 'ws', aliases: 'workspaces' },
  project: { noun: 'project', prefix: 'prj', aliases: 'projects' },
  agentPool: { noun: 'agent pool', prefix: 'apool', aliases: 'agentPools' },
};

/** The external kind a field refers to; undefined for an organization or a kind of the registry. */
export function externalKind(refersTo: string): ExternalKind | undefined {
  return Object.hasOwn(externalKinds, refersTo)
    ? externalKinds[refersTo as keyof typeof externalKinds]
    : undefined;
}
