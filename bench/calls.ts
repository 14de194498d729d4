/** Compares the calls for each shape of triggers at each step with the fewest possible calls. */
import '../test/support/cheap-digests';
import { World } from '../test/support/world';
import { fewestPages } from './fewest-pages';
import { isFull, report } from './row';
import { type Extent, makeManifest, makeSecrets, makeSeed, type Pair, shapes } from './worlds';

const clients = isFull ? { clients: 5, projects: 4 } : { clients: 2, projects: 2 };
const most = ['--max-deletes', '100000'];

interface Step {
  readonly name: string;
  readonly calls: number;
  readonly fewest: number;
}

/** Removes the first pair, and adds a pair with the same target. */
function changed({ pairs, workspaces }: Extent): { readonly before: readonly Pair[]; readonly added: Pair } {
  const existingPairs = new Set(pairs.map(String));
  const [[target] = [0]] = pairs;
  const free = pairs.find(([, source]) => source !== target && !existingPairs.has(String([target, source])));
  return { before: pairs.slice(1), added: [target, free?.[1] ?? workspaces - 1] };
}

async function measureSteps(shape: string, extent: Extent): Promise<Step[]> {
  const { profile, pairs } = extent;
  const env = makeSecrets(extent);
  const world = await World.start(makeSeed(extent), { profile, behaviours: { 'max-sources': 'off' } });
  const steps: Step[] = [];
  const step = async (name: string, fewest: number, ...args: readonly string[]) => {
    world.service.clearRequests();
    await world.expect(0, args, { env });
    steps.push({ name: `${shape}, ${name}`, calls: world.service.requests().length, fewest });
  };
  try {
    world.write(makeManifest(extent), 'acme.tether.yaml');
    // One list shows all clients and their projects. `apply` reads it again before it creates the first client.
    const none = 1 + fewestPages(pairs);
    const all = 1 + fewestPages(pairs, pairs);
    await step('first plan', none, 'plan');
    await step('first apply', none + 1 + 2 * extent.clients + pairs.length, 'apply', '--yes');
    await step('no-op plan', all, 'plan');
    const { before, added } = changed(extent);
    const next = [...before, added];
    const lists = 1 + fewestPages([...pairs, added], pairs);
    world.write(makeManifest({ ...extent, pairs: next }).replace('Client 0', 'Renamed'), 'acme.tether.yaml');
    await step('plan of a change', lists, 'plan');
    // One trigger is deleted, one is created, and a client is read and renamed.
    await step('apply of a change', lists + 4, 'apply', '--yes');
    await world.approve(['destroy', '--yes', ...most], { env });
    // A client is read before its DELETE. Some services also tell which workspaces that would unlink.
    const looks = profile === 'hcp-terraform' ? 2 : 1;
    const deletes = (1 + looks) * extent.clients + pairs.length;
    await step('destroy', 1 + fewestPages(next, next) + deletes, 'destroy', '--yes', ...most);
    return steps;
  } finally {
    await world.close();
  }
}

async function main(): Promise<void> {
  for (const profile of ['default', 'hcp-terraform'] as const) {
    const mostSources = profile === 'default' ? Number.POSITIVE_INFINITY : 20;
    const steps: Step[] = [];
    for (const [shape, make] of Object.entries(shapes)) {
      const pairs = make(isFull, mostSources);
      const workspaces = 2 + Math.max(...pairs.flat());
      steps.push(...(await measureSteps(shape, { profile, workspaces, pairs, ...clients })));
    }
    const over = steps.filter(({ calls, fewest }) => calls > fewest);
    const excess = over.map(({ name, calls, fewest }) => `${calls} for ${fewest} (${name})`);
    report({
      what: `calls ÷ fewest possible, ${steps.length} steps of ${Object.keys(shapes).length} shapes, profile \`${profile}\``,
      goal: '≤ 1.10 each, or one more',
      measured: excess.length === 0 ? '1.00 each' : `1.00, but ${excess.join(', ')}`,
      holds: steps.every(({ calls, fewest }) => calls <= Math.max(1.1 * fewest, fewest + 1)),
      isCount: true,
    });
  }
}

void main();
