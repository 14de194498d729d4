/** What the provider and the resource classes take from the process they run in. The only file here that touches it. */

/** Environment, folder and output of a process; tests make their own. */
export interface Surroundings {
  /** Read at each call, since a test or a program may set variables late. */
  variable(name: string): string | undefined;
  /** Absolute. */
  folder(): string;
  /** Tells the user one line; the engine shows what the provider prints. */
  say(line: string): void;
}

/** Those of this process. An empty variable counts as not set. */
export const processSurroundings: Surroundings = {
  variable: (name) => {
    const value = process.env[name];
    return value === undefined || value === '' ? undefined : value;
  },
  folder: () => process.cwd(),
  say: (line) => {
    process.stdout.write(`${line}\n`);
  },
};
