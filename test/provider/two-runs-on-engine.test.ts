/** A hand-over that takes two runs: the first one takes the object over and fails before it drops the resource that had it. */
import assert from 'node:assert/strict';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import { clientInputs } from '../support/provider-handlers';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const base = { ...clientInputs, deletionProtection: false };
const pair = { workspaceId: 'ws-app', sourceableId: 'ws-dns' };
const fails = () => new OAuthClient('fails', { ...base, name: 'Fails', agentPoolId: 'apool-nowhere' });

type Declare = (oauthClientId: string) => void;

const handed: readonly (readonly [string, Declare, Declare])[] = [
  ['a renamed trigger', () => new RunTrigger('old', pair), () => new RunTrigger('new', pair)],
  [
    'a trigger that becomes one of a set',
    () => new RunTrigger('old', pair),
    () => new InboundRunTriggers('new', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] }),
  ],
  [
    'a renamed inbound set',
    () => new InboundRunTriggers('old', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] }),
    () => new InboundRunTriggers('new', { workspaceId: 'ws-app', sourceableIds: ['ws-dns'] }),
  ],
  [
    'an outbound set that becomes triggers',
    () => new OutboundRunTriggers('old', { sourceableId: 'ws-dns', workspaceIds: ['ws-app'] }),
    () => new RunTrigger('new', pair),
  ],
  [
    'a renamed attachment',
    (oauthClientId) => new ProjectAttachment('old', { oauthClientId, projectId: 'prj-web' }),
    (oauthClientId) => new ProjectAttachment('new', { oauthClientId, projectId: 'prj-web' }),
  ],
  [
    'an adopted client',
    (adoptId) => new OAuthClient('old', { ...base, adoptId }),
    (adoptId) => new OAuthClient('new', { ...base, adoptId }),
  ],
];

describe('a hand-over in two runs on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  afterEach(() => world?.close());

  for (const [what, first, next] of handed) {
    it(`keeps ${what}`, async () => {
      const { id } = await world.somebody.oauthClients.create('acme', {
        name: 'GitHub',
        serviceProvider: 'provider_a',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api/v3',
      });
      world.program = async () => void first(id);
      assert.equal((await world.up()).failure, undefined);
      const there = world.service.snapshot();
      world.program = async () => {
        next(id);
        fails();
      };
      assert.match((await world.up()).failure ?? '', /agent pool does not exist/);
      world.program = async () => void next(id);
      world.writes();
      const second = await world.up();
      assert.equal(second.failure, undefined);
      assert.deepEqual([second.steps.delete, world.writes()], [1, []]);
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(
        [oauthClients.map((one) => one.id), runTriggers],
        [there.oauthClients.map((one) => one.id), there.runTriggers],
      );
      assert.deepEqual(
        oauthClients.map((one) => one.projectIds),
        there.oauthClients.map((one) => one.projectIds),
      );
      await world.expectNothing();
      assert.equal((await world.refreshPreview()).failure, undefined);
    });
  }
});
