/** Who manages what in one program: conflicts are told whichever of the two comes first. */
import assert from 'node:assert/strict';
import {
  InboundRunTriggers,
  OAuthClient,
  OutboundRunTriggers,
  ProjectAttachment,
  Provider,
  RunTrigger,
} from '../../provider/pulumi';
import { bindThing } from '../../provider/pulumi/bindings';
import { declaredBy } from '../support/pulumi-program';

const client = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('bindings of one program', () => {
  it('refuse a part of what somebody manages whole, and the whole of what somebody has a part of', () => {
    const bindings = new Map();
    const thing = 'triggers into ws-1';
    bindThing(bindings, thing, { owner: 'set', of: 'whole', because: 'a set' });
    assert.throws(
      () => bindThing(bindings, thing, { owner: 'single', of: 'part', because: 'exactly these' }),
      {
        message: "set and single would undo each other's work: exactly these. Keep one of them",
      },
    );
    const turned = new Map();
    bindThing(turned, thing, { owner: 'single', of: 'part', because: 'exactly these' });
    bindThing(turned, thing, { owner: 'another', of: 'part', because: 'exactly these' });
    assert.throws(() => bindThing(turned, thing, { owner: 'set', of: 'whole', because: 'a set' }), {
      message: "single and set would undo each other's work: exactly these. Keep one of them",
    });
  });

  it('refuse a second owner of one thing, also one of the same name below another parent', () => {
    const bindings = new Map();
    const one = { owner: 'RunTrigger "one"', of: 'whole', because: 'both' } as const;
    bindThing(bindings, 'the trigger of ws-1 to ws-2', one);
    assert.throws(
      () => bindThing(bindings, 'the trigger of ws-1 to ws-2', one),
      /RunTrigger "one" and RunTrigger "one" would undo each other's work/,
    );
    bindThing(bindings, 'the trigger of ws-2 to ws-1', { ...one, owner: 'RunTrigger "back"' });
  });
});

/** What two declarations of plain ids are refused with. */
const refusals: readonly (readonly [string, () => void, () => void, RegExp])[] = [
  [
    'two resources for one trigger',
    () => new RunTrigger('one', { workspaceId: 'ws-1', sourceableId: 'ws-2' }),
    () => new RunTrigger('other', { workspaceId: 'ws-1', sourceableId: 'ws-2' }),
    /both are the trigger of ws-2 to ws-1/,
  ],
  [
    'two resources for one attachment',
    () => new ProjectAttachment('one', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
    () => new ProjectAttachment('other', { oauthClientId: 'oc-1', projectId: 'prj-1' }),
    /both are the attachment of prj-1 to oc-1/,
  ],
  [
    'two resources that adopt one client',
    () => new OAuthClient('one', { ...client, adoptId: 'oc-1' }),
    () => new OAuthClient('other', { ...client, adoptId: 'oc-1' }),
    /both are OAuthClient oc-1/,
  ],
  [
    'an inbound set beside a trigger into its workspace',
    () => new InboundRunTriggers('set', { workspaceId: 'ws-1', sourceableIds: [] }),
    () => new RunTrigger('one', { workspaceId: 'ws-1', sourceableId: 'ws-2' }),
    /an inbound set means exactly these triggers/,
  ],
  [
    'an outbound set beside a trigger from its workspace',
    () => new OutboundRunTriggers('set', { sourceableId: 'ws-2', workspaceIds: [] }),
    () => new RunTrigger('one', { workspaceId: 'ws-1', sourceableId: 'ws-2' }),
    /an outbound set means exactly these triggers/,
  ],
  [
    'two sets of one workspace',
    () => new InboundRunTriggers('one', { workspaceId: 'ws-1', sourceableIds: [] }),
    () => new InboundRunTriggers('other', { workspaceId: 'ws-1', sourceableIds: [] }),
    /an inbound set means exactly these triggers/,
  ],
  [
    'sets that both list a pair',
    () => new InboundRunTriggers('one', { workspaceId: 'ws-1', sourceableIds: ['ws-3', 'ws-2'] }),
    () => new OutboundRunTriggers('other', { sourceableId: 'ws-2', workspaceIds: ['ws-1'] }),
    /both decide whether ws-2 triggers ws-1/,
  ],
  [
    'sets of which one lists the pair and the other does not',
    () => new InboundRunTriggers('one', { workspaceId: 'ws-1', sourceableIds: ['ws-2'] }),
    () => new OutboundRunTriggers('other', { sourceableId: 'ws-2', workspaceIds: ['ws-3'] }),
    /both decide whether ws-2 triggers ws-1/,
  ],
];

describe('a program with plain ids', () => {
  for (const [what, first, second, message] of refusals) {
    it(`is refused ${what} by the constructor itself, in either order`, async () => {
      for (const [one, other] of [
        [first, second],
        [second, first],
      ] as const) {
        await declaredBy(() => {
          one();
          assert.throws(other, message);
        });
      }
    });
  }

  it('may have sets that do not meet, and any number of triggers between others', async () => {
    const declared = await declaredBy(() => {
      new InboundRunTriggers('one', { workspaceId: 'ws-1', sourceableIds: ['ws-2'] });
      new OutboundRunTriggers('two', { sourceableId: 'ws-4', workspaceIds: ['ws-3'] });
      new InboundRunTriggers('three', { workspaceId: 'ws-5', sourceableIds: ['ws-2'] });
      new RunTrigger('four', { workspaceId: 'ws-6', sourceableId: 'ws-7' });
      new RunTrigger('five', { workspaceId: 'ws-6', sourceableId: 'ws-8' });
    });
    assert.equal(declared.size, 5);
  });

  it('may have the same ids in two services, and not twice in one, however its address is written', async () => {
    const pair = { workspaceId: 'ws-1', sourceableId: 'ws-2' };
    await declaredBy(
      () => {
        const at = (name: string, address: string) => ({
          provider: new Provider(name, { address, token: 'token' }),
        });
        new RunTrigger('here', pair);
        new RunTrigger('there', pair, at('there', 'https://there.example.com/api/v2'));
        assert.throws(
          () => new RunTrigger('again', pair, at('again', 'https://THERE.example.com:443/api/v2/')),
          /RunTrigger "there" and RunTrigger "again" would undo/,
        );
        assert.throws(
          () => new RunTrigger('too', pair, at('too', 'https://here.example.com/api/v2')),
          /RunTrigger "here" and RunTrigger "too" would undo/,
        );
      },
      { 'tether:address': 'https://here.example.com/api/v2' },
    );
  });
});
