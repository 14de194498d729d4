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
  readonly #single = new Map<string, number>();
  readonly #pairs = new Map<string, number>();
  readonly #missed = new Map<string, number>();
  #courses = 0;

  /** `missed`: what was wanted and did not come to pass. */
  add(tags: ReadonlySet<string>, missed: ReadonlySet<string>): void {
    this.#courses += 1;
    for (const tag of missed) this.#missed.set(tag, (this.#missed.get(tag) ?? 0) + 1);
    const sorted = [...tags].sort();
    for (const tag of sorted) this.#single.set(tag, (this.#single.get(tag) ?? 0) + 1);
    for (const [one, other] of pairsOf(sorted)) {
      const key = `${one} ${other}`;
      this.#pairs.set(key, (this.#pairs.get(key) ?? 0) + 1);
    }
  }

  /** A line for each variation: how often it occurred, with which others least, and with each of them. */
  table(all: readonly string[], whole: boolean): string {
    const sorted = [...all].sort();
    const count = (one: string, other: string): number => this.#pairs.get([one, other].sort().join(' ')) ?? 0;
    const counts = pairsOf(sorted).map(([one, other]) => ({
      pair: `${one} + ${other}`,
      times: count(one, other),
    }));
    const rare = [...counts].sort((one, other) => one.times - other.times);
    const [least] = rare;
    const lines = [
      `${this.#courses} courses, ${sorted.length} variations, ${counts.length} pairs; the rarest pair ${least?.times ?? 0} times (${least?.pair})`,
      `pairs below 30: ${rare.filter(({ times }) => times < 30).length}`,
      `rarest: ${rare
        .slice(0, 12)
        .map(({ pair, times }) => `${pair} ${times}`)
        .join(', ')}`,
    ];
    for (const tag of whole ? sorted : []) {
      const others = sorted.filter((other) => pairsOf([tag, other].sort()).length > 0 && other !== tag);
      const list = others.map((other) => `${other} ${count(tag, other)}`);
      lines.push(
        `${tag}: ${this.#single.get(tag) ?? 0} (missed ${this.#missed.get(tag) ?? 0}) | ${list.join(', ')}`,
      );
    }
    return lines.join('\n');
  }
}
