/** The oracle for write-only fields: which of them a plan writes, by the digests in the ledger. */
import { createHmac, scryptSync } from 'node:crypto';
import type { WantedClient } from './desired';
import type { Situation } from './expected';
import type { SecretField } from './manifests';
import type { LedgerObject } from './outcome';

/** Digests at their real cost take a while. */
const compared = new Map<string, boolean>();

/** Whether the digest was made of the value. */
function isDigestOf(digest: string, value: string): boolean {
  const known = compared.get(`${digest} ${value}`);
  if (known !== undefined) return known;
  const [, N, r, p, salt = '', nonce = '', hash] = digest.split(':');
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: 256 * 1024 * 1024 };
  const key = scryptSync(value, Buffer.from(salt, 'base64url'), 32, options);
  const made = createHmac('sha256', key).update(Buffer.from(nonce, 'base64url')).digest();
  const isSame = made.toString('base64url') === hash;
  compared.set(`${digest} ${value}`, isSame);
  return isSame;
}

/** What of a client's secrets this plan writes: in place, or only by replacing. */
export function secretsToWrite(situation: Situation, wanted: WantedClient, held: LedgerObject | undefined) {
  const update: SecretField[] = [];
  const replace: SecretField[] = [];
  for (const [field, source] of Object.entries(wanted.entry.secrets) as [SecretField, string][]) {
    const inPlace =
      field === 'secret' || (field === 'oauthTokenString' && situation.profile === 'hcp-terraform');
    const digest = held?.digests[field];
    const value = situation.secretOf(source);
    const unverified = held?.unverified?.includes(field) ?? false;
    const changed = digest === undefined ? !unverified : value !== undefined && !isDigestOf(digest, value);
    if (changed) (inPlace ? update : replace).push(field);
    else if (situation.writeSecrets && inPlace) update.push(field);
  }
  return { update, replace };
}
