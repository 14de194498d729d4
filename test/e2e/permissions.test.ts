/** Tokens that may do just enough, and tokens that lack one permission: the one does the work, the other changes nothing. */
import assert from 'node:assert/strict';
import type { SeedObject } from '../../service';
import { acmeHead, clientEntry } from '../support/acme';
import { approve, worlds } from '../support/scenario';
import type { World } from '../support/world';

type Grant = Extract<NonNullable<NonNullable<SeedObject['tokens']>[string]>[string], object>;
type Level = 'admin' | 'readRuns';

const trigger = `${acmeHead}runTriggers:\n  - { target: app, source: network }\n`;
const scoped = { organizationScoped: 'false', projects: '[payments]' };
const client = `${acmeHead}oauthClients:\n${clientEntry('github', scoped)}`;

/** Of the target and the source. */
const workspaces = (target?: Level, source?: Level): Grant => ({
  manageVcsSettings: false,
  workspaces: { ...(target && { 'ws-app': target }), ...(source && { 'ws-network': source }) },
});
const vcs: Grant = { manageVcsSettings: true, workspaces: {} };

const works: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  plan: (world) => world.plan(),
  drift: (world) => world.drift(),
  apply: async (world) => {
    const { result, plan } = await world.apply();
    assert.deepEqual([plan.unknown, result.counts.failed, result.counts.blocked], [[], 0, 0]);
  },
  destroy: async (world) => {
    const { result, plan } = await world.apply({ destroy: true, maxDeletes: 9 });
    assert.deepEqual([plan.unknown, result.counts.failed, result.counts.blocked], [[], 0, 0]);
  },
};

const rows: readonly (readonly [work: string, manifest: string, enough: Grant, less: readonly Grant[]])[] = [
  ['plan', client, vcs, [workspaces()]],
  ['drift', client, vcs, [workspaces()]],
  ['apply', client, vcs, [workspaces()]],
  ['destroy', client, vcs, [workspaces()]],
  ['plan', trigger, workspaces('readRuns', 'readRuns'), []],
  ['drift', trigger, workspaces('readRuns', 'readRuns'), []],
  [
    'apply',
    trigger,
    workspaces('admin', 'readRuns'),
    [workspaces('readRuns', 'readRuns'), workspaces('admin'), workspaces(undefined, 'readRuns')],
  ],
  [
    'destroy',
    trigger,
    workspaces('admin', 'readRuns'),
    [workspaces('readRuns', 'readRuns'), workspaces(undefined, 'readRuns')],
  ],
];

describe('a token', () => {
  const open = worlds();

  async function given(work: string, manifest: string, grant: Grant): Promise<World> {
    const world = await open();
    world.write(manifest);
    if (work === 'drift' || work === 'destroy') {
      await world.settle();
      approve(world, (await world.plan({ destroy: true })).plan);
    }
    world.service.patchSeed({ tokens: { some: { acme: grant } } });
    world.token = 'some';
    return world;
  }
  const state = ({ service }: World) => {
    const { oauthClients, runTriggers } = service.snapshot();
    return [...oauthClients, ...runTriggers].map(({ id }) => id);
  };

  for (const [work, manifest, enough, less] of rows) {
    const what = `${work} of ${manifest === client ? 'a client' : 'a trigger'}`;
    it(`with ${JSON.stringify(enough)} does the ${what}`, async () => {
      const world = await given(work, manifest, enough);
      await works[work]?.(world);
      if (work === 'apply') await world.expectNothing();
      if (work === 'destroy') assert.deepEqual(state(world), []);
    });
    for (const grant of less)
      it(`with ${JSON.stringify(grant)} fails at the ${what} and changes nothing`, async () => {
        const world = await given(work, manifest, grant);
        const before = state(world);
        await assert.rejects(async () => works[work]?.(world));
        assert.deepEqual(state(world), before);
      });
  }
});
