/** Checks names, ids and addresses, and suggests right ones. */
import { distance } from 'fastest-levenshtein';
import type { NamedType } from '../client/api';

export const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
/** The name must be valid in paths of the API and in addresses. */
export const organizationPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]*$';
export const environmentPattern = '^[A-Za-z_][A-Za-z0-9_]*$';

/** Returns the mistake in the name of an alias or an address. */
export function nameProblem(name: string): string | undefined {
  if (name in Object.prototype) return 'is a reserved word: choose another name';
  if (!new RegExp(namePattern).test(name)) {
    return 'is not a name: use letters, digits, dots, dashes and underscores, and begin with a letter or digit';
  }
  const idKind = describeIdKind(name);
  return idKind === undefined ? undefined : `looks like the id of ${idKind}: choose another name`;
}

export function describeIdKind(text: string): string | undefined {
  const prefix = /^([a-z]+)-[A-Za-z0-9_-]+$/.exec(text)?.[1];
  if (prefix === undefined) return undefined;
  const external = Object.values(externalKinds).find((kind) => kind.prefix === prefix);
  const [ownKind] = Object.entries(idPrefixes).find(([, own]) => own === prefix) ?? [];
  const noun = external?.noun ?? ownKind;
  return noun === undefined ? undefined : withArticle(noun);
}

/** Writes a name in quotes, in which every blank but the ordinary one can be seen. */
export function visible(name: string): string {
  const escapeBlank = (blank: string) => `\\u${blank.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(name).replace(/[^\S ]/gu, escapeBlank);
}

export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

/** Writes `1 call` or `2 calls`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function isId(text: string, prefix: string): boolean {
  return text.startsWith(`${prefix}-`) && /^[A-Za-z0-9_-]+$/.test(text) && text.length > prefix.length + 1;
}

export function toAddress({ kind }: { readonly kind: string }, name: string): string {
  return `${kind}/${name}`;
}

/** How the ids of objects begin that Tether creates. An attachment has no id. */
export const idPrefixes = { OAuthClient: 'oc', RunTrigger: 'rt' } as const;

/** A kind of object that Tether does not create, and names by its id. */
export interface ExternalKind {
  readonly noun: string;
  readonly prefix: string;
  readonly aliases: 'workspaces' | 'projects' | 'agentPools';
  /** Its type in the API, whose lists find it by name. */
  readonly type: NamedType;
}

/** The keys are the names that `refersTo` uses. */
export const externalKinds: Readonly<Record<string, ExternalKind>> = {
  workspace: { noun: 'workspace', prefix: 'ws', aliases: 'workspaces', type: 'workspaces' },
  project: { noun: 'project', prefix: 'prj', aliases: 'projects', type: 'projects' },
  agentPool: { noun: 'agent pool', prefix: 'apool', aliases: 'agentPools', type: 'agent-pools' },
};

/** The id that a name stands for, or a sentence that says why it is unknown. */
export type NameLookup =
  | { readonly id: string; readonly why?: undefined }
  | { readonly id?: undefined; readonly why: string };

/** The answers of a service about names. */
export interface Lookups {
  /** The keys look like `workspace/app`. */
  readonly names: ReadonlyMap<string, NameLookup>;
  /** The current names of the objects that these lists show. The keys are ids. */
  readonly currentNames: ReadonlyMap<string, string>;
  /** The kinds whose list was read whole, such as `workspace`. */
  readonly listedKinds: ReadonlySet<string>;
}

/** Finds the nearest name. It ignores case, and prefers names that begin with the text. */
function findNearest(text: string, names: readonly string[]): string | undefined {
  const comparableText = toComparable(text);
  // Two swapped letters count as two changes.
  const maxChanges = Math.ceil(text.length / 3);
  return names
    .map((name) => ({
      name,
      changes: distance(comparableText, toComparable(name)) - (name.startsWith(text) ? 0.5 : 0),
    }))
    .filter(({ changes }) => changes <= maxChanges)
    .sort((left, right) => left.changes - right.changes)[0]?.name;
}

/** Cuts a name, because a manifest may have a thousand names of a thousand letters. */
function toComparable(name: string): string {
  return name.slice(0, 100).toLowerCase();
}

const maxListed = 20;
/** A generator may misspell ten thousand names of ten thousand. */
const maxCompared = 1000;

/** Returns the end of a message about an unknown name: the nearest name, or a list of names. */
export function suggestion(
  text: string,
  candidates: Iterable<string>,
  noun: string,
  display = (name: string) => name,
): string {
  const names: string[] = [];
  for (const name of candidates) {
    if (names.length === maxCompared) break;
    names.push(name);
  }
  const near = findNearest(text, names);
  if (near !== undefined) return `: did you mean \`${display(near)}\`?`;
  if (names.length === 0) return ': there is none at all';
  const more = names.length > maxListed ? ', …' : '';
  return `: ${noun} are ${names.slice(0, maxListed).map(display).join(', ')}${more}`;
}
