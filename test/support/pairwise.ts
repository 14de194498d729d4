// Chooses few combinations of settings in which every two values of two settings meet at least once.

/** Settings by name, each with the values it may have. */
export type Settings = Readonly<Record<string, readonly string[]>>;

/** One value for each setting. */
export type Combination = Readonly<Record<string, string>>;

function pairOf(one: string, oneValue: string, other: string, otherValue: string): string {
  return `${one}=${oneValue} ${other}=${otherValue}`;
}

/** All pairs of values of two different settings. */
export function allPairs(settings: Settings): Set<string> {
  const names = Object.keys(settings);
  const pairs = new Set<string>();
  for (const [index, one] of names.entries()) {
    for (const other of names.slice(index + 1)) {
      for (const oneValue of settings[one] ?? []) {
        for (const otherValue of settings[other] ?? []) pairs.add(pairOf(one, oneValue, other, otherValue));
      }
    }
  }
  return pairs;
}

/** The pairs of values that meet in a combination. */
export function pairsOf(combination: Combination): string[] {
  const entries = Object.entries(combination);
  return entries.flatMap(([one, oneValue], index) =>
    entries.slice(index + 1).map(([other, otherValue]) => pairOf(one, oneValue, other, otherValue)),
  );
}

/** Combinations that contain every pair; always the same ones, greedily built around a pair that is still missing. */
export function pairwise(settings: Settings): Combination[] {
  const names = Object.keys(settings);
  const missing = allPairs(settings);
  const combinations: Combination[] = [];
  const uses = new Map<string, number>();
  for (let [first] = missing; first !== undefined; [first] = missing) {
    const fixed = new Map(
      first.split(' ').map((part) => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']),
    );
    let combination: Combination = {};
    for (const name of names) {
      const values = fixed.has(name) ? [fixed.get(name) ?? ''] : (settings[name] ?? []);
      const gains = values.map((value) => {
        const candidate = { ...combination, [name]: value };
        const gain = pairsOf(candidate).filter((pair) => missing.has(pair)).length;
        return { candidate, gain, used: uses.get(`${name}=${value}`) ?? 0 };
      });
      const [best] = gains.sort((left, right) => right.gain - left.gain || left.used - right.used);
      combination = best?.candidate ?? combination;
    }
    for (const [name, value] of Object.entries(combination)) {
      uses.set(`${name}=${value}`, (uses.get(`${name}=${value}`) ?? 0) + 1);
    }
    for (const pair of pairsOf(combination)) missing.delete(pair);
    combinations.push(combination);
  }
  return combinations;
}
