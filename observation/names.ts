/** Looks up the ids of workspaces, projects and agent pools that a manifest refers to by name. */
import { pathHint } from '../client/address';
import type { NamedObject, ReadApi } from '../client/api';
import { type ExternalKind, externalKinds, type Lookups, type NameLookup, visible } from '../resources/names';
import { unlessNotFound } from '../resources/safe-calls';
import { inParallel } from './observe';

/** For more names of one kind than this, the whole list costs less than a search for each. */
const maxSearches = 5;

/**
 * Looks up names such as `workspace/app`, `project/payments` and `agentPool/dmz`. Only an exact name counts, although a service may
 * search for parts of names. For a name that is not found, or found twice, the result has a sentence.
 */
export async function lookUpNames(
  api: ReadApi,
  organization: string,
  references: Iterable<string>,
): Promise<Lookups> {
  const namesByKind = new Map<string, Set<string>>();
  for (const reference of references) {
    const kind = reference.slice(0, reference.indexOf('/'));
    const namesOfKind = namesByKind.get(kind) ?? new Set();
    namesByKind.set(kind, namesOfKind.add(reference.slice(kind.length + 1)));
  }
  const names = new Map<string, NameLookup>();
  const currentNames = new Map<string, string>();
  const listedKinds = new Set<string>();
  for (const [kind, namesOfKind] of namesByKind) {
    const external = externalKinds[kind];
    if (external === undefined) throw new Error(`there are no names of ${kind}`);
    const { type } = external;
    const list =
      namesOfKind.size > maxSearches ? unlessNotFound(api.names.list(organization, type)) : undefined;
    if (await list) listedKinds.add(kind);
    await inParallel([...namesOfKind], async (name) => {
      const objects = await (list ?? unlessNotFound(api.names.search(organization, type, name)));
      names.set(`${kind}/${name}`, toLookup(name, objects, external, organization, api.address));
      for (const { id, name: current } of objects ?? []) currentNames.set(id, current);
    });
  }
  return { names, currentNames, listedKinds };
}

function toLookup(
  name: string,
  objects: readonly NamedObject[] | undefined,
  { noun }: ExternalKind,
  organization: string,
  address: string,
): NameLookup {
  if (objects === undefined) {
    const advice = `check the name of the organization, the address ${address}${pathHint(address)}, or what this token may see`;
    return { why: `the ${noun}s of ${organization} cannot be listed (404): ${advice}` };
  }
  const ids = [...new Set(objects.filter((object) => object.name === name).map(({ id }) => id))].sort();
  const [id] = ids;
  if (id === undefined) {
    const near = objects.find((object) => fold(object.name) === fold(name));
    const advice = near
      ? `did you mean ${visible(near.name)} (${near.id})?`
      : 'check the spelling, or what this token may see';
    return { why: `no ${noun} named \`${name}\` was found in ${organization}: ${advice}` };
  }
  if (ids.length === 1) return { id };
  return {
    why: `${ids.length} ${noun}s of ${organization} are named \`${name}\` (${ids.join(', ')}): write the id`,
  };
}

/** Two names that differ only in case, or in blanks at the ends, are easily taken for one. */
function fold(name: string): string {
  return name.trim().toLowerCase();
}
