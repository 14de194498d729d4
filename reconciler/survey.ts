/** All of an organization that can be seen, beside what the ledger holds. Sends nothing but GET. */
import { ApiError, NotFound } from '../client/errors';
import type { Manifests } from '../manifest/desired';
import type { ListCache } from '../observation/list-cache';
import { readEach } from '../observation/observe';
import { byAge, type Found, type ResourceDefinition } from '../resources/kind';
import { externalKinds, isId } from '../resources/names';
import { registry } from '../resources/registry';
import type { Ledger } from './ledger/ledger';

export interface Survey {
  /** By kind, each object once, oldest first. */
  readonly found: Readonly<Record<string, readonly Found[]>>;
  /** Around how many workspaces triggers were looked for. */
  readonly workspaces: number;
  /** Whose lists cannot be read, each owner once: there may be more. */
  readonly unread: readonly { readonly owner: string; readonly why: string }[];
}

/**
 * The organization's lists, and those around each id that aliases, lines and the ledger name. Export gives the ids of all workspaces
 * that can be `listed`, or null where no list of them can be read: it looks around those and the ends of found links too, and every
 * failure but a 404 is thrown.
 */
export async function surveyAll(
  cache: ListCache,
  { organization, aliases, entries, sets }: Manifests,
  ledger: Ledger,
  listed?: Iterable<string> | null,
): Promise<Survey> {
  const lines = [...entries.map(({ inputs }) => inputs), ...sets.map(({ fixed }) => fixed)];
  const linked = [...lines, ...Object.values(ledger.objects).map(({ values }) => values)];
  const ends = registry.flatMap(({ pair }) => pair);
  const ids = new Set<unknown>([
    ...(listed ?? []),
    ...Object.values(aliases).flatMap(Object.values),
    ...linked.flatMap((line) => ends.map((end) => line[end])),
  ]);
  const isExport = listed !== undefined;
  const found: Record<string, readonly Found[]> = {};
  const lists: Awaited<ReturnType<typeof readEach>> = {};
  for (let known = -1; known < ids.size; ) {
    known = ids.size;
    for (const definition of registry) {
      const { kind, pair, find } = definition;
      // At both ends: a link may lead into a workspace that the token can neither list nor read.
      const refs = listsAround(definition, organization, ids);
      const open = refs.filter(({ name }) => !(name in lists));
      Object.assign(lists, await readEach(cache, open, isExport ? NotFound : ApiError));
      const seen = refs.flatMap(({ name }) => {
        const list = lists[name];
        return list?.state === 'read' ? find(list.items, { organization }) : [];
      });
      found[kind] = [...new Map(seen.map((one) => [one.id, one])).values()].sort(byAge);
      if (isExport) for (const { values } of seen) for (const end of pair) ids.add(values[end]);
    }
  }
  const all = Object.values(lists);
  const failed = all.flatMap((list) => (list.state === 'read' ? [] : [[list.ref.owner, list.why] as const]));
  // But for the organization.
  const workspaces = new Set(all.map(({ ref }) => ref.owner)).size - 1;
  return { found, workspaces, unread: [...new Map(failed)].map(([owner, why]) => ({ owner, why })) };
}

/** Where links have one of the ids at an end, and the lists of the organization. */
function listsAround(
  { fields, listedIn, pair }: ResourceDefinition,
  organization: string,
  ids: ReadonlySet<unknown>,
) {
  const keys = pair.flatMap((field) => {
    const { prefix = '' } = externalKinds[fields[field]?.refersTo ?? ''] ?? {};
    return [...ids].flatMap((id) => (typeof id === 'string' && isId(id, prefix) ? [{ [field]: id }] : []));
  });
  const refs = [{}, ...keys].flatMap((key) => listedIn({ organization, ...key }));
  return [...new Map(refs.map((ref) => [ref.name, ref])).values()];
}

export function existingOf({ found, workspaces, unread }: Survey, ledger: Ledger) {
  const held = new Set(keysAndIds(ledger));
  const all = Object.entries(found).flatMap(([kind, some]) => some.map((one) => ({ kind, ...one })));
  const unmanaged = all
    .filter(({ id }) => !held.has(id))
    .map(({ kind, id, values, outputs }) => ({ kind, objectId: id, values, outputs }));
  return { managed: all.length - unmanaged.length, unmanaged, workspaces, unread };
}

/** Of what a ledger holds, is making or still has to destroy. */
export function keysAndIds({ objects, pending }: Ledger) {
  const ids = Object.values(objects).flatMap(({ id, replaces = id }) => [id, replaces]);
  return [...Object.keys({ ...objects, ...pending }), ...ids];
}
