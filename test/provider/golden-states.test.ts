/** States written by earlier releases: one `up` moves each without a call, and then it is read, up to date and destroyed. One file per release. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import type { SeedOAuthClient, SeedObject, SeedRunTrigger } from '../../service';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const folder = join(root, 'test/provider/fixtures');

interface State {
  readonly version: number;
  readonly deployment: {
    readonly resources: readonly {
      readonly type: string;
      readonly id?: string;
      readonly outputs?: Readonly<Record<string, never>>;
    }[];
  };
}

for (const file of readdirSync(folder).filter((name) => name.startsWith('state-'))) {
  describe(`${file} on the real engine`, () => {
    const text = readFileSync(join(folder, file), 'utf8');
    let world: PulumiWorld;
    before(async function () {
      needEngine(this);
      world = await PulumiWorld.start({ seed: seedOf(JSON.parse(text) as State) });
      // The stack of the test encrypts with a salt of its own.
      assert.equal((await world.up()).failure, undefined);
      const { secrets_providers } = (await world.stack.exportStack()).deployment;
      const state = JSON.parse(text.replaceAll('@ADDRESS@', world.service.url));
      await world.stack.importStack({ ...state, deployment: { ...state.deployment, secrets_providers } });
    });
    after(() => world?.close());

    it('is moved by one `up`, with no call and no change of a resource', async () => {
      world.program = () => declare(world.service.url);
      world.service.clearRequests();
      const moved = await world.up();
      assert.deepEqual([moved.failure, moved.steps], [undefined, { same: 6 }]);
      assert.deepEqual(world.service.requests(), []);
      assert.doesNotMatch(world.stateText(), /pulumi-nodejs/);
    });

    it('shows no change after that, and a refresh drops what is needed no more', async () => {
      await world.expectNothing();
      assert.equal((await world.refresh({ expectNoChanges: true })).failure, undefined);
      assert.doesNotMatch(world.stateText(), /__provider|createKey|"managed"|"explicit"/);
      await world.expectNothing();
    });

    it('is destroyed', async () => {
      world.env.TETHER_ALLOW_DESTROY = world.service
        .snapshot()
        .oauthClients.map((one) => one.id)
        .join(',');
      assert.equal((await world.destroy()).failure, undefined);
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual([oauthClients, runTriggers], [[], []]);
    });
  });
}

/** The program that wrote the states. */
async function declare(address: string): Promise<void> {
  const github = new OAuthClient('github', {
    organization: 'acme',
    serviceProvider: 'provider_a',
    name: 'GitHub',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    oauthTokenString: 'golden-secret',
    organizationScoped: false,
    agentPoolId: 'apool-dmz',
  });
  new ProjectAttachment('payments', { oauthClientId: github.id, projectId: 'prj-payments' });
  new RunTrigger('network-to-app', { workspaceId: 'ws-app', sourceableId: 'ws-network' });
  new InboundRunTriggers('web', { workspaceId: 'ws-web', sourceableIds: ['ws-app', 'ws-dns'] });
  new OutboundRunTriggers('jobs', { sourceableId: 'ws-jobs', workspaceIds: ['ws-docs'] });
  const provider = new Provider('partner', { address, tokenEnv: 'TETHER_TOKEN' });
  new RunTrigger('partner', { workspaceId: 'ws-docs', sourceableId: 'ws-network' }, { provider });
}

/** The service as the state last saw it. */
function seedOf({ deployment }: State): SeedObject {
  const oauthClients: Record<string, SeedOAuthClient> = {};
  const runTriggers: Record<string, SeedRunTrigger> = {};
  const ids = new Set<string>();
  const resources = deployment.resources.map(({ type, id = '', outputs = {} }) => ({
    kind: type.split(':').at(-1),
    id,
    outputs: outputs as Readonly<Record<string, string & string[] & boolean>>,
  }));
  const link = (id: string, workspace = '', sourceable = '', createdAt?: string) => {
    runTriggers[id] = { workspace, sourceable, ...(createdAt === undefined ? {} : { createdAt }) };
    ids.add(workspace).add(sourceable);
  };
  for (const { kind, id, outputs } of resources) {
    if (kind === 'OAuthClient') {
      const {
        name,
        serviceProvider = '',
        httpUrl = '',
        apiUrl = '',
        organizationScoped,
        createdAt,
      } = outputs;
      oauthClients[id] = {
        serviceProvider,
        httpUrl,
        apiUrl,
        name: name ?? null,
        organizationScoped: organizationScoped ?? true,
        agentPool: outputs.agentPoolId ?? null,
        oauthTokens: outputs.oauthTokenIds ?? [],
        ...(createdAt === undefined ? {} : { createdAt }),
        projects: resources
          .filter((one) => one.kind === 'ProjectAttachment' && one.outputs.oauthClientId === id)
          .map((one) => one.outputs.projectId ?? ''),
      };
    }
    if (kind === 'RunTrigger') link(id, outputs.workspaceId, outputs.sourceableId, outputs.createdAt);
    for (const one of outputs.sourceableIds ?? [])
      link(`rt-${id.replace('/', '-')}-${one}`, outputs.workspaceId, one);
    for (const one of outputs.workspaceIds ?? [])
      link(`rt-${id.replace('/', '-')}-${one}`, one, outputs.sourceableId);
  }
  const projects = Object.values(oauthClients).flatMap((one) => one.projects ?? []);
  const pools = Object.values(oauthClients).flatMap((one) => one.agentPool ?? []);
  const named = (all: Iterable<string>) => Object.fromEntries([...all].map((one) => [one, {}]));
  return {
    organizations: {
      acme: {
        agentPools: named(pools),
        projects: named(projects),
        workspaces: named(ids),
        oauthClients,
        runTriggers,
      },
    },
    tokens: { 'owner-token': { acme: 'owner' } },
  };
}
