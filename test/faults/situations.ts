/** Situations in which an apply has something to do, which together contain every operation there is. */
import type { SeedObject } from '../../service';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed } from '../support/acme';
import type { ApplyWorld, Planning } from '../support/apply-world';
import { Tap } from './tap';

export interface Situation {
  readonly name: string;
  readonly behaviours?: Readonly<Record<string, string>>;
  readonly seed: SeedObject;
  /** Brings the world to where the apply begins. */
  prepare(world: ApplyWorld): Promise<void>;
  readonly options?: Planning;
}

/** Other people's things: one looks exactly like a client of ours, one is attached where we attach. */
const foreign = {
  oauthClients: {
    'oc-foreign': {
      serviceProvider: 'provider_a',
      name: 'GitHub',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      projects: ['prj-data'],
      createdAt: '2020-01-01T00:00:00.000Z',
    },
  },
  runTriggers: {
    'rt-foreign': { workspace: 'ws-network', sourceable: 'ws-dns', createdAt: '2020-01-01T00:00:00.000Z' },
  },
};

const clients = acmeClients.replace('    name: GitHub\n', '    name: GitHub\n    allowDuplicate: true\n');
const withoutGitlab = clients.slice(0, clients.indexOf('  gitlab:'));
const everything = acmeManifest({ clients });

async function converged(world: ApplyWorld, manifest = everything): Promise<void> {
  world.manifest = manifest;
  await world.apply();
}

/** The ids of clients of ours, by name. */
function idOf(world: ApplyWorld, address: string): string {
  return world.objects()[address]?.id ?? '';
}

/** Makes everything; the answer of the nth create is lost and the service does it again afterwards. */
async function withLateArrival(world: ApplyWorld, name: string): Promise<void> {
  world.manifest = everything;
  const { plan } = await world.plan();
  const rehearsal = new Tap(world.service, new Map(), null);
  const seed = acmeSeed(foreign);
  await world.applyPlan(plan, {
    api: rehearsal.api(world.api),
    aroundJournal: rehearsal.journal,
    concurrency: 1,
  });
  world.reset(seed);
  world.manifest = everything;
  const index = rehearsal.moments.findIndex((one) => one.name === name);
  const tap = new Tap(world.service, new Map(), { index, how: 'late' });
  await world.applyPlan((await world.plan()).plan, {
    api: tap.api(world.api),
    aroundJournal: tap.journal,
    concurrency: 1,
  });
  await tap.arriveLate();
}

export const situations: readonly Situation[] = [
  {
    name: 'everything is new',
    seed: acmeSeed(foreign),
    prepare: async (world) => {
      world.manifest = everything;
    },
  },
  ...['409', 'accept'].map((answer) => ({
    name: `triggers are new, duplicates are answered with ${answer}`,
    behaviours: { 'duplicate-trigger': answer, 'attach-again': '422' },
    seed: acmeSeed(foreign),
    prepare: async (world: ApplyWorld) => {
      await converged(world, acmeManifest({ clients, links: '' }));
      world.manifest = everything;
    },
  })),
  {
    name: 'clients were edited',
    seed: acmeSeed(foreign),
    prepare: async (world) => {
      await converged(world);
      world.manifest = acmeManifest({
        clients: clients
          .replace('name: GitHub', 'name: Hub')
          .replace('organizationScoped: false', 'organizationScoped: true')
          .replace('agentPool: dmz', 'agentPool: lab')
          .replace('key: lab-key', 'key: other-key')
          .replace('projects: [data]', 'projects: [data, shop]\n    protect: true'),
      });
      world.env.GIT_SECRET = 'canary-secret-2';
    },
  },
  {
    name: 'a client must be replaced',
    seed: acmeSeed(foreign),
    options: { approve: true },
    prepare: async (world) => {
      await converged(world);
      await world.api.oauthClients.attach(idOf(world, 'OAuthClient/github'), ['prj-data']);
      world.manifest = acmeManifest({
        clients: clients.replace('httpUrl: https://git.example.com', 'httpUrl: https://git2.example.com'),
      });
    },
  },
  {
    name: 'lines were removed',
    seed: acmeSeed(foreign),
    options: { approve: true, maxDeletes: 20 },
    prepare: async (world) => {
      await converged(world);
      world.manifest = acmeManifest({
        clients: withoutGitlab,
        links: 'runTriggers: [{ target: docs, source: app }]\n',
      });
    },
  },
  {
    name: 'what is wanted exists',
    seed: acmeSeed({
      oauthClients: {
        ...foreign.oauthClients,
        'oc-mine': {
          serviceProvider: 'provider_a',
          name: 'Old name',
          httpUrl: 'https://git.example.com',
          apiUrl: 'https://git.example.com/api/v3',
          organizationScoped: false,
          projects: ['prj-payments', 'prj-shop'],
        },
        'oc-lab': {
          serviceProvider: 'provider_b_hosted',
          name: 'GitLab',
          httpUrl: 'https://lab.example.com',
          apiUrl: 'https://lab.example.com/api/v4',
          key: 'lab-key',
          projects: ['prj-data'],
        },
      },
      runTriggers: {
        ...foreign.runTriggers,
        'rt-1': { workspace: 'ws-app', sourceable: 'ws-network' },
        'rt-2': { workspace: 'ws-app', sourceable: 'ws-dns' },
        'rt-3': { workspace: 'ws-docs', sourceable: 'ws-app' },
      },
    }),
    prepare: async (world) => {
      world.manifest = acmeManifest({
        clients: clients
          .replace('  github:\n', '  github:\n    id: oc-mine\n')
          .replace('  gitlab:\n', '  gitlab:\n    id: oc-lab\n'),
      });
    },
  },
  {
    name: 'addresses were renamed, let go, and left unmanaged',
    seed: acmeSeed(foreign),
    prepare: async (world) => {
      await converged(world);
      world.manifest = acmeManifest({
        clients: withoutGitlab.replace('  github:', '  hub:'),
        links: acmeLinks
          .replaceAll('oauthClient: github', 'oauthClient: hub')
          .replace('  - { target: docs, source: app }\n', ''),
        rest: 'forget: [OAuthClient/gitlab, RunTrigger/docs/app]\n',
      });
    },
  },
  {
    name: 'a field is not managed any more',
    seed: acmeSeed(foreign),
    prepare: async (world) => {
      await converged(world);
      world.manifest = acmeManifest({ clients: clients.replace('    agentPool: dmz\n', '') });
    },
  },
  {
    name: 'things were deleted by hand',
    seed: acmeSeed(foreign),
    options: { acceptMissing: 10 },
    prepare: async (world) => {
      await converged(world);
      await world.api.oauthClients.delete(idOf(world, 'OAuthClient/github'));
      await world.api.runTriggers.delete(idOf(world, 'RunTrigger/ws-docs/ws-app'));
    },
  },
  {
    name: 'a client arrived late',
    seed: acmeSeed(foreign),
    prepare: (world) => withLateArrival(world, 'create client'),
  },
  {
    name: 'a trigger arrived late',
    behaviours: { 'duplicate-trigger': 'accept' },
    seed: acmeSeed(foreign),
    prepare: (world) => withLateArrival(world, 'create trigger'),
  },
];
