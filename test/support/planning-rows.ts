/** Tests of rows of the planning table: each situation must be decided by the row under whose decision it stands. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { Facts } from '../../reconciler/plan/facts';
import { planChanges } from '../../reconciler/plan/make';
import * as planningTable from '../../reconciler/plan/table';
import { planLines } from './small-world';

type Table = typeof planningTable.clientTable | typeof planningTable.linkTable;

export type ClientDecision = (typeof planningTable.clientTable)[number][1];
export type LinkDecision = (typeof planningTable.linkTable)[number][1];

export type Rows<Row> = Readonly<Record<string, Row>>;

/** Defines a test for each row. `decision` is null for situations that other rules decide than the table. */
export function describeRows<Row extends { readonly plan: readonly string[] }>(
  heading: string,
  table: Table,
  decision: string | null,
  rows: Rows<Row>,
  findFacts: (row: Row) => Promise<Facts>,
): void {
  describe(heading, () => {
    for (const [title, row] of Object.entries(rows)) {
      it(`${title}: ${row.plan.join(' · ') || 'nothing'}`, async () => {
        const facts = await findFacts(row);
        const { mock: spy } = mock.method(planningTable, 'decide');
        try {
          assert.deepEqual(planLines(planChanges(facts)), row.plan);
        } finally {
          spy.restore();
        }
        const decisions = spy.calls.flatMap(({ arguments: [used], result }) =>
          used === table ? [result] : [],
        );
        if (decision !== null) assert.ok(decisions.includes(decision), `decided: ${decisions.join(', ')}`);
      });
    }
  });
}
