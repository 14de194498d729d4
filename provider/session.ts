/** One provider process: its configuration, and the client, lists and queues that its resources share. */
import type { dynamic } from '@pulumi/pulumi';
import type { Api } from '../client/api';
import { createClient } from '../client/client';
import { createListCache, type ListCache } from '../observation/observe';
import type { ListRef } from '../resources/kind';
import type { Profile } from '../resources/profile';
import { Account, isAddressOf, type ProviderConfig, type Surroundings, settings } from './account';
import { onOneLine, ProviderError } from './failures';
import { RunMemory } from './run';
import { addressMember, type Props } from './state';

/** How long reads share a list: longer than a refresh lets pass between two. */
const listsLastMs = 30_000;

/** Marks a provider that a program made. */
export const explicitMark = 'tether:explicit';

/** What the engine's process loads for one type. */
export type Handlers = Required<dynamic.ResourceProvider>;

/** Work in one queue runs one after the other, in different queues side by side. */
export class Queues {
  private readonly tails = new Map<string, Promise<void>>();

  /** Starts when all that this queue was given before has ended, well or not. */
  async run<Result>(queue: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.tails.get(queue) ?? Promise.resolve()).then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(queue, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(queue) === tail) this.tails.delete(queue);
    }
  }
}

export class Session {
  readonly queues = new Queues();
  readonly run: RunMemory;
  private readonly organizations = new Map<string, Promise<string>>();
  private configured = '';
  private account: Account;
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
    const isOfThisService = (id: string, state: Props): void =>
      this.refuseOtherAddress(id, state[addressMember]);
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
    const read = (name: string): string | undefined => {
      const value: unknown = source.get(name);
      return value === undefined || value === null || value === '' ? undefined : String(value);
    };
    const given = Object.fromEntries(settings.map((name) => [name, read(`tether:${name}`)]));
    const config = { ...given, explicit: read(explicitMark) !== undefined };
    // The SDK configures once for each kind: that undoes nothing.
    const text = JSON.stringify(config);
    if (text === this.configured) return;
    this.configured = text;
    this.use(config);
  }

  /** Learns from a resource that the program made this provider: nothing else tells the process. */
  notice(given: readonly unknown[]): void {
    const isMarked = given.some(
      (props) =>
        typeof props === 'object' && props !== null && 'explicit' in props && props.explicit === true,
    );
    const { config } = this.account;
    if (isMarked && !config.explicit) this.use({ ...config, explicit: true });
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    return this.account.profile;
  }

  /** Undefined when nobody says. Throws `BadOption`. */
  get address(): string | undefined {
    return this.account.address;
  }

  /** Throws `AccountError`. */
  get api(): Api {
    return this.connection.api;
  }

  /** What reads share. */
  get lists(): ListCache {
    return this.connection.lists;
  }

  /** What creates look at first. Creates are of different pairs and forget none of it, so that many share a list. */
  get looks(): ListCache {
    return this.connection.looks;
  }

  /** The organization of a client, asked once: it never changes. Throws when the service does not say. */
  organizationOf(clientId: string): Promise<string> {
    const asked = this.organizations.get(clientId) ?? this.askOrganizationOf(clientId);
    this.organizations.set(clientId, asked);
    asked.catch(() => this.organizations.delete(clientId));
    return asked;
  }

  learnOrganizationOf(clientId: string, organization: string): void {
    this.organizations.set(clientId, Promise.resolve(organization));
  }

  /** Runs a write in its queue. The lists that it touches are read again, however it ends. */
  async write<Result>(queue: string, refs: readonly ListRef[], work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.queues.run(queue, work);
    } finally {
      this.forget(refs);
    }
  }

  forget(refs: readonly ListRef[]): void {
    this.created(refs);
    for (const ref of refs) this.looks.forget(ref);
  }

  /** Forgets what a create has changed. */
  created(refs: readonly ListRef[]): void {
    for (const ref of refs) this.lists.forget(ref);
  }

  /** A resource does not move between accounts. */
  refuseOtherAddress(id: string, recorded: unknown): void {
    const { address } = this;
    if (typeof recorded !== 'string' || address === undefined || isAddressOf(address, recorded)) return;
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

  private get connection() {
    this.connected ??= connect(this.account);
    return this.connected;
  }
}

function connect(account: Account) {
  const api: Api = createClient(account.connection());
  const cache = () => createListCache(api, { ttlMs: listsLastMs });
  return { api, lists: cache(), looks: cache() };
}
