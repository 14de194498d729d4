/** The content of the manifest with all names resolved, and its mistakes. */
import type { AliasKind, Approval, ClientEntry, Folder, ReadableField } from './manifests';
import { maxSources, organization, type ProfileName } from './organization';

export const triggerPair = (target: string, source: string): string => `RunTrigger/${target}/${source}`;
export const attachmentOf = (client: string, project: string): string =>
  `ProjectAttachment/${client}/${project}`;

export type Values = Partial<Record<ReadableField, string | boolean | null>>;

export interface WantedClient {
  readonly name: string;
  readonly entry: ClientEntry;
  /** The managed readable fields. */
  readonly values: Values;
  /** It names an unknown agent pool. */
  readonly isUnknown: boolean;
}

export interface Desired {
  readonly clients: ReadonlyMap<string, WantedClient>;
  /** Attachments from `projects:` and single lines. The keys look like `ProjectAttachment/<client>/<project>`. */
  readonly attachments: ReadonlyMap<string, { readonly client: string; readonly project: string }>;
  /** Clients whose projects are exactly these. */
  readonly exactProjects: ReadonlySet<string>;
  /** Pairs by `RunTrigger/<target>/<source>`. */
  readonly triggers: ReadonlyMap<string, { readonly target: string; readonly source: string }>;
  readonly inSets: ReadonlyMap<string, readonly string[]>;
  readonly outSets: ReadonlyMap<string, readonly string[]>;
  /** The addresses of links with an unknown name. */
  readonly unknownLinks: ReadonlySet<string>;
  /** When true, no link is deleted. */
  readonly hasUnknownNames: boolean;
  /** The addresses of `forget:` lines, with the ids of workspaces and projects. */
  readonly forget: ReadonlySet<string>;
  readonly approved: readonly Approval[];
  /** The reasons why the manifest is refused. It is empty for a valid one. */
  readonly mistakes: readonly string[];
}

const prefixes: Readonly<Record<AliasKind, string>> = {
  workspaces: 'ws-',
  projects: 'prj-',
  agentPools: 'apool-',
};

/** True for a text in the form of an id, whether an object has it or not. */
const isId = (kind: AliasKind, text: string): boolean =>
  text.startsWith(prefixes[kind]) && text !== prefixes[kind];

/** The ids of names as the run finds them. When absent, every name is known, so that only mistakes count. */
export type Names = ReadonlyMap<string, readonly string[]>;

/** Returns the id that a text names. An unknown name stays as it is. */
export function idOf(folder: Folder, kind: AliasKind, text: string, names?: Names): string {
  if (isId(kind, text)) return text;
  const found = names?.get(text);
  return folder.aliases[kind][text] ?? (found?.length === 1 ? found[0] : undefined) ?? text;
}

class Reader {
  readonly mistakes: string[] = [];
  readonly clients = new Map<string, WantedClient>();
  readonly attachments = new Map<string, { client: string; project: string }>();
  readonly triggers = new Map<string, { target: string; source: string }>();
  readonly inSets = new Map<string, string[]>();
  readonly outSets = new Map<string, string[]>();
  readonly unknownLinks = new Set<string>();
  readonly #unknownNames = new Set<string>();
  readonly #single = new Set<string>();

  constructor(
    private readonly folder: Folder,
    private readonly profile: ProfileName,
    private readonly names: Names | undefined,
  ) {}

  get hasUnknownNames(): boolean {
    return this.#unknownNames.size > 0;
  }

  #isKnown(kind: AliasKind, id: string): boolean {
    return isId(kind, id);
  }

  #resolve(kind: AliasKind, text: string): string {
    const id = idOf(this.folder, kind, text, this.names);
    if (this.#isKnown(kind, id)) return id;
    if (this.profile !== 'hcp-terraform') this.mistakes.push(`unknown ${kind}: ${text}`);
    this.#unknownNames.add(text);
    return id;
  }

  readClients(): void {
    const { folder, mistakes } = this;
    for (const [name, entry] of Object.entries(folder.clients)) {
      const values: Values = {};
      const { serviceProvider, httpUrl, apiUrl, organizationScoped, agentPool, key } = entry;
      const plain = { serviceProvider, httpUrl, apiUrl, name: entry.name, key, organizationScoped };
      for (const [field, value] of Object.entries(plain)) {
        if (value !== undefined) values[field as ReadableField] = value;
      }
      let isUnknown = false;
      if (agentPool !== undefined) {
        values.agentPool = agentPool === null ? null : this.#resolve('agentPools', agentPool);
        isUnknown = agentPool !== null && !this.#isKnown('agentPools', String(values.agentPool));
      }
      this.clients.set(name, { name, entry, values, isUnknown });
      const projects = (entry.projects ?? []).map((text) => this.#resolve('projects', text));
      if (new Set(projects).size < projects.length) mistakes.push(`the projects of ${name} list one twice`);
      for (const project of projects) this.#attach(name, project);
    }
    const adopted = Object.values(folder.clients).flatMap(({ id }) => id ?? []);
    if (new Set(adopted).size < adopted.length) mistakes.push('one id under two addresses');
    for (const { oauthClient, project } of folder.attachments) {
      const entry = folder.clients[oauthClient];
      if (entry === undefined) mistakes.push(`unknown client ${oauthClient}`);
      if (entry?.projects !== undefined) mistakes.push(`${oauthClient}: projects and a line`);
      const id = this.#resolve('projects', project);
      if (this.attachments.has(attachmentOf(oauthClient, id))) mistakes.push(`${oauthClient}/${id} twice`);
      this.#attach(oauthClient, id);
    }
  }

  #attach(client: string, project: string): void {
    const subject = attachmentOf(client, project);
    if (this.#isKnown('projects', project)) this.attachments.set(subject, { client, project });
    else this.unknownLinks.add(subject);
  }

  readTriggers(): void {
    for (const item of this.folder.triggers) {
      if ('sources' in item) {
        this.#readSet(this.inSets, item.target, item.sources, (end, other) => this.#add(end, other));
      } else if ('targets' in item) {
        this.#readSet(this.outSets, item.source, item.targets, (end, other) => this.#add(other, end));
      } else {
        const target = this.#resolve('workspaces', item.target);
        const source = this.#resolve('workspaces', item.source);
        const pair = triggerPair(target, source);
        if (this.#single.has(pair)) this.mistakes.push(`${pair} stands twice`);
        this.#single.add(pair);
        this.#add(target, source);
      }
    }
    this.#checkSets();
  }

  #readSet(
    sets: Map<string, string[]>,
    text: string,
    others: readonly string[],
    add: (end: string, other: string) => void,
  ): void {
    const end = this.#resolve('workspaces', text);
    const ids = others.map((other) => this.#resolve('workspaces', other));
    if (sets.has(end)) this.mistakes.push(`two sets around ${end}`);
    if (new Set(ids).size < ids.length) this.mistakes.push(`a set around ${end} lists one twice`);
    sets.set(end, ids);
    for (const id of ids) add(end, id);
  }

  #add(target: string, source: string): void {
    if (target === source) this.mistakes.push(`${target} triggers itself`);
    const subject = triggerPair(target, source);
    const isKnown = this.#isKnown('workspaces', target) && this.#isKnown('workspaces', source);
    if (isKnown) this.triggers.set(subject, { target, source });
    else this.unknownLinks.add(subject);
  }

  /** A pair stands in one single line or in sets, not both; sets that meet must agree. */
  #checkSets(): void {
    const { mistakes, triggers, inSets, outSets } = this;
    for (const pair of this.#single) {
      const [, target = '', source = ''] = pair.split('/');
      if (inSets.has(target) || outSets.has(source)) mistakes.push(`${pair} in a line and under a set`);
    }
    // An unknown name may mean any workspace.
    const lacks = (list: readonly string[], one: string): boolean =>
      !list.includes(one) && [...list, one].every((text) => this.#isKnown('workspaces', text));
    for (const [target, sources] of inSets) {
      for (const [source, targets] of outSets) {
        const isIn = sources.includes(source) && lacks(targets, target);
        if (isIn || (targets.includes(target) && lacks(sources, source))) {
          mistakes.push(`the sets of ${target} and ${source} disagree`);
        }
      }
    }
    const limit = maxSources[this.profile];
    const targets = [...triggers.values()].map(({ target }) => target);
    for (const target of new Set(targets)) {
      if (targets.filter((one) => one === target).length > limit) mistakes.push(`${target} is too full`);
    }
  }
}

/** Returns an address with the ids of workspaces and projects. */
function addressById(folder: Folder, address: string, names?: Names): string {
  const [kind, one = '', other = ''] = address.split('/');
  const workspace = (text: string): string => idOf(folder, 'workspaces', text, names);
  if (kind === 'RunTrigger') return triggerPair(workspace(one), workspace(other));
  if (kind !== 'ProjectAttachment') return address;
  return attachmentOf(one, idOf(folder, 'projects', other, names));
}

/** Resolves the folder. `mistakes` has its mistakes. */
export function desiredOf(folder: Folder, profile: ProfileName, names?: Names): Desired {
  const reader = new Reader(folder, profile, names);
  reader.readClients();
  reader.readTriggers();
  const { mistakes, clients, attachments, triggers, inSets, outSets, unknownLinks, hasUnknownNames } = reader;
  if (folder.organization !== organization) mistakes.push(`the folder is of ${folder.organization}`);
  for (const lines of [folder.forget, folder.approved]) {
    const texts = lines.map((line) => JSON.stringify(line));
    if (new Set(texts).size < texts.length) mistakes.push('the same line twice');
  }
  const forget = folder.forget.map((line) => addressById(folder, line, names));
  for (const address of forget) {
    const isDeclared = clients.has(address.replace('OAuthClient/', '')) || triggers.has(address);
    const [kind, client = '', project = ''] = address.split('/');
    const isKnown =
      kind === 'ProjectAttachment'
        ? isId('projects', project)
        : kind === 'OAuthClient' || [client, project].every((end) => isId('workspaces', end));
    // Only a profile that looks names up may know one that no alias has.
    if ((names || profile !== 'hcp-terraform') && !isKnown) mistakes.push(`${address} has an unknown name`);
    // An `id:` line gives the client's address.
    const { name = client } = [...clients.values()].find(({ entry }) => entry.id === client) ?? {};
    const isBoth = isDeclared || attachments.has(attachmentOf(name, project));
    if (isBoth) mistakes.push(`${address} is declared and forgotten`);
  }
  const exact = [...clients.values()].flatMap(({ name, entry }) => (entry.projects ? [name] : []));
  return {
    clients,
    attachments,
    exactProjects: new Set(exact),
    triggers,
    inSets,
    outSets,
    unknownLinks,
    hasUnknownNames,
    forget: new Set(forget),
    approved: folder.approved,
    mistakes,
  };
}
