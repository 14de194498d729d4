/** Reads the plans, reports and ledgers of the tool as plain JSON; names of parts are taken from the documents alone. */
import type { Drifted, LedgerState, Planned } from './outcome';

type Json = Record<string, unknown>;

function listOf<Item>(value: unknown): Item[] {
  return Array.isArray(value) ? (value as Item[]) : [];
}

const addresses = (value: unknown): string[] =>
  listOf<{ address: string }>(value).map(({ address }) => address);

/** Steps, problems and blockers of a plan. */
export function readPlan(value: unknown): Pick<Planned, 'steps' | 'unknown' | 'problems' | 'blockers'> {
  const plan = JSON.parse(JSON.stringify(value)) as Json;
  return {
    steps: listOf(plan.steps),
    unknown: addresses(plan.unknown ?? plan.undetermined),
    problems: listOf(plan.problems),
    blockers: listOf(plan.blockers ?? plan.stops),
  };
}

/** Items of a drift report. */
export function readDrift(value: unknown): Pick<Drifted, 'items' | 'unknown' | 'problems' | 'pending'> {
  const report = JSON.parse(JSON.stringify(value)) as Json;
  return {
    items: listOf(report.items),
    unknown: addresses(report.unknown ?? report.undetermined),
    problems: listOf(report.problems),
    pending: listOf(report.pending),
  };
}

/** The content of a ledger. */
export function readLedger(value: unknown): LedgerState {
  const state = JSON.parse(JSON.stringify(value ?? {})) as Json;
  return {
    organization: (state.organization as string | undefined) ?? null,
    lineage: (state.lineage as string | undefined) ?? null,
    serial: (state.serial as number | undefined) ?? 0,
    objects: (state.objects ?? {}) as LedgerState['objects'],
    pending: (state.pending ?? {}) as LedgerState['pending'],
    unconfirmed: listOf(state.unconfirmed ?? state.tombstones),
  };
}
