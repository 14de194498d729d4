// Makes the ids that the service gives to what it creates.

import { randomBytes } from 'node:crypto';

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Makes one id for a prefix such as `oc`: the prefix, a dash, and 16 letters and digits. */
export type IdSource = (prefix: string) => string;

/** Ids that nobody can guess and that do not repeat. */
export const randomIds: IdSource = (prefix) => {
  const letters = Array.from(randomBytes(16), (byte) => alphabet[byte % alphabet.length]);
  return `${prefix}-${letters.join('')}`;
};
