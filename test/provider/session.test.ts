/** One session holds the configuration of a provider, its connection, and the queues of its calls. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { Session } from '../../provider/session';

const address = 'https://tether.example.com/api/v2';

describe('a session', () => {
  const environment = { variable: () => undefined, folder: () => tmpdir() };
  const makeConfig = (config: Readonly<Record<string, string>>) => ({
    config: { get: (name: string) => config[name], require: () => '' },
  });

  it('is configured by what comes, without a failure, and connects once', () => {
    const session = new Session(environment, () => undefined);
    const broken = () => {
      throw new Error('there is no configuration');
    };
    session.configure({ config: { get: broken, require: broken } });
    assert.throws(() => session.api, { message: /no address/ });
    session.configure(makeConfig({ 'tether:address': address, 'tether:token': 'a' }));
    const { api } = session;
    session.configure(makeConfig({ 'tether:address': address, 'tether:token': 'a' }));
    assert.equal(session.api, api);
    session.configure(makeConfig({ 'tether:address': address, 'tether:token': 'b' }));
    assert.notEqual(session.api, api);
  });

  it('goes on in a queue after a failure', async () => {
    const session = new Session(environment, () => undefined);
    const order: string[] = [];
    const firstCall = session.queue('one', async () => {
      order.push('first');
      throw new Error('it failed');
    });
    const secondCall = session.queue('one', async () => order.push('second'));
    await assert.rejects(firstCall);
    await secondCall;
    assert.deepEqual(order, ['first', 'second']);
  });
});
