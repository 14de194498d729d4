/** What a plan or a drift report shows, without its looks: sections by kind, links by their first end, each reason once. Pure. */
import { isReference } from '../../resources/kind';
import { registry } from '../../resources/registry';
import type { DriftItem } from '../drift';
import type { Step } from '../plan/plan';
import { grouped, withoutReplaced } from '../plan/steps';
import { definition, type Row, rowOfItem, rowOfStep } from './row';
import { cut } from './text';

/** Rows of one line: links with the same first end, or objects under an empty name. */
export interface Group {
  readonly name: string;
  /** Plain ones first; those with one mark and one reason stand together. */
  readonly rows: readonly Row[];
  /** How many plain ones are left out. */
  readonly more: number;
}

export interface Section {
  /** `Run triggers`. */
  readonly title: string;
  /** `target ← source`; empty but for arrows. */
  readonly ends: string;
  /** Why, of all rows with that mark that say nothing else. */
  readonly reasons: readonly Pick<Row, 'mark' | 'why'>[];
  /** One by one, with their changes. */
  readonly objects: readonly Row[];
  readonly groups: readonly Group[];
  /** How many plain rows are left out with their groups. */
  readonly folded: { readonly rows: number; readonly groups: number };
}

/** With `all` nothing is left out; without, only plain rows where there are many. */
export function planSections(steps: readonly Step[], all: boolean): readonly Section[] {
  const replacing = steps.filter(({ action }) => action === 'replace');
  const replaced = new Map(replacing.map((step) => [step.address, step]));
  const linked = grouped(steps.flatMap(linksToNew));
  return sectionsOf(
    withoutReplaced(steps).map((step) => rowOfStep(step, replaced, linked.get(step.address) ?? [])),
    all,
  );
}

/** Of a link to an object that has no id yet: the address of that one, and the other ends. */
function linksToNew({ action, inputs }: Step): (readonly [string, string])[] {
  const ends = Object.values(inputs);
  const others = ends.filter((end) => typeof end === 'string');
  if (action !== 'create') return [];
  return ends.filter(isReference).flatMap(({ address }) => others.map((other) => [address, other] as const));
}

export function driftSections(items: readonly DriftItem[]): readonly Section[] {
  return sectionsOf(items.map(rowOfItem), true);
}

/** In the order of the registry. */
function sectionsOf(rows: readonly Row[], all: boolean): readonly Section[] {
  const byKind = grouped(rows.map((row) => [row.kind, row] as const));
  const kinds = new Set([...registry.map(({ kind }) => kind), ...byKind.keys()]);
  return [...kinds].flatMap((kind) => {
    const own = byKind.get(kind);
    return own === undefined ? [] : sectionOf(kind, own, all);
  });
}

/** Plain objects up to so many show their fields. */
const mostInFull = 3;
/** More plain groups than `most`, or plain rows of a group, are cut to `shown`. */
const groupLimit = { most: 10, shown: 8 };
const rowLimit = { most: 15, shown: 12 };

function sectionOf(kind: string, all: readonly Row[], isWhole: boolean): Section {
  const { title = cut(kind), section, edge } = definition(kind) ?? {};
  const nounOf = (field: string) => section?.ends.find((end) => end.field === field)?.singular ?? field;
  const { rows, reasons } = withoutRepeats(all);
  const plainObjects = rows.filter(({ isPlain, owner }) => isPlain && owner === '');
  const areMany = !isWhole && plainObjects.length > mostInFull;
  const isAlone = ({ owner, isPlain, changes, risks, approval }: Row) =>
    owner === '' ? !(areMany && isPlain) : changes.length + risks.length + approval.length > 0;
  const members = rows.filter((row) => !isAlone(row)).map((row) => [row.owner, row] as const);
  const groups = [...grouped(members)].map(([name, some]) => groupOf(name, some, isWhole));
  const plain = groups.filter((group) => group.rows.every(({ isPlain }) => isPlain));
  const left = new Set(!isWhole && plain.length > groupLimit.most ? plain.slice(groupLimit.shown) : []);
  return {
    title,
    ends: edge === undefined ? '' : `${nounOf(edge.to)} ← ${nounOf(edge.from)}`,
    reasons,
    objects: rows.filter(isAlone).map((row) => {
      return row.owner === '' ? row : { ...row, name: `${row.owner}/${row.name}` };
    }),
    groups: groups.filter((group) => !left.has(group)),
    folded: {
      rows: [...left].reduce((total, group) => total + group.rows.length + group.more, 0),
      groups: left.size,
    },
  };
}

function groupOf(name: string, all: readonly Row[], isWhole: boolean): Group {
  const plain = all.filter(({ isPlain }) => isPlain);
  const left = new Set(!isWhole && plain.length > rowLimit.most ? plain.slice(rowLimit.shown) : []);
  const shown = [...plain.filter((row) => !left.has(row)), ...all.filter(({ isPlain }) => !isPlain)];
  const alike = grouped(shown.map((row) => [`${row.mark} ${row.why}`, row] as const));
  return { name, rows: [...alike.values()].flat(), more: left.size };
}

/** The most frequent reason of a mark is said once for the section, if more than one line has it. */
function withoutRepeats(all: readonly Row[]): Pick<Section, 'reasons'> & { readonly rows: readonly Row[] } {
  const unsaid = [...grouped(all.map((row) => [row.mark, row] as const)).values()].flatMap((some) => {
    const byWhy = [...grouped(some.map((row) => [row.why, row] as const)).values()];
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
