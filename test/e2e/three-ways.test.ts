/** One sequence of changes as data, made by the library, the command line and a Pulumi program. Each step leaves the same objects. */
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

interface Change {
  readonly title: string;
  /** A change that somebody else makes first. */
  readonly somebodyElse?: (api: Api) => Promise<unknown>;
  readonly wanted: Wanted;
}

const initial: Wanted = {
  client: { name: 'GitHub', httpUrl: 'https://git.example.com', projects: ['prj-shop'] },
  sources: ['ws-dns', 'ws-network'],
};
const renamed: Wanted = {
  client: { name: 'Git at work', httpUrl: 'https://git.example.com', projects: ['prj-data', 'prj-shop'] },
  sources: ['ws-dns'],
};
const withNewUrl: Wanted = {
  client: { name: 'Git at work', httpUrl: 'https://new.example.com', projects: ['prj-data'] },
  sources: ['ws-dns', 'ws-docs'],
};

const changes: readonly Change[] = [
  {
    title: 'creates what is missing, and adopts what exists',
    somebodyElse: (api) => api.runTriggers.create('ws-app', 'ws-network'),
    wanted: initial,
  },
  {
    title: 'puts back what somebody changed and deleted',
    somebodyElse: async (api) => {
      const [client] = await api.oauthClients.list('acme');
      await api.oauthClients.update(client?.id ?? '', { name: 'Theirs', agentPoolId: null });
      for (const { id } of await api.runTriggers.list('ws-app', 'inbound')) await api.runTriggers.delete(id);
    },
    wanted: initial,
  },
  { title: 'changes in place, and deletes', wanted: renamed },
  { title: 'replaces a client whose URL cannot change', wanted: withNewUrl },
  { title: 'deletes everything', wanted: { client: null, sources: [] } },
];

interface FrontEnd {
  readonly world: World | PulumiWorld;
  /** Makes the objects as wanted, and expects that planning again finds nothing. */
  settle(wanted: Wanted): Promise<unknown>;
}

function writeManifest({ client, sources }: Wanted): string {
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

async function library(clock: Clock): Promise<FrontEnd> {
  const world = await World.start(acmeSeed(), { clock });
  const settle = async (wanted: Wanted) => {
    world.write(writeManifest(wanted));
    approve(world, (await world.plan()).plan);
    await world.settle({ maxDeletes: 9 });
  };
  return { world, settle };
}

async function commandLine(clock: Clock): Promise<FrontEnd> {
  const world = await World.start(acmeSeed(), { clock });
  const settle = async (wanted: Wanted) => {
    world.write(writeManifest(wanted));
    const { stdout } = await world.expect(0, ['plan', '--max-deletes', '9']);
    if (stdout.includes('needs approval')) await world.approve(['apply', '--yes', '--max-deletes', '9']);
    await world.applyAndExpectNothing(['--max-deletes', '9']);
  };
  return { world, settle };
}

async function pulumi(clock: Clock): Promise<FrontEnd> {
  const world = await PulumiWorld.start({ clock });
  const settle = async ({ client, sources }: Wanted) => {
    world.program = async () => {
      const shared = { organization: 'acme', serviceProvider: 'provider_a', oauthTokenString: 'canary' };
      if (client !== null) {
        const { projects, ...fields } = client;
        const args = { ...shared, ...fields, projectIds: projects, apiUrl: 'https://git.example.com/api' };
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
  describe(`the same changes by ${name}`, () => {
    const clock = new HandClock();
    let frontEnd: FrontEnd;
    before(async function () {
      if (start === pulumi) needEngine(this);
      frontEnd = await start(clock);
    });
    after(() => frontEnd?.world.close());

    // These tests run in order: each starts from the objects that the one before left.
    for (const { title, somebodyElse, wanted } of changes) {
      it(title, async () => {
        // An object that is younger than two minutes never counts as missing.
        clock.pass(121_000);
        await somebodyElse?.(frontEnd.world.somebody);
        const earlier = frontEnd.world.service.snapshot().oauthClients[0];
        await frontEnd.settle(wanted);
        const { oauthClients, runTriggers } = frontEnd.world.service.snapshot();
        const clients = oauthClients.map(({ name, httpUrl, projectIds }) => {
          return { name, httpUrl, projects: projectIds.toSorted() };
        });
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
