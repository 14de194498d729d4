/** The classes of programs: what they register, and that their members are those of the definitions. */
import assert from 'node:assert/strict';
import * as pulumi from '@pulumi/pulumi';
import * as tether from '../../provider/pulumi';
import { githubFields } from '../support/acme';
import { providersFor } from '../support/provider-session';
import { declaredBy } from '../support/pulumi-program';
import { type ShownMember, shownMembers } from '../support/typescript-program';

const github = { organization: 'acme', ...githubFields };
const secrets = ['oauthTokenString', 'privateKey', 'secret'];
/** Arguments that are no fields of an object. */
const ofProgram = ['adoptId', 'allowDuplicate', 'removeUnmanaged'];
const types = shownMembers('provider/pulumi.ts');
/** Every resource has these, from the SDK. */
const inherited = ['urn', 'getProvider'];
const typeProviders = providersFor('http://127.0.0.1:9/api/v2');

/** Returns the types of these members by name. */
function typesOf(members: readonly ShownMember[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(members.map(({ name, type }) => [name, type]));
}

describe('the members of the classes', () => {
  for (const kind of [
    'OAuthClient',
    'ProjectAttachment',
    'RunTrigger',
    'InboundRunTriggers',
    'OutboundRunTriggers',
  ] as const) {
    const { definition, fields } = typeProviders[kind];
    const args = types.get(`${kind}Args`) ?? [];
    const outputs = (types.get(kind) ?? []).filter(
      ({ name }) => !inherited.includes(name) && !name.startsWith('__'),
    );

    it(`of ${kind} are its fields: all as arguments, and as outputs all that the state has`, () => {
      assert.deepEqual(args.map(({ name }) => name).sort(), Object.keys(fields).sort());
      const required = args.filter(({ isOptional }) => !isOptional).map(({ name }) => name);
      // A set must say which members it has, also that it has none.
      const isNeeded = (name: string) => fields[name]?.required || definition.fields[name] === undefined;
      const needed = Object.keys(fields).filter((name) => isNeeded(name) && !ofProgram.includes(name));
      assert.deepEqual(required.sort(), needed.sort());
      const isShown = (name: string) => !fields[name]?.writeOnly && !ofProgram.includes(name);
      const ownOutputs = kind.endsWith('Triggers') ? [] : Object.keys(definition.outputs);
      const shown = ['id', ...Object.keys(fields).filter(isShown), ...ownOutputs];
      assert.deepEqual(outputs.map(({ name }) => name).sort(), shown.sort());
    });
  }

  it('of clients have the types of the API, and a comment for editors', () => {
    const args = typesOf(types.get('OAuthClientArgs'));
    assert.equal(args.httpUrl, 'Input<string>');
    assert.equal(args.agentPoolId, 'Input<string | null | undefined>');
    assert.equal(args.projectIds, 'Ids | undefined');
    const outputs = typesOf(types.get('OAuthClient'));
    assert.equal(outputs.organization, 'Output<string>');
    assert.equal(outputs.key, 'Output<string | null>');
    assert.equal(outputs.oauthTokenIds, 'Output<string[]>');
    for (const name of ['OAuthClientArgs', 'OAuthClient', 'RunTriggerArgs', 'RunTrigger']) {
      const uncommented = (types.get(name) ?? []).filter(
        ({ name, comment }) => comment === '' && !name.startsWith('__'),
      );
      assert.deepEqual(uncommented, [], name);
    }
  });
});

describe('a program', () => {
  it('registers clients protected, with their secrets wrapped and one line that loads the provider', async () => {
    const declared = await declaredBy(() => {
      new tether.OAuthClient('github', {
        ...github,
        oauthTokenString: 'canary',
        secret: pulumi.output('canary'),
      });
      // As with a setting that nobody set.
      new tether.OAuthClient('unprinted', { ...github, name: 'Unprinted' }, { protect: undefined } as object);
      new tether.OAuthClient(
        'free',
        { ...github, projectIds: ['prj-1'] },
        { protect: false, retainOnDelete: true },
      );
    });
    const client = declared.get('github');
    assert.deepEqual(client?.inputs, {
      ...github,
      oauthTokenString: { secret: 'canary' },
      secret: { secret: 'canary' },
      __provider: "exports.handler = () => require('tether-iac/provider').oauthClient;",
    });
    assert.deepEqual(
      [client?.options.protect, client?.options.additionalSecretOutputs?.toSorted()],
      [true, secrets],
    );
    assert.equal(declared.get('unprinted')?.options.protect, true);
    const { protect, retainOnDelete } = declared.get('free')?.options ?? {};
    assert.deepEqual([protect, retainOnDelete], [false, true]);
  });

  it('has a property for each output, because the SDK fills no others', async () => {
    await declaredBy(() => {
      for (const [kind, instance] of Object.entries({
        OAuthClient: new tether.OAuthClient('github', github),
        ProjectAttachment: new tether.ProjectAttachment('p', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
        RunTrigger: new tether.RunTrigger('t', { workspaceId: 'ws-1', sourceableId: 'ws-2' }),
        InboundRunTriggers: new tether.InboundRunTriggers('i', { workspaceId: 'ws-1', sourceableIds: [] }),
        OutboundRunTriggers: new tether.OutboundRunTriggers('o', { sourceableId: 'ws-1', workspaceIds: [] }),
      })) {
        const outputs = (types.get(kind) ?? []).filter(
          ({ name }) => !inherited.includes(name) && !name.startsWith('__'),
        );
        const missing = outputs.filter(({ name }) => !(name in instance)).map(({ name }) => name);
        assert.deepEqual(missing, [], kind);
      }
    });
  });

  it('registers triggers, sets and reads of a client', async () => {
    const declared = await declaredBy(() => {
      new tether.RunTrigger('trigger', { workspaceId: 'ws-1', sourceableId: 'ws-2' });
      new tether.InboundRunTriggers('in', {
        workspaceId: 'ws-1',
        sourceableIds: ['ws-2'],
        removeUnmanaged: true,
      });
      new tether.OutboundRunTriggers('out', { sourceableId: 'ws-1', workspaceIds: [] });
      assert.ok(tether.OAuthClient.get('shared', 'oc-1') instanceof tether.OAuthClient);
      const adopts = () =>
        new tether.OAuthClient('mine', { ...github, id: 'oc-1' } as tether.OAuthClientArgs);
      assert.throws(adopts, { message: /mine cannot be imported: .* a client by adoptId/ });
    });
    const names = ['trigger', 'in', 'out', 'shared'];
    const [trigger, inbound, outbound, shared] = names.map((name) => declared.get(name));
    assert.match(String(trigger?.inputs.__provider), /\.runTrigger;$/u);
    assert.match(String(inbound?.inputs.__provider), /\.inboundRunTriggers;$/u);
    assert.match(String(outbound?.inputs.__provider), /\.outboundRunTriggers;$/u);
    assert.deepEqual([inbound?.inputs.removeUnmanaged, shared?.options.protect], [true, false]);
  });

  it('gives an explicit provider its own settings, the token as a secret', async () => {
    const declared = await declaredBy(() => {
      const provider = new tether.Provider('partner', {
        address: 'https://b.example.com/api/v2',
        token: 'canary',
        rate: 5,
      });
      new tether.RunTrigger('theirs', { workspaceId: 'ws-1', sourceableId: 'ws-2' }, { provider });
    });
    assert.throws(() => new tether.Provider('typo', { adress: 'x' } as object), /no setting adress/u);
    assert.deepEqual(declared.get('partner')?.inputs, {
      'tether:address': 'https://b.example.com/api/v2',
      'tether:token': { secret: 'canary' },
      'tether:rate': '5',
      'tether:explicit': 'true',
    });
  });
});
