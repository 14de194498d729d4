// Turns a secret into the only form in which the service keeps it.

import { createHash } from 'node:crypto';

/** SHA-256 of the text in lower-case hex. It proves that a secret is there and whether it changed, no more. */
export function digestSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}
