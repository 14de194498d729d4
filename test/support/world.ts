/** One world for tests: the embedded service, a folder of manifests with its ledger, and a clock. The library and the command line work in it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Api } from '../../client/api';
import { createClient, type StepwiseApi } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import type { Manifests } from '../../manifest/desired';
import { renderIssues } from '../../manifest/issues';
import type { LedgerPlace } from '../../manifest/ledger-place';
import { readAgain, readManifests } from '../../manifest/read';
import { lookUpNames } from '../../observation/names';
import { applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import type { ApplyOptions, ApplyResult } from '../../reconciler/apply/run';
import { detectDrift } from '../../reconciler/drift';
import { emptyLedger, type Ledger } from '../../reconciler/ledger/ledger';
import { openStore } from '../../reconciler/ledger/open-store';
import type { LedgerStore } from '../../reconciler/ledger/store';
import { type MadePlan, type MakePlanOptions, makePlan } from '../../reconciler/make-plan';
import type { Lookups } from '../../resources/names';
import { resolveSecrets } from '../../resources/secrets';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { acmeHead, acmeSeed, bareHead, clientEntry } from './acme';
import { type Hands, type Running, tether, tetherHere } from './cli';
import type { Ended } from './run-process';
import { VirtualClock } from './virtual-clock';

export const head = acmeHead;

/** A client whose fields a test may change by their lines. */
export const github = `oauthClients:\n${clientEntry('github')}`;

export interface WorldOptions extends Omit<ServiceOptions, 'clock'> {
  readonly token?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), 'tether-world-'));
  env: Record<string, string>;
  token: string;
  /** The base URL that the library's clients use. */
  address: string;
  /** A home of the ledger on a server. */
  ledgerPlace: LedgerPlace | null = null;

  /** The clock of the library's clients, whose waits cost no time. */
  private constructor(
    readonly service: Service,
    readonly clock: VirtualClock,
    { token = 'owner', env = {} }: WorldOptions,
  ) {
    this.token = token;
    this.address = service.url;
    this.env = { GIT_TOKEN: 'git-token-value', GIT_SECRET: 'git-secret-value', ...env };
  }

  /** The service has the clock too, so time passes only where something waits. */
  static async open(options: WorldOptions = {}): Promise<World> {
    const clock = new VirtualClock();
    const { token: _, env: __, ...service } = options;
    const time = {
      now: () => clock.now(),
      wait: (milliseconds: number, signal: AbortSignal) => clock.sleep(milliseconds, signal),
    };
    const started = await createService({ seed: acmeSeed(), ...service, clock: time });
    return new World(started, clock, options);
  }

  /** The service has real time, for commands and their processes, and counts no requests. */
  static async start(
    seed: SeedObject | string = acmeSeed(),
    options: Omit<ServiceOptions, 'seed'> = {},
  ): Promise<World> {
    const behaviours = { 'rate-limit': 'off', ...options.behaviours };
    const service = await createService({ ...options, behaviours, seed });
    const token = 'owner-token';
    const env = {
      TETHER_ADDRESS: service.url,
      TETHER_TOKEN: token,
      GIT_TOKEN: 'git-secret-canary',
      // Only the client's own tests need the wait before each request.
      TETHER_RATE: '100000',
    };
    return new World(service, new VirtualClock(), { token, env });
  }

  /** Another folder of the same service. */
  beside(): World {
    return new World(this.service, this.clock, { token: this.token });
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(text: string, file = 'main.tether.yaml'): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(file: string): void {
    rmSync(join(this.folder, file), { recursive: true, force: true });
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  has(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  /** The ledger in the folder. */
  get saved(): Ledger {
    return JSON.parse(this.read('tether.ledger.json')) as Ledger;
  }

  /** Somebody else with the owner's token, past every manifest. */
  get somebody(): Api {
    return this.api();
  }

  api(options: Partial<ClientOptions> = {}): StepwiseApi {
    const { token, clock, address } = this;
    return createClient({ address, token, rate: Infinity, clock, ...options });
  }

  store(): LedgerStore {
    const { folder, ledgerPlace: ledger, env } = this;
    return openStore({ folder, organization: 'acme', cwd: folder, ledger, env });
  }

  async ledger(): Promise<Ledger> {
    return (await this.store().read()) ?? emptyLedger('acme');
  }

  /** Throws an error with every mistake in the manifests. */
  async manifests(api: StepwiseApi): Promise<Manifests> {
    const read = readManifests(this.folder, { cwd: this.folder });
    const { manifests } = read;
    if (manifests === null) throw new Error(renderIssues(read.issues, read.sources, { color: false }));
    if (!manifests.profile.capabilities.lookupByName) return manifests;
    const lookups: Lookups = await lookUpNames(api, manifests.organization, manifests.nameReferences.keys());
    return readAgain(read, { cwd: this.folder, lookups }).manifests ?? manifests;
  }

  async plan(options: Partial<MakePlanOptions> = {}): Promise<MadePlan & { readonly manifests: Manifests }> {
    const api = this.api();
    const manifests = await this.manifests(api);
    const ledger = await this.ledger();
    const planned = await makePlan({
      api,
      manifests,
      ledger,
      place: 'tether.ledger.json',
      env: this.env,
      ...options,
    });
    return { ...planned, manifests };
  }

  /** Plans and applies. Rejects with `PlanBlocked` if the plan has blockers. */
  async apply(
    options: Partial<MakePlanOptions> = {},
    more: Partial<ApplyOptions> = {},
  ): Promise<MadePlan & { readonly result: ApplyResult }> {
    const store = more.store ?? this.store();
    await store.lock({ who: 'test' }, 0);
    try {
      const { manifests, ...made } = await this.plan(options);
      const neededValues = neededSecrets(made.plan);
      const secrets = resolveSecrets(neededValues, { env: this.env, root: this.folder });
      assert.deepEqual(secrets.failures, []);
      const { plan, observed } = made;
      const ledger = await this.ledger();
      const all = { api: this.api(), plan, observed, ledger, store, secrets, ...more };
      return { ...made, result: await applyPlan(all) };
    } finally {
      await store.unlock();
    }
  }

  /** Applies, expects that each step is done, then plans again and expects nothing. */
  async settle(options: Partial<MakePlanOptions> = {}): Promise<MadePlan & { readonly result: ApplyResult }> {
    const applied = await this.apply(options);
    const failed = applied.result.steps.filter(({ status }) => status !== 'done');
    assert.deepEqual(failed, []);
    await this.expectNothing(options);
    return applied;
  }

  async expectNothing(options: Partial<MakePlanOptions> = {}): Promise<void> {
    const { plan } = await this.plan(options);
    const { steps, problems, unknown, blockers, toRecord } = plan;
    assert.deepEqual(
      { steps, problems, unknown, blockers, toRecord },
      { steps: [], problems: [], unknown: [], blockers: [], toRecord: [] },
    );
  }

  async drift(): ReturnType<typeof detectDrift> {
    const api = this.api();
    const manifests = await this.manifests(api);
    return detectDrift({
      api,
      manifests,
      ledger: await this.ledger(),
      place: 'tether.ledger.json',
    });
  }

  /** Lets time pass in which nothing happens. */
  async pass(milliseconds: number): Promise<void> {
    await this.clock.sleep(milliseconds);
  }

  /** Runs the real program in this folder. `env` is added to the world's. */
  async tether(args: readonly string[], more: Partial<Running> = {}): Promise<Ended> {
    return tether(args, { cwd: this.folder, ...more, env: { ...this.env, ...more.env } });
  }

  /** The same in this process, for tests that answer questions, press Ctrl-C or turn the clock. */
  async here(args: readonly string[], more: Partial<Hands> = {}): Promise<Ended> {
    return tetherHere(args, { cwd: this.folder, ...more, env: { ...this.env, ...more.env } });
  }

  /** Expects this exit code. A failure shows the output. */
  async expect(code: number, args: readonly string[], more: Partial<Running> = {}): Promise<Ended> {
    const ended = await this.here(args, more);
    assert.equal(ended.code, code, `tether ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
    return ended;
  }

  /** Applies, and expects that planning again finds nothing; `args` go to both. */
  async applyAndExpectNothing(args: readonly string[] = [], more: Partial<Running> = {}): Promise<Ended> {
    const applied = await this.expect(0, ['apply', '--yes', ...args], more);
    const again = await this.expect(0, ['plan', ...args], more);
    assert.match(again.stdout, /^No changes\./m);
    return applied;
  }

  /** Approves like a user: writes the printed lines into a file of their own. */
  async approve(args: readonly string[], more: Partial<Running> = {}): Promise<void> {
    const { stdout } = await this.expect(1, args, more);
    const lines = [...stdout.matchAll(/^ *(- \{ (?:destroy|replace): .*\})$/gm)].map(
      ([, line]) => `  ${line}\n`,
    );
    assert.notDeepEqual(lines, [], stdout);
    this.write(`${bareHead}approved:\n${lines.join('')}`, 'approved.tether.yaml');
  }

  /** Method and route of every write since the last call of this. */
  writes(): string[] {
    const writes = this.service.requests().filter((request) => request.method !== 'GET');
    this.service.clearRequests();
    return writes.map((write) => `${write.method} ${write.route}`);
  }
}
