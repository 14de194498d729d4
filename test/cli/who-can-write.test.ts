/** Who can write this can do that: a test for each row of the table in SECURITY.md. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { readProfile } from '../../resources/profile';
import { bareHead, World } from '../support/world';

const trigger = 'runTriggers: [{ target: ws-app, source: ws-network }]\n';

describe('who can write', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  describe('a pull request, whose plan has the token', () => {
    let elsewhere: Server;
    let connections = 0;
    beforeEach(async () => {
      connections = 0;
      elsewhere = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });
    afterEach(() => new Promise((resolve) => elsewhere.close(resolve)));

    const settings = ['hostname', 'address', 'token'] as const;
    for (const setting of settings) {
      it(`cannot say with a profile of its own from which variable the ${setting} is read`, async () => {
        const own = { ...readProfile('default', '/'), environment: { [setting]: ['GITHUB_HEAD_REF'] } };
        world.write('p.json', JSON.stringify(own));
        world.write('main.tether.yaml', `${bareHead}profile: ./p.json\n${trigger}`);
        const address = elsewhere.address();
        assert.ok(address !== null && typeof address === 'object');
        const branch = {
          hostname: `127.0.0.1:${address.port}`,
          address: `http://127.0.0.1:${address.port}`,
          token: 'x',
        }[setting];
        const env = { TETHER_ADDRESS: '', GITHUB_HEAD_REF: branch };
        for (const args of [['plan'], ['drift'], ['plan', '--profile', 'p.json']]) {
          const { stderr } = await world.expect(1, args, { env });
          assert.match(stderr, /p\.json has `environment`: only the profiles that come with Tether/);
        }
        assert.equal(connections, 0);
      });
    }
  });
});
