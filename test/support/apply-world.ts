/** A service on a socket, a manifest and a ledger in memory: plans and applies in process, as often as a test likes. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { createClient, type StepwiseApi } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import { systemClock } from '../../client/pace';
import type { Manifests } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import { type ApplyOptions, type ApplyResult, applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import {
  emptyLedger,
  type JournalRecord,
  type JournalSink,
  type Ledger,
} from '../../reconciler/ledger/ledger';
import { LedgerState } from '../../reconciler/ledger/state';
import { type MadePlan, makePlan } from '../../reconciler/make-plan';
import type { Plan, PlanOptions } from '../../reconciler/plan/plan';
import type { Registry } from '../../resources/kind';
import { registry } from '../../resources/registry';
import { resolveSecrets } from '../../resources/secrets';
import {
  createService,
  type SeedObject,
  type Service,
  type ServiceOptions,
  type Snapshot,
} from '../../service';
import { withApprovals } from './approvals';
import type { Front } from './grant-service';
import { soundManifest } from './sound-manifest';

/** What a test may put between an apply and the rest. */
export type Between = Partial<
  Pick<ApplyOptions, 'api' | 'observed' | 'looks' | 'forStep' | 'signal' | 'onEvent' | 'concurrency'>
> & {
  /** Stands before the journal: what it does not pass on is not recorded. */
  readonly aroundJournal?: (journal: JournalSink) => JournalSink;
};

/** What a test says of a plan besides the manifest. */
export type Planning = Partial<PlanOptions> & { readonly approve?: true };

export interface Applied {
  readonly plan: Plan;
  readonly result: ApplyResult;
}

/** How a world stood. */
export interface Mark extends Pick<ApplyWorld, 'manifest' | 'ledger' | 'env'> {
  readonly records: Snapshot;
}

const startEnv = { GIT_TOKEN: 'canary-token-1', GIT_SECRET: 'canary-secret-1' };

export class ApplyWorld {
  env = { ...startEnv };
  ledger: Ledger = emptyLedger('acme');
  /** Every record of the last apply. */
  records: JournalRecord[] = [];
  /** What the last plan was made from. */
  private observed: Observed = { address: '', lists: {}, shows: {} };
  manifest = '';
  /** The kinds that manifests, plans and applies know. */
  registry: Registry = registry;
  /** A profile's name or file, over the manifest's own line. */
  profile: string | null = null;
  private nonces = 0;
  private read: { readonly registry: Registry; readonly byText: Map<string, Manifests> } | undefined;

  private constructor(
    readonly service: Service,
    readonly api: Api,
    private readonly front: Front | null,
  ) {}

  static async start(
    seed: SeedObject,
    options: Omit<ServiceOptions, 'seed'> = {},
    front?: (service: Service) => Promise<Front>,
  ): Promise<ApplyWorld> {
    const service = await createService({ ...options, seed });
    const before = front === undefined ? null : await front(service);
    return new ApplyWorld(service, createApi(before ?? service), before);
  }

  /** Everything as at the start, with another seed if one is given. */
  reset(seed: SeedObject): void {
    this.front?.reset();
    this.service.clearFaults();
    this.service.seed(seed);
    this.service.clearRequests();
    this.ledger = emptyLedger('acme');
    this.records = [];
    this.manifest = '';
    this.env = { ...startEnv };
  }

  /** How everything stands now. */
  mark(): Mark {
    const { manifest, ledger, env } = this;
    return { manifest, ledger, env: { ...env }, records: this.service.snapshot() };
  }

  /** Puts everything back as it stood at the mark, which is cheaper than doing it all again. */
  returnTo({ records, env, ...rest }: Mark): void {
    assert.equal(this.front, null, 'what stands before a service holds what it was told');
    this.service.clearFaults();
    this.service.restore(records);
    this.service.clearRequests();
    Object.assign(this, { ...rest, env: { ...env }, records: [] });
  }

  async close(): Promise<void> {
    await this.front?.close();
    await this.service.close();
  }

  /** Plans the manifest against what is there; with `approve` all that asks for it is approved. */
  async plan({ approve, ...options }: Planning = {}): Promise<MadePlan> {
    const manifests = this.manifests();
    const plan = (read: Manifests): Promise<MadePlan> =>
      makePlan({
        api: this.api,
        manifests: read,
        ledger: this.ledger,
        options,
        env: this.env,
        registry: this.registry,
      });
    const made = await plan(manifests);
    this.observed = made.inputs.observed;
    const asks = made.plan.blockers.length > 0;
    return approve && asks ? plan(withApprovals(manifests, made.plan)) : made;
  }

  /** The manifest; each is read once, since a test plans the same few again and again. */
  private manifests(): Manifests {
    const { manifest, profile, registry: kinds } = this;
    if (this.read?.registry !== kinds) this.read = { registry: kinds, byText: new Map() };
    const { byText } = this.read;
    const key = `${profile}\n${manifest}`;
    const known = byText.get(key);
    if (known !== undefined) return known;
    const read = soundManifest(manifest, { registry: kinds, ...(profile === null ? {} : { profile }) });
    byText.set(key, read);
    return read;
  }

  /** Applies a plan; the ledger has everything that was recorded, also when it throws. */
  async applyPlan(plan: Plan, between: Between = {}): Promise<ApplyResult> {
    const { ledger } = this;
    const state = new LedgerState(ledger);
    this.records = [];
    const { aroundJournal = (inner: JournalSink) => inner, ...options } = between;
    const journal = aroundJournal({
      append: async (record: JournalRecord) => {
        state.accept(record);
        this.records.push(record);
      },
    });
    const secrets = resolveSecrets(neededSecrets(plan), { env: this.env, root: '/' });
    assert.deepEqual(secrets.failures, []);
    try {
      return await applyPlan({
        api: this.api,
        plan,
        ledger,
        observed: this.observed,
        journal,
        secrets,
        registry: this.registry,
        random: () => {
          this.nonces += 1;
          return this.nonces.toString(16).padStart(12, '0');
        },
        ...options,
      });
    } finally {
      this.ledger = state.ledger(`journal-${this.nonces}-${this.records.length}`);
    }
  }

  /** Plans and applies; then plans again and expects nothing, if all went well. */
  async apply(options: Planning = {}, between: Between = {}): Promise<Applied> {
    const { plan } = await this.plan(options);
    const result = await this.applyPlan(plan, between);
    const { steps, counts } = result;
    if (counts.done === steps.length) await this.expectNothing();
    return { plan, result };
  }

  /** Planning finds nothing to do, nothing unknown and nothing wrong. */
  async expectNothing(): Promise<void> {
    const { plan } = await this.plan();
    const left = [
      ...plan.steps.map((step) => `${step.id}: ${step.because}`),
      ...plan.unknown.map((item) => `${item.address}: ${item.why}`),
      ...plan.problems.map((item) => item.message),
    ];
    assert.deepEqual(left, [], 'planning again finds nothing');
  }

  /** What the ledger holds, by key. */
  objects() {
    return this.ledger.objects;
  }
}

/** A client that does not wait: no pacing, short pauses. */
export function createApi(
  service: Pick<Service, 'url'>,
  token = 'owner',
  more: Pick<ClientOptions, 'signal' | 'onEvent'> = {},
): StepwiseApi {
  return createClient({
    address: service.url,
    token,
    rate: 100_000,
    clock: { now: systemClock.now, sleep: async () => {} },
    ...more,
  });
}

/** The plan's steps as text, for comparisons. */
export function stepIds(plan: Plan): readonly string[] {
  return plan.steps.map((step) => step.id);
}
