/** Runs the tool as a library in this process. It works like the command line, with virtual time and cheap digests. */
import * as tether from '../../index';
import '../support/cheap-digests';
import { VirtualClock } from '../support/virtual-clock';
import { givenToken } from './organization';
import type { Site } from './site';
import type { Applied, Drifted, Planned, RunOptions, Tool } from './tool';

const nothing = { steps: [], unknown: [], problems: [], blockers: [] };
const never = new Promise<never>(() => undefined);
const place = 'tether.ledger.json';
const render = { color: false, width: null };

class Killed extends Error {}

/** The place and the settings of a tool. */
export interface Playing {
  readonly site: Site;
  readonly env: Readonly<Record<string, string>>;
  /** Called around each save of the ledger. */
  readonly onSave: (when: 'before' | 'after') => void;
  /** Called when an apply has its plan. */
  readonly onQuestion: () => Promise<void>;
}

/** The objects that one command uses. */
interface Opened {
  readonly manifests: tether.Manifests;
  readonly ledger: tether.Ledger;
  readonly store: tether.LedgerStore;
}

class LibraryTool implements Tool {
  #stop = new AbortController();
  #killed = false;
  /** Each run has a token of its own, so that the gateway knows the requests of a killed one. */
  #token = givenToken;
  #runs = 0;
  #die: (cause: Error) => void = () => undefined;

  constructor(private readonly course: Playing) {}

  async validate(): Promise<boolean> {
    return this.#read().manifests !== null;
  }

  async plan(options: RunOptions = {}): Promise<Planned> {
    return this.#run(false, async (opened) => {
      const { plan, digest } = await this.#make(this.#api(), opened, options);
      return this.#planned(plan, digest);
    });
  }

  async drift(): Promise<Drifted> {
    let drifted: Drifted | undefined;
    const { text, state } = await this.#run(false, async ({ manifests, ledger }) => {
      const report = await tether.drift({ api: this.#api(), manifests, ledger, place });
      const { rows, unknown } = report;
      drifted = { state: 'planned', rows, unknown, text: JSON.stringify(report) };
      return { ...nothing, state: 'planned', text: drifted.text };
    });
    return drifted ?? { state, text, rows: [], unknown: [] };
  }

  async apply(options: RunOptions = {}): Promise<Applied> {
    return this.#run(true, async (opened) => {
      const { manifests, ledger, store } = opened;
      const api = this.#alive(this.#api());
      const { plan, observed, digest } = await this.#make(api, opened, options);
      const planned = this.#planned(plan, digest);
      const isStale = options.expect !== undefined && options.expect !== digest;
      if (isStale) return planned;
      // Values of the ledger may need recording where there is no step.
      if (plan.steps.length + plan.toRecord.length === 0) return { ...planned, results: [] };
      const context = { env: this.course.env, root: manifests.folder };
      const secrets = tether.resolveSecrets(tether.neededSecrets(plan), context);
      const { failures } = secrets;
      if (failures.length > 0) return { ...planned, text: failures.map(({ why }) => why).join('\n') };
      await this.course.onQuestion();
      const { signal } = this.#stop;
      const given = { api, plan, ledger, observed, store, secrets, signal };
      let ticks = 0;
      // Links are saved once a second. This clock makes that every few links.
      const now = (): number => {
        ticks += 300;
        return ticks;
      };
      const { concurrency } = this.course.site.conditions;
      const result = await tether.apply({ ...given, concurrency, now });
      const { steps } = result;
      return { ...planned, results: steps, text: planned.text + JSON.stringify(result) };
    });
  }

  kill(): void {
    this.#killed = true;
    this.course.site.gateway.dead.add(`Bearer ${this.#token}`);
    this.#stop.abort();
    this.#die(new Killed());
  }

  interrupt(): void {
    this.#stop.abort();
  }

  #read(): tether.ReadManifests {
    const { folder } = this.course.site;
    return tether.readManifests(folder, { cwd: folder });
  }

  #api() {
    const { address, time } = this.course.site;
    const clock = new VirtualClock((milliseconds) => time.pass(milliseconds));
    const { signal } = this.#stop;
    return tether.createClient({
      address,
      token: this.#token,
      rate: 1_000_000,
      clock,
      random: () => 0.5,
      signal,
    });
  }

  #make(api: tether.ReadApi, { manifests, ledger }: Opened, { destroy = false, maxDeletes }: RunOptions) {
    return tether.plan({ api, manifests, ledger, place, env: this.course.env, destroy, maxDeletes });
  }

  #planned(plan: tether.Plan, digest: string): Planned {
    const report = tether.renderText(
      tether.planReport(plan, digest, { displayName: (id) => id, again: () => '' }),
      false,
    );
    const { steps, unknown, problems, blockers } = JSON.parse(JSON.stringify(plan)) as Planned;
    const text = report + JSON.stringify(plan);
    return { state: 'planned', steps, unknown, problems, blockers, digest, text };
  }

  /** Wraps the calls. After a kill, none of them begins or ends. */
  #alive<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === 'object' && member !== null) return this.#alive(member);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]): unknown => {
          if (this.#killed) return never;
          const result: unknown = Reflect.apply(member, target, values);
          return result instanceof Promise ? this.#unlessKilled(result) : this.#wrapped(result);
        };
      },
    });
  }

  /** Wraps the calls of one step too. */
  #wrapped(result: unknown): unknown {
    return typeof result === 'object' && result !== null ? this.#alive(result) : result;
  }

  async #unlessKilled(result: Promise<unknown>): Promise<unknown> {
    try {
      const value = await result;
      return this.#killed ? await never : value;
    } catch (error) {
      if (this.#killed) await never;
      throw error;
    }
  }

  /** Wraps the store, so that each save is watched. */
  #watched(store: tether.LedgerStore): tether.LedgerStore {
    const save = store.save.bind(store);
    store.save = async (ledger, before) => {
      if (!this.#killed) this.course.onSave('before');
      if (this.#killed) return never;
      await save(ledger, before);
      if (!this.#killed) this.course.onSave('after');
      if (this.#killed) await never;
    };
    return store;
  }

  async #run(isWrite: boolean, work: (opened: Opened) => Promise<Applied>): Promise<Applied> {
    const { folder } = this.course.site;
    this.#stop = new AbortController();
    this.#killed = false;
    this.#runs += 1;
    this.#token = `${givenToken}.${this.#runs}`;
    const dead = new Promise<never>((_, reject) => {
      this.#die = reject;
    });
    dead.catch(() => undefined);
    try {
      const read = this.#read();
      const { manifests, issues, sources } = read;
      const said = JSON.stringify(issues) + tether.renderIssues(issues, sources, render);
      if (manifests === null) return { ...nothing, state: 'mistakes', text: said };
      const { organization } = manifests;
      const store = tether.openStore({ folder, organization, cwd: folder });
      if (isWrite) await store.lock({ who: 'model' }, 0);
      try {
        const ledger = (await store.read()) ?? tether.emptyLedger(organization);
        tether.refuseOtherService({ ledger, place, manifests }, this.course.site.address);
        const named = await this.#named(read, manifests);
        return await Promise.race([work({ manifests: named, ledger, store: this.#watched(store) }), dead]);
      } finally {
        // The lock of a killed run counts as free, because it has no heartbeat any more.
        if (isWrite) await store.unlock();
      }
    } catch (error) {
      if (error instanceof Killed) return { ...nothing, state: 'planned', killed: true, text: '' };
      return {
        ...nothing,
        state: 'refused',
        text: `${error instanceof Error ? error.stack : String(error)}`,
      };
    }
  }

  async #named(read: tether.ReadManifests, manifests: tether.Manifests): Promise<tether.Manifests> {
    const { profile, nameReferences: names, organization, folder } = manifests;
    if (!profile.capabilities.lookupByName || names.size === 0) return manifests;
    const lookups = await tether.lookUpNames(this.#api(), organization, names.keys());
    const again = tether.readAgain(read, { cwd: folder, lookups });
    if (again.manifests === null) throw new Error(JSON.stringify(again.issues));
    return again.manifests;
  }
}

export const makeTool = (course: Playing): Tool => new LibraryTool(course);
