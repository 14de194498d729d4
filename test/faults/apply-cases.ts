/** The cases of an apply. Together they contain every operation. */
import type { MakePlanOptions } from '../../reconciler/make-plan';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed, githubFields } from '../support/acme';
import type { World } from '../support/world';

export interface ApplyCase {
  /** Brings the world to the state in which the apply begins. */
  prepare(world: World): Promise<void>;
  readonly options?: Partial<MakePlanOptions>;
}

const longAgo = '2020-01-01T00:00:00.000Z';

/** The seed has objects of other people: a client that equals a declared one, one that nobody declares, and a trigger. */
export const caseSeed = acmeSeed({
  oauthClients: {
    'oc-twin': {
      ...githubFields,
      organizationScoped: false,
      agentPool: 'apool-dmz',
      createdAt: longAgo,
    },
    'oc-lone': {
      serviceProvider: 'provider_b_hosted',
      name: 'Lone',
      httpUrl: 'https://lone.example.com',
      apiUrl: 'https://lone.example.com/api/v4',
      key: 'lone-key',
      projects: ['prj-data'],
      oauthTokens: ['ot-lone'],
      createdAt: longAgo,
    },
  },
  runTriggers: { 'rt-foreign': { workspace: 'ws-network', sourceable: 'ws-dns', createdAt: longAgo } },
});

const clients = acmeClients.replace(
  '    name: GitHub\n',
  '    name: GitHub\n    allowDuplicate: [oc-twin]\n',
);
export const [githubEntry = '', gitlabEntry = ''] = clients
  .replace('oauthClients:\n', '')
  .split(/(?=^ {2}gitlab:)/m);
export const everything = acmeManifest({ clients });

const lone = `  lone:
    id: oc-lone
    name: Lone ranger
    serviceProvider: provider_b_hosted
    httpUrl: https://lone.example.com
    apiUrl: https://lone.example.com/api/v4
    secret: { fromEnv: GIT_SECRET }
`;

/** Applies the manifest, and lets its objects get old enough to count as missing. */
async function settle(world: World, manifest: string): Promise<void> {
  world.write(manifest);
  await world.settle({ maxDeletes: 9 });
  await world.pass(150_000);
}

async function readId(world: World, address: string): Promise<string> {
  return (await world.ledger()).objects[address]?.id ?? '';
}

export const applyCases = {
  'a first apply': {
    prepare: async (world) => world.write(everything),
  },
  'an update': {
    prepare: async (world) => {
      await settle(world, everything);
      await world.api().runTriggers.create('ws-app', 'ws-docs');
      world.env.GIT_SECRET = 'git-secret-second';
      const edited = clients
        .replace('name: GitLab', 'name: Lab')
        .replace('agentPool: dmz', 'agentPool: lab')
        .replace('[data]', '[shop]');
      const links = acmeLinks
        .replace('project: payments', 'project: data')
        .replace('sources: [network, dns]', 'sources: [network]')
        .replace('source: app', 'source: dns');
      world.write(acmeManifest({ clients: edited, links }));
    },
    options: { maxDeletes: 9 },
  },
  'a replacement': {
    prepare: async (world) => {
      await settle(world, everything);
      const id = await readId(world, 'OAuthClient/github');
      await world.api().oauthClients.attach(id, ['prj-data']);
      const edited = clients
        .replace('https://git.example.com\n', 'https://new.example.com\n')
        .replace('    agentPool: dmz\n', '');
      const rest = `approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
      world.write(acmeManifest({ clients: edited, rest }));
    },
  },
  'a replacement of an adopted client': {
    prepare: async (world) => {
      const adopted = `oauthClients:\n${lone}`;
      await settle(world, acmeManifest({ clients: adopted, links: '' }));
      const edited = `${adopted.replace('https://lone.example.com\n', 'https://new.example.com\n')}    oauthTokenString: { fromEnv: GIT_TOKEN }\n`;
      const rest = 'approved: [{ replace: OAuthClient/lone, id: oc-lone }]\n';
      world.write(acmeManifest({ clients: edited, links: '', rest }));
    },
  },
  'a destroy': {
    prepare: async (world) => {
      await settle(world, everything);
      const lines = await Promise.all(
        ['OAuthClient/github', 'OAuthClient/gitlab'].map(
          async (address) => `{ destroy: ${address}, id: ${await readId(world, address)} }`,
        ),
      );
      world.write(acmeManifest({ clients, rest: `approved: [${lines.join(', ')}]\n` }));
    },
    options: { destroy: true, maxDeletes: 9 },
  },
  'a renamed and a removed client': {
    prepare: async (world) => {
      await settle(world, everything);
      const hub = `oauthClients:\n${githubEntry.replace('github:', 'hub:')}`;
      const links = acmeLinks.replaceAll('oauthClient: github', 'oauthClient: hub');
      const id = await readId(world, 'OAuthClient/gitlab');
      const rest = `approved: [{ destroy: OAuthClient/gitlab, id: ${id} }]\n`;
      world.write(acmeManifest({ clients: hub, links, rest }));
    },
  },
  'an adoption by id': {
    prepare: async (world) => {
      await settle(world, acmeManifest({ clients: `oauthClients:\n${gitlabEntry}`, links: '' }));
      const adopting = `oauthClients:\n${gitlabEntry}${lone}`;
      const links = 'projectAttachments: [{ oauthClient: lone, project: shop }]\n';
      world.write(acmeManifest({ clients: adopting, links }));
    },
  },
} satisfies Readonly<Record<string, ApplyCase>>;
