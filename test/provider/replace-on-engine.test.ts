/** Replacements that somebody asks for on the real engine: the successor comes, the old one goes, or nothing happens at all. */
import assert from 'node:assert/strict';
import type { CustomResourceOptions } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  type OAuthClientArgs,
  OutboundRunTriggers,
  ProjectAttachment,
  RunTrigger,
} from '../../provider/pulumi';
import { needEngine } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';

const base: OAuthClientArgs = {
  organization: 'acme',
  name: 'GitHub',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  oauthTokenString: 'canary-token',
};

describe('a replacement on the real engine', () => {
  let world: PulumiWorld;
  beforeEach(async function () {
    needEngine(this);
    world = await PulumiWorld.start();
  });
  afterEach(() => world?.close());

  const client = (args: Partial<OAuthClientArgs> = {}, opts: CustomResourceOptions = {}): void => {
    world.program = async () => {
      new OAuthClient('github', { ...base, ...args }, opts);
    };
  };
  const urn = (): string => world.urn('OAuthClient', 'github');
  /** The one client there is, with a pool that the program does not manage. */
  const there = async () => {
    const [only, ...others] = await world.somebody.oauthClients.list('acme');
    assert.deepEqual(others, []);
    return only ?? assert.fail('there is none');
  };
  const up = async (): Promise<string> => {
    assert.equal((await world.up()).failure, undefined);
    const { id } = await there();
    await world.somebody.oauthClients.update(id, { agentPoolId: 'apool-dmz' });
    return id;
  };
  const replacedOnce = async (old: string): Promise<void> => {
    const { id, agentPoolId, name } = await there();
    assert.notEqual(id, old);
    assert.deepEqual([agentPoolId, name], ['apool-dmz', 'GitHub']);
  };

  for (const protectedBefore of [true, false]) {
    it(`by --replace of a ${protectedBefore ? 'protected' : 'free'} client asks for its id, of which the engine shows nothing`, async () => {
      client(protectedBefore ? {} : { deletionProtection: false });
      const old = await up();
      const refused = await world.up({ replace: [urn()] });
      assert.match(refused.failure ?? '', new RegExp(`--replace.*TETHER_ALLOW_DESTROY=${old}`));
      assert.equal((await there()).id, old);
      world.env.TETHER_ALLOW_DESTROY = old;
      assert.equal((await world.up({ replace: [urn()] })).failure, undefined);
      delete world.env.TETHER_ALLOW_DESTROY;
      await replacedOnce(old);
      await world.expectNothing();
    });
  }

  it('by --replace needs nothing more where a refresh has shown the old one', async () => {
    client();
    const old = await up();
    client({ deletionProtection: false });
    assert.equal((await world.up({ replace: [urn()], refresh: true })).failure, undefined);
    await replacedOnce(old);
    await world.expectNothing();
  });

  it('by --replace of what it adopted keeps the object', async () => {
    client();
    const old = await up();
    client({ adoptId: old, deletionProtection: false });
    const kept = await world.up({ replace: [urn()] });
    assert.equal(kept.failure, undefined);
    assert.match(kept.output, new RegExp(`${old} stays: a resource of this run has taken it over`));
    assert.equal((await there()).id, old);
    await world.expectNothing();
  });

  it('by a trigger of the program is refused before anything is made, and done when this run lifts the protection', async () => {
    client({}, { replacementTrigger: 1 });
    const old = await up();
    client({}, { replacementTrigger: 2 });
    const refused = await world.up();
    assert.match(
      refused.failure ?? '',
      new RegExp(`^${old} would be replaced \\(an option of the resource or of the command asks for it\\)`),
    );
    assert.equal((await there()).id, old);
    client({ deletionProtection: false }, { replacementTrigger: 2 });
    assert.equal((await world.up()).failure, undefined);
    await replacedOnce(old);
    await world.expectNothing();
  });

  it('that destroys first carries over what the program leaves out', async () => {
    const opts = { deleteBeforeReplace: true };
    client({}, opts);
    const first = await up();
    client({ apiUrl: 'https://git.example.com/api/v4' }, opts);
    assert.match((await world.up()).failure ?? '', /would be replaced \(apiUrl cannot be changed in place\)/);
    assert.match((await world.up({ replace: [urn()] })).failure ?? '', /is protected and was not destroyed/);
    assert.equal((await there()).id, first);
    client({ deletionProtection: false }, opts);
    assert.equal((await world.up({ replace: [urn()] })).failure, undefined);
    await replacedOnce(first);
    const { id: second } = await there();
    client({ apiUrl: 'https://git.example.com/api/v4', deletionProtection: false }, opts);
    assert.equal((await world.up()).failure, undefined);
    await replacedOnce(second);
    await world.expectNothing();
  });

  it('of a tainted half of a client leaves one whole client', async () => {
    client();
    world.service.fault({ how: 'status', method: 'PATCH', status: 422, nth: 1 });
    assert.match((await world.up()).failure ?? '', /was created and not finished/);
    const { id: half, name } = await there();
    assert.match(name ?? '', /^tether-pending-/);
    assert.equal((await world.pulumi('state', 'taint', urn(), '--yes')).failure, undefined);
    // Of a tainted one the engine shows nothing: it might be of another run.
    assert.match((await world.up()).failure ?? '', new RegExp(`TETHER_ALLOW_DESTROY=${half} `));
    world.env.TETHER_ALLOW_DESTROY = half;
    assert.equal((await world.up()).failure, undefined);
    delete world.env.TETHER_ALLOW_DESTROY;
    const whole = await there();
    assert.notEqual(whole.id, half);
    assert.equal(whole.name, 'GitHub');
    await world.expectNothing();
  });

  it('of links and sets takes over what is there: nothing goes, nothing is doubled', async () => {
    world.program = async () => {
      const github = new OAuthClient('github', base);
      new ProjectAttachment('web', { oauthClientId: github.id, projectId: 'prj-web' });
      new RunTrigger('dns', { workspaceId: 'ws-network', sourceableId: 'ws-dns' });
      new InboundRunTriggers('app', { workspaceId: 'ws-app', sourceableIds: ['ws-dns', 'ws-jobs'] });
      new OutboundRunTriggers('docs', { sourceableId: 'ws-docs', workspaceIds: ['ws-web'] });
    };
    assert.equal((await world.up()).failure, undefined);
    const before = world.service.snapshot();
    const replace = [
      world.urn('ProjectAttachment', 'web'),
      world.urn('RunTrigger', 'dns'),
      world.urn('InboundRunTriggers', 'app'),
      world.urn('OutboundRunTriggers', 'docs'),
    ];
    const done = await world.up({ replace });
    assert.deepEqual([done.failure, done.steps['create-replacement']], [undefined, 4]);
    const after = world.service.snapshot();
    assert.deepEqual(after.runTriggers, before.runTriggers);
    assert.deepEqual(
      after.oauthClients.map((one) => one.projectIds),
      [['prj-web']],
    );
    await world.expectNothing();
  });
});
