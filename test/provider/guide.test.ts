/** The program of the Pulumi guide: it compiles as it stands, and it runs on the real engine. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { needEngine, root } from '../support/pulumi-engine';
import { PulumiWorld } from '../support/pulumi-world';
import { mistakesOf, programOf } from '../support/typescript-program';

const guide = readFileSync(join(root, 'docs/pulumi.md'), 'utf8');
const program = [...guide.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code]) => code).join('');

describe('the program of the Pulumi guide', () => {
  it('compiles', () => {
    assert.deepEqual(mistakesOf(program), []);
  });

  describe('on the engine', () => {
    let world: PulumiWorld;
    before(async function () {
      needEngine(this);
      world = await PulumiWorld.start({ seed, env: { PARTNER_TOKEN: 'partner-token' } });
    });
    after(() => world?.close());

    it('finds the plugin where docs/pulumi.md says', () => {
      const [, lines = ''] = /^```yaml\n(# Pulumi\.yaml\n.*?)^```$/msu.exec(guide) ?? [];
      const project = readFileSync(join(world.stack.workspace.workDir, 'Pulumi.yaml'), 'utf8');
      assert.deepEqual(parse(lines).plugins, parse(project).plugins);
    });

    it('comes up, and then there is nothing to do', async () => {
      await world.stack.setAllConfig({
        githubToken: { value: 'canary-guide', secret: true },
        partnerAddress: { value: world.service.url },
        legacyId: { value: 'oc-legacy' },
      });
      world.program = programOf(program);
      const up = await world.up();
      assert.equal(up.failure, undefined);
      const { inbound } = await world.outputs();
      assert.deepEqual(
        (inbound?.value as { sourceableId: string }[] | undefined)?.map((one) => one.sourceableId),
        ['ws-network'],
      );
      const again = await world.preview({ expectNoChanges: true });
      assert.equal(again.failure, undefined);
      assert.equal((await world.refreshPreview()).failure, undefined);
      assert.doesNotMatch(world.stateText(), /canary-guide|partner-token|owner-token/);
    });
  });
});

const client = { serviceProvider: 'provider_a', name: 'Shared' };
const seed = {
  organizations: {
    acme: {
      projects: { 'prj-payments': {}, 'prj-web': {} },
      workspaces: {
        'ws-network': {},
        'ws-dns': {},
        'ws-app': {},
        'ws-jobs': {},
        'ws-web': {},
        'ws-docs': {},
      },
      oauthClients: {
        'oc-shared': { ...client, httpUrl: 'https://s.example.com', apiUrl: 'https://s.example.com/api' },
        'oc-legacy': {
          serviceProvider: 'provider_a',
          httpUrl: 'https://legacy.example.com',
          apiUrl: 'https://legacy.example.com/api',
        },
      },
    },
    partner: { workspaces: { 'ws-a': {}, 'ws-b': {} } },
  },
  tokens: { 'owner-token': { acme: 'owner' as const }, 'partner-token': { partner: 'owner' as const } },
};
