/** Two ledgers that tests of homes save one after the other, and who saves them. */
import { emptyLedger, type Ledger, nextSerial } from '../../reconciler/ledger/ledger';

const address = 'https://app.example.com/api/v2';

export const first: Ledger = {
  ...nextSerial(emptyLedger('acme'), address),
  objects: { 'OAuthClient/github': { id: 'oc-1' } },
};
export const second: Ledger = {
  ...nextSerial(first, address),
  objects: { 'RunTrigger/ws-1/ws-2': { id: 'rt-1' } },
};

export const alice = { who: 'alice@host (tether apply)' };
export const bob = { who: 'bob@host (tether apply)' };
