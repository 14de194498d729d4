/** Scenario 88a: the ledger of a folder belongs to one service. A run at another one ends before its first call. */
import assert from 'node:assert/strict';
import { LedgerError } from '../../../reconciler/ledger/store';
import { acmeManifest, acmeSeed, bareHead } from '../../support/acme';
import { World } from '../../support/world';

const secrets = { GIT_SECRET: 'git-other-canary' };

describe('a ledger of another service', () => {
  let home: World;
  let elsewhere: World;
  before(async () => {
    [home, elsewhere] = await Promise.all([World.start(), World.start()]);
  });
  after(() => Promise.all([home.close(), elsewhere.close()]));
  beforeEach(async () => {
    for (const world of [home, elsewhere]) await world.service.seed(acmeSeed());
    home.remove('tether.ledger.json');
    home.write(acmeManifest());
    await home.applyAndExpectNothing([], { env: secrets });
    elsewhere.service.clearRequests();
  });

  const there = () => ({ env: { ...secrets, TETHER_ADDRESS: elsewhere.service.url } });

  for (const args of [['plan'], ['apply', '--yes'], ['destroy', '--yes'], ['drift'], ['show']]) {
    it(`88a: ends \`${args.join(' ')}\` before its first call, and the ledger stays as it is`, async () => {
      const before = home.read('tether.ledger.json');
      const { stdout, stderr } = await home.expect(1, args, there());
      assert.equal(stdout, '');
      assert.match(stderr, /^error: tether\.ledger\.json is the ledger of the service at http/m);
      for (const address of [home.service.url, elsewhere.service.url]) assert.ok(stderr.includes(address));
      assert.deepEqual(elsewhere.service.requests(), []);
      assert.equal(home.read('tether.ledger.json'), before);
    });
  }

  it('88a: looks no name up there', async () => {
    home.write(`${bareHead}profile: hcp-terraform\nrunTriggers: [{ target: no-alias, source: ws-app }]\n`);
    await home.expect(1, ['plan'], there());
    assert.deepEqual(elsewhere.service.requests(), []);
  });

  it('88a: is shown, validated and unlocked anywhere', async () => {
    await home.expect(0, ['ledger', 'show'], there());
    await home.expect(0, ['validate'], there());
    const { stderr } = await home.expect(1, ['ledger', 'unlock', 'no-id'], there());
    assert.doesNotMatch(stderr, /service at/);
  });

  it('88a: is refused to users of the library, before a call', async () => {
    const api = elsewhere.api();
    await assert.rejects(home.plan({ api }), LedgerError);
    const made = await home.plan();
    const ledger = await home.ledger();
    await assert.rejects(home.apply({}, { ...made, api, ledger }), /is for http/);
    assert.deepEqual(elsewhere.service.requests(), []);
  });

  it('88a: takes the address of the run once nothing is managed', async () => {
    await home.approve(['destroy', '--yes', '--max-deletes', '7'], { env: secrets });
    await home.expect(0, ['destroy', '--yes', '--max-deletes', '7'], { env: secrets });
    assert.equal(home.saved.address, home.service.url);
    home.remove('approved.tether.yaml');
    await home.applyAndExpectNothing([], there());
    assert.equal(home.saved.address, elsewhere.service.url);
  });

  describe('with a second name', () => {
    const second = () => `http://LOCALHOST:${new URL(home.service.url).port}/api/v2/`;
    const named = () => ({ env: { ...secrets, TETHER_ADDRESS: second() } });

    it('88a: is refused at it, and with both names under `addresses` it is not', async () => {
      await home.expect(1, ['plan'], named());
      const both = `addresses: [${home.service.url}, ${second()}]\n`;
      home.write(acmeManifest() + both);
      await home.expect(0, ['drift'], named());
      const { stdout } = await home.expect(0, ['plan'], named());
      assert.match(stdout, /^acme at localhost:\d+ · /);
      assert.match(stdout, /^No changes\. 8 objects up to date\.$/m);
      assert.equal(home.saved.address, home.service.url);
      await home.expect(1, ['plan'], there());
    });

    it('88a: gets the new address with the next save, and goes on at either', async () => {
      const both = `addresses: [${second()}, ${home.service.url}]\n`;
      home.write(acmeManifest({ links: '' }) + both);
      await home.applyAndExpectNothing([], named());
      assert.equal(home.saved.address, second().toLowerCase().replace(/\/$/, ''));
      await home.expect(0, ['plan'], { env: secrets });
      home.write(acmeManifest({ links: '' }));
      await home.expect(1, ['plan'], { env: secrets });
      await home.expect(0, ['plan'], named());
    });

    it('88a: is refused where `addresses` names only one of the two', async () => {
      home.write(`${acmeManifest()}addresses: [${second()}]\n`);
      await home.expect(1, ['plan'], named());
      home.write(`${acmeManifest()}addresses: [${home.service.url}]\n`);
      await home.expect(1, ['plan'], named());
    });
  });
});
