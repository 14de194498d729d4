/** "Did you mean", for addresses: near in kind and in names, each judged by its own length. */
import { distance } from 'fastest-levenshtein';
import { splitAddress } from './desired';

/** An address and the organization in which it means something. */
export interface KnownAddress {
  readonly organization: string;
  readonly address: string;
}

/** How many letters of a kind may be wrong: no two kinds are as near as that. */
const mostInKind = 3;

/** The address that was probably meant, with its organization where several are known; undefined when none is near. */
export function nearestAddress(text: string, known: readonly KnownAddress[]): string | undefined {
  const asked = splitAddress(text);
  const [kind, names] = halves(asked.address);
  const most = Math.max(1, Math.floor(names.length / 3));
  const near = known.flatMap((one) => {
    const [itsKind, itsNames] = halves(one.address);
    // A name alone is an address whose kind was forgotten.
    const inKind = kind === '' ? 0 : distance(kind, itsKind);
    const inNames = distance(names, itsNames);
    const elsewhere = asked.organization !== null && asked.organization !== one.organization ? 1 : 0;
    return inKind <= mostInKind && inNames <= most ? [{ one, far: inKind + inNames + elsewhere }] : [];
  });
  const best = near.sort((one, two) => one.far - two.far)[0]?.one;
  if (best === undefined) return undefined;
  const several = new Set(known.map((one) => one.organization)).size > 1;
  return several ? `${best.organization}:${best.address}` : best.address;
}

/** The end of a message about an address that names nothing: `; did you mean …?`, or nothing. */
export function suggestAddress(text: string, known: readonly KnownAddress[]): string {
  const near = nearestAddress(text, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function halves(address: string): readonly [string, string] {
  const at = address.indexOf('/');
  const lower = address.toLowerCase();
  return at < 0 ? ['', lower] : [lower.slice(0, at), lower.slice(at + 1)];
}
