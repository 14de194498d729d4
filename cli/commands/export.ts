/** `tether export`: manifests and ledger entries for what exists and is not managed yet. Sends GET only. */
import { lstatSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ReadApi } from '../../client/api';
import { createReadOnlyClient } from '../../client/client';
import { plain } from '../../client/text';
import { hang } from '../../client/wrap';
import type { Manifests } from '../../manifest/desired';
import { readManifests } from '../../manifest/read';
import type { NameList } from '../../observation/name-list';
import { inParallel } from '../../observation/observe';
import { adoptedObject, draftEntries, draftImports } from '../../reconciler/export/draft';
import { draftFiles } from '../../reconciler/export/files';
import { createFile, ledgerFileName } from '../../reconciler/ledger/disk';
import { otherFolders } from '../../reconciler/ledger/find';
import { inspectLedger } from '../../reconciler/ledger/open';
import { type OpenLedger, RunningLedger } from '../../reconciler/ledger/state';
import { ledgerKey } from '../../reconciler/ledger-key';
import type { Plan } from '../../reconciler/plan/plan';
import { counted, joinBlocks, listing, showValue, styleFor } from '../../reconciler/render/text';
import { existingOf, keysAndIds, surveyAll } from '../../reconciler/survey';
import { grouped } from '../../resources/groups';
import { definitionOf } from '../../resources/kind';
import { isId } from '../../resources/names';
import { isProfileFile } from '../../resources/profile';
import { registry } from '../../resources/registry';
import { unlessNotFound } from '../../resources/safe-calls';
import type { Call } from '../call';
import type { ExportResult } from '../documents';
import { UserError } from '../errors';
import { readSession, type Session, soundManifests, withNames, withSession } from '../session';

/** 0 all that can be seen is managed now, was, or is listed; 1 something was left out. */
export function exportAll(call: Call): Promise<number> {
  if (call.flags.pulumi) return readSession(call, (session) => listForPulumi(call, session));
  return withSession(call, { create: createReadOnlyClient, write: true }, async (session) => {
    const result = await takeOver(call, session);
    call.print(renderExport(result, call));
    return call.end(result.leftOut.length === 0 ? 0 : 1, { export: result });
  });
}

/** Prints what `pulumi import --file` reads: neither manifests nor the ledger get anything. */
async function listForPulumi(call: Call, session: Session<ReadApi>): Promise<number> {
  const { survey, workspaces, free, gone, unseen } = await lookAround(call, session);
  const { resources, leftOut } = draftImports(free.filter(({ objectId }) => !gone.has(objectId)));
  const around = aroundLine({ workspaces: survey.workspaces, allListed: workspaces !== undefined });
  if (workspaces === undefined) call.log('warn', hang('', around, call.renderError.width).join('\n'));
  const missing = [...unseen, ...leftOut];
  for (const { address, why } of missing) call.log('warn', `left out: ${address}: ${why}`);
  return call.endWithJson({ resources }, missing.length === 0 ? 0 : 1);
}

/** All that can be seen, and what of it is not managed in any folder of this repository. */
async function lookAround(call: Call, { api, manifests, ledger, names, cache }: Session<ReadApi>) {
  const lists = cache();
  const readWhole = async (list?: NameList) =>
    list && call.read('Reading names', () => unlessNotFound(list.read()));
  const workspaces = await readWhole(names.get('workspace'));
  const reading = () => surveyAll(lists, manifests, ledger.ledger, workspaces?.keys() ?? null);
  const survey = await call.read('Reading what is unmanaged', reading);
  const { unmanaged } = existingOf(survey, ledger.ledger);
  // After the survey: an apply in another folder records what it makes before it makes it.
  const holders = await holdersBeside(manifests, call);
  const beside = grouped(
    unmanaged.flatMap(({ kind, objectId, values }) => {
      const folder = holders.get(objectId) ?? holders.get(ledgerKey(definitionOf(kind, registry), values));
      return folder === undefined ? [] : [[folder, objectId] as const];
    }),
  );
  const elsewhere = new Set([...beside.values()].flat());
  const free = unmanaged.filter(({ objectId }) => !elsewhere.has(objectId));
  const gone = await call.read('Checking what was found', () => goneOf(api, free));
  const unseen = [
    ...(names.size > 0 && !workspaces ? [{ address: 'workspaces', why: notListed }] : []),
    ...survey.unread.map(({ owner, why }) => ({
      address: owner,
      why: owner === `organization ${manifests.organization}` ? `${why}. Is that its name?` : why,
    })),
    ...[...gone].map((id) => ({ address: id, why: notThere })),
  ];
  return { lists, readWhole, workspaces, survey, beside, elsewhere, free, gone, unseen };
}

/**
 * The files come first, so that no ledger entry lacks its line, and are taken back when anything fails before the ledger. After a
 * kill between the two, lines stand there without a ledger, and the next run finds what they declare.
 */
async function takeOver(call: Call, session: Session<ReadApi>): Promise<ExportResult> {
  const { manifests, ledger, names, plan } = session;
  const { io, profile } = call;
  const { folder, organization, organizationAt } = manifests;
  const around = await lookAround(call, session);
  const { readWhole, workspaces, survey, beside, elsewhere, gone, unseen } = around;
  // After the survey, whose lists it uses.
  const given = { cache: around.lists, options: { adoptMatches: ledger.ledger.lineage === '' } };
  const before = await plan(given);
  const { entries, leftOut } = draftEntries(before, survey, new Set([...gone, ...elsewhere]));
  const used = entries.flatMap(({ inputs }) => Object.values(inputs).flat());
  for (const list of names.values()) {
    if (used.some((id) => isId(String(id), list.external.prefix))) await readWhole(list);
  }
  const isHidden = !workspaces && survey.unread.some(({ owner }) => owner === `organization ${organization}`);
  const files = draftFiles(survey, entries, {
    manifests,
    profileName:
      profile && isProfileFile(profile) ? relative(folder, resolve(io.cwd, profile)) : (profile ?? null),
    // A mistyped name looks like an organization that the token cannot see.
    isUnnamed: organizationAt === undefined && !isHidden,
    lists: names,
    ledger: ledger.ledger,
    isTaken: (file) => lstatSync(join(folder, file), { throwIfNoEntry: false }) !== undefined,
  });
  const written: string[] = [];
  let after = before.plan;
  try {
    for (const [file, text] of files) {
      if (call.reveals(text)) throw new UserError(revealed);
      await createFile(join(folder, file), text);
      written.push(file);
    }
    if (written.length > 0) {
      // Without the flags of this run, as a later command reads it, which also prints the warnings.
      const read = readManifests(folder, { cwd: io.cwd });
      if (read.manifests === null) soundManifests(call, read);
      const known = await withNames(call, read, names, ledger.ledger);
      ({ plan: after } = await plan({ ...given, manifests: known }));
    }
  } catch (error) {
    for (const file of written) rmSync(join(folder, file), { force: true });
    throw error;
  }
  // What differs from its line is left to an apply.
  const adopted = after.steps.filter(({ action, needs, changes, objectId, managed }) => {
    const isGone = [objectId, ...Object.values(managed)].some((value) => gone.has(String(value)));
    const isOurs = !isGone && !elsewhere.has(objectId ?? '');
    return action === 'adopt' && needs.length + changes.length === 0 && isOurs;
  });
  if (adopted.length > 0) await record(ledger, { ...after, steps: adopted }, written);
  return {
    organization,
    files: written,
    adopted: adopted.map(({ kind, address, objectId = '', observed }) => {
      return { kind, address, objectId, name: observed?.name };
    }),
    leftOut: [
      ...unseen,
      ...leftOut,
      ...after.problems.map(({ address, message }) => ({ address, why: message })),
      ...after.unknown,
    ],
    elsewhere: [...beside].map(([folder, { length }]) => ({ folder, objects: length })),
    workspaces: survey.workspaces,
    allListed: workspaces !== undefined,
    remaining: after.steps.length - adopted.length,
    problems: after.problems.length,
  };
}

const notListed = 'the list of all is not found, or hidden from this token';
const notThere = 'a list still shows it, but it is gone, or hidden from this token (404)';
const revealed =
  'the service shows the token or a secret of these manifests in a field that is not secret: nothing was written. Change that field, and the secret, which others could read';

/** Folders by the keys and ids that their ledgers have: two that hold one object would undo each other's changes. */
async function holdersBeside({ folder }: Manifests, { io: { cwd } }: Call) {
  const holders = new Map<string, string>();
  for (const beside of await otherFolders(folder)) {
    const ledger = await inspectLedger(beside, { cwd });
    for (const key of ledger ? keysAndIds(ledger) : []) holders.set(key, relative(cwd, beside) || '.');
  }
  return holders;
}

/** Lists may be late, so what is to be adopted is read by its id, as `apply` does. Returns the ids of what is not there. */
async function goneOf(api: ReadApi, unmanaged: ReturnType<typeof existingOf>['unmanaged']) {
  const gone = new Set<string>();
  await inParallel(unmanaged, async ({ kind, objectId }) => {
    const { read } = definitionOf(kind, registry);
    if (read && (await unlessNotFound(read(api, objectId))) === undefined) gone.add(objectId);
  });
  return gone;
}

async function record({ ledger, journal, finish }: OpenLedger, { steps, names }: Plan, files: string[]) {
  const running = new RunningLedger(ledger, journal, () => new Date());
  try {
    if (names !== undefined) await running.write({ event: 'names', names });
    const records = steps.map(adoptedObject);
    await Promise.all(records.map(([key, object]) => running.write({ event: 'object', key, object })));
    await finish();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    const done = files.length === 0 ? '' : `${files.join(', ')} written, but `;
    const remedy = 'Repair that and run `tether export` again before any apply: it finds what they declare';
    throw new UserError(`${done}the ledger was not: ${cause.message} ${remedy}`);
  }
}

function renderExport(result: ExportResult, { render }: Call): string {
  const { organization, files, adopted, leftOut, elsewhere, remaining, problems } = result;
  const style = styleFor(render);
  const kinds = grouped(adopted.map((one) => [one.kind, one]));
  const counts = [...kinds].map(([kind, { length }]) => `${length} ${kind}`);
  const ledger = counts.length === 0 ? [] : [`${ledgerFileName}  ${counts.join(', ')}`];
  const lines = [...files, ...ledger].map((line) => `    ${style.paint.green('+')} ${plain(line)}`);
  const named = adopted.flatMap(({ address, objectId, name }) =>
    name === undefined ? [] : [{ address, why: `${objectId} ${showValue(name)}` }],
  );
  const others = elsewhere.map(({ folder: address, objects }) => ({
    address,
    why: counted(objects, 'object'),
  }));
  const open = Object.entries({ step: remaining, problem: problems }).filter(([, count]) => count > 0);
  const shown = open.map(([what, count]) => counted(count, what)).join(' and ');
  const unchanged = `finds no changes${leftOut.length === 0 ? '' : ' in what is not left out'}`;
  const rest = shown === '' ? unchanged : `shows ${shown} that export leaves to you`;
  const planned = `\`tether plan\` ${rest}.`;
  // Where all of it is left out, there may be no manifest to plan with.
  const none =
    leftOut.length === 0
      ? `Nothing to write: nothing unmanaged was found. ${planned}`
      : `Nothing to write.${shown === '' ? '' : ` ${planned}`}`;
  const next = lines.length === 0 ? none : `Commit these files. ${planned}`;
  const list = (mark: 'note' | 'unknown', title: string, items: ExportResult['leftOut']) =>
    listing(style, { mark, title }, items, ({ why }) => why);
  return joinBlocks([
    lines.length === 0 ? [] : [`Exported from ${organization}`, ...lines],
    list('note', 'Managed from now on', named),
    list('unknown', 'Left out', leftOut),
    list('note', 'Left to other folders, whose ledgers hold them', others),
    hang('', aroundLine(result), style.width),
    [style.paint.bold(next)],
  ]);
}

function aroundLine({ workspaces, allListed }: Pick<ExportResult, 'workspaces' | 'allListed'>) {
  const around = `Run triggers were looked for around ${counted(workspaces, 'workspace')}:`;
  if (allListed) return `${around} all that this token can list, and those that something here names.`;
  const named = `${around} those that aliases, lines, the ledger and other triggers name.`;
  return `${workspaces === 0 ? 'No workspace is named here, so no run trigger was looked for.' : named} ${more}`;
}

const more =
  'No list of all workspaces is read: name one of each further group that run triggers connect, such as `aliases: { workspaces: { app: ws-… } }`, in a manifest, and export again.';
