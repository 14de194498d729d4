/**
 * The planning table: for each object, what is declared, recorded and observed decides the action. Of several rows that fit, the first
 * counts. `docs/architecture.md` shows the same rows.
 */

/** `none`: there is nothing to observe, because no id is known. */
export type Observed = 'present' | 'missing' | 'unknown' | 'none';

export interface ClientCell {
  readonly declared: 'yes' | 'no' | 'forget';
  readonly recorded: 'yes' | 'no';
  /** Of the recorded id. */
  readonly observed: Observed;
  /**
   * Of the id in the `id:` line. `none` where there is no such line or it is inert; `held` where another address that stays, or is to
   * be retired, has that id.
   */
  readonly idLine: Observed | 'held';
}

type Row<Cell, Decision extends string> = readonly [
  { readonly [Name in keyof Cell]?: Cell[Name] | readonly Cell[Name][] },
  Decision,
];

export const clientTable = [
  [{ declared: 'forget', recorded: 'yes' }, 'forget'],
  [{ declared: ['no', 'forget'], recorded: 'no' }, 'nothing'],
  [{ declared: 'no', observed: 'present' }, 'delete'],
  [{ declared: 'no', observed: 'missing' }, 'forget gone'],
  [{ declared: 'no' }, 'leave alone'],
  [{ idLine: 'held' }, 'refuse: id differs'],
  [{ recorded: 'yes', observed: 'unknown' }, 'leave alone'],
  [{ recorded: 'yes', observed: 'present', idLine: 'present' }, 'refuse: id differs'],
  [{ recorded: 'yes', observed: 'present' }, 'compare'],
  [{ recorded: 'yes', observed: 'missing', idLine: 'present' }, 'adopt'],
  [{ idLine: 'unknown' }, 'leave alone'],
  [{ recorded: 'yes', observed: 'missing' }, 'create'],
  [{ recorded: 'no', idLine: 'present' }, 'adopt'],
  [{ recorded: 'no', idLine: 'missing' }, 'refuse: id missing'],
  [{ recorded: 'no' }, 'create'],
] as const satisfies readonly Row<ClientCell, string>[];

export interface LinkCell {
  readonly declared: 'yes' | 'no' | 'forget';
  readonly recorded: 'yes' | 'no';
  readonly observed: Observed;
  /** By exact sets: `part` where a member of one of them, or any name in the manifests, is unknown. */
  readonly covered: 'no' | 'yes' | 'part';
}

export const linkTable = [
  [{ declared: 'forget', recorded: 'yes' }, 'forget'],
  [{ declared: 'forget' }, 'nothing'],
  [{ declared: 'yes', recorded: 'yes', observed: 'present' }, 'keep'],
  [{ declared: 'yes', recorded: 'no', observed: 'present' }, 'adopt'],
  [{ declared: 'yes', observed: ['missing', 'none'] }, 'create'],
  [{ declared: 'yes' }, 'leave alone'],
  [{ recorded: 'yes', observed: 'missing' }, 'forget gone'],
  [{ recorded: 'yes', observed: 'present', covered: ['no', 'yes'] }, 'delete'],
  [{ recorded: 'yes' }, 'leave alone'],
  [{ recorded: 'no', observed: 'present', covered: 'yes' }, 'delete unmanaged'],
  [{ recorded: 'no' }, 'nothing'],
] as const satisfies readonly Row<LinkCell, string>[];

export function decide<Cell extends object, Decision extends string>(
  table: readonly Row<Cell, Decision>[],
  cell: Cell,
): Decision {
  const row = table.find(([wanted]) => {
    for (const name in wanted) {
      const allowed: unknown = wanted[name];
      if (Array.isArray(allowed) ? !allowed.includes(cell[name]) : allowed !== cell[name]) return false;
    }
    return true;
  });
  if (row === undefined) throw new Error(`the planning table has no row for ${JSON.stringify(cell)}`);
  return row[1];
}
