/** What a plan or a drift report shows, without its looks: sections by kind, links by their first end, each reason once. Pure. */
import { groupBy } from '../../manifest/graph';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Step } from '../plan/plan';
import { definition, type Row, rowOfItem, rowsOfSteps } from './row';
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

export interface ViewOptions extends Pick<Style, 'nameOf'> {
  /** Nothing is left out; else plain rows are, where there are many. */
  readonly all?: boolean;
  /** Lines have members of one mark, and not too many: for a `diff` block. */
  readonly apart?: boolean;
  /** Of which marks; all where it is left out. */
  readonly isWanted?: (mark: Row['mark']) => boolean;
}

export function planSections(steps: readonly Step[], options: ViewOptions): readonly Section[] {
  return sectionsOf(rowsOfSteps(steps, options.nameOf), options);
}

export function driftSections(items: readonly DriftItem[], options: ViewOptions): readonly Section[] {
  const rows = items.map((item) => rowOfItem(item, options.nameOf));
  return sectionsOf(rows, { ...options, all: true });
}

/** In the order of the registry. */
function sectionsOf(rows: readonly Row[], options: ViewOptions): readonly Section[] {
  const { isWanted = () => true } = options;
  const byKind = groupBy(
    rows.filter(({ mark }) => isWanted(mark)),
    ({ kind }) => kind,
  );
  const kinds = new Set([...registry.map(({ kind }) => kind), ...byKind.keys()]);
  return [...kinds].flatMap((kind) => {
    const own = byKind.get(kind);
    return own === undefined ? [] : sectionOf(kind, own, options);
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

function sectionOf(
  kind: string,
  all: readonly Row[],
  { all: showsAll = false, apart }: ViewOptions,
): Section {
  const { title = cut(kind), section, edge } = definition(kind) ?? {};
  const nounOf = (field: string) => section?.ends.find((end) => end.field === field)?.singular ?? field;
  const { rows, reasons } = withoutRepeats(all);
  const areMany = !showsAll && rows.filter((row) => isPlain(row) && row.owner === '').length > mostInFull;
  const isAlone = ({ owner, isPlain, changes, risks, approval }: Row) =>
    owner === '' ? !(areMany && isPlain) : changes.length + risks.length + approval.length > 0;
  const alone = rows.filter(isAlone).map((row) => {
    const name = row.owner === '' ? row.name : `${row.owner}/${row.name}`;
    return { name, members: [[row]], isWhole: true, more: '' };
  });
  const members = rows.filter((row) => !isAlone(row));
  const groups = apart
    ? [...groupBy(members, ({ owner, mark }) => `${mark} ${owner}`).values()].flatMap(chunksOf)
    : [...groupBy(members, ({ owner }) => owner).values()];
  const left = showsAll
    ? []
    : excess(
        groups.filter((group) => group.every(isPlain)),
        lineLimit,
      );
  const isLeft = new Set(left);
  const rest = `, for ${counted(left.length, 'other')} (-v lists them)`;
  return {
    title,
    ends: edge === undefined ? '' : `${nounOf(edge.to)} ← ${nounOf(edge.from)}`,
    reasons,
    lines: [
      ...alone,
      ...groups.filter((group) => !isLeft.has(group)).map((group) => lineOf(group, showsAll)),
    ],
    more: left.length === 0 ? '' : `${countOf(left.flat())}${rest}`,
  };
}

function lineOf(rows: readonly Row[], showsAll: boolean): Line {
  const { owner: name = '' } = rows[0] ?? {};
  const left = showsAll ? [] : excess(rows.filter(isPlain), rowLimit);
  const isLeft = new Set(left);
  const shown = rows.filter((row) => !isLeft.has(row));
  const ordered = [...shown.filter(isPlain), ...shown.filter((row) => !isPlain(row))];
  const members = [...groupBy(ordered, ({ mark, why }) => `${mark} ${why}`).values()];
  const hint = name === '' ? '(-v shows their fields)' : '(-v lists them)';
  const more = left.length > 0 ? `${countOf(left)} ${hint}` : name === '' ? hint : '';
  return { name, members, isWhole: false, more };
}

/** What a long list is cut by. */
function excess<Item>(items: readonly Item[], { most, shown }: typeof lineLimit): readonly Item[] {
  return items.length > most ? items.slice(shown) : [];
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
