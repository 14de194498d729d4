/** Finds the processes that this one started, with their descendants, and kills them like a loss of power. */
import { readdirSync, readFileSync } from 'node:fs';

/** Returns the ids of descendants whose command line contains the text, and of their descendants. Reads /proc. */
export function descendants(text: string): readonly number[] {
  const parents = new Map<number, number>();
  const commands = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/u.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
      commands.set(Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8'));
    } catch {
      // It ended meanwhile.
    }
  }
  const isOurs = (id: number): boolean => {
    const parent = parents.get(id);
    if (parent === undefined || parent <= 1) return false;
    return parent === process.pid ? (commands.get(id) ?? '').includes(text) : isOurs(parent);
  };
  return [...parents.keys()].filter(isOurs);
}

/** Ends them at once, without a chance to clean up. */
export function killAll(ids: readonly number[]): void {
  for (const id of ids) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
}
