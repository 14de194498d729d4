/** OAuth clients under Pulumi: adopted or created once, protected, changed in place where the API can. */
import type { Found } from '../resources/kind';
import { oauthClient as definition } from '../resources/oauth-client';
import { projectAttachment } from '../resources/project-attachment';
import { provedGone } from '../resources/safe-calls';
import { bindingsIn } from './bindings';
import { createClientOnce, refuseProtectedReplace, unlinked, writeFields } from './create-client';
import { ProviderError } from './failures';
import { check } from './inputs';
import { linkName } from './links';
import { readObject, refuseForm, shown } from './read';
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

  async function diff(urn: string, id: string, olds: Props, news: Props) {
    session.learnOrganizationOf(id, givenText(olds, 'organization'));
    // A refresh asks too, of what the program may have dropped.
    if (run.shown(urn).inputs !== undefined) bindingsIn(session).bind(urn, type, news, id);
    wantProjects(id, news);
    const result = diffResult(type, olds, news, session.account.profile);
    run.show(urn, { seen: { id, olds } });
    // A value that is not known yet may turn out to be the same.
    const certain = result.replace.filter((field) => !isUnknown(news[field]));
    if (certain.length === 0) {
      refuseOtherId(id, olds, news);
      run.keep(id, urn);
    } else {
      const why = `${certain.join(', ')} cannot be changed in place`;
      await refuseProtectedReplace(session, { id, olds, news, why });
    }
    // Declared and deleted in one run means replaced; an option of the resource may ask for it.
    if (run.mayReplace(id, olds, news)) run.allowReplace(id);
    return result;
  }

  async function read(urn: string, id: string, state: Props = {}, inputs: Props = {}) {
    refuseForm(type.kind, id);
    const organization = textOf(state, 'organization') ?? (await session.organizationOf(id));
    const result = await readObject(session, type, { organization, id }, id, { state, inputs });
    if (result.props !== undefined) run.show(urn, { seen: { id, olds: result.props } });
    return result;
  }

  async function update(_urn: string, id: string, olds: Props, news: Props) {
    const { api, account } = session;
    const found = stillThere(id, await shown(session, definition, id));
    const { update: fields } = differencesOf(definition, { ...olds, ...found.values }, news, account.profile);
    const refs = definition.listedIn({ organization: String(found.values.organization) });
    const now = await session.write(id, refs, () => writeFields(session, found, news, fields));
    return { outs: outputsOf(news, stillThere(id, now), api.address) };
  }

  async function remove(urn: string, id: string, props: Props) {
    if (run.isWanted(id) || run.isKept(id, urn)) {
      around.say(`${id} stays: a resource of this run has taken it over`, urn);
      return;
    }
    const key = { organization: givenText(props, 'organization'), id };
    const consequence = await unlinked(session, id);
    if (!run.mayDelete(urn, id, props)) {
      // Nothing is left to protect.
      if (await provedGone(session.api, definition, id, key).catch(() => false)) return;
      throw new ProviderError(
        `${id} is protected and was not destroyed: ${consequence}. To destroy it run again with TETHER_ALLOW_DESTROY=${id}, or set deletionProtection: false, run \`pulumi up\`, and then destroy it`,
      );
    }
    if (run.shown(urn).inputs !== undefined) {
      const removed = (await shown(session, definition, id))?.values;
      if (removed !== undefined) run.show(urn, { removed });
    }
    await session.write(id, definition.listedIn(key), () => definition.delete(session.api, id, key));
    around.say(`destroyed ${id}: ${consequence}`, urn);
  }

  return session.guarded(type, {
    check: async (urn, olds, news) => {
      const checked = await check(session, urn, type, olds, news);
      run.show(urn, { inputs: checked.inputs, ...(Object.keys(olds).length > 0 && { before: olds }) });
      return checked;
    },
    diff,
    create: async (urn, inputs) => {
      const made = await createClientOnce(session, urn, inputs);
      bindingsIn(session).bind(urn, type, inputs, made.id);
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
