/** Answers that cannot be read, and what a second attempt then means. */
import assert from 'node:assert/strict';
import { AnswerLost, BadAnswer, Invalid, NotFound } from '../../client/errors';
import { catchFailure } from '../support/api-failure';
import { leastOAuthClient as created } from '../support/client-operations';
import { cutOff, json, refusal, reset, text } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };

describe('a lost answer', () => {
  const wire = scriptedWire();
  const { client } = wire;
  const deletes = [() => client().runTriggers.delete('rt-1'), () => client().oauthClients.delete('oc-1')];

  it('reads again when an answer is cut off', async () => {
    wire.server.script(cutOff(200), json(200, one));
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
    assert.equal(wire.server.arrived.length, 2);
  });

  it('does not ask again for an answer that is whole, and not JSON', async () => {
    for (const [index, body] of ['}{', '', '[]', '"hello"', '{"data": ', '\xff\xfe'].entries()) {
      wire.server.script(text(200, body), json(200, one));
      const error = await catchFailure(client().oauthClients.read('oc-1'));
      assert.ok(error instanceof BadAnswer);
      assert.equal(
        error.message,
        'GET /oauth-clients/oc-1: the answer (200) is not a JSON:API document: is the address right?',
      );
      assert.equal(wire.server.arrived.length, index + 1);
    }
  });

  for (const [what, reply] of Object.entries({
    'cut off': cutOff(201),
    'no JSON': text(201, 'created!'),
    empty: text(201, ''),
    'without an id': json(201, { data: { type: 'oauth-clients', attributes: {} } }),
    'a page for people': text(200, '<!doctype html><p>log in'),
  })) {
    it(`calls the answer to a create lost when it is ${what}`, async () => {
      wire.server.script(reply, json(201, one));
      const error = await catchFailure(client().oauthClients.create('acme', created));
      assert.ok(error instanceof AnswerLost);
      assert.equal(error.outcome, 'ambiguous');
      assert.equal(wire.server.arrived.length, 1);
    });
  }

  it('says the reasons of an answer that is no success', async () => {
    wire.server.script(json(200, { errors: [{ detail: 'Name has already been taken' }] }));
    const { message } = await catchFailure(client().oauthClients.create('acme', created));
    assert.match(message, /data is not an object: Name has already been taken; it may have been applied$/);
  });

  it('knows that a create was refused even when the reasons are cut off', async () => {
    wire.server.script(cutOff(422));
    const error = await catchFailure(client().oauthClients.create('acme', created));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'rejected');
    assert.deepEqual(error.context.details, []);
  });

  it('does not take a word of no meaning for a delete that was done', async () => {
    for (const remove of deletes) {
      wire.server.script(text(200, 'welcome'));
      const error = await catchFailure(remove());
      assert.ok(error instanceof AnswerLost);
      assert.match(
        error.message,
        /the answer \(200\) is not a JSON:API document: .*; it may have been applied/,
      );
      for (const document of [{ errors: [{ title: 'forbidden' }] }, { message: 'maintenance' }]) {
        wire.server.script(json(200, document));
        await assert.rejects(remove(), (lost: Error) => {
          assert.ok(lost instanceof AnswerLost);
          assert.match(lost.message, /it has `(errors`: forbidden|message`); it may have been applied$/);
          return true;
        });
      }
      for (const done of [text(200, ' \n'), json(200, {}), json(202, one)]) {
        wire.server.script(done);
        await remove();
      }
    }
  });

  it('says that a delete which is answered with 404 may have been applied by an earlier attempt', async () => {
    for (const lost of [reset, refusal(503, 'busy')]) {
      for (const remove of deletes) {
        wire.server.script(lost, refusal(404, 'not found'));
        const error = await catchFailure(remove());
        assert.ok(error instanceof NotFound && error.outcome === 'ambiguous');
      }
    }
  });

  it('says nothing of an earlier attempt of a read, which changes nothing', async () => {
    wire.server.script(refusal(503, 'busy'), refusal(404, 'not found'));
    const error = await catchFailure(client().oauthClients.read('oc-1'));
    assert.ok(error instanceof NotFound);
    assert.equal(error.outcome, 'rejected');
    assert.match(error.message, /\(404\): not found \(after 2 attempts\)$/);
  });

  it('says that an attach refused at its second attempt may have been applied at the first', async () => {
    wire.server.script(reset, refusal(422, 'already attached'));
    const error = await catchFailure(client().oauthClients.attach('oc-1', ['prj-1']));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'ambiguous');
    assert.equal(error.context.attempts, 2);
    assert.match(error.message, /an earlier attempt may have been applied \(after 2 attempts\)$/);
  });
});
