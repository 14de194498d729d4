/** Even spacing, the gate, and what clients with one token share; in virtual time. */
import assert from 'node:assert/strict';
import { createClient } from '../../client/client';
import { Pacer, sharedPacer } from '../../client/pace';
import { json, type ScriptedServer, startScriptedServer } from '../support/scripted-server';
import { LateClock, VirtualClock } from '../support/virtual-clock';
import { oauthClientResource } from '../support/wire-documents';

/** A signal that nobody aborts. */
const never = new AbortController().signal;

describe('pacing', () => {
  it('spaces requests evenly, the first one at once', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    const times: number[] = [];
    await Promise.all(
      Array.from({ length: 5 }, async () => {
        assert.equal(await pacer.slot(40, 1000, never), true);
        times.push(clock.elapsed());
      }),
    );
    assert.deepEqual(times, [0, 40, 80, 120, 160]);
  });

  it('saves up nothing while it is idle', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    await pacer.slot(40, 1000, never);
    await clock.sleep(1000);
    const times: number[] = [];
    for (let request = 0; request < 3; request += 1) {
      await pacer.slot(40, 1000, never);
      times.push(clock.elapsed());
    }
    assert.deepEqual(times, [1000, 1040, 1080]);
  });

  it('holds everybody behind a closed gate, those that already had a slot too, and spaces them again after it', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    const times: number[] = [];
    const all = Array.from({ length: 4 }, async () => {
      await pacer.slot(100, 60_000, never);
      times.push(clock.elapsed());
      if (times.length === 2) pacer.close(5000);
    });
    await Promise.all(all);
    assert.deepEqual(times, [0, 100, 5100, 5200]);
  });

  it('never opens the gate earlier than another answer asked for', () => {
    const pacer = new Pacer(new VirtualClock());
    pacer.close(5000);
    pacer.close(1000);
    assert.equal(pacer.closedFor(), 5000);
  });

  it('says at once that the gate stays closed for too long', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    pacer.close(5000);
    assert.equal(await pacer.slot(40, 4999, never), false);
    assert.equal(clock.elapsed(), 0);
    assert.equal(await pacer.slot(40, 5000, never), true);
    assert.deepEqual(clock.sleeps, [5000]);
  });

  it('makes up for a late timer, with half an interval between two requests at least', async () => {
    const clock = new LateClock([0, 90, 0, 0]);
    const pacer = new Pacer(clock);
    const times: number[] = [];
    for (let request = 0; request < 4; request += 1) {
      await pacer.slot(100, 1000, never);
      times.push(clock.elapsed());
    }
    assert.deepEqual(times, [0, 190, 240, 300]);
  });

  it('lets nothing leave for 250 ms after a 429, and spaces what comes then at half the rate', async () => {
    const clock = new VirtualClock();
    const pacer = new Pacer(clock);
    await pacer.slot(40, 1000, never);
    const sentAt = clock.now();
    await clock.sleep(20);
    pacer.answered(sentAt, 429, {});
    const times: number[] = [];
    for (let request = 0; request < 3; request += 1) {
      await pacer.slot(40, 1000, never);
      times.push(clock.elapsed());
    }
    assert.deepEqual(times, [270, 350, 430]);
  });

  it('lets in no more than may be in flight, in the order of arrival', async () => {
    const pacer = new Pacer(new VirtualClock());
    const entered: number[] = [];
    const enter = (one: number) => pacer.enter(2, never).then(() => entered.push(one));
    const all = [0, 1, 2, 3].map(enter);
    await Promise.all(all.slice(0, 2));
    assert.deepEqual(entered, [0, 1]);
    pacer.leave();
    await all[2];
    assert.deepEqual(entered, [0, 1, 2]);
    pacer.leave();
    await all[3];
    for (let left = 0; left < 2; left += 1) pacer.leave();
    await enter(4);
    assert.deepEqual(entered, [0, 1, 2, 3, 4]);
  });

  it('is shared by clients of one address and token, and by no others', () => {
    const clock = new VirtualClock();
    const pacer = sharedPacer(clock, 'https://a.test', 'one');
    assert.equal(sharedPacer(clock, 'https://a.test', 'one'), pacer);
    assert.notEqual(sharedPacer(clock, 'https://a.test', 'two'), pacer);
    assert.notEqual(sharedPacer(clock, 'https://b.test', 'one'), pacer);
    assert.notEqual(sharedPacer(new VirtualClock(), 'https://a.test', 'one'), pacer);
  });

  describe('of clients', () => {
    let server: ScriptedServer;
    beforeEach(async () => {
      server = await startScriptedServer();
    });
    afterEach(() => server.close());
    const one = json(200, { data: oauthClientResource('oc-1') });

    it('keeps two clients with one token to one rate and one gate, and to half of it after a 429', async () => {
      const clock = new VirtualClock();
      const options = { address: server.address, token: 'token-1', clock, rate: 10, random: () => 0 };
      const [first, second] = [createClient(options), createClient(options)];
      server.script(one);
      await first.oauthClients.read('oc-1');
      await second.oauthClients.read('oc-1');
      assert.equal(clock.elapsed(), 100);
      server.script(json(429, {}, { 'Retry-After': '9' }), one);
      await first.oauthClients.read('oc-1');
      assert.equal(clock.elapsed(), 9200);
      await second.oauthClients.read('oc-1');
      assert.equal(clock.elapsed(), 9400);
    });

    it('does not count the wait for a turn against the deadline', async () => {
      const clock = new VirtualClock();
      const options = { address: server.address, token: 'token-2', clock, rate: 1, deadlineMs: 5000 };
      server.script(one);
      const api = createClient(options);
      await Promise.all(Array.from({ length: 20 }, () => api.oauthClients.read('oc-1')));
      assert.equal(clock.elapsed(), 19_000);
    });

    it('has no more requests in flight than it may', async () => {
      let inFlight = 0;
      let most = 0;
      server.script((response, arrived) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        setTimeout(() => {
          inFlight -= 1;
          one(response, arrived);
        }, 5);
      });
      const api = createClient({ address: server.address, token: 'token-3', rate: Infinity, concurrency: 3 });
      await Promise.all(Array.from({ length: 12 }, () => api.oauthClients.read('oc-1')));
      assert.equal(most, 3);
    });
  });
});
