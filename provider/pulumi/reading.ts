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

/** Calls the plugin. Failures are told as `Refusal`s. */
async function called<Result>(name: string, args: object, opts?: pulumi.InvokeOptions): Promise<Result> {
  const found: object | undefined = await pulumi.runtime
    .invoke(`tether:index:${name}`, args, { version, ...opts })
    .catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      throw new Refusal(message.replace(/^Invocation of .*? returned an error: /u, ''));
    });
  // What the engine answers for a provider whose settings only `up` will know: no function gives nothing.
  if (pulumi.runtime.isDryRun() && Object.keys(found ?? {}).length === 0) {
    throw new NotKnownYet(`${name}: the settings of its provider are not known yet: use ${name}Output`);
  }
  return found as Result;
}

/** Ends the program with one line: a stack of the SDK hangs Node (nodejs/node#64011). */
class Refusal extends pulumi.RunError {
  override readonly stack = this.message;
}

class NotKnownYet extends Refusal {}

/** Waits for its inputs, and for the resources that it depends on. */
function later<Args, Result>(read: Reader<Args, Result>): OutputReader<Args, Result> {
  return (args, { dependsOn = [], ...opts } = {}) => {
    const made = pulumi.output(dependsOn).apply((found) => {
      const resources = [found].flat() as pulumi.Resource[];
      return pulumi.all(resources.map(madeWhole));
    });
    const known = pulumi.all([pulumi.output(args), made]);
    const answer = ([given]: readonly unknown[]) =>
      read(given as Args, opts).catch((error: unknown) => {
        if (error instanceof NotKnownYet) return pulumi.unknown;
        throw error;
      });
    return known.apply(answer) as pulumi.Output<Result>;
  };
}

/** Of a component, which is there before they are: its children, as the SDK finds them for `dependsOn` of resources. */
function madeWhole(resource: pulumi.Resource): pulumi.Output<unknown> {
  if (pulumi.CustomResource.isInstance(resource)) return resource.id;
  const component = resource as { __data?: Promise<unknown>; __childResources?: Iterable<pulumi.Resource> };
  const initialized = pulumi.all([resource.urn, Promise.resolve(component.__data).then(() => true)]);
  return initialized.apply(() => pulumi.all([...(component.__childResources ?? [])].map(madeWhole)));
}
