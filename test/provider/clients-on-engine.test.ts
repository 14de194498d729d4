/** OAuth clients on the real engine: replaced, protected, adopted, told apart, repaired; secrets nowhere in clear. */
import assert from 'node:assert/strict';
import { OAuthClient, type OAuthClientArgs, ProjectAttachment } from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld, type Ran } from '../support/pulumi-world';
import { step } from '../support/step';

const base: OAuthClientArgs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'canary-token-1',
  secret: 'canary-secret-1',
};

const github =
  (more: Partial<OAuthClientArgs> = {}, name = 'github') =>
  async () => {
    new OAuthClient(name, { ...base, ...more });
  };

describe('an OAuth client on the real engine', () => {
  let world: PulumiWorld;
  let ran: Ran[];
  beforeEach(async function () {
    needEngine(this);
    ran = [];
    world = await PulumiWorld.start();
  });
  afterEach(() => world?.close());

  const clients = () => world.somebody.oauthClients.list('acme');
  const up = async (): Promise<Ran> => {
    const done = await world.up();
    ran.push(done);
    return done;
  };
  const preview = async (): Promise<Ran> => {
    const done = await world.preview({ diff: true });
    ran.push(done);
    return done;
  };

  it('tells every mistake at once, without a value, before anything is touched', async () => {
    world.program = github({
      serviceProvider: 'provider_x',
      httpUrl: 'ftp://canary-url',
      oauthTokenString: '',
      projectIds: ['ws-app'],
      agentPoolId: 'apool-dmz\u0007',
    });
    const { failure = '' } = await preview();
    for (const text of [
      /serviceProvider: "provider_x" is not a serviceProvider of profile `default`: did you mean/,
      /httpUrl: must be a URL that begins with https/,
      /oauthTokenString: is empty/,
      /projectIds\[0\]: "ws-app" is the id of a workspace; the id of a project \(`prj-…`\) belongs here/,
      /agentPoolId: holds the invisible character U\+0007: remove it/,
    ]) {
      assert.match(failure, text);
    }
    assert.doesNotMatch(failure, /canary/);
    assert.deepEqual(world.service.requests(), []);
  });

  it('goes from its creation to its end: changed, drifted, repaired, replaced, told from a twin', async () => {
    await step('is created once; a changed secret shows as one, and is written', async () => {
      world.program = github();
      assert.equal((await up()).failure, undefined);
      world.program = github({ secret: 'canary-secret-2' });
      const shown = await preview();
      assert.deepEqual(shown.changes, ['update OAuthClient github [secret]']);
      assert.match(shown.output, /secret\s*: \[secret\] => \[secret\]/);
      const before = world.service.snapshot().oauthClients[0]?.secretDigest;
      assert.equal((await up()).failure, undefined);
      assert.notEqual(world.service.snapshot().oauthClients[0]?.secretDigest, before);
      assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    });

    // Each field alone is walked in every-field-on-engine.
    const updates: readonly (readonly [string, Partial<OAuthClientArgs>, string])[] = [
      ['its name, to none', { name: null }, 'name'],
      [
        'all else that can be',
        {
          key: 'k1',
          organizationScoped: false,
          projectIds: ['prj-web', 'prj-payments'],
          agentPoolId: 'apool-dmz',
        },
        'agentPoolId, key, organizationScoped, projectIds[0], projectIds[1]',
      ],
    ];
    let given: Partial<OAuthClientArgs> = { secret: 'canary-secret-2' };
    for (const [what, more, field] of updates) {
      await step(`is updated in place: ${what}`, async () => {
        given = { ...given, ...more };
        world.program = github(given);
        const done = await up();
        assert.equal(done.failure, undefined);
        assert.deepEqual(done.changes, [`update OAuthClient github [${field}]`]);
      });
    }

    await step('takes no notice of fields that the program leaves out again', async () => {
      world.program = github({ secret: 'canary-secret-2', name: null });
      assert.deepEqual((await up()).steps, { same: 1 });
      assert.equal((await clients())[0]?.agentPoolId, 'apool-dmz');
      assert.equal((await world.refreshPreview()).failure, undefined);
    });

    await step('shows in a refresh every field that somebody changed, and repairs it', async () => {
      world.program = github(given);
      await up();
      const id = (await clients())[0]?.id ?? '';
      await world.somebody.oauthClients.update(id, {
        name: 'Theirs',
        key: 'k2',
        organizationScoped: true,
        projectIds: ['prj-search'],
        agentPoolId: null,
      });
      const drift = await world.refreshPreview();
      for (const field of ['name', 'key', 'organizationScoped', 'projectIds', 'agentPoolId']) {
        assert.match(drift.failure ?? '', new RegExp(`[~+-] ${field} *:`));
      }
      assert.equal((await world.refresh()).failure, undefined);
      const shown = await preview();
      assert.deepEqual(shown.changes, [
        'update OAuthClient github [agentPoolId, key, name, organizationScoped, projectIds[0], projectIds[1]]',
      ]);
      assert.equal((await up()).failure, undefined);
      assert.equal((await world.refreshPreview()).failure, undefined);
    });

    await step('refuses to be replaced while it is protected, already in the preview', async () => {
      const id = (await clients())[0]?.id ?? '';
      world.program = github({ ...given, httpUrl: 'https://other.example.com' });
      const { failure = '' } = await preview();
      assert.match(
        failure,
        new RegExp(`^${id} would be replaced \\(httpUrl cannot be changed in place\\), and it is protected`),
      );
      assert.match(failure, new RegExp(`TETHER_ALLOW_DESTROY=${id}`));
    });

    await step(
      'is replaced when this run lifts the protection, carries over the rest, and leaves one',
      async () => {
        const [before] = await clients();
        world.program = github({
          secret: 'canary-secret-2',
          httpUrl: 'https://other.example.com',
          deletionProtection: false,
        });
        const done = await up();
        assert.equal(done.failure, undefined);
        assert.equal(done.steps['create-replacement'], 1);
        const [after, ...others] = await clients();
        assert.deepEqual(others, []);
        assert.notEqual(after?.id, before?.id);
        assert.equal(after?.agentPoolId, 'apool-dmz');
        assert.equal(after?.name, 'GitHub');
      },
    );

    await step('is refused as the second of two that look alike, with the line to paste', async () => {
      const [there] = await clients();
      world.program = async () => {
        new OAuthClient('github', {
          ...base,
          httpUrl: 'https://other.example.com',
          secret: 'canary-secret-2',
          deletionProtection: false,
        });
        new OAuthClient('twin', { ...base, httpUrl: 'https://other.example.com' });
      };
      const { failure = '' } = await up();
      assert.match(
        failure,
        new RegExp(
          `acme already has a matching OAuth client: ${there?.id},.*adoptId: '${there?.id}'.*allowDuplicate: true`,
        ),
      );
      assert.equal((await clients()).length, 1);
    });

    await step('is gone from the state when it is gone, and deleting what is gone succeeds', async () => {
      const [there] = await clients();
      await world.somebody.oauthClients.delete(there?.id ?? '');
      assert.match((await world.refreshPreview()).failure ?? '', /1 to delete/);
      world.env.TETHER_ALLOW_DESTROY = there?.id ?? '';
      assert.equal((await world.destroy()).failure, undefined);
      delete world.env.TETHER_ALLOW_DESTROY;
    });

    await step('leaves a state without a secret in clear, nor anything but ours that is long', async () => {
      const text = world.stateText();
      assert.doesNotMatch(text, /canary-(?:token|secret)|owner-token/);
      for (const one of ran) {
        // The SDK writes its own debugging messages, which automation programs are sent.
        const events = one.events.filter((event) => String(event.diagnosticEvent?.severity) !== 'debug');
        const told = `${one.output}${one.failure ?? ''}${JSON.stringify(events)}`;
        assert.doesNotMatch(told, /canary-(?:token|secret)|owner-token/);
      }
    });
  });

  it('is refused beside an attachment when it lists its projects itself', async () => {
    world.program = async () => {
      const client = new OAuthClient('github', { ...base, projectIds: ['prj-web'] });
      new ProjectAttachment('payments', { oauthClientId: client.id, projectId: 'prj-payments' });
    };
    const { failure = '' } = await up();
    assert.match(
      failure,
      /OAuthClient "github" and ProjectAttachment "payments" would undo each other's work: projectIds/,
    );
    // The state has the client now, so that the preview tells.
    assert.match((await preview()).failure ?? '', /would undo each other's work: projectIds/);
  });

  it('is adopted by its id, after a look at what never changes', async () => {
    const made = await world.somebody.oauthClients.create('acme', {
      serviceProvider: 'provider_a',
      httpUrl: 'https://git.example.com',
      apiUrl: 'https://elsewhere.example.com',
      name: 'Old',
    });
    world.program = github({ adoptId: made.id });
    const refused = await up();
    assert.match(
      refused.failure ?? '',
      new RegExp(`${made.id} cannot be adopted as it is: its apiUrl is "https://elsewhere.example.com"`),
    );
    world.program = github({ adoptId: made.id, apiUrl: 'https://elsewhere.example.com' });
    assert.equal((await up()).failure, undefined);
    assert.deepEqual(
      (await clients()).map(({ id, name }) => [id, name]),
      [[made.id, 'GitHub']],
    );
    assert.equal((await world.preview({ expectNoChanges: true })).failure, undefined);
    assert.equal((await world.refreshPreview()).failure, undefined);
  });
});
