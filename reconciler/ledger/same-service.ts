/** A ledger belongs to one service, because its ids mean nothing at another. */
import { endsInApiPath, isLoopback, parseAddress } from '../../client/address';
import type { Manifests } from '../../manifest/desired';
import { unlessItFails } from '../../resources/plain-file';
import type { Ledger } from './ledger';
import { LedgerError } from './store';

interface FolderLedger {
  readonly ledger: Ledger;
  readonly place: string;
  readonly manifests: Pick<Manifests, 'addresses' | 'ledger'>;
}

/** Throws `LedgerError` if the ledger has objects of a service at another address, and the manifests do not name both. */
export function refuseOtherService({ ledger, place, manifests }: FolderLedger, address: string): void {
  const isEmpty = Object.keys({ ...ledger.objects, ...ledger.pending }).length === 0;
  const ledgerAddress = unlessItFails(() => parseAddress(ledger.address)) ?? ledger.address;
  const both = [ledgerAddress, address];
  if (isEmpty || ledgerAddress === address || both.every((each) => manifests.addresses.includes(each)))
    return;
  const isLocal = both.every((each) => isLoopback(readHost(each).replace(/:\d+$/, '')));
  const way = manifests.ledger === null ? `remove ${place}` : 'write another place under `ledger:`';
  const ways = [
    `${place} is the ledger of the service at ${ledgerAddress}, and this run is for ${address}. No call was made. Check the address${endsInApiPath(address) ? '' : ', which does not end in /api/v2'}.`,
    ...(isLocal
      ? ['`tether serve` forgets everything when it ends: if it was restarted, remove the ledger.']
      : []),
    `If this folder is a copy, give it a ledger of its own: ${way}.`,
    `If the service has moved, name both beside \`organization:\`: addresses: [${both.join(', ')}]`,
  ];
  throw new LedgerError(ways.join('\n'));
}

/** Returns the host with its port, for reports. */
export function readHost(address: string): string {
  return address.split('/')[2] ?? address;
}
