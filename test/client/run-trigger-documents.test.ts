/** What of a trigger's answer is needed, and what makes it no answer. */
import assert from 'node:assert/strict';
import { BadAnswer } from '../../client/errors';
import { json } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { pageOf, runTriggerDocument, runTriggerResource } from '../support/wire-documents';

describe('documents of run triggers', () => {
  const wire = scriptedWire();

  const readTrigger = (document: object) => {
    wire.server.script(json(200, document));
    return wire.client().runTriggers.read('rt-1');
  };
  const badAnswer = (call: Promise<unknown>, message: RegExp) =>
    assert.rejects(call, (error) => {
      assert.ok(error instanceof BadAnswer, String(error));
      assert.match(error.message, message);
      assert.equal(error.context.attempts, 1);
      return true;
    });

  it('takes a trigger without names', async () => {
    const { attributes, ...rest } = runTriggerResource('rt-1');
    const document = { data: { ...rest, attributes: { 'created-at': attributes['created-at'] } } };
    const expected = { ...runTriggerDocument('rt-1'), workspaceName: null, sourceableName: null };
    assert.deepEqual(await readTrigger(document), expected);
  });

  it('does not take a trigger with another id, or without one of its ends', async () => {
    await badAnswer(readTrigger({ data: runTriggerResource('rt-2') }), /its id is rt-2, not rt-1/);
    for (const end of ['workspace', 'sourceable']) {
      const resource = runTriggerResource('rt-1');
      const document = {
        data: { ...resource, relationships: { ...resource.relationships, [end]: undefined } },
      };
      await badAnswer(readTrigger(document), new RegExp(`relationships\\.${end} of rt-1 is missing`));
    }
  });

  it('does not take a created trigger for another pair than was asked for', async () => {
    wire.server.script(json(201, { data: runTriggerResource('rt-1', 'ws-app', 'ws-other') }));
    await assert.rejects(wire.client().runTriggers.create('ws-app', 'ws-network'), {
      name: 'AnswerLost',
      message: /its sourceableId is ws-other, not ws-network; it may have been applied/,
    });
  });

  it('does not take a list whose filter got lost on the way', async () => {
    const list = pageOf([runTriggerResource('rt-1', 'ws-app', 'ws-network')]);
    wire.server.script(json(200, list));
    await badAnswer(
      wire.client().runTriggers.list('ws-network', 'inbound'),
      /rt-1 is not an inbound trigger of ws-network/,
    );
    await badAnswer(
      wire.client().runTriggers.list('ws-app', 'outbound'),
      /rt-1 is not an outbound trigger of ws-app/,
    );
  });

  it('does not take a list of triggers that does not say how long it is', async () => {
    wire.server.script(json(200, { data: [] }));
    await badAnswer(wire.client().runTriggers.list('ws-app', 'inbound'), /meta\.pagination is missing/);
  });
});
