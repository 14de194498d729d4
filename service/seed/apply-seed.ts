// Writes a seed into a store.

import { digestSecret, timestamp } from '../machine';
import { mandatoryNames } from '../oauth-client-attributes';
import { newClient } from '../rules/oauth-clients';
import type { SourceDocument } from '../source-document';
import { type Grant, type RunTriggerRecord, Store, type Tables, type TokenRecord } from '../store';
import type { World } from '../world';
import { type SeedGrant, type SeedObject, seedSchema } from './seed';

export type SeedTools = Pick<World, 'clock' | 'newId' | 'profile'>;

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

const needs = new Map<Table, string[]>([
  ['oauthClients', mandatoryNames],
  ['runTriggers', ['workspace', 'sourceable']],
]);

interface Entry {
  organization: string;
  table: Table;
  id: string;
  path: string[];
  given: { [member: string]: unknown };
}

/** Adds the seed (deep merge, ids as given) or replaces all by it. A ServiceError, for form first and then for meaning, changes nothing. */
export function applySeed(store: Store, document: SourceDocument, tools: SeedTools, replacing = false): void {
  const seed = document.checkedBy(seedSchema) ?? {};
  const entries = entriesOf(seed);
  const existing = replacing ? new Store() : store;
  // The first of several wins, and the others are mistakes.
  const owners = new Map(
    entries.toReversed().map(({ table, id, organization }) => [`${table} ${id}`, organization]),
  );
  const ownerOf = (table: Table, id: string) => {
    const record = existing.read(table, id);
    return record && 'organization' in record ? record.organization : owners.get(`${table} ${id}`);
  };
  const records = entries.map((entry) => {
    const before = existing.read(entry.table, entry.id);
    noteMistakes(document, tools.profile, entry, before !== undefined, ownerOf);
    const record = recordWith(before ?? newRecord(tools, entry), entry.given);
    // Two triggers of one pair can be, because some services accept them. This cannot.
    const { workspaceId, sourceableId }: Partial<RunTriggerRecord> = record;
    if (sourceableId && sourceableId === workspaceId) {
      document.note([...entry.path, 'sourceable'], 'a workspace cannot be its own source');
    }
    return record;
  });
  const organizations = Object.keys(seed.organizations ?? {});
  const isKnown = (name: string) => organizations.includes(name) || existing.read('organizations', name);
  const tokens = Object.entries(seed.tokens ?? {}).map(([token, grants]) => {
    for (const name of Object.keys(grants).filter((name) => !isKnown(name))) {
      document.note(['tokens', token, name], 'no such organization');
    }
    const digest = digestSecret(token);
    return { digest, grants: mergeGrants(existing.read('tokens', digest)?.grants, grants) };
  });
  document.refuse();
  if (replacing) store.clear();
  for (const name of organizations) store.put('organizations', { name });
  for (const [index, { table }] of entries.entries()) store.put(table, records[index] as Tables[Table]);
  for (const token of tokens) store.put('tokens', token);
}

function entriesOf(seed: SeedObject): Entry[] {
  return Object.entries(seed.organizations ?? {}).flatMap(([organization, content]) =>
    tables.flatMap((table) =>
      Object.entries(content?.[table] ?? {}).map(([id, members]) => {
        const given = Object.entries(members ?? {}).filter(([, value]) => value !== undefined);
        const path = ['organizations', organization, table, id];
        return { organization, table, id, path, given: Object.fromEntries(given) };
      }),
    ),
  );
}

function noteMistakes(
  document: SourceDocument,
  { name: profileName, serviceProviders }: World['profile'],
  { organization, table, id, path, given }: Entry,
  isThere: boolean,
  ownerOf: (table: Table, id: string) => string | undefined,
) {
  const owner = ownerOf(table, id);
  if (owner !== undefined && owner !== organization) {
    document.note(path, `already belongs to organization ${owner}`);
  }
  const needed = isThere ? [] : (needs.get(table) ?? []);
  const lacking = needed.filter((name) => !(name in given));
  if (lacking.length > 0) document.note(path, `is new and lacks ${lacking.join(', ')}`);
  const { serviceProvider } = given;
  if (serviceProvider && !Object.hasOwn(serviceProviders, String(serviceProvider))) {
    const known = Object.keys(serviceProviders).join(', ');
    document.note([...path, 'serviceProvider'], `not among those of profile ${profileName}: ${known}`);
  }
  for (const [name, value] of Object.entries(given)) {
    const [, others] = references.get(name) ?? [];
    if (others === undefined || value === null) continue;
    for (const [index, other] of [value].flat().entries()) {
      if (ownerOf(others, String(other)) === organization) continue;
      const place = [...path, name, ...(Array.isArray(value) ? [String(index)] : [])];
      document.note(place, `no ${other} among the ${others} of ${organization}`);
    }
  }
}

function newRecord(tools: SeedTools, { organization, table, id }: Entry): Tables[Table] {
  if (table === 'oauthClients') return newClient(tools, organization, id);
  if (table === 'runTriggers') {
    return { id, createdAt: timestamp(tools.clock), workspaceId: '', sourceableId: '' };
  }
  const place = { id, organization, name: id };
  return table === 'workspaces' ? { ...place, projectId: null, oauthClientId: null } : place;
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

function mergeGrants(
  before: TokenRecord['grants'] = {},
  added: { readonly [organization: string]: SeedGrant },
) {
  const merged = new Map(Object.entries(before));
  for (const [organization, grant] of Object.entries(added)) {
    if (grant === null) merged.delete(organization);
    else merged.set(organization, mergeGrant(merged.get(organization), grant));
  }
  return Object.fromEntries(merged);
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
