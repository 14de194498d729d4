/** Prints the results of all folders: one table, one JSON document and one Markdown report. */
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode, systemCode } from '../client/errors';
import { inert, plain } from '../client/text';
import { packageVersion } from '../client/transport';
import { renderPosition } from '../manifest/issues';
import type { LeftAlone, Plan } from '../reconciler/plan/plan';
import { type Overview, renderMarkdown } from '../reconciler/render/markdown';
import { blockerSections } from '../reconciler/render/plan';
import { messageSection, type Report } from '../reconciler/render/report';
import { renderSections, renderTable, renderText } from '../reconciler/render/text';
import { groupBy } from '../resources/groups';
import { counted } from '../resources/names';
import { unlessItFails } from '../resources/plain-file';
import type { Call } from './call';
import { explain, UserError } from './errors';
import {
  describeOutcome,
  findWorst,
  needsAttention,
  type Outcome,
  outcomes,
  rankOutcome,
  toExitCode,
} from './outcome';

export interface FolderResult {
  readonly outcome: Outcome;
  readonly organization?: string;
  readonly summary: string;
  /** The first reason for the outcome in one line, with the number of further ones. */
  readonly reason?: string | undefined;
  /** The whole message of a command that failed. */
  readonly failure?: string;
  readonly document: object;
  readonly report?: Report | undefined;
  /** The command prints this text in place of the report. It may be empty. */
  readonly text?: string;
}

export interface NamedResult extends FolderResult {
  readonly folder: string;
}

/** A command says this about all its folders together, besides their results. */
export type Together = Pick<Plan, 'blockers' | 'notes'>;

export const nothingTogether: Together = { blockers: [], notes: [] };

/** Returns the result of a folder among several. Its plan may have to wait for a blocker of all of them. */
export function holdBack(result: FolderResult, plan: Plan, { blockers }: Together): FolderResult {
  const [blocker] = blockers;
  if (blocker === undefined || plan.blockers.length > 0 || plan.steps.length === 0) return result;
  return { ...result, outcome: 'blocked', reason: blocker.message };
}

/** Prints the report of one folder. Among several, a folder that needs nobody has only its row in the table. */
export function printFolder(
  call: Call,
  folder: string,
  result: Omit<FolderResult, 'summary' | 'document'>,
  isSeveral: boolean,
): void {
  const { outcome, report } = result;
  // Several folders get no next command of their own, because their losses count together.
  const footer = report?.footer.filter((line) => !isSeveral || !line.startsWith('Next: ')) ?? [];
  const text = result.text ?? (report && renderText({ ...report, footer }, call.color));
  if (!text) return;
  if (!isSeveral) call.print(text);
  else if (needsAttention(outcome) || report?.sections.length !== 0)
    call.print(`== ${plain(folder)} ==\n\n${text}\n`);
}

/** Ends a command. Returns the worst outcome. */
export function printResults(
  call: Call,
  results: readonly NamedResult[],
  together: Together = nothingTogether,
): Outcome {
  const outcome = findWorst(results.map((result) => result.outcome));
  const overview = results.length > 1 ? toOverview(call.command, results, together) : null;
  if (overview !== null) printOverview(call, overview);
  const worst = findWorst([outcome, writeReport(call, results, overview)]);
  printDocument(call, results, worst, together);
  return worst;
}

/** Prints the sums, the table, and what concerns all folders. */
export function printOverview(call: Call, { summary, heading, urgent, calm, sections }: Overview): void {
  const texts = renderSections(sections, call.color).map((text) => `\n${text}\n`);
  call.print([`${plain(summary)}\n\n`, renderTable([heading, ...urgent, ...calm]), ...texts].join(''));
}

/** Puts the folders first that need somebody, the worst of them at the top. */
export function toOverview(
  command: string,
  results: readonly NamedResult[],
  { blockers, notes }: Together,
): Overview {
  const sorted = results.toSorted((left, right) => rankOutcome(right.outcome) - rankOutcome(left.outcome));
  const counts = [...groupBy(sorted.toReversed(), ({ outcome }) => describeOutcome(command, outcome))].map(
    ([word, { length }]) =>
      `${length} ${word.replace(/^no /, 'without ').replace(/^changes$/, 'with changes')}`,
  );
  const toRow = ({ folder, organization = '', outcome, summary, reason = '' }: NamedResult) => [
    ...[folder, organization, describeOutcome(command, outcome), summary],
    reason.split('\n')[0] ?? '',
  ];
  const isUrgent = ({ outcome }: NamedResult) => needsAttention(outcome);
  return {
    summary: `${counted(results.length, 'folder')}: ${counts.join(', ')}`,
    heading: ['Folder', 'Organization', 'Result', 'Counts', 'Reason'],
    urgent: sorted.filter(isUrgent).map(toRow),
    calm: sorted.filter((result) => !isUrgent(result)).map(toRow),
    sections: [...blockerSections({ blockers, steps: [] }), ...messageSection('note', 'Notes', notes)],
  };
}

/** Writes the file of `--markdown`. If that fails, the work of the command still counts. */
function writeReport(call: Call, results: readonly NamedResult[], overview: Overview | null): Outcome {
  const { markdown } = call.flags;
  if (markdown === undefined) return 'done';
  const chapters = results.flatMap((result) => {
    const { folder, organization, outcome, report, failure = result.reason } = result;
    // The table says everything about such a folder.
    if (overview !== null && !needsAttention(outcome) && report?.sections.length === 0) return [];
    const owner = organization === undefined ? '' : ` of ${organization}`;
    const title = `Tether ${call.command}${owner}: ${describeOutcome(call.command, outcome)}`;
    return [{ folder, title, report, failure: report === undefined ? failure : undefined }];
  });
  const stamp = `Tether ${packageVersion()}, ${call.time()}`;
  const text = inert(call.redact(renderMarkdown(call.command, chapters, stamp, overview)));
  try {
    refuseReport(call);
    // Only the owner may read a new file.
    writeFileSync(resolve(call.io.cwd, markdown), text, { mode: 0o600 });
    return 'done';
  } catch (cause) {
    const failure = new UserError(`the report ${markdown} cannot be written (${systemCode(cause)})`);
    return failedResult(call, cause instanceof UserError ? cause : failure).outcome;
  }
}

/** Throws a `UserError` if the report would overwrite another file. */
export function refuseReport({ flags: { markdown }, io }: Call): void {
  if (markdown === undefined) return;
  const path = resolve(io.cwd, markdown);
  const entry = unlessItFails(() => lstatSync(path));
  const isFolder = unlessItFails(() => statSync(dirname(path)).isDirectory()) === true;
  if (entry === null && isFolder) return;
  if (entry === null) throw new UserError(`--markdown: the folder of ${markdown} does not exist`);
  const head = entry.isFile() ? unlessItFails(() => readFileSync(path, 'utf8').slice(0, 20)) : null;
  if (head === '' || head?.startsWith('<!-- tether ')) return;
  throw new UserError(`--markdown: ${markdown} exists and is not a report of Tether; choose another name`);
}

export function failedResult(call: Call, error: unknown, folder = '.'): FolderResult {
  const outcome = call.io.signal.aborted ? 'interrupted' : 'error';
  const failure =
    outcome === 'interrupted' ? 'interrupted; nothing was changed' : explain(error, call.admits('debug'));
  const where = folder === '.' ? '' : `${plain(folder)}: `;
  call.log('error', (outcome === 'interrupted' ? '' : 'error: ') + where + failure);
  const own = error instanceof UserError ? error : { code: errorCode(error), details: {}, reason: failure };
  const code = outcome === 'interrupted' ? outcome : own.code;
  const document = { error: { code, message: failure }, ...own.details };
  return { outcome, summary: '', reason: own.reason, failure, document };
}

type Reason = Pick<LeftAlone, 'message' | 'at'> & { readonly address?: string };

/** Returns the first reason in one line, and how many more there are. */
export function firstReason([first, ...rest]: readonly Reason[]): string | undefined {
  if (first === undefined) return undefined;
  const { address, at, message } = first;
  const [line] = message.split('\n');
  const text = [address ?? (at && renderPosition(at)), line].filter(Boolean).join(': ');
  return rest.length === 0 ? text : `${text} (and ${rest.length} more)`;
}

/** One folder has its members at the top of the document, and several have theirs under `folders`. */
function printDocument(
  call: Call,
  results: readonly NamedResult[],
  outcome: Outcome,
  together: Together,
): void {
  const members = results.map(({ folder, outcome: own, organization, document }) => {
    const about = { folder, exitCode: toExitCode(own), outcome: outcomes[own].title };
    return { ...about, ...(organization && { organization }), ...document };
  });
  const head = { exitCode: toExitCode(outcome), outcome: outcomes[outcome].title };
  const all = { ...head, ...together, folders: members };
  call.printJson(outcome, members.length === 1 ? { ...members[0], ...head } : all);
}
