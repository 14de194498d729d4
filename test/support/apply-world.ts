/** A service on a socket, a manifest and a ledger in memory: plans and applies in process, as often as a test likes. */
import assert from 'node:assert/strict';
import { createHash, scryptSync } from 'node:crypto';
import type { Api } from '../../client/api';
import { createClient, type StepwiseApi } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import { systemClock } from '../../client/pace';
import type { Manifests } from '../../manifest/desired';
import type { Observed } from '../../observation/evidence';
import { type ApplyOptions, type ApplyResult, applyPlan, neededSecrets } from '../../reconciler/apply/apply';
import type { Digests } from '../../reconciler/apply/task';
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
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { withApprovals } from './approvals';
import type { Front } from './grant-service';
import { soundManifest } from './sound-manifest';

/** Digests of the real form at the least cost: what they stand for is tested with the ledger. */
const cheapDigests: Digests = {
  digest: async (value) => {
    const salt = Buffer.alloc(16, 7);
    const hash = scryptSync(value, salt, 32, { N: 2, r: 1, p: 1 });
    return ['scrypt', 2, 1, 1, salt.toString('base64url'), hash.toString('base64url')].join(':');
  },
  saltedHash: async (text, salt) =>
    createHash('sha256')
      .update(JSON.stringify([text, salt]))
      .digest('hex'),
};

/** What a test may put between an apply and the rest. */
export type Between = Partial<
  Pick<ApplyOptions, 'api' | 'forStep' | 'signal' | 'onEvent' | 'concurrency'>
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

const startEnv = { GIT_TOKEN: 'canary-token-1', GIT_SECRET: 'canary-secret-1' };

export class ApplyWorld {
  env = { ...startEnv };
  ledger: Ledger = emptyLedger('acme');
  /** Every record of the last apply. */
  records: JournalRecord[] = [];
  /** What the last plan was made from. */
  private observed: Observed = { address: '', lists: {}, shows: {}, affected: {} };
  manifest = '';
  /** The kinds that manifests, plans and applies know. */
  registry: Registry = registry;
  /** A profile's name or file, over the manifest's own line. */
  profile: string | null = null;
  private nonces = 0;
  private lastRead: { readonly key: readonly unknown[]; readonly manifests: Manifests } | undefined;

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

  async close(): Promise<void> {
    await this.front?.close();
    await this.service.close();
  }

  /** Plans the manifest against what is there; with `approve` all that asks for it is approved. */
  async plan({ approve, ...options }: Planning = {}): Promise<MadePlan> {
    const manifests = this.read();
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

  /** The manifest; read once for as long as it stays, since a test plans it again and again. */
  private read(): Manifests {
    const { manifest, profile } = this;
    const key = [this.registry, manifest, profile];
    if (this.lastRead === undefined || key.some((part, index) => part !== this.lastRead?.key[index])) {
      const manifests = soundManifest(manifest, {
        registry: this.registry,
        ...(profile === null ? {} : { profile }),
      });
      this.lastRead = { key, manifests };
    }
    return this.lastRead.manifests;
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
    const secrets = await resolveSecrets(neededSecrets(plan), { env: this.env, root: '/' });
    assert.deepEqual(secrets.failures, []);
    try {
      return await applyPlan({
        api: this.api,
        plan,
        ledger,
        observed: this.observed,
        journal,
        secrets,
        digests: cheapDigests,
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
