/** `tether export`: prints a manifest or a program for what exists. Writes nothing, and sends GET only. */
import { createReadOnlyClient } from '../../client/client';
import { plain } from '../../client/text';
import { draftClients } from '../../reconciler/export/drafts';
import { readExisting } from '../../reconciler/export/existing';
import { manifestOf } from '../../reconciler/export/manifest';
import { writeProgram } from '../../reconciler/export/program';
import { readProfile } from '../../resources/profile';
import type { Call } from '../call';
import { connect } from '../connection';
import type { Outcome } from '../outcome';

export async function exportAll(call: Call): Promise<Outcome> {
  const { flags, io } = call;
  const { organization = '', pulumi } = flags;
  const profileName = call.profile ?? 'default';
  const profile = readProfile(profileName, io.cwd);
  const api = createReadOnlyClient(connect(call, profile, organization));
  const existing = await call.read('Reading', () => readExisting(api, organization, profile));
  const { drafts, leftOut } = draftClients(existing.clients, profile);
  const text = pulumi ? writeProgram(existing, drafts) : manifestOf(existing, drafts, profileName);
  const all = [...existing.leftOut, ...leftOut];
  for (const sentence of all) call.log('warn', plain(`note: ${sentence}`));
  if (drafts.length > 0) call.log('warn', secretsNote);
  const isWhole = all.length === 0 || !profile.capabilities.lookupByName;
  const outcome: Outcome = isWhole ? 'done' : 'incomplete';
  call.print(text);
  call.printJson(outcome, { organization, [pulumi ? 'program' : 'manifest']: text, leftOut: all });
  return outcome;
}

const secretsNote =
  'note: secrets cannot be read, so they are left out; to write one, add its field with { fromEnv: NAME }';
