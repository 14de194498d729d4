/** Reports as Markdown for a pull request or an issue. Words of others stand in code alone, where nothing pings, links or runs. */
import { plain, plainLines } from '../../client/text';
import { marks, type Report, type Section } from './report';
import { columnOf, rowLines } from './text';

/** What one folder has to say; without a report it failed. */
export interface Chapter {
  readonly folder: string;
  readonly title: string;
  readonly report?: Report | undefined;
  /** Why the command failed in this folder. */
  readonly failure?: string | undefined;
}

/** GitHub takes 65,536 characters for a comment. */
const mostCharacters = 60_000;

/** The first line finds an earlier report of this command again. `table`: a row for each folder, its heading first. */
export function renderMarkdown(
  command: string,
  chapters: readonly Chapter[],
  table: readonly (readonly string[])[],
): string {
  const room = Math.floor(mostCharacters / Math.max(1, chapters.length)) - 500;
  const isSeveral = chapters.length > 1;
  const parts = chapters.map((chapter) => {
    const text = renderChapter(chapter, Math.max(2_000, room));
    if (!isSeveral) return text;
    return `<details><summary>${codeTag(chapter.folder)}: ${chapter.title}</summary>\n\n${text}\n</details>`;
  });
  const blocks = [`<!-- tether ${command} -->`, ...(isSeveral ? [markdownTable(table)] : []), ...parts];
  return `${withinLimit(blocks).join('\n\n')}\n`;
}

function withinLimit(blocks: readonly string[]): readonly string[] {
  let room = mostCharacters;
  const shown = blocks.filter((block) => {
    room -= block.length + 2;
    return room >= 0;
  });
  const left = blocks.length - shown.length;
  return left === 0
    ? shown
    : [...shown, `**Not shown here: ${left} of ${blocks.length} parts. The log has them.**`];
}

function renderChapter({ title, report, failure }: Chapter, room: number): string {
  const blocks = [`### ${title}`];
  if (failure !== undefined) blocks.push(fenced('text', plainLines(failure).split('\n')));
  if (report === undefined) return blocks.join('\n\n');
  const [first = '', ...rest] = report.footer;
  blocks.push(
    [`**${report.summary}**`, code(report.about), ...[first, ...rest].filter(Boolean).map(code)].join('  \n'),
  );
  let left = room;
  for (const section of report.sections) {
    const { text, omitted } = sectionBlock(section, left);
    left -= text.length;
    blocks.push(text);
    if (omitted > 0)
      blocks.push(`**Not shown here: ${omitted} of these rows. The log of this run has them.**`);
  }
  return blocks.join('\n\n');
}

/** As many whole rows as there is room for. */
function sectionBlock({ title, rows, paste }: Section, room: number) {
  const column = columnOf(rows);
  const lines: string[] = [];
  let [used, shown] = [0, 0];
  for (const row of rows) {
    const { sign } = marks[row.mark];
    const own = rowLines(row, column, (symbol) => symbol).map((line) => sign + line.slice(1));
    used += own.reduce((sum, line) => sum + line.length + 1, 0);
    if (used > room) break;
    lines.push(...own);
    shown += 1;
  }
  const block =
    paste === undefined
      ? fenced('diff', lines)
      : fenced(
          'yaml',
          paste.map((line) => plain(line)),
        );
  return { text: `**${title}**\n\n${block}`, omitted: rows.length - shown };
}

/** No run of backticks in these lines ends the block. */
function fenced(language: string, lines: readonly string[]): string {
  const runs = lines.flatMap((line) => line.match(/`+/g) ?? []).map((run) => run.length);
  const fence = '`'.repeat(runs.reduce((longest, length) => Math.max(longest, length + 1), 3));
  return [fence + language, ...lines, fence].join('\n');
}

function code(text: string): string {
  return `\`${plain(text).replaceAll('`', "'")}\``;
}

/** For HTML, where backticks mean nothing. */
function codeTag(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return `<code>${plain(text).replace(/[&<>]/g, (one) => entities[one] ?? one)}</code>`;
}

function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const cell = (text: string) => (text === '' ? '' : code(text).replaceAll('|', '\\|'));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heading), line(heading.map(() => '---')), ...rows.map((cells) => line(cells.map(cell)))].join(
    '\n',
  );
}
