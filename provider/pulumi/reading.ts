/** Functions that read without a resource, with the account of the default provider or of a given one. */
import * as pulumi from '@pulumi/pulumi';
import type { OAuthClient, RunTrigger } from './classes';
import { version } from './provider';

/** By its id, or by a name that no other client has. */
export type GetOAuthClientArgs = { readonly organization: string } & (
  | { readonly id: string; readonly name?: undefined }
  | { readonly name: string; readonly id?: undefined }
);

/** Of one workspace: `inbound` are those that create runs in it, `outbound` those that its runs set off. */
export interface ListRunTriggersArgs {
  readonly workspaceId: string;
  readonly direction: 'inbound' | 'outbound';
}

/** A name that one workspace or project of the organization has. */
export interface NamedArgs {
  readonly organization: string;
  readonly name: string;
}

/** With the id that it has. */
export interface NamedResult extends NamedArgs {
  readonly id: string;
}

/** What the service shows of a resource: all that is never undefined. */
type Shown<Of extends pulumi.CustomResource> = { readonly id: string } & {
  readonly [Name in Exclude<keyof Of, keyof pulumi.CustomResource> as undefined extends pulumi.Unwrap<
    Of[Name]
  >
    ? never
    : Name]: pulumi.Unwrap<Of[Name]>;
};

export type GetOAuthClientResult = Shown<OAuthClient>;
export type ListedRunTrigger = Shown<RunTrigger>;

type Reader<Args, Result> = (args: Args, opts?: pulumi.InvokeOptions) => Promise<Result>;

/** The same for inputs that are not known yet. */
type OutputReader<Args, Result> = (
  args: { readonly [Name in keyof Args]: pulumi.Input<Args[Name]> },
  opts?: pulumi.InvokeOutputOptions,
) => pulumi.Output<Result>;

/** Reads one OAuth client; fails when there is none, or more than one of that name. */
export const getOAuthClient: Reader<GetOAuthClientArgs, GetOAuthClientResult> = (args, opts) =>
  called('getOAuthClient', args, opts);
export const getOAuthClientOutput = later(getOAuthClient);

/** All OAuth clients of an organization, oldest first. */
export const listOAuthClients: Reader<
  { readonly organization: string },
  readonly GetOAuthClientResult[]
> = async (args, opts) =>
  (await called<{ clients: readonly GetOAuthClientResult[] }>('listOAuthClients', args, opts)).clients;
export const listOAuthClientsOutput = later(listOAuthClients);

/** All run triggers of a workspace in one direction. */
export const listRunTriggers: Reader<ListRunTriggersArgs, readonly ListedRunTrigger[]> = async (args, opts) =>
  (await called<{ triggers: readonly ListedRunTrigger[] }>('listRunTriggers', args, opts)).triggers;
export const listRunTriggersOutput = later(listRunTriggers);

/** The id of a workspace by its name, where the profile can look names up. */
export const getWorkspace: Reader<NamedArgs, NamedResult> = (args, opts) =>
  called('getWorkspace', args, opts);
export const getWorkspaceOutput = later(getWorkspace);

/** The id of a project by its name, where the profile can look names up. */
export const getProject: Reader<NamedArgs, NamedResult> = (args, opts) => called('getProject', args, opts);
export const getProjectOutput = later(getProject);

/** Calls the plugin. A failure ends the program with one line: a stack of the SDK hangs Node (nodejs/node#64011). */
async function called<Result>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<Result> {
  try {
    return (await pulumi.runtime.invoke(`tether:index:${name}`, args, { version, ...opts })) as Result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const refusal = new pulumi.RunError(message.replace(/^Invocation of .*? returned an error: /u, ''));
    refusal.stack = refusal.message;
    throw refusal;
  }
}

/** Waits for its inputs, and for the resources that it depends on. */
function later<Args, Result>(read: Reader<Args, Result>): OutputReader<Args, Result> {
  return (args, { dependsOn = [], ...opts } = {}) => {
    const made = pulumi.output(dependsOn).apply((found) => {
      const resources = [found].flat() as pulumi.Resource[];
      return pulumi.all(resources.map((one) => (pulumi.CustomResource.isInstance(one) ? one.id : one.urn)));
    });
    const known = pulumi.all([pulumi.output(args), made]);
    return known.apply(([given]) => read(given as Args, opts)) as pulumi.Output<Result>;
  };
}
