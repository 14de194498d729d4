/** How many calls each shape of triggers takes at each step, beside the fewest that are possible. Exact: a smoke run fails on any other count. */
import { open } from 'node:fs/promises';
// What a digest costs does not change a count.
import '../test/support/cheap-digests';
import { World } from '../test/support/world';
import { fewestPages } from './bound';
import { expectedExcess } from './expected';
import type { Calls, Graphs } from './results';
import { publish, sizeOf } from './size';
import { mean, printTable, ratio } from './table';
import { type Extent, ledgerOf, manifestOf, type Pair, random, secretsOf, seedOf, shapes } from './worlds';

const profiles = ['default', 'hcp-terraform'] as const;
const isFull = sizeOf(process.argv.slice(2)) === 'full';
const clients = isFull ? { clients: 5, projects: 4 } : { clients: 2, projects: 2 };

/** The journal's folder, and the ledger with its own, whatever is written. */
const ofARun = 4;

let fsyncs = 0;

/** Every file handle has one prototype. */
async function countFsyncs(): Promise<void> {
  const handle = await open(__filename);
  const prototype = Object.getPrototypeOf(handle) as { sync: () => Promise<void> };
  await handle.close();
  const { sync } = prototype;
  prototype.sync = function () {
    fsyncs += 1;
    return sync.call(this);
  };
}

const listRoutes = /\/(run-triggers|oauth-clients|projects|agent-pools|workspaces)$/;

/** One trigger goes, one comes, a client is renamed. */
function changed({ pairs, workspaces }: Extent): {
  readonly pairs: readonly Pair[];
  readonly seen: readonly Pair[];
} {
  const known = new Set(pairs.map(String));
  const [[target] = [0]] = pairs;
  const other =
    pairs.find(([, one]) => one !== target && !known.has(String([target, one])))?.[1] ?? workspaces - 1;
  const added: Pair = [target, other];
  return { pairs: [...pairs.slice(1), added], seen: [...pairs, added] };
}

async function stepsOf(shape: string, extent: Extent): Promise<Calls[]> {
  const { profile, pairs } = extent;
  const env = secretsOf(extent);
  const world = await World.start(seedOf(extent), { profile, behaviours: { 'max-sources': 'off' } });
  const all: Calls[] = [];
  const measure = async (
    step: string,
    args: readonly string[],
    fewest: { readonly lists: number; readonly looks: number; readonly writes: number },
  ) => {
    world.service.clearRequests();
    fsyncs = 0;
    await world.expect(0, args, { env });
    const requests = world.service.requests();
    const gets = requests.filter(({ method }) => method === 'GET');
    all.push({
      profile,
      shape,
      step,
      calls: requests.length,
      bound: fewest.lists + fewest.looks + fewest.writes,
      lists: gets.filter(({ route }) => listRoutes.test(route ?? '')).length,
      fewestLists: fewest.lists,
      fsyncs,
      writes: requests.length - gets.length,
    });
  };
  try {
    world.write('acme.tether.yaml', manifestOf(extent));
    // The clients, with all their projects, are one list. It is read once more before the first client is created.
    const lists = 1 + fewestPages(pairs, pairs);
    const listsOfNothing = 1 + fewestPages(pairs);
    const creates = 2 * extent.clients + pairs.length;
    const none = { looks: 0, writes: 0 };
    await measure('first plan', ['plan'], { lists: listsOfNothing, ...none });
    await measure('first apply', ['apply', '--yes'], {
      lists: listsOfNothing + 1,
      looks: 0,
      writes: creates,
    });
    await measure('no-op', ['plan'], { lists, ...none });
    const next = changed(extent);
    const listsNow = 1 + fewestPages(next.seen, pairs);
    world.write(
      'acme.tether.yaml',
      manifestOf({ ...extent, pairs: next.pairs }).replace('Client 0', 'Renamed'),
    );
    await measure('one change, plan', ['plan'], { lists: listsNow, ...none });
    // The trigger that comes and the one that goes, and the client, which is looked at first.
    await measure('one change, apply', ['apply', '--yes'], { lists: listsNow, looks: 1, writes: 3 });
    const most = ['--max-deletes', '100000'];
    await world.approve(['destroy', '--yes', ...most], { env });
    // A look before each client goes, and one before that which tells what its end unlinks, where the service can.
    await measure('destroy', ['destroy', '--yes', ...most], {
      lists: 1 + fewestPages(next.pairs, next.pairs),
      looks: (profile === 'hcp-terraform' ? 2 : 1) * extent.clients,
      writes: extent.clients + pairs.length,
    });
    return all;
  } finally {
    await world.close();
  }
}

/** What is not as expected, a sentence each. */
function wrong({ profile, shape, step, calls, bound, lists, fewestLists, fsyncs, writes }: Calls): string[] {
  const name = `${profile}, ${shape}, ${step}`;
  const [moreCalls, moreLists] = expectedExcess[name] ?? [0, 0];
  return [
    ...(calls === bound + moreCalls ? [] : [`${name}: ${calls} calls, expected ${bound} + ${moreCalls}`]),
    ...(lists === fewestLists + moreLists
      ? []
      : [`${name}: ${lists} lists, expected ${fewestLists} + ${moreLists}`]),
    ...(fsyncs <= 2 * writes + ofARun ? [] : [`${name}: ${fsyncs} fsyncs for ${writes} writes`]),
  ];
}

/** Lists that a plan without changes reads of triggers drawn at random, many times. */
async function randomGraphs(): Promise<Graphs> {
  const [triggers, workspaces] = isFull ? [1_000, 100] : [60, 20];
  const read: number[] = [];
  const fewest: number[] = [];
  for (let seed = 1; seed <= 20; seed += 1) {
    const pairs = random(triggers, workspaces, Number.POSITIVE_INFINITY, seed);
    const extent: Extent = { profile: 'default', workspaces, pairs, clients: 0, projects: 0 };
    const world = await World.start(seedOf(extent, true));
    try {
      world.write('acme.tether.yaml', manifestOf(extent));
      world.write('tether.ledger.json', JSON.stringify(ledgerOf(extent)));
      await world.expect(0, ['plan']);
      read.push(world.service.requests().length);
      fewest.push(fewestPages(pairs, pairs));
    } finally {
      await world.close();
    }
  }
  return { triggers, workspaces, read, fewest };
}

async function main(): Promise<void> {
  await countFsyncs();
  const all: Calls[] = [];
  for (const profile of profiles) {
    const most = profile === 'default' ? Number.POSITIVE_INFINITY : 20;
    for (const [shape, make] of Object.entries(shapes)) {
      const pairs = make(isFull, most);
      const workspaces = 2 + Math.max(...pairs.flat());
      all.push(...(await stepsOf(shape, { profile, workspaces, pairs, ...clients })));
    }
  }
  for (const profile of profiles) {
    printTable(`Calls, profile ${profile}`, [
      ['', 'step', 'calls', 'bound', '÷', 'lists', 'fewest', 'fsyncs a write'],
      ...all
        .filter((one) => one.profile === profile)
        .map((one) => [
          one.shape,
          one.step,
          one.calls,
          one.bound,
          ratio(one.calls, one.bound),
          one.lists,
          one.fewestLists,
          one.writes === 0 ? '' : (one.fsyncs / one.writes).toFixed(2),
        ]),
    ]);
  }
  const graphs = await randomGraphs();
  const { triggers, workspaces, read, fewest } = graphs;
  printTable(
    `Lists of a no-op plan, ${triggers} triggers over ${workspaces} workspaces, ${read.length} random graphs`,
    [
      ['', 'mean', 'least', 'most'],
      ...[['read', read] as const, ['fewest', fewest] as const].map(([name, counts]) => [
        name,
        mean(counts).toFixed(2),
        Math.min(...counts),
        Math.max(...counts),
      ]),
    ],
  );
  publish('calls', all);
  publish('graphs', graphs);
  // Of the large worlds the table tells; which calls are needed shows in the small ones too.
  const mistakes = [
    ...(isFull ? [] : all.flatMap(wrong)),
    ...read.flatMap((count, index) =>
      count === fewest[index] ? [] : [`random graph ${index + 1}: ${count} lists, expected ${fewest[index]}`],
    ),
  ];
  process.stderr.write(mistakes.map((one) => `${one}\n`).join(''));
  if (mistakes.length > 0) process.exitCode = 1;
}

void main();
