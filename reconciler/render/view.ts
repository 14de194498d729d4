/** What a plan or a drift report shows, without its looks: sections by kind, links by their first end, each reason once. Pure. */
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Step } from '../plan/plan';
import { grouped } from '../plan/steps';
import { definition, type Placed, placedItem, placedStep, type Row } from './row';
import { untold } from './summary';
import { cut } from './text';

/** Rows of one line: links with the same first end, or objects under an empty name. */
export interface Group {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Rows like these that are left out. */
  readonly more: number;
}

export interface Section {
  readonly kind: string;
  /** `Run triggers`. */
  readonly title: string;
  /** `target ← source`; empty but for arrows. */
  readonly ends: string;
  /** Why, of all rows with that mark that say nothing else. */
  readonly reasons: readonly Pick<Row, 'mark' | 'why'>[];
  /** Objects, one by one. */
  readonly objects: readonly Row[];
  readonly groups: readonly Group[];
  /** What is left out, besides what groups leave out: rows and groups. */
  readonly folded: { readonly rows: number; readonly groups: number };
}

export function planSections(steps: readonly Step[], all: boolean): readonly Section[] {
  const replaced = new Map(
    steps.flatMap((step) => (step.action === 'replace' ? [[step.address, step] as const] : [])),
  );
  return sectionsOf(
    untold(steps).map((step) => placedStep(step, replaced)),
    all,
  );
}

export function driftSections(items: readonly DriftItem[]): readonly Section[] {
  return sectionsOf(items.map(placedItem), true);
}

/** In the order of the registry. */
function sectionsOf(placed: readonly Placed[], all: boolean): readonly Section[] {
  const byKind = grouped(placed.map((one) => [one.kind, one] as const));
  const kinds = new Set([...registry.map(({ kind }) => kind), ...byKind.keys()]);
  return [...kinds].flatMap((kind) => {
    const own = byKind.get(kind);
    return own === undefined ? [] : sectionOf(kind, own, all);
  });
}

function sectionOf(kind: string, placed: readonly Placed[], all: boolean): Section {
  const { title = cut(kind), section, edge } = definition(kind) ?? {};
  const nounOf = (field: string) => section?.ends.find((end) => end.field === field)?.singular ?? field;
  const { rows, reasons } = withoutRepeats(placed);
  const plainObjects = rows.filter(({ isPlain, owner }) => isPlain && owner === undefined);
  const areMany = !all && plainObjects.length > mostInFull;
  const isSingle = ({ isPlain, owner, row: { changes, risks, approval } }: Placed) =>
    owner === undefined ? !(areMany && isPlain) : changes.length + risks.length > 0 || approval !== '';
  const members = rows.filter((one) => !isSingle(one));
  const groups = [...grouped(members.map((one) => [one.owner ?? '', one] as const))];
  return {
    kind,
    title,
    ends: edge === undefined ? '' : `${nounOf(edge.to)} ← ${nounOf(edge.from)}`,
    reasons,
    objects: rows.filter(isSingle).map(({ row, owner }) => {
      return owner === undefined ? row : { ...row, name: `${owner}/${row.name}` };
    }),
    ...(all ? unfolded(groups) : folded(groups)),
  };
}

/** Plain objects up to so many show their fields. */
const mostInFull = 3;
/** More plain groups than `most`, or plain rows of a group, are cut to `shown`. */
const groupLimit = { most: 10, shown: 8 };
const rowLimit = { most: 15, shown: 12 };

type Groups = readonly (readonly [string, readonly Placed[]])[];

function unfolded(groups: Groups) {
  const whole = groups.map(([name, members]): Group => {
    return { name, rows: ordered(members), more: 0 };
  });
  return { groups: whole, folded: { rows: 0, groups: 0 } };
}

function folded(groups: Groups) {
  const isPlainGroup = ([, members]: Groups[number]) => members.every(({ isPlain }) => isPlain);
  const plain = groups.filter(isPlainGroup);
  const left = new Set(plain.length > groupLimit.most ? plain.slice(groupLimit.shown) : []);
  const shown = groups
    .filter((group) => !left.has(group))
    .map(([name, members]): Group => {
      const plainRows = members.filter(({ isPlain }) => isPlain);
      const cutAt = plainRows.length > rowLimit.most ? rowLimit.shown : plainRows.length;
      const more = new Set(plainRows.slice(cutAt));
      return { name, rows: ordered(members.filter((one) => !more.has(one))), more: more.size };
    });
  const rows = [...left].reduce((total, [, members]) => total + members.length, 0);
  return { groups: shown, folded: { rows, groups: left.size } };
}

/** What has one mark and one reason stands together. */
function ordered(members: readonly Placed[]): readonly Row[] {
  const alike = grouped(members.map(({ row }) => [`${row.mark} ${row.why}`, row] as const));
  return [...alike.values()].flat();
}

/** The most frequent reason of a mark is said once for the section, if more than one line has it. */
function withoutRepeats(placed: readonly Placed[]) {
  const reasons: Pick<Row, 'mark' | 'why'>[] = [];
  const unsaid = new Map<string, string>();
  for (const [mark, alike] of grouped(placed.map((one) => [one.row.mark, one] as const))) {
    const byWhy = [...grouped(alike.map((one) => [one.row.why, one] as const)).values()];
    const [most = []] = byWhy.sort((one, two) => two.length - one.length);
    const [first] = most;
    const lines = new Set(most.map(({ owner, row }) => owner ?? row));
    const usual = byWhy.flat().find(({ isOrdinary }) => isOrdinary);
    const isRepeated = first !== undefined && lines.size > 1;
    if (isRepeated && !first.isOrdinary) reasons.push({ mark: first.row.mark, why: first.row.why });
    const why = isRepeated ? first.row.why : usual?.row.why;
    if (why !== undefined) unsaid.set(mark, why);
  }
  const rows = placed.map((one) =>
    unsaid.get(one.row.mark) === one.row.why ? { ...one, row: { ...one.row, why: '' } } : one,
  );
  return { rows, reasons };
}
