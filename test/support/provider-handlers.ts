/** The provider's handlers in this process, with variables and output of a test's own; calls go to a real service. */
import { createHash } from 'node:crypto';
import { messageOf, type Unfinished } from '../../provider/failures';
import { links as linksOf } from '../../provider/links';
import { oauthClients as clientsOf } from '../../provider/oauth-clients';
import {
  inboundSet,
  outboundSet,
  type ResourceType,
  resourceTypeOf,
  type SetType,
} from '../../provider/resource-types';
import { type Handlers, Session } from '../../provider/session';
import { sets as setsOf } from '../../provider/sets';
import type { Props } from '../../provider/state';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { acme } from './world';

/** Inputs of an OAuth client as the engine sends them. */
export const clientInputs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

/** How every temporary name of that client begins. */
export function pendingName(name?: string): string {
  const digest = createHash('sha256').update(urnOf('OAuthClient', name)).digest('hex');
  return `tether-pending-${digest.slice(0, 12)}-`;
}

/** The URN that a program's resource has. */
export function urnOf(kind: string, name = 'github'): string {
  return `urn:pulumi:test::infra::tether:index:${kind}::${name}`;
}

type Rest<All> = All extends (urn: string, ...rest: infer Given) => infer Answer
  ? (...rest: Given) => Answer
  : never;

/** The handlers of one resource. */
export type Handler = { readonly [Name in keyof Handlers]: Rest<Handlers[Name]> };

function at(handlers: Handlers, urn: string): Handler {
  return {
    check: (...given) => handlers.check(urn, ...given),
    diff: (...given) => handlers.diff(urn, ...given),
    create: (...given) => handlers.create(urn, ...given),
    read: (...given) => handlers.read(urn, ...given),
    update: (...given) => handlers.update(urn, ...given),
    delete: (...given) => handlers.delete(urn, ...given),
  };
}

export function oauthClients(session: Session, name?: string): Handler {
  return at(clientsOf(session), urnOf('OAuthClient', name));
}

export function links(session: Session, type: ResourceType, name?: string): Handler {
  return at(linksOf(session, type), urnOf(type.kind, name));
}

export function sets(session: Session, type: SetType, name?: string): Handler {
  return at(setsOf(session, type), urnOf(type.kind, name));
}

export class ProviderHandlers {
  readonly variables: Record<string, string>;
  readonly said: string[] = [];
  readonly session: Session;
  readonly client: Handler;
  readonly attachment: Handler;
  readonly trigger: Handler;
  readonly inbound: Handler;
  readonly outbound: Handler;

  private constructor(readonly service: Service) {
    this.variables = { TETHER_ADDRESS: service.url, TETHER_TOKEN: 'owner-token' };
    this.session = this.newRun();
    this.client = oauthClients(this.session);
    this.attachment = links(this.session, resourceTypeOf('ProjectAttachment'));
    this.trigger = links(this.session, resourceTypeOf('RunTrigger'));
    this.inbound = sets(this.session, inboundSet);
    this.outbound = sets(this.session, outboundSet);
  }

  static async start(
    seed: SeedObject = acme,
    options: Omit<ServiceOptions, 'seed'> = {},
  ): Promise<ProviderHandlers> {
    return new ProviderHandlers(await createService({ ...options, seed }));
  }

  close(): Promise<void> {
    return this.service.close();
  }

  /** The session of another provider process, as the next run of the engine starts one. */
  newRun(config: Props = { rate: '100000' }): Session {
    const session = new Session({
      variable: (name) => this.variables[name],
      folder: () => '/',
      say: (line) => this.said.push(line),
    });
    session.configure({ explicit: false, ...config });
    return session;
  }

  writes(): string[] {
    const writes = this.service.requests().filter((one) => one.method !== 'GET');
    this.service.clearRequests();
    return writes.map((one) => `${one.method} ${one.route}`);
  }
}

/** The error a handler throws, as the engine is told of it; fails when it throws none. */
export async function errorOf(work: Promise<unknown>): Promise<Error & { id?: string; properties?: Props }> {
  try {
    await work;
  } catch (error) {
    const { id, properties } = error as Partial<Unfinished>;
    const told = new Error(messageOf(error));
    told.stack = told.message;
    return Object.assign(told, { ...(id && { id, properties }) });
  }
  throw new Error('nothing was thrown');
}
