/** Runs the real program beside the test, which can signal, kill or await it. */
import { programArgs, type Running } from './cli';
import { startProcess } from './run-process';

export type Background = ReturnType<typeof startProcess>;

/** Starts the program. The caller awaits `ended` before the end of the test. */
export function startTether(args: readonly string[], { cwd, env = {} }: Running): Background {
  return startProcess(process.execPath, [...programArgs, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
  });
}

/** This is more than any machine needs, and less than the runner's timeout, so that a failure names the condition. */
const maxLooks = 100_000;

/** Checks the condition every few milliseconds. Resolves when it holds, and rejects if it never does. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  for (let looks = 0; !condition(); looks += 1) {
    if (looks === maxLooks) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
