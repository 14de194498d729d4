/** One provider process: its account, and the client, lists and queues that its resources share. */
import type { dynamic } from '@pulumi/pulumi';
import { createClient } from '../client/client';
import { parseAddress } from '../client/options';
import { ListCache } from '../observation/observe';
import type { ListRef } from '../resources/kind';
import { unlessItFails } from '../resources/plain-file';
import { Account, explicitMark, type ProviderConfig, type Surroundings, settings } from './account';
import { onOneLine, ProviderError } from './failures';
import { RunMemory } from './run';
import { addressMember, type Props } from './state';

/** How long reads share a list: longer than a refresh lets pass between two. */
const listsLastMs = 30_000;

export type Handlers = Required<dynamic.ResourceProvider>;

/** Work in one queue runs one after the other. */
export class Queues {
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
  private configured = '';
  /** Another one after each new configuration. */
  account: Account;
  private connected: ReturnType<typeof connect> | null = null;

  constructor(readonly around: Surroundings) {
    this.run = new RunMemory(around);
    this.account = new Account({ explicit: false }, around);
  }

  /** Handlers whose every failure is one line, and which change nothing that another service has. */
  handlers(work: Omit<Handlers, 'configure'>): Handlers {
    const guarded =
      <Given extends readonly unknown[], Answer>(
        method: (...given: Given) => Promise<Answer>,
        precondition?: (id: Given[0], state: Given[1]) => void,
      ) =>
      async (...given: Given): Promise<Answer> => {
        try {
          this.notice(given);
          precondition?.(given[0], given[1]);
          return await method(...given);
        } catch (error) {
          throw onOneLine(error);
        }
      };
    const isOfThisService = (id: string, state: Props) => this.refuseOtherAddress(id, state[addressMember]);
    return {
      configure: async ({ config }) => this.configure(config),
      check: guarded(work.check),
      diff: guarded(work.diff, isOfThisService),
      create: guarded(work.create),
      read: guarded(work.read),
      update: guarded(work.update, isOfThisService),
      delete: guarded(work.delete, isOfThisService),
    };
  }

  /** At once: the SDK lets calls through while a slower one is under way. */
  configure(source: Pick<dynamic.ConfigureRequest['config'], 'get'>): void {
    const read = (name: string): string | undefined =>
      String((source.get(name) as unknown) ?? '') || undefined;
    const given = Object.fromEntries(settings.map((name) => [name, read(`tether:${name}`)]));
    const config = { ...given, explicit: read(explicitMark) !== undefined };
    // The SDK configures once for each kind: that undoes nothing.
    const text = JSON.stringify(config);
    if (text === this.configured) return;
    this.configured = text;
    this.use(config);
  }

  /** Only a resource tells the process that the program made this provider. */
  notice(given: readonly unknown[]): void {
    const isMarked = given.some((props) => ((props ?? {}) as Props).explicit === true);
    const { config } = this.account;
    if (isMarked && !config.explicit) this.use({ ...config, explicit: true });
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

  /** Runs a write in its queue. The lists that it touches are read again; `looks` is spared by a create that succeeds. */
  async write<Result>(
    queue: string,
    refs: readonly ListRef[],
    work: () => Promise<Result>,
    isCreate = false,
  ): Promise<Result> {
    let sparesLooks = false;
    try {
      const result = await this.queues.run(queue, work);
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

  private use(config: ProviderConfig): void {
    this.account = new Account(config, this.around);
    this.connected = null;
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
