/** What the manifests ask for, with all names resolved, and whether they may be read at all. */
import {
  type Approval,
  type ClientEntry,
  clientNames,
  type Folder,
  filesOf,
  idOf,
  isKnownName,
  type ManifestFile,
} from './manifests';
import { maxSources, organization, type ProfileName } from './organization';

/** A pair as text: `ws-target<ws-source`. */
export const triggerPair = (target: string, source: string): string => `RunTrigger/${target}/${source}`;

export interface WantedClient {
  readonly name: string;
  readonly path: string;
  readonly entry: ClientEntry;
  /** The managed readable fields by id. */
  readonly values: Readonly<Record<string, string | boolean | null>>;
}

/** A wanted attachment: the client by address or by id, the project by id. */
export interface WantedAttachment {
  readonly client: string;
  readonly project: string;
}

export interface Desired {
  readonly clients: ReadonlyMap<string, WantedClient>;
  /** From `projects:` and from single lines. */
  readonly attachments: readonly WantedAttachment[];
  /** Clients (by name) whose projects are exactly these. */
  readonly exactProjects: ReadonlySet<string>;
  /** Pairs by `RunTrigger/<target>/<source>`. */
  readonly triggers: ReadonlyMap<string, { readonly target: string; readonly source: string }>;
  readonly inSets: ReadonlyMap<string, readonly string[]>;
  readonly outSets: ReadonlyMap<string, readonly string[]>;
  readonly moved: ReadonlyMap<string, string>;
  readonly forget: ReadonlySet<string>;
  readonly approved: readonly Approval[];
  /** Why the manifests are refused; empty when they may be planned. */
  readonly mistakes: readonly string[];
}

interface Collected {
  readonly folder: Folder;
  readonly mistakes: string[];
  readonly triggers: Map<string, { target: string; source: string }>;
  readonly single: Set<string>;
  readonly inSets: Map<string, string[]>;
  readonly outSets: Map<string, string[]>;
}

function workspaceOf({ folder, mistakes }: Collected, text: string): string {
  if (!isKnownName(folder, 'workspaces', text)) mistakes.push(`unknown workspace ${text}`);
  return idOf(folder, 'workspaces', text);
}

function addPair(all: Collected, target: string, source: string): void {
  if (target === source) all.mistakes.push(`${target} triggers itself`);
  all.triggers.set(triggerPair(target, source), { target, source });
}

function addSet(sets: Map<string, string[]>, end: string, others: string[], mistakes: string[]): void {
  if (sets.has(end)) mistakes.push(`two sets around ${end}`);
  if (new Set(others).size < others.length) mistakes.push(`a set around ${end} lists one twice`);
  sets.set(end, others);
}

function collectTriggers(all: Collected): void {
  const { mistakes, single, inSets, outSets } = all;
  for (const [, file] of filesOf(all.folder)) {
    for (const item of file.triggers) {
      if ('sources' in item) {
        const target = workspaceOf(all, item.target);
        const sources = item.sources.map((one) => workspaceOf(all, one));
        addSet(inSets, target, sources, mistakes);
        for (const source of sources) addPair(all, target, source);
      } else if ('targets' in item) {
        const source = workspaceOf(all, item.source);
        const targets = item.targets.map((one) => workspaceOf(all, one));
        addSet(outSets, source, targets, mistakes);
        for (const target of targets) addPair(all, target, source);
      } else {
        const [target, source] = [workspaceOf(all, item.target), workspaceOf(all, item.source)];
        const pair = triggerPair(target, source);
        if (single.has(pair)) mistakes.push(`${pair} stands twice`);
        single.add(pair);
        addPair(all, target, source);
      }
    }
  }
}

/** A pair stands in one single line or in sets, not both; sets that meet must agree. */
function checkSets({ mistakes, triggers, single, inSets, outSets }: Collected, limit: number): void {
  for (const pair of single) {
    const { target = '', source = '' } = triggers.get(pair) ?? {};
    if (inSets.has(target) || outSets.has(source)) mistakes.push(`${pair} in a line and under a set`);
  }
  for (const [target, sources] of inSets) {
    for (const [source, targets] of outSets) {
      if (sources.includes(source) !== targets.includes(target)) {
        mistakes.push(`the sets of ${target} and ${source} disagree`);
      }
    }
  }
  const targets = [...triggers.values()].map(({ target }) => target);
  for (const target of new Set(targets)) {
    const count = targets.filter((one) => one === target).length;
    if (count > limit) mistakes.push(`${target} has ${count} sources`);
  }
}

function wantedClients(folder: Folder, mistakes: string[]): Map<string, WantedClient> {
  const clients = new Map<string, WantedClient>();
  for (const [path, file] of filesOf(folder)) {
    for (const [name, entry] of Object.entries(file.clients)) {
      if (clients.has(name)) mistakes.push(`${name} is declared twice`);
      const values: Record<string, string | boolean | null> = {};
      const { serviceProvider, httpUrl, apiUrl, organizationScoped, agentPool, key, rsaPublicKey } = entry;
      const plain = {
        serviceProvider,
        httpUrl,
        apiUrl,
        name: entry.name,
        key,
        rsaPublicKey,
        organizationScoped,
      };
      for (const [field, value] of Object.entries(plain)) if (value !== undefined) values[field] = value;
      if (agentPool !== undefined) {
        values.agentPool = agentPool === null ? null : idOf(folder, 'agentPools', agentPool);
        if (agentPool !== null && !isKnownName(folder, 'agentPools', agentPool)) {
          mistakes.push(`unknown agent pool ${agentPool}`);
        }
      }
      if (key === null || rsaPublicKey === null) mistakes.push(`${name}: the API has no call for null`);
      clients.set(name, { name, path, entry, values });
    }
  }
  const adopted = [...clients.values()].flatMap(({ entry }) => entry.id ?? []);
  if (new Set(adopted).size < adopted.length) mistakes.push('one id under two addresses');
  return clients;
}

function wantedAttachments(folder: Folder, clients: ReadonlyMap<string, WantedClient>, mistakes: string[]) {
  const attachments: WantedAttachment[] = [];
  const projectOf = (text: string): string => {
    if (!isKnownName(folder, 'projects', text)) mistakes.push(`unknown project ${text}`);
    return idOf(folder, 'projects', text);
  };
  for (const { name, entry } of clients.values()) {
    const ids = (entry.projects ?? []).map(projectOf);
    if (new Set(ids).size < ids.length) mistakes.push(`${name} lists a project twice`);
    attachments.push(...ids.map((project) => ({ client: name, project })));
  }
  const seen = new Set<string>();
  // What an entry adopts by its id has that entry's name.
  const nameOf = (text: string): string =>
    [...clients.values()].find(({ entry }) => entry.id === text)?.name ?? text;
  for (const [, file] of filesOf(folder)) {
    for (const { oauthClient: text, project } of file.attachments) {
      const oauthClient = nameOf(text);
      const id = projectOf(project);
      if (!clients.has(oauthClient) && !oauthClient.startsWith('oc-'))
        mistakes.push(`unknown client ${oauthClient}`);
      if (clients.get(oauthClient)?.entry.projects !== undefined)
        mistakes.push(`${oauthClient}: projects and a line`);
      if (seen.has(`${oauthClient}/${id}`)) mistakes.push(`${oauthClient}/${id} stands twice`);
      seen.add(`${oauthClient}/${id}`);
      attachments.push({ client: oauthClient, project: id });
    }
  }
  return attachments;
}

function checkFiles(folder: Folder, mistakes: string[]): void {
  const aliases = new Map<string, string>();
  if (filesOf(folder).length === 0) mistakes.push('there is no manifest');
  const files = filesOf(folder).map(([, file]) => file);
  // An approval by serial is one for each, whatever its count.
  const approvals = (file: ManifestFile): unknown[] =>
    file.approved.map((line) => ('serial' in line ? ['deletes' in line, line.serial, line.lineage] : line));
  for (const key of ['moved', 'forget', 'approved'] as const) {
    const said = files.flatMap((file) => (key === 'approved' ? approvals(file) : file[key]));
    const lines = said.map((line) => JSON.stringify(line));
    if (new Set(lines).size < lines.length) mistakes.push(`${key} says the same twice`);
  }
  for (const [path, file] of filesOf(folder)) {
    if (file.spoilt !== undefined) mistakes.push(`${path} is spoilt: ${file.spoilt}`);
    if (file.unknownKey !== undefined) mistakes.push(`${path} has an unknown key`);
    if (file.organization !== organization) mistakes.push(`${path} is of ${file.organization}`);
    for (const [kind, names] of Object.entries(file.aliases)) {
      for (const [alias, id] of Object.entries(names)) {
        const before = aliases.get(`${kind}/${alias}`);
        if (before !== undefined && before !== id) mistakes.push(`alias ${alias} means two things`);
        aliases.set(`${kind}/${alias}`, id);
      }
    }
  }
}

/** Resolves the folder; what it breaks is in `mistakes`. */
export function desiredOf(folder: Folder, profile: ProfileName): Desired {
  const mistakes: string[] = [];
  checkFiles(folder, mistakes);
  const clients = wantedClients(folder, mistakes);
  const attachments = wantedAttachments(folder, clients, mistakes);
  const all: Collected = {
    folder,
    mistakes,
    triggers: new Map(),
    single: new Set(),
    inSets: new Map(),
    outSets: new Map(),
  };
  collectTriggers(all);
  checkSets(all, maxSources[profile]);
  const files = filesOf(folder).map(([, file]) => file);
  const moves = files.flatMap((file) => file.moved);
  if (new Set(moves.map(({ from }) => from)).size < moves.length) mistakes.push('one address moves to two');
  for (const { from } of moves) {
    if (clients.has(from.replace('OAuthClient/', ''))) mistakes.push(`${from} is still declared`);
  }
  const froms = new Set(moves.map(({ from }) => from));
  for (const { to } of moves)
    if (!clients.has(to.replace('OAuthClient/', '')) && !froms.has(to))
      mistakes.push(`${to} is not declared`);
  const forget = new Set(files.flatMap((file) => file.forget));
  for (const address of forget) {
    if (clientNames(folder).includes(address.replace('OAuthClient/', '')))
      mistakes.push(`${address} is live`);
    if (all.triggers.has(address)) mistakes.push(`${address} is live`);
  }
  return {
    clients,
    attachments,
    exactProjects: new Set(
      [...clients.values()].flatMap(({ name, entry }) => (entry.projects ? [name] : [])),
    ),
    triggers: all.triggers,
    inSets: all.inSets,
    outSets: all.outSets,
    moved: new Map(moves.map(({ from, to }) => [from, to])),
    forget,
    approved: files.flatMap((file) => file.approved),
    mistakes,
  };
}

/** Where an address is after all moves that go on from it. */
export function endOfMoves(moved: ReadonlyMap<string, string>, from: string): string {
  let at = from;
  for (let steps = 0; steps < moved.size; steps += 1) at = moved.get(at) ?? at;
  return at;
}
