/** Sees every call and every journal line of an apply, and breaks one of them. */
import type { Api } from '../../client/api';
import { AnswerLost, ApiError, Invalid, NotFound } from '../../client/errors';
import type { ApplyEvent } from '../../reconciler/apply/apply';
import type { JournalSink } from '../../reconciler/ledger/ledger';
import type { Service } from '../../service';

/**
 * `lost`: the connection breaks once, before or after the service did it. `given-up`: it broke as often as the client
 * tried. `missing-after`, `refused-after`: the service did it and answers 404 or 422 all the same, as a gateway may. `killed`:
 * the process ends there. `late`: the answer is lost and the service does it when nobody expects it.
 */
export type Fault =
  | 'lost-before'
  | 'lost-after'
  | 'given-up-before'
  | 'given-up-after'
  | 'missing-after'
  | 'refused-after'
  | 'killed-before-call'
  | 'killed-after-call'
  | 'killed-before-line'
  | 'killed-after-line'
  | 'late'
  | 'killed-late';

export const callFaults = [
  'lost-before',
  'lost-after',
  'given-up-before',
  'given-up-after',
  'missing-after',
  'refused-after',
  'killed-before-call',
  'killed-after-call',
] as const satisfies readonly Fault[];
export const lineFaults = ['killed-before-line', 'killed-after-line'] as const satisfies readonly Fault[];

/** One call or journal line, and the operation it belongs to: `create OAuthClient`. */
export interface Moment {
  readonly of: 'call' | 'line';
  readonly operation: string;
  readonly name: string;
}

/** The process is gone: whatever it would still have done did not happen. */
export class Killed extends Error {}

export class Tap {
  readonly moments: Moment[] = [];
  /** What the service does later, for the `late` faults. */
  private late: (() => Promise<unknown>) | null = null;
  private dead = false;
  private operation = 'bookkeeping';

  constructor(
    private readonly service: Service,
    private readonly operations: ReadonlyMap<string, string>,
    private readonly fault: { readonly index: number; readonly how: Fault } | null,
  ) {}

  onEvent = (event: ApplyEvent): void => {
    if (event.type === 'started') this.operation = this.operations.get(event.step) ?? event.step;
    if (event.type === 'finished') this.operation = 'bookkeeping';
  };

  api(inner: Api): Api {
    const { oauthClients: clients, runTriggers: triggers } = inner;
    return {
      address: inner.address,
      wait: inner.wait,
      perform: (request) =>
        this.call(`${request.method} ${request.path.join('/')}`, () => inner.perform(request)),
      oauthClients: {
        list: (...given) => this.call('list clients', () => clients.list(...given)),
        read: (...given) => this.call('read client', () => clients.read(...given)),
        affectedWorkspaces: (...given) =>
          this.call('affected workspaces', () => clients.affectedWorkspaces(...given)),
        create: (...given) => this.call('create client', () => clients.create(...given)),
        update: (...given) => this.call('update client', () => clients.update(...given)),
        delete: (...given) => this.call('delete client', () => clients.delete(...given)),
        attach: (...given) => this.call('attach', () => clients.attach(...given)),
        detach: (...given) => this.call('detach', () => clients.detach(...given)),
      },
      runTriggers: {
        list: (...given) => this.call('list triggers', () => triggers.list(...given)),
        open: (...given) => this.call('list triggers', () => triggers.open(...given)),
        read: (...given) => this.call('read trigger', () => triggers.read(...given)),
        create: (...given) => this.call('create trigger', () => triggers.create(...given)),
        delete: (...given) => this.call('delete trigger', () => triggers.delete(...given)),
      },
    };
  }

  journal = (inner: JournalSink): JournalSink => ({
    append: async (record) => {
      const how = this.next('line', record.event);
      if (how === 'killed-before-line') this.kill();
      await inner.append(record);
      if (how === 'killed-after-line') this.kill();
    },
  });

  /** The service does now what it was asked then; that it may refuse it is its own affair. False where nothing is late. */
  async arriveLate(): Promise<boolean> {
    if (this.late === null) return false;
    try {
      await this.late();
    } catch (error) {
      if (!(error instanceof ApiError) || error.outcome !== 'rejected') throw error;
    }
    return true;
  }

  private async call<Answer>(name: string, perform: () => Promise<Answer>): Promise<Answer> {
    const how = this.next('call', name);
    if (how === 'late' || how === 'killed-late') this.late = perform;
    if (how === 'killed-before-call' || how === 'killed-late') this.kill();
    if (how === 'given-up-before' || how === 'late') throw lost(name);
    if (how === 'lost-before') this.service.fault({ how: 'reset-before', nth: 1 });
    if (how === 'lost-after') this.service.fault({ how: 'reset-after', nth: 1 });
    const answer = await perform();
    if (how === 'given-up-after') throw lost(name);
    if (how === 'missing-after') throw new NotFound(`${name}: not found`, 'rejected', contextOf(name, 404));
    if (how === 'refused-after') throw new Invalid(`${name}: malformed`, 'rejected', contextOf(name, 422));
    if (how === 'killed-after-call') this.kill();
    return answer;
  }

  private next(of: Moment['of'], name: string): Fault | null {
    if (this.dead) throw new Killed();
    const index = this.moments.push({ of, operation: this.operation, name }) - 1;
    return this.fault?.index === index ? this.fault.how : null;
  }

  private kill(): never {
    this.dead = true;
    throw new Killed();
  }
}

function lost(name: string): AnswerLost {
  return new AnswerLost(`${name}: the answer was lost`, 'ambiguous', contextOf(name, null));
}

function contextOf(name: string, status: number | null): ApiError['context'] {
  return { method: 'POST', route: `/${name}`, status, attempts: status === null ? 5 : 1, details: [] };
}
