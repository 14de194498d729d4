/** `tether export`: prints existing objects as a manifest or a program. */
import { createReadOnlyClient } from '../../client/client';
import { plain } from '../../client/text';
import { readExisting } from '../../reconciler/export/existing';
import { makeDrafts, renderAsManifest, renderAsProgram } from '../../reconciler/export/write';
import { readProfile } from '../../resources/profile';
import type { Call } from '../call';
import { readConnection } from '../connection';
import type { Outcome } from '../outcome';

export async function exportAll(call: Call): Promise<Outcome> {
  const { flags, io } = call;
  const { organization = '', pulumi } = flags;
  const profileName = call.profile ?? 'default';
  const profile = readProfile(profileName, io.cwd);
  const api = createReadOnlyClient(readConnection(call, profile, organization));
  const existing = await call.untilInterrupted('Reading', () => readExisting(api, organization, profile));
  const { drafts, leftOut } = makeDrafts(existing, profile);
  const text = pulumi ? renderAsProgram(existing, drafts) : renderAsManifest(existing, drafts, profileName);
  const all = [...existing.leftOut, ...leftOut];
  for (const sentence of all) call.log('warn', plain(`note: ${sentence}`));
  if (drafts.some(({ id }) => id !== undefined)) call.log('warn', secretsNote);
  // The API of the profile `default` lists no workspaces, so that alone is no failure.
  const isWhole =
    leftOut.length === 0 && (existing.leftOut.length === 0 || !profile.capabilities.lookupByName);
  const outcome: Outcome = isWhole ? 'done' : 'incomplete';
  call.print(text);
  call.printJson(outcome, { organization, [pulumi ? 'program' : 'manifest']: text, leftOut: all });
  return outcome;
}

const secretsNote =
  'note: secrets cannot be read, so they are left out; to write one, add its field with { fromEnv: NAME }';
