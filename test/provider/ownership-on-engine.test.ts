/** Who a thing belongs to on the real engine: one owner for each, handed over without a loss, let go as it was said. */
import assert from 'node:assert/strict';
import type { CustomResourceOptions } from '@pulumi/pulumi';
import { OAuthClient, type OAuthClientArgs, ProjectAttachment, RunTrigger } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';

const base: OAuthClientArgs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  organizationScoped: false,
};
const projects = ['prj-payments', 'prj-web'];
const pair = { workspaceId: 'ws-app', sourceableId: 'ws-dns' };

const detach = 'DELETE /oauth-clients/:id/relationships/projects';

const attached = (opts: CustomResourceOptions = {}, offered = projects) => {
  const { id } = new OAuthClient('github', base, opts);
  for (const projectId of offered) new ProjectAttachment(projectId, { oauthClientId: id, projectId });
};

describe('what a program owns on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  afterEach(() => world?.close());

  const up = async (): Promise<void> => {
    assert.equal((await world.up()).failure, undefined);
  };
  const offeredTo = () => world.service.snapshot().oauthClients.map((one) => [...one.projectIds].sort());
  const made = async (): Promise<string> => {
    const client = await world.somebody.oauthClients.create('acme', {
      name: 'GitHub',
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://git.example.com/api/v3',
    });
    return client.id;
  };

  it('may be handed from attachments to the client and back, and no project loses it', async () => {
    world.program = async () => attached();
    await up();
    world.writes();
    world.program = async () => {
      new OAuthClient('github', { ...base, projectIds: projects });
    };
    await up();
    assert.deepEqual([offeredTo(), world.writes()], [[projects], []]);
    assert.equal((await world.refreshPreview()).failure, undefined);
    world.program = async () => attached();
    await up();
    assert.deepEqual(offeredTo(), [projects]);
    assert.equal((await world.refreshPreview()).failure, undefined);
  });

  it('is let go one by one where the client is retained', async () => {
    world.program = async () => attached({ retainOnDelete: true });
    await up();
    assert.equal((await world.destroy()).failure, undefined);
    assert.deepEqual(offeredTo(), [[]]);
  });

  it('is let go where the client was only read', async () => {
    const id = await made();
    world.program = async () => {
      const shared = OAuthClient.get('shared', id);
      new ProjectAttachment('web', { oauthClientId: shared.id, projectId: 'prj-web' });
    };
    await up();
    assert.deepEqual(offeredTo(), [['prj-web']]);
    world.program = async () => undefined;
    await up();
    assert.deepEqual(offeredTo(), [[]]);
  });

  it('is let go one by one where the client is destroyed, before it', async () => {
    world.program = async () => attached();
    await up();
    world.writes();
    world.env.TETHER_ALLOW_DESTROY = world.service.snapshot().oauthClients[0]?.id ?? '';
    assert.equal((await world.destroy()).failure, undefined);
    assert.deepEqual(world.writes(), [...projects.map(() => detach), 'DELETE /oauth-clients/:id']);
  });

  /** What takes a protected client and its attachments away, and is refused. */
  const refused: readonly (readonly [string, () => Promise<Ran>])[] = [
    ['a destroy', () => world.destroy()],
    [
      'an `up` of a program without them',
      () => {
        world.program = async () => undefined;
        return world.up();
      },
    ],
  ];
  for (const [what, takeAway] of refused) {
    it(`is in the service what it is in the state after ${what} that was refused`, async () => {
      world.program = async () => attached();
      await up();
      assert.match((await takeAway()).failure ?? '', /is protected and was not destroyed/);
      assert.deepEqual(offeredTo(), [[]]);
      // One of the two is not wanted any more: nothing is left of it that no state shows.
      world.program = async () => attached({}, ['prj-web']);
      world.writes();
      await up();
      assert.deepEqual(offeredTo(), [['prj-web']]);
      assert.deepEqual(world.writes(), ['POST /oauth-clients/:id/relationships/projects']);
      await world.expectNothing();
    });
  }

  const twice: readonly (readonly [string, (id: string) => void, RegExp])[] = [
    [
      'trigger',
      () => {
        new RunTrigger('one', pair);
        new RunTrigger('other', pair);
      },
      /RunTrigger "one" and RunTrigger "other" would undo .*: both are the trigger of ws-dns to ws-app/,
    ],
    [
      'attachment',
      (oauthClientId) => {
        new ProjectAttachment('one', { oauthClientId, projectId: 'prj-web' });
        new ProjectAttachment('other', { oauthClientId, projectId: 'prj-web' });
      },
      /ProjectAttachment "one" and ProjectAttachment "other" would undo .*: both are the attachment of prj-web to oc-/,
    ],
    [
      'client',
      (adoptId) => {
        new OAuthClient('one', { ...base, adoptId });
        new OAuthClient('other', { ...base, adoptId });
      },
      /OAuthClient "one" and OAuthClient "other" would undo .*: both are OAuthClient oc-/,
    ],
  ];
  for (const [what, declare, message] of twice) {
    it(`has one owner: a second resource for one ${what} is refused in the preview`, async () => {
      const id = await made();
      world.program = async () => declare(id);
      assert.match((await world.preview()).failure ?? '', message);
    });
  }

  it('has one owner: the projects of a client, also where an attachment names it by its id', async () => {
    const adoptId = await made();
    world.program = async () => {
      new OAuthClient('github', { ...base, adoptId, projectIds: ['prj-web'] });
    };
    await up();
    world.program = async () => {
      new ProjectAttachment('payments', { oauthClientId: adoptId, projectId: 'prj-payments' });
      new OAuthClient('github', { ...base, projectIds: ['prj-web'] });
    };
    assert.match(
      (await world.preview()).failure ?? '',
      /OAuthClient "github" and ProjectAttachment "payments" would undo each other's work: projectIds/,
    );
  });
});
