/** How many calls a rate limit rejects: with even spacing, with a shared gate alone, and when each call minds itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client/client';
import { createService, type Service } from '../service';
import { sizeOf } from './size';
import { duration, printTable } from './table';

const token = 'owner-token';
const algorithms = ['token-bucket', 'fixed-window', 'sliding-window'] as const;
/** As many as the client has in flight. */
const concurrency = 16;

const seed = {
  organizations: { acme: { workspaces: { 'ws-app': {} } } },
  tokens: { [token]: { acme: 'owner' } },
} as const;

type Way = (service: Service, calls: number) => Promise<void>;

/** Our client at this many requests a second. */
const client =
  (rate: number): Way =>
  async ({ url }, calls) => {
    const api = createClient({ address: url, token, rate, deadlineMs: 600_000 });
    await Promise.all(Array.from({ length: calls }, () => api.runTriggers.list('ws-app', 'inbound')));
  };

/** What is written first: a few calls at once, and each that is rejected waits as long as it was told. */
const eachForItself: Way = async ({ url }, calls) => {
  const address = `${url}/workspaces/ws-app/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=inbound`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
  let open = calls;
  const worker = async (): Promise<void> => {
    while (open > 0) {
      open -= 1;
      for (;;) {
        const answer = await fetch(address, { headers });
        await answer.arrayBuffer();
        if (answer.status !== 429) break;
        await sleep(Number(answer.headers.get('x-ratelimit-reset') ?? 1) * 1000);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
};

const ways: readonly (readonly [string, Way])[] = [
  ['each call for itself', eachForItself],
  ['a shared gate, no spacing', client(100_000)],
  ['even spacing at 28 a second', client(28)],
];

async function rejected(algorithm: string, way: Way, calls: number): Promise<{ count: number; ms: number }> {
  const service = await createService({ seed, behaviours: { 'rate-limit': algorithm, rate: '30' } });
  try {
    const started = performance.now();
    await way(service, calls);
    const count = service.requests().filter((one) => one.status === 429).length;
    return { count, ms: performance.now() - started };
  } finally {
    await service.close();
  }
}

async function main(): Promise<void> {
  const calls = sizeOf(process.argv.slice(2)) === 'full' ? 300 : 60;
  const rows: (string | number)[][] = [];
  for (const [name, way] of ways) {
    // Most of it is waiting, so the three services can run side by side.
    const all = await Promise.all(algorithms.map((algorithm) => rejected(algorithm, way, calls)));
    rows.push([name, ...all.map((one) => one.count), duration(Math.max(...all.map((one) => one.ms)))]);
  }
  printTable(`Rejected calls of ${calls}, at a limit of 30 a second`, [
    ['', ...algorithms, 'slowest'],
    ...rows,
  ]);
}

void main();
