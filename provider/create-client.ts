/** Creates or adopts an OAuth client: one object or a clear refusal, never two, whatever was interrupted before. */
import { createHash, randomBytes } from 'node:crypto';
import { carriedOver, describeMatch, possibleMatches } from '../resources/diff';
import type { FieldValues, Found, Intent } from '../resources/kind';
import { temporaryPrefix } from '../resources/names';
import { oauthClient as definition, unlinkedBy } from '../resources/oauth-client';
import { messageOf, ProviderError, Unfinished } from './failures';
import { shown } from './read';
import { type Session, unrecorded } from './session';
import { differencesOf, givenText, outputsOf, type Props, textOf, valuesOf } from './state';

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

export async function createClientOnce(session: Session, urn: string, inputs: Props) {
  const { run, around } = session;
  const organization = givenText(inputs, 'organization');
  const wanted = valuesOf(definition, inputs);

  async function adoptOrCreate() {
    const replaced = await replacedBy();
    const adoptId = textOf(inputs, 'adoptId');
    // A client that was adopted and is now replaced: its successor is a new one.
    if (adoptId !== undefined && adoptId !== replaced?.id) return adopt(adoptId);
    if (replaced !== undefined && !run.isReplaceable(replaced.id)) {
      const why = 'an option of the resource or of the command asks for it';
      await refuseProtectedReplace(session, { ...replaced, news: inputs, why });
    }
    return create(replaced?.id);
  }

  /** What the new one replaces, as far as this run was shown it. */
  async function replacedBy() {
    const { seen, before, removed } = run.shown(urn);
    if (seen !== undefined || before === undefined || removed !== undefined) return seen;
    // An option asked for it, so there was no diff: the old one is what matches the inputs in the state.
    const clients = await session.clientsOf(organization);
    const [found, other] = possibleMatches(definition, valuesOf(definition, before), clients).same;
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
    const { update, replace } = differencesOf(definition, before, inputs, session.account.profile);
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

  async function create(replaced: string | undefined) {
    const { api } = session;
    const old = replaced === undefined ? undefined : await shown(session, definition, replaced);
    const before = old?.values ?? run.shown(urn).removed;
    const there = (await session.clientsOf(organization)).filter((found) => found.id !== replaced);
    const succeeding = (from: FieldValues | undefined) => ({ ...carriedOver(definition, from), ...wanted });
    const { same } = possibleMatches(definition, succeeding(before), there);
    const matches = inputs.allowDuplicate === true ? [] : same;
    const kept = (some: readonly Found[]) => some.filter(({ id }) => !run.mayDestroy(id));
    refusePossibleMatches(organization, kept(matches));
    const prefix = temporaryPrefix(createHash('sha256').update(urn).digest('hex').slice(0, 12));
    const unfinished = there.filter(({ values }) => String(values.name).startsWith(prefix));
    refuseUnfinished(organization, kept(unfinished));
    for (const one of unfinished) {
      await definition.delete(api, one.id, { organization, id: one.id });
      around.say(`deleted ${one.id}, which another run of this resource left unfinished`, urn);
    }
    // With `--replace` a match, which may be destroyed, is all that shows what the old one has.
    const values = succeeding(before ?? matches[0]?.values);
    let id: string | undefined;
    const intent: Intent = {
      // A new name: what other runs left under theirs was looked for above.
      ...unrecorded,
      nonce: `${prefix}${randomBytes(4).toString('hex')}`,
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
      const state = outputsOf(inputs, found, api.address);
      throw new Unfinished(`${id} was created and not finished: ${messageOf(error)}`, id, state);
    }
  }

  // Two that match, created side by side, would not see each other.
  const queue = JSON.stringify([organization, wanted.name ?? null, wanted.httpUrl, wanted.apiUrl]);
  const refs = definition.listedIn({ organization });
  const work = async () => {
    const made = await adoptOrCreate();
    await session.learnClient(made, organization);
    return made;
  };
  const found = await session.write(queue, refs, work, true);
  return { id: found.id, outs: outputsOf(inputs, found, session.api.address) };
}

function refusePossibleMatches(organization: string, matches: readonly Found[]) {
  const [first] = matches;
  if (first === undefined) return;
  throw new ProviderError(
    `${organization} already has a matching OAuth client: ${matches.map(describeMatch).join('; ')}. If the resource was only renamed in the program, give it the option aliases: [{ name: 'OLD NAME' }]. To adopt it (an interrupted run may have left it): adoptId: '${first.id}'. To create a second one: allowDuplicate: true. To replace it (--replace): run again with --refresh and deletionProtection: false, or with TETHER_ALLOW_DESTROY=${first.id}`,
  );
}

/** Another run left them, or is making them right now. */
function refuseUnfinished(organization: string, left: readonly Found[]) {
  const [first] = left;
  if (first === undefined) return;
  const ids = left.map(({ id }) => id).join();
  throw new ProviderError(
    `another run of this resource started a client in ${organization} and did not finish it: ${left.map(describeMatch).join('; ')}. If that run is still going, wait for it. If it was killed, run again: TETHER_ALLOW_DESTROY=${ids} deletes that client and creates a new one; adoptId: '${first.id}' adopts it, with the secrets that the other run gave it`,
  );
}

export async function refuseProtectedReplace(
  session: Session,
  { id, olds, news, why }: { id: string; olds: Props; news: Props; why: string },
): Promise<void> {
  if (session.run.mayReplace(id, olds, news)) return;
  throw new ProviderError(
    `${id} would be replaced (${why}), and it is protected: ${await unlinked(session, id)}. To replace it all the same set deletionProtection: false, or TETHER_ALLOW_DESTROY=${id} for one run`,
  );
}

/** Asks the service, where it can tell, and says what a destruction does to workspaces. */
export async function unlinked(session: Session, id: string): Promise<string> {
  const { affectedWorkspaces } = session.account.profile.capabilities;
  const ask = async () => (affectedWorkspaces ? session.api.oauthClients.affectedWorkspaces(id) : undefined);
  // Where it fails, as in a preview without a token, the refusal matters more than the number.
  return unlinkedBy(await ask().catch(() => undefined));
}
