/** An apply that is killed at any moment: applying again ends in the same truth. */
import { type Course, courses } from './courses';
import { CourseWorld, playing } from './course-world';

for (const course of courses) {
  describe(`${course.name}, killed`, () => {
    let played: CourseWorld;
    before(async () => {
      played = await CourseWorld.open(course);
    });
    after(() => played.close());

    for (const kill of ['before', 'after'] as const) {
      it(`${kill} each save and each write ends in the same truth`, async () => {
        for (const [index, { name }] of played.undisturbed.moments.entries()) {
          await playing(`${kill} ${index} (${name})`, async () => {
            played.reset();
            await played.run({ index, fault: { kill } });
            await played.finish();
            await played.expectTruth();
          });
        }
      });
    }
  });
}
