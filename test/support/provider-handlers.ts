/** The provider's handlers in this process, with variables and output of a test's own; calls go to a real service. */
import type { dynamic } from '@pulumi/pulumi';
import { links } from '../../provider/links';
import { oauthClients } from '../../provider/oauth-clients';
import { inboundSet, outboundSet, resourceTypeOf } from '../../provider/resource-types';
import { Session } from '../../provider/session';
import { sets } from '../../provider/sets';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { acme } from './world';

/** Inputs of an OAuth client as the engine sends them. */
export const clientInputs = {
  __provider: 'text',
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  createKey: '0123456789ab',
};

export type Handler = Required<dynamic.ResourceProvider>;

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
  newRun(config: Readonly<Record<string, string>> = { 'tether:rate': '100000' }): Session {
    const session = new Session({
      variable: (name) => this.variables[name],
      folder: () => '/',
      say: (line) => this.said.push(line),
    });
    session.configure({ get: (key: string) => config[key] });
    return session;
  }

  writes(): string[] {
    const writes = this.service.requests().filter((one) => one.method !== 'GET');
    this.service.clearRequests();
    return writes.map((one) => `${one.method} ${one.route}`);
  }
}

/** The error a handler throws; fails when it throws none. */
export async function errorOf(work: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('nothing was thrown');
}
