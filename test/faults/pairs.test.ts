/** Two faults in one course, in one run or in two: a sample that is the same each time. */
import { CourseWorld, playing } from './course-world';
import { courses } from './courses';
import { passing } from './fault-table';
import type { Fault, Moment } from './tap';

const pairsOfEach = 22;

for (const [seed, course] of courses.entries()) {
  describe(`${course.name}, with two faults`, () => {
    let played: CourseWorld;
    before(async () => {
      played = await CourseWorld.open(course);
    });
    after(() => played.close());

    it('ends in the same truth', async () => {
      const random = numbers(seed + 1);
      const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One;
      const { moments } = played.undisturbed;
      const faultAt = () => {
        const index = Math.floor(random() * moments.length);
        const [name, fault] = pick(faultsOf(moments[index]));
        return { index, fault, what: `${name} at ${index} (${moments[index]?.name})` };
      };
      for (let pair = 0; pair < pairsOfEach; pair += 1) {
        const [one, other] = [faultAt(), faultAt()];
        const isOneRun = random() < 0.5 && one.index !== other.index;
        await playing(`${one.what}, ${isOneRun ? 'and' : 'then in a second run'} ${other.what}`, async () => {
          played.reset();
          if (isOneRun) await played.run(one, other);
          else {
            await played.run(one);
            await played.runNext(other);
          }
          await played.finish();
          await played.pass(30_000);
          await played.finish();
          await played.expectTruth();
        });
      }
    });
  });
}

const kills = [
  ['killed before', { kill: 'before' }],
  ['killed after', { kill: 'after' }],
] as const satisfies readonly (readonly [string, Fault])[];

function faultsOf(moment: Moment | undefined): readonly (readonly [string, Fault])[] {
  return moment?.of === 'call' ? [...kills, ...Object.entries(passing)] : kills;
}

/** From 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
