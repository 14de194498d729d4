/** One provider process: its account, and the client, lists and queues that its resources share. */
import { createClient } from '../client/client';
import { parseAddress } from '../client/options';
import { ListCache } from '../observation/list-cache';
import type { Found, ListItem, ListRef } from '../resources/kind';
import { oauthClient } from '../resources/oauth-client';
import { clientsOf } from '../resources/oauth-client-calls';
import { unlessItFails } from '../resources/plain-file';
import { Account, type ProviderConfig, type Surroundings } from './account';
import { ProviderError } from './failures';
import type { ResourceType } from './resource-types';
import { RunMemory } from './run';
import { addressMember, diffResult, importedMark, isUnknown, type Props } from './state';

/** How long reads share a list: longer than a refresh lets pass between two. */
const listsLastMs = 30_000;

/** What a diff found, by what each change does. */
export interface Difference {
  readonly update: readonly string[];
  readonly replace: readonly string[];
  readonly deleteBeforeReplace?: boolean;
}

/** `{}` where the object is proved gone. */
export interface ReadResult {
  readonly id?: string;
  readonly props?: Props;
  readonly inputs?: Props;
}

/** What the engine asks of a resource, which it names by its URN. Old states hold the old secrets too. */
export interface Handlers {
  check(
    urn: string,
    olds: Props,
    news: Props,
  ): Promise<{ inputs: Props; failures: readonly { readonly reason: string }[] }>;
  diff(urn: string, id: string, olds: Props, news: Props): Promise<Difference>;
  create(urn: string, inputs: Props): Promise<{ id: string; outs: Props }>;
  /** Without state and inputs it is an import, or a `get` by the id alone. */
  read(urn: string, id: string, state?: Props, inputs?: Props): Promise<ReadResult>;
  update(urn: string, id: string, olds: Props, news: Props): Promise<{ outs: Props }>;
  delete(urn: string, id: string, props: Props): Promise<void>;
}

/** Work in one queue runs one after the other. */
class Queues {
  private readonly tails = new Map<string, Promise<unknown>>();

  /** Starts when all that this queue was given before has ended, well or not. */
  async run<Result>(queue: string, work: () => Promise<Result>): Promise<Result> {
    const result = Promise.allSettled([this.tails.get(queue)]).then(work);
    this.tails.set(queue, result);
    try {
      return await result;
    } finally {
      if (this.tails.get(queue) === result) this.tails.delete(queue);
    }
  }
}

export class Session {
  readonly queues = new Queues();
  readonly run: RunMemory;
  private readonly organizations = new Map<string, Promise<string>>();
  private readonly made = new WeakMap<readonly ListItem[], Map<string, Found>>();
  /** Ids by URN, as diffs named them. */
  private readonly declared = new Map<string, string>();
  private isCancelled = false;
  /** Another one after each new configuration. */
  account: Account;
  private connected: ReturnType<typeof connect> | null = null;

  constructor(readonly around: Surroundings) {
    this.run = new RunMemory(around);
    this.account = new Account({ explicit: false }, around);
  }

  /** Handlers that neither change nor take for theirs what another service has. */
  guarded(type: ResourceType, work: Handlers): Handlers {
    const guard =
      <Given extends readonly [string, string, Props, ...unknown[]], Answer>(
        method: (...given: Given) => Promise<Answer>,
      ) =>
      async (...given: Given): Promise<Answer> => {
        this.refuseOtherAddress(given[1], given[2][addressMember]);
        return method(...given);
      };
    return {
      ...work,
      diff: guard(async (urn, id, olds, news) => {
        this.declared.set(urn, id);
        this.refuseOtherThanImported(type, id, olds, news);
        return work.diff(urn, id, olds, news);
      }),
      // What another service has under the same id must not become what the state has.
      read: async (urn, id, state = {}, inputs = {}) => {
        this.refuseOtherAddress(id, state[addressMember]);
        return work.read(urn, id, state, inputs);
      },
      update: guard(work.update),
      delete: guard(async (urn, id, props) => {
        if (!this.letsImportedGo(urn, id, props)) await work.delete(urn, id, props);
      }),
    };
  }

  configure(config: ProviderConfig): void {
    this.account = new Account(config, this.around);
    this.connected = null;
  }

  /** The run is over: what has not begun does not begin any more. */
  cancel(): void {
    this.isCancelled = true;
  }

  /** Throws `ProfileError` or `AccountError`. */
  get api() {
    return this.connection.api;
  }

  /** Creates look at `looks` first. They are of different pairs and forget none of it, so that many share a list. */
  get connection() {
    this.connected ??= connect(this.account);
    return this.connected;
  }

  /** Of a client, asked once: it never changes. Throws when the service does not say. */
  organizationOf(clientId: string): Promise<string> {
    const asked = this.organizations.get(clientId) ?? this.askOrganizationOf(clientId);
    this.organizations.set(clientId, asked);
    asked.catch(() => this.organizations.delete(clientId));
    return asked;
  }

  learnOrganizationOf(clientId: string, organization: string): void {
    this.organizations.set(clientId, Promise.resolve(organization));
  }

  /** All clients of the organization, listed once: what this process makes is added. */
  async clientsOf(organization: string): Promise<readonly Found[]> {
    const items = await this.connection.looks.read(clientsOf(organization));
    const listed = oauthClient.find(items, { organization });
    const byId = new Map(listed.map((one) => [one.id, one]));
    return [...new Map([...byId, ...(this.made.get(items) ?? [])]).values()];
  }

  /** What later creates and attachments would ask the service about this client. */
  async learnClient(client: Found, organization: string): Promise<void> {
    this.learnOrganizationOf(client.id, organization);
    const items = await this.connection.looks.read(clientsOf(organization)).catch(() => []);
    this.made.set(items, new Map([...(this.made.get(items) ?? []), [client.id, client]]));
  }

  /** Runs a write in its queue. The lists that it touches are read again; `looks` is spared by a create that succeeds. */
  async write<Result>(
    queue: string,
    refs: readonly ListRef[],
    work: () => Promise<Result>,
    isCreate = false,
  ): Promise<Result> {
    let sparesLooks = false;
    try {
      const result = await this.queues.run(queue, () => {
        if (this.isCancelled) throw new ProviderError('the run was cancelled before this was begun');
        return work();
      });
      sparesLooks = isCreate;
      return result;
    } finally {
      for (const ref of refs) {
        this.connection.lists.forget(ref);
        if (!sparesLooks) this.connection.looks.forget(ref);
      }
    }
  }

  /** A resource does not move between accounts. */
  refuseOtherAddress(id: string, recorded: unknown): void {
    const { address } = this.account;
    if (typeof recorded !== 'string' || address === undefined) return;
    // However it was written.
    if (unlessItFails(() => parseAddress(recorded)) === address) return;
    throw new ProviderError(
      `${id} belongs to ${recorded}, and this provider is configured for ${address}: a resource cannot move to another account. Give it the provider it was made with, or declare a new resource`,
    );
  }

  /** What was imported is adopted: nobody has yet said that it may be replaced. */
  private refuseOtherThanImported(type: ResourceType, id: string, olds: Props, news: Props): void {
    if (olds[importedMark] !== true) return;
    const { replace } = diffResult(type, olds, news, this.account.profile);
    const others = replace.filter((field) => !isUnknown(news[field]) && !type.fields[field]?.writeOnly);
    if (others.length === 0) return;
    const texts = others.map((field) => {
      return `its ${field} is ${JSON.stringify(olds[field])}, not ${JSON.stringify(news[field])}`;
    });
    throw new ProviderError(
      `${id} was imported, and is not what the program declares: ${texts.join(', ')}. Let the program declare it as it is for one \`pulumi up\`, or take it out of the state: \`pulumi state delete URN\`. Neither changes it`,
    );
  }

  /** True where the program stands for another object by now: a wrong import that somebody corrected. */
  private letsImportedGo(urn: string, id: string, props: Props): boolean {
    if (props[importedMark] !== true || this.run.mayDestroy(id)) return false;
    const declared = this.declared.get(urn);
    if (declared === undefined || declared === id) {
      throw new ProviderError(
        `${id} was imported, and no \`pulumi up\` has had it in its program since: it was not destroyed. \`pulumi state delete URN\` leaves it alone; to destroy it run again with TETHER_ALLOW_DESTROY=${id}`,
      );
    }
    this.around.say(`${id} stays: it was imported, and the resource is ${declared} now`, urn);
    return true;
  }

  private async askOrganizationOf(clientId: string): Promise<string> {
    const { organization } = await this.api.oauthClients.read(clientId);
    if (organization !== null) return organization;
    throw new ProviderError(`the service does not say which organization ${clientId} belongs to`);
  }
}

function connect(account: Account) {
  const api = createClient(account.connection());
  const cache = () => new ListCache(api, listsLastMs);
  return { api, lists: cache(), looks: cache() };
}

/** Without a record, what a create left is found by its ends or its temporary name. */
export const unrecorded = {
  nonce: '',
  earlier: 'none',
  existed: () => false,
  created: async () => undefined,
  mayArriveLate: async () => undefined,
  leftNothing: async () => undefined,
} as const;
