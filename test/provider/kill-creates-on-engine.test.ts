/** Engine and provider are killed at each request of a create: one object per resource, or a refusal with the way out. */
import assert from 'node:assert/strict';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import type { Stop } from '../support/gate';
import { canKill, KilledRuns, type KillPoint } from '../support/killed-runs';
import { needEngine } from '../support/pulumi-engine';

const createClient = { method: 'POST', path: /\/oauth-clients$/u } as const;
const rename = { method: 'PATCH', path: /\/oauth-clients\//u } as const;
const attach = { method: 'POST', path: /\/relationships\/projects$/u } as const;
const trigger = { method: 'POST', path: /\/run-triggers$/u } as const;
const remove = { method: 'DELETE', path: /\/run-triggers\//u } as const;

describe('a create that is killed on the real engine', () => {
  let runs: KilledRuns;
  before(async function () {
    needEngine(this);
    if (!canKill) this.skip();
    runs = await KilledRuns.start();
  });
  after(() => runs?.close());

  it('is finished by the next run at every point, nothing doubled and nothing lost', async () => {
    const declared: (() => void)[] = [];
    const program = (): void => {
      for (const declare of declared) declare();
    };
    const clients = new Map<string, OAuthClient>();
    const client = (name: string) => (): void => {
      const adoptId = runs.adopted.get(name);
      const made = new OAuthClient(name, {
        organization: 'acme',
        name,
        serviceProvider: 'provider_a',
        httpUrl: 'https://git.example.com',
        apiUrl: 'https://git.example.com/api/v3',
        oauthTokenString: 'canary-token',
        ...(adoptId === undefined ? {} : { adoptId }),
      });
      clients.set(name, made);
    };
    const attachment = (projectId: string) => (): void => {
      const one = clients.get('one') ?? assert.fail('there is no client');
      new ProjectAttachment(projectId, { oauthClientId: one.id, projectId });
    };
    const link = (sourceableId: string) => (): void => {
      new RunTrigger(sourceableId, { workspaceId: 'ws-app', sourceableId });
    };
    const members = { inbound: ['ws-app', 'ws-jobs'], outbound: ['ws-jobs', 'ws-docs'] };
    const inbound = (): void => {
      new InboundRunTriggers('web', { workspaceId: 'ws-web', sourceableIds: members.inbound });
    };
    const outbound = (): void => {
      new OutboundRunTriggers('dns', { sourceableId: 'ws-dns', workspaceIds: members.outbound });
    };
    const adds = (declare: () => void) => (): void => {
      declared.push(declare);
    };
    const changes = (more: { inbound?: string[]; outbound?: string[] }) => (): void => {
      Object.assign(members, more);
    };
    const points: readonly (readonly [string, () => void, Stop, KillPoint['then']])[] = [
      [
        'client: its POST never arrives',
        adds(client('one')),
        { ...createClient, when: 'before' },
        'finished',
      ],
      [
        'client: the answer to its POST is lost',
        adds(client('two')),
        { ...createClient, when: 'after' },
        'TETHER_ALLOW_DESTROY',
      ],
      [
        'client: its rename never arrives',
        adds(client('three')),
        { ...rename, when: 'before' },
        'TETHER_ALLOW_DESTROY',
      ],
      [
        'client: the answer to its rename is lost',
        adds(client('four')),
        { ...rename, when: 'after' },
        'adoptId',
      ],
      [
        'attachment: its POST never arrives',
        adds(attachment('prj-web')),
        { ...attach, when: 'before' },
        'finished',
      ],
      [
        'attachment: the answer is lost',
        adds(attachment('prj-search')),
        { ...attach, when: 'after' },
        'finished',
      ],
      [
        'trigger: its POST never arrives',
        adds(link('ws-network')),
        { ...trigger, when: 'before' },
        'finished',
      ],
      [
        'trigger: the answer to its POST is lost',
        adds(link('ws-jobs')),
        { ...trigger, when: 'after' },
        'finished',
      ],
      ['inbound set: the first answer is lost', adds(inbound), { ...trigger, when: 'after' }, 'finished'],
      [
        'outbound set: the second POST never arrives',
        adds(outbound),
        { ...trigger, nth: 2, when: 'before' },
        'finished',
      ],
      [
        'inbound set: a new member is there, the answer is lost',
        changes({ inbound: ['ws-app', 'ws-docs'] }),
        { ...trigger, when: 'after' },
        'finished',
      ],
      [
        'outbound set: the answer to a delete is lost',
        changes({ outbound: ['ws-docs'] }),
        { ...remove, when: 'after' },
        'finished',
      ],
    ];
    for (const [at, prepare, stop, then] of points) {
      prepare();
      await runs.kill({ at, program, stop, then });
      const { oauthClients } = runs.world.service.snapshot();
      assert.deepEqual(
        oauthClients.map((one) => one.name),
        [...new Set(oauthClients.map((one) => one.name))],
        at,
      );
    }
    const { oauthClients, runTriggers } = runs.world.service.snapshot();
    assert.deepEqual(
      oauthClients.map(({ name, projectIds }) => [name, ...[...projectIds].sort()].join(' ')).sort(),
      ['four', 'one prj-search prj-web', 'three', 'two'],
    );
    assert.deepEqual(runTriggers.map((one) => `${one.sourceableId} ${one.workspaceId}`).sort(), [
      'ws-app ws-web',
      'ws-dns ws-docs',
      'ws-docs ws-web',
      'ws-jobs ws-app',
      'ws-network ws-app',
    ]);
    await runs.world.expectNothing();
  });
});
