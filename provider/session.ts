/** The state that all resources of one provider process share. */
import type { dynamic } from '@pulumi/pulumi';
import { parseAddress } from '../client/address';
import { createClient } from '../client/client';
import { ListCache } from '../observation/list-cache';
import { type Found, type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { unlessItFails } from '../resources/plain-file';
import { Account, explicitSetting, type Surroundings, settings } from './account';
import { ProviderError } from './properties';

/** Reads share a list for this long, because a refresh spreads the reads of one list over its whole run. */
const listsLastMs = 30_000;

export class Session {
  account: Account;
  /** The ids and links of the program's resources. A delete of another resource leaves them alone. */
  readonly wanted = new Set<string>();
  /** Links that this process created or found. The keys are their names. */
  readonly created = new Map<string, Found>();
  /** Ids of links that this process deleted. Lists may still show them. */
  readonly deleted = new Set<string>();
  /** Ids of clients that replace others. The keys are the ids of those. */
  readonly successors = new Map<string, string>();
  /** Attachments that this process deleted. The keys are ids of clients. */
  readonly detached = new Map<string, readonly Key[]>();
  /** The keys are ids of clients. */
  readonly organizations = new Map<string, string>();
  private connected: ReturnType<typeof connect> | null = null;
  private readonly tails = new Map<string, Promise<unknown>>();

  constructor(readonly around: Surroundings) {
    this.account = new Account({ explicit: false }, around);
  }

  /** Stores the settings at once and checks none, because the SDK lets calls through while a slower one runs. */
  configure({ config }: dynamic.ConfigureRequest): void {
    const read = (name: string) => unlessItFails(() => config.get(name)) ?? undefined;
    const given = Object.fromEntries(settings.map((name) => [name, read(`tether:${name}`)]));
    const account = new Account({ ...given, explicit: read(explicitSetting) !== undefined }, this.around);
    // The SDK configures once for each resource type, always with the same settings.
    if (JSON.stringify(account.config) === JSON.stringify(this.account.config)) return;
    this.account = account;
    this.connected = null;
  }

  /** Opens the account at the first call to the service. Throws for settings that do not work. */
  get connection() {
    this.connected ??= connect(this.account);
    return this.connected;
  }

  get api() {
    return this.connection.api;
  }

  /** Starts the work when everything queued under this name has ended, even if it failed. */
  queue<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.tails.get(name)]).then(work);
    this.tails.set(name, result);
    return result;
  }

  forget(definition: ResourceDefinition, key: Key): void {
    for (const ref of definition.listedIn(key)) this.connection.lists.forget(ref);
  }

  /** Returns the organization of a client, and asks for it once. Throws when the service does not tell it. */
  organizationOf(clientId: string): Promise<string> {
    return this.queue(`organization of ${clientId}`, async () => {
      const known = this.organizations.get(clientId);
      const owner = known ?? (await this.api.oauthClients.read(clientId)).organization;
      if (!owner) throw new ProviderError(`the service does not tell who owns ${clientId}`);
      this.organizations.set(clientId, owner);
      return owner;
    });
  }

  /** Refuses a resource of another service. The engine shows no change when a program gives it another provider. */
  refuseOtherAddress(id: string, recorded: unknown): void {
    const { address } = this.account;
    if (typeof recorded !== 'string' || address === undefined) return;
    if (unlessItFails(() => parseAddress(recorded)) === address) return;
    throw new ProviderError(
      `${id} belongs to ${recorded}, and this provider is configured for ${address}: a resource cannot move to another account. Give it the provider it was made with, or declare a new resource`,
    );
  }
}

function connect(account: Account) {
  const api = createClient(account.clientOptions());
  return { api, lists: new ListCache(api, listsLastMs) };
}

/** Returns the name of a link in `wanted` and `created`. */
export function linkName({ kind, pair }: ResourceDefinition, key: Key): string {
  return [kind, ...pair.map((end) => partOf(key, end))].join(' ');
}
