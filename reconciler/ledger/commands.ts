/** What `tether ledger` does: looking into a ledger and repairing it by hand. */
import { rm } from 'node:fs/promises';
import { systemClock } from '../../client/clock';
import { splitAddress } from '../../manifest/desired';
import { nearestAddress } from '../../manifest/nearest-address';
import type { LedgerPlace } from './find';
import type { JournalRecord, Ledger, LedgerOrganization } from './ledger';
import { LedgerError } from './ledger-error';
import { removeLock } from './lock';
import { describeHolder, type LockHolder, lockOf, readLock, stateOf } from './lock-file';
import { type OpenOptions, openLedger } from './open';

/** An entry of a ledger as a person names it. */
export interface Entry {
  readonly organization: string;
  readonly key: string;
}

/** What a repair records, and what it did in words, one line each. */
export interface Repair {
  readonly records: readonly JournalRecord[];
  readonly done: readonly string[];
}

/** What `unlockLedger` found: whose lock it removed; `unreadable` when the file did not say; null when there was none. */
export type Unlocked = { readonly holder: LockHolder | 'unreadable' | null; readonly said: string };

function keysOf(organization: LedgerOrganization): string[] {
  return [...new Set([...Object.keys(organization.objects), ...Object.keys(organization.pending)])].sort();
}

/** The entry of an address, with its organization in front where several hold one. Throws `LedgerError` with what is near. */
export function findEntry(ledger: Ledger, address: string, file: string): Entry {
  const wanted = splitAddress(address);
  const all = Object.entries(ledger.organizations).flatMap(([organization, content]) =>
    keysOf(content).map((key): Entry => ({ organization, key })),
  );
  const found = all.filter(
    ({ organization, key }) =>
      keyOf(ledger, organization, wanted.address) === key &&
      (wanted.organization === null || wanted.organization === organization),
  );
  const [only, second] = found;
  if (only !== undefined && second === undefined) return only;
  if (only !== undefined) {
    const names = found.map((one) => `${one.organization}:${one.key}`).join(' or ');
    throw new LedgerError('entry', file, `${address} stands in several organizations.`, `Write ${names}.`);
  }
  const known = all.map((one) => ({ organization: one.organization, address: one.key }));
  const near = nearestAddress(address, known);
  const hint = near === undefined ? 'See what it lists with `tether ledger show`.' : `Did you mean ${near}?`;
  throw new LedgerError(
    'entry',
    file,
    `The ledger has no entry ${address}.`,
    `${hint} Links stand under ids.`,
  );
}

/** `ProjectAttachment/github/prj-1` names the client by its address; the ledger has its id there. */
function keyOf(ledger: Ledger, organization: string, address: string): string {
  const [kind, client, ...rest] = address.split('/');
  if (kind !== 'ProjectAttachment' || client === undefined) return address;
  const id = ledger.organizations[organization]?.objects[`OAuthClient/${client}`]?.id;
  return [kind, id ?? client, ...rest].join('/');
}

/** Lets an entry go without touching what it names; a client's attachments go with it. Pure; throws `LedgerError`. */
export function forgetEntry(ledger: Ledger, address: string, at: string, file: string): Repair {
  const { organization, key } = findEntry(ledger, address, file);
  const content = ledger.organizations[organization];
  const object = content?.objects[key];
  const attached = Object.entries(content?.objects ?? {})
    .filter(([, other]) => object !== undefined && other.values.oauthClientId === object.id)
    .map(([otherKey]) => otherKey);
  const nonce = content?.pending[key]?.nonce;
  // The client last: cut off in between, the same command still finds it and finishes.
  const removed = [...attached, key];
  return {
    records: removed.map((one) => ({ at, event: 'removed', organization, key: one })),
    done: [
      ...removed.map(
        (one) => `Forgot ${one}${one === key && object !== undefined ? ` (${object.id})` : ''}.`,
      ),
      ...(nonce === undefined ? [] : [`Its create was not finished: look for an object named ${nonce}.`]),
    ],
  };
}

/** Renames an entry; only for objects that have a name in the manifests, links are named by ids. Pure; throws `LedgerError`. */
export function moveEntry(ledger: Ledger, from: string, to: string, at: string, file: string): Repair {
  const { organization, key } = findEntry(ledger, from, file);
  const target = splitAddress(to);
  const [kind] = key.split('/');
  const refuse = (what: string, remedy: string) => new LedgerError('entry', file, what, remedy);
  if (kind !== 'OAuthClient') {
    throw refuse(`${key} is named by the ids of its two ends.`, 'There is nothing to rename.');
  }
  if (target.organization !== null && target.organization !== organization) {
    throw refuse(`${key} belongs to ${organization}.`, 'An entry cannot move to another organization.');
  }
  if (!/^OAuthClient\/[^\s/:\p{Cc}]+$/u.test(target.address) || target.address === 'OAuthClient/__proto__') {
    throw refuse(`${to} is no address for ${key}.`, 'Write OAuthClient/NAME.');
  }
  const content = ledger.organizations[organization];
  if (content?.objects[target.address] !== undefined || content?.pending[target.address] !== undefined) {
    throw refuse(`${target.address} is taken.`, 'Forget it first, or choose another name.');
  }
  return {
    records: [{ at, event: 'moved', organization, from: key, to: target.address }],
    done: [`Moved ${key} to ${target.address}.`],
  };
}

/** Runs a repair under the lock, all of it or nothing. Returns what it did in words. */
export async function repairLedger(
  place: LedgerPlace,
  options: Omit<OpenOptions, 'write'>,
  repair: (ledger: Ledger, at: string, file: string) => Repair,
): Promise<readonly string[]> {
  const opened = await openLedger(place, { ...options, write: true });
  try {
    const at = new Date((options.clock ?? systemClock).now()).toISOString();
    const { records, done } = repair(opened.ledger, at, place.file);
    for (const record of records) await opened.journal?.append(record);
    await opened.finish();
    return done;
  } finally {
    await opened.close();
  }
}

/** Removes a lock that was left behind. Throws `LedgerError` when its holder is running on this host, unless forced. */
export async function unlockLedger(
  place: LedgerPlace,
  options: { readonly force: boolean },
): Promise<Unlocked> {
  const file = lockOf(place.file);
  let holder: LockHolder | null;
  try {
    holder = await readLock(file);
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'corrupt') throw error;
    await rm(file, { force: true });
    return { holder: 'unreadable', said: 'Removed a lock that did not say who held it.' };
  }
  if (holder === null) return { holder, said: 'The ledger is not locked.' };
  if (stateOf(holder) === 'alive' && !options.force) {
    throw new LedgerError(
      'locked',
      file,
      `The lock is in use: ${describeHolder(holder)}.`,
      'That process is running: wait for it or stop it. With --force the lock goes all the same, and two runs may then change the same things.',
    );
  }
  await removeLock(file, holder, {
    command: 'tether ledger unlock',
    timeout: 0,
    clock: systemClock,
    onNote: () => {},
  });
  return { holder, said: `Removed the lock of ${describeHolder(holder)}.` };
}
