/** `check` of each kind: inputs in one form, the rules across fields, and a profile that cannot be read. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inboundSet, outboundSet, resourceTypeOf } from '../../provider/resource-types';
import { Session } from '../../provider/session';
import { type Props, unknownValue } from '../../provider/state';
import { links, oauthClients, sets } from '../support/provider-handlers';
import { temporaryFolder } from '../support/temporary-folder';

const good = {
  organization: 'acme',
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

describe('check', () => {
  const folder = temporaryFolder();
  const session = (profile?: string) =>
    new Session({
      variable: (name) => (name === 'TETHER_PROFILE' ? profile : undefined),
      folder,
      say: () => undefined,
    });

  it('brings inputs into one form: null only where it clears, sets in order and once', async () => {
    const news = {
      ...good,
      name: null,
      adoptId: null,
      organizationScoped: null,
      secret: undefined,
      projectIds: ['prj-2', 'prj-1', 'prj-2'],
    };
    assert.deepEqual(await oauthClients(session()).check({}, news), {
      inputs: { ...good, name: null, projectIds: ['prj-1', 'prj-2'] },
      failures: [],
    });
    const later = { ...good, projectIds: ['prj-2', unknownValue, 'prj-1'] };
    assert.deepEqual((await oauthClients(session()).check({}, later)).inputs, {
      ...good,
      projectIds: ['prj-1', 'prj-2', unknownValue],
    });
  });

  /** What the state has, what is wished, and what the engine compares with it, place by place. */
  const places: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
    ['nothing changed', ['d', 'a', 'c'], ['a', 'c', 'd'], ['d', 'a', 'c']],
    ['the first one gone', ['a', 'b', 'c', 'd', 'e'], ['e', 'd', 'c', 'b'], ['b', 'c', 'd', 'e']],
    ['the last one gone', ['a', 'b', 'c'], ['b', 'a'], ['a', 'b']],
    ['all but the last gone', ['a', 'b', 'c'], ['c'], ['c']],
    ['all gone', ['a', 'b'], [], []],
    ['one exchanged', ['a', 'b', 'c'], ['x', 'a', 'c'], ['a', 'c', 'x']],
    ['more come', ['b', 'c'], ['z', 'a', 'b', 'c'], ['b', 'c', 'a', 'z']],
    ['one not known yet', ['a', 'b'], [unknownValue, 'a'], ['a', unknownValue]],
    ['two not known yet', ['a'], [unknownValue, 'a', unknownValue], ['a', unknownValue, unknownValue]],
  ];
  for (const [what, before, wished, after] of places) {
    it(`leaves the members of a set where they were: ${what}`, async () => {
      const olds = { ...good, projectIds: before };
      const { inputs } = await oauthClients(session()).check(olds, { ...good, projectIds: wished });
      assert.deepEqual((inputs as Record<string, unknown>).projectIds, after);
    });
  }

  it('tells no value that may be a secret', async () => {
    const news = { ...good, secret: '', key: 5, httpUrl: 'canary' };
    const { failures = [] } = await oauthClients(session()).check({}, news);
    assert.deepEqual(
      failures.map(({ reason }) => reason.split(':')[0]),
      ['httpUrl', 'key', 'secret'],
    );
    assert.doesNotMatch(JSON.stringify(failures), /canary/);
  });

  /** Profile, what was before, what is given beside good inputs, and the mistakes. */
  const rules: readonly (readonly [string, string, Props, Props, readonly string[]])[] = [
    [
      'what a provider does not take',
      'default',
      {},
      { privateKey: 'canary', rsaPublicKey: unknownValue },
      [
        'privateKey: provider_a does not take `privateKey`: remove it, or choose another serviceProvider',
        'rsaPublicKey: provider_a does not take `rsaPublicKey`: remove it, or choose another serviceProvider',
      ],
    ],
    [
      'what a create lacks',
      'default',
      {},
      { serviceProvider: 'provider_c_server' },
      ['privateKey: provider_c_server needs it to be created'],
    ],
    ['what only a create needs', 'default', good, { serviceProvider: 'provider_c_server' }, []],
    [
      'what an adoption does without',
      'default',
      {},
      { serviceProvider: 'provider_c_server', adoptId: 'oc-1' },
      [],
    ],
    [
      'what is given and not known yet',
      'default',
      {},
      { serviceProvider: 'provider_c_server', privateKey: unknownValue },
      [],
    ],
    [
      'a provider that is not known yet',
      'default',
      {},
      { serviceProvider: unknownValue, privateKey: 'x' },
      [],
    ],
    [
      'half of what goes together, and what is never empty',
      'hcp-terraform',
      {},
      { serviceProvider: 'bitbucket_data_center', secret: 'canary', key: '' },
      [
        'key: bitbucket_data_center does not accept an empty `key`: give a value, or leave the field out',
        'secret: bitbucket_data_center takes `secret` and `rsaPublicKey` together: add `rsaPublicKey`',
      ],
    ],
    [
      'an adoptId of another kind',
      'default',
      {},
      { adoptId: 'prj-1' },
      ['adoptId: "prj-1" is the id of a project; the id of an OAuthClient (`oc-…`) belongs here'],
    ],
    [
      'an adoptId of another type, once',
      'default',
      {},
      { adoptId: 5 },
      ['adoptId: must be a string, not a number'],
    ],
    ['an adoptId that is not known yet', 'default', {}, { adoptId: unknownValue }, []],
  ];
  for (const [what, profile, olds, more, mistakes] of rules) {
    it(`judges ${what}`, async () => {
      const { failures = [] } = await oauthClients(session(profile)).check(olds, { ...good, ...more });
      assert.deepEqual(
        failures.map((one) => one.reason),
        mistakes,
      );
    });
  }

  it('counts members of a set only where they are the sources of one target', async () => {
    const many = Array.from({ length: 21 }, (_, index) => `ws-${index}`);
    const limited = session('hcp-terraform');
    const inbound = await sets(limited, inboundSet).check({}, { workspaceId: 'ws-x', sourceableIds: many });
    assert.deepEqual(
      inbound.failures?.map((one) => one.reason),
      ['sourceableIds: 21 sources, and the service takes at most 20 for one target'],
    );
    const outbound = { sourceableId: 'ws-x', workspaceIds: many };
    assert.deepEqual((await sets(limited, outboundSet).check({}, outbound)).failures, []);
    const twenty = { workspaceId: 'ws-x', sourceableIds: many.slice(1) };
    assert.deepEqual((await sets(limited, inboundSet).check({}, twenty)).failures, []);
  });

  it('refuses a set whose workspace is its own member, once both are known', async () => {
    const outbound = sets(session(), outboundSet);
    const { failures = [] } = await outbound.check(
      {},
      { sourceableId: 'ws-a', workspaceIds: ['ws-a', 'ws-b'] },
    );
    assert.deepEqual(
      failures.map((one) => one.reason),
      ['workspaceIds: ws-a cannot trigger itself: take it off the list'],
    );
    const later = { sourceableId: unknownValue, workspaceIds: ['ws-a'] };
    assert.deepEqual((await outbound.check({}, later)).failures, []);
  });

  it('says in one line what is wrong with the profile, of any kind', async () => {
    writeFileSync(join(folder(), 'broken.json'), '{ "name": ');
    const profiles: readonly (readonly [string, RegExp])[] = [
      ['./broken.json', /^\.\/broken\.json is not JSON/],
      ['./nowhere.json', /^the profile file \.\/nowhere\.json cannot be read \(ENOENT\)$/],
      ['Nope', /^there is no profile "Nope": name default, hcp-terraform, or a \.json file$/],
    ];
    for (const [profile, message] of profiles) {
      const { failures = [] } = await links(session(profile), resourceTypeOf('RunTrigger')).check({}, {});
      assert.equal(failures.length, 1);
      assert.match(failures[0]?.reason ?? '', message);
      assert.doesNotMatch(failures[0]?.reason ?? '', /\n|bug in tether/);
    }
  });
});
