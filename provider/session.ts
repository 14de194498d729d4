/** What the resources of one provider process share: the account, lists, queues, and what the program wants. */
import type { dynamic } from '@pulumi/pulumi';
import { createClient } from '../client/client';
import { parseAddress } from '../client/options';
import { ListCache } from '../observation/list-cache';
import { type Key, partOf, type ResourceDefinition } from '../resources/kind';
import { unlessItFails } from '../resources/plain-file';
import { Account, explicitSetting, type Surroundings, settings } from './account';
import { ProviderError } from './properties';

/** Reads share a list for this long, because a refresh spreads the reads of one list over its whole run. */
const listsLastMs = 30_000;

export class Session {
  account: Account;
  /** Ids and links that resources of the program have: no delete of another resource takes them away. */
  readonly wanted = new Set<string>();
  /** By the id of a client. */
  readonly organizations = new Map<string, string>();
  private connected: ReturnType<typeof connect> | null = null;
  private readonly tails = new Map<string, Promise<unknown>>();

  constructor(readonly around: Surroundings) {
    this.account = new Account({ explicit: false }, around);
  }

  /** Takes the settings at once and checks none: the SDK lets calls through while a slower one is under way. */
  configure({ config }: dynamic.ConfigureRequest): void {
    const read = (name: string) => unlessItFails(() => config.get(name)) || undefined;
    const given = Object.fromEntries(settings.map((name) => [name, read(`tether:${name}`)]));
    const account = new Account({ ...given, explicit: read(explicitSetting) !== undefined }, this.around);
    // The SDK configures once for each resource type, always with the same settings.
    if (JSON.stringify(account.config) === JSON.stringify(this.account.config)) return;
    this.account = account;
    this.connected = null;
  }

  /** The account is opened when something is first asked of the service. Throws for settings that do not work. */
  get connection() {
    this.connected ??= connect(this.account);
    return this.connected;
  }

  get api() {
    return this.connection.api;
  }

  /** Starts the work when all that was queued under this name has ended, well or not. */
  queue<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.tails.get(name)]).then(work);
    this.tails.set(name, result);
    return result;
  }

  forget(definition: ResourceDefinition, key: Key): void {
    for (const ref of definition.listedIn(key)) this.connection.lists.forget(ref);
  }

  /** The organization of a client, which is asked for once. Throws when the service does not say it. */
  organizationOf(clientId: string): Promise<string> {
    return this.queue(`organization of ${clientId}`, async () => {
      const known = this.organizations.get(clientId);
      const owner = known ?? (await this.api.oauthClients.read(clientId)).organization;
      if (owner === null) throw new ProviderError(`the service does not say whose client ${clientId} is`);
      this.organizations.set(clientId, owner);
      return owner;
    });
  }

  /** Refuses a resource of another service: the engine shows no change when a program gives it another provider. */
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

/** The name under which a link is wanted. */
export function linkName({ kind, pair }: ResourceDefinition, key: Key): string {
  return [kind, ...pair.map((end) => partOf(key, end))].join(' ');
}
