/** A read-only client cannot send anything but GET. */
import assert from 'node:assert/strict';
import { createReadOnlyClient, openConnection } from '../../client/client';
import { ReadOnly } from '../../client/errors';
import { oauthClientWrites } from '../../client/oauth-clients';
import { withDefaults } from '../../client/options';
import { runTriggerWrites } from '../../client/run-triggers';
import { catchFailure } from '../support/api-failure';
import { leastOAuthClient as created } from '../support/client-operations';
import { json } from '../support/scripted-server';
import { scriptedWire } from '../support/scripted-wire';
import { oauthClientResource } from '../support/wire-documents';

const one = { data: oauthClientResource('oc-1') };

describe('a read-only client', () => {
  const wire = scriptedWire();
  const options = () => ({ address: wire.server.address, token: 'token-1' });

  it('makes every write an error, even one that somebody smuggles in', async () => {
    const perform = openConnection(withDefaults(options()), true).performIn(null);
    const oauthClients = oauthClientWrites(perform);
    const runTriggers = runTriggerWrites(perform);
    for (const call of [
      oauthClients.create('acme', created),
      oauthClients.update('oc-1', {}),
      oauthClients.delete('oc-1'),
      oauthClients.attach('oc-1', ['prj-1']),
      oauthClients.detach('oc-1', ['prj-1']),
      runTriggers.create('ws-1', 'ws-2'),
      runTriggers.delete('rt-1'),
    ]) {
      const error = await catchFailure(call);
      assert.ok(error instanceof ReadOnly);
      assert.equal(error.outcome, 'not-sent');
      assert.match(error.message, /refused, this client only reads; nothing was sent$/);
    }
    assert.equal(wire.server.connections(), 0);
  });

  it('reads, and has nothing to write with', async () => {
    wire.server.script(json(200, one));
    const api = createReadOnlyClient(options());
    assert.equal((await api.oauthClients.read('oc-1')).id, 'oc-1');
    assert.deepEqual(Object.keys(api.oauthClients), ['list', 'read', 'affectedWorkspaces']);
    assert.deepEqual(Object.keys(api.runTriggers), ['list', 'read']);
  });
});
