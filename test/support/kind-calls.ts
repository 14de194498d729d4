/** The service, its client and the attempt of a create: for tests of the calls of one kind. */
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import type { Attempt } from '../../resources/kind';
import { createService, type Service, type ServiceOptions } from '../../service';
import { acmeSeed, githubFields } from './acme';
import { HandClock } from './hand-clock';

const seed = acmeSeed({ projects: { 'prj-1': {}, 'prj-2': {} } });

/** The facts about its call in the error of a create. */
export const context = { method: 'POST', route: '/create', status: 404, attempts: 1, details: [] };

/** One organization `acme`, its owner's client, and the calls that were made. Make one in a `describe`; each test starts it. */
export class KindCalls {
  service!: Service;
  api!: Api;
  readonly clock = new HandClock();
  /** Ids of what was there before. */
  readonly existing = new Set<string>();

  constructor() {
    afterEach(() => this.service.close());
  }

  async start(options: ServiceOptions = {}): Promise<void> {
    // Time passes where the client waits, and nowhere else.
    const { clock } = this;
    this.existing.clear();
    this.service = await createService({ seed, clock, ...options });
    const waiting = { now: () => clock.now(), sleep: async (ms: number) => clock.pass(ms) };
    this.api = createClient({ address: this.service.url, token: 'owner', rate: 1000, clock: waiting });
  }

  attempt(): Attempt {
    return { attemptedAt: this.clock.now(), isOther: (id) => this.existing.has(id) };
  }

  methods(): readonly string[] {
    return this.service.requests().map(({ method }) => method);
  }

  /** A client that somebody made. */
  async leave(name = 'GitHub'): Promise<string> {
    return (await this.api.oauthClients.create('acme', { ...githubFields, name })).id;
  }
}
