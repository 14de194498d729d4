/** Starting and ending the service: wrong options, taken ports, clocks, quick ends, large organizations. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createService, ServiceError } from '../../service';
import { Caller } from '../support/api-caller';
import { HandClock } from '../support/hand-clock';

describe('the service', () => {
  it('refuses every wrong behaviour at once', async () => {
    const wrong = {
      'page-size-max': '0',
      'list-order': 'up',
      colour: 'red',
      rate: '1.5',
      'max-sources': 'none',
    };
    await assert.rejects(createService({ behaviours: wrong }), (error: Error) => {
      assert.equal(error.message.split('\n').length, 5);
      assert.match(error.message, /There is no behaviour "colour"/);
      assert.match(error.message, /"up" is not a value of list-order. It takes: created, random/);
      assert.match(
        error.message,
        /"none" is not a value of max-sources. It takes: off, a whole number from 1/,
      );
      return error instanceof ServiceError;
    });
  });

  it('says that a port is in use', async () => {
    const otherService = await createService();
    const port = Number(new URL(otherService.url).port);
    await assert.rejects(createService({ port }), /cannot use port \d+: .*EADDRINUSE/);
    await otherService.close();
  });

  it('is the same run again when time, chance and ids are the same, and after a restore', async () => {
    const run = async () => {
      const count: string[] = [];
      const clock = new HandClock();
      const newId = (prefix: string) => `${prefix}-${count.push(prefix)}`;
      const behaviours = { 'list-order': 'random', 'delete-visible-ms': '1000' };
      const caller = await Caller.start({ clock, random: () => 0.5, newId, behaviours });
      const responses = [
        await caller.createClient({ name: 'one' }),
        await caller.createTrigger('ws-app', 'ws-docs'),
      ];
      const before = caller.service.snapshot();
      clock.pass(5000);
      responses.push(
        await caller.createClient({ name: 'two' }),
        await caller.send('DELETE', '/oauth-clients/oc-1'),
      );
      responses.push(await caller.read('/organizations/acme/oauth-clients'));
      const { port } = new URL(caller.service.url);
      const texts = responses.map((answer) => answer.text.replaceAll(`:${port}`, ''));
      const end = { texts, snapshot: caller.service.snapshot(), requests: caller.service.requests() };
      caller.service.restore(before);
      assert.deepEqual(caller.service.snapshot(), before);
      assert.deepEqual((await caller.read('/organizations/acme/oauth-clients')).idsAt('/data'), ['oc-1']);
      await caller.close();
      return end;
    };
    assert.deepEqual(await run(), await run());
  });

  it('delays every answer where that is switched', async () => {
    const clock = new HandClock();
    const caller = await Caller.start({ clock, behaviours: { 'latency-ms': '80' } });
    const response = caller.read('/oauth-clients/oc-1');
    await clock.sleeping(1);
    clock.pass(80);
    assert.equal((await response).status, 404);
    await caller.close();
  });

  it('ends at once though connections are open and answers wait', async () => {
    const caller = await Caller.start({ behaviours: { 'latency-ms': '3600000' } });
    const idle = connect(Number(new URL(caller.service.url).port), '127.0.0.1');
    await once(idle, 'connect');
    const waiting = caller.read('/oauth-clients/oc-1').catch((error: Error) => error);
    while (caller.service.requests().length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closed = once(idle, 'close');
    idle.resume();
    await caller.close();
    await Promise.all([waiting, closed]);
  });
});
