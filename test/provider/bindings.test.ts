/** Who manages what in one run: conflicts are told whichever of the two comes first. */
import assert from 'node:assert/strict';
import { bindingsIn } from '../../provider/bindings';
import { resourceTypeOf } from '../../provider/resource-types';
import { type Props, unknownValue } from '../../provider/state';
import { errorOf, ProviderHandlers, urnOf } from '../support/provider-handlers';

/** Kind, name, inputs and, for an object of the state, its id. */
type One = readonly [string, string, Props, string?];

function bindAll(...all: readonly One[]): void {
  const bindings = bindingsIn({});
  for (const [kind, name, inputs, id] of all) {
    bindings.bind(urnOf(kind, name), resourceTypeOf(kind), inputs, id);
  }
}

const trigger = (name: string, workspaceId = 'ws-1', sourceableId = 'ws-2'): One => [
  'RunTrigger',
  name,
  { workspaceId, sourceableId },
];
const inbound = (name: string, workspaceId: string, sourceableIds: readonly string[]): One => [
  'InboundRunTriggers',
  name,
  { workspaceId, sourceableIds },
];
const outbound = (name: string, sourceableId: string, workspaceIds: readonly string[]): One => [
  'OutboundRunTriggers',
  name,
  { sourceableId, workspaceIds },
];
const attachment = (name: string, projectId = 'prj-1'): One => [
  'ProjectAttachment',
  name,
  { oauthClientId: 'oc-1', projectId },
];

/** What two resources are refused with. */
const refusals: readonly (readonly [string, One, One, RegExp])[] = [
  ['two resources for one trigger', trigger('one'), trigger('other'), /both are the trigger of ws-2 to ws-1/],
  [
    'two resources for one attachment',
    attachment('one'),
    attachment('other'),
    /both are the attachment of prj-1 to oc-1/,
  ],
  [
    'two resources that adopt one client',
    ['OAuthClient', 'one', { adoptId: 'oc-1' }],
    ['OAuthClient', 'other', { adoptId: 'oc-1' }],
    /both are OAuthClient oc-1/,
  ],
  [
    'a client that lists its projects beside an attachment of it',
    ['OAuthClient', 'git', { projectIds: [] }, 'oc-1'],
    attachment('web'),
    /projectIds of the client means exactly these/,
  ],
  [
    'an inbound set beside a trigger into its workspace',
    inbound('set', 'ws-1', []),
    trigger('one'),
    /an inbound set means exactly these triggers/,
  ],
  [
    'an inbound set beside a trigger whose source is not known yet',
    inbound('set', 'ws-1', []),
    trigger('one', 'ws-1', unknownValue),
    /an inbound set means exactly these triggers/,
  ],
  [
    'an outbound set beside a trigger from its workspace',
    outbound('set', 'ws-2', []),
    trigger('one'),
    /an outbound set means exactly these triggers/,
  ],
  [
    'two sets of one workspace',
    inbound('one', 'ws-1', []),
    inbound('other', 'ws-1', []),
    /an inbound set means exactly these triggers/,
  ],
  [
    'sets that both list a pair',
    inbound('one', 'ws-1', ['ws-3', 'ws-2']),
    outbound('other', 'ws-2', ['ws-1']),
    /both decide whether ws-2 triggers ws-1/,
  ],
  [
    'sets of which one lists the pair and the other does not',
    inbound('one', 'ws-1', ['ws-2', unknownValue]),
    outbound('other', 'ws-2', ['ws-3']),
    /both decide whether ws-2 triggers ws-1/,
  ],
];

describe('bindings of one run', () => {
  for (const [what, one, other, message] of refusals) {
    it(`refuse ${what}, in either order`, () => {
      assert.throws(() => bindAll(one, other), message);
      assert.throws(() => bindAll(other, one), message);
    });
  }

  it('allow sets that do not meet, any number of triggers between others, and what is not known yet', () => {
    bindAll(
      inbound('one', 'ws-1', ['ws-2']),
      outbound('two', 'ws-4', ['ws-3']),
      inbound('three', 'ws-5', ['ws-2']),
      inbound('four', unknownValue, ['ws-4']),
      trigger('five', 'ws-6', 'ws-7'),
      trigger('six', 'ws-6', 'ws-8'),
      trigger('seven', unknownValue, unknownValue),
      trigger('eight', unknownValue, unknownValue),
    );
  });

  it('are those of the last check: what a resource had before, another may have', () => {
    bindAll(trigger('one'), trigger('one', 'ws-3'), trigger('other'), trigger('other'));
  });

  it('are told as failures of the check, and at the diff of a client whose id the state has', async () => {
    const world = await ProviderHandlers.start();
    const pair = { workspaceId: 'ws-1', sourceableId: 'ws-2' };
    assert.deepEqual((await world.trigger.check({}, pair)).failures, []);
    const set = { workspaceId: 'ws-1', sourceableIds: ['ws-2'] };
    assert.deepEqual((await world.inbound.check({}, set)).failures, [
      {
        reason:
          'InboundRunTriggers "github" and RunTrigger "github" would undo each other\'s work: an inbound set means exactly these triggers. Keep one of them',
      },
    ]);
    const client = {
      organization: 'acme',
      serviceProvider: 'provider_a',
      httpUrl: 'https://a',
      apiUrl: 'https://a/api',
      projectIds: ['prj-1'],
    };
    await world.attachment.check({}, { oauthClientId: 'oc-1', projectId: 'prj-2' });
    // A refresh asks for a diff of what the program may have dropped.
    await world.client.diff('oc-1', client, client);
    await world.client.check(client, client);
    const { message } = await errorOf(world.client.diff('oc-1', client, client));
    assert.match(message, /OAuthClient "github" and ProjectAttachment "github" would undo/);
    await world.close();
  });
});
