/** A temporary folder with a manifest, in which the command `tether` runs as a user types it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { program } from '../support/cli';
import { type Ended, runProcess } from '../support/run-process';
import type { LedgerContent, PlannedStep } from './scope';
import { type Environment, Refused } from './settings';

/** A step did not do what it should. The message may quote the command's errors, which hold no secret. */
export class StepFailed extends Error {}

/** Runs the command `tether`. */
export type Tether = (
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Environment },
) => Promise<Ended>;

/** The program that users run, in a process of its own. */
export const tetherProgram: Tether = (args, { cwd, env }) =>
  runProcess(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH, ...env } });

/** What the suite reads of the document that `--json` prints. */
export interface Printed {
  readonly outcome: string;
  readonly digest?: string;
  readonly plan?: {
    readonly steps: readonly PlannedStep[];
    readonly problems: readonly unknown[];
    readonly unknown: readonly unknown[];
    readonly blockers: readonly unknown[];
    readonly losses: { readonly count: number };
    readonly unchanged: number;
  };
  readonly result?: { readonly steps: readonly { readonly status: string; readonly code?: string }[] };
  readonly drift?: { readonly rows: readonly { readonly address: string; readonly state: string }[] };
  readonly manifest?: string;
}

export interface CommandRun extends Ended {
  readonly command: string;
  readonly printed: Printed;
}

const manifestFile = 'acceptance.tether.yaml';

export class CommandFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tether-acceptance-'));

  constructor(
    private readonly tether: Tether,
    /** All variables of the command besides PATH. */
    readonly env: Record<string, string>,
  ) {}

  write(manifest: object): void {
    writeFileSync(join(this.path, manifestFile), stringify(manifest));
  }

  /** Runs a command with `--json`, and reads its document. */
  async run(...args: readonly string[]): Promise<CommandRun> {
    const ended = await this.tether([...args, '--json'], { cwd: this.path, env: this.env });
    return { ...ended, command: `tether ${args[0]}`, printed: parsed(ended) };
  }

  /** Undefined before the first apply. Throws `Refused` for a file that cannot be understood. */
  ledger(): LedgerContent | undefined {
    const file = join(this.path, 'tether.ledger.json');
    if (!existsSync(file)) return undefined;
    const { objects, pending } = JSON.parse(readFileSync(file, 'utf8')) as Partial<LedgerContent>;
    if (objects === undefined || pending === undefined) throw new Refused(['The ledger has another form.']);
    return { objects, pending };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function parsed({ stdout, stderr }: Ended): Printed {
  try {
    return JSON.parse(stdout) as Printed;
  } catch {
    throw new StepFailed(`The command printed no JSON document. Its errors: ${stderr}`);
  }
}
