// What is left of a seed whose form has mistakes, so that the references of the rest can be checked in the same breath.

import type { ErrorObject } from 'ajv';

/** The tables whose entries need no member: a broken one still exists, and what refers to it is no mistake. */
const places = new Set(['agentPools', 'projects', 'workspaces']);

type Branch = Record<string, unknown>;

/** The seed without what is wrong in form; undefined when too little is left to judge references by. */
export function soundPart(value: unknown, errors: readonly ErrorObject[]): unknown {
  if (!isBranch(value)) return undefined;
  const seed = structuredClone(value);
  for (const { keyword, instancePath, params, propertyName } of errors) {
    const parts = instancePath.split('/').slice(1).map(unescaped);
    const name: unknown = propertyName ?? params.propertyName;
    const extra: unknown = params.additionalProperty;
    if (keyword === 'additionalProperties' && typeof extra === 'string') {
      const holder = at(seed, parts);
      if (holder !== undefined) delete holder[extra];
    } else if (typeof name === 'string') {
      // What refers to a place of a wrong name is right to do so, once the name is.
      if (places.has(parts[2] ?? '') || !withoutEntry(seed, [...parts, name])) return undefined;
    } else if (!withoutEntry(seed, parts)) return undefined;
  }
  return seed;
}

/** Takes the entry at or above the path out; false when it is a whole table, an organization, or more. */
function withoutEntry(seed: Branch, [top, one, table, id]: readonly string[]): boolean {
  if (top === 'tokens' && one !== undefined) {
    const tokens = at(seed, ['tokens']);
    if (tokens !== undefined) delete tokens[one];
    return true;
  }
  if (top !== 'organizations' || one === undefined || table === undefined || id === undefined) return false;
  const entries = at(seed, [top, one, table]);
  if (entries === undefined) return true;
  if (places.has(table)) entries[id] = null;
  else delete entries[id];
  if (table === 'oauthClients') unlink(at(seed, [top, one, 'workspaces']) ?? {}, id);
  return true;
}

/** Workspaces that use a client which was taken out. */
function unlink(workspaces: Branch, client: string): void {
  for (const workspace of Object.values(workspaces)) {
    if (isBranch(workspace) && workspace.oauthClient === client) delete workspace.oauthClient;
  }
}

function at(root: Branch, parts: readonly string[]): Branch | undefined {
  let node: unknown = root;
  for (const part of parts) node = isBranch(node) && Object.hasOwn(node, part) ? node[part] : undefined;
  return isBranch(node) ? node : undefined;
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
