/** Makes a seed, and a client of the embedded service whose waits take no time. */
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import type { ClientOptions } from '../../client/options';
import type { Service } from '../../service';
import { acmeSeed } from './acme';
import { VirtualClock } from './virtual-clock';

/** Organization acme with 32 workspaces. */
export const seed = acmeSeed({
  projects: { 'prj-one': { name: 'one' }, 'prj-two': { name: 'two' } },
  workspaces: Object.fromEntries(
    ['app', 'network', ...Array.from({ length: 30 }, (_, index) => `w${index}`)].map((name) => [
      `ws-${name}`,
      { name },
    ]),
  ),
});

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
