/** What goes wrong on the real engine: refusals, failures, kills, and two services in one program. */
import assert from 'node:assert/strict';
import * as pulumi from '@pulumi/pulumi';
import * as tether from '../../provider/pulumi';
import { createService } from '../../service';
import { githubFields } from '../support/acme';
import { canKill, KilledRuns } from '../support/killed-runs';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const fields = { organization: 'acme', ...githubFields };
const trigger = { workspaceId: 'ws-app', sourceableId: 'ws-network' };

describe('on the engine', function () {
  this.timeout(120_000);
  let world: PulumiWorld;
  before(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  after(() => world?.close());

  // These tests run in order: each starts from the resources that the one before left.
  it('mistakes are refused in the preview, all at once, and a wrong token in one line', async () => {
    world.program = async () => {
      new tether.OAuthClient('github', {
        ...fields,
        serviceProvider: 'provider_x',
        oauthTokenString: pulumi.secret(''),
        secret: pulumi.secret('canary\u202e'),
      });
    };
    const refused = (await world.preview()).failure ?? '';
    assert.match(refused, /serviceProvider: "provider_x" is not a serviceProvider of profile `default`/);
    assert.match(refused, /oauthTokenString: is empty/);
    const elsewhere = { ...fields, serviceProvider: 'github' };
    world.program = async () => {
      new tether.OAuthClient('github', elsewhere);
    };
    assert.match(
      (await world.preview()).failure ?? '',
      /run `pulumi config set tether:profile hcp-terraform`/,
    );
    assert.match(refused, /secret: holds the invisible character/);
    assert.doesNotMatch(refused, /canary|<nil>/);
    world.program = async () => {
      new tether.RunTrigger('trigger', trigger);
    };
    world.env.TETHER_TOKEN = 'wrong-token';
    const { failure = '', output } = await world.up();
    assert.match(
      failure,
      /^GET \/workspaces\/ws-app\/run-triggers: the token was refused \(401\): .*: check TETHER_TOKEN$/m,
    );
    assert.doesNotMatch(output, /wrong-token|\n +at /);
    delete world.env.TETHER_TOKEN;
    world.env.TETHER_TOKEN_FILE = '/nowhere';
    assert.match((await world.up()).failure ?? '', /TETHER_TOKEN_FILE names \/nowhere, which cannot be read/);
    delete world.env.TETHER_TOKEN_FILE;
    world.env.TETHER_TOKEN = 'owner-token';
  });

  it('a missing address or token is an error of the preview of what is new or changed, and of nothing else', async () => {
    const declares = (sourceableId: string) => async () => {
      new tether.RunTrigger('trigger', { ...trigger, sourceableId });
    };
    world.program = declares('ws-network');
    await world.settle();
    delete world.env.TETHER_TOKEN;
    const noToken = /^no token: set TETHER_TOKEN or tether:token$/m;
    try {
      assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
      world.program = declares('ws-dns');
      assert.match((await world.preview()).failure ?? '', noToken);
      world.program = async () => {
        new tether.RunTrigger('trigger', trigger);
        new tether.ProjectAttachment('new', { oauthClientId: 'oc-1', projectId: 'prj-web' });
      };
      assert.match((await world.preview()).failure ?? '', noToken);
    } finally {
      world.env.TETHER_TOKEN = 'owner-token';
    }
    assert.equal((await world.destroy()).failure, undefined);
  });

  it('an error of the program ends the run, and the next one goes on with what was declared before it', async () => {
    const declares = (isWrong: boolean) => async () => {
      new tether.RunTrigger('trigger', trigger);
      if (isWrong) throw new Error('the program is wrong');
    };
    world.program = declares(true);
    assert.match((await world.up()).failure ?? '', /the program is wrong/);
    world.program = declares(false);
    await world.settle();
    assert.equal(world.service.snapshot().runTriggers.length, 1);
    assert.equal((await world.destroy()).failure, undefined);
  });

  it('a replacement that another failure ended is finished, also for an attachment that goes', async () => {
    const declares = (httpUrl: string, projects: readonly string[], isWrong: boolean) => async () => {
      const args = { ...fields, httpUrl, organizationScoped: false };
      const client = new tether.OAuthClient('replaced', args, { protect: false });
      for (const projectId of projects)
        new tether.ProjectAttachment(projectId, { oauthClientId: client.id, projectId });
      const wrong = { workspaceId: 'ws-nowhere', sourceableId: 'ws-network' };
      if (isWrong) new tether.RunTrigger('wrong', wrong, { dependsOn: client });
    };
    world.program = declares('https://old.example.com', ['prj-web', 'prj-payments'], false);
    await world.settle();
    world.program = declares('https://new.example.com', ['prj-web'], true);
    assert.match((await world.up()).failure ?? '', /not found/);
    world.program = declares('https://new.example.com', ['prj-web'], false);
    await world.settle();
    const { oauthClients } = world.service.snapshot();
    assert.deepEqual(
      oauthClients.map(({ projectIds }) => projectIds),
      [['prj-web']],
    );
    assert.equal((await world.destroy({ refresh: true })).failure, undefined);
    assert.deepEqual(world.service.snapshot().oauthClients, []);
  });

  it('a resource never moves to another service, and two services in one program are kept apart', async () => {
    const otherService = await createService({
      seed: {
        organizations: { acme: { workspaces: { 'ws-app': {}, 'ws-network': {} } } },
        tokens: { 'partner-token': { acme: 'owner' } },
      },
    });
    try {
      const partner = () =>
        new tether.Provider('partner', {
          address: otherService.url,
          token: pulumi.secret('partner-token'),
          rate: 1000,
        });
      world.program = async () => {
        const provider = partner();
        new tether.RunTrigger('trigger', trigger);
        new tether.OAuthClient('github', { ...fields, name: 'Renamed' }, { protect: false });
        new tether.RunTrigger('theirs', trigger, { provider });
        new tether.OAuthClient('theirs', { ...fields, name: 'Theirs' }, { provider, protect: false });
      };
      await world.settle();
      const snapshots = [world.service, otherService].map((service) => service.snapshot());
      assert.deepEqual(
        snapshots.map(({ runTriggers }) => runTriggers.length),
        [1, 1],
      );
      assert.deepEqual(
        snapshots.map(({ oauthClients }) => oauthClients.map(({ name }) => name)),
        [['Renamed'], ['Theirs']],
      );
      assert.doesNotMatch(world.stateText(), /partner-token|owner-token/);
      world.program = async () => {
        new tether.OAuthClient(
          'github',
          { ...fields, name: 'Renamed' },
          { protect: false, provider: partner() },
        );
      };
      assert.match(
        (await world.preview()).failure ?? '',
        /belongs to http.*, and this provider is configured for http/,
      );
      assert.equal((await world.refresh()).failure, undefined);
      assert.equal((await world.destroy()).failure, undefined);
      assert.deepEqual(
        otherService.snapshot().runTriggers.length + otherService.snapshot().oauthClients.length,
        0,
      );
    } finally {
      await otherService.close();
    }
  });
});

describe('a killed run on the engine', function () {
  this.timeout(120_000);

  it('is finished by the next one; a client that it made is refused with the line that adopts it', async function () {
    needEngine(this);
    if (!canKill) this.skip();
    const runs = await KilledRuns.start();
    try {
      const program = () => {
        const adoptId = runs.adopted.get('GitHub');
        const adopts = adoptId === undefined ? {} : { adoptId };
        const client = new tether.OAuthClient('github', { ...fields, ...adopts }, { protect: false });
        new tether.ProjectAttachment('web', { oauthClientId: client.id, projectId: 'prj-web' });
      };
      const withTrigger = () => {
        program();
        new tether.RunTrigger('trigger', trigger);
      };
      const clients = { method: 'POST', path: /\/oauth-clients$/u } as const;
      const triggers = { method: 'POST', path: /\/run-triggers$/u } as const;
      const attach = { method: 'POST', path: /\/projects$/u } as const;
      await runs.kill({ at: 'the create', program, stop: { ...clients, when: 'before' }, ends: 'finished' });
      await runs.world.expectNothing();
      assert.equal((await runs.world.destroy()).failure, undefined);
      await runs.kill({ at: 'its answer', program, stop: { ...clients, when: 'after' }, ends: 'adoptId' });
      await runs.world.expectNothing();
      assert.equal((await runs.world.destroy()).failure, undefined);
      runs.adopted.clear();
      await runs.kill({ at: 'an attachment', program, stop: { ...attach, when: 'after' }, ends: 'finished' });
      const stop = { ...triggers, when: 'after' } as const;
      await runs.kill({ at: 'a trigger', program: withTrigger, stop, ends: 'finished' });
      await runs.world.expectNothing();
      const { oauthClients, runTriggers } = runs.world.service.snapshot();
      assert.deepEqual([oauthClients.length, runTriggers.length], [1, 1]);
    } finally {
      await runs.close();
    }
  });

  it('that replaces a client and drops an attachment leaves the dropped project without access', async function () {
    needEngine(this);
    if (!canKill) this.skip();
    const runs = await KilledRuns.start();
    try {
      const declares = (httpUrl: string, projects: readonly string[]) => () => {
        const adoptId = runs.adopted.get('GitHub');
        const adopts = adoptId === undefined ? {} : { adoptId };
        const args = { ...fields, httpUrl, organizationScoped: false, ...adopts };
        const client = new tether.OAuthClient('github', args, { protect: false });
        for (const projectId of projects) {
          new tether.ProjectAttachment(projectId, { oauthClientId: client.id, projectId });
        }
      };
      const old = declares('https://old.example.com', ['prj-web', 'prj-payments']);
      runs.world.program = async () => old();
      await runs.world.settle();
      const program = declares('https://new.example.com', ['prj-web']);
      const stop = { method: 'POST', path: /\/oauth-clients$/u, when: 'after' } as const;
      await runs.kill({ at: 'the answer of the successor', program, stop, ends: 'adoptId' });
      await runs.world.expectNothing();
      const { oauthClients } = runs.world.service.snapshot();
      assert.deepEqual(
        oauthClients.map(({ httpUrl, projectIds }) => [httpUrl, projectIds]),
        [['https://new.example.com', ['prj-web']]],
      );
    } finally {
      await runs.close();
    }
  });
});
