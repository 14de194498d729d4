/** CPU of a POST by the client over TLS, beside Node's own https with a connection for each; and how many connections it opens. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../client/client';
import { selfSigned } from '../test/support/self-signed';
import { measureNode, median } from './measure';
import { publish, sizeOf } from './size';
import { printTable } from './table';
import { token } from './worlds';

const answer = JSON.stringify({
  data: {
    id: 'rt-1',
    type: 'run-triggers',
    attributes: { 'workspace-name': 'a', 'sourceable-name': 'b', 'created-at': '2026-01-01T00:00:00.000Z' },
    relationships: {
      workspace: { data: { id: 'ws-a', type: 'workspaces' } },
      sourceable: { data: { id: 'ws-b', type: 'workspaces' } },
    },
    links: { self: '/api/v2/run-triggers/rt-1' },
  },
});

/** Eight at a time, as many as asked for. */
async function callers(count: number, call: () => Promise<unknown>): Promise<void> {
  let open = count;
  const worker = async () => {
    while (open > 0) {
      open -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The measured process. */
async function runCaller(manner: string, address: string, count: number): Promise<void> {
  if (manner === 'client') {
    const api = createClient({ address, token, rate: 100_000 });
    return callers(count, () => api.runTriggers.create('ws-a', 'ws-b'));
  }
  const agent = new https.Agent({ keepAlive: false });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
  await callers(
    count,
    () =>
      new Promise((done, failed) => {
        https
          .request(`${address}/x`, { agent, method: 'POST', headers }, (got) => got.resume().on('end', done))
          .on('error', failed)
          .end(answer);
      }),
  );
}

async function main(): Promise<void> {
  const [rounds, count] = sizeOf(process.argv.slice(2)) === 'full' ? [5, 400] : [1, 40];
  const folder = mkdtempSync(join(tmpdir(), 'tether-bench-'));
  const { cert, key } = selfSigned('127.0.0.1');
  writeFileSync(join(folder, 'cert.pem'), cert);
  let connections = 0;
  const server = https.createServer({ cert, key }, (got, reply) => {
    got
      .resume()
      .on('end', () => reply.writeHead(201, { 'content-type': 'application/vnd.api+json' }).end(answer));
  });
  server.on('secureConnection', () => {
    connections += 1;
  });
  try {
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`;
    const run = async (manner: string, calls: number) => {
      const args = [__filename, 'caller', manner, address, String(calls)];
      return (
        await measureNode(args, { cwd: folder, env: { NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') } })
      ).cpuMs;
    };
    const costs: Record<string, number[]> = { client: [], plain: [] };
    const opened: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1) {
      for (const manner of Object.keys(costs)) {
        // One call is the start of the process, which is taken away.
        const start = await run(manner, 1);
        connections = 0;
        const whole = await run(manner, 1 + count);
        costs[manner]?.push((whole - start) / count);
        opened[manner] = connections;
      }
    }
    const [client = 0, plain = 0] = Object.values(costs).map(median);
    const figures = { posts: 1 + count, connections: opened.client ?? 0, clientMs: client, plainMs: plain };
    printTable(`A POST over TLS, ${figures.posts} of them`, [
      ['', 'CPU', 'connections'],
      ['the client', `${client.toFixed(2)} ms`, figures.connections],
      ['https, a connection each', `${plain.toFixed(2)} ms`, opened.plain ?? 0],
    ]);
    publish('connections', figures);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [mode, manner = '', address = '', count = ''] = process.argv.slice(2);
void (mode === 'caller' ? runCaller(manner, address, Number(count)) : main());
