// Listing and showing OAuth clients: whole, in pages, with what comes along.

import assert from 'node:assert/strict';
import { Caller, projects } from '../support/api-caller';
import { proves } from './proves';

const path = '/organizations/acme/oauth-clients';

describe('listing OAuth clients', () => {
  let caller: Caller;
  let ids: string[];
  before(async () => {
    caller = await Caller.start();
    for (let count = 0; count < 23; count += 1) {
      await caller.newClient({ 'oauth-token-string': 't' }, { projects: projects('prj-web') });
    }
    // Several are made within one millisecond: those are in the order of their ids.
    ids = caller.service
      .snapshot()
      .oauthClients.map(({ id, createdAt }) => ({ id, rank: `${createdAt} ${id}` }))
      .sort((one, other) => (one.rank < other.rank ? -1 : 1))
      .map(({ id }) => id);
  });
  after(() => caller.close());

  proves(
    ['list-clients', 'list-whole', 'gap-whole-list', 'gap-list-order'],
    'gives all of them, oldest first, without links and meta',
    async () => {
      const answer = await caller.read(path);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.idsAt('/data'), ids);
      assert.deepEqual(Object.keys(JSON.parse(answer.text)), ['data']);
    },
  );

  proves(
    ['list-paged', 'client-page-default', 'gap-paged-clients'],
    'pages by 20 when only a number is given',
    async () => {
      const answer = await caller.read(`${path}?page%5Bnumber%5D=2`);
      assert.deepEqual(answer.idsAt('/data'), ids.slice(20));
      const url = (page: number) => `${caller.service.url}${path}?page%5Bnumber%5D=${page}&page%5Bsize%5D=20`;
      assert.deepEqual(answer.at('/links'), {
        self: url(2),
        first: url(1),
        prev: url(1),
        next: null,
        last: url(2),
      });
      assert.deepEqual(answer.at('/meta/pagination'), {
        'current-page': 2,
        'page-size': 20,
        'prev-page': 1,
        'next-page': null,
        'total-pages': 2,
        'total-count': 23,
      });
    },
  );

  proves(
    ['list-paged', 'brackets-encoded'],
    'starts at the first page when only a size is given',
    async () => {
      for (const query of ['page%5Bsize%5D=5', 'page[size]=5']) {
        const answer = await caller.read(`${path}?${query}`);
        assert.deepEqual(answer.idsAt('/data'), ids.slice(0, 5));
        assert.equal(answer.at('/meta/pagination/total-pages'), 5);
        assert.equal(answer.at('/meta/pagination/next-page'), 2);
      }
    },
  );

  proves(['client-include', 'list-clients'], 'brings along tokens and projects, each once', async () => {
    const answer = await caller.read(`${path}?include=oauth_tokens,projects&page%5Bsize%5D=3`);
    const types = answer.listAt('/included').map((item) => Reflect.get(Object(item), 'type'));
    assert.deepEqual(types, ['oauth-tokens', 'oauth-tokens', 'oauth-tokens', 'projects']);
    assert.equal(answer.at('/included/3/id'), 'prj-web');
    const one = await caller.read(`${path}?include=projects`);
    assert.deepEqual(one.idsAt('/included'), ['prj-web']);
  });

  proves(['client-include', 'show-client'], 'shows one with its tokens', async () => {
    const answer = await caller.read(`/oauth-clients/${ids[0]}?include=oauth_tokens`);
    assert.equal(answer.status, 200);
    assert.equal(answer.at('/included/0/id'), answer.at('/data/relationships/oauth-tokens/data/0/id'));
    assert.equal(answer.at('/included/0/relationships/oauth-client/data/id'), ids[0]);
    assert.equal((await caller.read(`/oauth-clients/${ids[0]}`)).at('/included'), undefined);
  });

  proves(
    ['gap-unknown-include', 'gap-odd-paging'],
    'refuses unknown includes by name and takes an empty one',
    async () => {
      for (const include of ['workspace', 'oauth_tokens,x', 'oauth-tokens', 'Projects', 'projects%00']) {
        for (const place of [path, `/oauth-clients/${ids[0]}`]) {
          const answer = await caller.read(`${place}?include=${include}`);
          assert.deepEqual([answer.status, ...answer.sources()], [400, 'include'], include);
        }
      }
      const empty = await caller.read(`${path}?include=`);
      assert.deepEqual([empty.status, empty.at('/included')], [200, undefined]);
    },
  );
});

describe('an organization with fewer permissions', () => {
  let caller: Caller;
  before(async () => {
    caller = await Caller.start();
  });
  after(() => caller.close());

  proves(
    [
      'list-clients-404',
      'show-client-404',
      'create-client-404',
      'update-client-404',
      'destroy-client-404',
      'attach-404',
      'detach-404',
      'create-permission',
      'gap-client-permissions',
      'unauthorized-404',
      'not-distinguished',
      'gap-401',
      'gap-grants',
      'gap-malformed-ids',
    ],
    'looks like one that is not there, for every operation on clients',
    async () => {
      const id = await caller.newClient();
      const list = { data: [{ id: 'prj-web', type: 'projects' }] };
      const update = { data: { type: 'oauth-clients', attributes: { name: 'x' } } };
      const operations = (organization: string, client: string): [string, string, unknown][] => [
        ['GET', `/organizations/${organization}/oauth-clients`, undefined],
        ['POST', `/organizations/${organization}/oauth-clients`, { data: {} }],
        ['GET', `/oauth-clients/${client}`, undefined],
        ['PATCH', `/oauth-clients/${client}`, update],
        ['DELETE', `/oauth-clients/${client}`, undefined],
        ['POST', `/oauth-clients/${client}/relationships/projects`, list],
        ['DELETE', `/oauth-clients/${client}/relationships/projects`, list],
      ];
      const answers: string[] = [];
      for (const token of ['reader', 'builder', 'foreign', 'nobody']) {
        for (const [method, place, body] of operations('acme', id)) {
          const answer = await caller.send(method, place, { token, body });
          assert.equal(answer.status, 404, `${token} ${method} ${place}`);
          answers.push(answer.text);
        }
      }
      for (const client of ['oc-none', 'x', '%20', 'oc-%F0%9F%A6%80', '..%2F..', '__proto__']) {
        for (const [method, place, body] of operations('none', client)) {
          const answer = await caller.send(method, place, { body });
          assert.equal(answer.status, 404, `${method} ${place}`);
          answers.push(answer.text);
        }
      }
      assert.equal(new Set(answers).size, 1);
      assert.equal((await caller.read(`/oauth-clients/${id}`, { token: 'vcs' })).status, 200);
      assert.equal((await caller.createClient({}, {}, { token: 'vcs' })).status, 201);
    },
  );
});
