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
    const far = distance(text.toLowerCase(), candidate.toLowerCase());
    if (far < least) {
      least = far;
      best = candidate;
    }
  }
  return best;
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
