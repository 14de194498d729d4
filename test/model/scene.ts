/** What the generator looks at when it thinks of something to do, and the small choices that all proposals share. */
import type { Action } from './actions';
import type { Chance } from './chance';
import {
  type AliasKind,
  clientNames,
  type Folder,
  filesOf,
  type SecretField,
  type TriggerItem,
} from './manifests';
import { agentPools, type ProfileName, projects, workspaces } from './organization';
import type { LedgerState } from './outcome';
import type { Reality } from './reality';
import type { Conditions } from './site';

export interface Scene {
  readonly chance: Chance;
  readonly folder: Folder;
  readonly reality: Reality;
  readonly ledger: LedgerState;
  readonly env: Readonly<Record<string, string>>;
  readonly conditions: Conditions;
  readonly rights: string;
  readonly hasMistakes: boolean;
  /** A ledger was put aside: none, the same as now, or another. */
  readonly aside: 'none' | 'same' | 'other';
  /** The rights in force were so in the last round already. */
  readonly rightsWereSeen: boolean;
  /** What the last round left to be decided. */
  readonly open: {
    readonly blockers: readonly string[];
    readonly problems: readonly string[];
    readonly counts: number;
  };
  /** A number that no other proposal of this course has had. */
  fresh(): number;
}

/** One kind of thing that can happen; nothing where there is no occasion. */
export interface Proposal {
  readonly tag: string;
  /** How often it is thought of where no pair asks for it. */
  readonly weight: number;
  propose(scene: Scene): Action[] | undefined;
  /** The proposal that makes the occasion where there is none yet. */
  readonly first?: string;
  /** The manifests are refused with it: nothing can be applied in that step. */
  readonly mistake?: true;
}

export const names = ['github', 'gitlab', 'legacy', 'mirror', 'forge'] as const;
export const paths = [
  'main.tether.yaml',
  'links.tether.yml',
  'team/clients.tether.yaml',
  'more.tether.json',
] as const;
export const hosts = ['https://one.example', 'https://two.example', 'https://three.example'] as const;

export const providers: Readonly<Record<ProfileName, readonly string[]>> = {
  default: ['provider_a', 'provider_b_hosted', 'provider_c_server'],
  tight: ['provider_a', 'provider_b_hosted', 'provider_c_server'],
  'hcp-terraform': ['github', 'gitlab_hosted', 'ado_server', 'bitbucket_data_center'],
};

/** Write-only fields that a provider takes. */
export function secretsFor(provider: string): readonly SecretField[] {
  if (['provider_c_server', 'ado_server'].includes(provider)) return ['privateKey'];
  if (provider === 'bitbucket_data_center') return ['secret', 'oauthTokenString'];
  return ['oauthTokenString', 'secret'];
}

/** A path to write to: mostly one that is there. */
export function pathIn({ chance, folder }: Scene): string {
  const there = Object.keys(folder.files);
  return there.length > 0 && chance.often(0.75) ? chance.pick(there) : chance.pick(paths);
}

/** The id, or its alias where there is one. */
export function written({ chance, folder }: Scene, kind: AliasKind, id: string): string {
  const aliases = filesOf(folder).flatMap(([, file]) => Object.entries(file.aliases[kind]));
  const alias = aliases.find(([, to]) => to === id)?.[0];
  return alias !== undefined && chance.often(0.7) ? alias : id;
}

export const someWorkspace = ({ chance }: Scene): string => chance.pick(workspaces);
export const someProject = ({ chance }: Scene): string => chance.pick(projects);
export const somePool = ({ chance }: Scene): string => chance.pick(agentPools);

export const declared = (scene: Scene): string | undefined => scene.chance.maybe(clientNames(scene.folder));
export const lines = ({ folder }: Scene): TriggerItem[] =>
  filesOf(folder).flatMap(([, file]) => file.triggers);

/** The ledger's id of a client. */
export const heldId = ({ ledger }: Scene, name: string): string | undefined =>
  ledger.objects[`OAuthClient/${name}`]?.id;

/** A value that no file may ever hold. */
export const canary = (scene: Scene): string => `CANARY-secret-${scene.fresh()}`;
