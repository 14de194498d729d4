/** The variations of a course, which of them can meet, and how often each pair has met. */

/** Variations that hold for a whole course, with the behaviours of the service that they are. */
export const traits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'late-create': { 'create-hidden-ms': '3600000' },
  'late-delete': { 'delete-visible-ms': '3600000' },
  shuffled: { 'list-order': 'random' },
  hiding: { 'lists-hide-unreadable': 'yes' },
  'duplicates-accepted': { 'duplicate-trigger': 'accept' },
  'duplicates-conflict': { 'duplicate-trigger': '409' },
  'attach-again-refused': { 'attach-again': '422' },
  'pool-cleared': { 'patch-without-agent-pool': 'clear' },
  'trigger-lock': { 'trigger-lock': '409' },
  'rate-limit': { 'rate-limit': 'token-bucket', rate: '30' },
};

export const profiles = ['default', 'hcp-terraform', 'tight'] as const;
export const profileTag = (profile: string): string => `profile-${profile}`;

export type Pair = readonly [string, string];

/** Pairs that no course can have: of two profiles, or of two values of one behaviour. */
function exclude([one, other]: Pair): boolean {
  if (one.startsWith('profile-') && other.startsWith('profile-')) return true;
  return one === 'duplicates-accepted' && other === 'duplicates-conflict';
}

/** Every two variations that can meet. */
export function pairsOf(tags: readonly string[]): Pair[] {
  return tags.flatMap((one, at) =>
    tags.slice(at + 1).flatMap((other): Pair[] => (exclude([one, other]) ? [] : [[one, other]])),
  );
}

/** Counts the courses in which each variation, and each two together, occurred. */
export class Coverage {
  readonly #times: Map<string, number>;

  /** Goes on from the counts of earlier runs. */
  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#times = new Map(Object.entries(counts));
  }

  /** `missed`: what was wanted and did not come to pass. */
  add(tags: ReadonlySet<string>, missed: ReadonlySet<string>): void {
    const count = (key: string): void => void this.#times.set(key, this.times(key) + 1);
    const sorted = [...tags].sort();
    count('courses');
    for (const tag of missed) count(`${tag} missed`);
    for (const tag of sorted) count(tag);
    for (const [one, other] of pairsOf(sorted)) count(`${one} ${other}`);
  }

  times(key: string): number {
    return this.#times.get(key) ?? 0;
  }

  /** As plain JSON, for a run that goes on. */
  counts(): Record<string, number> {
    return Object.fromEntries(this.#times);
  }

  /** How many courses there were, and which pairs met least. */
  summary(all: readonly string[]): string {
    const counts = pairsOf([...all].sort()).map(([one, other]) => ({
      pair: `${one} + ${other}`,
      times: this.times(`${one} ${other}`),
    }));
    counts.sort((one, other) => one.times - other.times);
    const rare = counts.slice(0, 12).map(({ pair, times }) => `${pair} ${times}`);
    const below = counts.filter(({ times }) => times < 30).length;
    const single = Math.min(...all.map((tag) => this.times(tag)));
    return `${this.times('courses')} courses, ${all.length} variations (each at least ${single} times), ${counts.length} pairs, ${below} of them below 30; rarest: ${rare.join(', ')}`;
  }

  /** The summary and a line for each variation: how often it occurred, and how often with those after it; pairs that never occurred are left out. */
  table(all: readonly string[]): string {
    const sorted = [...all].sort();
    const lines = sorted.map((tag, at) => {
      const list = sorted.slice(at + 1).flatMap((other) => {
        const times = this.times(`${tag} ${other}`);
        return times === 0 ? [] : [`${other} ${times}`];
      });
      return `${tag}: ${this.times(tag)} (missed ${this.times(`${tag} missed`)}) | ${list.join(', ')}`;
    });
    return [this.summary(all), ...lines].join('\n');
  }
}
