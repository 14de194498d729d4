// Manifests edited at random, somebody who changes the organization meanwhile, under random behaviours of the service.

import assert from 'node:assert/strict';
import { ApplyWorld } from '../support/apply-world';
import { RandomCourse, randomSeed } from '../support/random-course';
import { Dice } from '../support/random-organization';

const rounds = 6;
const courses = 16;

describe('a manifest that is edited at random while somebody else changes things', () => {
  for (let seed = 1; seed <= courses; seed += 1) {
    it(`does what its plans show, and then there is nothing left: seed ${seed}`, async () => {
      const dice = new Dice(seed);
      const behaviours = {
        'duplicate-trigger': dice.pick(['422', '409', 'accept']) ?? '',
        'attach-again': dice.pick(['204', '422']) ?? '',
        'page-size-max': dice.pick(['100', '2']) ?? '',
        'list-order': dice.pick(['created', 'random']) ?? '',
        'patch-without-agent-pool': dice.pick(['keep', 'clear']) ?? '',
        'trigger-lock': dice.pick(['off', '409', '422']) ?? '',
      };
      let ids = 0;
      const newId = (prefix: string) => {
        ids += 1;
        return `${prefix}-${String(ids).padStart(4, '0')}`;
      };
      const chance = new Dice(-seed);
      const random = () => chance.below(1000) / 1000;
      const world = await ApplyWorld.start(randomSeed, { behaviours, newId, random });
      const course = new RandomCourse(world, dice);
      try {
        for (let round = 0; round < rounds; round += 1) await course.round(round === 0 ? 8 : 3);
      } catch (error) {
        const told = [JSON.stringify(behaviours), ...course.log].join('\n');
        assert.fail(`seed ${seed}: ${error instanceof Error ? error.stack : error}\n${told}`);
      } finally {
        await world.close();
      }
    });
  }
});
