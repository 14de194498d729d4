/** The resource classes of Pulumi programs. A test holds their members against the definitions. */
import * as pulumi from '@pulumi/pulumi';
import { oauthClient } from '../resources/oauth-client';

type Input<Value> = pulumi.Input<Value | undefined>;
type Output<Value> = pulumi.Output<Value>;
type Ids = pulumi.Input<readonly pulumi.Input<string>[]>;
type Options = pulumi.CustomResourceOptions;

const secrets = Object.keys(oauthClient.fields).filter((name) => oauthClient.fields[name]?.writeOnly);

/**
 * A dynamic resource without the SDK's serializer, which would store the text of the provider and what it captured. The SDK's
 * provider process loads this package by one line, which stands in every state and never changes.
 */
function propertiesOf(provider: string, args: object, outputs: readonly string[]): pulumi.Inputs {
  const wrapped = Object.entries(args).map(([name, value]: readonly [string, unknown]) => {
    return [name, secrets.includes(name) && value !== undefined ? pulumi.secret(value) : value];
  });
  return {
    // The engine fills the outputs that have no value yet.
    ...Object.fromEntries(outputs.map((name) => [name, undefined])),
    ...Object.fromEntries(wrapped),
    __provider: `exports.handler = () => require('tether-iac/provider').${provider};`,
  };
}

export interface OAuthClientArgs {
  /** Name of the organization that owns the client. A change replaces the client. */
  readonly organization: pulumi.Input<string>;
  /** One of the service providers of the profile. A change replaces the client. */
  readonly serviceProvider: pulumi.Input<string>;
  /** Display name; null clears it. */
  readonly name?: Input<string | null>;
  /** Homepage of the VCS provider. A change replaces the client. */
  readonly httpUrl: pulumi.Input<string>;
  /** Base URL of the VCS provider's API. A change replaces the client. */
  readonly apiUrl: pulumi.Input<string>;
  readonly key?: Input<string>;
  /** Token made at the VCS provider beforehand. A change replaces the client where the API has no call for it. */
  readonly oauthTokenString?: Input<string>;
  /** Text of an SSH private key. A change replaces the client. */
  readonly privateKey?: Input<string>;
  readonly secret?: Input<string>;
  /** Text of an SSH public key, together with `secret`. */
  readonly rsaPublicKey?: Input<string>;
  /** True, the default: offered to the whole organization. False: only to its projects. */
  readonly organizationScoped?: Input<boolean>;
  /** Exactly these projects. Left out, they are not managed here. */
  readonly projectIds?: Ids | undefined;
  /** Agent pool that forwards the calls to the VCS provider; null clears it. */
  readonly agentPoolId?: Input<string | null>;
  /** Id of an existing client to adopt. Dropping the resource later deletes it, unless it has `retainOnDelete`. */
  readonly adoptId?: Input<string>;
  /** Ids of matching clients beside which this one may stand. */
  readonly allowDuplicate?: Ids | undefined;
}

/** The connection between an organization and a VCS provider. The engine protects it, unless the options say `protect: false`. */
export class OAuthClient extends pulumi.CustomResource {
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
  /** URL to enter at the VCS provider. */
  declare readonly callbackUrl: Output<string | null>;
  /** Path that a person opens to finish connecting. */
  declare readonly connectPath: Output<string | null>;
  declare readonly serviceProviderDisplayName: Output<string | null>;
  /** Empty until the client is connected. */
  declare readonly oauthTokenIds: Output<string[]>;

  constructor(name: string, args: OAuthClientArgs, opts: Options = {}) {
    const outputs = [...Object.keys(oauthClient.fields), ...Object.keys(oauthClient.outputs)];
    const isRead = opts.id !== undefined;
    super(
      'pulumi-nodejs:dynamic/tether:OAuthClient',
      name,
      propertiesOf('oauthClient', args, outputs),
      pulumi.mergeOptions({ protect: !isRead, additionalSecretOutputs: secrets }, opts),
    );
  }

  /** Reads a client by its id, without managing it. */
  static get(name: string, id: pulumi.Input<string>, opts?: Options): OAuthClient {
    return new OAuthClient(name, {} as OAuthClientArgs, { ...opts, id });
  }
}

export interface ProjectAttachmentArgs {
  readonly oauthClientId: pulumi.Input<string>;
  readonly projectId: pulumi.Input<string>;
}

/** One project that an OAuth client is offered to. It goes with its client. */
export class ProjectAttachment extends pulumi.CustomResource {
  declare readonly oauthClientId: Output<string>;
  declare readonly projectId: Output<string>;

  constructor(name: string, args: ProjectAttachmentArgs, opts: Options = {}) {
    const client = ownerOf(args.oauthClientId);
    super(
      'pulumi-nodejs:dynamic/tether:ProjectAttachment',
      name,
      propertiesOf('projectAttachment', args, ['organization']),
      { ...(client && { deletedWith: client }), ...opts },
    );
  }
}

/** The resource whose own id this is, which the SDK keeps in a member without a type. */
function ownerOf(id: unknown): pulumi.Resource | undefined {
  const resources: unknown = pulumi.Output.isInstance(id) ? Reflect.get(id, 'resources') : undefined;
  const all: unknown = typeof resources === 'function' ? resources() : [];
  const isOwner = (one: unknown) => pulumi.CustomResource.isInstance(one) && one.id === id;
  return [...(all as Iterable<pulumi.Resource>)].find(isOwner);
}

export interface RunTriggerArgs {
  /** Target: the workspace in which runs are created. */
  readonly workspaceId: pulumi.Input<string>;
  /** Source: the workspace whose runs create them. */
  readonly sourceableId: pulumi.Input<string>;
}

/** Runs of the source workspace create runs in the target workspace. */
export class RunTrigger extends pulumi.CustomResource {
  declare readonly workspaceId: Output<string>;
  declare readonly sourceableId: Output<string>;
  declare readonly createdAt: Output<string>;
  declare readonly workspaceName: Output<string | null>;
  declare readonly sourceableName: Output<string | null>;

  constructor(name: string, args: RunTriggerArgs, opts?: Options) {
    const outputs = ['createdAt', 'workspaceName', 'sourceableName'];
    super('pulumi-nodejs:dynamic/tether:RunTrigger', name, propertiesOf('runTrigger', args, outputs), opts);
  }
}

interface SetArgs {
  /** Create the set although triggers that it does not list exist, and delete those. */
  readonly removeUnmanaged?: Input<boolean>;
}

export interface InboundRunTriggersArgs extends SetArgs {
  readonly workspaceId: pulumi.Input<string>;
  readonly sourceableIds: Ids;
}

/** Exactly these workspaces trigger runs in the target workspace. An empty list means none. */
export class InboundRunTriggers extends pulumi.CustomResource {
  declare readonly workspaceId: Output<string>;
  declare readonly sourceableIds: Output<string[]>;

  constructor(name: string, args: InboundRunTriggersArgs, opts?: Options) {
    const type = 'pulumi-nodejs:dynamic/tether:InboundRunTriggers';
    super(type, name, propertiesOf('inboundRunTriggers', args, []), opts);
  }
}

export interface OutboundRunTriggersArgs extends SetArgs {
  readonly sourceableId: pulumi.Input<string>;
  readonly workspaceIds: Ids;
}

/** Exactly these workspaces are triggered by runs of the source workspace. An empty list means none. */
export class OutboundRunTriggers extends pulumi.CustomResource {
  declare readonly sourceableId: Output<string>;
  declare readonly workspaceIds: Output<string[]>;

  constructor(name: string, args: OutboundRunTriggersArgs, opts?: Options) {
    const type = 'pulumi-nodejs:dynamic/tether:OutboundRunTriggers';
    super(type, name, propertiesOf('outboundRunTriggers', args, []), opts);
  }
}
