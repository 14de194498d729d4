/** Writes reports as Markdown. Foreign text appears only as code, where it cannot mention, link or run anything. */
import { plain, plainLines } from '../../client/text';
import { marks, type Report, type Section } from './report';
import { renderFooter, rowTexts } from './text';

/** The result of one folder. The report is absent if the folder failed. */
export interface Chapter {
  readonly folder: string;
  readonly title: string;
  readonly report?: Report | undefined;
  /** Why the command failed in this folder. */
  readonly failure?: string | undefined;
}

/** The sums and the table of several folders. Each row has the cells of the heading. */
export interface Overview {
  /** It says how many folders ended how, such as `30 folders: 28 without drift, 2 drifted`. */
  readonly summary: string;
  readonly heading: readonly string[];
  /** The folders that need somebody. */
  readonly urgentRows: readonly (readonly string[])[];
  /** The folders that need nobody. Markdown folds them away. */
  readonly finishedRows: readonly (readonly string[])[];
  /** It concerns all folders together, and so does `next`. */
  readonly sections: readonly Section[];
  readonly next?: Report['next'];
}

/** GitHub accepts 65,536 characters in a comment. */
const maxCharacters = 60_000;

/** A row, or a line to paste. */
interface Item {
  readonly text: string;
  /** A report that is cut keeps the first ones: what blocks and how to go on, then other urgent rows, then the rest. */
  readonly rank: 0 | 1 | 2;
}

type Items = ReadonlyMap<Section, readonly Item[]>;

/** The first line identifies an earlier report of this command. `stamp` ends the report. One folder has no overview. */
export function renderMarkdown(
  command: string,
  chapters: readonly Chapter[],
  stamp: string,
  overview: Overview | null,
): string {
  const all = [...(overview?.sections ?? []), ...chapters.flatMap(({ report }) => report?.sections ?? [])];
  const items = new Map(all.map((section) => [section, toItems(section)]));
  const isSeveral = overview !== null;
  const identity = `<!-- tether ${command} -->`;
  const render = (shown: readonly Chapter[], kept: ReadonlySet<Item>) => {
    const head = [identity, ...(overview === null ? [] : renderOverview(overview, items, kept))];
    const texts = shown.map((chapter) => {
      const text = renderChapter(chapter, items, kept);
      const summary = `<summary>${codeTag(chapter.folder)}: ${chapter.title}</summary>`;
      return isSeveral ? `<details>${summary}\n\n${text}\n</details>` : text;
    });
    const blocks = fitting(
      [...head, ...texts].map((text) => ({ text })),
      maxCharacters,
    );
    const omitted = omission(head.length + chapters.length - blocks.length, 'blocks');
    return `${[...blocks.map(({ text }) => text), ...omitted, stamp].join('\n\n')}\n`;
  };
  const bareLength = (shown: readonly Chapter[]) => render(shown, new Set()).length;
  const isUrgent = ({ report, failure }: Chapter) =>
    failure !== undefined ||
    report?.sections.some((section) => items.get(section)?.some(({ rank }) => rank < 2));
  // The table has a row for those that are left out.
  const shownChapters = bareLength(chapters) > maxCharacters / 2 ? chapters.filter(isUrgent) : chapters;
  const allItems = [...items.values()].flat();
  const ordered = allItems.toSorted((left, right) => left.rank - right.rank);
  return render(shownChapters, new Set(fitting(ordered, maxCharacters - bareLength(shownChapters))));
}

/** Returns those for which there is room. The first ones come first. */
function fitting<Shown extends { readonly text: string }>(
  all: readonly Shown[],
  room: number,
): readonly Shown[] {
  let left = room;
  return all.filter(({ text }) => {
    const fits = text.length + 2 <= left;
    if (fits) left -= text.length + 2;
    return fits;
  });
}

function omission(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`**Not shown here: ${count} of these ${what}. The log of this run has them.**`];
}

function renderChapter({ title, report, failure }: Chapter, items: Items, kept: ReadonlySet<Item>): string {
  const blocks = [`### ${title}`];
  if (failure !== undefined) blocks.push(fenced('text', plainLines(failure)));
  if (report === undefined) return blocks.join('\n\n');
  blocks.push([`**${report.summary}**`, ...[report.about, ...renderFooter(report)].map(code)].join('  \n'));
  blocks.push(...report.sections.flatMap((section) => renderSection(section, items, kept)));
  return blocks.join('\n\n');
}

function renderSection(section: Section, items: Items, kept: ReadonlySet<Item>): readonly string[] {
  const all = items.get(section) ?? [];
  const texts = all.filter((item) => kept.has(item)).map(({ text }) => text);
  const language = section.paste === undefined ? 'diff' : 'yaml';
  const block = `**${section.title}**\n\n${fenced(language, texts.join('\n'))}`;
  return [block, ...omission(all.length - texts.length, 'rows')];
}

function renderOverview(
  { summary, heading, urgentRows, finishedRows, sections, next }: Overview,
  items: Items,
  kept: ReadonlySet<Item>,
): readonly string[] {
  const table = (rows: Overview['urgentRows']) => markdownTable([heading, ...rows]);
  const folded = `<details><summary>${finishedRows.length} that need nothing</summary>\n\n${table(finishedRows)}\n</details>`;
  return [
    `**${summary}**`,
    ...(urgentRows.length === 0 ? [] : [table(urgentRows)]),
    ...sections.flatMap((section) => renderSection(section, items, kept)),
    ...renderFooter({ next }).map(code),
    ...(finishedRows.length === 0 ? [] : [folded]),
  ];
}

/** Returns lines to paste, or rows as lines of a `diff` block, whose first character colours them. */
function toItems({ rows, paste }: Section): readonly Item[] {
  if (paste !== undefined) return paste.map((line) => ({ text: plain(line), rank: 0 }));
  const texts = rowTexts(rows, ({ mark }) => marks[mark].symbol);
  return rows.map(({ mark }, index) => {
    const text = texts[index]?.replace(/^ /gm, marks[mark].sign) ?? '';
    return { text, rank: mark === 'blocker' ? 0 : marks[mark].isUrgent ? 1 : 2 };
  });
}

/** The fence is longer than any run of backticks in the text. */
function fenced(language: string, text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((max, { length }) => Math.max(max, length + 1), 3));
  return [fence + language, text, fence].join('\n');
}

function code(text: string): string {
  return `\`${plain(text).replaceAll('`', "'")}\``;
}

/** Writes code for HTML, where backticks have no meaning. */
function codeTag(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
  return `<code>${plain(text).replace(/[&<>]/g, (character) => entities[character] ?? character)}</code>`;
}

function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const cell = (text: string) => (text === '' ? '' : code(text).replaceAll('|', '\\|'));
  const lines = [heading, heading.map(() => '---'), ...rows.map((cells) => cells.map(cell))];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
