// Writes a seed into a store: adds to what is there, or takes its place.

import { digestSecret, timestamp } from '../machine';
import { heldAfter, mandatoryNames } from '../oauth-client-attributes';
import { type Mistake, mistakeAt } from '../positioned';
import { newCallbackId } from '../rules/oauth-clients';
import type { Grant, TableName, Tables } from '../store/records';
import type { Store } from '../store/store';
import type { World } from '../world';
import {
  type ReadSeed,
  refuseMistakes,
  type SeedGrant,
  type SeedOAuthClient,
  type SeedOrganization,
  type SeedRunTrigger,
} from './seed';

export type SeedTools = Pick<World, 'clock' | 'newId' | 'profile'>;

/** Adds the seed to what the store holds: deep merge, ids as given. Throws a SeedError and changes nothing. */
export function mergeSeed(store: Store, read: ReadSeed, tools: SeedTools): void {
  store.atomically(() => new SeedWriter(store, read, tools).write());
}

/** Empties the store and writes the seed. Throws a SeedError and changes nothing. */
export function replaceSeed(store: Store, read: ReadSeed, tools: SeedTools): void {
  store.atomically(() => {
    store.clear();
    new SeedWriter(store, read, tools).write();
  });
}

type OwnedTable = {
  [Name in TableName]: Tables[Name] extends { organization: string } ? Name : never;
}[TableName];

const nouns = {
  projects: 'project',
  workspaces: 'workspace',
  oauthClients: 'client',
  agentPools: 'agent pool',
};

class SeedWriter {
  readonly #mistakes: Mistake[];

  constructor(
    private readonly store: Store,
    private readonly read: ReadSeed,
    private readonly tools: SeedTools,
  ) {
    this.#mistakes = [...read.mistakes];
  }

  /** Throws when there are mistakes, so that the transaction around it is undone. */
  write(): void {
    const { seed } = this.read;
    const organizations = Object.entries(seed?.organizations ?? {});
    for (const [name, organization] of organizations) this.#writePlaces(name, organization ?? {});
    for (const [name, organization] of organizations) this.#writeObjects(name, organization ?? {});
    for (const [token, grants] of Object.entries(seed?.tokens ?? {})) this.#writeToken(token, grants);
    refuseMistakes(this.read, this.#mistakes);
  }

  #refuse(path: readonly string[], message: string): void {
    this.#mistakes.push(mistakeAt(path, message, this.read.locate));
  }

  /** Refuses a reference to what the organization does not have, unless that is only wrong in form. */
  #refer(owner: string, table: OwnedTable, id: string | null | undefined, path: readonly string[]): void {
    if (typeof id !== 'string' || this.read.broken.has(id)) return;
    if (this.store.read(table, id)?.organization !== owner) {
      this.#refuse(path, `no ${nouns[table]} ${id} in ${owner}`);
    }
  }

  /** What the store has under that id, which must not belong to another organization. */
  #before<Name extends OwnedTable>(owner: string, table: Name, id: string): Tables[Name] | undefined {
    const before: Tables[OwnedTable] | undefined = this.store.read(table, id);
    if (before && before.organization !== owner) {
      const message = `already belongs to organization ${before.organization}`;
      this.#refuse(['organizations', owner, table, id], message);
    }
    return this.store.read(table, id);
  }

  #refuseLacking(item: object, members: readonly string[], path: readonly string[]): void {
    const lacking = members.filter((member) => Reflect.get(item, member) === undefined);
    if (lacking.length > 0) this.#refuse(path, `is new and lacks ${lacking.join(', ')}`);
  }

  #writePlaces(organization: string, seed: SeedOrganization): void {
    this.store.put('organizations', { name: organization });
    for (const table of ['agentPools', 'projects'] as const) {
      for (const [id, place] of Object.entries(seed[table] ?? {})) {
        const before = this.#before(organization, table, id);
        this.store.put(table, { id, organization, name: place?.name ?? before?.name ?? id });
      }
    }
    for (const [id, workspace] of Object.entries(seed.workspaces ?? {})) {
      const before = this.#before(organization, 'workspaces', id);
      const projectId = given(workspace?.project, before?.projectId);
      const path = ['organizations', organization, 'workspaces', id, 'project'];
      this.#refer(organization, 'projects', projectId, path);
      this.store.put('workspaces', {
        id,
        organization,
        name: workspace?.name ?? before?.name ?? id,
        projectId,
        oauthClientId: given(workspace?.oauthClient, before?.oauthClientId),
      });
    }
  }

  #writeObjects(organization: string, seed: SeedOrganization): void {
    const at = ['organizations', organization];
    for (const [id, client] of Object.entries(seed.oauthClients ?? {})) {
      this.#writeClient(organization, id, client, [...at, 'oauthClients', id]);
    }
    for (const [id, workspace] of Object.entries(seed.workspaces ?? {})) {
      const path = [...at, 'workspaces', id, 'oauthClient'];
      this.#refer(organization, 'oauthClients', workspace?.oauthClient, path);
    }
    for (const [id, trigger] of Object.entries(seed.runTriggers ?? {})) {
      this.#writeTrigger(organization, id, trigger, [...at, 'runTriggers', id]);
    }
  }

  #writeClient(organization: string, id: string, client: SeedOAuthClient, path: readonly string[]): void {
    const { profile, clock } = this.tools;
    const { serviceProvider, projects, agentPool, oauthTokens } = client;
    const before = this.#before(organization, 'oauthClients', id);
    if (!before) this.#refuseLacking(client, mandatoryNames, path);
    if (serviceProvider !== undefined && !Object.hasOwn(profile.serviceProviders, serviceProvider)) {
      const known = Object.keys(profile.serviceProviders).join(', ');
      this.#refuse([...path, 'serviceProvider'], `not among those of profile ${profile.name}: ${known}`);
    }
    projects?.forEach((projectId, index) => {
      this.#refer(organization, 'projects', projectId, [...path, 'projects', String(index)]);
    });
    this.#refer(organization, 'agentPools', agentPool, [...path, 'agentPool']);
    const createdAt = client.createdAt ?? before?.createdAt ?? timestamp(clock);
    this.store.put('oauthClients', {
      id,
      organization,
      createdAt,
      callbackId: before?.callbackId ?? newCallbackId(this.tools),
      ...heldAfter(client, before),
      projectIds: projects ? [...new Set(projects)] : (before?.projectIds ?? []),
      agentPoolId: given(agentPool, before?.agentPoolId),
      oauthTokens:
        oauthTokens?.map((token) => ({ id: token, createdAt, digest: null })) ?? before?.oauthTokens ?? [],
      secretDigest: before?.secretDigest ?? null,
      privateKeyDigest: before?.privateKeyDigest ?? null,
    });
  }

  #writeTrigger(organization: string, id: string, trigger: SeedRunTrigger, path: readonly string[]): void {
    const before = this.store.read('runTriggers', id);
    const ends = ['workspace', 'sourceable'] as const;
    if (!before) this.#refuseLacking(trigger, ends, path);
    for (const end of ends) this.#refer(organization, 'workspaces', trigger[end], [...path, end]);
    const workspaceId = trigger.workspace ?? before?.workspaceId ?? '';
    const sourceableId = trigger.sourceable ?? before?.sourceableId ?? '';
    // Two triggers of one pair can be: some services accept them. This cannot.
    if (workspaceId === sourceableId && workspaceId !== '') {
      this.#refuse([...path, 'sourceable'], 'a workspace cannot be its own source');
    }
    const createdAt = trigger.createdAt ?? before?.createdAt ?? timestamp(this.tools.clock);
    this.store.put('runTriggers', { id, createdAt, workspaceId, sourceableId });
  }

  #writeToken(token: string, grants: { readonly [organization: string]: SeedGrant }): void {
    const digest = digestSecret(token);
    const before = this.store.read('tokens', digest)?.grants ?? [];
    const merged = new Map<string, Grant>(before.map(({ organization, grant }) => [organization, grant]));
    for (const [organization, grant] of Object.entries(grants)) {
      if (!this.store.read('organizations', organization)) {
        this.#refuse(['tokens', token, organization], 'no such organization');
      }
      if (grant === null) merged.delete(organization);
      else merged.set(organization, mergeGrant(merged.get(organization), grant));
    }
    const all = [...merged].map(([organization, grant]) => ({ organization, grant }));
    this.store.put('tokens', { digest, grants: all });
  }
}

// The seed's value, also when it is null, which clears; else the one before, if there was any.
function given(named: string | null | undefined, before: string | null | undefined): string | null {
  return named === undefined ? (before ?? null) : named;
}

function mergeGrant(before: Grant | undefined, grant: NonNullable<SeedGrant>): Grant {
  if (grant === 'owner') return grant;
  const base = before === 'owner' ? undefined : before;
  const levels = Object.entries({ ...base?.workspaces, ...grant.workspaces });
  const granted = levels.flatMap(([id, level]) => (level === null ? [] : [[id, level] as const]));
  return {
    manageVcsSettings: grant.manageVcsSettings ?? base?.manageVcsSettings ?? false,
    workspaces: Object.fromEntries(granted),
  };
}
