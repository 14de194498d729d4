/** The manifests as the driver means them: files of entries, references by alias or id. What it wrote, it knows. */

/** Write-only fields of a client. */
export const secretFields = ['oauthTokenString', 'secret', 'privateKey'] as const;
export type SecretField = (typeof secretFields)[number];

/** Readable fields that a manifest may name, in the order of design.md; `projects` are links and not among them. */
export const readableFields = [
  'serviceProvider',
  'httpUrl',
  'apiUrl',
  'name',
  'key',
  'rsaPublicKey',
  'organizationScoped',
  'agentPool',
] as const;

/** One entry under `oauthClients`; what is left out has no line. */
export interface ClientEntry {
  id?: string;
  serviceProvider: string;
  httpUrl: string;
  apiUrl: string;
  name?: string | null;
  key?: string | null;
  rsaPublicKey?: string | null;
  organizationScoped?: boolean;
  agentPool?: string | null;
  /** Where each secret comes from: a variable, or `file:` and a path in the folder. */
  secrets: Partial<Record<SecretField, string>>;
  projects?: string[];
  protect?: boolean;
  allowDuplicate?: boolean;
}

export type TriggerItem =
  | { target: string; source: string }
  | { target: string; sources: string[] }
  | { source: string; targets: string[] };

export type Approval =
  | { destroy: string; id: string }
  | { replace: string; id: string }
  | { deletes: number; serial: number; lineage?: string }
  | { missing: number; serial: number; lineage?: string };

export type AliasKind = 'workspaces' | 'projects' | 'agentPools';

/** How a file is spoilt so that it cannot be read as a manifest; each is an error. */
export type Spoilt = 'ending' | 'dangling' | 'bytes' | 'pipe' | 'device' | 'outside' | 'syntax';

export interface ManifestFile {
  organization: string;
  spoilt?: Spoilt;
  /** A line nobody knows, such as a misspelt key. */
  unknownKey?: string;
  aliases: Record<AliasKind, Record<string, string>>;
  clients: Record<string, ClientEntry>;
  attachments: { oauthClient: string; project: string }[];
  triggers: TriggerItem[];
  moved: { from: string; to: string }[];
  forget: string[];
  approved: Approval[];
}

/** The whole folder; paths are relative to it and keep the ending that decides their form. */
export interface Folder {
  profile: string;
  files: Record<string, ManifestFile>;
}

export function emptyFile(organization: string): ManifestFile {
  return {
    organization,
    aliases: { workspaces: {}, projects: {}, agentPools: {} },
    clients: {},
    attachments: [],
    triggers: [],
    moved: [],
    forget: [],
    approved: [],
  };
}

/** Files in the order of their paths. */
export function filesOf(folder: Folder): [string, ManifestFile][] {
  return Object.entries(folder.files).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The alias's id, or the text itself: an id, or a name that nobody declared. */
export function idOf(folder: Folder, kind: AliasKind, text: string): string {
  for (const file of Object.values(folder.files)) {
    const id = file.aliases[kind][text];
    if (id !== undefined) return id;
  }
  return text;
}

/** With the aliases of the last apply below all others: an address may have one that no file declares any more. */
export function withNames(folder: Folder, names: Readonly<Record<string, string>>): Folder {
  const kinds: Record<string, AliasKind> = {
    workspace: 'workspaces',
    project: 'projects',
    agentPool: 'agentPools',
  };
  const former = emptyFile('');
  for (const [address, id] of Object.entries(names)) {
    const [kind = '', name = ''] = address.split('/');
    const { [kind]: section } = kinds;
    if (section !== undefined) former.aliases[section][name] = id;
  }
  return { ...folder, files: { ...folder.files, 'tether.ledger.json': former } };
}

/** Whether the text is an id of its kind or a declared alias. */
export function isKnownName(folder: Folder, kind: AliasKind, text: string): boolean {
  const prefix = { workspaces: 'ws-', projects: 'prj-', agentPools: 'apool-' }[kind];
  return text.startsWith(prefix) || idOf(folder, kind, text) !== text;
}

/** The client of that name with its file. */
export function clientAt(folder: Folder, name: string): { path: string; entry: ClientEntry } | undefined {
  for (const [path, file] of filesOf(folder)) {
    const entry = file.clients[name];
    if (entry !== undefined) return { path, entry };
  }
  return undefined;
}

/** Names of all declared clients. */
export function clientNames(folder: Folder): string[] {
  return filesOf(folder).flatMap(([, file]) => Object.keys(file.clients));
}

/** Files of secrets are named relative to the manifest, and lie beside the folder's own. */
function clientDocument(entry: ClientEntry, up: string): Record<string, unknown> {
  const { secrets, ...plain } = entry;
  const sources = Object.entries(secrets).map(([field, from]) => [
    field,
    from.startsWith('file:') ? { fromFile: up + from.slice('file:'.length) } : { fromEnv: from },
  ]);
  return { ...plain, ...Object.fromEntries(sources) };
}

/** The file as the plain document that its text says. */
function documentOf(path: string, file: ManifestFile, profile: string): Record<string, unknown> {
  const up = '../'.repeat(path.split('/').length - 1);
  const clients = Object.entries(file.clients).map(([name, entry]) => [name, clientDocument(entry, up)]);
  const aliases = Object.entries(file.aliases).filter(([, names]) => Object.keys(names).length > 0);
  const parts: Record<string, unknown> = {
    apiVersion: 'tether/v1',
    profile,
    organization: file.organization,
    ...(aliases.length > 0 ? { aliases: Object.fromEntries(aliases) } : {}),
    ...(clients.length > 0 ? { oauthClients: Object.fromEntries(clients) } : {}),
  };
  const lists = {
    projectAttachments: file.attachments,
    runTriggers: file.triggers,
    moved: file.moved,
    forget: file.forget,
    approved: file.approved,
  };
  for (const [key, list] of Object.entries(lists)) if (list.length > 0) parts[key] = list;
  if (file.unknownKey !== undefined) parts[file.unknownKey] = true;
  return parts;
}

/** The text of a file: JSON for `.json`, else YAML with one line for each entry. */
export function textOf(path: string, file: ManifestFile, profile: string): string {
  const document = documentOf(path, file, profile);
  if (file.spoilt === 'syntax') return `${JSON.stringify(document).slice(0, -1)}\n`;
  if (path.endsWith('.json')) return `${JSON.stringify(document, null, 2)}\n`;
  const lines: string[] = [];
  for (const [key, value] of Object.entries(document)) {
    if (typeof value !== 'object' || value === null) lines.push(`${key}: ${String(value)}`);
    else {
      lines.push(`${key}:`);
      if (Array.isArray(value)) lines.push(...value.map((item) => `  - ${flow(item)}`));
      else lines.push(...Object.entries(value).map(([name, item]) => `  ${name}: ${flow(item)}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A value in one line of YAML, quoted only where it must be. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{ ${members.map(([key, member]) => `${key}: ${flow(member)}`).join(', ')} }`;
  }
  const plain = typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_./-]*$/u.test(value);
  return plain && !/^(?:true|false|null|yes|no|on|off|y|n)$/iu.test(value) ? value : JSON.stringify(value);
}
