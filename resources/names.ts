/** What names, ids and addresses look like, and which characters no text may hold. */
import type { ResourceDefinition } from './definition';
import { externalKinds } from './reference-kinds';
import type { Registry } from './registry';

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
