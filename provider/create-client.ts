/** Creates or adopts an OAuth client: one object or a clear refusal, never two, whatever was interrupted before. */
import { randomBytes } from 'node:crypto';
import type { dynamic } from '@pulumi/pulumi';
import {
  carriedOver,
  describeMatch,
  diff,
  hasTemporaryName,
  onChangeOf,
  possibleMatches,
} from '../resources/diff';
import type { FieldValues, Found, Intent } from '../resources/kind';
import { temporaryPrefix } from '../resources/names';
import { oauthClient as definition } from '../resources/oauth-client';
import { clientsOf } from '../resources/oauth-client-create';
import { messageOf, ProviderError, Unfinished } from './failures';
import { unrecorded } from './links';
import { shown } from './read';
import { refuseProtectedReplace } from './run';
import type { Session } from './session';
import { givenText, outputsOf, type Props, providerMember, textOf, valuesOf } from './state';

export async function createClientOnce(session: Session, inputs: Props): Promise<dynamic.CreateResult> {
  const organization = givenText(inputs, 'organization');
  const wanted = valuesOf(definition, inputs);
  // Two that match, created side by side, would not see each other.
  const looks = JSON.stringify([organization, wanted.name ?? null, wanted.httpUrl, wanted.apiUrl]);
  try {
    const found = await session.queues.run(looks, async () => {
      const replaced = await replacedBy(session, organization, inputs);
      const adoptId = textOf(inputs, 'adoptId');
      // A client that was adopted and is now replaced: its successor is a new one.
      if (adoptId !== undefined && adoptId !== replaced?.id) return adopt(session, adoptId, wanted);
      if (replaced !== undefined && !session.run.isReplaceable(replaced.id)) {
        await refuseProtectedReplace(session, replaced.id, replaced.olds, inputs, []);
      }
      return createNew(session, inputs, wanted, replaced?.id);
    });
    session.learnOrganizationOf(found.id, organization);
    return { id: found.id, outs: outputsOf(definition, inputs, found, session.api.address) };
  } finally {
    session.forget(definition.listedIn({ organization }));
  }
}

/** The object that the new one replaces, as far as this run was shown it. */
async function replacedBy(
  session: Session,
  organization: string,
  inputs: Props,
): Promise<{ readonly id: string; readonly olds: Props } | undefined> {
  const { seen, before, removed } = session.run.shown(inputs);
  if (seen !== undefined) return seen;
  if (before === undefined || removed !== undefined) return undefined;
  // An option asked for it, so there was no diff: the old one is what matches the inputs in the state.
  const there = await listClients(session, organization);
  const [found, ...others] = possibleMatches(definition, valuesOf(definition, before), there).same;
  return found === undefined || others.length > 0 ? undefined : { id: found.id, olds: before };
}

async function listClients(session: Session, organization: string): Promise<readonly Found[]> {
  return definition.find(await clientsOf(organization).read(session.api), { organization });
}

/** Takes an existing client over and gives it what differs. What never changes in place must be equal. */
async function adopt(session: Session, id: string, wanted: FieldValues): Promise<Found> {
  const { api, profile } = session;
  const found = await shown(session, definition, id);
  if (found === undefined) {
    throw new ProviderError(
      `adoptId names ${id}, which does not exist or which the token may not see: correct it, or remove it to create a new client`,
    );
  }
  const organization = String(wanted.organization);
  if (found.values.organization !== '' && found.values.organization !== organization) {
    throw new ProviderError(
      `adoptId names ${id}, which belongs to ${String(found.values.organization)}, not to ${organization}`,
    );
  }
  const changes = diff(definition, wanted, { ...found.values, organization }, profile);
  const fixed = changes.filter((one) => one.onChange === 'replace');
  if (fixed.length > 0) {
    const texts = fixed.map((one) => `its ${one.field} is ${JSON.stringify(one.from)}`);
    throw new ProviderError(
      `${id} cannot be adopted as it is: ${texts.join(', ')}, and that never changes in place. Correct the program, or name another client`,
    );
  }
  const writes: Record<string, FieldValues[string]> = {};
  for (const { field, to } of changes) writes[field] = to;
  for (const [name, field] of Object.entries(definition.fields)) {
    const value = wanted[name];
    const isSecret = field.writeOnly === true && onChangeOf(field, profile) === 'update';
    if (isSecret && value !== undefined) writes[name] = value;
  }
  session.run.want(id);
  if (Object.keys(writes).length === 0) return found;
  await definition.update?.(api, id, writes, found.values);
  return (await shown(session, definition, id)) ?? found;
}

async function createNew(
  session: Session,
  inputs: Props,
  wanted: FieldValues,
  replaced: string | undefined,
): Promise<Found> {
  const organization = String(wanted.organization);
  const old = replaced === undefined ? undefined : await shown(session, definition, replaced);
  const before = old?.values ?? session.run.shown(inputs).removed;
  const there = (await listClients(session, organization)).filter((found) => found.id !== replaced);
  const succeeding = (from: FieldValues | undefined) => ({ ...carriedOver(definition, from), ...wanted });
  const givenUp = refusePossibleMatch(session, inputs, there, succeeding(before));
  const temporary = temporaryPrefix(textOf(inputs, 'createKey') ?? '000000000000');
  await clearUnfinished(session, organization, there, temporary);
  const values = succeeding(before ?? givenUp?.values);
  let id: string | undefined;
  const intent: Intent = {
    // The name was never used before: what another run left under one of its own was looked for above.
    ...unrecorded,
    nonce: `${temporary}${randomBytes(4).toString('hex')}`,
    existed: (one) => one === replaced || there.some((found) => found.id === one),
    created: async (made) => {
      id = made;
    },
  };
  try {
    return await definition.create(session.api, { organization }, values, intent);
  } catch (error) {
    if (id === undefined) throw error;
    const now = await shown(session, definition, id).catch(() => undefined);
    const found = now ?? { id, values: { ...values, name: intent.nonce }, outputs: {} };
    // The engine records what was made, with the text that loads this provider, and the next `up` finishes it.
    throw new Unfinished(`${id} was created and not finished: ${messageOf(error)}`, id, {
      ...outputsOf(definition, inputs, found, session.api.address),
      [providerMember]: inputs[providerMember],
    });
  }
}

/** Refuses when a client may be the wanted one. Returns one whose destruction is allowed: `--replace` shows nothing else of it. */
function refusePossibleMatch(
  session: Session,
  inputs: Props,
  there: readonly Found[],
  wanted: FieldValues,
): Found | undefined {
  if (inputs.allowDuplicate === true) return undefined;
  const { same } = possibleMatches(definition, wanted, there);
  const matches = same.filter((found) => !session.run.mayDestroy(found.id));
  const [first] = matches;
  if (first === undefined) return same[0];
  throw new ProviderError(
    `an OAuth client that looks the same exists in ${String(wanted.organization)}: ${matches.map(describeMatch).join('; ')}. If it is the one meant (an interrupted run may have left it), take it over with adoptId: '${first.id}'; if \`--replace\` is to put another in its place, run again with \`--refresh\` and deletionProtection: false, or with TETHER_ALLOW_DESTROY=${first.id}; if there shall be two, set allowDuplicate: true`,
  );
}

/** Another run left it unfinished, or is making it right now: only `TETHER_ALLOW_DESTROY` has it deleted. */
async function clearUnfinished(
  session: Session,
  organization: string,
  there: readonly Found[],
  temporary: string,
): Promise<void> {
  const left = there.filter((one) => hasTemporaryName(one) && String(one.values.name).startsWith(temporary));
  const kept = left.filter((found) => !session.run.mayDestroy(found.id));
  const [first] = kept;
  if (first !== undefined) {
    throw new ProviderError(
      `another run of this resource has begun a client in ${organization} and not finished it: ${kept.map(describeMatch).join('; ')}. If that run is still going, wait for it. If it was killed, run again with TETHER_ALLOW_DESTROY=${kept.map((found) => found.id).join()} to have that client deleted and made again, or take it over with adoptId: '${first.id}', with the secrets that the other run gave it`,
    );
  }
  for (const { id } of left) {
    await definition.delete(session.api, id, { organization, id });
    session.around.say(`deleted ${id}, which another run of this resource left unfinished`);
  }
}
