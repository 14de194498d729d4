// The data layer's contract: tables of records, found by key or by an indexed member. It knows no HTTP.

import type {
  AgentPoolRecord,
  OAuthClientRecord,
  OrganizationRecord,
  ProjectRecord,
  RunTriggerRecord,
  TokenRecord,
  WorkspaceRecord,
} from './records';

/** The record type of each table. */
export interface Tables {
  organizations: OrganizationRecord;
  projects: ProjectRecord;
  agentPools: AgentPoolRecord;
  workspaces: WorkspaceRecord;
  tokens: TokenRecord;
  oauthClients: OAuthClientRecord;
  runTriggers: RunTriggerRecord;
}

/** The name of a table. */
export type TableName = keyof Tables;

/** Which member is a table's key and by which members its records can be listed. */
export interface TableDefinition {
  readonly key: string;
  readonly indexes: readonly string[];
}

/** The key and the indexed members of every table. */
export const tableDefinitions: { readonly [Name in TableName]: TableDefinition } = {
  organizations: { key: 'name', indexes: [] },
  projects: { key: 'id', indexes: ['organization'] },
  agentPools: { key: 'id', indexes: ['organization'] },
  workspaces: { key: 'id', indexes: ['organization', 'oauthClientId'] },
  tokens: { key: 'digest', indexes: [] },
  oauthClients: { key: 'id', indexes: ['organization'] },
  runTriggers: { key: 'id', indexes: ['workspaceId', 'sourceableId'] },
};

/** All table names, those that others refer to first. */
export const tableNames = Object.keys(tableDefinitions) as TableName[];

/** A store. Every call is synchronous, so what runs between two awaits is never interleaved with another request. */
export interface Store {
  /** The record with that key, or undefined. */
  read<Name extends TableName>(table: Name, key: string): Tables[Name] | undefined;
  /** All records whose indexed member has that value, in no particular order. */
  list<Name extends TableName>(table: Name, index: string, value: string): Tables[Name][];
  /** All records of a table, in no particular order. */
  all<Name extends TableName>(table: Name): Tables[Name][];
  /** Inserts the record, or replaces the one with the same key. */
  put<Name extends TableName>(table: Name, record: Tables[Name]): void;
  /** Removes the record with that key; false when there was none. */
  remove(table: TableName, key: string): boolean;
  /** Runs the work so that either all of its writes are kept or, when it throws, none. Not to be nested. */
  atomically<Result>(work: () => Result): Result;
  /** Gives up everything the store holds open. */
  close(): void;
}

/** The text under which a record's member is indexed; absent members are indexed as the empty text. */
export function memberText(record: object, member: string): string {
  const value: unknown = Reflect.get(record, member);
  return typeof value === 'string' ? value : '';
}
