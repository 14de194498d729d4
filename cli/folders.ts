/** Runs each folder on its own, then prints one table, one document and one report. */
import { errorCode } from '../client/errors';
import { plain } from '../client/text';
import { type Chapter, renderMarkdown } from '../reconciler/render/markdown';
import type { Report } from '../reconciler/render/report';
import { renderTable } from '../reconciler/render/text';
import type { Call } from './call';
import { explain, UserError } from './errors';
import { exitCodeOf, type Outcome, outcomes, worstOf } from './outcome';
import { writeReport } from './report-file';

export interface FolderResult {
  readonly outcome: Outcome;
  readonly organization?: string;
  readonly summary: string;
  readonly reason?: string | undefined;
  readonly document: object;
  readonly report?: Report;
}

interface NamedResult extends FolderResult {
  readonly folder: string;
}

/** Never throws. Without arguments the folder is `.`. */
export async function runFolders(
  call: Call,
  folders: readonly string[],
  runFolder: (folder: string) => Promise<FolderResult>,
): Promise<Outcome> {
  const results: NamedResult[] = [];
  const all = folders.length === 0 ? ['.'] : folders;
  for (const folder of all) {
    if (all.length > 1) call.print(`${results.length === 0 ? '' : '\n'}== ${plain(folder)} ==\n\n`);
    const result = await runFolder(folder).catch((error: unknown) => failedResult(call, error));
    results.push({ ...result, folder });
    if (result.outcome === 'interrupted') break;
  }
  const outcome = worstOf(results.map((one) => one.outcome));
  const table = tableOf(results);
  if (all.length > 1) call.print(`\n${renderTable(table)}`);
  const written = worstOf([outcome, reportOutcome(call, results, table)]);
  printDocument(call, results, written);
  return written;
}

/** Writes the file of `--markdown`. What was done stays done where that fails. */
function reportOutcome(call: Call, results: readonly NamedResult[], table: Table): Outcome {
  const { markdown } = call.flags;
  if (markdown === undefined) return 'done';
  const chapters = results.map((result) => chapterOf(call, result));
  try {
    writeReport(markdown, call.redact(renderMarkdown(call.command, chapters, table)), call.io.cwd);
    return 'done';
  } catch (error) {
    return failedResult(call, error).outcome;
  }
}

type Table = readonly (readonly string[])[];

export function failedResult(call: Call, error: unknown): FolderResult {
  const outcome = call.io.signal.aborted ? 'interrupted' : 'error';
  const message =
    outcome === 'interrupted' ? 'interrupted; nothing was changed' : explain(error, call.admits('debug'));
  call.log('error', outcome === 'interrupted' ? message : `error: ${message}`);
  const own = error instanceof UserError ? error : { code: errorCode(error), details: {} };
  const code = outcome === 'interrupted' ? outcome : own.code;
  return { outcome, summary: '', reason: message, document: { error: { code, message }, ...own.details } };
}

/** A single folder's members stand at the top, and those of several under `folders`. */
function printDocument(call: Call, results: readonly NamedResult[], outcome: Outcome): void {
  const members = results.map(({ folder, outcome: own, document }) => {
    return { folder, exitCode: exitCodeOf(own), outcome: outcomes[own].title, ...document };
  });
  const head = { exitCode: exitCodeOf(outcome), outcome: outcomes[outcome].title };
  call.printJson(outcome, members.length === 1 ? { ...members[0], ...head } : { ...head, folders: members });
}

function tableOf(results: readonly NamedResult[]): Table {
  const rows = results.map(({ folder, organization = '', outcome, summary, reason = '' }) => {
    return [folder, organization, outcomes[outcome].title, summary, reason.split('\n')[0] ?? ''];
  });
  return [['Folder', 'Organization', 'Result', 'Counts', 'Reason'], ...rows];
}

function chapterOf(call: Call, { folder, organization, outcome, reason, report }: NamedResult): Chapter {
  const of = organization === undefined ? '' : ` of ${organization}`;
  const title = `Tether ${call.command}${of}: ${outcomes[outcome].title}`;
  return { folder, title, report, failure: report === undefined ? reason : undefined };
}
