/** A report is one value for a plan, an apply or a drift. Text and Markdown are printed from it. */
import { oneLine } from '../../client/text';
import { nameInAddress } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import { groupBy } from '../../resources/groups';
import { type FieldValue, isReference, type Reference } from '../../resources/kind';
import { counted } from '../../resources/names';
import { findDefinition, registry } from '../../resources/registry';
import type { LedgerSummary } from '../ledger/ledger';
import { readHost } from '../ledger/same-service';
import type { LeftAlone, Plan } from '../plan/plan';

/** The symbol of a row, its colour, and the sign that colours it in a `diff` block. A report that is cut keeps urgent rows. */
export const marks = {
  create: { symbol: '+', colour: 'green', sign: '+', isUrgent: false },
  update: { symbol: '~', colour: 'yellow', sign: '!', isUrgent: false },
  replace: { symbol: '±', colour: 'magenta', sign: '-', isUrgent: true },
  delete: { symbol: '-', colour: 'red', sign: '-', isUrgent: true },
  adopt: { symbol: '→', colour: 'cyan', sign: '!', isUrgent: false },
  move: { symbol: '→', colour: 'cyan', sign: '!', isUrgent: false },
  forget: { symbol: '∅', colour: 'cyan', sign: '!', isUrgent: false },
  changed: { symbol: '~', colour: 'yellow', sign: '!', isUrgent: true },
  missing: { symbol: '-', colour: 'red', sign: '-', isUrgent: true },
  added: { symbol: '+', colour: 'cyan', sign: '+', isUrgent: true },
  done: { symbol: '✓', colour: 'green', sign: '+', isUrgent: false },
  failed: { symbol: '✖', colour: 'red', sign: '-', isUrgent: true },
  left: { symbol: '·', colour: 'yellow', sign: '!', isUrgent: true },
  unknown: { symbol: '?', colour: 'yellow', sign: '!', isUrgent: true },
  problem: { symbol: '!', colour: 'red', sign: '!', isUrgent: true },
  blocker: { symbol: '✖', colour: 'red', sign: '!', isUrgent: true },
  note: { symbol: '·', colour: 'reset', sign: ' ', isUrgent: false },
} as const;

export interface Line {
  /** The name of a field. It is absent for a remark. */
  readonly label?: string;
  readonly text: string;
}

export interface Row {
  readonly mark: keyof typeof marks;
  readonly title: string;
  readonly text?: string;
  readonly lines?: readonly Line[];
}

export interface Section {
  readonly title: string;
  readonly rows: readonly Row[];
  /** Lines that can be pasted as they are. */
  readonly paste?: readonly string[];
}

export interface Report {
  /** The organization and the ledger. */
  readonly about: string;
  readonly sections: readonly Section[];
  /** One sentence with all counts. */
  readonly summary: string;
  /** The digest of a plan, or what a drift counted besides. */
  readonly footer?: string;
  /** The command to run next, or what to do before. */
  readonly next?: string | undefined;
}

/** The names of objects and commands in reports. */
export interface Naming {
  /** Returns the alias of an id, else its name, else the id. */
  displayName(id: string): string;
  /** Returns a command for the same folder and flags, such as `tether apply infra`. */
  again(command: 'plan' | 'apply'): string;
}

export function toSections(title: string, rows: readonly Row[]): readonly Section[] {
  return rows.length === 0 ? [] : [{ title, rows }];
}

/** Makes one section for each kind, in the order of the registry. Links are grouped by their first end. */
export function sectionsByKind<Item extends { readonly kind: string }>(
  items: readonly Item[],
  toRow: (item: Item) => Row,
): readonly Section[] {
  return registry.flatMap(({ kind, title, edge, section: { ends } }) => {
    const rows = items.filter((item) => item.kind === kind).map(toRow);
    if (ends.length === 0) return toSections(title, rows);
    const between = edge === undefined ? ' + ' : ' ← ';
    const heading = `${title} (${ends.map((end) => end.singular).join(between)})`;
    return toSections(heading, groupedLinks(rows, between));
  });
}

/** Puts links with the same text in one row, such as `app ← network, dns`. A row with lines of its own stays alone. */
function groupedLinks(rows: readonly Row[], between: string): readonly Row[] {
  const grouped = new Map<string, Row>();
  for (const row of rows) {
    const { mark, title, text, lines = [] } = row;
    const [first, ...rest] = nameInAddress(title).split('/');
    const group = lines.length > 0 ? `row ${grouped.size}` : [mark, first, text].join('\n');
    const before = grouped.get(group)?.title ?? first;
    const separator = grouped.has(group) ? ', ' : between;
    grouped.set(group, { ...row, title: `${before}${separator}${rest.join('/')}` });
  }
  return [...grouped.values()];
}

/** Makes a section of messages. Each has its place, and the line that ends it. */
export function messageSection(
  mark: Row['mark'],
  title: string,
  items: readonly Message[],
): readonly Section[] {
  const addresses = new Set(items.map(({ address }) => address));
  const isFolded = ({ cause }: Message) => cause !== undefined && addresses.has(cause);
  const folded = groupBy(items.filter(isFolded), ({ cause }) => cause);
  const rows = items.flatMap((item): readonly Row[] => {
    const { address = '', message, line, at } = item;
    if (isFolded(item)) return [];
    const where = at === undefined ? [] : [{ text: `at ${renderPosition(at)}` }];
    const ends = line === undefined ? [] : [{ text: `to end this, write: ${line}` }];
    const dependents = folded.get(address)?.map((dependent) => dependent.address) ?? [];
    const more = dependents.length === 0 ? [] : [{ text: `left alone with it: ${dependents.join(', ')}` }];
    // Many messages begin with the address.
    const title = message.startsWith(`${address} `) ? '' : address;
    return [{ mark, title, text: message, lines: [...where, ...more, ...ends] }];
  });
  return toSections(title, rows);
}

type Message = Partial<LeftAlone> & Pick<LeftAlone, 'message'>;

type About = Pick<Plan, 'organization' | 'address' | 'ledger'>;

/** Writes `acme at app.terraform.io`. */
export function aboutService({ organization, address }: Omit<About, 'ledger'>): string {
  return `${organization} at ${readHost(address)}`;
}

/**
 * Writes `acme at app.terraform.io · ledger tether.ledger.json: lineage 6f0c, serial 41, 12 objects`, then who applied last, and who has the
 * lock.
 */
export function aboutLedger(about: About): string {
  const { place, lineage, serial, objects, lastApply, lock } = about.ledger;
  const state =
    serial === 0
      ? 'not written yet, so nothing counts as managed'
      : `lineage ${lineage}, serial ${serial}, ${counted(objects, 'object')}`;
  const { at, by = '', revision } = lastApply ?? {};
  const source = revision === undefined ? '' : ` from ${oneLine(revision, maxFieldLength)}`;
  return [
    `${aboutService(about)} · ledger ${place}: ${state}`,
    ...(at === undefined
      ? []
      : [`last applied ${oneLine(at, 30)} by ${oneLine(by, maxFieldLength)}${source}`]),
    ...(lock === undefined ? [] : [describeLock(lock)]),
  ].join(', ');
}

export function describeLock({ who, since }: NonNullable<LedgerSummary['lock']>): string {
  return `locked by ${who} since ${since}`;
}

/** Writes `2 failed, 1 blocked`, without counts of 0. */
export function listCounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).flatMap(([what, count]) => (count === 0 ? [] : `${count} ${what}`));
  return parts.join(', ');
}

/** Counts what a plan leaves alone and what blocks it, such as `1 unknown, 2 problems`. */
export function leftAloneCounts({ unknown, problems, blockers }: Plan): string {
  return listCounts({
    unknown: unknown.length,
    [problems.length === 1 ? 'problem' : 'problems']: problems.length,
    [blockers.length === 1 ? 'blocker' : 'blockers']: blockers.length,
  });
}

/** Returns the name in manifests, such as `agentPool` for `agentPoolId` of an OAuthClient. */
export function fieldName(kind: string, field: string): string {
  return findDefinition(kind).fields[field]?.manifestName ?? field;
}

/** Longer texts are cut. Services set no limit on a name, and whoever can commit a ledger none on its author. */
const maxFieldLength = 200;

/** Writes an id by its name, a string in quotes and a set in brackets. Of several lines it shows the first. */
export function showField(
  kind: string,
  field: string,
  value: FieldValue | Reference | undefined,
  { displayName }: Pick<Naming, 'displayName'>,
): string {
  if (value === undefined) return 'unknown';
  if (value === null) return 'none';
  if (isReference(value)) return value.address;
  if (typeof value === 'boolean') return String(value);
  const isId = findDefinition(kind).fields[field]?.refersTo !== undefined;
  if (typeof value !== 'string') {
    const members = isId ? value.map((id) => displayName(id)) : [...value];
    return `[${members.sort().join(', ')}]`;
  }
  if (isId) return displayName(value);
  const excerpt = value.replace(/\n.*/s, '').slice(0, maxFieldLength);
  return excerpt === value ? `"${value}"` : `"${excerpt}…" (${value.length} characters)`;
}
