/** Work as a user whom file permissions hold back, also where the tests run as root, who may do everything. */
import { chownSync } from 'node:fs';

/** The user and group that own nothing, by the number that Linux and its containers give them. */
const nobody = 65_534;

/** Runs the work as an ordinary user who owns `paths`; as root that is `nobody`, and root again afterwards. */
export async function asOrdinaryUser<Result>(
  paths: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  if (process.geteuid?.() !== 0 || process.seteuid === undefined) return work();
  for (const path of paths) chownSync(path, nobody, nobody);
  process.seteuid(nobody);
  try {
    return await work();
  } finally {
    process.seteuid(0);
  }
}
