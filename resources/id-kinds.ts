/** Says of which kind an id is, so that no name is taken for one. */
import { externalKinds, namePattern, withArticle } from './names';
import { registry } from './registry';

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
  const noun = external?.noun ?? registry.find(({ idPrefix }) => idPrefix === prefix)?.kind;
  return noun === undefined ? undefined : withArticle(noun);
}
