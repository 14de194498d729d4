/** OAuth clients under Pulumi: adopted or created once, protected, changed in place where the API can. */
import type { dynamic } from '@pulumi/pulumi';
import type { Found } from '../resources/kind';
import { definitionOf, registry } from '../resources/registry';
import { provedGone } from '../resources/safe-calls';
import { idViolation } from '../resources/violations';
import { check, definitionRules, type Rules } from './check';
import { compare, verdict } from './compare';
import { createClientOnce } from './create-client';
import { pairOf } from './links';
import { cannotTell, look, shown } from './look';
import { inOneLine, ProviderError } from './one-line';
import { clientInputs } from './own-inputs';
import { givenText, isFieldValue, isUnknown, membersOf, type Props, textOf } from './props';
import { mayReplace, refuseProtectedDelete, refuseProtectedReplace, unlinked } from './protection';
import type { Session } from './session';
import { addressMember, outputsOf, wereInputs } from './state';

const definition = definitionOf('OAuthClient');
const attachment = definitionOf('ProjectAttachment');
const shape = { fields: definition.fields, own: clientInputs };

const adoptRule: Rules = (inputs) => {
  const adoptId = textOf(inputs, 'adoptId');
  const violation = adoptId === undefined ? undefined : idViolation(definition.kind, adoptId, registry);
  return violation === undefined ? [] : [`adoptId: ${JSON.stringify(adoptId)} ${violation.problem}`];
};

const rules: Rules = (...given) => [...definitionRules(definition)(...given), ...adoptRule(...given)];

/** What the engine's provider process loads for OAuth clients. */
export function oauthClients(session: Session): Required<dynamic.ResourceProvider> {
  return inOneLine(
    {
      configure: async ({ config }) => session.configure(config),
      check: async (olds, news) => {
        const checked = await check(session, shape, rules, olds, news);
        const before = Object.keys(olds).length === 0 ? {} : { before: olds };
        session.known.note(news, { inputs: checked.inputs, ...before });
        return checked;
      },
      diff: (id, olds, news) => diff(session, id, olds, news),
      create: async (inputs) => {
        const made = await createClientOnce(session, inputs);
        ensureProjects(session, made.id, inputs);
        return made;
      },
      read: (id, props) => read(session, id, props ?? {}),
      update: (id, olds, news) => update(session, id, olds, news),
      delete: (id, props) => remove(session, id, props),
    },
    session.notice,
  );
}

async function diff(session: Session, id: string, olds: Props, news: Props): Promise<dynamic.DiffResult> {
  session.refuseOtherAddress(id, olds[addressMember]);
  ensureProjects(session, id, news);
  const differences = compare(definition, olds, news, session.profile);
  const result = verdict(differences, definition.fields, clientInputs, olds, news);
  session.known.note(news, { seen: { id, olds } });
  // What is not known yet may turn out to be the same: only a known difference is refused in a preview.
  const certain = differences.filter((one) => one.onChange === 'replace' && !isUnknown(news[one.field]));
  if (certain.length > 0) {
    const fields = certain.map((one) => one.field);
    await refuseProtectedReplace(session, id, olds, news, fields);
  } else refuseOtherId(id, olds, news);
  // Declared and deleted in one run means replaced, whoever asked for it: an option of the resource may have.
  if (mayReplace(session, id, olds, news)) session.replacing.add(id);
  return result;
}

/** Notes the projects that this run wants on the client, so that an attachment which the program dropped leaves them. */
function ensureProjects(session: Session, oauthClientId: string, inputs: Props): void {
  for (const projectId of membersOf(inputs, 'projectIds')) {
    session.ensured.add(pairOf(attachment, { oauthClientId, projectId }));
  }
}

/** A replacement may well take over another object: the successor that an interrupted run left. */
function refuseOtherId(id: string, olds: Props, news: Props): void {
  const told = textOf(news, 'adoptId');
  if (told === undefined || told === id || told === olds.adoptId) return;
  throw new ProviderError(
    `adoptId names ${told}, but the state says that this resource is ${id}: remove adoptId, or let ${id} go with \`pulumi state delete URN\` first`,
  );
}

async function read(session: Session, id: string, props: Props): Promise<dynamic.ReadResult> {
  const { address } = session.api;
  const recorded = props[addressMember];
  const organization = textOf(props, 'organization') ?? (await session.organizationOf(id));
  const observation = await look(session, definition, { organization, id }, id);
  if (observation.state === 'present') {
    const outputs = outputsOf(definition, {}, observation.found, address, props);
    const now = { ...props, ...outputs };
    session.known.note(props, { seen: { id, olds: now } });
    return { id, props: now, inputs: wereInputs(definition.fields, clientInputs, now) };
  }
  if (observation.state === 'undetermined') throw cannotTell(id, observation.why);
  session.refuseOtherAddress(id, recorded);
  if (recorded === undefined) throw new ProviderError(`there is no OAuth client ${id} in ${organization}`);
  return {};
}

async function update(session: Session, id: string, olds: Props, news: Props): Promise<dynamic.UpdateResult> {
  session.refuseOtherAddress(id, olds[addressMember]);
  const { api, profile } = session;
  const found = await readAgain(session, id);
  const changes = Object.fromEntries(
    compare(definition, { ...olds, ...found.values }, news, profile)
      .filter((one) => one.onChange === 'update')
      .flatMap(({ field }) => {
        const value = news[field] ?? null;
        return isFieldValue(value) ? [[field, value] as const] : [];
      }),
  );
  if (Object.keys(changes).length === 0) {
    return { outs: outputsOf(definition, news, found, api.address) };
  }
  try {
    await definition.update?.(api, id, changes, found.values);
  } finally {
    session.forget(definition.listedIn({ organization: String(found.values.organization) }));
  }
  const after = await readAgain(session, id);
  return { outs: outputsOf(definition, news, after, api.address) };
}

async function readAgain(session: Session, id: string): Promise<Found> {
  const found = await shown(session, definition, id);
  if (found !== undefined) return found;
  throw new ProviderError(
    `${id} is not there any more, or the token may not see it: nothing was written. \`pulumi refresh\` tells which`,
  );
}

async function remove(session: Session, id: string, props: Props): Promise<void> {
  session.refuseOtherAddress(id, props[addressMember]);
  if (session.kept.has(id)) {
    session.around.say(`${id} stays: a resource of this run has taken it over`);
    return;
  }
  const organization = givenText(props, 'organization');
  const key = { organization, id };
  try {
    await refuseProtectedDelete(session, id, props);
  } catch (error) {
    // Nothing is left to protect.
    if (await provedGone(session.api, definition, id, key).catch(() => false)) return;
    throw error;
  }
  const consequence = await unlinked(session, id);
  if (session.known.of(props).inputs !== undefined) {
    const removed = (await shown(session, definition, id))?.values;
    if (removed !== undefined) session.known.note(props, { removed });
  }
  try {
    await definition.delete(session.api, id, key);
  } finally {
    session.forget(definition.listedIn({ organization }));
  }
  session.around.say(`destroyed ${id}: ${consequence}`);
}
