/** The options, the shared state and the result of one apply. */
import type { StepwiseApi } from '../../client/client';
import { BadOption, OperationalError } from '../../client/errors';
import { listedItems, type Observed } from '../../observation/evidence';
import { ListCache } from '../../observation/list-cache';
import type { Found, Key } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { toClientList } from '../../resources/oauth-client-calls';
import { findDefinition } from '../../resources/registry';
import type { ResolvedSecrets } from '../../resources/secrets';
import { computeDigest } from '../ledger/digest';
import type { Author, Ledger } from '../ledger/ledger';
import type { LedgerStore } from '../ledger/store';
import {
  type CreateClientStep,
  isAddressPart,
  type LedgerKey,
  type Plan,
  type Step,
  toEnds,
} from '../plan/plan';
import { RunLedger } from './run-ledger';

export interface ApplyOptions {
  readonly api: StepwiseApi;
  readonly plan: Plan;
  /** The ledger and the observation from which the plan was made. */
  readonly ledger: Ledger;
  readonly observed: Observed;
  /** The caller has locked it. */
  readonly store: LedgerStore;
  /** The ledger names it with every save. */
  readonly author?: Author;
  /** The values of all secrets that `neededSecrets` names. */
  readonly secrets: ResolvedSecrets;
  /** When aborted, no further step starts. Calls in flight finish and are recorded. */
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** For tests: steps at once, and monotonic milliseconds. */
  readonly concurrency?: number;
  readonly now?: () => number;
}

export type ApplyEvent =
  | { readonly type: 'started'; readonly step: string; readonly address: string }
  | { readonly type: 'finished'; readonly result: StepResult }
  /** A note to print at once, such as `OAuthClient/github: not authorized yet: open …`. */
  | { readonly type: 'note'; readonly message: string };

/** A step is `blocked` if one that it needs did not succeed, and `not-tried` if the apply stopped before it. */
export type StepStatus = 'done' | 'failed' | 'blocked' | 'not-tried';

export interface StepResult {
  readonly step: string;
  readonly address: string;
  readonly status: StepStatus;
  /** The reason why it was not done, or a note about a step that was. */
  readonly message?: string;
  /** The kind of failure, for reports: `not-found`, `stale`. */
  readonly code?: string;
  /** The id of a new object. */
  readonly objectId?: string;
}

export interface ApplyResult {
  readonly steps: readonly StepResult[];
  readonly counts: Readonly<Record<StepStatus, number>>;
  readonly interrupted: boolean;
}

export type Done = Pick<StepResult, 'objectId' | 'message'>;

/** The object is not as the plan saw it. Nothing was written to it. */
export class Stale extends OperationalError {
  constructor(address: string, reason: string, next = 'plan again') {
    super(`${address}: ${reason}. Nothing was written; ${next}`);
  }
}

/** The secrets that a step of a client writes. */
type SecretsOfStep = Pick<CreateClientStep, 'address' | 'secrets'>;

export class Run {
  readonly ledger: RunLedger;
  readonly organization: string;
  /** Ids that existed before the apply or were created by it. An answer with one of them is not about a new object. */
  readonly existingIds: Set<string>;
  /** Throws `LockLost`. Each step calls it before its writes. */
  readonly beforeWrite = (): void => this.options.store.refuseUnlessHeld();
  private readonly cache: ListCache;

  constructor(readonly options: ApplyOptions) {
    const { api, plan, ledger, observed, store, author, now = () => performance.now() } = options;
    if (api.address !== plan.address)
      throw new BadOption(`this plan is for ${plan.address}, not for ${api.address}`);
    const { address } = plan;
    this.ledger = new RunLedger(store, ledger, address, now, plan.steps.length > 0, author);
    this.organization = plan.organization;
    this.cache = new ListCache(api);
    this.existingIds = new Set(listedItems(observed.lists).map(({ id }) => id));
  }

  /** Returns the clients that existed right before the first create. They are read once. */
  async clientsBefore(): Promise<readonly Found[]> {
    const { organization } = this;
    const items = await this.cache.read(toClientList(organization));
    for (const { id } of items) this.existingIds.add(id);
    return oauthClient.find(items, { organization });
  }

  private idAt(address: string): string {
    const id = this.ledger.objects.get(address)?.id;
    if (id === undefined) throw new Error(`${address} has no id yet`);
    return id;
  }

  /** Returns the ledger key of a step, with ids in place of the addresses of clients that this plan creates. */
  toLedgerKey({ key: [kind, ...parts] }: Step): LedgerKey {
    return [kind, ...parts.map((part) => (isAddressPart(part) ? this.idAt(part) : part))];
  }

  /** Returns the key for API calls about this step: the organization, and the ends of a link. */
  toCallKey(step: Step): Key {
    return { organization: this.organization, ...toEnds(findDefinition(step.kind), this.toLedgerKey(step)) };
  }

  readSecrets({ address, secrets }: SecretsOfStep): Readonly<Record<string, string>> {
    const values = Object.keys(secrets).map((field) => [field, this.options.secrets.value(address, field)]);
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  async computeDigests(step: SecretsOfStep): Promise<Readonly<Record<string, string>>> {
    const digests: Record<string, string> = {};
    for (const [field, value] of Object.entries(this.readSecrets(step)))
      digests[field] = await computeDigest(value, this.options.ledger);
    return digests;
  }
}
