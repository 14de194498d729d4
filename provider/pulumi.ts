/** Entry point `tether-iac/pulumi`: the resource classes, and a provider for a further account. */
import * as pulumi from '@pulumi/pulumi';
import { oauthClient } from '../resources/oauth-client';
import { runTrigger } from '../resources/run-trigger';
import type { SettingName } from './account';

type Input<Value> = pulumi.Input<Value | undefined>;
type Output<Value> = pulumi.Output<Value>;
type Ids = pulumi.Input<readonly pulumi.Input<string>[]>;
type Options = pulumi.CustomResourceOptions;

const secrets = Object.keys(oauthClient.fields).filter((name) => oauthClient.fields[name]?.writeOnly);

// The SDK's serializer would store the code of the provider and its captured values in each state. This line of text never
// changes, and makes the SDK's provider process load this package.
abstract class Resource extends pulumi.CustomResource {
  constructor(kind: string, loader: string, name: string, args: object, outputs: object, opts?: Options) {
    const advice = 'a link that exists is adopted, and a client by adoptId';
    // The SDK drops an `id` among the arguments without a word.
    const isImport = opts?.import !== undefined || ('id' in args && args.id !== undefined);
    if (isImport) throw new pulumi.RunError(`${name} cannot be imported: ${advice}`);
    const entries = Object.entries(args).map(([property, value]: readonly [string, unknown]) => {
      return [property, secrets.includes(property) && value != null ? pulumi.secret(value) : value];
    });
    const properties = {
      // The engine fills the outputs that the program does not give.
      ...Object.fromEntries(Object.keys(outputs).map((property) => [property, undefined])),
      ...Object.fromEntries(entries),
      __provider: `exports.handler = () => require('tether-iac/provider').${loader};`,
    };
    super(`pulumi-nodejs:dynamic/tether:${kind}`, name, properties, opts);
  }
}

export interface OAuthClientArgs {
  /** Name of the organization. Changing it, `serviceProvider`, `httpUrl` or `apiUrl` replaces the client. */
  organization: pulumi.Input<string>;
  /** The VCS provider that this connects to. The profile lists the values. */
  serviceProvider: pulumi.Input<string>;
  /** Display name; null clears it. */
  name?: Input<string | null>;
  /** Homepage of the VCS provider. */
  httpUrl: pulumi.Input<string>;
  /** Base URL of the VCS provider's API. */
  apiUrl: pulumi.Input<string>;
  key?: Input<string>;
  /** Token made at the VCS provider. A change replaces the client where the API cannot change it in place. */
  oauthTokenString?: Input<string>;
  /** Text of an SSH private key. A change replaces the client. */
  privateKey?: Input<string>;
  secret?: Input<string>;
  /** Text of an SSH public key, together with `secret`. */
  rsaPublicKey?: Input<string>;
  /** When true (the default), the whole organization may use the client. When false, only its projects may. */
  organizationScoped?: Input<boolean>;
  /** The client is offered to exactly these projects. When absent, its projects are not managed here. */
  projectIds?: Ids | undefined;
  /** Agent pool that forwards calls to the VCS provider; null clears it. */
  agentPoolId?: Input<string | null>;
  /** Id of a client to adopt. Dropping the resource later deletes that client, unless it has `retainOnDelete`. */
  adoptId?: Input<string>;
  /** Ids of possible matches that may exist beside this client. */
  allowDuplicate?: Ids | undefined;
}

/** The connection between an organization and a VCS provider. The engine protects it, unless the options say `protect: false`. */
export class OAuthClient extends Resource {
  declare readonly organization: Output<string>;
  declare readonly serviceProvider: Output<string>;
  declare readonly name: Output<string | null>;
  declare readonly httpUrl: Output<string>;
  declare readonly apiUrl: Output<string>;
  declare readonly key: Output<string | null>;
  declare readonly rsaPublicKey: Output<string | null>;
  declare readonly organizationScoped: Output<boolean>;
  declare readonly projectIds: Output<string[]>;
  declare readonly agentPoolId: Output<string | null>;
  declare readonly createdAt: Output<string>;
  declare readonly callbackUrl: Output<string | null>;
  declare readonly connectPath: Output<string | null>;
  declare readonly serviceProviderDisplayName: Output<string | null>;
  declare readonly oauthTokenIds: Output<string[]>;
  constructor(name: string, args: OAuthClientArgs, opts: Options = {}) {
    const outputs = { ...oauthClient.fields, ...oauthClient.outputs };
    const defaults = { protect: opts.protect ?? opts.id === undefined, additionalSecretOutputs: secrets };
    super('OAuthClient', 'oauthClient', name, args, outputs, pulumi.mergeOptions(opts, defaults));
  }

  /** Reads a client by its id, without managing it. */
  static get(name: string, id: pulumi.Input<string>, opts?: Options): OAuthClient {
    return new OAuthClient(name, {} as OAuthClientArgs, { ...opts, id });
  }
}

export interface ProjectAttachmentArgs {
  oauthClientId: pulumi.Input<string>;
  projectId: pulumi.Input<string>;
}

/** One project that an OAuth client is offered to. */
export class ProjectAttachment extends Resource {
  declare readonly oauthClientId: Output<string>;
  declare readonly projectId: Output<string>;
  constructor(name: string, args: ProjectAttachmentArgs, opts?: Options) {
    super('ProjectAttachment', 'projectAttachment', name, args, {}, opts);
  }
}

export interface RunTriggerArgs {
  /** Target: the workspace in which runs are created. */
  workspaceId: pulumi.Input<string>;
  /** Source: the workspace whose runs create them. */
  sourceableId: pulumi.Input<string>;
}

/** Runs of the source workspace create runs in the target workspace. */
export class RunTrigger extends Resource {
  declare readonly workspaceId: Output<string>;
  declare readonly sourceableId: Output<string>;
  declare readonly createdAt: Output<string>;
  declare readonly workspaceName: Output<string | null>;
  declare readonly sourceableName: Output<string | null>;
  constructor(name: string, args: RunTriggerArgs, opts?: Options) {
    super('RunTrigger', 'runTrigger', name, args, runTrigger.outputs, opts);
  }
}

/** `removeUnmanaged` creates the set even if triggers exist that it does not list, and deletes those. */
type SetArgs = { removeUnmanaged?: Input<boolean> };

export type InboundRunTriggersArgs = SetArgs & { workspaceId: pulumi.Input<string>; sourceableIds: Ids };

/** Exactly these workspaces trigger runs in the target workspace. An empty list means none. */
export class InboundRunTriggers extends Resource {
  declare readonly workspaceId: Output<string>;
  declare readonly sourceableIds: Output<string[]>;
  constructor(name: string, args: InboundRunTriggersArgs, opts?: Options) {
    super('InboundRunTriggers', 'inboundRunTriggers', name, args, {}, opts);
  }
}

export type OutboundRunTriggersArgs = SetArgs & { sourceableId: pulumi.Input<string>; workspaceIds: Ids };

/** Exactly these workspaces are triggered by runs of the source workspace. An empty list means none. */
export class OutboundRunTriggers extends Resource {
  declare readonly sourceableId: Output<string>;
  declare readonly workspaceIds: Output<string[]>;
  constructor(name: string, args: OutboundRunTriggersArgs, opts?: Options) {
    super('OutboundRunTriggers', 'outboundRunTriggers', name, args, {}, opts);
  }
}

/** An absent setting comes from its `TETHER_*` variable. The token does so only if no address is given. */
export interface ProviderArgs {
  address?: pulumi.Input<string | undefined>;
  /** The state keeps it as a secret. Prefer `tokenEnv`, because a rotated token does not make it stale. */
  token?: pulumi.Input<string | undefined>;
  /** Name of the variable that holds the token. */
  tokenEnv?: pulumi.Input<string | undefined>;
  profile?: pulumi.Input<string | undefined>;
  /** Requests per second. */
  rate?: pulumi.Input<number | undefined>;
}

/** A provider for a second account. Pass it to resources as `{ provider }`. Each one runs in a process of its own. */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { address, token, tokenEnv, profile, rate, ...rest } = args;
    const [misspelled] = Object.keys(rest);
    if (misspelled !== undefined)
      throw new pulumi.RunError(`${name}: a provider has no setting ${misspelled}`);
    // A setting that `account.ts` reads and this list lacks does not compile.
    const settings: Readonly<Record<SettingName, unknown>> = {
      'tether:address': address,
      'tether:token': token === undefined ? undefined : pulumi.secret(token),
      'tether:tokenEnv': tokenEnv,
      'tether:profile': profile,
      'tether:rate': rate === undefined ? undefined : pulumi.output(rate).apply(String),
      'tether:explicit': 'true',
    };
    super('pulumi-nodejs', name, settings, opts);
  }
}
