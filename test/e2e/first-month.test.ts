/** The page about the first month does what it says: its manifests, its commands, and the lines it quotes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareHead, World } from '../support/world';

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'first-month.md'), 'utf8');

/** The contents of the page's blocks of one language, in its order. */
function blocks(language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, text = '']) => text,
  );
}

const commands = (block: string) =>
  block.split('\n').flatMap((line) => (line.startsWith('tether ') ? [line.split(' ').slice(1)] : []));

describe('the page about the first month', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  it('deletes nothing before its line is there, then that, and calls the line obsolete', async () => {
    const [manifest = '', written = ''] = blocks('yaml');
    const [start = '', onwards = '', daily = ''] = blocks('sh');
    world.write('main.tether.yaml', manifest);
    for (const args of commands(start)) await world.expect(0, args);
    world.write('main.tether.yaml', manifest.replace(/^.*source: dns.*\n/m, ''));
    const [plan = [], apply = []] = commands(onwards);
    const { stdout } = await world.expect(0, plan);
    const lineage = /lineage: [^ ]+/;
    const approved = written.replace(lineage, lineage.exec(stdout)?.[0] ?? 'no lineage');
    for (const line of (blocks('text')[0] ?? '').trim().split('\n')) assert.ok(stdout.includes(line), stdout);
    assert.ok(stdout.includes(approved.split('\n')[1]?.trim() ?? 'no line'), stdout);
    const { summary } = JSON.parse((await world.expect(0, [...plan, '--json'])).stdout) as {
      summary: { blockers: number };
    };
    assert.equal(summary.blockers, 1);
    await world.expect(1, apply);
    assert.equal(world.service.snapshot().runTriggers.length, 2);
    world.write('approved.tether.yaml', bareHead + approved);
    assert.doesNotMatch((await world.expect(0, plan)).stdout, /Warnings|Blocked/);
    await world.expect(0, apply);
    assert.equal(world.service.snapshot().runTriggers.length, 1);
    assert.match(
      (await world.expect(0, plan)).stdout,
      /is obsolete: the ledger is at serial 2 of lineage \S+\. Remove the line/,
    );
    for (const args of commands(daily)) await world.expect(0, args);
  });
});
