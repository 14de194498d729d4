/** Answers that are lost, late or wrong, at each kind of write: applying again ends in the same truth. */
import { CourseWorld, playing } from './course-world';
import { courses } from './courses';
import { gaps, passing } from './fault-table';
import type { Moment } from './tap';

for (const course of courses) {
  describe(`${course.name}, with an answer that is lost, late or wrong`, () => {
    let played: CourseWorld;
    before(async () => {
      played = await CourseWorld.open(course);
    });
    after(() => played.close());

    for (const [name, fault] of Object.entries({ ...passing, ...gaps })) {
      it(`ends in the same truth: ${name}`, async () => {
        for (const index of writesOf(played.undisturbed.moments)) {
          const call = played.undisturbed.moments[index]?.name;
          if (name in gaps && call === 'create client') continue;
          await playing(`${call} (${index})`, async () => {
            played.reset();
            await played.run({ index, fault });
            await played.finish();
            await played.pass(301_000);
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
