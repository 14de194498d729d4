/** "Did you mean", for addresses: near in kind and in names, each judged by its own length. */
import { distance } from 'fastest-levenshtein';

/** How many letters of a kind may be wrong: no two kinds are as near as that. */
const mostInKind = 3;

/** The end of a message about an address that names nothing: `; did you mean …?`, or nothing. */
export function suggestAddress(text: string, known: readonly string[]): string {
  const near = nearestAddress(text, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

function nearestAddress(text: string, known: readonly string[]): string | undefined {
  const [kind, names] = halves(text);
  const most = Math.max(1, Math.floor(names.length / 3));
  const near = known.flatMap((address) => {
    const [itsKind, itsNames] = halves(address);
    // A name alone is an address whose kind was forgotten.
    const inKind = kind === '' ? 0 : distance(kind, itsKind);
    const inNames = distance(names, itsNames);
    return inKind <= mostInKind && inNames <= most ? [{ address, far: inKind + inNames }] : [];
  });
  return near.sort((one, two) => one.far - two.far)[0]?.address;
}

function halves(address: string): readonly [string, string] {
  const at = address.indexOf('/');
  const lower = address.toLowerCase();
  return at < 0 ? ['', lower] : [lower.slice(0, at), lower.slice(at + 1)];
}
