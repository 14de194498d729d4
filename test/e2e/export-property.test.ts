/** Whatever an organization holds and however much of it a token may see: export, and planning finds no change. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { SeedObject } from '../../service';
import { acmeSeed } from '../support/acme';
import { randomSeed } from '../support/random-course';
import { World } from '../support/world';

const root = join(__dirname, '..', '..', '..');
const quick = ['--rate', '2000'];

function headOf(name: string, aliases: string, profile = 'default'): string {
  return `apiVersion: tether/v1\nprofile: ${profile}\norganization: ${name}\naliases:\n  workspaces: { ${aliases} }\n`;
}

/** Ids, values and files; the history of a ledger is its own. */
const held = (world: World): unknown => (world.has('tether.ledger.json') ? world.ledger.objects : {});

function filesOf(world: World): Record<string, string> {
  return Object.fromEntries(readdirSync(world.folder).map((file) => [file, world.read(file)]));
}

/** Exports until nothing is left to write; then plans nothing, also after the ledger was lost. */
async function exportsWhole(world: World, organization: string, env: Record<string, string>): Promise<void> {
  const command = ['export', '--organization', organization, ...quick];
  const first = await world.here(command, { env });
  assert.ok(first.code === 0 || first.code === 1, first.stderr);
  assert.doesNotMatch(first.stderr, /error/, first.stderr);
  const files = filesOf(world);
  const plansNothing = async (): Promise<void> => {
    const planned = await world.expect(0, ['plan', ...quick], { env });
    assert.match(planned.stdout, /^No changes\./m);
    // Whoever sees more loses nothing by it.
    const owner = await world.here(['plan', '--json', ...quick], { env: { TETHER_TOKEN: 'owner-token' } });
    const { plan } = JSON.parse(owner.stdout) as { plan: { steps: { action: string }[] } };
    assert.deepEqual(plan.steps, []);
  };
  await plansNothing();
  await world.expect(first.code, command, { env });
  assert.deepEqual(filesOf(world), files, 'a second run writes nothing');
  const before = held(world);
  world.remove('tether.ledger.json');
  await world.expect(first.code, command, { env });
  assert.deepEqual(held(world), before, 'the ledger was found again');
  await plansNothing();
  assert.deepEqual(world.writes(), []);
}

const workspaces = Array.from({ length: 9 }, (_, index) => `ws-${index}`);
const projects = ['prj-1', 'prj-2', 'prj-3'];

/** Names that workspaces and clients have in the wild, and a few that nobody should give. */
const names = fc.oneof(
  fc.constantFrom(
    'app',
    'App',
    'app',
    'ws-app',
    'rt-1',
    'constructor',
    'a b',
    'äöü',
    '-',
    '..',
    'x'.repeat(90),
    '1',
  ),
  fc.string({ minLength: 1, maxLength: 20 }),
);

const client = fc.record(
  {
    name: fc.option(names),
    serviceProvider: fc.constantFrom('provider_a', 'provider_b_hosted', 'provider_c_server'),
    httpUrl: fc.constantFrom('https://h1.example.com', 'https://h2.example.com', 'ftp://h3.example.com'),
    apiUrl: fc.constant('https://h1.example.com/api'),
    key: fc.option(fc.constantFrom('k1', 'key two')),
    organizationScoped: fc.boolean(),
    projects: fc.subarray(projects),
    agentPool: fc.constantFrom(null, 'apool-x'),
    oauthTokens: fc.constantFrom([], ['ot-1']),
  },
  { requiredKeys: ['serviceProvider', 'httpUrl', 'apiUrl'] },
);

const trigger = fc
  .tuple(fc.constantFrom(...workspaces), fc.constantFrom(...workspaces))
  .filter(([workspace, sourceable]) => workspace !== sourceable);

const organization = fc.record({
  names: fc.array(fc.option(names), { minLength: workspaces.length, maxLength: workspaces.length }),
  clients: fc.array(client, { maxLength: 6 }),
  triggers: fc.array(trigger, { maxLength: 30 }),
  known: fc.subarray(workspaces, { minLength: 1 }),
  token: fc.option(
    fc.record({
      manageVcsSettings: fc.boolean(),
      workspaces: fc.dictionary(fc.constantFrom(...workspaces), fc.constantFrom('admin', 'readRuns')),
    }),
  ),
  /** Of projects and the agent pool. */
  others: fc.array(names, { minLength: 4, maxLength: 4 }),
  profile: fc.constantFrom('default', 'hcp-terraform'),
  behaviours: fc.record({
    'lists-hide-unreadable': fc.constantFrom('yes', 'no'),
    'list-order': fc.constantFrom('created', 'random'),
    'page-size-max': fc.constantFrom('2', '100'),
  }),
});

/** Those of hcp-terraform that take the same as those of default. */
const providers: Readonly<Record<string, string>> = {
  provider_a: 'github',
  provider_b_hosted: 'gitlab_hosted',
  provider_c_server: 'ado_server',
};

type Organization = typeof organization extends fc.Arbitrary<infer Value> ? Value : never;

function seedOf({ names: given, clients, triggers, token, others, profile }: Organization): SeedObject {
  const providerOf = (name: string) => (profile === 'default' ? name : (providers[name] ?? ''));
  return {
    organizations: {
      acme: {
        agentPools: { 'apool-x': { name: others[3] ?? '' } },
        projects: Object.fromEntries(projects.map((id, index) => [id, { name: others[index] ?? '' }])),
        workspaces: Object.fromEntries(
          workspaces.map((id, index) => [id, { ...(given[index] && { name: given[index] }) }]),
        ),
        oauthClients: Object.fromEntries(
          clients.map((one, index) => [
            `oc-${index}`,
            { ...one, serviceProvider: providerOf(one.serviceProvider) },
          ]),
        ),
        runTriggers: Object.fromEntries(
          triggers.map(([workspace, sourceable], index) => [`rt-${index}`, { workspace, sourceable }]),
        ),
      },
    },
    tokens: { 'owner-token': { acme: 'owner' }, 'part-token': { acme: token } },
  };
}

describe('what export writes', () => {
  it('plans as no change for any organization, and is found again without a ledger', async () => {
    await fc.assert(
      fc.asyncProperty(organization, async (given) => {
        const { behaviours, profile } = given;
        const world = await World.start(seedOf(given), { behaviours, profile });
        const env = { TETHER_TOKEN: given.token === null ? 'owner-token' : 'part-token' };
        try {
          const known = given.known.map((id) => `${id.replace('-', '')}: ${id}`).join(', ');
          world.write('a.tether.yaml', headOf('acme', known, profile));
          await exportsWhole(world, 'acme', env);
        } finally {
          await world.close();
        }
      }),
      { numRuns: Number(process.env.RUNS ?? 25), endOnFailure: true },
    );
  });

  it('plans as no change for 1,000 triggers over 50 workspaces, read in two calls for each and one for each trigger', async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `ws-${String(index).padStart(2, '0')}`);
    const runTriggers = Object.fromEntries(
      ids.flatMap((workspace, target) =>
        Array.from({ length: 20 }, (_, step) => {
          const sourceable = ids[(target + 1 + step * 2) % ids.length] ?? '';
          return [`rt-${target}-${step}`, { workspace, sourceable }] as const;
        }),
      ),
    );
    const workspaceSeeds = Object.fromEntries(ids.map((id) => [id, { name: id.replace('ws', 'stack') }]));
    const world = await World.start({
      organizations: { acme: { workspaces: workspaceSeeds, runTriggers } },
      tokens: { 'owner-token': { acme: 'owner' } },
    });
    try {
      world.write('a.tether.yaml', headOf('acme', 'first: ws-00'));
      await world.expect(0, ['export', ...quick]);
      assert.equal(world.service.requests().length, 1 + 2 * ids.length + 1000);
      await exportsWhole(world, 'acme', {});
    } finally {
      await world.close();
    }
  });

  const fixtures = 'test/reconciler/ledger/fixtures';
  const seeds: readonly (SeedObject | string)[] = [
    randomSeed,
    acmeSeed(),
    'examples/gitops/seed.yaml',
    'examples/infra-repo/seed.yaml',
    'tools/fuzz/seed.yaml',
    `${fixtures}/interrupted-create/seed.json`,
    `${fixtures}/unfolded-journal/seed.json`,
  ];
  for (const seed of seeds) {
    const name = typeof seed === 'string' ? seed : `of ${Object.keys(seed.tokens ?? {}).join()}`;
    it(`plans as no change for the seed ${name}`, async () => {
      const world = await World.start(typeof seed === 'string' ? join(root, seed) : seed);
      try {
        const snapshot = world.service.snapshot();
        for (const { name: organization } of snapshot.organizations) {
          world.service.patchSeed({ tokens: { 'owner-token': { [organization]: 'owner' } } });
          const own = snapshot.workspaces.filter((one) => one.organization === organization);
          const aliases = own.map(({ id }, index) => `w${index}: ${id}`).join(', ');
          for (const file of readdirSync(world.folder)) world.remove(file);
          world.write('a.tether.yaml', headOf(organization, aliases));
          await exportsWhole(world, organization, {});
        }
      } finally {
        await world.close();
      }
    });
  }
});
