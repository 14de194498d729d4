/**
 * The planning tables. The declared, recorded and observed states of an object decide the action. If several rows fit, the first one
 * counts. `docs/architecture.md` shows the same rows.
 */

/** `none` means that there is nothing to observe, because no id is known. */
export type State = 'present' | 'missing' | 'unknown' | 'none';

export interface ClientCell {
  readonly declared: 'yes' | 'no' | 'forget';
  readonly recorded: 'yes' | 'no';
  /** The state of the recorded id. */
  readonly observed: State;
  /**
   * The state of the id in the `id:` line. It is `none` if the line is absent or inert. It is `held` if a declared address has that id,
   * or if the id is retiring, unless its client is missing.
   */
  readonly idLine: State | 'held';
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
  [{ idLine: 'present' }, 'adopt'],
  [{ idLine: 'unknown' }, 'leave alone'],
  [{ recorded: 'no', idLine: 'missing' }, 'refuse: id missing'],
  [{ observed: ['missing', 'none'] }, 'create'],
] as const satisfies readonly Row<ClientCell, string>[];

export interface LinkCell {
  readonly declared: 'yes' | 'no' | 'forget';
  readonly recorded: 'yes' | 'no';
  readonly observed: Exclude<State, 'none'>;
  /** `yes` means that an exact set covers the link. */
  readonly covered: 'no' | 'yes';
}

export const linkTable = [
  [{ declared: 'forget', recorded: 'yes' }, 'forget'],
  [{ declared: 'forget' }, 'nothing'],
  [{ declared: 'yes', recorded: 'yes', observed: 'present' }, 'keep'],
  [{ declared: 'yes', recorded: 'no', observed: 'present' }, 'adopt'],
  [{ declared: 'yes', observed: 'missing' }, 'create'],
  [{ declared: 'yes' }, 'leave alone'],
  [{ recorded: 'yes', observed: 'missing' }, 'forget gone'],
  [{ recorded: 'yes', observed: 'present' }, 'delete'],
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
