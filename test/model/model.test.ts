/** Plays courses with fixed seeds, and compares each with an oracle that shares no code with the planner. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { eventKinds } from './actions';
import { adrift } from './mutants';
import { playSeed } from './play';
import { report } from './shrink';

const sources = resolve(__dirname, '../../../test/model');
const courses = 60;
const groups = 6;
/** Courses have two to six steps, so that some are short. */
const stepsOf = (seed: number): number => 2 + (seed % 5);

describe('the independent model', () => {
  it('has a mutant for each rule that still finds its place in the product', () => {
    assert.deepEqual(adrift(), []);
  });

  it('has a section of RULES.md for each one that its files name', () => {
    const rules = readFileSync(join(sources, 'RULES.md'), 'utf8');
    const texts = readdirSync(sources).map((file) => readFileSync(join(sources, file), 'utf8'));
    const named = texts.flatMap((text) =>
      [...text.matchAll(/RULES\.md, "([^"]+)"/gu)].map(([, name]) => name),
    );
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !rules.includes(`\n## ${name}\n`)),
      [],
    );
  });

  it('names each section of RULES.md in the files that the section lists', () => {
    const sections = readFileSync(join(sources, 'RULES.md'), 'utf8').split('\n## ').slice(1);
    const silent = sections.flatMap((section) => {
      const [name = ''] = section.split('\n');
      const [, files = ''] = /^\*Files?: (.*)\*$/mu.exec(section) ?? [];
      const named = [...files.matchAll(/`([^`]+)`/gu)].map(([, file = '']) => file);
      const texts = named.map((file) => [file, readFileSync(join(sources, file), 'utf8')] as const);
      if (texts.length === 0) return [`${name}: no file`];
      return texts.flatMap(([file, text]) =>
        text.includes(`RULES.md, ${JSON.stringify(name)}`) ? [] : [`${name}: ${file}`],
      );
    });
    assert.deepEqual(silent, []);
  });

  it('proposes each kind of event', () => {
    const texts = ['play', 'propose-edits', 'propose-links', 'propose-world'].map((name) =>
      readFileSync(join(sources, `${name}.ts`), 'utf8'),
    );
    const missing = Object.entries(eventKinds).flatMap(([member, kinds]) =>
      Object.keys(kinds)
        .map((kind) => `${member}: '${kind}'`)
        .filter((literal) => !texts.some((text) => text.includes(literal))),
    );
    assert.deepEqual(missing, []);
  });

  let agreed = 0;
  // The number tells a reader of the test output how much of the model it covers.
  after(() => process.stdout.write(`the independent model: ${agreed} of ${courses} courses agree\n`));

  const size = courses / groups;
  for (let group = 0; group < groups; group += 1) {
    it(`agrees with the tool in courses ${group * size + 1} to ${(group + 1) * size}`, async () => {
      for (let seed = group * size + 1; seed <= (group + 1) * size; seed += 1) {
        const played = await playSeed(seed, stepsOf(seed));
        if (played.broken !== undefined) assert.fail(await report(played));
        agreed += 1;
      }
    });
  }
});
