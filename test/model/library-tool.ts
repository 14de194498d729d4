/** The tool through the library's front door, in this process: what the command line does, with virtual time and cheap digests. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as tether from '../../index';
import '../support/cheap-digests';
import { givenToken } from './organization';
import {
  type Applied,
  type Drifted,
  type LedgerState,
  type Planned,
  type RunOptions,
  readDrift,
  readLedger,
  readPlan,
  type Tool,
} from './outcome';
import { ClientTime } from './virtual-time';

export interface LibrarySettings {
  /** The gateway's base URL. */
  readonly address: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Steps under way at once. */
  readonly concurrency: number;
  /** Called with the milliseconds that a wait of the client took. */
  readonly onWait?: (milliseconds: number) => void;
  /** Called before and after each line of the journal. */
  readonly onJournal?: (when: 'before' | 'after') => void;
}

const plain = { color: false, width: null };
const nothing = { mistakes: [], steps: [], unknown: [], problems: [], blockers: [] };
const never = new Promise<never>(() => undefined);

/** One folder, one service; commands are called one after the other, as people do. */
export class LibraryTool implements Tool {
  #stop = new AbortController();
  #killed = false;
  #die: (cause: Error) => void = () => undefined;

  readonly showsJournal = true;

  constructor(private readonly settings: LibrarySettings) {}

  async validate(): Promise<number> {
    const { folder } = this.settings;
    return tether.readManifests(folder, { cwd: folder }).manifests === null ? 1 : 0;
  }

  async plan(options: RunOptions = {}): Promise<Planned> {
    return this.#run(false, async (manifests, open) => {
      const made = await this.#make(this.#reader(), manifests, open, this.#options(options));
      return {
        ...this.#planned(made.plan, this.#shown(made.plan)),
        digest: this.#digest(made.plan, manifests),
      };
    });
  }

  async drift(): Promise<Drifted> {
    const none = { items: [], pending: [] };
    let drifted: Drifted | undefined;
    const planned = await this.#run(false, async (manifests, open) => {
      const made = await this.#make(this.#reader(), manifests, open, {});
      const report = tether.drift(made.inputs, made.plan);
      const read = readDrift(report);
      const unsure = read.unknown.length > 0 || read.problems.length > 0;
      const exit = unsure ? 1 : read.items.length > 0 ? 2 : 0;
      const text = tether.renderDrift(report, plain) + JSON.stringify(report);
      drifted = { state: 'planned', ...read, exit, text };
      return this.#planned(made.plan, text);
    });
    return drifted ?? { ...planned, ...none };
  }

  async apply(options: RunOptions = {}): Promise<Applied> {
    return this.#run(true, async (manifests, open) => {
      const api = this.#alive(tether.createClient(this.#connection()));
      const made = await this.#make(api, manifests, open, this.#options(options));
      const planned = this.#planned(made.plan, this.#shown(made.plan));
      const isStale = options.expect !== undefined && options.expect !== this.#digest(made.plan, manifests);
      if (isStale || planned.blockers.length > 0) return { ...planned, exit: 1 };
      const context = { env: this.settings.env, root: this.settings.folder };
      const secrets = tether.resolveSecrets(tether.neededSecrets(made.plan), context);
      if (secrets.failures.length > 0) {
        return {
          ...planned,
          exit: 1,
          text: planned.text + secrets.failures.map(({ why }) => why).join('\n'),
        };
      }
      const { journal } = open;
      if (journal === undefined) throw new Error('the ledger was opened for writing and has no journal');
      const result = await tether.apply({
        api,
        plan: made.plan,
        ledger: open.ledger,
        observed: made.inputs.observed,
        journal: { append: (record) => this.#journaled(() => journal.append(record)) },
        secrets,
        concurrency: this.settings.concurrency,
        signal: this.#stop.signal,
      });
      await open.finish();
      const undone = planned.exit === 1 || result.steps.some(({ status }) => status !== 'done');
      const exit = result.interrupted ? 130 : undone ? 1 : 0;
      const text = planned.text + tether.renderApplySummary(result, made.plan, plain);
      return { ...planned, exit, results: result.steps, text: text + JSON.stringify(result) };
    });
  }

  kill(): void {
    this.#killed = true;
    this.#stop.abort();
    this.#die(new Killed());
  }

  interrupt(): void {
    this.#stop.abort();
  }

  async ledger(): Promise<LedgerState> {
    const { folder } = this.settings;
    try {
      return readLedger(await tether.inspectLedger(folder));
    } catch (error) {
      // Where another ledger stands above or below, no command looks into this one.
      const file = join(folder, 'tether.ledger.json');
      if (!String(error).includes('one ledger')) throw error;
      return readLedger(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
    }
  }

  async close(): Promise<void> {
    this.kill();
  }

  #connection(): tether.ClientOptions {
    const { address } = this.settings;
    const { signal } = this.#stop;
    const clock = new ClientTime(this.settings.onWait);
    return { address, token: givenToken, rate: 1_000_000, clock, random: () => 0.5, signal };
  }

  #reader(): tether.ReadApi {
    return tether.createReadOnlyClient(this.#connection());
  }

  #make(
    api: tether.ReadApi,
    manifests: tether.Manifests,
    open: tether.OpenLedger,
    options: tether.PlanOptions,
  ): Promise<tether.MadePlan> {
    const { env } = this.settings;
    return tether.plan({ api, manifests, ledger: open.ledger, options, env });
  }

  #shown(plan: tether.Plan): string {
    return tether.renderPlan(plan, plain) + JSON.stringify(plan);
  }

  #planned(plan: tether.Plan, text: string): Planned {
    const read = readPlan(plan);
    const exit = read.unknown.length > 0 || read.problems.length > 0 ? 1 : 0;
    return { state: 'planned', mistakes: [], ...read, text, exit };
  }

  #digest(plan: tether.Plan, manifests: tether.Manifests): string {
    return tether.planDigest({ plan, manifests, address: this.settings.address });
  }

  #options(options: RunOptions): tether.PlanOptions {
    return {
      writeSecrets: options.writeSecrets,
      maxDeletes: options.maxDeletes,
      acceptMissing: options.acceptMissing,
      destroy: options.destroy ?? false,
    };
  }

  /** The same calls; once the run is killed, none of them begins or ends. */
  #alive(api: tether.Api): tether.Api {
    const guard = <Part extends object>(part: Part): Part =>
      new Proxy(part, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member === 'object' && member !== null) return guard(member);
          if (typeof member !== 'function') return member;
          return (...values: unknown[]): unknown => {
            if (this.#killed) return never;
            const hold = (): unknown => (this.#killed ? never : undefined);
            return (Reflect.apply(member, target, values) as Promise<unknown>).then(
              async (result) => {
                await hold();
                return result;
              },
              async (error: unknown) => {
                await hold();
                throw error;
              },
            );
          };
        },
      });
    return guard(api);
  }

  async #journaled(append: () => Promise<void>): Promise<void> {
    if (this.#killed) return never;
    this.settings.onJournal?.('before');
    if (this.#killed) return never;
    await append();
    this.settings.onJournal?.('after');
    if (this.#killed) return never;
  }

  async #run(write: boolean, work: Work): Promise<Applied> {
    const { folder } = this.settings;
    this.#stop = new AbortController();
    this.#killed = false;
    const dead = new Promise<never>((_, reject) => {
      this.#die = reject;
    });
    dead.catch(() => undefined);
    try {
      const { manifests, issues, sources } = tether.readManifests(folder, { cwd: folder });
      if (manifests === null) {
        const mistakes = issues.filter(({ severity }) => severity === 'error');
        const text = JSON.stringify(issues) + tether.renderIssues(issues, sources, plain);
        return { ...nothing, state: 'mistakes', exit: 1, mistakes: mistakes.map(({ rule }) => rule), text };
      }
      const open = await tether.openLedger(manifests, { write, command: 'model' });
      try {
        return await Promise.race([work(manifests, open), dead]);
      } finally {
        await open.close();
      }
    } catch (error) {
      if (error instanceof Killed) return { ...nothing, state: 'planned', exit: 137, killed: true, text: '' };
      return {
        ...nothing,
        state: 'refused',
        exit: 1,
        text: `${error instanceof Error ? error.stack : String(error)}`,
      };
    }
  }
}

type Work = (manifests: tether.Manifests, open: tether.OpenLedger) => Promise<Applied>;

class Killed extends Error {}
