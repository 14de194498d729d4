/** What programs declare: inputs with secrets wrapped, keys, options, and what each class refuses. */
import assert from 'node:assert/strict';
import { ComponentResource, type Output, output } from '@pulumi/pulumi';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import { declaredBy } from '../support/pulumi-program';

const args = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('what a program declares', () => {
  it('is inputs as given, with the text that loads the provider and a key of its own', async () => {
    const declared = await declaredBy(() => {
      new OAuthClient('github', { ...args, secret: 'canary', key: undefined });
    });
    const { kind, inputs, options } = declared.get('github') ?? assert.fail();
    assert.equal(kind, 'OAuthClient');
    const { createKey, __provider, ...rest } = inputs;
    assert.match(String(createKey), /^[0-9a-f]{12}$/);
    assert.equal(__provider, "exports.handler = () => require('tether-iac/provider').oauthClient;");
    assert.deepEqual(rest, { ...args, secret: { secret: 'canary' } });
    assert.deepEqual(options.additionalSecretOutputs, ['oauthTokenString', 'privateKey', 'secret']);
  });

  it('has another key for each name and each parent, and the same at every run', async () => {
    const keys = async () => {
      const declared = await declaredBy(() => {
        new OAuthClient('one', args);
        for (const place of ['a', 'b']) {
          const parent = new ComponentResource('shop:index:Place', place);
          new OAuthClient(`in-${place}`, args, { parent });
        }
      });
      return ['one', 'in-a', 'in-b'].map((name) => declared.get(name)?.inputs.createKey);
    };
    const first = await keys();
    assert.equal(new Set(first).size, 3);
    assert.deepEqual(await keys(), first);
  });

  it('is marked where the program gave a provider, itself or through a parent', async () => {
    const declared = await declaredBy(() => {
      const provider = new Provider('second', {
        address: 'https://x.example.com/api/v2',
        token: 'canary',
        rate: 5,
      });
      const parent = new ComponentResource('shop:index:Place', 'place', {}, { providers: [provider] });
      new Provider('third', { tokenEnv: 'THIRD', profile: 'default' });
      new RunTrigger('given', { workspaceId: 'ws-1', sourceableId: 'ws-2' }, { provider });
      new InboundRunTriggers('inherited', { workspaceId: 'ws-3', sourceableIds: ['ws-4'] }, { parent });
      new OutboundRunTriggers('plain', { sourceableId: 'ws-5', workspaceIds: ['ws-6'] });
    });
    const inputs = (name: string) => declared.get(name)?.inputs;
    assert.deepEqual(inputs('second'), {
      'tether:address': 'https://x.example.com/api/v2',
      'tether:token': { secret: 'canary' },
      'tether:rate': '5',
      'tether:explicit': 'true',
    });
    assert.deepEqual(inputs('third'), {
      'tether:tokenEnv': 'THIRD',
      'tether:profile': 'default',
      'tether:explicit': 'true',
    });
    assert.equal(inputs('given')?.explicit, true);
    assert.equal(inputs('inherited')?.explicit, true);
    assert.deepEqual(inputs('plain'), {
      __provider: "exports.handler = () => require('tether-iac/provider').outboundRunTriggers;",
      sourceableId: 'ws-5',
      workspaceIds: ['ws-6'],
    });
  });

  it('is read without inputs where the program only looks', async () => {
    const declared = await declaredBy(() => {
      OAuthClient.get('client', 'oc-1');
      ProjectAttachment.get('attachment', 'oc-1/prj-1', {}, { protect: true });
      RunTrigger.get('trigger', 'rt-1');
      InboundRunTriggers.get('inbound', 'ws-1/inbound');
      OutboundRunTriggers.get('outbound', 'ws-1/outbound');
    });
    for (const { name, inputs } of declared.values())
      assert.deepEqual(Object.keys(inputs), ['__provider'], name);
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
      OAuthClient.get('client', 'oc-1', { organization: 'acme' });
      RunTrigger.get('trigger', 'rt-1', { workspaceId: 'ws-1', sourceableId: 'ws-2' });
    });
    assert.equal(declared.get('client')?.inputs.organization, 'acme');
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

  it('is refused at once where an attachment and its client would fight over its projects', async () => {
    await assert.rejects(
      declaredBy(() => {
        const client = new OAuthClient('client', { ...args, projectIds: [] });
        new ProjectAttachment('payments', { oauthClientId: client.id, projectId: 'prj-payments' });
      }),
      {
        message:
          'ProjectAttachment "payments" and the OAuthClient it is for would undo each other\'s work: projectIds of the client means exactly these. Keep one of them',
      },
    );
  });
});
