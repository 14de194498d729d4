/** "Did you mean": the nearest of the names that would have been right. */
import { distance } from 'fastest-levenshtein';

/** Longest list of right names that a message spells out. */
const mostListed = 20;

/** The nearest candidate, when it is near enough to be a slip of the finger; undefined otherwise. */
export function nearest(text: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(text.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const far = slips(text.toLowerCase(), candidate.toLowerCase());
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
}

/** How many slips of the finger lie between two texts; two neighbours in the wrong order are one. */
function slips(one: string, two: string): number {
  const at = [...one].findIndex((letter, index) => letter !== two[index]);
  const swapped = `${one.slice(0, at)}${one.charAt(at + 1)}${one.charAt(at)}${one.slice(at + 2)}`;
  return at >= 0 && swapped === two ? 1 : distance(one, two);
}

/** The end of a message about an unknown name: the nearest one, else all of them when they are few. */
export function suggestion(text: string, candidates: Iterable<string>, noun: string): string {
  const names = [...candidates];
  const near = nearest(text, names);
  if (near !== undefined) return `: did you mean \`${near}\`?`;
  if (names.length === 0) return ': there is none at all';
  const more = names.length > mostListed ? `, … (${names.length} in all)` : '';
  return `: ${noun} are ${names.slice(0, mostListed).join(', ')}${more}`;
}
