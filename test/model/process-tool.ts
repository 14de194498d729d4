/** The tool as people run it: a `tether` process for each command; a kill is SIGKILL, Ctrl-C is SIGINT. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { MakeTool } from './course';
import { LibraryTool } from './library-tool';
import { givenToken } from './organization';
import {
  type Applied,
  type Drifted,
  type LedgerState,
  type Planned,
  type RunOptions,
  readDrift,
  readPlan,
  type StepOutcome,
  type Tool,
} from './outcome';

const program = resolve(__dirname, '../../cli/main.js');

export interface ProcessSettings {
  readonly address: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What `--json` prints, as far as it is looked at. */
interface Document {
  readonly exitCode: number;
  readonly issues?: readonly { readonly rule: string; readonly severity: string }[];
  readonly plan?: unknown;
  readonly digest?: string;
  readonly drift?: unknown;
  readonly result?: { readonly steps: readonly StepOutcome[] };
}

interface Ended {
  /** Null where it was killed. */
  readonly exit: number | null;
  readonly text: string;
  readonly document: Document | undefined;
}

const nothing = { mistakes: [], steps: [], unknown: [], problems: [], blockers: [] };

function flagsOf(options: RunOptions): string[] {
  const { writeSecrets, maxDeletes, acceptMissing, expect } = options;
  return [
    ...(writeSecrets === true ? ['--write-secrets'] : []),
    ...(maxDeletes === undefined ? [] : ['--max-deletes', String(maxDeletes)]),
    ...(acceptMissing === undefined ? [] : ['--accept-missing', String(acceptMissing)]),
    ...(expect === undefined ? [] : ['--expect', expect]),
  ];
}

class ProcessTool implements Tool {
  readonly showsJournal = false;
  #running: ChildProcess | undefined;

  constructor(private readonly settings: ProcessSettings) {}

  async validate(): Promise<number> {
    return (await this.#run(['validate'], false)).exit ?? 1;
  }

  async plan(options: RunOptions = {}): Promise<Planned> {
    return this.#planned(await this.#run(['plan', ...flagsOf(options)]));
  }

  async drift(): Promise<Drifted> {
    const ended = await this.#run(['drift']);
    const { drift } = ended.document ?? {};
    const { state, exit, text } = this.#planned(ended);
    if (drift === undefined) return { state, exit, text, items: [], unknown: [], problems: [], pending: [] };
    return { state: 'planned', exit, text, ...readDrift(drift) };
  }

  async apply(options: RunOptions = {}): Promise<Applied> {
    const command = options.destroy === true ? 'destroy' : 'apply';
    const ended = await this.#run([command, '--yes', ...flagsOf(options)]);
    const planned = this.#planned(ended);
    if (ended.exit === null) return { ...planned, state: 'planned', exit: 137, killed: true };
    const { result } = ended.document ?? {};
    return result === undefined ? planned : { ...planned, results: result.steps };
  }

  kill(): void {
    this.#running?.kill('SIGKILL');
  }

  interrupt(): void {
    this.#running?.kill('SIGINT');
  }

  /** Read in this process: no promise is about how somebody looks into the file. */
  ledger(): Promise<LedgerState> {
    return new LibraryTool({ ...this.settings, concurrency: 1 }).ledger();
  }

  async close(): Promise<void> {
    this.kill();
  }

  #planned({ exit, text, document }: Ended): Planned {
    const issues = document?.issues?.filter(({ severity }) => severity === 'error') ?? [];
    const mistakes = issues.map(({ rule }) => rule);
    const base = { ...nothing, mistakes, exit: exit ?? 137, text };
    if (document?.plan === undefined)
      return { ...base, state: mistakes.length > 0 ? ('mistakes' as const) : ('refused' as const) };
    const { digest } = document;
    return {
      ...base,
      state: 'planned',
      ...readPlan(document.plan),
      ...(digest === undefined ? {} : { digest }),
    };
  }

  #run(args: readonly string[], online = true): Promise<Ended> {
    const { address, folder, env } = this.settings;
    const variables = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('file:')));
    const child = spawn(
      process.execPath,
      [program, ...args, '--json', ...(online ? ['--rate', '1000000'] : [])],
      {
        cwd: folder,
        env: { ...variables, TETHER_TOKEN: givenToken, TETHER_ADDRESS: address, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    // Where two run at once, the first is the one that is killed or interrupted.
    this.#running = child;
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    return new Promise((ended) => {
      child.on('close', (exit) => {
        this.#running = undefined;
        ended({ exit, text: stdout + stderr, document: documentIn(stdout) });
      });
    });
  }
}

/** What a process that was killed printed is no document. */
function documentIn(stdout: string): Document | undefined {
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    return undefined;
  }
}

/** Real time, because the processes wait in theirs. */
export const processTool: MakeTool = Object.assign(
  ({ site, env }: Parameters<MakeTool>[0], elsewhere?: Parameters<MakeTool>[1]): Tool =>
    new ProcessTool({
      address: elsewhere?.address ?? site.gateway.url,
      folder: elsewhere?.folder ?? site.folder,
      env,
    }),
  { realTime: true as const },
);
