/** Stands between an apply and the service and ledger. At a chosen write it kills the run, breaks the call, or delays it. */
import type { Api, OAuthClientCreate } from '../../client/api';
import type { StepwiseApi } from '../../client/client';
import { AnswerLost } from '../../client/errors';
import type { LedgerStore } from '../../reconciler/ledger/store';
import type { FaultSpec, Service } from '../../service';
import type { VirtualClock } from '../support/virtual-clock';

/** A save of the ledger, or a call that writes. Reads are no points, because a kill there leaves what a kill before the next write leaves. */
export interface WritePoint {
  readonly kind: 'save' | 'call';
  readonly name: string;
}

export type Fault =
  | { readonly kill: 'before' | 'after' }
  /** The response is lost, and the service executes the call after this many milliseconds. */
  | { readonly delayMs: number; readonly kill?: 'before' }
  /** A fault of the service. With `always`, it hits each attempt of the client. */
  | { readonly service: Omit<FaultSpec, 'nth'>; readonly always?: true };

/** A fault at a write point: the one with this index, or the first one of this name. */
export interface PlacedFault {
  readonly at: number | string;
  readonly fault: Fault;
}

/** Calls whose responses were lost, and that the service has not executed yet. */
export class DelayedCalls {
  private waiting: { readonly due: number; readonly perform: () => Promise<unknown> }[] = [];

  constructor(private readonly clock: VirtualClock) {}

  add(afterMs: number, perform: () => Promise<unknown>): void {
    this.waiting.push({ due: this.clock.now() + afterMs, perform });
  }

  /** The first time at which a call is due. */
  get due(): number {
    return Math.min(...this.waiting.map((call) => call.due));
  }

  /** Executes the calls that are due. The service may refuse them by then. */
  async execute(): Promise<void> {
    const dueCalls = this.waiting.filter((call) => call.due <= this.clock.now());
    this.waiting = this.waiting.filter((call) => !dueCalls.includes(call));
    for (const { perform } of dueCalls) await perform().catch(() => {});
  }
}

export class FaultInjector {
  readonly writePoints: WritePoint[] = [];
  /** The names of the clients for which this run sent a POST. */
  readonly posted: string[] = [];
  /** The ledgers that this run saved, or tried to save. */
  readonly saved: string[] = [];
  /** Resolves when the run is killed. */
  readonly killed: Promise<'killed'>;
  private isDead = false;
  private kill: () => void = () => {};

  constructor(
    private readonly service: Service,
    private readonly delayedCalls: DelayedCalls,
    private readonly faults: readonly PlacedFault[] = [],
  ) {
    this.killed = new Promise((resolve) => {
      this.kill = () => {
        this.isDead = true;
        resolve('killed');
      };
    });
  }

  api(api: StepwiseApi): StepwiseApi {
    return { ...this.wrapApi(api), forStep: (beforeWrite) => this.wrapApi(api.forStep(), beforeWrite) };
  }

  store(store: LedgerStore): LedgerStore {
    const save = store.save.bind(store);
    store.save = (ledger, before) =>
      this.at({ kind: 'save', name: `save ${ledger.serial}` }, async () => {
        this.saved.push(JSON.stringify(ledger));
        await save(ledger, before);
      });
    return store;
  }

  /** A delayed call was sent in time, so `beforeWrite` comes before its point. */
  private wrapApi(api: Api, beforeWrite: () => void | Promise<void> = () => {}): Api {
    const { oauthClients: clients, runTriggers: triggers } = api;
    const write =
      <Args extends readonly unknown[], Result>(name: string, call: (...args: Args) => Promise<Result>) =>
      async (...args: Args) => {
        await beforeWrite();
        return this.at({ kind: 'call', name }, () => call(...args));
      };
    const read =
      <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      (...args: Args) =>
        this.whileAlive(() => call(...args));
    return {
      ...api,
      wait: read((milliseconds: number) => api.wait(milliseconds)),
      oauthClients: {
        ...clients,
        list: read((organization: string) => clients.list(organization)),
        read: read((id: string) => clients.read(id)),
        create: write('create client', (organization: string, body: OAuthClientCreate) => {
          this.posted.push(String(body.name));
          return clients.create(organization, body);
        }),
        update: write('update client', clients.update),
        delete: write('delete client', clients.delete),
        attach: write('attach', clients.attach),
        detach: write('detach', clients.detach),
      },
      runTriggers: {
        ...triggers,
        list: read(triggers.list),
        read: read(triggers.read),
        create: write('create trigger', triggers.create),
        delete: write('delete trigger', triggers.delete),
      },
    };
  }

  /** Performs a write, with the fault of its point. */
  private async at<Result>(point: WritePoint, perform: () => Promise<Result>): Promise<Result> {
    return this.whileAlive(async () => {
      const isFirst = this.writePoints.every(({ name }) => name !== point.name);
      const index = this.writePoints.push(point) - 1;
      const isHere = ({ at }: PlacedFault) => at === index || (isFirst && at === point.name);
      const fault = this.faults.find(isHere)?.fault;
      if (fault === undefined) return perform();
      if ('service' in fault) {
        this.service.fault(fault.always ? fault.service : { ...fault.service, times: 1 });
        return perform().finally(() => this.service.clearFaults());
      }
      if ('delayMs' in fault) this.delayedCalls.add(fault.delayMs, perform);
      if (fault.kill === 'before') return this.end();
      if ('delayMs' in fault) {
        const context = { method: 'POST', route: point.name, status: null, attempts: 5, details: [] };
        throw new AnswerLost(`${point.name}: no answer; it may have been applied`, 'ambiguous', context);
      }
      await perform();
      return this.end();
    });
  }

  /** Never resolves once the run is killed. */
  private async whileAlive<Result>(perform: () => Promise<Result>): Promise<Result> {
    if (this.isDead) return new Promise(() => {});
    await this.delayedCalls.execute();
    const [outcome] = await Promise.allSettled([perform()]);
    await this.delayedCalls.execute();
    if (this.isDead) return new Promise(() => {});
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /** Nothing after this runs any more, neither a `catch` nor a `finally` of the run. */
  private end(): Promise<never> {
    this.kill();
    return new Promise(() => {});
  }
}
