/** Markdown that fits into one comment. What others wrote stands in blocks of code alone, where nothing pings, links or runs. */
import { plain, plainLines } from '../../client/text';

/** A block of code with what is said above it in words of ours; without pieces it is left out. */
export interface Part {
  readonly title: string;
  readonly language: 'diff' | 'text' | 'yaml' | 'mermaid';
  /** Each with how many `things` it shows; read as far as there is room. */
  readonly pieces: readonly { readonly count: number; lines(): readonly string[] }[];
  readonly things: string;
  /** Most characters; those of all parts together leave room below GitHub's 65,536. */
  readonly most: number;
  /** Whether it begins open or closed; absent: it cannot be closed. */
  readonly fold?: 'open' | 'closed';
}

/** Of the run that a comment is about. */
export interface Run {
  /** Relative to where it was started. */
  readonly folder: string;
  /** Masks secrets. */
  readonly redact: (text: string) => string;
}

/** The first line of a report, the same for each run of a command in a folder: whoever posts it finds their own comment by it. */
export function marker(command: string, folder: string): string {
  return `<!-- tether-${command} folder=${encodeURIComponent(plain(folder)).replaceAll('%2F', '/')} -->`;
}

/** What kept a command from its end. */
export function failureComment(command: string, message: string): string {
  return commentOf([`Tether ${command} failed`], [textPart('', plainLines(message).split('\n'), 50_000)]);
}

/** A heading, what is said of it, and the parts; what is cut is counted. */
export function commentOf([heading, ...about]: [string, ...string[]], parts: readonly Part[]): string {
  const blocks = parts.filter(({ pieces }) => pieces.length > 0).map(renderPart);
  const isCut = blocks.some((block) => block.includes('\n**Not shown here: '));
  const hint =
    'Cut to fit a comment: the log of this run (with `-v`) and `--report json=FILE` have everything.';
  const title = `### ${heading.replace(/\.$/, '')}`;
  return `${[title, ...about, ...blocks, ...(isCut ? [hint] : [])].join('\n\n')}\n`;
}

/** `Organization acme, folder infra`, as words between ours. */
export function organizationOf({ organization }: { readonly organization: string }, { folder }: Run): string {
  return `Organization ${code(organization)}${folder === '.' ? '' : `, folder ${code(folder)}`}`;
}

export const code = (text: string) => `\`${plain(text).replaceAll('`', "'")}\``;

export function textPart(title: string, lines: readonly string[], most = 5_000): Part {
  const pieces = lines.map((line) => ({ count: 1, lines: () => [line] }));
  return { title, language: 'text', pieces, things: 'lines', most };
}

function renderPart({ title, language, pieces, things, most, fold }: Part): string {
  const shown: string[] = [];
  let room = most;
  let next = 0;
  for (const { count, lines: render } of pieces) {
    const fitting = render().filter((line) => {
      room -= line.length + 1;
      return room >= 0;
    });
    // Of one thing the beginning says what it is; several are shown all or not at all.
    if (room < 0 && (fitting.length === 0 || count > 1)) break;
    shown.push(...fitting, ...(room < 0 ? ['…'] : []));
    next += 1;
  }
  const left = pieces.slice(next).reduce((total, { count }) => total + count, 0);
  // No run of backticks in these lines ends it.
  const runs = shown.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length);
  const fence = '`'.repeat(runs.reduce((longest, length) => Math.max(longest, length + 1), 3));
  const block = [`${fence}${language}`, ...shown, fence];
  if (left > 0) block.push('', `**Not shown here: ${left} of the ${things}.**`);
  if (fold === undefined) return [...(title === '' ? [] : [`**${title}**`, '']), ...block].join('\n');
  const opening = `<details${fold === 'open' ? ' open' : ''}><summary>${title}</summary>`;
  return [opening, '', ...block, '', '</details>'].join('\n');
}
