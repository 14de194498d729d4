/** Engine and provider are killed at each request of an update and of a replacement: one object, or a refusal with the way out. */
import assert from 'node:assert/strict';
import { OAuthClient, type OAuthClientArgs } from '../../provider/pulumi';
import type { Stop } from '../support/gate';
import { canKill, KilledRuns, type KillPoint } from '../support/killed-runs';
import { needEngine } from '../support/pulumi-engine';

const create = { method: 'POST', path: /\/oauth-clients$/u } as const;
const change = { method: 'PATCH', path: /\/oauth-clients\//u } as const;
const remove = { method: 'DELETE', path: /\/oauth-clients\/[^/]+$/u } as const;

const elsewhere = { httpUrl: 'https://new.example.com', deletionProtection: false };

const points: readonly (readonly [string, Partial<OAuthClientArgs>, Stop, KillPoint['then']])[] = [
  ['update: its PATCH never arrives', { key: 'k' }, { ...change, when: 'before' }, 'finished'],
  ['update: the answer to its PATCH is lost', { key: 'k' }, { ...change, when: 'after' }, 'finished'],
  ['replacement: the POST never arrives', elsewhere, { ...create, when: 'before' }, 'finished'],
  [
    'replacement: the answer to the POST is lost',
    elsewhere,
    { ...create, when: 'after' },
    'TETHER_ALLOW_DESTROY',
  ],
  ['replacement: the rename never arrives', elsewhere, { ...change, when: 'before' }, 'TETHER_ALLOW_DESTROY'],
  ['replacement: the answer to the rename is lost', elsewhere, { ...change, when: 'after' }, 'adoptId'],
  ['replacement: the DELETE never arrives', elsewhere, { ...remove, when: 'before' }, 'TETHER_ALLOW_DESTROY'],
  ['replacement: the answer to the DELETE is lost', elsewhere, { ...remove, when: 'after' }, 'finished'],
];

describe('a replacement that is killed on the real engine', () => {
  let runs: KilledRuns;
  before(async function () {
    needEngine(this);
    if (!canKill) this.skip();
    runs = await KilledRuns.start();
  });
  after(() => runs?.close());

  it('is finished by the next run at every point, or refused with the way out', async () => {
    const args = points.map((): Partial<OAuthClientArgs> => ({}));
    const program = (): void => {
      for (const [index, more] of args.entries()) {
        const name = `c${index}`;
        const adoptId = runs.adopted.get(name);
        new OAuthClient(name, {
          organization: 'acme',
          name,
          serviceProvider: 'provider_a',
          httpUrl: 'https://git.example.com',
          apiUrl: 'https://git.example.com/api/v3',
          ...more,
          ...(adoptId === undefined ? {} : { adoptId }),
        });
      }
    };
    runs.world.program = async () => program();
    assert.equal((await runs.world.up()).failure, undefined);
    for (const [index, [at, more, stop, then]] of points.entries()) {
      args[index] = more;
      await runs.kill({ at, program, stop, then });
    }
    assert.deepEqual(
      runs.world.service
        .snapshot()
        .oauthClients.map(({ name, httpUrl, key }) => [name, httpUrl, key].join(' '))
        .sort(),
      points.map(
        ([, more], index) => `c${index} ${more.httpUrl ?? 'https://git.example.com'} ${more.key ?? ''}`,
      ),
    );
    await runs.world.expectNothing();
  });
});
