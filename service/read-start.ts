// Reads what a service starts from, before anything is opened.

import { type Behaviours, readBehaviours } from './behaviours';
import { type Profile, readProfile } from './profile';
import { mergeSeed, type SeedTools } from './seed/apply-seed';
import { type ReadSeed, readSeedFile, readSeedObject, refuseMistakes } from './seed/read-seed';
import type { SeedObject } from './seed/seed';
import { collect, StartError } from './start-error';
import { refusalOf, StoreFileError } from './store/data-file';
import { MemoryStore } from './store/memory-store';

/** What a service starts from; everything has a default. */
export interface StartOptions {
  /** What exists from the start: an object, or the path of a YAML or JSON file. Nothing when left out. */
  readonly seed?: SeedObject | string;
  /** Name or file of a profile; `default` when left out. */
  readonly profile?: string;
  /** Switches by name, values as people type them. */
  readonly behaviours?: Readonly<Record<string, string>>;
  /** `memory` (when left out) or the path of a database file. */
  readonly data?: string;
}

/** All that was read, right in form. */
export interface Start {
  readonly profile: Profile;
  readonly behaviours: Behaviours;
  /** Its references are still to be checked, against what the data file holds already. */
  readonly seed: ReadSeed;
}

/** Throws the one mistake as it is, or a StartError with all of them. */
export function readStart(options: StartOptions, tools: Omit<SeedTools, 'profile'>): Start {
  const errors: Error[] = [];
  const data = options.data ?? 'memory';
  const profile = collect(errors, () => readProfile(options.profile ?? 'default'));
  const behaviours = collect(errors, () => readBehaviours(options.behaviours ?? {}, limitsOf(profile)));
  const seed = collect(errors, () =>
    typeof options.seed === 'string' ? readSeedFile(options.seed) : readSeedObject(options.seed ?? {}),
  );
  collect(errors, () => {
    const refusal = data === 'memory' ? undefined : refusalOf(data);
    if (refusal !== undefined) throw new StoreFileError(data, refusal);
  });
  if (profile !== undefined && behaviours !== undefined && seed !== undefined && errors.length === 0) {
    return { profile, behaviours, seed };
  }
  if (seed !== undefined) {
    collect(errors, () => {
      // Into a store of its own, where nothing can be there already that the seed refers to.
      if (profile !== undefined && data === 'memory')
        mergeSeed(new MemoryStore(), seed, { ...tools, profile });
      else refuseMistakes(seed, seed.mistakes);
    });
  }
  const [only] = errors;
  throw only !== undefined && errors.length === 1 ? only : new StartError(errors);
}

function limitsOf(profile: Profile | undefined): Partial<Behaviours> {
  if (profile === undefined) return {};
  const { maxSources, requestsPerSecond } = profile.limits;
  return { 'max-sources': maxSources ?? 'off', rate: requestsPerSecond };
}
