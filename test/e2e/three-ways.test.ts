/** One story as data, told by the library, the command line and a Pulumi program. Each chapter leaves the same objects. */
import assert from 'node:assert/strict';
import type { Api } from '../../client/api';
import { OAuthClient, RunTrigger } from '../../provider/pulumi';
import type { Clock } from '../../service';
import { acmeSeed, bareHead } from '../support/acme';
import { HandClock } from '../support/hand-clock';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { approve } from '../support/scenario';
import { World } from '../support/world';

interface Wanted {
  readonly client: {
    readonly name: string;
    readonly httpUrl: string;
    readonly projects: readonly string[];
  } | null;
  readonly sources: readonly string[];
}

interface Chapter {
  readonly title: string;
  /** What somebody else does first. */
  readonly before?: (api: Api) => Promise<unknown>;
  readonly wanted: Wanted;
}

const first: Wanted = {
  client: { name: 'GitHub', httpUrl: 'https://git.example.com', projects: ['prj-shop'] },
  sources: ['ws-dns', 'ws-network'],
};
const renamed: Wanted = {
  client: { name: 'Git at work', httpUrl: 'https://git.example.com', projects: ['prj-data', 'prj-shop'] },
  sources: ['ws-dns'],
};
const moved: Wanted = {
  client: { name: 'Git at work', httpUrl: 'https://new.example.com', projects: ['prj-data'] },
  sources: ['ws-dns', 'ws-docs'],
};

const story: readonly Chapter[] = [
  {
    title: 'creates what is missing, and adopts what exists',
    before: (api) => api.runTriggers.create('ws-app', 'ws-network'),
    wanted: first,
  },
  {
    title: 'puts back what somebody changed and deleted',
    before: async (api) => {
      const [client] = await api.oauthClients.list('acme');
      await api.oauthClients.update(client?.id ?? '', { name: 'Theirs', agentPoolId: null });
      for (const { id } of await api.runTriggers.list('ws-app', 'inbound')) await api.runTriggers.delete(id);
    },
    wanted: first,
  },
  { title: 'changes in place, and deletes', wanted: renamed },
  { title: 'replaces a client whose URL cannot change', wanted: moved },
  { title: 'deletes everything', wanted: { client: null, sources: [] } },
];

interface Way {
  readonly world: World | PulumiWorld;
  /** Makes it so, and expects that planning again finds nothing. */
  settle(wanted: Wanted): Promise<unknown>;
}

function manifestOf({ client, sources }: Wanted): string {
  const lines = sources.map((source) => ({ target: 'ws-app', source }));
  const github = client && {
    ...client,
    serviceProvider: 'provider_a',
    apiUrl: 'https://git.example.com/api',
    oauthTokenString: { fromEnv: 'GIT_TOKEN' },
  };
  const clients = github === null ? {} : { github };
  return `${bareHead}oauthClients: ${JSON.stringify(clients)}\nrunTriggers: ${JSON.stringify(lines)}\n`;
}

async function library(clock: Clock): Promise<Way> {
  const world = await World.start(acmeSeed(), { clock });
  const settle = async (wanted: Wanted) => {
    world.write(manifestOf(wanted));
    approve(world, (await world.plan()).plan);
    await world.settle({ maxDeletes: 9 });
  };
  return { world, settle };
}

async function commandLine(clock: Clock): Promise<Way> {
  const world = await World.start(acmeSeed(), { clock });
  const settle = async (wanted: Wanted) => {
    world.write(manifestOf(wanted));
    const { stdout } = await world.expect(0, ['plan', '--max-deletes', '9']);
    if (stdout.includes('needs approval')) await world.approve(['apply', '--yes', '--max-deletes', '9']);
    await world.applyAndExpectNothing(['--max-deletes', '9']);
  };
  return { world, settle };
}

async function pulumi(clock: Clock): Promise<Way> {
  const world = await PulumiWorld.start({ clock });
  const settle = async ({ client, sources }: Wanted) => {
    world.program = async () => {
      const shared = { organization: 'acme', serviceProvider: 'provider_a', oauthTokenString: 'canary' };
      if (client !== null) {
        const { projects, ...own } = client;
        const args = { ...shared, ...own, projectIds: projects, apiUrl: 'https://git.example.com/api' };
        new OAuthClient('github', args, { protect: false });
      }
      for (const sourceableId of sources)
        new RunTrigger(sourceableId, { workspaceId: 'ws-app', sourceableId });
    };
    assert.equal((await world.refresh()).failure, undefined);
    await world.settle();
  };
  return { world, settle };
}

for (const [name, start] of Object.entries({
  'the library': library,
  'the command line': commandLine,
  pulumi,
})) {
  describe(`the story, told by ${name}`, () => {
    const clock = new HandClock();
    let way: Way;
    before(async function () {
      if (start === pulumi) needEngine(this);
      way = await start(clock);
    });
    after(() => way?.world.close());

    for (const { title, before: meanwhile, wanted } of story) {
      it(title, async () => {
        // What is younger than two minutes never counts as gone.
        clock.pass(121_000);
        await meanwhile?.(way.world.somebody);
        const earlier = way.world.service.snapshot().oauthClients[0];
        await way.settle(wanted);
        const { oauthClients, runTriggers } = way.world.service.snapshot();
        const clients = oauthClients.map((one) => ({
          ...{ name: one.name, httpUrl: one.httpUrl, projects: one.projectIds.toSorted() },
        }));
        assert.deepEqual(clients, wanted.client === null ? [] : [wanted.client]);
        assert.deepEqual(runTriggers.map(({ sourceableId }) => sourceableId).sort(), wanted.sources);
        const isSame = earlier?.id === oauthClients[0]?.id;
        assert.equal(
          isSame,
          earlier?.httpUrl === wanted.client?.httpUrl,
          'only another URL makes another client',
        );
      });
    }
  });
}
