/** One provider process: its configuration, and the client, lists and queues that its resources share. */
import type { dynamic } from '@pulumi/pulumi';
import type { Api } from '../client/api';
import { createClient } from '../client/client';
import { createListCache, type ListCache } from '../observation/observe';
import type { ListRef } from '../resources/kind';
import type { Profile } from '../resources/profile';
import {
  accountOf,
  configuredProfile,
  isAddressOf,
  type ProviderConfig,
  profileNameOf,
  type Surroundings,
  serviceAddressOf,
  settings,
} from './account';
import { onOneLine, ProviderError } from './failures';
import { RunMemory } from './run';
import { addressMember, type Props } from './state';

/** How long reads share a list: longer than those of one refresh lie apart. */
const listsLastMs = 30_000;

/** Marks a provider that a program made. */
export const explicitMark = 'tether:explicit';

/** What the provider process loads for one type of resource. */
export type Handlers = Required<dynamic.ResourceProvider>;

type ConfigSource = Pick<dynamic.ConfigureRequest['config'], 'get'>;

interface Connected {
  readonly api: Api;
  readonly lists: ListCache;
  readonly looks: ListCache;
}

/** Work in one queue runs one after the other, in different queues side by side. */
export class Queues {
  private readonly tails = new Map<string, Promise<void>>();

  /** Runs the work once everything given to this queue before has ended, well or not. */
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
  private readonly profiles = new Map<string, Profile>();
  private readonly organizations = new Map<string, Promise<string>>();
  private configured: ProviderConfig | null = null;
  private config: ProviderConfig = { explicit: false };
  private connected: Connected | null = null;

  constructor(readonly around: Surroundings) {
    this.run = new RunMemory(around);
  }

  /** Handlers whose every failure is one line, and which work on nothing that another service has. */
  handlers({ check, diff, create, read, update, delete: remove }: Omit<Handlers, 'configure'>): Handlers {
    const guarded =
      <Given extends readonly unknown[], Answer>(work: (...given: Given) => Promise<Answer>) =>
      async (...given: Given): Promise<Answer> => {
        try {
          this.notice(given);
          return await work(...given);
        } catch (error) {
          throw onOneLine(error);
        }
      };
    const ofThisService =
      <More extends readonly unknown[], Answer>(
        work: (id: string, state: Props, ...more: More) => Promise<Answer>,
      ) =>
      async (id: string, state: Props, ...more: More): Promise<Answer> => {
        this.refuseOtherAddress(id, state[addressMember]);
        return work(id, state, ...more);
      };
    return {
      configure: async ({ config }) => this.configure(config),
      check: guarded(check),
      diff: guarded(ofThisService(diff)),
      create: guarded(create),
      read: guarded(read),
      update: guarded(ofThisService(update)),
      delete: guarded(ofThisService(remove)),
    };
  }

  /** Takes the configuration over at once: the SDK lets calls through while a slower one is under way. */
  configure(source: ConfigSource): void {
    const read = (name: string): string | undefined => {
      const value: unknown = source.get(name.includes(':') ? name : `tether:${name}`);
      if (value === undefined || value === null || value === '') return undefined;
      return String(value);
    };
    const entries = settings.flatMap((name) => {
      const value = read(name);
      return value === undefined ? [] : [[name, value] as const];
    });
    const explicit = read(explicitMark) !== undefined;
    const config: ProviderConfig = { ...Object.fromEntries(entries), explicit };
    // The SDK configures once for each kind: the second one must not undo what the first has begun.
    if (JSON.stringify(config) === JSON.stringify(this.configured)) return;
    this.configured = config;
    this.config = config;
    this.connected = null;
  }

  /** Learns from a resource that the program made this provider: nothing else tells the process. */
  notice(given: readonly unknown[]): void {
    const marked = given.some(
      (props) =>
        typeof props === 'object' && props !== null && 'explicit' in props && props.explicit === true,
    );
    if (!marked || this.config.explicit) return;
    this.config = { ...this.config, explicit: true };
    this.connected = null;
  }

  /** Throws `ProfileError`. */
  get profile(): Profile {
    const name = profileNameOf(this.config, this.around);
    const profile = this.profiles.get(name) ?? configuredProfile(this.config, this.around);
    this.profiles.set(name, profile);
    return profile;
  }

  /** Undefined when nobody says. Throws `BadOption`. */
  get address(): string | undefined {
    return serviceAddressOf(this.config, this.profile, this.around);
  }

  /** Throws `AccountError`. */
  get api(): Api {
    return this.connect().api;
  }

  /** The lists that reads share; own writes forget what they touch. */
  get lists(): ListCache {
    return this.connect().lists;
  }

  /**
   * The lists that creates look at first. They outlive the creates of this process, which are all of other pairs, so that
   * many creates of one target share a list; a delete, or a failure, forgets them too.
   */
  get looks(): ListCache {
    return this.connect().looks;
  }

  /** The organization of a client, asked once: it never changes. Throws when the service does not say. */
  organizationOf(clientId: string): Promise<string> {
    const known = this.organizations.get(clientId);
    if (known !== undefined) return known;
    const asked = this.askOrganizationOf(clientId);
    this.organizations.set(clientId, asked);
    asked.catch(() => this.organizations.delete(clientId));
    return asked;
  }

  learnOrganizationOf(clientId: string, organization: string): void {
    this.organizations.set(clientId, Promise.resolve(organization));
  }

  /** After an own write these lists are read again. */
  forget(refs: readonly ListRef[]): void {
    this.created(refs);
    for (const ref of refs) this.looks.forget(ref);
  }

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

  private async askOrganizationOf(clientId: string): Promise<string> {
    const { organization } = await this.api.oauthClients.read(clientId);
    if (organization !== null) return organization;
    throw new ProviderError(`the service does not say which organization ${clientId} belongs to`);
  }

  private connect(): Connected {
    if (this.connected === null) {
      const api = createClient(accountOf(this.config, this.profile, this.around));
      const cache = (): ListCache => createListCache(api, { ttlMs: listsLastMs });
      this.connected = { api, lists: cache(), looks: cache() };
    }
    return this.connected;
  }
}
