/** What a command is given, and how the command line hands it over. */
import type { OutputFlags } from './flags';
import type { Io } from './io';
import type { Output } from './output';

/** One run of a command: its flags checked, its arguments, what it prints with, the world. */
export interface Call<Flags extends OutputFlags> {
  readonly command: string;
  readonly flags: Flags;
  readonly args: readonly string[];
  readonly output: Output;
  readonly io: Io;
}

/** Runs one command and keeps its exit code. */
export type Dispatch = <Flags extends OutputFlags>(
  command: string,
  flags: Flags,
  args: readonly string[],
  execute: (call: Call<Flags>) => Promise<number>,
) => Promise<void>;
