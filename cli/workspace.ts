/** What a command works on: the ledger's place and the manifests, read and judged before anything else happens. */
import { type Manifests, type ReadManifests, type ReadOptions, readManifests } from '../manifest';
import { findLedger, type LedgerPlace } from '../reconciler/ledger/find';
import type { Profile } from '../resources/profile';
import type { Call } from './call';
import { UserError } from './errors';
import type { ManifestFlags } from './flags';
import type { Io } from './io';
import { issueText } from './issues';
import { keptByManifests, keptByName, keptOfLedger } from './kept';
import { refuseOverwriting } from './outputs';
import { profileOf } from './settings';

export interface Workspace {
  readonly location: LedgerPlace;
  readonly manifests: ReadManifests;
}

/** The one folder that a command was given. */
export function folderOf(paths: readonly string[]): string {
  if (paths.length <= 1) return paths[0] ?? '.';
  throw new UserError('several paths: a folder is the unit; `tether validate` takes files');
}

/** Finds the ledger of a folder and reads its manifests; mistakes are in `manifests.issues`. */
export async function readWorkspace(folder: string, flags: ManifestFlags, io: Io): Promise<Workspace> {
  const named = keptByName([], flags, io);
  // Before anything can go wrong: what goes wrong is written into the reports too.
  refuseOverwriting(flags, named, io.cwd);
  const location = await findLedger(folder, { cwd: io.cwd });
  const manifests = readManifests(folder, readOptionsOf(flags, io));
  const found = [...keptOfLedger(location.file), ...keptByManifests(manifests)];
  refuseOverwriting(flags, found, io.cwd);
  return { location, manifests };
}

/** How manifests are to be read, by flag and variable. */
export function readOptionsOf(flags: ManifestFlags, io: Io): ReadOptions {
  const profile = profileOf(flags, io);
  return { cwd: io.cwd, ...(profile === undefined ? {} : { profile }) };
}

/** The same for commands that act: throws a `UserError` with every mistake, and says the warnings. */
export async function readSoundWorkspace(call: Call<ManifestFlags>, folder: string): Promise<Workspace> {
  const workspace = await readWorkspace(folder, call.flags, call.io);
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
