/** How eager V8 is, by the size of what is run: its own settings suit programs that run for long. */
import { setFlagsFromString } from 'node:v8';

interface Setting {
  readonly small: string;
  /** Node's own, but for the heap's. */
  readonly large: string;
}

/** Optimised code hardly pays in a run of a second or two: a third of the CPU went into compiling it. By major version, as names differ. */
const compiling: Readonly<Record<string, Setting>> = {
  20: { small: '--interrupt-budget=1000000', large: '--interrupt-budget=67584' },
  22: { small: '--invocation-count-for-turbofan=30000', large: '--invocation-count-for-turbofan=3000' },
  24: { small: '--invocation-count-for-turbofan=30000', large: '--invocation-count-for-turbofan=3000' },
};

const cleaning: readonly Setting[] = [
  // What most runs drop fits the first semi-spaces; grown ones hold up to 32 MiB.
  { small: '--semi-space-growth-factor=1', large: '--semi-space-growth-factor=2' },
  // Else the heap grows to four times of what is alive before it is cleaned.
  { small: '--heap-growing-percent=50', large: '--heap-growing-percent=130' },
];

let started: readonly Setting[] = [];

/** For a process that is the command line's own, before anything runs; by the version of its Node. */
export function startSmall(version: string): void {
  started = [...cleaning, compiling[version.split('.')[0] ?? ''] ?? []].flat();
  for (const { small } of started) setFlagsFromString(small);
}

/** Once much is to be done; a process with settings of its own keeps them. */
export function goLarge(): void {
  for (const { large } of started) setFlagsFromString(large);
  started = [];
}
