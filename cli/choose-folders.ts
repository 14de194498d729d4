/** Chooses the folders that a command runs in. */
import { lstatSync, realpathSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { plain } from '../client/text';
import { unlessItFails } from '../resources/plain-file';
import type { Call } from './call';
import { UserError } from './errors';

/** Returns each path once, even if several lead to the same folder. The default is `.`. Throws a `UserError` if one folder is inside another. */
export function chooseFolders({ io }: Call, paths: readonly string[]): readonly string[] {
  const byPlace = new Map<string, string>();
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const absolute = resolve(io.cwd, path);
    const place = unlessItFails(() => realpathSync(absolute)) ?? absolute;
    if (!byPlace.has(place)) byPlace.set(place, path);
  }
  for (const [inner, path] of byPlace) {
    const outer = [...byPlace.keys()].find((place) => inner !== place && inner.startsWith(join(place, sep)));
    if (outer === undefined) continue;
    const message = `${path} is part of ${byPlace.get(outer)}, and both are named: remove one of them`;
    throw new UserError(plain(message));
  }
  return [...byPlace.values()];
}

/** Throws a `UserError` if nothing has this path. The reader of manifests reports a path that is not a folder. */
export function refuseMissingFolder({ io }: Call, path: string): void {
  const absolute = resolve(io.cwd, path);
  const entry = unlessItFails(() => lstatSync(absolute, { throwIfNoEntry: false }) ?? 'missing');
  if (entry === 'missing') throw new UserError(`the folder ${plain(path)} does not exist`);
}
