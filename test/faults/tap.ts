/** Stands between an apply and what it works with. At one chosen moment it ends the run for good, breaks a call, or keeps it for later. */
import type { Api, OAuthClientCreate } from '../../client/api';
import type { StepwiseApi } from '../../client/client';
import { AnswerLost } from '../../client/errors';
import type { LedgerStore } from '../../reconciler/ledger/store';
import type { FaultSpec, Service } from '../../service';
import type { VirtualClock } from '../support/virtual-clock';

/** A save of the ledger, or a call that writes. A kill at a call that reads leaves what a kill right before it leaves. */
export interface Moment {
  readonly of: 'save' | 'call';
  readonly name: string;
}

export type Fault =
  | { readonly kill: 'before' | 'after' }
  /** The answer is lost, and the service carries the call out so many milliseconds later. */
  | { readonly lateMs: number; readonly kill?: 'before' }
  /** What the service does to the request; `always` to each attempt of the client too. */
  | { readonly service: Omit<FaultSpec, 'nth'>; readonly always?: true };

export interface FaultAt {
  readonly index: number;
  readonly fault: Fault;
}

/** Calls whose answers were lost, and that the service has not executed yet. */
export class LateCalls {
  private waiting: { readonly due: number; readonly perform: () => Promise<unknown> }[] = [];

  constructor(private readonly clock: VirtualClock) {}

  add(afterMs: number, perform: () => Promise<unknown>): void {
    this.waiting.push({ due: this.clock.now() + afterMs, perform });
  }

  /** The first time at which one is due. */
  get due(): number {
    return Math.min(...this.waiting.map((one) => one.due));
  }

  /** Carries out what is due. The service may refuse it by then. */
  async arrive(): Promise<void> {
    const due = this.waiting.filter((one) => one.due <= this.clock.now());
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    for (const { perform } of due) await perform().catch(() => {});
  }
}

export class Tap {
  readonly moments: Moment[] = [];
  /** The clients that this run asked the service for, by their names. */
  readonly posted: string[] = [];
  /** Every document that was to be saved. */
  readonly saved: string[] = [];
  /** Resolves when the run is ended. */
  readonly killed: Promise<'killed'>;
  private isDead = false;
  private kill: () => void = () => {};

  constructor(
    private readonly service: Service,
    private readonly late: LateCalls,
    private readonly faults: readonly FaultAt[] = [],
  ) {
    this.killed = new Promise((resolve) => {
      this.kill = () => {
        this.isDead = true;
        resolve('killed');
      };
    });
  }

  api(api: StepwiseApi): StepwiseApi {
    return { ...this.wrapped(api), forStep: (beforeWrite) => this.wrapped(api.forStep(), beforeWrite) };
  }

  store(store: LedgerStore): LedgerStore {
    const save = store.save.bind(store);
    store.save = (ledger, before) =>
      this.at({ of: 'save', name: `save ${ledger.serial}` }, async () => {
        this.saved.push(JSON.stringify(ledger));
        await save(ledger, before);
      });
    return store;
  }

  /** A late call was sent in time, so `beforeWrite` comes before its moment. */
  private wrapped(api: Api, beforeWrite = () => {}): Api {
    const { oauthClients: clients, runTriggers: triggers } = api;
    const write =
      <Given extends readonly unknown[], Answer>(name: string, call: (...given: Given) => Promise<Answer>) =>
      async (...given: Given) => {
        beforeWrite();
        return this.at({ of: 'call', name }, () => call(...given));
      };
    const read =
      <Given extends readonly unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
      (...given: Given) =>
        this.whileAlive(() => call(...given));
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

  private async at<Answer>(moment: Moment, perform: () => Promise<Answer>): Promise<Answer> {
    return this.whileAlive(async () => {
      const index = this.moments.push(moment) - 1;
      const fault = this.faults.find((one) => one.index === index)?.fault;
      if (fault === undefined) return perform();
      if ('service' in fault) {
        this.service.fault(fault.always ? fault.service : { ...fault.service, times: 1 });
        return perform().finally(() => this.service.clearFaults());
      }
      if ('lateMs' in fault) this.late.add(fault.lateMs, perform);
      if (fault.kill === 'before') return this.end();
      if ('lateMs' in fault) {
        const context = { method: 'POST', route: moment.name, status: null, attempts: 5, details: [] };
        throw new AnswerLost(`${moment.name}: no answer; it may have been applied`, 'ambiguous', context);
      }
      await perform();
      return this.end();
    });
  }

  private async whileAlive<Answer>(perform: () => Promise<Answer>): Promise<Answer> {
    if (this.isDead) return new Promise(() => {});
    await this.late.arrive();
    const [ended] = await Promise.allSettled([perform()]);
    await this.late.arrive();
    if (this.isDead) return new Promise(() => {});
    if (ended.status === 'rejected') throw ended.reason;
    return ended.value;
  }

  /** Nothing after this runs any more, neither a `catch` nor a `finally` of the run. */
  private end(): Promise<never> {
    this.kill();
    return new Promise(() => {});
  }
}
