/** Runs each folder on its own, then prints one table, one document and one report. */
import { lstatSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { errorCode, systemCode } from '../client/errors';
import { inert, plain } from '../client/text';
import { type Chapter, renderMarkdown } from '../reconciler/render/markdown';
import type { Report } from '../reconciler/render/report';
import { renderTable } from '../reconciler/render/text';
import { unlessItFails } from '../resources/plain-file';
import type { Call } from './call';
import { explain, UserError } from './errors';
import { exitCodeOf, type Outcome, outcomes, worstOf } from './outcome';

export interface FolderResult {
  readonly outcome: Outcome;
  readonly organization?: string;
  readonly summary: string;
  /** The first reason for the outcome, in one line. */
  readonly reason?: string | undefined;
  /** The whole message of a command that failed. */
  readonly failure?: string;
  readonly document: object;
  readonly report?: Report;
}

interface NamedResult extends FolderResult {
  readonly folder: string;
}

/** Takes the folders of `separateFolders`. Throws a `UserError` before the first run. */
export async function runFolders(
  call: Call,
  folders: readonly string[],
  runFolder: (folder: string) => Promise<FolderResult>,
): Promise<Outcome> {
  refuseReport(call);
  const results: NamedResult[] = [];
  const isSeveral = folders.length > 1;
  for (const folder of folders) {
    if (call.io.signal.aborted && results.length > 0) {
      results.push({ folder, outcome: 'interrupted', summary: '', reason: 'not started', document: {} });
      continue;
    }
    if (isSeveral) call.print(`${results.length === 0 ? '' : '\n'}== ${plain(folder)} ==\n\n`);
    const result = await runFolder(folder).catch((error: unknown) => failedResult(call, error, folder));
    results.push({ ...result, folder });
  }
  const outcome = worstOf(results.map((one) => one.outcome));
  const table = tableOf(results);
  if (isSeveral) call.print(`\n${renderTable(table)}`);
  const written = worstOf([outcome, reportOutcome(call, results, table)]);
  printDocument(call, results, written);
  return written;
}

/** Returns each folder once, even if several paths lead to it. The default is `.`. Throws a `UserError` if one folder is inside another. */
export function separateFolders({ io }: Call, paths: readonly string[]): readonly string[] {
  const byPlace = new Map<string, string>();
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const absolute = resolve(io.cwd, path);
    const place = unlessItFails(() => realpathSync(absolute)) ?? absolute;
    if (!byPlace.has(place)) byPlace.set(place, path);
  }
  for (const [inner, path] of byPlace) {
    const outer = [...byPlace.keys()].find((one) => inner.startsWith(one + sep));
    if (outer === undefined) continue;
    const message = `${path} is part of ${byPlace.get(outer)}, and both are named: remove one of them`;
    throw new UserError(plain(message));
  }
  return [...byPlace.values()];
}

/** Writes the file of `--markdown`. If that fails, the work of the command still counts. */
function reportOutcome(call: Call, results: readonly NamedResult[], table: Table): Outcome {
  const { markdown } = call.flags;
  if (markdown === undefined) return 'done';
  const chapters = results.map((result) => chapterOf(call, result));
  const text = inert(call.redact(renderMarkdown(call.command, chapters, table)));
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
function refuseReport({ flags: { markdown }, io }: Call): void {
  if (markdown === undefined) return;
  const path = resolve(io.cwd, markdown);
  const found = unlessItFails(() => lstatSync(path));
  const isFolder = unlessItFails(() => statSync(dirname(path)).isDirectory()) === true;
  if (found === null && isFolder) return;
  if (found === null) throw new UserError(`--markdown: the folder of ${markdown} does not exist`);
  const head = found.isFile() ? unlessItFails(() => readFileSync(path, 'utf8').slice(0, 20)) : null;
  if (head === '' || head?.startsWith('<!-- tether ')) return;
  throw new UserError(`--markdown: ${markdown} exists and is not a report of Tether; choose another name`);
}

type Table = readonly (readonly string[])[];

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

/** Prints the JSON document. One folder has its members at the top, and several have theirs under `folders`. */
function printDocument(call: Call, results: readonly NamedResult[], outcome: Outcome): void {
  const members = results.map(({ folder, outcome: own, organization, document }) => {
    const about = { folder, exitCode: exitCodeOf(own), outcome: outcomes[own].title };
    return { ...about, ...(organization && { organization }), ...document };
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

function chapterOf(call: Call, result: NamedResult): Chapter {
  const { folder, organization, outcome, report, failure = result.reason } = result;
  const of = organization === undefined ? '' : ` of ${organization}`;
  const title = `Tether ${call.command}${of}: ${outcomes[outcome].title}`;
  return { folder, title, report, failure: report === undefined ? failure : undefined };
}
