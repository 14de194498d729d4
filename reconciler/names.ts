/** Looks up what the names in manifests mean in the organization. Sends nothing but GET. */
import type { ReadApi } from '../client/api';
import { createListReader, type List, type Page } from '../client/pages';
import { type Lookup, type Manifests, nameInAddress } from '../manifest/desired';
import { type ExternalKind, externalKinds, nearest, suggestion } from '../resources/names';
import { unlessNotFound } from '../resources/safe-calls';
import type { Ledger } from './ledger/ledger';

/** By `workspace/app`: what all names and aliases mean, if the profile has `lookupByName`. Throws `ApiError`, but for a list that is not found. */
export async function lookUpNames(
  { organization, aliases, named }: Manifests,
  api: ReadApi,
  ledger: Ledger | null,
): Promise<ReadonlyMap<string, Lookup>> {
  const before = new Map(Object.entries(ledger?.names ?? {}));
  const lookups = new Map<string, Lookup>();
  for (const [kind, external] of Object.entries(externalKinds)) {
    const isOfKind = (address: string) => address.startsWith(`${kind}/`);
    const names = [...named.keys()].filter(isOfKind).map(nameInAddress);
    const aliased = Object.keys(aliases[external.aliases]);
    const seen = await unlessNotFound(readNames(api, organization, external, names, aliased));
    const idsOf = (address: string) => [...(seen?.get(nameInAddress(address)) ?? [])];
    const still = [...before].filter(([one, id]) => isOfKind(one) && idsOf(one).includes(id));
    for (const name of [...aliased, ...names]) {
      const address = `${kind}/${name}`;
      const was = named.has(address) ? before.get(address) : undefined;
      const ids = idsOf(address);
      const now = was && ids.length === 0 && [...(seen ?? [])].find(([, its]) => its.has(was));
      if (now) {
        const why = `${external.noun} \`${name}\` (${was}) is called \`${now[0]}\` now: nothing changes; write the new name here`;
        lookups.set(address, { id: was, why, others: [] });
        continue;
      }
      const why = whyUnknown(name, external.noun, seen, ids, was);
      // What is nearly called so may be meant.
      const isOther = ([one, id]: [string, string]) =>
        !ids.includes(id) && nearest(name, [nameInAddress(one)]) === undefined;
      const others = why === '' ? [] : still.filter(isOther).map(([, id]) => id);
      lookups.set(address, { id: why === '' ? (ids[0] ?? null) : null, why, others });
    }
  }
  return lookups;
}

/** Ids by name. */
type Seen = ReadonlyMap<string, ReadonlySet<string>>;

/** Empty where it is known. `seen`: if the list could be read. `was`: its id at the last apply. */
function whyUnknown(name: string, noun: string, seen: Seen | undefined, ids: string[], was?: string) {
  if (!seen)
    return `the list of ${noun}s is not found, or the token may not read it: check the organization and the token, or write the id`;
  const choice = [...new Set([was ?? [], ...ids].flat())].map((id) => `\`{ id: ${id} }\``).join(' or ');
  if (ids.length > 1) return `${ids.length} ${noun}s are called so: write ${choice}`;
  if (ids.length === 0)
    return `no ${noun} that this token can see is called so (it may be there unseen: check name and token, or write the id)${suggestion(name, seen.keys(), 'they')}`;
  return was === undefined || ids.includes(was)
    ? ''
    : `it was ${was} at the last apply, and is ${ids[0]} now: write ${choice}`;
}

/** From the fewest calls: a search for each name, or the whole list, of which page 1 says how long it is; while one of `names` is missing, all of it. */
async function readNames(
  api: ReadApi,
  organization: string,
  { noun, search }: ExternalKind,
  names: readonly string[],
  aliases: readonly string[],
): Promise<Seen> {
  // The JSON:API type: `agent-pools`.
  const type = `${noun.replace(' ', '-')}s`;
  const list: List<{ id: string; name: string }> = {
    path: ['organizations', organization, type],
    type,
    item: ({ id, attributes: { name } }) => ({ id, name: typeof name === 'string' ? name : '' }),
  };
  const readList = createListReader(api.perform);
  const seen = new Map<string, Set<string>>();
  // What was read last.
  let isWhole = false;
  /** Not more than the first page where more than `most` follow. */
  const read = async (query: Readonly<Record<string, string>>, most: number) => {
    const isEnough = ({ items, totalCount, last }: Page<unknown>) => {
      isWhole = last;
      return Math.ceil(totalCount / items.length) - 1 > most;
    };
    for (const { id, name } of await readList({ ...list, query, isEnough })) {
      seen.set(name, new Set(seen.get(name)).add(id));
    }
  };
  const all = [...new Set([...names, ...aliases])];
  if (all.length > 1) await read({}, all.length);
  if (all.length === 0 || isWhole) return seen;
  for (const name of all) {
    await read({ [search]: name }, 0);
    // A search that goes on may be as long as the list.
    if (!isWhole) break;
  }
  if (!isWhole || names.some((name) => !seen.has(name))) await read({}, Infinity);
  return seen;
}
