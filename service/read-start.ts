// Reads what a service starts from, before anything is opened.

import { type Behaviours, readBehaviours } from './behaviours';
import { type Profile, readProfile } from './profile';
import { mergeSeed, type SeedTools } from './seed/apply-seed';
import { readSeedFile, readSeedObject, refuseMistakes } from './seed/read-seed';
import type { SeedObject } from './seed/seed';
import { readDataFile } from './store/data-file';
import { Store } from './store/store';

/** What a service starts from; everything has a default. */
export interface StartOptions {
  /** What exists from the start: an object, or the path of a YAML or JSON file. Nothing when left out. */
  readonly seed?: SeedObject | string;
  /** Name or file of a profile; `default` when left out. */
  readonly profile?: string;
  /** Switches by name, values as people type them. */
  readonly behaviours?: Readonly<Record<string, string>>;
  /** Path of the data file; nothing outlives the service when left out. */
  readonly data?: string;
}

/** All that was read, without a mistake. */
export interface Start {
  readonly profile: Profile;
  readonly behaviours: Behaviours;
  /** What the data file holds or, where that is nothing, what the seed says. */
  readonly store: Store;
  /** Whether it is the seed's. */
  readonly seeded: boolean;
}

/** Several mistakes, each an error of its own class; the message has a line for each. */
class StartError extends Error {
  override readonly name = 'StartError';

  constructor(readonly mistakes: readonly Error[]) {
    super(mistakes.map((mistake) => mistake.message).join('\n'));
  }
}

/** Throws the one mistake as it is, or a StartError with all of them. */
export function readStart(options: StartOptions, tools: Omit<SeedTools, 'profile'>): Start {
  const errors: Error[] = [];
  const profile = collect(errors, () => readProfile(options.profile ?? 'default'));
  const behaviours = collect(errors, () => readBehaviours(options.behaviours ?? {}, limitsOf(profile)));
  const seed = collect(errors, () =>
    typeof options.seed === 'string' ? readSeedFile(options.seed) : readSeedObject(options.seed ?? {}),
  );
  const kept = collect(errors, () => (options.data === undefined ? new Store() : readDataFile(options.data)));
  const fresh = new Store();
  collect(errors, () => {
    if (seed && profile) mergeSeed(fresh, seed, { ...tools, profile });
    else if (seed) refuseMistakes(seed, seed.mistakes);
  });
  if (profile && behaviours && kept && errors.length === 0) {
    const seeded = kept.isEmpty();
    return { profile, behaviours, store: seeded ? fresh : kept, seeded };
  }
  const [only] = errors;
  throw only !== undefined && errors.length === 1 ? only : new StartError(errors);
}

/** The work's result, or the error it threw put among the others. */
function collect<Result>(errors: Error[], work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    errors.push(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}

function limitsOf(profile: Profile | undefined): Partial<Behaviours> {
  if (profile === undefined) return {};
  const { maxSources, requestsPerSecond } = profile.limits;
  return { 'max-sources': maxSources ?? 'off', rate: requestsPerSecond };
}
