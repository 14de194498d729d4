/** Plans, applies and drift reports as Markdown for a pull request: what takes something away comes first, and is never folded. */
import { plain } from '../../client/text';
import { hang } from '../../client/wrap';
import { registry } from '../../resources/registry';
import type { ApplyResult } from '../apply/apply';
import type { DriftReport } from '../drift';
import type { Plan } from '../plan/plan';
import { grouped } from '../plan/steps';
import { renderApplySummary, type SummaryOptions } from './apply-summary';
import { code, commentOf, organizationOf, type Part, type Run, textPart } from './comment';
import { driftLine, renderDrift } from './drift';
import { mermaid, type Picture } from './graph';
import { renderPlan } from './plan';
import type { Row } from './row';
import { layoutOf, renderGroup, renderHeading, renderObject } from './sections';
import { blockedBy, summarize, summaryLine } from './summary';
import { counted, styleFor } from './text';
import { driftSections, planSections, type Section } from './view';

/** Without colour, as wide as a comment shows without scrolling, and with nothing left out. */
export const commentOptions = { color: false, width: 100, all: true } as const;
const style = styleFor({ ...commentOptions, width: commentOptions.width - 1 });

/** How GitHub colours a line by its first character, `!` for all others, and a picture an arrow. */
const looks: Partial<Record<Row['mark'], readonly ['+' | '-', 'new' | 'removed']>> = {
  create: ['+', 'new'],
  unmanaged: ['+', 'new'],
  delete: ['-', 'removed'],
  cleanup: ['-', 'removed'],
  gone: ['-', 'removed'],
};

const signOf = ({ mark }: Row) => looks[mark]?.[0] ?? '!';
const takesAway = (mark: Row['mark']) => mark === 'replace' || looks[mark]?.[0] === '-';

/** More changes than these are folded. */
const mostOpen = 25;
/** More links of one line than these are cut to several. */
const mostTogether = 30;
/** Workspaces and arrows that can be read in a picture in a comment, tried out. */
const mostInPicture = { nodes: 24, arrows: 48, characters: 8_000 };

/** `digest`: what `apply --expect` names; `isRefused`: an apply ended with it. */
export function planComment(plan: Plan, digest: string, run: Run, isRefused = false): string {
  const [counts = '', ...rest] = summaryLine(summarize(plan)).split('. ');
  const { approvals, causes, lines } = blockedBy(plan);
  const need = `${counted(approvals, 'change')} ${approvals === 1 ? 'needs' : 'need'} approval`;
  const blocked = approvals === 0 ? '`apply` refuses until this is resolved' : need;
  const reasons = causes.flatMap(({ address, text }) => hang('', `${address}  ${text}`.trimStart(), 100));
  const toPaste = lines.map((line) => plain(line));
  const remarks = allButLast(renderPlan({ ...plan, steps: [] }, { ...commentOptions, blockers: false }));
  const isPartial = plan.unknown.length + plan.problems.length > 0;
  const [away, ...others] = changeParts(plan, run);
  return commentOf(
    [
      isRefused ? counts.replace(/^Plan/, 'Not applied') : counts,
      [`${organizationOf(plan, run)}, digest ${code(digest)}.`, ...rest].join(' '),
      ...(plan.blockers.length > 0 ? [`**Blocked: ${blocked}** (below).`] : []),
    ],
    [
      away,
      textPart('What blocks it', reasons),
      { ...textPart('If it is meant, add under `approved:`', toPaste), language: 'yaml' },
      ...(isPartial ? [textPart('Unknown, problems, warnings, notes', remarks)] : []),
      ...others,
      ...(isPartial ? [] : [{ ...textPart('Warnings and notes', remarks), fold: 'closed' as const }]),
    ],
  );
}

/** What was done, and of what plan. */
export function applyComment(result: ApplyResult, plan: Plan, about: SummaryOptions, run: Run): string {
  const text = renderApplySummary(result, plan, { ...about, ...commentOptions, width: null });
  return commentOf(
    [text.trimEnd().split('\n').at(-1) ?? '', `${organizationOf(plan, run)}. The plan was:`],
    [textPart('Not done', allButLast(text), 12_000), ...changeParts(plan, run)],
  );
}

/** `next`: how much is managed, and what to do about the drift. */
export function driftComment(report: DriftReport, next: string, run: Run): string {
  const changes = report.items.map(({ address, state }) => ({ address, mark: state }));
  return commentOf(
    [driftLine(report), `${organizationOf(report, run)}.`],
    [
      { ...diffPart(driftSections(report.items), () => true), title: 'Changed outside Tether', most: 30_000 },
      textPart('Unknown, problems, edits', allButLast(renderDrift({ ...report, items: [] }, commentOptions))),
      textPart('What next', next.trimEnd().split('\n')),
      picturePart(changes, [], run),
    ],
  );
}

/** What takes something away; all else, folded if it is long; and a picture. */
function changeParts({ steps, unchanged }: Plan, run: Run): [Part, ...Part[]] {
  const sections = planSections(steps, true);
  const away = diffPart(sections, takesAway);
  const others = diffPart(sections, (mark) => !takesAway(mark));
  const titleOf = (what: string, { pieces }: Part) =>
    `${what}: ${pieces.reduce((total, { count }) => total + count, 0)}`;
  const fold = others.pieces.length > mostOpen ? 'closed' : 'open';
  const changes = steps.map(({ address, action }) => ({ address, mark: action }));
  return [
    { ...away, title: titleOf('Deleted or replaced', away), things: 'deletions and replacements' },
    { ...others, title: titleOf(away.pieces.length > 0 ? 'Other changes' : 'Changes', others), fold },
    picturePart(changes, unchanged, run),
  ];
}

/** The wanted rows under the headings of their sections; those of a group in lines of one mark each. */
function diffPart(sections: readonly Section[], isWanted: (mark: Row['mark']) => boolean): Part {
  const pieces = sections.flatMap((section) => {
    const layout = layoutOf(section, style);
    const piece = (rows: readonly Row[], render: () => readonly string[]) => ({
      count: rows.length,
      lines: () => render().map((line) => (rows[0] ? signOf(rows[0]) : '') + line.slice(1)),
    });
    const objects = section.objects
      .filter(({ mark }) => isWanted(mark))
      .map((row) => piece([row], () => renderObject(row, layout)));
    const groups = section.groups.flatMap(({ name, rows: all }) => {
      const byMark = grouped(all.filter(({ mark }) => isWanted(mark)).map((row) => [row.mark, row] as const));
      const together = [...byMark.values()].flatMap((rows) => chunksOf(rows, mostTogether));
      return together.map((rows) => piece(rows, () => renderGroup({ name, rows, more: 0 }, layout)));
    });
    const reasons = section.reasons.filter(({ mark }) => isWanted(mark));
    const heading = () => renderHeading({ ...section, reasons }, style).map((line) => `# ${line}`);
    const shown = [...objects, ...groups];
    return shown.length === 0 ? [] : [{ count: 0, lines: heading }, ...shown];
  });
  return { title: '', language: 'diff', pieces, things: 'changes', most: 18_000 };
}

function chunksOf<Item>(items: readonly Item[], most: number): Item[][] {
  const count = Math.ceil(items.length / most);
  return Array.from({ length: count }, (_, index) => items.slice(index * most, (index + 1) * most));
}

/** Arrows that come and go, and those between the same workspaces that stay; a sentence where they are too many. */
function picturePart(
  changes: readonly { readonly address: string; readonly mark: Row['mark'] }[],
  unchanged: readonly string[],
  run: Run,
): Part {
  const title = 'Run triggers that change';
  const arrowsOf = (address: string, look: Picture['arrows'][number]['look'] | undefined) => {
    const [kind, ...ends] = address.split('/');
    const { edge, pair = [] } = registry.find((one) => one.kind === kind) ?? {};
    const endOf = (field: string) => ends[pair.indexOf(field)] ?? '';
    return edge && look ? [{ from: endOf(edge.from), to: endOf(edge.to), look }] : [];
  };
  const changed = changes.flatMap(({ address, mark }) => arrowsOf(address, looks[mark]?.[1]));
  const touched = new Set(changed.slice(0, mostInPicture.arrows).flatMap(({ from, to }) => [from, to]));
  const same = unchanged
    .flatMap((address) => arrowsOf(address, 'plain'))
    .filter(({ from, to }) => touched.has(from) && touched.has(to));
  const arrows = [...changed, ...same];
  const nodes = [...touched].map((id) => ({ id, name: run.redact(id), box: null, look: 'plain' as const }));
  const isLegible = nodes.length <= mostInPicture.nodes && arrows.length <= mostInPicture.arrows;
  const text = isLegible ? mermaid({ nodes, arrows }, []).join('\n') : '';
  if (!isLegible || text.length > mostInPicture.characters) {
    const many = `${counted(changed.length, 'run trigger')}, too many for a picture in a comment`;
    return textPart(title, [`${many}: tether graph draws all that the manifests declare`]);
  }
  const part = textPart(title, touched.size === 0 ? [] : [text], mostInPicture.characters + 1);
  return { ...part, language: 'mermaid', fold: 'open' };
}

/** Without the last block, which is the sum. */
function allButLast(text: string): readonly string[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block, index) => [...(index === 0 ? [] : ['']), ...block.split('\n')]);
}
