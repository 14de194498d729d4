/** Finds the three workspaces and two projects that a person made for the suite. */
import type { Requests, Resource } from './requests';
import { Refused, type Settings } from './settings';

/** Workspaces, projects and clients of the suite have names that begin so. */
export const namePrefix = 'tether-acceptance-';

export interface Places {
  /** In the order of their names. Triggers go from an earlier one to a later one, so that none can close a circle. */
  readonly workspaceIds: readonly [string, string, string];
  readonly projectIds: readonly [string, string];
  readonly agentPoolId: string | undefined;
  /** Names of these workspaces and projects by id, where they can be seen. */
  readonly names: ReadonlyMap<string, string>;
  /** The number of workspaces in the organization. Undefined where it cannot be seen. */
  readonly workspaceCount: number | undefined;
}

const workspaceNames = ['1', '2', '3'].map((end) => namePrefix + end);
const projectNames = ['a', 'b'].map((end) => namePrefix + end);

/** Throws `Refused` with a sentence for each place that is missing or not the suite's. Only sends GET. */
export async function findPlaces(requests: Requests, settings: Settings): Promise<Places> {
  const { organization, profile, isLoopback, agentPoolId } = settings;
  const refusals: string[] = [];
  const base = `/organizations/${encodeURIComponent(organization)}`;
  const listNamed = async (type: 'workspaces' | 'projects', parameter: string) => {
    if (!profile.capabilities.lookupByName) return [];
    const query = `${encodeURIComponent(parameter)}=${namePrefix}&page%5Bsize%5D=100`;
    const { status, resources } = await requests.list(`${base}/${type}?${query}`);
    if (status !== 200) {
      throw new Refused([
        `The ${type} of ${organization} cannot be listed (${status}): check TETHER_ACCEPTANCE_ORGANIZATION, and what the token may see.`,
      ]);
    }
    return resources;
  };
  const choose = (
    found: readonly Resource[],
    names: readonly string[],
    ids: readonly string[] | undefined,
    what: string,
  ): readonly string[] => {
    if (ids === undefined) {
      return names.flatMap((name) => {
        const same = found.filter(({ attributes }) => attributes.name === name);
        if (same.length !== 1) {
          refusals.push(
            `There must be exactly one ${what} ${name}, and ${same.length} can be seen. Make it by hand.`,
          );
        }
        return same.map(({ id }) => id);
      });
    }
    // On loopback nothing of anybody is at risk.
    if (isLoopback) return ids;
    const suited = found.filter(({ attributes }) => String(attributes.name).startsWith(namePrefix));
    for (const id of ids.filter((own) => !suited.some((resource) => resource.id === own))) {
      refusals.push(`The ${what} ${id} has no name that begins with ${namePrefix}, so it is not touched.`);
    }
    return ids;
  };
  const workspaces = await listNamed('workspaces', 'search[name]');
  const projects = await listNamed('projects', 'q');
  const [first, second, third] = choose(workspaces, workspaceNames, settings.workspaceIds, 'workspace');
  const [firstProject, secondProject] = choose(projects, projectNames, settings.projectIds, 'project');
  if (refusals.length > 0 || !first || !second || !third || !firstProject || !secondProject)
    throw new Refused(refusals);
  return {
    workspaceIds: [first, second, third],
    projectIds: [firstProject, secondProject],
    agentPoolId,
    names: new Map([...workspaces, ...projects].map(({ id, attributes }) => [id, String(attributes.name)])),
    workspaceCount: profile.capabilities.lookupByName ? await countWorkspaces(requests, base) : 0,
  };
}

async function countWorkspaces(requests: Requests, base: string): Promise<number | undefined> {
  const answer = await requests.read(`${base}/workspaces?page%5Bsize%5D=1`);
  const count = answer.at('/meta/pagination/total-count');
  return typeof count === 'number' ? count : undefined;
}
