/** What a command works on: the ledger's place and the manifests, read and judged before anything else happens. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Manifests, type ReadManifests, readManifests } from '../manifest';
import { findLedger, type LedgerLocation } from '../reconciler/ledger/find';
import type { Profile } from '../resources/profile';
import type { Call } from './call';
import { UserError } from './errors';
import type { ManifestFlags } from './flags';
import type { Io } from './io';
import { issueText } from './issues';
import { keptByManifests, keptByName, keptOfLedger } from './kept';
import { refuseOverwriting } from './outputs';
import { ledgerOf, profileOf } from './settings';

export interface Workspace {
  readonly paths: readonly string[];
  readonly location: LedgerLocation;
  /** Absolute folder that file names in the ledger and `fromFile` are relative to. */
  readonly root: string;
  readonly manifests: ReadManifests;
}

/** Finds the ledger and reads the manifests; mistakes are in `manifests.issues`. */
export async function readWorkspace(
  paths: readonly string[],
  flags: ManifestFlags,
  io: Io,
): Promise<Workspace> {
  const asked = paths.length === 0 ? ['.'] : paths;
  const named = keptByName(asked, flags, io);
  // Before anything can go wrong: what goes wrong is written into the reports too.
  refuseOverwriting(flags, named, io.cwd);
  const flag = ledgerOf(flags, io);
  const location = await findLedger(asked, { cwd: io.cwd, ...(flag === undefined ? {} : { flag }) });
  const root = location === 'none' ? folderOf(resolve(io.cwd, asked[0] ?? '.')) : location.folder;
  const profile = profileOf(flags, io);
  const manifests = readManifests(asked, {
    root,
    cwd: io.cwd,
    ...(profile === undefined ? {} : { profile }),
  });
  const found = [
    ...(location === 'none' ? [] : keptOfLedger(location.file)),
    ...keptByManifests(manifests, root),
  ];
  refuseOverwriting(flags, found, io.cwd);
  return { paths: asked, location, root, manifests };
}

/** The same for commands that act: throws a `UserError` with every mistake, and says the warnings. */
export async function readSoundWorkspace(
  call: Call<ManifestFlags>,
  paths: readonly string[],
): Promise<Workspace> {
  const workspace = await readWorkspace(paths, call.flags, call.io);
  refuseMistakes(call, workspace.manifests);
  return workspace;
}

/** Throws a `UserError` with every mistake; warnings are said. */
export function refuseMistakes({ voice }: Call<ManifestFlags>, manifests: ReadManifests): void {
  const { issues } = manifests;
  if (issues.length === 0) return;
  const text = issueText(manifests, voice.renderError);
  if (issues.some((issue) => issue.severity === 'error')) {
    throw new UserError(`the manifests have mistakes:\n\n${text}`, { issues });
  }
  voice.log('warn', text);
}

/** The profiles in use, each once. */
export function profilesOf(manifests: Manifests): readonly Profile[] {
  return [...new Set(manifests.organizations.map((one) => one.profile))];
}

function folderOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() ? path : dirname(path);
}
