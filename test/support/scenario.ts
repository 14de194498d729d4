/** Helpers of scenarios: worlds that close themselves, and short forms of plans and requests. */
import type { Plan } from '../../reconciler/plan/plan';
import { FolderWorld, type WorldOptions } from './folder-world';

/** Opens worlds that are closed after the test. Call it once in a `describe`. */
export function worlds(): (options?: WorldOptions) => Promise<FolderWorld> {
  const open: FolderWorld[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });
  return async (options) => {
    const world = await FolderWorld.open(options);
    open.push(world);
    return world;
  };
}

export function stepIds({ steps }: Pick<Plan, 'steps'>): string[] {
  return steps.map(({ id }) => id);
}

/** Method and route of every write since the last call of this. */
export function writesOf({ service }: FolderWorld): string[] {
  const writes = service.requests().filter(({ method }) => method !== 'GET');
  service.clearRequests();
  return writes.map(({ method, route }) => `${method} ${route}`);
}

export const bareHead = 'apiVersion: tether/v1\norganization: acme\n';

/** Approves like a user: writes the printed lines into a file of their own. */
export function approve(world: FolderWorld, { blockers }: Plan): void {
  const lines = blockers.flatMap(({ rule, remedy }) =>
    rule === 'approval' ? [remedy.replace(/^approved: \[(.*)\]$/, '  - $1\n')] : [],
  );
  if (lines.length > 0) world.write(`${bareHead}approved:\n${lines.join('')}`, 'approved.tether.yaml');
}

/** A client's entry under `oauthClients:`; a field that is null is left out. */
export function clientEntry(address: string, fields: Readonly<Record<string, string | null>> = {}): string {
  const all: Record<string, string | null> = {
    name: 'GitHub',
    serviceProvider: 'provider_a',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    oauthTokenString: '{ fromEnv: GIT_TOKEN }',
    ...fields,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`    ${name}: ${value}\n`],
  );
  return `  ${address}:\n${lines.join('')}`;
}

/** A client in a seed, like the one of `clientEntry`. */
export function seedClient(more: Readonly<Record<string, unknown>> = {}) {
  return {
    name: 'GitHub',
    serviceProvider: 'provider_a',
    httpUrl: 'https://git.example.com',
    apiUrl: 'https://git.example.com/api/v3',
    createdAt: '2023-01-01T00:00:00.000Z',
    ...more,
  };
}
