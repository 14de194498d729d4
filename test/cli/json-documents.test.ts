/** The documents of `--json` have the members that docs/json.md shows. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { github, head, World } from '../support/world';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'json.md'), 'utf8');

/** Returns paths such as `plan.steps.[].id`, for each member down to this depth. */
function listMembers(value: unknown, depth: number, path = ''): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const memberPath = path + (Array.isArray(value) ? '[]' : name);
    return [memberPath, ...(depth > 1 ? listMembers(member, depth - 1, `${memberPath}.`) : [])];
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

  // These tests run in order: the examples of the page follow the life of one folder.
  for (const [, title = '', block = ''] of page.matchAll(
    /^## `tether (.+)`$[\s\S]*?^```json\n([\s\S]*?)^```$/gm,
  )) {
    it(`\`tether ${title}\` has the members of its example`, async () => {
      const example = JSON.parse(block) as { exitCode: number };
      if (title === 'drift') await world.somebody.runTriggers.create('ws-app', 'ws-dns');
      const confirmation = title === 'apply' ? ['--yes'] : [];
      const { stdout } = await world.expect(example.exitCode, [
        ...title.split(' '),
        ...confirmation,
        '--json',
      ]);
      const real: unknown = JSON.parse(stdout);
      const missing = listMembers(example, 9).filter((member) => !listMembers(real, 9).includes(member));
      assert.deepEqual(missing, [], 'members of the example that the command does not print');
      const undocumented = listMembers(real, 2).filter((member) => !listMembers(example, 2).includes(member));
      assert.deepEqual(undocumented, [], 'members that the example lacks');
    });
  }
});
