/** A drift report as text: what changed, is gone or unmanaged, and what waits to be applied. */
import { plain } from '../../client/text';
import { hang } from '../../client/wrap';
import type { DesiredEntry } from '../../manifest/desired';
import { renderPosition } from '../../manifest/issues';
import type { DriftItem, DriftReport } from '../drift';
import type { existingOf } from '../survey';
import { fieldName, showField } from './row';
import { driftSections, renderSections } from './sections';
import { counted, cut, joinBlocks, listing, type RenderOptions, type Style, someOf, styleFor } from './text';

/** Ends with a line break. */
export function renderDrift(report: DriftReport, options: RenderOptions): string {
  const style = styleFor(options);
  const { items, unknown, problems, pending } = report;
  const unseen = 'Unknown (not readable with this token, or waiting for what is)';
  const left = 'Left by our own creates (not drift; the next apply clears it away)';
  const waiting = 'Not applied yet (edits of the manifests, not drift)';
  const edits = pending.filter(({ leftover }) => leftover === undefined);
  const leftovers = pending.filter(({ leftover }) => leftover !== undefined);
  return joinBlocks([
    ...renderSections(driftSections(items, style)),
    listing(style, { mark: 'unknown', title: unseen }, unknown, ({ why }) => why),
    listing(style, { mark: 'problem', title: 'Problems' }, problems, ({ message }) => message),
    listing(style, { mark: 'pending', title: left }, leftovers, ({ leftover = '' }) => leftover),
    listing(style, { mark: 'pending', title: waiting }, edits, ({ action }) => action),
    hang('', style.paint.bold(driftLine(report)), style.width),
  ]);
}

/** More lines to edit are left out. */
const mostEdits = 10;

/** What to do about drift: the command that repairs it, and the edits that accept it. Ends with a line break, or is empty. */
export function renderDriftNext(
  { items, pending }: DriftReport,
  options: RenderOptions,
  again: (command: 'plan' | 'apply') => string,
): string {
  if (items.length + pending.length === 0) return '';
  const style = styleFor(options);
  const { width, all, manifests } = style;
  const drifted = items.filter(({ asDesired }) => asDesired !== true);
  if (drifted.length === 0) return `Next: ${again('plan')}\n`;
  const byAddress = new Map(manifests?.entries.map((entry) => [entry.address, entry]));
  const edits = drifted.flatMap((item) => editsOf(item, byAddress.get(item.address), style));
  const shown = edits.slice(0, all ? edits.length : mostEdits);
  const rest = edits.length - shown.length;
  if (rest > 0) shown.push(`… and ${rest} more (-v lists them)`);
  const deletes = items.some(({ state }) => state === 'unmanaged') ? ' (what is unmanaged is deleted)' : '';
  const lines = [
    ...hang('', `To put back what the manifests say${deletes}: ${again('apply')}`, width),
    ...(shown.length === 0 ? [] : hang('', 'To keep what is there, edit the manifests and apply:', width)),
    ...shown.flatMap((edit) => hang('    ', plain(edit), width)),
  ];
  return `${lines.join('\n')}\n`;
}

/** The lines of manifests that accept it. */
function editsOf(
  { kind, address, state, fields, evidence }: DriftItem,
  entry: DesiredEntry | undefined,
  style: Style,
): string[] {
  // No line keeps a second link of a pair that is listed.
  if (state === 'unmanaged') return entry ? [] : [`list ${cut(address)}, which is ${evidence.join('; ')}`];
  if (entry === undefined) return [];
  if (state === 'gone') return [`${renderPosition(entry.at)}  remove ${cut(address)}`];
  return fields.map(({ field, is }) => {
    const at = entry.fieldsAt[field] ?? entry.at;
    const value = is === null ? 'null' : showField(kind, field, is, style);
    return `${renderPosition(at)}  ${fieldName(kind, field)}: ${value}`;
  });
}

/** `Drift: 2 changed, 1 gone, 1 unmanaged.`, or that there is none. */
export function driftLine({ items, unknown, problems, pending }: DriftReport): string {
  const counts = { changed: 0, gone: 0, unmanaged: 0, unknown: unknown.length };
  for (const { state } of items) counts[state] += 1;
  const found = someOf(counts);
  if (problems.length > 0) found.push(counted(problems.length, 'problem'));
  const left = pending.filter(({ leftover }) => leftover !== undefined).length;
  const edits = pending.length - left;
  return [
    found.length === 0 ? 'No drift.' : `Drift: ${found.join(', ')}.`,
    left === 0 ? [] : `${counted(left, 'leftover')} of our own creates.`,
    edits === 0 ? [] : `${counted(edits, 'edit')} of the manifests not applied yet.`,
  ]
    .flat()
    .join(' ');
}

/** `Managed: 57 of 260 objects that can be seen around 12 workspaces; 203 unmanaged …`, and what cannot be read. */
export function renderExisting(
  { managed, unmanaged, workspaces, unread }: ReturnType<typeof existingOf>,
  { width }: RenderOptions,
) {
  const all = counted(managed + unmanaged.length, 'object');
  const around = workspaces === 0 ? '' : ` around ${counted(workspaces, 'workspace')}`;
  const blind = ' Run triggers were not looked for: nothing here names a workspace.';
  const ways = '(--json lists them, `tether export` takes over what it can)';
  const rest = unmanaged.length === 0 ? '' : `; ${unmanaged.length} unmanaged ${ways}`;
  const unseen = unread.length === 0 ? '' : ` Not read: ${unread.map(({ owner }) => owner).join(', ')}.`;
  const text = `Managed: ${managed} of ${all} that can be seen${around}${rest}.${workspaces === 0 ? blind : ''}${plain(unseen)}`;
  return `${hang('', text, width).join('\n')}\n`;
}
