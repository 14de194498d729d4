/** What workspaces, projects and agent pools are called, and what names in manifests mean. Sends nothing but GET. */
import type { ReadApi } from '../client/api';
import { type Lookup, type Manifests, nameInAddress } from '../manifest/desired';
import { type NameList, nameList } from '../observation/name-list';
import { externalKinds, nameProblem, nearest, suggestion } from '../resources/names';
import { registry } from '../resources/registry';
import { unlessNotFound } from '../resources/safe-calls';
import type { Ledger } from './ledger/ledger';

/** By the kinds that fields refer to, for one run; none where the profile has no `lookupByName`. */
export type NameLists = ReadonlyMap<string, NameList>;

export function nameLists(api: ReadApi, { organization, profile }: Manifests): NameLists {
  const kinds = profile.capabilities.lookupByName ? Object.entries(externalKinds) : [];
  return new Map(kinds.map(([kind, external]) => [kind, nameList(api, organization, external)]));
}

/** By `workspace/app`: what all names and aliases mean; without lists, what names meant at the last apply. Throws `ApiError`, but for a list that is not found. */
export async function lookUpNames(
  { aliases, named }: Manifests,
  lists: NameLists,
  ledger: Ledger | null,
): Promise<ReadonlyMap<string, Lookup>> {
  const before = ledger?.names ?? {};
  const open = [...named].flatMap(([address, { id }]) => (id === null ? address : []));
  const lookups = new Map<string, Lookup>();
  for (const one of open) {
    const { [one]: id = null } = before;
    lookups.set(one, { id, why: id ? '' : 'the ledger has no such name: write its id', others: [] });
  }
  for (const [kind, list] of lists) {
    const { names, external } = list;
    const addresses = open.filter((one) => one.startsWith(`${kind}/`));
    const isClear = (address: string) => {
      const ids = list.idsOf(nameInAddress(address));
      return ids.length > 0 && ids.includes(before[address] ?? ids[0] ?? '');
    };
    const wanted = new Set([...Object.keys(aliases[external.aliases]), ...addresses.map(nameInAddress)]);
    const found = await unlessNotFound(list.find(wanted, () => addresses.every(isClear)));
    const still = Object.entries(before).filter(([one, id]) => found?.get(id) === nameInAddress(one));
    for (const name of wanted) {
      const address = `${kind}/${name}`;
      const was = addresses.includes(address) ? before[address] : undefined;
      const why = `the list of ${external.noun}s is not found, or the token may not read it: check the organization and the token, or write the id`;
      const lookup = found ? meaningOf(name, list, was) : { id: null, why };
      // What is nearly called so may be meant.
      const isOther = ([one, id]: (typeof still)[number]) =>
        names.get(id) !== name && nearest(name, [nameInAddress(one)]) === undefined;
      const others = lookup.id === null ? still.filter(isOther).map(([, id]) => id) : [];
      lookups.set(address, { ...lookup, others });
    }
  }
  return lookups;
}

/** `was`: its id at the last apply. */
function meaningOf(name: string, { external, names, idsOf }: NameList, was = ''): Omit<Lookup, 'others'> {
  const { noun, aliases } = external;
  const [id, ...others] = idsOf(name);
  const now = names.get(was);
  if (id === undefined) {
    if (now !== undefined) {
      const why = `${noun} \`${name}\` (${was}) is called \`${now}\` now: nothing changes; write the new name here`;
      return { id: was, why };
    }
    const unseen = `no ${noun} that this token can see is called so (it may be there unseen: check name and token, or write the id)`;
    return { id: null, why: `${unseen}${suggestion(name, names.values(), 'they')}` };
  }
  const choice = [...new Set([was || id, id, ...others])].map((one) => `\`${one}\``);
  const write = `write ${choice.join(' or ')} in its place`;
  if (others.length > 0) return { id: null, why: `${others.length + 1} ${noun}s are called so: ${write}` };
  if (was === '' || was === id) return { id, why: '' };
  const then = now === undefined ? 'is gone, or hidden from this token' : `is called \`${now}\``;
  const once = `; or, for all lines, \`${name}: ${id}\` under \`aliases.${aliases}\`, which can go again after the next apply`;
  const isAlias = nameProblem(name, registry) === undefined;
  const why = `it was ${was} at the last apply, and is ${id} now (${was} ${then}): ${write}${isAlias ? once : ''}`;
  return { id: null, why, was };
}
