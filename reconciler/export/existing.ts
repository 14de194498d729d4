/** Reads the objects of an organization that a token can see. It only sends GET. */
import type { NamedType, OAuthClientDocument, ReadApi, RunTriggerDocument } from '../../client/api';
import { inParallel } from '../../observation/observe';
import { groupBy } from '../../resources/groups';
import { nameProblem } from '../../resources/names';
import type { Profile } from '../../resources/profile';
import { unlessNotFound } from '../../resources/safe-calls';
import { OrganizationNotVisible } from '../read-facts';

export interface Existing {
  readonly organization: string;
  readonly clients: readonly OAuthClientDocument[];
  /** The oldest trigger of each pair, sorted by the names of target and source. */
  readonly triggers: readonly RunTriggerDocument[];
  /** The names of ids, if a manifest can use them. */
  readonly names: ReadonlyMap<string, string>;
  /** Sentences about what could not be read. */
  readonly leftOut: readonly string[];
}

/** Reads triggers only if the profile can list workspaces. Throws `OrganizationNotVisible`. */
export async function readExisting(
  api: ReadApi,
  organization: string,
  { name: profile, capabilities }: Pick<Profile, 'name' | 'capabilities'>,
): Promise<Existing> {
  const clients = await unlessNotFound(api.oauthClients.list(organization));
  if (clients === undefined) throw new OrganizationNotVisible(organization, '--organization', api.address);
  if (!capabilities.lookupByName) {
    const leftOut = [`the profile ${profile} ${cannotList}`];
    return { organization, clients, triggers: [], names: new Map(), leftOut };
  }
  const leftOut: string[] = [];
  const orNone = async <Item>(what: string, items: Promise<readonly Item[]>): Promise<readonly Item[]> => {
    const readableItems = await unlessNotFound(items);
    if (readableItems === undefined) leftOut.push(`the ${what} cannot be read with this token (404)`);
    return readableItems ?? [];
  };
  const list = (type: NamedType) => orNone(`${type} of ${organization}`, api.names.list(organization, type));
  const workspaces = await list('workspaces');
  const projects = clients.some(({ projectIds }) => projectIds?.length) ? await list('projects') : [];
  const pools = clients.some(({ agentPoolId }) => agentPoolId) ? await list('agent-pools') : [];
  const names = new Map([workspaces, projects, pools].flatMap(usableNames));
  const triggers: RunTriggerDocument[] = [];
  await inParallel(workspaces, async ({ id, name }) => {
    const inbound = api.runTriggers.list(id, 'inbound');
    triggers.push(...(await orNone(`run triggers of ${name} (${id})`, inbound)));
  });
  return { organization, clients, triggers: oncePerPair(triggers, names), names, leftOut: leftOut.sort() };
}

const cannotList =
  'cannot list workspaces, so run triggers are left out: name the profile of your service with `--profile`, or write them by hand';

/** Leaves out names that two objects share or that look like an id, because they cannot replace an id. */
function usableNames(objects: readonly { readonly id: string; readonly name: string }[]) {
  return [...groupBy(objects, ({ name }) => name)].flatMap(([name, [only, ...others]]) => {
    const isUsable = others.length === 0 && nameProblem(name) === undefined;
    return isUsable ? [[only.id, name] as const] : [];
  });
}

function oncePerPair(triggers: readonly RunTriggerDocument[], names: ReadonlyMap<string, string>) {
  const byPair = groupBy(triggers, ({ workspaceId, sourceableId }) =>
    [workspaceId, sourceableId].map((id) => names.get(id) ?? id).join('\n'),
  );
  const sorted = [...byPair].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([, triggersOfPair]) =>
    triggersOfPair.reduce((oldest, trigger) => (trigger.createdAt < oldest.createdAt ? trigger : oldest)),
  );
}
