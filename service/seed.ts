/** Defines the form of seeds, and writes them into a store. */
import { readFileSync } from 'node:fs';
import { digestSecret, timestamp } from './machine';
import { heldSchemas, mandatoryNames } from './oauth-client-attributes';
import type { Profile } from './profile';
import { newClient } from './rules/oauth-clients';
import * as schema from './schema';
import { readSource, SourceDocument } from './source-document';
import type { Grant, RunTriggerRecord, TableName, Tables, TokenRecord } from './store';
import { Store, workspaceLevels } from './store';
import type { World } from './world';

const text = schema.nonEmptyString;
const maybe = schema.orNull(schema.string);
const time = schema.matching('^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$');

function byId<Value>(prefix: string, item: schema.SchemaOf<Value>) {
  return schema.map(item, `^${prefix}-[A-Za-z0-9._-]+$`);
}

const optionallyNamed = schema.orNull(schema.partial({ name: text }));
const client = schema.partial({
  ...heldSchemas,
  projects: schema.list(schema.string),
  agentPool: maybe,
  oauthTokens: schema.list(schema.matching('^ot-')),
  createdAt: time,
});
const trigger = schema.partial({ workspace: text, sourceable: text, createdAt: time });
const organization = schema.partial({
  agentPools: byId('apool', optionallyNamed),
  projects: byId('prj', optionallyNamed),
  /** `oauthClient` is the client through which the workspace is linked to a repository. */
  workspaces: byId('ws', schema.orNull(schema.partial({ name: text, project: maybe, oauthClient: maybe }))),
  oauthClients: byId('oc', client),
  runTriggers: byId('rt', trigger),
});
const powers = schema.partial({
  manageVcsSettings: schema.boolean,
  workspaces: schema.map(schema.choice(...workspaceLevels, null)),
});
const grant: schema.SchemaOf<Grant> = {
  ...powers,
  type: ['string', 'object', 'null'],
  pattern: '^owner$',
  description: '"owner", or a map of what it may do',
};
const seed = schema.partial({
  organizations: schema.map(schema.orNull(organization), '^[A-Za-z0-9_-]+$'),
  tokens: schema.map(schema.map(grant), '.'),
});

/** Organizations by name with their objects by id, and tokens with their grants. New objects need their mandatory members. */
export interface SeedObject extends schema.TypeOf<typeof seed> {}

export interface SeedOAuthClient extends schema.TypeOf<typeof client> {}

export interface SeedRunTrigger extends schema.TypeOf<typeof trigger> {}

/** Null revokes a grant in an organization or for a workspace. */
export type SeedGrant = Grant;

/** Takes a seed or the path of a YAML or JSON file. Throws a ServiceError for a wrong file. */
export function seedDocument(seed: SeedObject | string): SourceDocument {
  if (typeof seed !== 'string') return new SourceDocument('seed', seed);
  return readSource(readFileSync(seed, 'utf8'), seed);
}

type Table = Exclude<TableName, 'organizations' | 'tokens'>;

/** The tables with objects of an organization, and the members that a new object needs. */
const needs: { readonly [Name in Table]: readonly string[] } = {
  agentPools: [],
  projects: [],
  workspaces: [],
  oauthClients: mandatoryNames,
  runTriggers: ['workspace', 'sourceable'],
};
const tables = Object.keys(needs) as Table[];

/** The members that refer to other objects, with their names in records and the tables of those objects. */
const references = new Map<string, [string, Table]>([
  ['project', ['projectId', 'projects']],
  ['oauthClient', ['oauthClientId', 'oauthClients']],
  ['projects', ['projectIds', 'projects']],
  ['agentPool', ['agentPoolId', 'agentPools']],
  ['workspace', ['workspaceId', 'workspaces']],
  ['sourceable', ['sourceableId', 'workspaces']],
]);

interface Entry {
  organization: string;
  table: Table;
  id: string;
  path: string[];
  members: { [member: string]: unknown };
}

/** Merges the seed into the records, or replaces them by it. A ServiceError changes nothing. */
export function applySeed(world: World, document: SourceDocument, replacing: boolean): void {
  const { store, profile } = world;
  const { organizations = {}, tokens = {} } = document.checkedBy(schema.orNull(seed)) ?? {};
  const existing = replacing ? new Store() : store;
  const entries = listEntries(organizations);
  // The first owner of an id is kept, and further ones are mistakes.
  const owners = new Map(
    entries.toReversed().map(({ table, id, organization }) => [`${table} ${id}`, organization]),
  );
  const findOwner = (table: Table, id: string) => {
    const record = existing.read(table, id);
    return record && 'organization' in record ? record.organization : owners.get(`${table} ${id}`);
  };
  const records = entries.map((entry) => {
    const before = existing.read(entry.table, entry.id);
    const record = mergeMembers(before ?? newRecord(world, entry), entry.members);
    noteMistakes(document, profile, entry, before === undefined, findOwner);
    // Two triggers of one pair are allowed, because some services accept them. This case is not.
    const { workspaceId, sourceableId }: Partial<RunTriggerRecord> = record;
    if (sourceableId && sourceableId === workspaceId) {
      document.note([...entry.path, 'sourceable'], 'a workspace cannot be its own source');
    }
    return { table: entry.table, record };
  });
  const tokenRecords = Object.entries(tokens).map(([token, grants]) => {
    for (const name of Object.keys(grants)) {
      const isKnown = Object.hasOwn(organizations, name) || existing.read('organizations', name);
      if (!isKnown) document.note(['tokens', token, name], 'no such organization');
    }
    const digest = digestSecret(token);
    return { digest, grants: mergeGrants(existing.read('tokens', digest)?.grants, grants) };
  });
  document.refuse();
  if (replacing) store.clear();
  for (const name of Object.keys(organizations)) store.put('organizations', { name });
  for (const { table, record } of records) store.put(table, record);
  for (const token of tokenRecords) store.put('tokens', token);
}

function listEntries(organizations: NonNullable<SeedObject['organizations']>): Entry[] {
  return Object.entries(organizations).flatMap(([organization, content]) =>
    tables.flatMap((table) =>
      Object.entries(content?.[table] ?? {}).map(([id, members]) => {
        const present = Object.entries(members ?? {}).filter(([, value]) => value !== undefined);
        const path = ['organizations', organization, table, id];
        return { organization, table, id, path, members: Object.fromEntries(present) };
      }),
    ),
  );
}

function noteMistakes(
  document: SourceDocument,
  profile: Profile,
  { organization, table, id, path, members }: Entry,
  isNew: boolean,
  findOwner: (table: Table, id: string) => string | undefined,
) {
  const owner = findOwner(table, id) ?? organization;
  if (owner !== organization) document.note(path, `already belongs to organization ${owner}`);
  const lacking = needs[table].filter((name) => isNew && !(name in members));
  if (lacking.length > 0) document.note(path, `is new and lacks ${lacking.join(', ')}`);
  const { serviceProvider } = members;
  if (serviceProvider && !Object.hasOwn(profile.serviceProviders, String(serviceProvider))) {
    const providers = Object.keys(profile.serviceProviders).join(', ');
    document.note([...path, 'serviceProvider'], `not among those of profile ${profile.name}: ${providers}`);
  }
  for (const [name, value] of Object.entries(members)) {
    const [, referredTable] = references.get(name) ?? [];
    if (referredTable === undefined || value === null) continue;
    for (const [index, referredId] of [value].flat().entries()) {
      const place = [...path, name, ...(Array.isArray(value) ? [String(index)] : [])];
      const isPresent = findOwner(referredTable, String(referredId)) === organization;
      if (!isPresent) document.note(place, `no ${referredId} among the ${referredTable} of ${organization}`);
    }
  }
}

function newRecord(world: World, { organization, table, id }: Entry): Tables[Table] {
  if (table === 'oauthClients') return newClient(world, organization, id);
  const createdAt = timestamp(world.clock);
  if (table === 'runTriggers') return { id, createdAt, workspaceId: '', sourceableId: '' };
  const place = { id, organization, name: id };
  return table === 'workspaces' ? { ...place, projectId: null, oauthClientId: null } : place;
}

function mergeMembers(record: Tables[Table], added: Entry['members']): Tables[Table] {
  const createdAt: unknown = added.createdAt ?? Reflect.get(record, 'createdAt');
  const members = Object.entries(added).map(([name, value]) => {
    if (name === 'oauthTokens') return [name, [value].flat().map((id) => ({ id, createdAt, digest: null }))];
    const [inRecord = name] = references.get(name) ?? [];
    return [inRecord, Array.isArray(value) ? [...new Set(value)] : value];
  });
  return { ...record, ...Object.fromEntries(members) };
}

function mergeGrants(before: TokenRecord['grants'] = {}, added: TokenRecord['grants']) {
  const merged = Object.entries(added).map(([organization, grant]) => {
    const earlierGrant = before[organization];
    if (!grant || grant === 'owner' || !earlierGrant || earlierGrant === 'owner')
      return [organization, grant];
    return [
      organization,
      { ...earlierGrant, ...grant, workspaces: { ...earlierGrant.workspaces, ...grant.workspaces } },
    ];
  });
  return { ...before, ...Object.fromEntries(merged) };
}
