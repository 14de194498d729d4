/** What a full run measures, as bench/results.json holds it. */

/** Relative to the root. */
export const resultsFile = 'bench/results.json';

export interface Calls {
  readonly profile: string;
  readonly shape: string;
  readonly step: string;
  readonly calls: number;
  readonly bound: number;
  readonly lists: number;
  readonly fewestLists: number;
  /** Of files, while it wrote. */
  readonly fsyncs: number;
  readonly writes: number;
}

/** Of each graph, in one order. */
export interface Graphs {
  readonly triggers: number;
  readonly workspaces: number;
  readonly read: readonly number[];
  readonly fewest: readonly number[];
}

export interface Cost {
  readonly world: string;
  readonly step: string;
  readonly calls: number;
  readonly bound: number;
  readonly cpuMs: number;
  readonly peakMiB: number;
  readonly ms: number;
}

export interface Growth {
  readonly triggers: number;
  readonly step: string;
  /** Or why there is nothing to tell. */
  readonly failed?: string;
  readonly cpuMs?: number;
  readonly peakMiB?: number;
  readonly calls?: number;
  /** Of the CPU, from the size before. */
  readonly exponent?: number;
}

export interface Rate {
  readonly limiter: string;
  readonly manner: string;
  /** Of all calls. */
  readonly rejected: number;
  readonly calls: number;
  /** Of what was allowed between the first call and the last. */
  readonly share: number;
}

export interface Start {
  readonly name: string;
  readonly cpuMs: number;
  /** Of CPU, over a bare Node. */
  readonly moreMs: number;
  readonly ms: number;
  readonly peakMiB: number;
  /** CommonJS modules by package, `own` for those of this tree. */
  readonly modules: Readonly<Record<string, number>>;
}

export interface ServiceCost {
  readonly operation: string;
  /** Of CPU, for one request. */
  readonly microseconds: number;
  readonly bare: number;
  /** Requests for a second of CPU, by those of the bare one. */
  readonly ratio: number;
}

export interface PulumiCalls {
  readonly program: string;
  readonly run: string;
  readonly calls: number;
  readonly clientLists: number;
  readonly shows: number;
  readonly ms: number;
}

export interface Results {
  readonly node: string;
  readonly processors: number;
  readonly calls: readonly Calls[];
  readonly graphs: Graphs;
  readonly costs: readonly Cost[];
  readonly growth: readonly Growth[];
  readonly pages: readonly { readonly triggers: number; readonly calls: number; readonly bound: number }[];
  readonly warnings: { readonly triggers: number; readonly quietLines: number };
  readonly rate: readonly Rate[];
  readonly connections: { readonly clientMs: number; readonly plainMs: number };
  readonly start: readonly Start[];
  readonly service: readonly ServiceCost[];
  readonly install: { readonly megabytes: number; readonly installMs: number; readonly planMs: number };
  /** Missing where there was no engine. */
  readonly pulumi?: readonly PulumiCalls[];
}
