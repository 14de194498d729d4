/** Answers that cannot be read, and what a second attempt then means. */
import assert from 'node:assert/strict';
import {
  AnswerLost,
  type Api,
  BadAnswer,
  type ClientEvent,
  type ClientOptions,
  createClient,
  Invalid,
  NotFound,
} from '../../client';
import { failureOf } from '../support/api-failure';
import { leastOAuthClient } from '../support/client-operations';
import {
  cutOff,
  json,
  refusal,
  reset,
  type ScriptedServer,
  startScriptedServer,
  text,
} from '../support/scripted-server';
import { VirtualClock } from '../support/virtual-clock';
import { oauthClientResource } from '../support/wire-documents';

let server: ScriptedServer;
let clock: VirtualClock;
let events: ClientEvent[];

function client(options: Partial<ClientOptions> = {}): Api {
  const onEvent = (event: ClientEvent) => events.push(event);
  const { address } = server;
  return createClient({ address, token: 'token-1', clock, random: () => 0.5, onEvent, ...options });
}

const one = { data: oauthClientResource('oc-1') };
const created = leastOAuthClient;

describe('a lost answer', () => {
  beforeEach(async () => {
    server = await startScriptedServer();
    clock = new VirtualClock();
    events = [];
  });
  afterEach(() => server.close());

  it('reads again when an answer is cut off or no JSON', async () => {
    server.script(cutOff(200), text(200, '{"data": '), text(200, '\xff\xfe'), json(200, one));
    assert.equal((await client().oauthClients.read('oc-1')).id, 'oc-1');
    assert.equal(server.arrived.length, 4);
  });

  it('gives up on answers that stay no JSON', async () => {
    for (const body of ['}{', '', '[]', '"hello"']) {
      server.script(text(200, body));
      const error = await failureOf(client().oauthClients.read('oc-1'));
      assert.ok(error instanceof BadAnswer);
      assert.equal(
        error.message,
        'GET /oauth-clients/oc-1: the answer (200) is no JSON:API document: is the address right? (after 5 attempts)',
      );
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
      server.script(reply, json(201, one));
      const error = await failureOf(client().oauthClients.create('acme', created));
      assert.ok(error instanceof AnswerLost);
      assert.equal(error.outcome, 'ambiguous');
      assert.equal(server.arrived.length, 1);
    });
  }

  it('knows that a create was refused even when the reasons are cut off', async () => {
    server.script(cutOff(422));
    const error = await failureOf(client().oauthClients.create('acme', created));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'rejected');
    assert.deepEqual(error.context.details, []);
  });

  it('takes a 404 as done when an earlier delete may have been applied', async () => {
    for (const lost of [reset, refusal(503, 'busy')]) {
      server.script(lost, refusal(404, 'not found'));
      await client().runTriggers.delete('rt-1');
      server.script(lost, refusal(404, 'not found'));
      await client().oauthClients.delete('oc-1');
    }
  });

  it('throws NotFound when no earlier delete can have been applied', async () => {
    for (const first of [refusal(429, 'too many'), refusal(404, 'not found')]) {
      server.script(first, refusal(404, 'not found'));
      assert.ok((await failureOf(client().runTriggers.delete('rt-1'))) instanceof NotFound);
    }
  });

  it('throws NotFound when a detach, tried again, finds no client', async () => {
    server.script(reset, refusal(404, 'not found'));
    const error = await failureOf(client().oauthClients.detach('oc-1', ['prj-1']));
    assert.ok(error instanceof NotFound);
    assert.equal(error.context.attempts, 2);
  });

  it('says that an attach refused at its second attempt may have been applied at the first', async () => {
    server.script(reset, refusal(422, 'already attached'));
    const error = await failureOf(client().oauthClients.attach('oc-1', ['prj-1']));
    assert.ok(error instanceof Invalid);
    assert.equal(error.outcome, 'ambiguous');
    assert.equal(error.context.attempts, 2);
    assert.match(error.message, /an earlier attempt may have been applied \(after 2 attempts\)$/);
  });
});
