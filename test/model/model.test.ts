/** Courses with fixed seeds, each held against an oracle that shares no code with the planner. */
import assert from 'node:assert/strict';
import { playSeed } from './play';
import { report } from './shrink';

const courses = 60;
/** From two to six steps, so that short courses are among them. */
const stepsOf = (seed: number): number => 2 + (seed % 5);

describe('the independent model', () => {
  const groups = 6;
  for (let group = 0; group < groups; group += 1) {
    it(`agrees with the tool in courses ${group * 10 + 1} to ${group * 10 + 10}`, async () => {
      for (let seed = group * 10 + 1; seed <= Math.min(courses, group * 10 + 10); seed += 1) {
        const played = await playSeed(seed, stepsOf(seed));
        if (played.broken !== undefined) assert.fail(await report(played));
      }
    });
  }
});
