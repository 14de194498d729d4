/** A seed, and a client of the embedded service in time that costs none. */
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import type { SeedObject, Service } from '../../service';
import { VirtualClock } from './virtual-clock';

/** Organization acme with 32 workspaces, an owner and somebody who may hardly do anything. */
export const seed: SeedObject = {
  organizations: {
    acme: {
      agentPools: { 'apool-dmz': { name: 'dmz' } },
      projects: { 'prj-one': { name: 'one' }, 'prj-two': { name: 'two' } },
      workspaces: Object.fromEntries(
        ['app', 'network', ...Array.from({ length: 30 }, (_, index) => `w${index}`)].map((name) => [
          `ws-${name}`,
          { name },
        ]),
      ),
    },
  },
  tokens: {
    'owner-token': { acme: 'owner' },
    'reader-token': { acme: { manageVcsSettings: false, workspaces: { 'ws-app': 'readRuns' } } },
  },
};

/** Body of a create that the default profile takes. */
export const body = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'string-1',
};

/** A client of that service as its owner. */
export function ownerOf(service: Service, options: Partial<ClientOptions> = {}): Api {
  const clock = new VirtualClock();
  return createClient({ address: service.url, token: 'owner-token', rate: Infinity, clock, ...options });
}
