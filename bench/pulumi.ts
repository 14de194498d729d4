/** Counts the calls of Pulumi programs on the real engine. */
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { OAuthClient, ProjectAttachment, RunTrigger } from '../provider/pulumi';
import { PulumiWorld } from '../test/support/pulumi-world';
import { isFull, report } from './row';
import { hub, makeSeed, type Pair, token } from './worlds';

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

function triggers(pairs: readonly Pair[]): void {
  for (const [target, source] of pairs) {
    new RunTrigger(`${source}-${target}`, { workspaceId: `ws-${target}`, sourceableId: `ws-${source}` });
  }
}

interface Calls {
  readonly up: number;
  readonly preview: number;
  readonly refresh: number;
}

async function countCalls(workspaces: number, program: PulumiFn): Promise<Calls> {
  const world = await PulumiWorld.start({
    seed: makeSeed({ profile: 'default', workspaces, pairs: [], clients: 5, projects: 4 }),
    config: { 'tether:rate': '100000' },
    env: { TETHER_TOKEN: token },
  });
  try {
    world.program = program;
    const count = async (work: () => Promise<{ readonly failure?: string | undefined }>) => {
      world.service.clearRequests();
      const { failure } = await work();
      if (failure !== undefined) throw new Error(failure);
      return world.service.requests().length;
    };
    return {
      up: await count(() => world.up()),
      preview: await count(() => world.preview()),
      refresh: await count(() => world.refresh()),
    };
  } finally {
    await world.close();
  }
}

function reportCalls(what: string, most: number, calls: number): void {
  report({ what, goal: `≤ ${most} calls`, measured: `${calls}`, holds: calls <= most, isCount: true });
}

async function main(): Promise<void> {
  const [sources, targets] = isFull ? [20, 5] : [4, 2];
  const links = hub(sources, targets);
  const mixed = await countCalls(sources + targets, async () => {
    clients(5, 4);
    triggers(links);
  });
  const objects = 25 + links.length;
  reportCalls(`Pulumi: \`up\` of ${objects} resources`, Math.ceil(1.2 * objects), mixed.up);
  reportCalls('Pulumi: no-op preview of the same', 0, mixed.preview);
  if (!isFull) return;
  const many = hub(20, 50);
  const { refresh } = await countCalls(70, async () => triggers(many));
  reportCalls(`Pulumi: \`refresh\` of ${many.length} triggers into 50 workspaces`, 55, refresh);
}

void main();
