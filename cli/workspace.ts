/** What a command works on: the manifests of a folder, read and judged before anything else happens. */
import { resolve } from 'node:path';
import { type Manifests, type ReadManifests, type ReadOptions, readManifests } from '../manifest';
import type { Call } from './call';
import { UserError } from './errors';
import type { ManifestFlags } from './flags';
import type { Io } from './io';
import { issueText } from './issues';
import { profileOf } from './settings';

export interface Workspace {
  /** Absolute. */
  readonly folder: string;
  readonly read: ReadManifests;
}

/** The one folder that a command was given. */
export function folderOf(paths: readonly string[]): string {
  if (paths.length <= 1) return paths[0] ?? '.';
  throw new UserError('several paths: a folder is the unit; `tether validate` takes files');
}

/** Reads the manifests of a folder; mistakes are in `read.issues`. */
export function readWorkspace(folder: string, flags: ManifestFlags, io: Io): Workspace {
  return { folder: resolve(io.cwd, folder), read: readManifests(folder, readOptionsOf(flags, io)) };
}

/** How manifests are to be read, by flag and variable. */
export function readOptionsOf(flags: ManifestFlags, io: Io): ReadOptions {
  const profile = profileOf(flags, io);
  return { cwd: io.cwd, ...(profile === undefined ? {} : { profile }) };
}

/** What manifests ask for. Throws a `UserError` with every mistake; warnings are said. */
export function soundManifests({ voice }: Call<ManifestFlags>, read: ReadManifests): Manifests {
  const { manifests, issues } = read;
  const text = issueText(read, voice.renderError);
  if (manifests === null) throw new UserError(`the manifests have mistakes:\n\n${text}`, { issues });
  if (issues.length > 0) voice.log('warn', text);
  return manifests;
}
