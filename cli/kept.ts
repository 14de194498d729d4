/** Which files a run reads, so that it writes none of them. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ReadManifests } from '../manifest';
import { journalOf } from '../reconciler/ledger/journal';
import { lockOf } from '../reconciler/ledger/lock';
import type { ManifestFlags } from './flags';
import { type Io, variable } from './io';
import type { Kept } from './outputs';
import { profileOf } from './settings';

/** What the arguments and the environment name, known before anything is read. */
export function keptByName(paths: readonly string[], flags: ManifestFlags, io: Io): readonly Kept[] {
  const named: readonly (readonly [string | undefined, string])[] = [
    [profileFile(profileOf(flags, io), io.cwd), 'the profile'],
    [variable(io, 'TETHER_TOKEN_FILE'), 'the file with the token'],
  ];
  return [
    ...paths.map((file) => ({ file, what: 'a manifest' })),
    ...named.flatMap(([file, what]) => (file === undefined ? [] : [{ file, what }])),
  ];
}

/** The ledger with what lies beside it. */
export function keptOfLedger(file: string): readonly Kept[] {
  return [
    { file, what: 'the ledger' },
    { file: journalOf(file), what: "the ledger's journal" },
    { file: lockOf(file), what: "the ledger's lock" },
  ];
}

/** The manifests that were found, and what they name: profiles, and the files that secrets come from. */
export function keptByManifests({ manifests, sources }: ReadManifests): readonly Kept[] {
  const files = [...sources.values()].map((one) => one.origin.absolute);
  const kept = files.map((file) => ({ file, what: 'a manifest' }));
  if (manifests === null) return kept;
  const { folder, profileName, entries } = manifests;
  const profiles = [...new Set(files.map((file) => dirname(file)))].flatMap((beside) => {
    const file = profileFile(profileName, beside);
    return file === undefined ? [] : [{ file, what: 'the profile' }];
  });
  const secrets = entries.flatMap(({ address, secrets: fields }) =>
    Object.values(fields).flatMap((source) =>
      'fromFile' in source
        ? [{ file: resolve(folder, source.fromFile), what: `a secret of ${address}` }]
        : [],
    ),
  );
  return [...kept, ...profiles, ...secrets];
}

/** The file of a profile; undefined for one of those that come with the program. */
function profileFile(name: string | undefined, folder: string): string | undefined {
  const file = name === undefined ? undefined : resolve(folder, name);
  return file !== undefined && existsSync(file) ? file : undefined;
}
