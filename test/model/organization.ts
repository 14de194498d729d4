/** The organization of every course. It has few objects of each kind, so that they often meet. */
import type { SeedObject } from '../../service';

export const organization = 'acme';
export const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d', 'ws-e', 'ws-f'] as const;
export const projects = ['prj-1', 'prj-2', 'prj-3', 'prj-4'] as const;
export const agentPools = ['apool-1', 'apool-2'] as const;

/** The shipped profiles, and one where two sources fill a target. */
export type ProfileName = 'default' | 'hcp-terraform' | 'tight';
export const profiles = ['default', 'hcp-terraform', 'tight'] as const;

/** The limit on sources of each profile. */
export const maxSources: Readonly<Record<ProfileName, number>> = {
  default: Number.POSITIVE_INFINITY,
  'hcp-terraform': 20,
  tight: 2,
};

/** The rights of the tool's token, for a whole course or for a moment. */
export type Rights =
  | 'owner'
  /** Every request answers 401. */
  | 'revoked'
  /** The token may not manage VCS settings. */
  | 'no-vcs'
  /** The token cannot see these workspaces, as in `without ws-a ws-b`. */
  | `without ${string}`
  /** The token may read runs of this workspace, but not administer it. */
  | `reads ${string}`;

/** The texts of the tokens by what they may do; the gateway puts the one in force into each request. */
export function tokenOf(rights: Rights): string {
  return `token-of-${rights.replaceAll(' ', '-')}`;
}

/** The token of the tool. The gateway replaces it by the token of the present rights. */
export const givenToken = 'CANARY-token-of-the-run';
export const ownerToken = tokenOf('owner');

/** Every choice of workspaces that a token may lack. */
export const lacking: readonly (readonly string[])[] = [
  ...workspaces.map((id) => [id]),
  ...workspaces.flatMap((left, at) => workspaces.slice(at + 1).map((right) => [left, right])),
];

export const isReadable = (rights: Rights, workspace: string): boolean =>
  !rights.startsWith('without ') || !rights.split(' ').includes(workspace);

type Grant = NonNullable<SeedObject['tokens']>[string][string];

function grants(): Record<string, Record<string, Grant>> {
  const every = Object.fromEntries(workspaces.map((id) => [id, 'admin' as const]));
  const tokens: Record<string, Record<string, Grant>> = {
    // The owner has another organization too, so that only the ledger shows a wrong name.
    [tokenOf('owner')]: { [organization]: 'owner', other: 'owner' },
    [tokenOf('no-vcs')]: { [organization]: { manageVcsSettings: false, workspaces: every } },
  };
  for (const ids of lacking) {
    const left = Object.fromEntries(Object.entries(every).filter(([id]) => !ids.includes(id)));
    tokens[tokenOf(`without ${ids.join(' ')}`)] = {
      [organization]: { manageVcsSettings: true, workspaces: left },
    };
  }
  for (const id of workspaces) {
    tokens[tokenOf(`reads ${id}`)] = {
      [organization]: { manageVcsSettings: true, workspaces: { ...every, [id]: 'readRuns' } },
    };
  }
  return tokens;
}

/** Returns the name of an object. Two workspaces have the same name. */
export const nameOf = (id: string): string => `name-of-${id}`;
export const nameOfTwo = 'name-of-two';
export const nameOfNone = 'name-of-none';

/** The organization before the first course step: places, and nothing in them. */
export function seedOf(): SeedObject {
  const named = (ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, { name: nameOf(id) }]));
  const twins = { 'ws-y': { name: nameOfTwo }, 'ws-z': { name: nameOfTwo } };
  return {
    organizations: {
      [organization]: {
        workspaces: { ...named(workspaces), ...twins },
        projects: named(projects),
        agentPools: named(agentPools),
      },
      other: { workspaces: { 'ws-other': { name: 'other' } } },
    },
    tokens: grants(),
  };
}
