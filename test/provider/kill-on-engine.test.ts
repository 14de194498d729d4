/** Engine and provider are killed in the middle of `up`, again and again: one object per resource, or a clear refusal. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { InboundRunTriggers, OAuthClient, ProjectAttachment, RunTrigger } from '../../provider/pulumi';
import { descendants, killAll } from '../support/child-processes';
import { engineFolder, needEngine } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';

const names = ['one', 'two', 'three', 'four'];
const kills = 10;

describe('a killed run on the real engine', function () {
  this.timeout(300_000);
  let world: PulumiWorld;
  const adopted = new Map<string, string>();
  before(async function () {
    needEngine(this);
    // Descendants are looked up there.
    if (!existsSync('/proc/self/stat')) this.skip();
    // Slow enough that a kill hits the middle.
    world = await PulumiWorld.start({ behaviours: { 'latency-ms': '20' } });
  });
  after(() => world?.close());

  it('is finished by the next: nothing doubled, nothing lost', async () => {
    world.program = async () => {
      for (const name of names) {
        const adoptId = adopted.get(name);
        const client = new OAuthClient(name, {
          organization: 'acme',
          name,
          serviceProvider: 'provider_a',
          httpUrl: 'https://git.example.com',
          apiUrl: 'https://git.example.com/api/v3',
          oauthTokenString: 'canary-token',
          ...(adoptId === undefined ? {} : { adoptId }),
        });
        new ProjectAttachment(name, { oauthClientId: client.id, projectId: 'prj-web' });
      }
      for (const source of ['ws-network', 'ws-dns', 'ws-jobs']) {
        new RunTrigger(source, { workspaceId: 'ws-app', sourceableId: source });
      }
      new InboundRunTriggers('web', { workspaceId: 'ws-web', sourceableIds: ['ws-app', 'ws-jobs'] });
    };
    let killed = 0;
    for (let point = 1; point <= kills; point += 1) {
      const run = await killedAfterWrites(point % 3 === 0 ? 2 : 1);
      if (run.failure === undefined) break;
      killed += 1;
      await world.stack.cancel();
      pasteAdoptIds(run);
    }
    assert.ok(killed >= 3, `${killed} kills hit a run`);
    for (let attempt = 1; attempt <= names.length + 1; attempt += 1) {
      const run = await world.up();
      if (run.failure === undefined) break;
      assert.ok(pasteAdoptIds(run) > 0, run.failure);
    }
    const { oauthClients, runTriggers } = world.service.snapshot();
    assert.deepEqual(oauthClients.map((one) => one.name).sort(), [...names].sort());
    assert.deepEqual(
      oauthClients.map((one) => one.projectIds),
      names.map(() => ['prj-web']),
    );
    assert.deepEqual(runTriggers.map((one) => `${one.sourceableId} ${one.workspaceId}`).sort(), [
      'ws-app ws-web',
      'ws-dns ws-app',
      'ws-jobs ws-app',
      'ws-jobs ws-web',
      'ws-network ws-app',
    ]);
    assert.equal((await world.refreshPreview()).failure, undefined);
  });

  /** Runs `up` and kills everything of it once it has written so often. */
  async function killedAfterWrites(writes: number): Promise<Ran> {
    world.service.clearRequests();
    const watch = setInterval(() => {
      const done = world.service.requests().filter((one) => one.method !== 'GET').length;
      if (done >= writes) killAll(descendants(engineFolder()));
    }, 5);
    try {
      return await world.up();
    } finally {
      clearInterval(watch);
    }
  }

  /** Does what a refusal tells a person to do; returns for how many clients. */
  function pasteAdoptIds({ failure = '' }: Ran): number {
    const ids = [...failure.matchAll(/adoptId: '(oc-\w+)'/gu)].map(([, id = '']) => id);
    for (const one of world.service.snapshot().oauthClients) {
      if (ids.includes(one.id) && one.name !== null) adopted.set(one.name, one.id);
    }
    return ids.length;
  }
});
