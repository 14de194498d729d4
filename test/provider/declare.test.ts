/** What programs declare: inputs with secrets wrapped, the plugin of their version, the old type, and options. */
import assert from 'node:assert/strict';
import { type Output, output } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  type OAuthClientState,
  OutboundRunTriggers,
  ProjectAttachment,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import { declaredBy } from '../support/pulumi-program';

const { version } = require('../../../package.json') as { readonly version: string };

const args = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('what a program declares', () => {
  it('is inputs as given, with the version of the plugin and the type that it had', async () => {
    const declared = await declaredBy(() => {
      new OAuthClient('github', { ...args, secret: 'canary', key: undefined }, { protect: true });
    });
    const { kind, inputs, options } = declared.get('github') ?? assert.fail();
    assert.equal(kind, 'OAuthClient');
    assert.deepEqual(inputs, { ...args, secret: { secret: 'canary' } });
    assert.deepEqual(options.additionalSecretOutputs, ['oauthTokenString', 'privateKey', 'secret']);
    assert.deepEqual(options.aliases, [{ type: 'pulumi-nodejs:dynamic/tether:OAuthClient' }]);
    assert.deepEqual([options.version, options.protect], [version, true]);
  });

  it('is the settings of a provider, its token a secret', async () => {
    const declared = await declaredBy(() => {
      const provider = new Provider('second', {
        address: 'https://x.example.com/api/v2',
        token: 'canary',
        rate: 5,
      });
      new Provider('third', { tokenEnv: 'THIRD', profile: 'default' });
      new RunTrigger('given', { workspaceId: 'ws-1', sourceableId: 'ws-2' }, { provider });
    });
    const inputs = (name: string) => declared.get(name)?.inputs;
    assert.deepEqual(inputs('second'), {
      address: 'https://x.example.com/api/v2',
      token: { secret: 'canary' },
      rate: '5',
    });
    assert.deepEqual(inputs('third'), { tokenEnv: 'THIRD', profile: 'default' });
    assert.deepEqual(inputs('given'), { workspaceId: 'ws-1', sourceableId: 'ws-2' });
  });

  it('is no provider under a name that the engine takes for its own', () => {
    for (const name of ['default', 'default_2', 'default_0_1_0']) {
      assert.throws(() => new Provider(name, { tokenEnv: 'OTHER' }), {
        message: new RegExp(`^the engine takes a provider named ${name} for its own.*choose a name`),
      });
    }
  });

  it('is read without inputs where the program only looks', async () => {
    const declared = await declaredBy(() => {
      OAuthClient.get('client', 'oc-1');
      ProjectAttachment.get('attachment', 'oc-1/prj-1', {}, { protect: true });
      RunTrigger.get('trigger', 'rt-1');
      InboundRunTriggers.get('inbound', 'ws-1/inbound');
      OutboundRunTriggers.get('outbound', 'ws-1/outbound');
    });
    for (const { name, inputs } of declared.values()) assert.deepEqual(inputs, {}, name);
    assert.equal(declared.get('attachment')?.options.protect, true);
    assert.equal(declared.size, 5);
  });

  it('is read as the class that extends it', async () => {
    class Team extends OAuthClient {
      readonly label = 'team';
    }
    await declaredBy(() => {
      assert.equal(Team.get('client', 'oc-1').label, 'team');
    });
  });

  it('is read with what the program knows of it', async () => {
    const declared = await declaredBy(() => {
      const known: OAuthClientState = { organization: 'acme', createdAt: '2026-01-01T00:00:00.000Z' };
      OAuthClient.get('client', 'oc-1', known);
      RunTrigger.get('trigger', 'rt-1', { workspaceId: 'ws-1', sourceableId: 'ws-2' });
      // @ts-expect-error What is no state, such as options, stands elsewhere.
      RunTrigger.get('other', 'rt-2', { protect: true });
    });
    const { organization, createdAt } = declared.get('client')?.inputs ?? {};
    assert.deepEqual([organization, createdAt], ['acme', '2026-01-01T00:00:00.000Z']);
    assert.equal(declared.get('trigger')?.inputs.sourceableId, 'ws-2');
  });

  it('is known by its class, and by no other', async () => {
    const pair = { workspaceId: 'ws-1', sourceableId: 'ws-2' };
    const classes = [
      OAuthClient,
      ProjectAttachment,
      RunTrigger,
      InboundRunTriggers,
      OutboundRunTriggers,
      Provider,
    ];
    await declaredBy(() => {
      const made = [
        new OAuthClient('client', args),
        new ProjectAttachment('attachment', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
        new RunTrigger('trigger', pair),
        InboundRunTriggers.get('inbound', 'ws-3/inbound'),
        OutboundRunTriggers.get('outbound', 'ws-3/outbound'),
        new Provider('provider'),
      ];
      for (const [index, one] of made.entries()) {
        const known = classes.map((other) => other.isInstance(one));
        assert.deepEqual(
          known,
          classes.map((_, at) => at === index),
        );
      }
      assert.ok(!RunTrigger.isInstance(undefined) && !Provider.isInstance({}));
    });
  });

  it('takes what may turn out to be nothing where it may be left out', async () => {
    const declared = await declaredBy(() => {
      const nothing: Output<string | undefined> = output(undefined);
      new OAuthClient('client', { ...args, name: nothing, adoptId: nothing, secret: nothing });
    });
    const { name, adoptId } = declared.get('client')?.inputs ?? {};
    assert.deepEqual([name, adoptId], [undefined, undefined]);
  });

  it('has attachments that are detached before their client goes, unless the program says that they go with it', async () => {
    const declared = await declaredBy(() => {
      const client = new OAuthClient('client', { ...args, name: 'a', deletionProtection: false });
      const inputs = { oauthClientId: client.id, projectId: 'prj-1' };
      new ProjectAttachment('plain', inputs);
      new ProjectAttachment('told', { ...inputs, projectId: 'prj-2' }, { deletedWith: client });
    });
    const wentWith = (name: string) => declared.get(name)?.options.deletedWith;
    assert.equal(wentWith('plain'), undefined);
    assert.ok(OAuthClient.isInstance(wentWith('told')));
  });
});
