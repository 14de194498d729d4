/** A program in Python, with the SDK that the engine's own generator makes from the schema, on the real engine. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { needPython, pythonSdk } from '../support/pulumi-python';
import { PulumiWorld } from '../support/pulumi-world';
import { runProcess } from '../support/run-process';
import { step } from '../support/step';

describe('a program in Python', () => {
  let world: PulumiWorld;
  before(async function () {
    needPython(this);
    world = await PulumiWorld.start({ profile: 'hcp-terraform', env: { PARTNER_TOKEN: 'owner-token' } });
  });
  after(() => world?.close());

  it('goes the whole way with every kind, functions and a second account', async () => {
    const { python, env } = await pythonSdk(join(world.folder, 'sdk'));
    world.env.TETHER_PROFILE = 'hcp-terraform';
    const project = world.stack.workspace.workDir;
    const run = async (command: 'preview' | 'up' | 'same') => {
      const script = join(__dirname, '../../../test/provider/fixtures/python/program.py');
      const ended = await runProcess(python, [script, command, project], {
        cwd: project,
        env: { ...process.env, ...world.env, ...env },
      });
      assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
      return ended.stdout;
    };

    await step('is previewed, with what nobody knows yet', async () => {
      assert.match(await run('preview'), /\+ 9 to create/u);
      assert.deepEqual(world.writes(), []);
    });

    await step('comes up', async () => {
      const output = await run('up');
      assert.match(output, /\+ 9 created/u);
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual(
        oauthClients.map(({ name, projectIds }) => `${name}: ${[...projectIds].sort()}`).sort(),
        ['GitHub: prj-payments', 'null: prj-search,prj-web'],
      );
      assert.equal(runTriggers.length, 5);
    });

    await step('has what its functions read, and no secret in clear', async () => {
      const outputs = await world.outputs();
      assert.equal(outputs.found?.value, 'GitHub');
      assert.deepEqual(outputs.listed?.value, ['GitHub', 'None']);
      assert.doesNotMatch(world.stateText(), /canary-token/u);
      assert.match(world.stateText(), /"oauthTokenString":\s*\{/u);
    });

    await step('finds nothing to do, and nothing that was changed elsewhere', async () => {
      world.writes();
      await run('same');
      assert.equal((await world.refreshPreview()).failure, undefined);
      assert.deepEqual(world.writes(), []);
    });

    await step('goes again', async () => {
      assert.equal((await world.destroy()).failure, undefined);
      const { oauthClients, runTriggers } = world.service.snapshot();
      assert.deepEqual([oauthClients, runTriggers], [[], []]);
    });
  });
});
