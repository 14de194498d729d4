/** Answers that are lost, late or wrong, at each kind of write: applying again ends in the same truth. */
import { CourseWorld, playing } from './course-world';
import { courses } from './courses';
import type { Fault, Moment } from './tap';

const seconds = 1000;

/** Faults after which nothing but another apply is needed. */
const faults: Readonly<Record<string, Fault>> = {
  'not applied, no answer': { service: { how: 'reset-before' } },
  'not applied, never an answer': { service: { how: 'reset-before' }, always: true },
  'applied, no answer': { service: { how: 'reset-after' } },
  'applied, never an answer': { service: { how: 'reset-after' }, always: true },
  'applied, half an answer': { service: { how: 'truncate' } },
  'applied, garbage for an answer': { service: { how: 'garbage' } },
  'applied, answered with 500': { service: { how: 'status', status: 500, applied: true } },
  'applied, answered with 503': { service: { how: 'status', status: 503, applied: true }, always: true },
  'not applied, answered with 500': { service: { how: 'status', status: 500 } },
  'not applied, answered with 503': { service: { how: 'status', status: 503 }, always: true },
  'not applied, answered with 429': { service: { how: 'status', status: 429 } },
  'not applied, answered with 404': { service: { how: 'status', status: 404 } },
  'not applied, answered with 422': { service: { how: 'status', status: 422 } },
  'applied 3 s later': { lateMs: 3 * seconds },
  'applied 20 s later': { lateMs: 20 * seconds },
  'killed, applied 3 s later': { lateMs: 3 * seconds, kill: 'before' },
  'killed, applied 20 s later': { lateMs: 20 * seconds, kill: 'before' },
};

/** Of a create of a client these are gaps, or lies. Any other write is carried out as it was wanted. */
const gaps: Readonly<Record<string, Fault>> = {
  'applied 5 min later': { lateMs: 300 * seconds },
  'applied, answered with 429': { service: { how: 'status', status: 429, applied: true } },
  'applied, answered with 404': { service: { how: 'status', status: 404, applied: true } },
  'applied, answered with 422': { service: { how: 'status', status: 422, applied: true } },
};

for (const course of courses) {
  describe(`${course.name}, with an answer that is lost, late or wrong`, () => {
    let played: CourseWorld;
    before(async () => {
      played = await CourseWorld.open(course);
    });
    after(() => played.close());

    for (const [name, fault] of Object.entries({ ...faults, ...gaps })) {
      it(`ends in the same truth: ${name}`, async () => {
        for (const index of writesOf(played.undisturbed.moments)) {
          const call = played.undisturbed.moments[index]?.name;
          if (name in gaps && call === 'create client') continue;
          await playing(`${call} (${index})`, async () => {
            played.reset();
            await played.run({ index, fault });
            await played.finish();
            await played.pass(301 * seconds);
            await played.finish();
            await played.expectTruth();
          });
        }
      });
    }
  });
}

/** The first call of each name. */
function writesOf(moments: readonly Moment[]): readonly number[] {
  const calls = moments.flatMap(({ of, name }, index) => (of === 'call' ? [[name, index] as const] : []));
  return [...new Map(calls.reverse()).values()];
}
