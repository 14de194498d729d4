/** The worlds that are measured: shapes of run triggers beside clients with attachments; of each its seed and its manifests. */
import type { SeedObject } from '../service';

/** Target and source, by number. */
export type Pair = readonly [target: number, source: number];

export interface Extent {
  readonly profile: 'default' | 'hcp-terraform';
  readonly workspaces: number;
  readonly pairs: readonly Pair[];
  readonly clients: number;
  /** Of each client. */
  readonly projects: number;
}

/** The same numbers from 0 up to 1 for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many different pairs as `draw` gives them, none of a workspace with itself, no target with more than `most` sources. */
function distinct(count: number, most: number, draw: () => Pair): Pair[] {
  const sources = new Map<number, Set<number>>();
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const [target, source] = draw();
    const known = sources.get(target) ?? new Set();
    if (target === source || known.has(source) || known.size === most) continue;
    sources.set(target, known.add(source));
    pairs.push([target, source]);
  }
  return pairs;
}

/** Each target has the sources that follow it. */
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

/** Layers of so many workspaces; each is triggered by some of the layer before. */
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

/** A few sources, each of all targets. */
export function hub(sources: number, targets: number): Pair[] {
  return Array.from({ length: sources * targets }, (_, index) => [
    sources + Math.floor(index / sources),
    index % sources,
  ]);
}

/** Few workspaces are the source of most. */
function powerLaw(count: number, workspaces: number, most: number): Pair[] {
  const next = randomFrom(count);
  return distinct(count, most, () => [Math.floor(next() * workspaces), Math.floor(workspaces * next() ** 4)]);
}

/** For each size from 2 on, sources with that many targets each, until no target is left: whoever takes the most shown first takes them all. */
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

/** By name, what `make bench` and what `make bench-smoke` measures. */
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

/** With the triggers in place, or none; clients are always still to be made. */
export function seedOf({ workspaces, pairs, clients, projects }: Extent, isFilled = false): SeedObject {
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

/** The secret of each client, by the variable that its manifest names. */
export function secretsOf({ clients }: Extent): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from({ length: clients }, (_, one) => [`SECRET_${one}`, `secret-${one}`]));
}

/** Single lines, so that nothing but the choice of lists decides what is read. */
export function manifestOf({ profile, pairs, clients, projects }: Extent, prefix = 'Client'): string {
  const provider = profile === 'default' ? 'provider_a' : 'github';
  const heads = Array.from({ length: clients }, (_, one) => {
    const own = Array.from({ length: projects }, (_unused, index) => `prj-${one * projects + index}`);
    return [
      `  client-${one}:`,
      `    name: ${prefix} ${one}`,
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

/** As an apply would have left it, without clients. */
export function ledgerOf({ pairs }: Extent): object {
  const objects = pairs.map(([target, source], index) => [
    `RunTrigger/${id(target)}/${id(source)}`,
    { id: `rt-${index}`, createdAt: '2024-01-01T00:00:00.000Z' },
  ]);
  const head = { version: 2, organization: 'acme', lineage: 'bench', serial: 1 };
  return { ...head, objects: Object.fromEntries(objects), pending: {} };
}
