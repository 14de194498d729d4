/** The oracle for renames: under which address the ledger has what the manifests call by a new one. */
import { endOfMoves, type WantedClient } from './desired';
import type { Situation } from './expected';

export const clientSubject = (name: string): string => `OAuthClient/${name}`;

/** The address under which the ledger has what the manifests call `name`, all moves followed. */
export function ledgerKeyOf({ desired, ledger }: Situation, name: string): string | undefined {
  const subject = clientSubject(name);
  if (ledger.objects[subject] !== undefined) return subject;
  for (const from of desired.moved.keys()) {
    if (endOfMoves(desired.moved, from) !== subject || ledger.objects[from] === undefined) continue;
    if (!desired.clients.has(from.replace('OAuthClient/', ''))) return from;
  }
  return undefined;
}

/** Old address → new one, where an entry was renamed and is otherwise equal. */
export function renames(
  situation: Situation,
  gone: readonly string[],
  fresh: readonly WantedClient[],
): Map<string, string> {
  const { ledger } = situation;
  const same = (key: string, { values, entry }: WantedClient): boolean => {
    const { objects } = ledger;
    const before = objects[key]?.values ?? {};
    const { organization: _o, projectIds: _p, agentPoolId, ...rest } = before;
    const known = { ...rest, ...(agentPoolId === undefined ? {} : { agentPool: agentPoolId }) };
    const secrets = [...Object.keys(objects[key]?.digests ?? {}), ...(objects[key]?.unverified ?? [])];
    return (
      (entry.id === undefined || entry.id === objects[key]?.id) &&
      JSON.stringify(sorted(known)) === JSON.stringify(sorted(values)) &&
      JSON.stringify(secrets.sort()) === JSON.stringify(Object.keys(entry.secrets).sort())
    );
  };
  const found = new Map<string, string>();
  for (const key of gone) {
    const matches = fresh.filter((client) => same(key, client));
    const rivals = gone.filter((other) => matches[0] !== undefined && same(other, matches[0]));
    const [only] = matches;
    if (matches.length === 1 && rivals.length === 1 && only) found.set(only.name, key);
  }
  return found;
}

const sorted = (values: object) => Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
