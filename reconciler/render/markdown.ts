/** Plans, applies and drift reports as Markdown for a pull request: what takes something away comes first, and is never folded. */
import { hang } from '../../client/wrap';
import { registry } from '../../resources/registry';
import type { ApplyResult } from '../apply/apply';
import type { DriftReport } from '../drift';
import type { Plan } from '../plan/plan';
import { renderApplySummary } from './apply-summary';
import { code, commentOf, organizationOf, type Part, type Run, textPart } from './comment';
import { driftLine, renderDrift } from './drift';
import { mermaid, type Picture } from './graph';
import { renderPlan } from './plan';
import type { Row } from './row';
import { driftSections, planSections, type Section, symbolOf } from './sections';
import { blockedBy, summarize, summaryLine } from './summary';
import { counted, type RenderOptions, type Style, showName, styleFor } from './text';

/** Without colour, as wide as a comment shows without scrolling, and with nothing left out. */
export const commentOptions = { color: false, width: 100, all: true } as const;

/** GitHub colours a line by its first character: `+`, `-`, or `!` for all others. */
function signOf(mark: Row['mark']): '+' | '-' | '!' {
  const symbol = symbolOf(mark);
  return symbol === '+' || symbol === '-' ? symbol : '!';
}

const takesAway = (mark: Row['mark']) => symbolOf(mark).startsWith('-');

/** More changes than these are folded. */
const mostOpen = 25;
/** Workspaces and arrows that can be read in a picture in a comment, tried out. */
const mostInPicture = { nodes: 24, arrows: 48, characters: 8_000 };

interface CommentOptions extends Run, Pick<RenderOptions, 'manifests'> {}

/** `digest`: what `apply --expect` names; `isRefused`: an apply ended with it. */
export function planComment(plan: Plan, digest: string, run: CommentOptions, isRefused = false): string {
  const [counts = '', ...rest] = summaryLine(summarize(plan)).replace(/\.$/, '').split('. ');
  const { title, causes, lines } = blockedBy(plan);
  const reasons = causes.flatMap(({ address, text }) => hang('', `${address}  ${text}`.trimStart(), 100));
  const remarks = allButLast(renderPlan({ ...plan, steps: [] }, { ...commentOptions, blockers: false }));
  const isPartial = plan.unknown.length + plan.problems.length > 0;
  const [away, ...others] = changeParts(plan, run);
  return commentOf(
    [
      isRefused ? counts.replace(/^Plan/, 'Not applied') : counts,
      [`${organizationOf(plan, run)}, digest ${code(digest)}`, ...rest, ''].join('. ').trim(),
      ...(plan.blockers.length > 0 ? [`**${title}** (below).`] : []),
    ],
    [
      away,
      textPart('What blocks it', reasons),
      { ...textPart('If it is meant, add under `approved:` in a manifest', lines), language: 'yaml' },
      ...(isPartial ? [textPart('Unknown, problems, warnings, notes', remarks)] : []),
      ...others,
      ...(isPartial ? [] : [{ ...textPart('Warnings and notes', remarks), fold: 'closed' as const }]),
    ],
  );
}

/** What was done, and of what plan. */
export function applyComment(
  result: ApplyResult,
  plan: Plan,
  run: CommentOptions & { readonly command: string },
): string {
  const { command, manifests } = run;
  const text = renderApplySummary(result, plan, { ...commentOptions, width: null, manifests, command });
  return commentOf(
    [text.trimEnd().split('\n').at(-1) ?? '', `${organizationOf(plan, run)}. The plan was:`],
    [textPart('Not done', allButLast(text), 12_000), ...changeParts(plan, run)],
  );
}

/** `next`: how much is managed, and what to do about the drift. */
export function driftComment(report: DriftReport, next: string, run: CommentOptions): string {
  const changes = report.items.map(({ address, state }) => ({ address, mark: state }));
  const style = diffStyle(run);
  return commentOf(
    [driftLine(report), `${organizationOf(report, run)}.`],
    [
      {
        ...diffPart(driftSections(report.items, style, { isApart: true })),
        title: 'Changed outside Tether',
        most: 30_000,
      },
      textPart('Unknown, problems, edits', allButLast(renderDrift({ ...report, items: [] }, commentOptions))),
      textPart('What next', next.trimEnd().split('\n')),
      picturePart(changes, [], run),
    ],
  );
}

/** What takes something away; all else, folded if it is long; and a picture. */
function changeParts({ steps, unchanged }: Plan, run: CommentOptions): [Part, ...Part[]] {
  const style = diffStyle(run);
  const partOf = (isWanted: (mark: Row['mark']) => boolean) =>
    diffPart(planSections(steps, style, { isWanted, isApart: true }));
  const away = partOf(takesAway);
  const others = partOf((mark) => !takesAway(mark));
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

/** The sign in front of a line takes one column. */
function diffStyle({ manifests }: CommentOptions): Style {
  return styleFor({ ...commentOptions, width: commentOptions.width - 1, manifests });
}

/** Each line with the sign of its rows in place of the space that it begins with; headings behind `# `. */
function diffPart(sections: readonly Section[]): Part {
  const pieces = sections.flat().map(({ rows: [first, ...more], lines }) => ({
    count: first === undefined ? 0 : 1 + more.length,
    lines: () => lines().map((line) => (first ? signOf(first.mark) + line.slice(1) : `# ${line}`)),
  }));
  return { title: '', language: 'diff', pieces, things: 'changes', most: 18_000 };
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
  const arrowLooks = { '+': 'new', '-': 'removed', '!': undefined } as const;
  const changed = changes.flatMap(({ address, mark }) => arrowsOf(address, arrowLooks[signOf(mark)]));
  const touched = new Set(changed.slice(0, mostInPicture.arrows).flatMap(({ from, to }) => [from, to]));
  const same = unchanged
    .flatMap((address) => arrowsOf(address, 'plain'))
    .filter(({ from, to }) => touched.has(from) && touched.has(to));
  const arrows = [...changed, ...same];
  const nodes = [...touched].map((id) => {
    return { id, name: showName(run.redact(id)), box: null, look: 'plain' } as const;
  });
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
