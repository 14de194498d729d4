/** The documents of `--json` have the members that docs/json.md shows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { github, head, World } from '../support/world';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'json.md'), 'utf8');

/** `plan.steps.[].id`, for each member down to this depth. */
function membersOf(value: unknown, depth: number, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = path + (Array.isArray(value) ? '[]' : name);
    return [own, ...(depth > 1 ? membersOf(member, depth - 1, `${own}.`) : [])];
  });
}

describe('JSON documents', () => {
  let world: World;
  before(async () => {
    world = await World.start();
    const sets = 'runTriggers:\n  - { target: app, sources: [network] }\n';
    world.write(head + github + sets);
  });
  after(() => world.close());

  for (const [, title = '', block = ''] of page.matchAll(
    /^## `tether (.+)`$[\s\S]*?^```json\n([\s\S]*?)^```$/gm,
  )) {
    it(`\`tether ${title}\` has the members of its example`, async () => {
      const example = JSON.parse(block) as { exitCode: number };
      // The examples follow the life of one folder.
      if (title === 'drift') await world.somebody.runTriggers.create('ws-app', 'ws-dns');
      const confirmed = title === 'apply' ? ['--yes'] : [];
      const { stdout } = await world.expect(example.exitCode, [...title.split(' '), ...confirmed, '--json']);
      const real: unknown = JSON.parse(stdout);
      const missing = membersOf(example, 9).filter((one) => !membersOf(real, 9).includes(one));
      assert.deepEqual(missing, [], 'members of the example that the command does not print');
      const unsaid = membersOf(real, 2).filter((one) => !membersOf(example, 2).includes(one));
      assert.deepEqual(unsaid, [], 'members that the example lacks');
    });
  }
});
