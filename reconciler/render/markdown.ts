/** Writes reports as Markdown. Foreign text appears only as code, where it cannot mention, link or run anything. */
import { plain, plainLines } from '../../client/text';
import { marks, type Report, type Section } from './report';
import { rowTexts } from './text';

/** The result of one folder. The report is absent if the folder failed. */
export interface Chapter {
  readonly folder: string;
  readonly title: string;
  readonly report?: Report | undefined;
  /** Why the command failed in this folder. */
  readonly failure?: string | undefined;
}

/** GitHub accepts 65,536 characters in a comment. */
const mostCharacters = 60_000;

/** The first line identifies an earlier report of this command. `table` has a heading and a row for each folder. */
export function renderMarkdown(
  command: string,
  chapters: readonly Chapter[],
  table: readonly (readonly string[])[],
): string {
  const room = Math.floor(mostCharacters / Math.max(1, chapters.length)) - 500;
  const texts = chapters.map((chapter) => renderChapter(chapter, Math.max(2_000, room)));
  const folded = chapters.map(({ folder, title }, index) => {
    return `<details><summary>${codeTag(folder)}: ${title}</summary>\n\n${texts[index]}\n</details>`;
  });
  const isSeveral = chapters.length > 1;
  const blocks = [`<!-- tether ${command} -->`, ...(isSeveral ? [markdownTable(table), ...folded] : texts)];
  const shown = fitting(blocks, mostCharacters);
  return `${[...shown, ...omission(blocks.length - shown.length, 'blocks')].join('\n\n')}\n`;
}

/** Returns as many of the first texts as there is room for. */
function fitting(texts: readonly string[], room: number): readonly string[] {
  let left = room;
  return texts.filter(({ length }) => {
    left -= length + 2;
    return left >= 0;
  });
}

function omission(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`**Not shown here: ${count} of these ${what}. The log of this run has them.**`];
}

function renderChapter({ title, report, failure }: Chapter, room: number): string {
  const blocks = [`### ${title}`];
  if (failure !== undefined) blocks.push(fenced('text', plainLines(failure)));
  if (report === undefined) return blocks.join('\n\n');
  blocks.push([`**${report.summary}**`, ...[report.about, ...report.footer].map(code)].join('  \n'));
  let left = room;
  for (const section of report.sections) {
    const texts = section.paste?.map((line) => plain(line)) ?? diffTexts(section);
    const shown = fitting(texts, left);
    const language = section.paste === undefined ? 'diff' : 'yaml';
    const block = `**${section.title}**\n\n${fenced(language, shown.join('\n'))}`;
    left -= block.length;
    blocks.push(block, ...omission(texts.length - shown.length, 'rows'));
  }
  return blocks.join('\n\n');
}

/** Returns the rows as lines of a `diff` block, whose first character colours them. */
function diffTexts({ rows }: Section): readonly string[] {
  const texts = rowTexts(rows, ({ mark }) => marks[mark].symbol);
  return rows.map(({ mark }, index) => texts[index]?.replace(/^ /gm, marks[mark].sign) ?? '');
}

/** The fence is longer than any run of backticks in the text. */
function fenced(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length + 1), 3));
  return [fence + language, text, fence].join('\n');
}

function code(text: string): string {
  return `\`${plain(text).replaceAll('`', "'")}\``;
}

/** Writes code for HTML, where backticks have no meaning. */
function codeTag(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return `<code>${plain(text).replace(/[&<>]/g, (one) => entities[one] ?? one)}</code>`;
}

function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const cell = (text: string) => (text === '' ? '' : code(text).replaceAll('|', '\\|'));
  const lines = [heading, heading.map(() => '---'), ...rows.map((cells) => cells.map(cell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
