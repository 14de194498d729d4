/** Makes the worlds to measure: shapes of run triggers, and clients with attachments. */
import type { SeedObject } from '../service';

/** The numbers of two workspaces. */
export type Pair = readonly [target: number, source: number];

export interface Extent {
  readonly profile: 'default' | 'hcp-terraform';
  readonly workspaces: number;
  readonly pairs: readonly Pair[];
  readonly clients: number;
  /** The number of projects of each client. */
  readonly projects: number;
}

/** Returns a generator of numbers from 0 up to 1, which are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws `count` different pairs of two workspaces. No target has more than `most` sources. */
function distinct(count: number, most: number, draw: () => Pair): Pair[] {
  const sources = new Map<number, Set<number>>();
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const [target, source] = draw();
    const sourcesOfTarget = sources.get(target) ?? new Set();
    if (target === source || sourcesOfTarget.has(source) || sourcesOfTarget.size === most) continue;
    sources.set(target, sourcesOfTarget.add(source));
    pairs.push([target, source]);
  }
  return pairs;
}

/** The sources of a target are the workspaces that follow it. */
export function ring(workspaces: number, sources: number): Pair[] {
  return Array.from({ length: workspaces * sources }, (_, index) => {
    const target = Math.floor(index / sources);
    return [target, (target + 1 + (index % sources)) % workspaces];
  });
}

export function random(count: number, workspaces: number, most: number, seed = count): Pair[] {
  const next = randomFrom(seed);
  return distinct(count, most, () => [Math.floor(next() * workspaces), Math.floor(next() * workspaces)]);
}

/** Each workspace is triggered by some of the layer before its own. */
function layered(layers: number, width: number, sources: number): Pair[] {
  const next = randomFrom(width);
  const between = Array.from({ length: layers - 1 }, (_, layer) => {
    let drawn = 0;
    return distinct(width * sources, sources, () => {
      const target = (layer + 1) * width + (drawn++ % width);
      return [target, layer * width + Math.floor(next() * width)];
    });
  });
  return between.flat();
}

/** A few workspaces trigger all others. */
export function hub(sources: number, targets: number): Pair[] {
  return Array.from({ length: sources * targets }, (_, index) => [
    sources + Math.floor(index / sources),
    index % sources,
  ]);
}

/** A few workspaces trigger most of the others. */
function powerLaw(count: number, workspaces: number, most: number): Pair[] {
  const next = randomFrom(count);
  return distinct(count, most, () => [Math.floor(next() * workspaces), Math.floor(workspaces * next() ** 4)]);
}

/** For each size from 2, every target has one source with that many targets. Reading the longest lists first would read too many. */
function adversarial(targets: number, most: number): Pair[] {
  const pairs: Pair[] = [];
  let source = targets;
  for (let size = 2; size <= Math.min(targets, most + 1); size += 1) {
    for (let first = 0; first + size <= targets; first += size, source += 1) {
      for (let target = first; target < first + size; target += 1) pairs.push([target, source]);
    }
  }
  return pairs;
}

export const shapes: Readonly<Record<string, (isFull: boolean, most: number) => Pair[]>> = {
  ring: (isFull) => (isFull ? ring(50, 20) : ring(12, 4)),
  random: (isFull, most) => (isFull ? random(1000, 100, most) : random(60, 20, most)),
  layered: (isFull) => (isFull ? layered(5, 20, 3) : layered(3, 10, 2)),
  hub: (isFull) => (isFull ? hub(5, 200) : hub(2, 30)),
  'power law': (isFull, most) => (isFull ? powerLaw(500, 150, most) : powerLaw(60, 30, most)),
  adversarial: (isFull, most) => adversarial(isFull ? 24 : 12, most),
};

const id = (number: number) => `ws-${number}`;

export const token = 'owner-token';

/** The triggers exist if `isFilled`. The clients never do. */
export function makeSeed({ workspaces, pairs, clients, projects }: Extent, isFilled = false): SeedObject {
  const runTriggers = pairs.map(([target, source], index) => [
    `rt-${index}`,
    { workspace: id(target), sourceable: id(source) },
  ]);
  return {
    organizations: {
      acme: {
        projects: Object.fromEntries(
          Array.from({ length: projects * clients }, (_, one) => [`prj-${one}`, {}]),
        ),
        workspaces: Object.fromEntries(Array.from({ length: workspaces }, (_, one) => [id(one), {}])),
        ...(isFilled ? { runTriggers: Object.fromEntries(runTriggers) } : {}),
      },
    },
    tokens: { [token]: { acme: 'owner' } },
  };
}

/** Returns the secret that all clients share, by the variables that their manifest names. */
export function makeSecrets({ clients }: Extent): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: clients }, (_, one) => [`SECRET_${one}`, 'shared-secret']));
}

/** The triggers are single lines, because an exact set needs the list of its own workspace. */
export function makeManifest({ profile, pairs, clients, projects }: Extent): string {
  const provider = profile === 'default' ? 'provider_a' : 'github';
  const heads = Array.from({ length: clients }, (_, one) => {
    const own = Array.from({ length: projects }, (_unused, index) => `prj-${one * projects + index}`);
    return [
      `  client-${one}:`,
      `    name: Client ${one}`,
      `    serviceProvider: ${provider}`,
      '    httpUrl: https://git.example.com',
      '    apiUrl: https://git.example.com/api/v3',
      `    oauthTokenString: { fromEnv: SECRET_${one} }`,
      '    organizationScoped: false',
      `    projects: [${own.join(', ')}]`,
    ].join('\n');
  });
  const lines = pairs.map(([target, source]) => `  - { target: ${id(target)}, source: ${id(source)} }`);
  return [
    'apiVersion: tether/v1',
    `profile: ${profile}`,
    'organization: acme',
    ...(clients > 0 ? ['oauthClients:', ...heads] : []),
    ...(lines.length > 0 ? ['runTriggers:', ...lines] : []),
    '',
  ].join('\n');
}

/** Returns the ledger that an apply of the triggers would have written. */
export function makeLedger({ pairs }: Extent, address: string): object {
  const objects = pairs.map(([target, source], index) => [
    `RunTrigger/${id(target)}/${id(source)}`,
    { id: `rt-${index}`, createdAt: '2024-01-01T00:00:00.000Z' },
  ]);
  const head = {
    version: 3,
    organization: 'acme',
    address,
    lineage: 'bench',
    salt: 'A'.repeat(22),
    serial: 1,
  };
  return { ...head, objects: Object.fromEntries(objects), pending: {} };
}
