/** One world for tests: the embedded service, a folder of manifests with its ledger, and a clock that costs no time. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type StepwiseApi } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import type { Lookups, Manifests } from '../../manifest/desired';
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
import { resolveSecrets } from '../../resources/secrets';
import { createService, type Service, type ServiceOptions } from '../../service';
import { acmeSeed } from './acme';
import { VirtualClock } from './virtual-clock';

export interface WorldOptions extends Omit<ServiceOptions, 'clock'> {
  readonly token?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class FolderWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'tether-world-'));
  readonly clock: VirtualClock;
  env: Record<string, string | undefined>;
  token: string;
  /** A home of the ledger on a server. */
  ledgerPlace: LedgerPlace | null = null;

  private constructor(
    readonly service: Service,
    clock: VirtualClock,
    { token = 'owner', env = {} }: WorldOptions,
  ) {
    this.clock = clock;
    this.token = token;
    this.env = { GIT_TOKEN: 'git-token-value', GIT_SECRET: 'git-secret-value', ...env };
  }

  static async open(options: WorldOptions = {}): Promise<FolderWorld> {
    const clock = new VirtualClock();
    const { token: _, env: __, ...service } = options;
    const time = {
      now: () => clock.now(),
      wait: (milliseconds: number, signal: AbortSignal) => clock.sleep(milliseconds, signal),
    };
    const started = await createService({ seed: acmeSeed(), ...service, clock: time });
    return new FolderWorld(started, clock, options);
  }

  /** Another folder of the same service. */
  beside(): FolderWorld {
    return new FolderWorld(this.service, this.clock, { token: this.token });
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(text: string, name = 'main.tether.yaml'): void {
    writeFileSync(join(this.folder, name), text);
  }

  api(options: Partial<ClientOptions> = {}): StepwiseApi {
    const { token, clock } = this;
    const address = this.service.url;
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
    const lookups: Lookups = await lookUpNames(api, manifests.organization, manifests.names.keys());
    return readAgain(read, { cwd: this.folder, lookups }).manifests ?? manifests;
  }

  async plan(options: Partial<MakePlanOptions> = {}): Promise<MadePlan & { readonly manifests: Manifests }> {
    const api = this.api();
    const manifests = await this.manifests(api);
    const ledger = await this.ledger();
    const made = await makePlan({
      api,
      manifests,
      ledger,
      place: 'tether.ledger.json',
      env: this.env,
      ...options,
    });
    return { ...made, manifests };
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
      const wanted = neededSecrets(made.plan);
      const secrets = resolveSecrets(wanted, { env: this.env, root: this.folder });
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
}
