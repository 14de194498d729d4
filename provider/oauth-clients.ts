/** OAuth clients under Pulumi: adopted or created once, protected, changed in place where the API can. */
import type { Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { projectAttachment } from '../resources/project-attachment';
import { provedGone } from '../resources/safe-calls';
import { ClientCreate, writeFields } from './create-client';
import { ProviderError } from './failures';
import { check } from './inputs';
import { linkName } from './links';
import { readObject, shown } from './read';
import { resourceTypeOf } from './resource-types';
import { refuseProtectedDelete, refuseProtectedReplace, unlinked } from './run';
import type { Handlers, Session } from './session';
import {
  differencesOf,
  diffResult,
  givenText,
  isUnknown,
  membersOf,
  outputsOf,
  type Props,
  textOf,
} from './state';

const type = resourceTypeOf(definition.kind);

export function oauthClients(session: Session): Handlers {
  return session.handlers({
    check: async (olds, news) => {
      const checked = await check(session, type, olds, news);
      const before = Object.keys(olds).length === 0 ? {} : { before: olds };
      session.run.show(news, { inputs: checked.inputs, ...before });
      return checked;
    },
    diff: (id, olds, news) => diff(session, id, olds, news),
    create: async (inputs) => {
      const made = await new ClientCreate(session, inputs).run();
      wantProjects(session, made.id, inputs);
      return made;
    },
    read: (id, props) => read(session, id, props ?? {}),
    update: (id, olds, news) => update(session, id, olds, news),
    delete: (id, props) => remove(session, id, props),
  });
}

async function diff(session: Session, id: string, olds: Props, news: Props) {
  wantProjects(session, id, news);
  const { replace } = differencesOf(definition, olds, news, session.profile);
  session.run.show(news, { seen: { id, olds } });
  // A value that is not known yet may turn out to be the same.
  const certain = replace.filter((field) => !isUnknown(news[field]));
  if (certain.length === 0) refuseOtherId(id, olds, news);
  else await refuseProtectedReplace(session, id, olds, news, certain);
  // Declared and deleted in one run means replaced; an option of the resource may ask for it.
  if (session.run.mayReplace(id, olds, news)) session.run.allowReplace(id);
  return diffResult(type, olds, news, session.profile);
}

/** Notes the projects that this run wants, so that an attachment which the program dropped leaves them. */
function wantProjects(session: Session, oauthClientId: string, inputs: Props): void {
  for (const projectId of membersOf(inputs, 'projectIds')) {
    session.run.want(linkName(projectAttachment, { oauthClientId, projectId }));
  }
}

/** A replacement may well take over another object: the successor that an interrupted run left. */
function refuseOtherId(id: string, olds: Props, news: Props): void {
  const adoptId = textOf(news, 'adoptId');
  if (adoptId === undefined || adoptId === id || adoptId === olds.adoptId) return;
  throw new ProviderError(
    `adoptId names ${adoptId}, but the state says that this resource is ${id}: remove adoptId, or let ${id} go with \`pulumi state delete URN\` first`,
  );
}

async function read(session: Session, id: string, props: Props) {
  const organization = textOf(props, 'organization') ?? (await session.organizationOf(id));
  const result = await readObject(session, type, { organization, id }, id, props);
  if (result.props !== undefined) session.run.show(props, { seen: { id, olds: result.props } });
  return result;
}

async function update(session: Session, id: string, olds: Props, news: Props) {
  const { api, profile } = session;
  const found = stillThere(id, await shown(session, definition, id));
  const { update: fields } = differencesOf(definition, { ...olds, ...found.values }, news, profile);
  const refs = definition.listedIn({ organization: String(found.values.organization) });
  const now = await session.write(id, refs, () => writeFields(session, found, news, fields));
  return { outs: outputsOf(definition, news, stillThere(id, now), api.address) };
}

function stillThere(id: string, found: Found | undefined): Found {
  if (found !== undefined) return found;
  throw new ProviderError(
    `${id} is not there any more, or the token may not see it: nothing was written. \`pulumi refresh\` tells which`,
  );
}

async function remove(session: Session, id: string, props: Props): Promise<void> {
  if (session.run.isWanted(id)) {
    session.around.say(`${id} stays: a resource of this run has taken it over`);
    return;
  }
  const key = { organization: givenText(props, 'organization'), id };
  try {
    await refuseProtectedDelete(session, id, props);
  } catch (error) {
    // Nothing is left to protect.
    if (await provedGone(session.api, definition, id, key).catch(() => false)) return;
    throw error;
  }
  const consequence = await unlinked(session, id);
  if (session.run.shown(props).inputs !== undefined) {
    const removed = (await shown(session, definition, id))?.values;
    if (removed !== undefined) session.run.show(props, { removed });
  }
  await session.write(id, definition.listedIn(key), () => definition.delete(session.api, id, key));
  session.around.say(`destroyed ${id}: ${consequence}`);
}
