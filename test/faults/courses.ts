/** What an apply may have to do: together these contain every operation. */
import type { MakePlanOptions } from '../../reconciler/make-plan';
import { acmeClients, acmeLinks, acmeManifest, acmeSeed, githubFields } from '../support/acme';
import type { World } from '../support/world';

export interface Course {
  readonly name: string;
  /** Brings the world to where the apply begins. */
  prepare(world: World): Promise<void>;
  readonly options?: Partial<MakePlanOptions>;
}

const long = '2020-01-01T00:00:00.000Z';

/** With other people's objects: a client that is equal to one of ours, one that nobody declares, and triggers. */
export const courseSeed = acmeSeed({
  oauthClients: {
    'oc-twin': {
      ...githubFields,
      organizationScoped: false,
      agentPool: 'apool-dmz',
      createdAt: long,
    },
    'oc-lone': {
      serviceProvider: 'provider_b_hosted',
      name: 'Lone',
      httpUrl: 'https://lone.example.com',
      apiUrl: 'https://lone.example.com/api/v4',
      key: 'lone-key',
      projects: ['prj-data'],
      oauthTokens: ['ot-lone'],
      createdAt: long,
    },
  },
  runTriggers: { 'rt-foreign': { workspace: 'ws-network', sourceable: 'ws-dns', createdAt: long } },
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

/** The state before a course: applied, and old enough to be missed. */
async function settled(world: World, manifest: string): Promise<void> {
  world.write(manifest);
  await world.settle({ maxDeletes: 9 });
  await world.pass(150_000);
}

async function idOf(world: World, address: string): Promise<string> {
  return (await world.ledger()).objects[address]?.id ?? '';
}

export const courses: readonly Course[] = [
  {
    name: 'a first apply',
    prepare: async (world) => world.write(everything),
  },
  {
    name: 'an update',
    prepare: async (world) => {
      await settled(world, everything);
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
  {
    name: 'a replacement',
    prepare: async (world) => {
      await settled(world, everything);
      const id = await idOf(world, 'OAuthClient/github');
      await world.api().oauthClients.attach(id, ['prj-data']);
      const edited = clients
        .replace('https://git.example.com\n', 'https://new.example.com\n')
        .replace('    agentPool: dmz\n', '');
      const rest = `approved: [{ replace: OAuthClient/github, id: ${id} }]\n`;
      world.write(acmeManifest({ clients: edited, rest }));
    },
  },
  {
    name: 'a replacement of an adopted client',
    prepare: async (world) => {
      const adopted = `oauthClients:\n${lone}`;
      await settled(world, acmeManifest({ clients: adopted, links: '' }));
      const edited = `${adopted.replace('https://lone.example.com\n', 'https://new.example.com\n')}    oauthTokenString: { fromEnv: GIT_TOKEN }\n`;
      const rest = 'approved: [{ replace: OAuthClient/lone, id: oc-lone }]\n';
      world.write(acmeManifest({ clients: edited, links: '', rest }));
    },
  },
  {
    name: 'a destroy',
    prepare: async (world) => {
      await settled(world, everything);
      const lines = await Promise.all(
        ['OAuthClient/github', 'OAuthClient/gitlab'].map(
          async (address) => `{ destroy: ${address}, id: ${await idOf(world, address)} }`,
        ),
      );
      world.write(acmeManifest({ clients, rest: `approved: [${lines.join(', ')}]\n` }));
    },
    options: { destroy: true, maxDeletes: 9 },
  },
  {
    name: 'a renamed and a removed client',
    prepare: async (world) => {
      await settled(world, everything);
      const hub = `oauthClients:\n${githubEntry.replace('github:', 'hub:')}`;
      const links = acmeLinks.replaceAll('oauthClient: github', 'oauthClient: hub');
      const id = await idOf(world, 'OAuthClient/gitlab');
      const rest = `approved: [{ destroy: OAuthClient/gitlab, id: ${id} }]\n`;
      world.write(acmeManifest({ clients: hub, links, rest }));
    },
  },
  {
    name: 'an adoption by id',
    prepare: async (world) => {
      await settled(world, acmeManifest({ clients: `oauthClients:\n${gitlabEntry}`, links: '' }));
      const adopting = `oauthClients:\n${gitlabEntry}${lone}`;
      const links = 'projectAttachments: [{ oauthClient: lone, project: shop }]\n';
      world.write(acmeManifest({ clients: adopting, links }));
    },
  },
];
