/** The plan under construction: its steps, and the addresses that are left alone. */
import {
  type Action,
  type LedgerKey,
  type LeftAlone,
  type Note,
  type Problem,
  parseKey,
  type Step,
  type ToRecord,
} from './plan';

export type StepDetails = Pick<Step, 'reason' | 'because'> &
  Partial<Omit<Step, 'action' | 'kind' | 'address' | 'key'>>;

/** Both lists may grow, because a later planned step may have to be done first. */
export type DraftStep = Omit<Step, 'needs' | 'after'> & { needs: string[]; after?: readonly string[] };

const nothing = { inputs: {}, secrets: {}, changes: [], values: {}, risks: [] };

export class Draft {
  steps: DraftStep[] = [];
  readonly problems: Problem[] = [];
  readonly unknown: LeftAlone[] = [];
  readonly notes: Note[] = [];
  readonly toRecord: ToRecord[] = [];
  /** The clients that exist when the plan is done. The keys are addresses. One that a step makes has no id. */
  readonly clients = new Map<string, { readonly id?: string; readonly made?: Step }>();
  /** Ids of clients that are deleted, missing or forgotten, with their addresses. Their undeclared links leave the ledger. */
  readonly leaving = new Map<string, string>();
  /** Recorded ids of clients that are left alone, with their addresses. Their links wait. */
  readonly waiting = new Map<string, string>();
  private readonly ofClients = new Map<string, DraftStep[]>();

  /** Adds a step that needs all earlier steps of the address. */
  addClientStep(action: Action, address: string, details: StepDetails): DraftStep {
    const earlier = this.clientSteps(address);
    const needs = earlier.map(({ id }) => id);
    const step = this.addStep(action, address, parseKey(address), { needs, ...details });
    this.ofClients.set(address, [...earlier, step]);
    return step;
  }

  clientSteps(address: string): readonly DraftStep[] {
    return this.ofClients.get(address) ?? [];
  }

  addStep(action: Action, address: string, key: LedgerKey, details: StepDetails): DraftStep {
    const step = {
      id: `${action} ${address}`,
      action,
      kind: key[0],
      address,
      key,
      ...nothing,
      ...details,
      needs: [...(details.needs ?? [])],
    };
    this.steps.push(step);
    return step;
  }

  leaveAlone(address: string, why: string, more: Pick<LeftAlone, 'line' | 'at' | 'cause'> = {}): void {
    this.unknown.push({ address, message: `${address} is left alone, because ${why}.`, ...more });
  }
}
