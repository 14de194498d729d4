/** The plan while it is made: its steps, and what is left alone. */
import {
  type Action,
  type LedgerKey,
  type LeftAlone,
  type Note,
  type Problem,
  parseKey,
  type Step,
} from './plan';

export type StepDetails = Pick<Step, 'reason' | 'because'> &
  Partial<Omit<Step, 'action' | 'kind' | 'address' | 'key'>>;

/** Steps that are planned later may have to be done before. */
export type DraftStep = Omit<Step, 'needs'> & { needs: string[] };

type Remark = Pick<LeftAlone, 'line' | 'at'>;

/** A client that a step of this plan makes. */
export interface MadeClient {
  readonly id?: undefined;
  readonly address: string;
  readonly step: string;
  /** The id of the one that it replaces. */
  readonly old: string | undefined;
}

export class Draft {
  steps: DraftStep[] = [];
  readonly problems: Problem[] = [];
  readonly unknown: LeftAlone[] = [];
  readonly notes: Note[] = [];
  unchanged = 0;
  /** The clients that are there when the plan is done, by address. Others are left alone. */
  readonly clients = new Map<string, { readonly id: string } | MadeClient>();
  /** Ids of clients that end, are missing or are forgotten: their undeclared links leave the ledger with them. */
  readonly leaving = new Map<string, string>();
  /** The addresses of other clients that are left alone, by recorded id: their links wait. */
  readonly waiting = new Map<string, string>();
  private readonly ofClients = new Map<string, DraftStep[]>();

  /** Each step of a client comes after those that were planned for its address before. */
  addClientStep(action: Action, address: string, details: StepDetails): void {
    const earlier = this.clientSteps(address);
    const needs = earlier.map(({ id }) => id);
    const step = this.addStep(action, address, parseKey(address), { needs, ...details });
    this.ofClients.set(address, [...earlier, step]);
  }

  clientSteps(address: string): readonly DraftStep[] {
    return this.ofClients.get(address) ?? [];
  }

  addStep(action: Action, address: string, key: LedgerKey, details: StepDetails): DraftStep {
    const empty = { inputs: {}, secrets: {}, changes: [], values: {}, risks: [] };
    const id = `${action} ${address}`;
    const needs = [...(details.needs ?? [])];
    const step = { ...empty, id, ...details, needs, action, kind: key[0], address, key };
    this.steps.push(step);
    return step;
  }

  /** How many addresses are left alone so far. */
  get left(): number {
    return this.problems.length + this.unknown.length;
  }

  addProblem(rule: Problem['rule'], address: string, message: string, remark: Remark = {}): void {
    this.problems.push({ rule, address, message, ...remark });
  }

  leaveAlone(address: string, why: string, remark: Remark = {}): void {
    this.unknown.push({ address, message: `${address} is left alone, because ${why}.`, ...remark });
  }

  addNote(address: string, message: string): void {
    this.notes.push({ address, message });
  }
}
