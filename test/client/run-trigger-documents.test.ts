/** What of a trigger's answer is needed, and what makes it no answer. */
import assert from 'node:assert/strict';
import { BadAnswer } from '../../client/errors';
import { json, refusal } from '../support/scripted-server';
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

  it('asks without a page size where the service refuses ours, and remembers', async () => {
    const triggers = [runTriggerResource('rt-1')];
    wire.server.script((response, arrived) => {
      const document = arrived.url.includes('page%5Bsize%5D')
        ? { errors: [{ title: 'page size' }] }
        : pageOf(triggers);
      json('errors' in document ? 422 : 200, document)(response, arrived);
    });
    const client = wire.client();
    assert.equal((await client.runTriggers.list('ws-app', 'inbound')).length, 1);
    assert.equal((await client.runTriggers.list('ws-app', 'inbound')).length, 1);
    const sizes = wire.server.arrived.map(({ url }) => url.includes('page%5Bsize%5D'));
    assert.deepEqual(sizes, [true, false, false]);
  });

  it('keeps its page size where a list is refused for another reason', async () => {
    const client = wire.client();
    const good = json(200, pageOf([runTriggerResource('rt-1')]));
    for (const [name, refusals] of [
      ['Forbidden', [refusal(403, 'forbidden')]],
      ['Invalid', [refusal(422, 'no'), refusal(422, 'no')]],
    ] as const) {
      wire.server.script(...refusals, good);
      const before = wire.server.arrived.length;
      await assert.rejects(client.runTriggers.list('ws-app', 'inbound'), { name });
      assert.equal(wire.server.arrived.length, before + refusals.length);
      await client.runTriggers.list('ws-app', 'inbound');
      assert.match(wire.server.arrived.at(-1)?.url ?? '', /page%5Bsize%5D=100/);
    }
  });

  it('does not take a page in which an id repeats, though its count is right', async () => {
    const twice = pageOf([runTriggerResource('rt-1'), runTriggerResource('rt-1')]);
    wire.server.script(json(200, twice));
    await badAnswer(wire.client().runTriggers.list('ws-app', 'inbound'), /an id repeats/);
  });

  it('does not change the page size in the middle of a list', async () => {
    const page = pageOf([runTriggerResource('rt-1')], 1, 2, 2);
    wire.server.script(json(200, page), json(422, { errors: [{ title: 'page' }] }));
    await assert.rejects(wire.client().runTriggers.list('ws-app', 'inbound'), { name: 'Invalid' });
    assert.equal(wire.server.arrived.length, 2);
  });
});
