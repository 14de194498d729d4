/** Runs the real command line, and shows each command with its output. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const main = join(__dirname, '../../cli/main.js');

/** The folder and the environment of the demo's commands. */
export interface Stage {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

const bold = (text: string): string => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[22m` : text);

/** Prints a remark of the narrator. */
export function say(text: string): void {
  process.stdout.write(`\n# ${text}\n`);
}

/** Prints `$ tether …` and runs it with its output. Throws on any other exit code than `expected`. */
export function tether(stage: Stage, expected: number, ...args: readonly string[]): Promise<void> {
  process.stdout.write(`\n${bold(`$ tether ${args.join(' ')}`)}\n`);
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: stage.folder,
      env: stage.env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', failed);
    child.on('exit', (code, signal) => {
      const ended = signal ?? `exit code ${code}`;
      process.stdout.write(`(${ended})\n`);
      if (code === expected) done();
      else
        failed(
          new Error(`tether ${args.join(' ')}: expected exit code ${expected}, but it ended with ${ended}`),
        );
    });
  });
}
