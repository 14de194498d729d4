/** Creates or adopts an OAuth client: one object or a clear refusal, never two, whatever was interrupted before. */
import { randomBytes } from 'node:crypto';
import type { dynamic } from '@pulumi/pulumi';
import { describe, sameImmutables } from '../resources/diff';
import { type FieldValues, type Found, type Intent, readList } from '../resources/kind';
import { isNonce } from '../resources/names';
import { definitionOf } from '../resources/registry';
import { adoptClient } from './adopt-client';
import { shown } from './look';
import { messageOf, ProviderError, Unfinished } from './one-line';
import { givenText, type Props, providerMember, textOf } from './props';
import { refuseProtectedReplace } from './protection';
import type { Session } from './session';
import { outputsOf, valuesOf } from './state';

const definition = definitionOf('OAuthClient');

/** `create` of OAuth clients. */
export async function createClientOnce(session: Session, inputs: Props): Promise<dynamic.CreateResult> {
  const { api } = session;
  const organization = givenText(inputs, 'organization');
  const wanted = valuesOf(definition, inputs);
  // Two that look alike, created side by side, would not see each other.
  const looks = JSON.stringify([organization, wanted.name ?? null, wanted.httpUrl, wanted.apiUrl]);
  try {
    const found = await session.lanes.run(looks, async () => {
      const replaced = await replacedBy(session, organization, inputs);
      const adoptId = textOf(inputs, 'adoptId');
      // A client that was adopted and is now replaced: its successor is a new one.
      if (adoptId !== undefined && adoptId !== replaced?.id) return adoptClient(session, adoptId, wanted);
      if (replaced !== undefined && !session.replacing.has(replaced.id)) {
        await refuseProtectedReplace(session, replaced.id, replaced.olds, inputs, []);
      }
      return createNew(session, inputs, wanted, replaced?.id);
    });
    session.learnOrganizationOf(found.id, organization);
    return { id: found.id, outs: outputsOf(definition, inputs, found, api.address) };
  } finally {
    session.forget(definition.listedIn({ organization }));
  }
}

/** The object that the new one takes the place of; undefined where there is none, or none that this run was shown. */
async function replacedBy(
  session: Session,
  organization: string,
  inputs: Props,
): Promise<{ readonly id: string; readonly olds: Props } | undefined> {
  const { seen, before, removed } = session.known.of(inputs);
  if (seen !== undefined) return seen;
  if (before === undefined || removed !== undefined) return undefined;
  // An option asked for it, so there was no diff: the old one is what looks like the inputs in the state.
  const there = await clientsOf(session, organization);
  const [found, ...others] = there.filter(looksLike(valuesOf(definition, before)));
  return found === undefined || others.length > 0 ? undefined : { id: found.id, olds: before };
}

async function createNew(
  session: Session,
  inputs: Props,
  wanted: FieldValues,
  replaced: string | undefined,
): Promise<Found> {
  const { api } = session;
  const organization = String(wanted.organization);
  const old = replaced === undefined ? undefined : await shown(session, definition, replaced);
  const before = old?.values ?? session.known.of(inputs).removed;
  const there = (await clientsOf(session, organization)).filter((found) => found.id !== replaced);
  const temporary = temporaryNames(inputs);
  const alike = refuseLookAlike(session, inputs, there, { ...carriedOver(before), ...wanted });
  await clearUnfinished(session, organization, there, temporary);
  const values = { ...carriedOver(before ?? alike?.values), ...wanted };
  let id: string | undefined;
  const intent: Intent = {
    nonce: `${temporary}${randomBytes(4).toString('hex')}`,
    // The name was never used before: what another run left under one of its own was looked for above.
    earlier: 'none',
    existed: (one) => one === replaced || there.some((found) => found.id === one),
    created: async (made) => {
      id = made;
    },
    mayArriveLate: async () => undefined,
    leftNothing: async () => undefined,
  };
  try {
    return await definition.create(api, { organization }, values, intent);
  } catch (error) {
    if (id === undefined) throw error;
    const there = await shown(session, definition, id).catch(() => undefined);
    const found = there ?? { id, values: { ...values, name: intent.nonce }, outputs: {} };
    throw unfinished(session, inputs, found, error);
  }
}

/** What the temporary names of all creates of this resource begin with. */
function temporaryNames(inputs: Props): string {
  return `tether-pending-${textOf(inputs, 'createKey') ?? '000000000000'}-`;
}

/**
 * What another run of this resource left unfinished, or is making right now: nobody can tell which, so it is only deleted
 * where somebody said so.
 */
async function clearUnfinished(
  session: Session,
  organization: string,
  there: readonly Found[],
  temporary: string,
): Promise<void> {
  const left = there.filter(({ values: { name } }) => isNonce(name) && name.startsWith(temporary));
  const kept = left.filter((found) => !session.mayDestroy(found.id));
  const [first] = kept;
  if (first !== undefined) {
    throw new ProviderError(
      `another run of this resource has begun a client in ${organization} and not finished it: ${kept.map(describe).join('; ')}. If that run is still going, wait for it. If it was killed, run again with TETHER_ALLOW_DESTROY=${kept.map((found) => found.id).join()} to have that client deleted and made again, or take it over with adoptId: '${first.id}', with the secrets that the other run gave it`,
    );
  }
  for (const { id } of left) {
    await definition.delete(session.api, id, { organization, id });
    session.around.say(`deleted ${id}, which another run of this resource left unfinished`);
  }
}

/** The engine records what was made, with the text that loads this provider, and the next `up` finishes it. */
function unfinished(session: Session, inputs: Props, found: Found, error: unknown): Unfinished {
  const outputs = outputsOf(definition, inputs, found, session.api.address);
  return new Unfinished(`${found.id} was created and not finished: ${messageOf(error)}`, found.id, {
    ...outputs,
    [providerMember]: inputs[providerMember],
  });
}

/** What the replaced client had and the program leaves out. */
function carriedOver(old: FieldValues | undefined): FieldValues {
  if (old === undefined) return {};
  return Object.fromEntries(
    Object.entries(old).filter(
      ([name, value]) => value !== null && definition.fields[name]?.required !== true && !isNonce(value),
    ),
  );
}

/** All clients of the organization as they are now. */
async function clientsOf(session: Session, organization: string): Promise<readonly Found[]> {
  const contents = await readList(session.api, { list: 'oauthClients', organization });
  return definition.find(contents, { organization });
}

/** Whether a client has that name, provider and URLs. */
function looksLike(wanted: FieldValues): (found: Found) => boolean {
  return ({ values }) =>
    (values.name ?? null) === (wanted.name ?? null) && sameImmutables(definition, wanted, values);
}

/**
 * Refuses when a client looks like the wanted one and nobody said that there may be two. Returns the one that somebody
 * gave up by its id: of a client named by `--replace` the engine shows nothing else.
 */
function refuseLookAlike(
  session: Session,
  inputs: Props,
  there: readonly Found[],
  wanted: FieldValues,
): Found | undefined {
  if (inputs.allowDuplicate === true) return undefined;
  const same = there.filter(looksLike(wanted));
  const alike = same.filter((found) => !session.mayDestroy(found.id));
  const [first] = alike;
  if (first === undefined) return same[0];
  throw new ProviderError(
    `an OAuth client that looks the same exists in ${String(wanted.organization)}: ${alike.map(describe).join('; ')}. If it is the one meant (an interrupted run may have left it), take it over with adoptId: '${first.id}'; if \`--replace\` is to put another in its place, run again with \`--refresh\` and deletionProtection: false, or with TETHER_ALLOW_DESTROY=${first.id}; if there shall be two, set allowDuplicate: true`,
  );
}
