/** The manifest of a course: one file of entries, with references by alias, name or id. */

/** Write-only fields of a client. */
export const secretFields = ['oauthTokenString', 'secret', 'privateKey'] as const;
export type SecretField = (typeof secretFields)[number];

/** Readable fields of a manifest. `projects` are links and not among them. */
export const readableFields = [
  'serviceProvider',
  'httpUrl',
  'apiUrl',
  'name',
  'key',
  'organizationScoped',
  'agentPool',
] as const;
export type ReadableField = (typeof readableFields)[number];

/** An entry under `oauthClients`. An absent member has no line. */
export interface ClientEntry {
  id?: string;
  serviceProvider: string;
  httpUrl: string;
  apiUrl: string;
  name?: string | null;
  key?: string;
  organizationScoped?: boolean;
  agentPool?: string | null;
  projects?: string[];
  allowDuplicate?: string[];
  /** The variable of each declared secret. */
  secrets: Partial<Record<SecretField, string>>;
}

export type TriggerItem =
  | { target: string; source: string }
  | { target: string; sources: string[] }
  | { source: string; targets: string[] };

export type Approval = { destroy: string; id: string } | { replace: string; id: string };

export type AliasKind = 'workspaces' | 'projects' | 'agentPools';

/** The addresses in a course: those of two services, and a second one of the first service. */
export const addressNames = ['first', 'moved', 'second'] as const;
export type AddressName = (typeof addressNames)[number];

/** The whole folder. */
export interface Folder {
  organization: string;
  /** The addresses that are those of one service. */
  addresses: AddressName[];
  aliases: Record<AliasKind, Record<string, string>>;
  clients: Record<string, ClientEntry>;
  attachments: { oauthClient: string; project: string }[];
  triggers: TriggerItem[];
  forget: string[];
  approved: Approval[];
}

export function emptyFolder(organization: string): Folder {
  return {
    organization,
    addresses: [],
    aliases: { workspaces: {}, projects: {}, agentPools: {} },
    clients: {},
    attachments: [],
    triggers: [],
    forget: [],
    approved: [],
  };
}

function clientDocument({ secrets, ...plain }: ClientEntry): Record<string, unknown> {
  const sources = Object.entries(secrets).map(([field, from]) => [field, { fromEnv: from }]);
  return { ...plain, ...Object.fromEntries(sources) };
}

/** The text of the file, as JSON with one line for each entry. `urlOf` returns the URL of an address. */
export function textOf(
  folder: Folder,
  profile: string,
  urlOf: (name: AddressName) => string = (name) => name,
): string {
  const { organization, addresses, aliases, clients, attachments, triggers, forget, approved } = folder;
  const maps = {
    aliases,
    oauthClients: Object.fromEntries(
      Object.entries(clients).map(([name, entry]) => [name, clientDocument(entry)]),
    ),
  };
  const lists = { projectAttachments: attachments, runTriggers: triggers, forget, approved };
  const member = ([name, value]: [string, unknown]): string =>
    `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const parts = [`"apiVersion": "tether/v1"`, `"profile": ${JSON.stringify(profile)}`];
  parts.push(`"organization": ${JSON.stringify(organization)}`);
  if (addresses.length > 0) parts.push(`"addresses": ${JSON.stringify(addresses.map(urlOf))}`);
  for (const [key, map] of Object.entries(maps)) {
    const members = Object.entries(map);
    if (members.length > 0) parts.push(`"${key}": {\n${members.map(member).join(',\n')}\n  }`);
  }
  for (const [key, list] of Object.entries(lists)) {
    const items = list.map((item) => `    ${JSON.stringify(item)}`);
    if (items.length > 0) parts.push(`"${key}": [\n${items.join(',\n')}\n  ]`);
  }
  return `{\n  ${parts.join(',\n  ')}\n}\n`;
}
