/** The organization that every course plays in: a few of everything, so that things meet. */
import type { SeedObject } from '../../service';

export const organization = 'acme';
export const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d', 'ws-e', 'ws-f'] as const;
export const projects = ['prj-1', 'prj-2', 'prj-3', 'prj-4'] as const;
export const agentPools = ['apool-1', 'apool-2'] as const;

/** The shipped profiles, and one where two sources fill a target. */
export type ProfileName = 'default' | 'hcp-terraform' | 'tight';
export const profiles = ['default', 'hcp-terraform', 'tight'] as const;

/** Most sources of one target, by profile. */
export const maxSources: Readonly<Record<ProfileName, number>> = {
  default: Number.POSITIVE_INFINITY,
  'hcp-terraform': 20,
  tight: 2,
};

/** What the token of the tool may do, steadily or for a moment. */
export type Rights =
  | 'owner'
  /** 401. */
  | 'revoked'
  /** No permission to manage VCS settings. */
  | 'no-vcs'
  /** Nothing of these workspaces: `without ws-a ws-b`. */
  | `without ${string}`
  /** May read runs of this one workspace, and not administer it. */
  | `reads ${string}`;

/** The texts of the tokens by what they may do; the gateway puts the one in force into each request. */
export function tokenOf(rights: Rights): string {
  return `token-of-${rights.replaceAll(' ', '-')}`;
}

/** What the tool is given; the gateway replaces it by the token of the rights in force. */
export const givenToken = 'CANARY-token-of-the-run';
export const ownerToken = tokenOf('owner');

/** Every choice of workspaces that a token may lack. */
export const lacking: readonly (readonly string[])[] = [
  ...workspaces.map((id) => [id]),
  ...workspaces.flatMap((one, at) => workspaces.slice(at + 1).map((other) => [one, other])),
];

export const isReadable = (rights: Rights, workspace: string): boolean =>
  !rights.startsWith('without ') || !rights.split(' ').includes(workspace);

type Grant = NonNullable<SeedObject['tokens']>[string][string];

function grants(): Record<string, Record<string, Grant>> {
  const every = Object.fromEntries(workspaces.map((id) => [id, 'admin' as const]));
  const tokens: Record<string, Record<string, Grant>> = {
    // Of another one too, so that nothing but the ledger tells that a manifest names the wrong one.
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

/** What a thing is called; two workspaces have one name. */
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
