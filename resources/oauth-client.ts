/** OAuthClient: the connection between an organization and a VCS provider. */
import type { AffectedWorkspaces, MembersWith, oauthClientMembers } from '../client/api';
import { clientKind, type Field, type ResourceDefinition, setMembers } from './kind';
import { idPrefixes } from './names';
import { clientCalls, createClientOnce, updateClient } from './oauth-client-calls';

const breaksConnection = (noun: string) => () =>
  `a changed ${noun} can break the connection of workspaces that use this client`;

const editable = { type: 'string', onChange: 'update' } as const;
const clearable = { ...editable, nullable: true, default: null } as const;
const fixed = { type: 'string', onChange: 'replace', required: true } as const;

type ApiMembers = typeof oauthClientMembers;
type Update = MembersWith<ApiMembers, 'update'>;

/** The table `oauthClientMembers` of `client/api.ts` says which fields a PATCH changes or clears, and which are secrets. */
type FieldsOfApi = { readonly organization: Field } & {
  readonly [Name in keyof MembersWith<ApiMembers, 'create'>]: Field &
    (Name extends keyof Update
      ? { onChange: 'update' } | { onChange: 'replace'; updatableWith: 'tokenInPatch' }
      : { onChange: 'replace'; updatableWith?: never }) &
    (Name extends keyof Update ? (null extends Update[Name] ? Nullable : NotNullable) : NotNullable) &
    (ApiMembers[Name] extends { secret: true } ? { writeOnly: true } : { writeOnly?: never });
};
type Nullable = { nullable: true };
type NotNullable = { nullable?: never };

const fields = {
  organization: {
    ...fixed,
    doc: 'Name of the organization that owns the client.',
    refersTo: 'organization',
    manifestName: null,
  },
  serviceProvider: {
    ...fixed,
    doc: 'The VCS provider that this connects to. The profile lists the values.',
    valuesFrom: 'serviceProviders',
  },
  name: {
    ...clearable,
    doc: "Display name. `null` clears it, and the provider's display name is shown instead.",
    format: 'line',
  },
  httpUrl: { ...fixed, doc: 'Homepage of the VCS provider, compared byte for byte.', format: 'url' },
  apiUrl: { ...fixed, doc: "Base URL of the VCS provider's API, compared byte for byte.", format: 'url' },
  key: {
    ...editable,
    doc: 'Client key, consumer key, application key or similar. It can be changed but not cleared, because the API has no call for that.',
    format: 'line',
    risk: breaksConnection('key'),
  },
  oauthTokenString: {
    type: 'string',
    doc: 'Token made at the VCS provider beforehand, so that nobody has to open the connect path.',
    onChange: 'replace',
    updatableWith: 'tokenInPatch',
    writeOnly: true,
    format: 'line',
    risk: breaksConnection('token'),
  },
  privateKey: {
    type: 'string',
    doc: 'Text of an SSH private key, for the providers that need one.',
    onChange: 'replace',
    writeOnly: true,
    format: 'text',
  },
  secret: {
    ...editable,
    doc: 'OAuth client secret. For a data-center provider, it is the SSH private key of its application link.',
    writeOnly: true,
    format: 'line',
    risk: breaksConnection('secret'),
  },
  rsaPublicKey: {
    ...editable,
    doc: 'Text of an SSH public key. It is only for a data-center provider, together with `secret`. It can be changed but not cleared.',
    format: 'text',
    risk: breaksConnection('key'),
  },
  organizationScoped: {
    type: 'boolean',
    doc: 'When true, every project and workspace of the organization may use the client. When false, only the listed projects may.',
    onChange: 'update',
    default: true,
    isScope: true,
    risk: (from, to) =>
      to === false && from !== false
        ? 'narrower scope: projects that are not listed can no longer use this client'
        : null,
  },
  projectIds: {
    type: 'set',
    doc: 'The client is offered to exactly these projects. An empty list means none.',
    onChange: 'update',
    default: [],
    refersTo: 'project',
    manifestName: 'projects',
    exactSetOf: 'ProjectAttachment',
  },
  agentPoolId: {
    ...clearable,
    doc: 'Agent pool that forwards calls to the VCS provider. `null` clears it.',
    refersTo: 'agentPool',
    manifestName: 'agentPool',
  },
} as const satisfies FieldsOfApi;

export const oauthClient: ResourceDefinition = {
  kind: clientKind,
  title: 'OAuth clients',
  doc: 'The connection between an organization and a VCS provider.',
  idPrefix: idPrefixes.OAuthClient,
  section: { name: 'oauthClients', form: 'map', ends: [] },
  fields,
  outputs: {
    createdAt: { type: 'string', doc: 'The time of creation in ISO 8601 with milliseconds.' },
    callbackUrl: { type: 'string', nullable: true, doc: 'URL to enter at the VCS provider.' },
    connectPath: { type: 'string', nullable: true, doc: 'Path to open once to finish connecting.' },
    serviceProviderDisplayName: { type: 'string', nullable: true, doc: 'Display name of the provider.' },
    oauthTokenIds: {
      type: 'set',
      doc: 'Ids of the tokens of this client. It is empty until the client is connected.',
    },
  },
  pair: [],
  ...clientCalls,
  create: (api, key, inputs, attempt) => createClientOnce(oauthClient, api, key, inputs, attempt),
  update: (...call) => updateClient(oauthClient, ...call),
  lostOnReplace: ({ oauthTokenIds: tokens }, given) =>
    setMembers(tokens).length > 0 && !given.has('oauthTokenString')
      ? 'the new client is not authorized until you open its connect path: the manifest has no oauthTokenString'
      : null,
  waitsFor: ({ oauthTokenIds: tokens, connectPath }, address) =>
    Array.isArray(tokens) && tokens.length === 0 && typeof connectPath === 'string'
      ? `not authorized yet: open ${connectUrl(connectPath, address)} to complete the OAuth connection`
      : null,
};

type Values = Readonly<Record<string, unknown>>;

/** Returns the lines that a Pulumi program must add. Without them, more projects could use the successor, or it would lack the agent pool. */
export function neededBySuccessor(old: Values, successor: Values): readonly string[] {
  const lines: string[] = [];
  if (old.organizationScoped === false && successor.organizationScoped === undefined) {
    lines.push('organizationScoped: false, or true to offer the new client to the whole organization');
  }
  const isHere = successor.organization === old.organization;
  if (old.agentPoolId && successor.agentPoolId === undefined && isHere) {
    lines.push(`agentPoolId: '${String(old.agentPoolId)}', or null for a new client without an agent pool`);
  }
  return lines;
}

export const byHand = 'must be reconnected by hand';

/** Describes what deleting a client does to workspaces, as exactly as the service tells it. */
export function unlinkedBy(affected: AffectedWorkspaces | undefined): string {
  if (affected === undefined) {
    return `every workspace that uses it loses its VCS link and ${byHand} (this service does not say how many there are)`;
  }
  const { count, names } = affected;
  if (count === 0) return 'no workspace uses it at present';
  const list = `${names.join(', ')}${count > names.length ? ', …' : ''}`;
  return `${count === 1 ? '1 workspace' : `each of ${count} workspaces`} (${list}) loses its VCS link and ${byHand}`;
}

/** Returns the URL of a connect path. A text that is not a path on the service's host stays as it is. */
function connectUrl(connectPath: string, address: string): string {
  const isPath = /^\/(?!\/)/.test(connectPath) && URL.canParse(connectPath, address);
  return isPath ? new URL(connectPath, address).href : connectPath;
}
