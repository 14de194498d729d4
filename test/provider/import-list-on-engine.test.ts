/** What `tether export --pulumi` lists, taken into a stack by the real engine: an equal program then has nothing to do. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { OAuthClient, ProjectAttachment, RunTrigger, type RunTriggerArgs } from '../../provider/pulumi';
import { tetherHere } from '../support/cli';
import { acmeWith, made, triggers } from '../support/export-world';
import { needEngine, root } from '../support/pulumi-engine';
import { layLanguageHost } from '../support/pulumi-shell';
import { PulumiWorld } from '../support/pulumi-world';
import { step } from '../support/step';
import { bareHead } from '../support/world';

/** What docs/pulumi.md tells to type. */
const page = readFileSync(join(root, 'docs/pulumi.md'), 'utf8');
const [, listing = '', file = '', importing = ''] =
  /^tether (export .*) > (import\.json)\npulumi (import .*)$/mu.exec(page) ?? [];

const github = { ...made, serviceProvider: 'github' };

const classes = { OAuthClient, ProjectAttachment, RunTrigger };

/** As `stack export` shows one. */
interface Imported {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs: object;
}

describe('the import list on the real engine', () => {
  let world: PulumiWorld;
  let folder: string;
  before(async function () {
    needEngine(this);
    const profile = 'hcp-terraform';
    const seed = acmeWith({
      oauthClients: {
        'oc-held': { ...github, name: 'Held', projects: ['prj-payments', 'prj-web'] },
        'oc-scoped': { ...github, name: 'Git Hub', projects: ['prj-search'], organizationScoped: false },
        'oc-twin': { ...github, name: 'git hub' },
        'oc-unnamed': { ...made, serviceProvider: 'gitlab_hosted', agentPool: 'apool-dmz' },
      },
      runTriggers: triggers('network>app', 'dns>app', 'app>network'),
    });
    world = await PulumiWorld.start({ seed, profile, env: { TETHER_PROFILE: profile } });
    folder = mkdtempSync(join(tmpdir(), 'tether-list-'));
  });
  after(async () => {
    await world?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const run = async (...args: string[]) => {
    const env = {
      TETHER_ADDRESS: world.service.url,
      TETHER_TOKEN: 'owner-token',
      TETHER_PROFILE: 'hcp-terraform',
    };
    const ended = await tetherHere([...args, '--rate', '1000'], { cwd: folder, env });
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  };

  it('ends in a stack without changes, for every kind', async () => {
    await step('what a ledger holds stays out, its attachments alone are listed', async () => {
      const client = `id: oc-held\n    name: Held\n    serviceProvider: github\n    httpUrl: ${made.httpUrl}\n    apiUrl: ${made.apiUrl}`;
      writeFileSync(
        join(folder, 'held.tether.yaml'),
        `${bareHead}profile: hcp-terraform\noauthClients:\n  held:\n    ${client}\n`,
      );
      await run('apply', '--yes');
      world.writes();
      const list = await run(...listing.split(' '));
      writeFileSync(join(world.stack.workspace.workDir, file), list);
      const { resources } = JSON.parse(list) as { resources: { name: string; id: string }[] };
      assert.deepEqual(resources.map(({ name, id }) => `${name} ${id}`).sort(), [
        'app-to-network rt-3',
        'dns-to-app rt-2',
        'git-hub oc-scoped',
        'git-hub-2 oc-twin',
        'gitlab-hosted oc-unnamed',
        'network-to-app rt-1',
        'oc-held-prj-payments oc-held/prj-payments',
        'oc-held-prj-web oc-held/prj-web',
      ]);
    });

    await step('is imported without a write', async () => {
      // The engine starts the language host of the project, and asks it nothing here.
      layLanguageHost(folder);
      world.env.PATH = [folder, process.env.PATH].join(delimiter);
      const flags = ['--yes', '--generate-code=false', '--protect=false'];
      assert.equal((await world.pulumi(...importing.split(' '), ...flags)).failure, undefined);
      assert.deepEqual(world.writes(), []);
    });

    await step('is what an equal program declares', async () => {
      const { deployment } = await world.stack.exportStack();
      const imported = (deployment.resources as Imported[]).filter(({ type }) => type.startsWith('tether:'));
      assert.equal(imported.length, 8);
      world.program = async () => {
        for (const { urn, type, inputs } of imported) {
          const kind = type.split(':').at(-1) as keyof typeof classes;
          const Class = classes[kind] as typeof RunTrigger;
          new Class(urn.split('::').at(-1) ?? '', inputs as RunTriggerArgs);
        }
      };
      await world.expectNothing();
      const up = await world.up();
      assert.deepEqual([up.failure, up.changes], [undefined, []]);
      assert.deepEqual(world.writes(), []);
    });
  });
});
