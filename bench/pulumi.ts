/** Calls that a Pulumi program costs: single links, clients with their attachments, and sets instead of links. Needs the engine. */
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { InboundRunTriggers, OAuthClient, ProjectAttachment, RunTrigger } from '../provider/pulumi';
import { PulumiWorld, type Ran } from '../test/support/pulumi-world';
import type { PulumiCalls } from './results';
import { publish, sizeOf } from './size';
import { duration, printTable } from './table';
import { hub, seedOf, token } from './worlds';

const isFull = sizeOf(process.argv.slice(2)) === 'full';

/** So many targets, each with the same sources. */
const [targets, sources] = isFull ? [5, 20] : [2, 4];
const pairs = hub(sources, targets).map(([target, source]) => [`ws-${target}`, `ws-${source}`] as const);

function clients(count: number, attachments: number): void {
  for (let one = 0; one < count; one += 1) {
    const client = new OAuthClient(`client-${one}`, {
      organization: 'acme',
      name: `Client ${one}`,
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
      oauthTokenString: `secret-${one}`,
      organizationScoped: false,
    });
    for (let index = 0; index < attachments; index += 1) {
      const projectId = `prj-${one * attachments + index}`;
      new ProjectAttachment(projectId, { oauthClientId: client.id, projectId });
    }
  }
}

function links(): void {
  for (const [workspaceId, sourceableId] of pairs) {
    new RunTrigger(`${sourceableId}-${workspaceId}`, { workspaceId, sourceableId });
  }
}

function sets(): void {
  for (const workspaceId of new Set(pairs.map(([target]) => target))) {
    const sourceableIds = pairs.flatMap(([target, source]) => (target === workspaceId ? [source] : []));
    new InboundRunTriggers(workspaceId, { workspaceId, sourceableIds });
  }
}

const [few, many] = isFull ? [5, 20] : [1, 2];
const programs: readonly (readonly [string, PulumiFn])[] = [
  [
    `${few} clients with 4 attachments, ${pairs.length} triggers into ${targets} targets`,
    async () => {
      clients(few, 4);
      links();
    },
  ],
  [`${many} clients with an attachment`, async () => clients(many, 1)],
  [`${pairs.length} triggers as ${targets} sets`, async () => sets()],
];

async function measure(program: string, run: string, world: PulumiWorld, work: () => Promise<Ran>) {
  world.service.clearRequests();
  const started = performance.now();
  const { failure } = await work();
  if (failure !== undefined) throw new Error(failure);
  const requests = world.service.requests();
  const count = (route: string) =>
    requests.filter((one) => one.method === 'GET' && one.route === route).length;
  return {
    program,
    run,
    calls: requests.length,
    clientLists: count('/organizations/:organization_name/oauth-clients'),
    shows: count('/oauth-clients/:id'),
    ms: performance.now() - started,
  };
}

async function main(): Promise<void> {
  const all: PulumiCalls[] = [];
  for (const [name, program] of programs) {
    const world = await PulumiWorld.start({
      seed: seedOf({
        profile: 'default',
        workspaces: targets + sources,
        pairs: [],
        clients: many,
        projects: 4,
      }),
      config: { 'tether:rate': { value: '100000' } },
      env: { TETHER_TOKEN: token },
    });
    try {
      world.program = program;
      all.push(await measure(name, 'up', world, () => world.up()));
      all.push(await measure(name, 'refresh', world, () => world.refresh()));
    } finally {
      await world.close();
    }
  }
  printTable('Calls under Pulumi', [
    ['', 'run', 'calls', 'client lists', 'client shows', 'time'],
    ...all.map((one) => [one.program, one.run, one.calls, one.clientLists, one.shows, duration(one.ms)]),
  ]);
  publish('pulumi', all);
}

void main();
