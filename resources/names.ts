/** How names, ids and addresses look, and which right one a wrong one is near to. */
import { distance } from 'fastest-levenshtein';

/** Aliases and keys of addresses. */
export const namePattern = '^[A-Za-z0-9][A-Za-z0-9._-]*$';
/** Organizations: what a path of the API and an address can carry. */
export const organizationPattern = '^[A-Za-z0-9_][A-Za-z0-9_-]*$';
export const environmentPattern = '^[A-Za-z_][A-Za-z0-9_]*$';

interface NamedKind {
  kind: string;
  idPrefix?: string;
}

/** What is wrong with the name of an alias or an address. */
export function nameProblem(name: string, kinds: readonly NamedKind[]): string | undefined {
  if (name === '__proto__' || name in Object.prototype) return 'is a reserved word: choose another name';
  if (!new RegExp(namePattern).test(name)) {
    return 'is not a name: use letters, digits, dots, dashes and underscores, and begin with a letter or digit';
  }
  const looks = kindOfId(name, kinds);
  return looks === undefined ? undefined : `looks like the id of ${looks}: choose another name`;
}

/** `a workspace` for `ws-app`; undefined for what has the form of no id. */
export function kindOfId(text: string, kinds: readonly NamedKind[]): string | undefined {
  const prefix = /^([a-z]+)-[A-Za-z0-9_-]+$/.exec(text)?.[1];
  if (prefix === undefined) return undefined;
  const external = Object.values(externalKinds).find((one) => one.prefix === prefix);
  const noun = external?.noun ?? kinds.find((one) => one.idPrefix === prefix)?.kind;
  return noun === undefined ? undefined : withArticle(noun);
}

/** How an address spells what has this name: by its id where the name would read as an id, or as two parts. */
export function nameOrId(name: string, id: string): string {
  return name.includes('/') || kindOfId(name, []) !== undefined ? id : name;
}

export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

export function isId(text: string, prefix: string): boolean {
  return text.startsWith(`${prefix}-`) && /^[A-Za-z0-9_-]+$/.test(text) && text.length > prefix.length + 1;
}

/** `OAuthClient/github`. */
export function addressOf({ kind }: NamedKind, name: string): string {
  return `${kind}/${name}`;
}

/** What is made elsewhere, and named by its id. */
export interface ExternalKind {
  readonly noun: string;
  /** Of its ids. */
  readonly prefix: string;
  /** The member of a manifest's `aliases`. */
  readonly aliases: 'workspaces' | 'projects' | 'agentPools';
}

/** By the name that a field's `refersTo` uses. */
export const externalKinds: Readonly<Record<string, ExternalKind>> = {
  workspace: { noun: 'workspace', prefix: 'ws', aliases: 'workspaces' },
  project: { noun: 'project', prefix: 'prj', aliases: 'projects' },
  agentPool: { noun: 'agent pool', prefix: 'apool', aliases: 'agentPools' },
};

/** The nearest name, if one is near; of equally near ones that which only goes on (`projects` for `project`). */
export function nearest(text: string, names: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(text.length / 3));
  return [...names]
    .map((name) => ({ name, far: slips(text, name) - (name.startsWith(text) ? 0.5 : 0) }))
    .filter(({ far }) => far <= most)
    .sort((one, other) => one.far - other.far)[0]?.name;
}

/** How far one is from the other mistyped: capitals do not count, and two neighbours in the wrong order are one slip. */
export function slips(oneText: string, twoText: string): number {
  const [one, two] = [oneText.toLowerCase(), twoText.toLowerCase()];
  const at = [...one].findIndex((letter, index) => letter !== two[index]);
  const swapped = `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}`;
  return at >= 0 && swapped === two ? 1 : distance(one, two);
}

const mostListed = 20;

/** Ends a message about an unknown name: the nearest one, else the first of all. */
export function suggestion(text: string, candidates: Iterable<string>, noun: string): string {
  const names = [...candidates];
  const near = nearest(text, names);
  if (near !== undefined) return `: did you mean \`${near}\`?`;
  if (names.length === 0) return ': there is none at all';
  const more = names.length > mostListed ? `, … (${names.length} in all)` : '';
  return `: ${noun} are ${names.slice(0, mostListed).join(', ')}${more}`;
}

/** `; did you mean …?`, or nothing. */
export function suggestAddress(text: string, known: readonly string[]): string {
  const near = nearest(text, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
