/** Sets that trade targets which are full, against a service that counts: one apply each time, and nothing is left. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApplyWorld } from '../../support/apply-world';
import { Dice } from '../../support/random-organization';
import { temporaryFolder } from '../../support/temporary-folder';

const workspaces = ['ws-a', 'ws-b', 'ws-c', 'ws-d', 'ws-e'];
const seed = {
  organizations: { acme: { workspaces: Object.fromEntries(workspaces.map((id) => [id, {}])) } },
  tokens: { owner: { acme: 'owner' } },
} as const;

describe('an apply under a limit of sources', () => {
  const folder = temporaryFolder();

  /** The default profile with this limit, which the service has too. */
  async function start(limit: number): Promise<ApplyWorld> {
    const world = await ApplyWorld.start(seed, { behaviours: { 'max-sources': String(limit) } });
    const profile = JSON.parse(readFileSync('profiles/default.json', 'utf8')) as { limits: object };
    world.profile = join(folder(), 'limited.json');
    writeFileSync(
      world.profile,
      JSON.stringify({ ...profile, name: 'limited', limits: { ...profile.limits, maxSources: limit } }),
    );
    return world;
  }

  for (const limit of [1, 2, 3]) {
    it(`of ${limit} moves sets of sources and of targets about in one run each`, async () => {
      const world = await start(limit);
      const dice = new Dice(limit);
      try {
        for (let round = 0; round < 12; round += 1) {
          const outbound = dice.some(workspaces, 0.6);
          const pairs = workspaces.flatMap((target) =>
            dice
              .some(workspaces.filter((source) => source !== target))
              .slice(0, limit)
              .map((source) => ({ target, source })),
          );
          const lines = [
            ...outbound.map((source) => ({
              source,
              targets: pairs.filter((pair) => pair.source === source).map((pair) => pair.target),
            })),
            ...pairs.filter(({ source }) => !outbound.includes(source)),
          ];
          world.manifest = `apiVersion: tether/v1\norganization: acme\nrunTriggers: ${JSON.stringify(lines)}\n`;
          const { result } = await world.apply({ maxDeletes: 100 });
          assert.deepEqual(
            result.steps.filter((step) => step.status !== 'done'),
            [],
            `round ${round}`,
          );
        }
      } finally {
        await world.close();
      }
    });
  }
});
