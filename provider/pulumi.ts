/** Entry point `tether-iac/pulumi`: the resource classes, and a provider for a further account. */
import * as pulumi from '@pulumi/pulumi';
import * as api from '../client/api';
import { oauthClient } from '../resources/oauth-client';
import type { SettingName } from './account';
import type * as providers from './index';

type Input<Value> = pulumi.Input<Value | undefined>;
type Ids = pulumi.Input<readonly pulumi.Input<string>[]>;
type Options = pulumi.CustomResourceOptions;

/** The arguments for these values. Each one may also be an output of another resource. */
type Inputs<Values> = {
  -readonly [Name in keyof Values]: Values[Name] extends readonly string[] | undefined
    ? Ids | Extract<Values[Name], undefined>
    : pulumi.Input<Values[Name]>;
};

/** A resource whose outputs have these values. */
type Resource<Values> = pulumi.CustomResource & {
  readonly [Name in keyof Values]-?: pulumi.Output<
    Values[Name] extends readonly string[] | undefined ? string[] : Exclude<Values[Name], undefined>
  >;
};

type ResourceClass<Values, Args> = new (name: string, args: Args, opts?: Options) => Resource<Values>;

const secrets = Object.keys(oauthClient.fields).filter((name) => oauthClient.fields[name]?.writeOnly);

/** Makes the class of a resource type. The engine fills those `outputs` that a program does not give, and no others. */
function resourceClass<Values, Args extends object = Inputs<Values>>(
  kind: string,
  provider: keyof typeof providers,
  outputs: Readonly<Record<Exclude<keyof Values, keyof Args | 'id'>, unknown>>,
): ResourceClass<Values, Args> {
  // This text never changes, and makes the SDK's provider process load this package. The SDK would store the code of the provider.
  const __provider = `exports.handler = () => require('tether-iac/provider').${provider};`;
  const emptyOutputs = Object.fromEntries(Object.keys(outputs).map((property) => [property, undefined]));
  return class extends pulumi.CustomResource {
    constructor(name: string, args: Args, opts?: Options) {
      // The SDK drops an `id` among the arguments without a word.
      const isImport = opts?.import !== undefined || ('id' in args && args.id !== undefined);
      const advice = 'a link that exists is adopted, and a client by adoptId';
      if (isImport) throw new pulumi.RunError(`${name} cannot be imported: ${advice}`);
      const properties: Record<string, unknown> = { ...emptyOutputs, ...args, __provider };
      for (const secret of secrets) {
        if (properties[secret] != null) properties[secret] = pulumi.secret(properties[secret]);
      }
      super(`pulumi-nodejs:dynamic/tether:${kind}`, name, properties, opts);
    }
  } as never;
}

export interface OAuthClientArgs extends Inputs<api.OAuthClientCreate> {
  /** Name of the organization. A change replaces the client. */
  organization: pulumi.Input<string>;
  /** Id of a client to adopt. Dropping the resource later deletes that client, unless it has `retainOnDelete`. */
  adoptId?: Input<string>;
  /** Ids of possible matches that may exist beside this client. */
  allowDuplicate?: Ids | undefined;
}

/** The connection between an organization and a VCS provider. The engine protects it, unless the options say `protect: false`. */
export class OAuthClient extends resourceClass<
  api.OAuthClientDocument & { organization: string },
  OAuthClientArgs
>('OAuthClient', 'oauthClient', api.oauthClientMembers) {
  constructor(name: string, args: OAuthClientArgs, opts: Options = {}) {
    const defaults = { protect: opts.protect ?? opts.id === undefined, additionalSecretOutputs: secrets };
    super(name, args, pulumi.mergeOptions(opts, defaults));
  }

  /** Reads a client by its id, without managing it. */
  static get(name: string, id: pulumi.Input<string>, opts?: Options): OAuthClient {
    return new OAuthClient(name, {} as OAuthClientArgs, { ...opts, id });
  }
}

type Attachment = { oauthClientId: string; projectId: string };

export type ProjectAttachmentArgs = Inputs<Attachment>;

/** One project that an OAuth client is offered to. */
export class ProjectAttachment extends resourceClass<Attachment>(
  'ProjectAttachment',
  'projectAttachment',
  {},
) {}

export type RunTriggerArgs = Inputs<Pick<api.RunTriggerDocument, 'workspaceId' | 'sourceableId'>>;

/** Runs of the source workspace create runs in the target workspace. */
export class RunTrigger extends resourceClass<api.RunTriggerDocument, RunTriggerArgs>(
  'RunTrigger',
  'runTrigger',
  api.runTriggerMembers,
) {}

interface SetArgs {
  /** Creates the set even if triggers exist that it does not list, and deletes those. So does an update that adds this. */
  removeUnmanaged?: Input<boolean>;
}

type InboundSet = { workspaceId: string; sourceableIds: string[] };

export type InboundRunTriggersArgs = SetArgs & Inputs<InboundSet>;

/** Exactly these workspaces trigger runs in the target workspace. An empty list means none. */
export class InboundRunTriggers extends resourceClass<InboundSet, InboundRunTriggersArgs>(
  'InboundRunTriggers',
  'inboundRunTriggers',
  {},
) {}

type OutboundSet = { sourceableId: string; workspaceIds: string[] };

export type OutboundRunTriggersArgs = SetArgs & Inputs<OutboundSet>;

/** Exactly these workspaces are triggered by runs of the source workspace. An empty list means none. */
export class OutboundRunTriggers extends resourceClass<OutboundSet, OutboundRunTriggersArgs>(
  'OutboundRunTriggers',
  'outboundRunTriggers',
  {},
) {}

/** Variables give what is absent, but no token beside an address or profile, and no address beside the profile of a product. */
export interface ProviderArgs {
  address?: Input<string>;
  /** The state keeps it as a secret. Prefer `tokenEnv`, because a rotated token does not make it stale. */
  token?: Input<string>;
  /** Name of the variable that holds the token. */
  tokenEnv?: Input<string>;
  profile?: Input<string>;
  /** Requests per second. */
  rate?: Input<number>;
}

/** A provider for a second account. Pass it to resources as `{ provider }`. Each one runs in a process of its own. */
export class Provider extends pulumi.ProviderResource {
  constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
    const { address, token, tokenEnv, profile, rate, ...others } = args;
    const [misspelled] = Object.keys(others);
    if (misspelled !== undefined)
      throw new pulumi.RunError(`${name}: a provider has no setting ${misspelled}`);
    // A setting that `account.ts` reads and this list lacks does not compile.
    const settings: Readonly<Record<SettingName, unknown>> = {
      'tether:address': address,
      'tether:token': token && pulumi.secret(token),
      'tether:tokenEnv': tokenEnv,
      'tether:profile': profile,
      'tether:rate': rate && pulumi.output(rate).apply(String),
      'tether:explicit': 'true',
    };
    super('pulumi-nodejs', name, settings, opts);
  }
}
