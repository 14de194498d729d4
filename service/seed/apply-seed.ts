// Writes a seed into a store.

import { digestSecret, timestamp } from '../machine';
import { mandatoryNames } from '../oauth-client-attributes';
import type { Positioned } from '../positioned';
import { newClient } from '../rules/oauth-clients';
import type { Grant, RunTriggerRecord, Tables } from '../store/records';
import type { Store } from '../store/store';
import type { World } from '../world';
import { type SeedGrant, type SeedObject, seedSchema } from './seed';

/** Without a profile, any service provider will do. */
export type SeedTools = Pick<World, 'clock' | 'newId'> & { profile: World['profile'] | undefined };

/** Adds the seed (deep merge, ids as given) or replaces all by it. A DocumentError, for form first and then for meaning, changes nothing. */
export function applySeed(store: Store, document: Positioned, tools: SeedTools, replacing = false): void {
  const seed = document.checkedBy(seedSchema) ?? {};
  store.atomically(() => {
    if (replacing) store.clear();
    writeSeed(store, document, tools, seed);
  });
}

const tables = ['agentPools', 'projects', 'workspaces', 'oauthClients', 'runTriggers'] as const;
type Table = (typeof tables)[number];

/** The members that refer to others: their name in records, and the table of the others. */
const references = new Map<string, [string, Exclude<Table, 'runTriggers'>]>([
  ['project', ['projectId', 'projects']],
  ['oauthClient', ['oauthClientId', 'oauthClients']],
  ['projects', ['projectIds', 'projects']],
  ['agentPool', ['agentPoolId', 'agentPools']],
  ['workspace', ['workspaceId', 'workspaces']],
  ['sourceable', ['sourceableId', 'workspaces']],
]);

const needs: Partial<Record<Table, string[]>> = {
  oauthClients: mandatoryNames,
  runTriggers: ['workspace', 'sourceable'],
};

interface Entry {
  organization: string;
  table: Table;
  id: string;
  path: string[];
  given: { [member: string]: unknown };
}

/** Throws where there are mistakes, which undoes the transaction. */
function writeSeed(store: Store, document: Positioned, tools: SeedTools, seed: SeedObject) {
  function writeEntry({ organization, table, id, path, given }: Entry) {
    const before: Tables[Table] | undefined = store.read(table, id);
    if (before && 'organization' in before && before.organization !== organization) {
      document.note(path, `already belongs to organization ${before.organization}`);
    }
    const lacking = before ? [] : (needs[table] ?? []).filter((name) => !(name in given));
    if (lacking.length > 0) document.note(path, `is new and lacks ${lacking.join(', ')}`);
    const { name, serviceProviders } = tools.profile ?? {};
    const { serviceProvider } = given;
    if (serviceProviders && serviceProvider && !Object.hasOwn(serviceProviders, String(serviceProvider))) {
      const known = Object.keys(serviceProviders).join(', ');
      document.note([...path, 'serviceProvider'], `not among those of profile ${name}: ${known}`);
    }
    const record = recordWith(before ?? newRecord(organization, table, id), given);
    store.put(table, record);
    // Two triggers of one pair can be: some services accept them. This cannot.
    const { workspaceId, sourceableId }: Partial<RunTriggerRecord> = record;
    if (sourceableId && sourceableId === workspaceId) {
      document.note([...path, 'sourceable'], 'a workspace cannot be its own source');
    }
  }

  function newRecord(organization: string, table: Table, id: string): Tables[Table] {
    const createdAt = timestamp(tools.clock);
    if (table === 'oauthClients') return newClient(tools, organization, id);
    if (table === 'runTriggers') return { id, createdAt, workspaceId: '', sourceableId: '' };
    const place = { id, organization, name: id };
    return table === 'workspaces' ? { ...place, projectId: null, oauthClientId: null } : place;
  }

  function checkReferences({ organization, path, given }: Entry) {
    for (const [name, value] of Object.entries(given)) {
      const [, others] = references.get(name) ?? [];
      if (others === undefined || value === null) continue;
      [value].flat().forEach((other, index) => {
        if (store.read(others, String(other))?.organization === organization) return;
        const place = [...path, name, ...(Array.isArray(value) ? [String(index)] : [])];
        document.note(place, `no ${other} among the ${others} of ${organization}`);
      });
    }
  }

  function writeToken(token: string, grants: Record<string, SeedGrant>) {
    const digest = digestSecret(token);
    const before = store.read('tokens', digest)?.grants ?? [];
    const merged = new Map(before.map(({ organization, grant }) => [organization, grant]));
    for (const [organization, grant] of Object.entries(grants)) {
      if (!store.read('organizations', organization)) {
        document.note(['tokens', token, organization], 'no such organization');
      }
      if (grant === null) merged.delete(organization);
      else merged.set(organization, mergeGrant(merged.get(organization), grant));
    }
    const after = [...merged].map(([organization, grant]) => ({ organization, grant }));
    store.put('tokens', { digest, grants: after });
  }

  const entries: Entry[] = [];
  for (const [organization, content] of Object.entries(seed.organizations ?? {})) {
    store.put('organizations', { name: organization });
    for (const table of tables) {
      for (const [id, members] of Object.entries(content?.[table] ?? {})) {
        const given = Object.entries(members ?? {}).filter(([, value]) => value !== undefined);
        const path = ['organizations', organization, table, id];
        entries.push({ organization, table, id, path, given: Object.fromEntries(given) });
      }
    }
  }
  // They refer to each other in every direction, so all are written first.
  for (const entry of entries) writeEntry(entry);
  for (const entry of entries) checkReferences(entry);
  for (const [token, grants] of Object.entries(seed.tokens ?? {})) writeToken(token, grants);
  document.refuse();
}

function recordWith(record: Tables[Table], given: Entry['given']): Tables[Table] {
  const createdAt: unknown = given.createdAt ?? Reflect.get(record, 'createdAt');
  const members = Object.entries(given).map(([name, value]) => {
    if (name === 'oauthTokens') return [name, [value].flat().map((id) => ({ id, createdAt, digest: null }))];
    const [inRecord = name] = references.get(name) ?? [];
    return [inRecord, Array.isArray(value) ? [...new Set(value)] : value];
  });
  return { ...record, ...Object.fromEntries(members) };
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
