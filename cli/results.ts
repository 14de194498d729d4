/** Prints the results of all folders: one table, one JSON document and one Markdown report. */
import { lstatSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode, systemCode } from '../client/errors';
import { inert, plain } from '../client/text';
import { packageVersion } from '../client/transport';
import { renderPosition } from '../manifest/issues';
import type { LedgerSummary } from '../reconciler/ledger/ledger';
import type { Blocker, LeftAlone } from '../reconciler/plan/plan';
import { type Overview, renderMarkdown } from '../reconciler/render/markdown';
import { blockerSections } from '../reconciler/render/plan';
import { describeLock, messageSection, type Report } from '../reconciler/render/report';
import { renderFooter, renderSections, renderTable, renderText } from '../reconciler/render/text';
import type { SharedFindings } from '../reconciler/shared-limit';
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
  /** The other run that has the lock. */
  readonly lock?: LedgerSummary['lock'];
  readonly document: object;
  readonly report?: Report | undefined;
  /** The command prints this text in place of the report. It may be empty. */
  readonly text?: string;
}

export interface NamedResult extends FolderResult {
  readonly folder: string;
}

const noSharedFindings: SharedFindings = { blockers: [], notes: [] };

/** Prints the reports of all folders. The sums of several come first, where a reader looks, and once more at the end of a long output. */
export function printReports(
  call: Call,
  command: string,
  results: readonly NamedResult[],
  findings: SharedFindings = noSharedFindings,
): void {
  const isSeveral = results.length > 1;
  if (isSeveral) printOverview(call, command, results, findings);
  const texts = results.flatMap((result) => renderFolder(call, result, isSeveral));
  for (const text of texts) call.print(isSeveral ? `\n${text}` : text);
  if (!isSeveral || texts.length === 0) return;
  const isOver = command === call.command || findings.blockers.length > 0;
  const next = isOver ? findNextStep(call, results) : undefined;
  call.print(`\n${[plain(summarize(command, results)), ...renderFooter({ next })].join('\n')}\n`);
}

/** Several folders have one next step together, because their losses count together. `apply` goes on by itself. */
function findNextStep(call: Call, results: readonly NamedResult[]): string | undefined {
  const has = (...some: readonly Outcome[]) => results.some(({ outcome }) => some.includes(outcome));
  if (has('refusable', 'held', 'blocked')) return 'resolve what blocks them, then run this command again';
  const command = has('drift') ? 'plan' : has('planned') ? 'apply' : undefined;
  return command && call.again(command, ...results.map(({ folder }) => folder));
}

function omitNext(report: Report, isSeveral: boolean): Report {
  return isSeveral ? { ...report, next: undefined } : report;
}

/** Returns the text of one folder. Among several, a folder that needs nobody has only its row in the table. */
export function renderFolder(
  { color }: Call,
  { folder, outcome, report, text }: Pick<NamedResult, 'folder' | 'outcome' | 'report' | 'text'>,
  isSeveral: boolean,
): readonly string[] {
  const hasRows = report !== undefined && report.sections.length > 0;
  if (isSeveral && !hasRows && !needsAttention(outcome)) return [];
  const body = text ?? (report ? renderText(omitNext(report, isSeveral), color) : '');
  if (body === '') return [];
  return [isSeveral ? `== ${plain(folder)} ==\n\n${body}` : body];
}

/** Writes the report and the document of a command, whose results are printed. Returns the worst outcome. */
export function endCommand(
  call: Call,
  results: readonly NamedResult[],
  findings: SharedFindings = noSharedFindings,
): Outcome {
  const outcome = findWorst(results.map((result) => result.outcome));
  const worst = findWorst([outcome, writeReport(call, results, findings)]);
  printDocument(call, results, worst, findings);
  return worst;
}

/** Prints the sums, the table, and what concerns all folders. */
export function printOverview(
  call: Call,
  command: string,
  results: readonly NamedResult[],
  findings: SharedFindings,
): void {
  const { summary, heading, urgentRows, finishedRows, sections } = toOverview(command, results, findings);
  const texts = renderSections(sections, call.color).map((text) => `\n${text}\n`);
  const table = renderTable([heading, ...urgentRows, ...finishedRows]);
  call.print([`${plain(summary)}\n\n`, table, ...texts].join(''));
}

/** Puts the folders first that need somebody, the worst of them at the top. */
function toOverview(
  command: string,
  results: readonly NamedResult[],
  { blockers, notes }: SharedFindings,
): Overview {
  const sorted = results.toSorted((left, right) => rankOutcome(right.outcome) - rankOutcome(left.outcome));
  const toRow = ({ folder, organization = '', outcome, summary, reason, lock }: NamedResult) => {
    const reasons = [reason?.split('\n')[0], lock && describeLock(lock)].filter(Boolean);
    return [folder, organization, describeOutcome(command, outcome), summary, reasons.join('; ')];
  };
  const isUrgent = ({ outcome }: NamedResult) => needsAttention(outcome);
  return {
    summary: summarize(command, results),
    heading: ['Folder', 'Organization', 'Result', 'Counts', 'Reason'],
    urgentRows: sorted.filter(isUrgent).map(toRow),
    finishedRows: sorted.filter((result) => !isUrgent(result)).map(toRow),
    sections: [...blockerSections({ blockers, steps: [] }), ...messageSection('note', 'Notes', notes)],
  };
}

/** Writes `30 folders: 28 without drift, 2 drifted`. The worst comes last. */
function summarize(command: string, results: readonly NamedResult[]): string {
  const sorted = results.toSorted((left, right) => rankOutcome(left.outcome) - rankOutcome(right.outcome));
  const counts = [...groupBy(sorted, ({ outcome }) => describeOutcome(command, outcome))].map(
    ([word, { length }]) =>
      `${length} ${word.replace(/^no /, 'without ').replace(/^changes$/, 'with changes')}`,
  );
  return `${counted(results.length, 'folder')}: ${counts.join(', ')}`;
}

/** Writes the file of `--markdown`. If that fails, the work of the command still counts. */
function writeReport(call: Call, results: readonly NamedResult[], findings: SharedFindings): Outcome {
  const { markdown } = call.flags;
  if (markdown === undefined) return 'done';
  const isSeveral = results.length > 1;
  const next = findNextStep(call, results);
  const overview = isSeveral ? { ...toOverview(call.command, results, findings), next } : null;
  const chapters = results.flatMap((result) => {
    const { folder, organization, outcome, report, reason, failure = report ? undefined : reason } = result;
    // The table says everything about such a folder.
    if (overview !== null && !needsAttention(outcome) && report?.sections.length === 0) return [];
    const owner = organization === undefined ? '' : ` of ${organization}`;
    const title = `Tether ${call.command}${owner}: ${describeOutcome(call.command, outcome)}`;
    return [{ folder, title, report: report && omitNext(report, isSeveral), failure }];
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
  const { signal } = call.io;
  const outcome = signal.aborted ? 'interrupted' : 'error';
  // Another error may come from work that an interruption does not abandon.
  const cause = error instanceof Error ? error.cause : undefined;
  const isAbandoned = signal.aborted && [error, cause].includes(signal.reason);
  const failure = isAbandoned ? 'interrupted; nothing was changed' : explain(error, call.admits('debug'));
  const where = folder === '.' ? '' : `${plain(folder)}: `;
  call.log('error', (isAbandoned ? '' : 'error: ') + where + failure);
  const explained =
    error instanceof UserError ? error : { code: errorCode(error), details: {}, reason: failure };
  const code = isAbandoned ? outcome : explained.code;
  const document = { error: { code, message: failure }, ...explained.details };
  return { outcome, summary: '', reason: explained.reason, failure, document };
}

type Reason = Pick<LeftAlone, 'message' | 'at'> & { readonly address?: string };

/** Returns what must be added first to a plan that is blocked. */
export function toReasons(blockers: readonly Blocker[]): readonly Reason[] {
  return blockers.map(({ remedy }) => ({ message: `to go on, add ${remedy}` }));
}

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
  findings: SharedFindings,
): void {
  const members = results.map(({ folder, outcome: own, organization, document }) => {
    const about = { folder, exitCode: toExitCode(own, call.flags), outcome: outcomes[own].title };
    return { ...about, ...(organization && { organization }), ...document };
  });
  const head = { exitCode: toExitCode(outcome, call.flags), outcome: outcomes[outcome].title };
  const all = { ...head, ...findings, folders: members };
  call.printJson(outcome, members.length === 1 ? { ...members[0], ...head } : all);
}
