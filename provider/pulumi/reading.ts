/** Functions that read without a resource, with the account of the default provider or of a given one. */
import * as pulumi from '@pulumi/pulumi';
import { createReadOnlyClient } from '../../client/client';
import type { Found, ListItem, ListRef } from '../../resources/kind';
import { oauthClient } from '../../resources/oauth-client';
import { clientsOf } from '../../resources/oauth-client-calls';
import { runTrigger, triggersOf } from '../../resources/run-trigger';
import { Account, processSurroundings, settings } from '../account';
import { messageOf, ProviderError } from '../failures';
import { Queues } from '../session';
import type { OAuthClient, RunTrigger } from './classes';
import { urnTypeOf } from './declare';
import { Provider, type ProviderArgs, refusal } from './provider';

/** By its id, or by a name that no other client has. */
export type GetOAuthClientArgs = { readonly organization: string } & (
  | { readonly id: string; readonly name?: undefined }
  | { readonly name: string; readonly id?: undefined }
);

/** The same for inputs that are not known yet. */
type Later<Args> = { readonly [Name in keyof Args]: pulumi.Input<Args[Name]> };
export type GetOAuthClientOutputArgs = Later<GetOAuthClientArgs>;

/** What the service shows of a resource: all that is never undefined. */
type Shown<Of extends pulumi.CustomResource> = { readonly id: string } & {
  readonly [Name in Exclude<keyof Of, keyof pulumi.CustomResource> as undefined extends pulumi.Unwrap<
    Of[Name]
  >
    ? never
    : Name]: pulumi.Unwrap<Of[Name]>;
};

export type GetOAuthClientResult = Shown<OAuthClient>;

/** Reads one OAuth client; fails when there is none, or more than one of that name. */
export async function getOAuthClient(
  args: GetOAuthClientArgs,
  opts: pulumi.InvokeOptions = {},
): Promise<GetOAuthClientResult> {
  const { organization, id, name } = args;
  if ((id === undefined) === (name === undefined)) {
    throw refusal('getOAuthClient takes either the id or the name of the client');
  }
  const clients = await listed(opts, clientsOf(organization));
  const found = oauthClient
    .find(clients, { organization })
    .filter((one) => (id === undefined ? one.values.name === name : one.id === id));
  const what = id ?? `named ${JSON.stringify(name)}`;
  const [first, other] = found;
  if (first === undefined) throw refusal(`there is no OAuth client ${what} in ${organization}`);
  if (other === undefined) return asResult<GetOAuthClientResult>(first);
  const ids = found.map((one) => one.id).join(', ');
  throw refusal(`${found.length} OAuth clients are ${what} in ${organization} (${ids}): give the id`);
}

export function getOAuthClientOutput(
  args: GetOAuthClientOutputArgs,
  opts?: pulumi.InvokeOptions,
): pulumi.Output<GetOAuthClientResult> {
  return pulumi.output(args).apply((known) => getOAuthClient(known as GetOAuthClientArgs, opts));
}

export interface ListRunTriggersArgs {
  readonly workspaceId: string;
  /** `inbound`: those that create runs in the workspace; `outbound`: those that its runs set off. */
  readonly direction: 'inbound' | 'outbound';
}

export type ListedRunTrigger = Shown<RunTrigger>;

/** All run triggers of a workspace in one direction. */
export async function listRunTriggers(
  { workspaceId, direction }: ListRunTriggersArgs,
  opts: pulumi.InvokeOptions = {},
): Promise<readonly ListedRunTrigger[]> {
  const items = await listed(opts, triggersOf(workspaceId, direction));
  const end = direction === 'inbound' ? { workspaceId } : { sourceableId: workspaceId };
  return runTrigger.find(items, end).map(asResult<ListedRunTrigger>);
}

export function listRunTriggersOutput(
  args: Later<ListRunTriggersArgs>,
  opts?: pulumi.InvokeOptions,
): pulumi.Output<readonly ListedRunTrigger[]> {
  return pulumi.output(args).apply((known) => listRunTriggers(known, opts));
}

/** Reads that have not begun, which all share who ask until then. */
const waiting = new Map<string, Promise<readonly ListItem[]>>();
const queues = new Queues();

async function listed(opts: pulumi.InvokeOptions, ref: ListRef): Promise<readonly ListItem[]> {
  try {
    const connection = (await accountFor(opts)).connection();
    const key = JSON.stringify([connection.address, connection.token, ref.name]);
    const shared =
      waiting.get(key) ??
      queues.run(key, () => {
        waiting.delete(key);
        return ref.read(createReadOnlyClient(connection));
      });
    waiting.set(key, shared);
    return await shared;
  } catch (error) {
    throw refusal(messageOf(error));
  }
}

async function accountFor(opts: pulumi.InvokeOptions): Promise<Account> {
  const provider = opts.provider ?? opts.parent?.getProvider(urnTypeOf(oauthClient.kind));
  if (provider !== undefined && !Provider.isInstance(provider)) {
    throw new ProviderError(
      'functions that read need a tether.Provider: any other does not tell what it was given',
    );
  }
  const stack = new pulumi.Config('tether');
  const given: ProviderArgs =
    provider?.args ?? Object.fromEntries(settings.map((name) => [name, stack.getSecret(name)]));
  const known = await new Promise<pulumi.Unwrap<ProviderArgs>>((resolve) => {
    pulumi.output(given).apply(resolve);
  });
  return new Account({ ...known, explicit: provider !== undefined }, processSurroundings);
}

function asResult<Result>(found: Found): Result {
  const plain = { id: found.id, ...found.values, ...found.outputs };
  // The definition has exactly these fields and outputs; a test compares the names.
  return plain as typeof plain & Result;
}
