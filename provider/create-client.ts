/** Creates or adopts an OAuth client: one object or a clear refusal, never two, whatever was interrupted before. */
import { randomBytes } from 'node:crypto';
import { carriedOver, describeMatch, possibleMatches } from '../resources/diff';
import type { FieldValues, Found, Intent } from '../resources/kind';
import { temporaryPrefix } from '../resources/names';
import { oauthClient as definition, unlinkedBy } from '../resources/oauth-client';
import { clientsOf } from '../resources/oauth-client-calls';
import { messageOf, ProviderError, Unfinished } from './failures';
import { unrecorded } from './links';
import { shown } from './read';
import type { Session } from './session';
import { differencesOf, givenText, outputsOf, type Props, providerMember, textOf, valuesOf } from './state';

/** Returns the client as it is then; undefined for a 404. */
export async function writeFields(
  session: Session,
  found: Found,
  inputs: Props,
  fields: readonly string[],
): Promise<Found | undefined> {
  if (fields.length === 0) return found;
  const wanted = Object.fromEntries(fields.map((field) => [field, inputs[field] ?? null]));
  await definition.update?.(session.api, found.id, valuesOf(definition, wanted), found.values);
  return shown(session, definition, found.id);
}

/** Returns its id and its state. */
export async function createClientOnce(session: Session, inputs: Props) {
  const { api, run } = session;
  const organization = givenText(inputs, 'organization');
  const wanted = valuesOf(definition, inputs);
  const outputs = (found: Found) => outputsOf(definition, inputs, found, api.address);

  async function list() {
    return definition.find(await clientsOf(organization).read(api), { organization });
  }

  /** What the new one replaces, as far as this run was shown it. */
  async function replacedBy() {
    const { seen, before, removed } = run.shown(inputs);
    if (seen !== undefined || before === undefined || removed !== undefined) return seen;
    // An option asked for it, so there was no diff: the old one is what matches the inputs in the state.
    const [found, other] = possibleMatches(definition, valuesOf(definition, before), await list()).same;
    return found && !other ? { id: found.id, olds: before } : undefined;
  }

  /** Takes one over and gives it what differs. What never changes in place must be equal. */
  async function adopt(id: string) {
    const found = await shown(session, definition, id);
    if (found === undefined) {
      throw new ProviderError(
        `adoptId names ${id}, which does not exist or which the token may not see: correct it, or remove it to create a new client`,
      );
    }
    const owner = String(found.values.organization);
    if (owner !== '' && owner !== organization) {
      throw new ProviderError(`adoptId names ${id}, which belongs to ${owner}, not to ${organization}`);
    }
    const before = { ...found.values, organization };
    const { update, replace } = differencesOf(definition, before, inputs, session.profile);
    const fixed = replace.filter((field) => !definition.fields[field]?.writeOnly);
    if (fixed.length > 0) {
      const texts = fixed.map((field) => `its ${field} is ${JSON.stringify(found.values[field])}`);
      throw new ProviderError(
        `${id} cannot be adopted as it is: ${texts.join(', ')}, and that never changes in place. Correct the program, or name another client`,
      );
    }
    run.want(id);
    return (await writeFields(session, found, inputs, update)) ?? found;
  }

  /** Refuses when one may be the wanted client. Returns one that may be destroyed: `--replace` shows nothing else of it. */
  function refusePossibleMatch(there: readonly Found[], values: FieldValues) {
    if (inputs.allowDuplicate === true) return undefined;
    const { same } = possibleMatches(definition, values, there);
    const kept = same.filter((found) => !run.mayDestroy(found.id));
    const [first] = kept;
    if (first === undefined) return same[0];
    throw new ProviderError(
      `${organization} already has a matching OAuth client: ${kept.map(describeMatch).join('; ')}. To adopt it (an interrupted run may have left it): adoptId: '${first.id}'. To create a second one: allowDuplicate: true. To replace it (--replace): run again with --refresh and deletionProtection: false, or with TETHER_ALLOW_DESTROY=${first.id}`,
    );
  }

  /** Another run left it unfinished, or is making it right now: only `TETHER_ALLOW_DESTROY` has it deleted. */
  async function clearUnfinished(there: readonly Found[], temporary: string) {
    const left = there.filter(({ values }) => String(values.name).startsWith(temporary));
    const kept = left.filter((found) => !run.mayDestroy(found.id));
    if (kept.length > 0) {
      const ids = kept.map((found) => found.id);
      throw new ProviderError(
        `another run of this resource started a client in ${organization} and did not finish it: ${kept.map(describeMatch).join('; ')}. If that run is still going, wait for it. If it was killed, run again with TETHER_ALLOW_DESTROY=${ids.join()} to have that client deleted and made again, or take it over with adoptId: '${ids[0]}', with the secrets that the other run gave it`,
      );
    }
    for (const { id } of left) {
      await definition.delete(api, id, { organization, id });
      session.around.say(`deleted ${id}, which another run of this resource left unfinished`);
    }
  }

  async function create(replaced: string | undefined) {
    const old = replaced === undefined ? undefined : await shown(session, definition, replaced);
    const before = old?.values ?? run.shown(inputs).removed;
    const there = (await list()).filter((found) => found.id !== replaced);
    const succeeding = (from: FieldValues | undefined) => ({ ...carriedOver(definition, from), ...wanted });
    const givenUp = refusePossibleMatch(there, succeeding(before));
    const temporary = temporaryPrefix(textOf(inputs, 'createKey') ?? '000000000000');
    await clearUnfinished(there, temporary);
    const values = succeeding(before ?? givenUp?.values);
    let id: string | undefined;
    const intent: Intent = {
      // A new name: what other runs left under theirs was looked for above.
      ...unrecorded,
      nonce: `${temporary}${randomBytes(4).toString('hex')}`,
      existed: (one) => one === replaced || there.some((found) => found.id === one),
      created: async (made) => {
        id = made;
      },
    };
    try {
      return await definition.create(api, { organization }, values, intent);
    } catch (error) {
      if (id === undefined) throw error;
      const now = await shown(session, definition, id).catch(() => undefined);
      const found = now ?? { id, values: { ...values, name: intent.nonce }, outputs: {} };
      throw new Unfinished(`${id} was created and not finished: ${messageOf(error)}`, id, {
        ...outputs(found),
        [providerMember]: inputs[providerMember],
      });
    }
  }

  async function adoptOrCreate() {
    const replaced = await replacedBy();
    const adoptId = textOf(inputs, 'adoptId');
    // A client that was adopted and is now replaced: its successor is a new one.
    if (adoptId !== undefined && adoptId !== replaced?.id) return adopt(adoptId);
    if (replaced !== undefined && !run.isReplaceable(replaced.id)) {
      const why = 'an option of the resource or of the command asks for it';
      await refuseProtectedReplace(session, replaced.id, replaced.olds, inputs, why);
    }
    return create(replaced?.id);
  }

  // Two that match, created side by side, would not see each other.
  const queue = JSON.stringify([organization, wanted.name ?? null, wanted.httpUrl, wanted.apiUrl]);
  const found = await session.write(queue, definition.listedIn({ organization }), adoptOrCreate);
  session.learnOrganizationOf(found.id, organization);
  return { id: found.id, outs: outputs(found) };
}

export async function refuseProtectedReplace(
  session: Session,
  id: string,
  olds: Props,
  news: Props,
  why: string,
): Promise<void> {
  if (session.run.mayReplace(id, olds, news)) return;
  throw new ProviderError(
    `${id} would be replaced (${why}), and it is protected: ${await unlinked(session, id)}. To replace it all the same set deletionProtection: false, or TETHER_ALLOW_DESTROY=${id} for one run`,
  );
}

/** What a destruction does to workspaces, as exactly as the service tells. */
export async function unlinked(session: Session, id: string): Promise<string> {
  const { affectedWorkspaces } = session.profile.capabilities;
  const ask = async () => (affectedWorkspaces ? session.api.oauthClients.affectedWorkspaces(id) : undefined);
  // Where it fails, as in a preview without a token, the refusal matters more than the number.
  return unlinkedBy(await ask().catch(() => undefined));
}
