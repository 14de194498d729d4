/** A plan saved by `plan --out`: read back, and refused when anything is different now. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ReadApi } from '../client/api';
import { readSavedPlan, type SavedPlan, staleness } from '../reconciler/saved-plan';
import { codeOf, UserError } from './errors';
import type { Io } from './io';
import type { Planned, Session } from './session';

/** Throws when the file cannot be read or is no saved plan. */
export function readSaved(file: string, io: Io): SavedPlan {
  let text: string;
  try {
    text = readFileSync(resolve(io.cwd, file), 'utf8');
  } catch (cause) {
    throw new UserError(`the saved plan ${file} cannot be read (${codeOf(cause)})`);
  }
  return readSavedPlan(text);
}

/** Throws a `UserError` that names everything that changed since the plan was saved. */
export function checkSaved(saved: SavedPlan, session: Session<ReadApi>, planned: Planned, io: Io): void {
  const changed = staleness(saved, {
    plan: planned.plan,
    manifests: session.workspace.manifests,
    ledger: planned.inputs.ledger,
    address: session.connection.address,
    now: new Date(io.now()),
  });
  if (changed.length === 0) return;
  throw new UserError(
    `the saved plan is stale, nothing was changed; since it was saved:\n${changed.map((one) => `  - ${one}`).join('\n')}\nmake and review a new one with tether plan --out`,
    { stale: changed },
  );
}
