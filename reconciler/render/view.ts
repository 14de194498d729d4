/** What a plan or a drift report shows, without its looks: sections by kind, links by their first end, each reason once. Pure. */
import { groupBy } from '../../manifest/graph';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Step } from '../plan/plan';
import { withoutReplaced } from '../plan/steps';
import { definition, type Row, rowOfItem, rowOfStep } from './row';
import { counted, cut, type Style } from './text';

export interface Line {
  /** Of links their first end, of an object its name; empty where objects share the line. */
  readonly name: string;
  /** Rows, those with one mark and one reason together. */
  readonly members: readonly (readonly Row[])[];
  /** It is a single row, with its changes. */
  readonly isWhole: boolean;
  /** What is left out of it, or empty. */
  readonly more: string;
}

export interface Section {
  /** `Run triggers`. */
  readonly title: string;
  /** `target ← source`; empty but for arrows. */
  readonly ends: string;
  /** Why, of all rows with that mark that say nothing else. */
  readonly reasons: readonly Pick<Row, 'mark' | 'why'>[];
  readonly lines: readonly Line[];
  /** What is left out with its lines, or empty. */
  readonly more: string;
}

interface ViewOptions {
  /** Of which marks; all where it is left out. */
  readonly isWanted?: (mark: Row['mark']) => boolean;
  /** Lines have members of one mark, and not too many: for a `diff` block. */
  readonly isApart?: boolean;
}

/** Without `all`, plain rows are left out where there are many. */
export function planSections(steps: readonly Step[], style: Style, options: ViewOptions = {}) {
  return sectionsOf(
    withoutReplaced(steps).map((step) => rowOfStep(step, style)),
    style.all ?? false,
    options,
  );
}

export function driftSections(items: readonly DriftItem[], style: Style, options: ViewOptions = {}) {
  return sectionsOf(
    items.map((item) => rowOfItem(item, style)),
    true,
    options,
  );
}

/** In the order of the registry. */
function sectionsOf(
  rows: readonly Row[],
  all: boolean,
  { isWanted = () => true, isApart = false }: ViewOptions,
) {
  const byKind = groupBy(
    rows.filter(({ mark }) => isWanted(mark)),
    ({ kind }) => kind,
  );
  const kinds = new Set([...registry.map(({ kind }) => kind), ...byKind.keys()]);
  return [...kinds].flatMap((kind): Section[] | Section => {
    const own = byKind.get(kind);
    return own === undefined ? [] : sectionOf(kind, own, all, isApart);
  });
}

/** Plain objects up to so many show their fields. */
const mostInFull = 3;
/** More plain lines than `most`, or plain rows of a line, are cut to `shown`. */
const lineLimit = { most: 10, shown: 8 };
const rowLimit = { most: 15, shown: 12 };
/** Links of one mark on one line of a `diff` block. */
const mostTogether = 30;

const isPlain = (row: Row) => row.isPlain;

function sectionOf(kind: string, all: readonly Row[], showsAll: boolean, isApart: boolean): Section {
  const { title = cut(kind), section, edge } = definition(kind) ?? {};
  const nounOf = (field: string) => section?.ends.find((end) => end.field === field)?.singular ?? field;
  const { rows, reasons } = withoutRepeats(all);
  const areMany = !showsAll && rows.filter((row) => isPlain(row) && row.owner === '').length > mostInFull;
  const isAlone = (row: Row) => (row.owner === '' ? !(areMany && isPlain(row)) : row.details.length > 0);
  const members = rows.filter((row) => !isAlone(row));
  const groups = isApart
    ? [...groupBy(members, ({ owner, mark }) => `${mark} ${owner}`).values()].flatMap(chunksOf)
    : [...groupBy(members, ({ owner }) => owner).values()];
  const excess: Excess = (items, { most, shown }) =>
    new Set(showsAll || items.length <= most ? [] : items.slice(shown));
  const plain = groups.filter((group) => group.every(isPlain));
  const left = excess(plain, lineLimit);
  return {
    title,
    ends: edge === undefined ? '' : `${nounOf(edge.to)} ← ${nounOf(edge.from)}`,
    reasons,
    lines: [
      ...rows.filter(isAlone).map((row) => {
        const name = row.owner === '' ? row.name : `${row.owner}/${row.name}`;
        return { name, members: [[row]], isWhole: true, more: '' };
      }),
      ...groups.filter((group) => !left.has(group)).map((group) => lineOf(group, excess)),
    ],
    more:
      left.size === 0
        ? ''
        : `${countOf([...left].flat())}, for ${counted(left.size, 'other')} (-v lists them)`,
  };
}

/** What a long list is cut by. */
type Excess = <Item>(items: readonly Item[], limit: typeof lineLimit) => ReadonlySet<Item>;

function lineOf(rows: readonly Row[], excess: Excess): Line {
  const { owner: name = '' } = rows[0] ?? {};
  const left = excess(rows.filter(isPlain), rowLimit);
  const shown = rows.filter((row) => !left.has(row));
  const ordered = [...shown.filter(isPlain), ...shown.filter((row) => !isPlain(row))];
  const members = [...groupBy(ordered, ({ mark, why }) => `${mark} ${why}`).values()];
  const hint = name === '' ? '(-v shows their fields)' : '(-v lists them)';
  const more = left.size > 0 ? `${countOf([...left])} ${hint}` : name === '' ? hint : '';
  return { name, members, isWhole: false, more };
}

/** `… and 8 more to create, 2 to adopt`. */
function countOf(rows: readonly Row[]): string {
  const counts = [...groupBy(rows, ({ mark }) => mark)].map(([mark, some], index) => {
    return `${some.length}${index === 0 ? ' more' : ''} to ${mark}`;
  });
  return `… and ${counts.join(', ')}`;
}

function chunksOf(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / mostTogether) }, (_, index) =>
    rows.slice(index * mostTogether, (index + 1) * mostTogether),
  );
}

/** The most frequent reason of a mark is said once for the section, if more than one line has it. */
function withoutRepeats(all: readonly Row[]): Pick<Section, 'reasons'> & { readonly rows: readonly Row[] } {
  const unsaid = [...groupBy(all, ({ mark }) => mark).values()].flatMap((some) => {
    const byWhy = [...groupBy(some, ({ why }) => why).values()];
    const [most = []] = byWhy.sort((one, two) => two.length - one.length);
    const isRepeated = new Set(most.map((row) => row.owner || row)).size > 1;
    return (isRepeated ? most[0] : some.find(({ isOrdinary }) => isOrdinary)) ?? [];
  });
  const known = new Set(unsaid.map(({ mark, why }) => `${mark} ${why}`));
  return {
    reasons: unsaid.filter(({ isOrdinary }) => !isOrdinary),
    rows: all.map((row) => (known.has(`${row.mark} ${row.why}`) ? { ...row, why: '' } : row)),
  };
}
