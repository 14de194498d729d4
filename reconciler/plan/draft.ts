/** A plan while it is being made: the parts of the planner add to it in turn. */
import type { FieldValues, Issue } from '../../resources/kind';

import type { Step, Stop } from './plan';

export interface Draft {
  readonly steps: Step[];
  readonly unchanged: string[];
  readonly undetermined: { address: string; why: string }[];
  readonly problems: (Issue & { address: string })[];
  readonly warnings: Issue[];
  readonly notes: { address: string; code: string; text: string }[];
  readonly stops: Stop[];
  readonly baselineRefresh: { key: string; managed: FieldValues; file: string | null }[];
  /** How each wanted object stands, for the links that refer to it. */
  readonly objects: Map<string, ObjectState>;
  /** Wanted objects that the ledger has. */
  readonly inLedger: string[];
  /** Wanted objects that the ledger has and that were proved absent; links of a vanished object are not counted besides. */
  readonly vanished: string[];
  /** Ids of the delete steps of exact sets, each with the addresses that its set lists. */
  readonly listedBeside: Map<string, ReadonlySet<string>>;
  /** Exact sets that something is in today and that list something, so that they are not emptied. */
  readonly keptBySets: string[];
}

export interface ObjectState {
  /** `present`: links can be compared by id. `pending`: it has no id until its step is done. `stopped`: it will not be made by this plan. */
  readonly state: 'present' | 'pending' | 'stopped';
  readonly id: string | null;
  /** The step that gives it its id. */
  readonly step?: string;
  readonly why?: string;
}

/** A draft with nothing in it. */
export function createDraft(): Draft {
  return {
    steps: [],
    unchanged: [],
    undetermined: [],
    problems: [],
    warnings: [],
    notes: [],
    stops: [],
    baselineRefresh: [],
    objects: new Map(),
    inLedger: [],
    vanished: [],
    listedBeside: new Map(),
    keptBySets: [],
  };
}

/** The parts of a step that most steps leave empty. */
export const bareStep = {
  changes: [],
  risks: [],
  needs: [],
  inputs: {},
  secrets: {},
  managed: {},
  file: null,
  protect: false,
} as const;
