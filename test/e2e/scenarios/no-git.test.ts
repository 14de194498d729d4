/** Scenario 85: a pull request's files that git would take for a bare repository, with programs in its configuration. */
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { head, World } from '../../support/world';

describe('scenario 85: a bare repository among the manifests', () => {
  let world: World;
  beforeEach(async () => {
    world = await World.start();
  });
  afterEach(() => world.close());

  const commit = 'a'.repeat(40);

  /** When a promised object is missing, git starts the program of the remote that promised it. */
  const attacks = {
    'the upload program of a remote': (program: string, repository: string) =>
      `[remote "origin"]\n\turl = ${repository}\n\tuploadpack = ${program}\n\tpromisor = true\n`,
    'the program of a remote helper': (program: string) =>
      `[remote "origin"]\n\turl = ext::${program}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always\n`,
  };

  for (const [attack, remote] of Object.entries(attacks)) {
    it(`starts neither git nor ${attack}`, async () => {
      const program = join(world.folder, 'program.sh');
      world.write('program.sh', `#!/bin/sh\necho "$TETHER_TOKEN" >>"${world.folder}/ran"\nexit 1\n`);
      chmodSync(program, 0o755);
      // A `git` that is found first says that it was called, and then is the real one.
      world.write(
        'bin/git',
        `#!/bin/sh\necho git "$@" >>"${world.folder}/ran"\nPATH=\${PATH#*:} exec git "$@"\n`,
      );
      chmodSync(join(world.folder, 'bin/git'), 0o755);
      const folder = join(world.folder, 'team');
      world.write('team/main.tether.yaml', `${head}runTriggers:\n  - { target: app, source: network }\n`);
      world.write('team/HEAD', 'ref: refs/heads/main\n');
      world.write('team/objects/info/alternates', '');
      world.write('team/refs/heads/main', `${commit}\n`);
      world.write('team/refs/remotes/origin/tether-ledger', `${commit}\n`);
      world.write(
        'team/config',
        `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n${remote(program, folder)}`,
      );
      const env = { PATH: `${join(world.folder, 'bin')}:${process.env.PATH}` };
      const commands = [['plan'], ['drift'], ['show'], ['ledger', 'show'], ['export'], ['validate']];
      for (const args of commands) {
        await world.tether([...args, 'team'], { env });
        await world.tether(args, { cwd: folder, env });
      }
      assert.equal(world.has('ran') ? world.read('ran') : 'nothing ran', 'nothing ran');
    });
  }
});
