/** An apply that is killed at any moment: applying again ends in the same truth. */
import { CourseWorld, playing } from './course-world';
import { type Course, courses } from './courses';

function killed(what: string, course: Course, options: Parameters<typeof CourseWorld.open>[1]): void {
  describe(what, () => {
    let played: CourseWorld;
    before(async () => {
      played = await CourseWorld.open(course, options);
    });
    after(() => played.close());

    for (const kill of ['before', 'after'] as const) {
      it(`ends in the same truth when it is killed ${kill} any save or write`, async () => {
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

const [first, , replacement] = courses;
const lagging = { 'create-hidden-ms': '30000', 'delete-visible-ms': '30000' };

for (const course of courses) killed(course.name, course, {});
for (const course of [first, replacement]) {
  if (course === undefined) continue;
  killed(`${course.name}, several steps at once`, course, { concurrency: 8 });
  killed(`${course.name}, of a service whose lists lag behind`, course, { behaviours: lagging });
}
