/** OAuth clients under Pulumi: adopted or created once, protected, changed in place where the API can. */
import type { Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { projectAttachment } from '../resources/project-attachment';
import { provedGone } from '../resources/safe-calls';
import { createClientOnce, refuseProtectedReplace, unlinked, writeFields } from './create-client';
import { ProviderError } from './failures';
import { check } from './inputs';
import { linkName } from './links';
import { readObject, shown } from './read';
import { resourceTypeOf } from './resource-types';
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
  const { run, around } = session;

  /** An attachment that the program dropped leaves these projects attached. */
  function wantProjects(oauthClientId: string, inputs: Props) {
    for (const projectId of membersOf(inputs, 'projectIds')) {
      run.want(linkName(projectAttachment, { oauthClientId, projectId }));
    }
  }

  async function diff(id: string, olds: Props, news: Props) {
    wantProjects(id, news);
    const result = diffResult(type, olds, news, session.account.profile);
    run.show(news, { seen: { id, olds } });
    // A value that is not known yet may turn out to be the same.
    const certain = (result.replaces ?? []).filter((field) => !isUnknown(news[field]));
    if (certain.length === 0) refuseOtherId(id, olds, news);
    else {
      const why = `${certain.join(', ')} cannot be changed in place`;
      await refuseProtectedReplace(session, { id, olds, news, why });
    }
    // Declared and deleted in one run means replaced; an option of the resource may ask for it.
    if (run.mayReplace(id, olds, news)) run.allowReplace(id);
    return result;
  }

  async function read(id: string, state: Props = {}) {
    const organization = textOf(state, 'organization') ?? (await session.organizationOf(id));
    const result = await readObject(session, type, { organization, id }, id, state);
    if (result.props !== undefined) run.show(state, { seen: { id, olds: result.props } });
    return result;
  }

  async function update(id: string, olds: Props, news: Props) {
    const { api, account } = session;
    const found = stillThere(id, await shown(session, definition, id));
    const { update: fields } = differencesOf(definition, { ...olds, ...found.values }, news, account.profile);
    const refs = definition.listedIn({ organization: String(found.values.organization) });
    const now = await session.write(id, refs, () => writeFields(session, found, news, fields));
    return { outs: outputsOf(definition, news, stillThere(id, now), api.address) };
  }

  async function remove(id: string, props: Props) {
    if (run.isWanted(id)) {
      around.say(`${id} stays: a resource of this run has taken it over`);
      return;
    }
    const key = { organization: givenText(props, 'organization'), id };
    const consequence = await unlinked(session, id);
    if (!run.mayDelete(id, props)) {
      // Nothing is left to protect.
      if (await provedGone(session.api, definition, id, key).catch(() => false)) return;
      throw new ProviderError(
        `${id} is protected and was not destroyed: ${consequence}. To destroy it run again with TETHER_ALLOW_DESTROY=${id}, or set deletionProtection: false, run \`pulumi up\`, and then destroy it`,
      );
    }
    if (run.shown(props).inputs !== undefined) {
      const removed = (await shown(session, definition, id))?.values;
      if (removed !== undefined) run.show(props, { removed });
    }
    await session.write(id, definition.listedIn(key), () => definition.delete(session.api, id, key));
    around.say(`destroyed ${id}: ${consequence}`);
  }

  return session.handlers({
    check: async (olds, news) => {
      const checked = await check(session, type, olds, news);
      run.show(news, { inputs: checked.inputs, ...(Object.keys(olds).length > 0 && { before: olds }) });
      return checked;
    },
    diff,
    create: async (inputs) => {
      const made = await createClientOnce(session, inputs);
      wantProjects(made.id, inputs);
      return made;
    },
    read,
    update,
    delete: remove,
  });
}

/** A replacement may well take over another object: the successor that an interrupted run left. */
function refuseOtherId(id: string, olds: Props, news: Props): void {
  const adoptId = textOf(news, 'adoptId');
  if (adoptId === undefined || adoptId === id || adoptId === olds.adoptId) return;
  throw new ProviderError(
    `adoptId names ${adoptId}, but the state says that this resource is ${id}: remove adoptId, or let ${id} go with \`pulumi state delete URN\` first`,
  );
}

function stillThere(id: string, found: Found | undefined): Found {
  if (found !== undefined) return found;
  throw new ProviderError(
    `${id} is not there any more, or the token may not see it: nothing was written. \`pulumi refresh\` tells which`,
  );
}
