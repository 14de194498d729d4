/** CPU of a request to the embedded service, beside a bare fastify that does the same with nothing around it. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { createService } from '../service';
import { median } from './measure';
import type { ServiceCost } from './results';
import { publish, sizeOf } from './size';
import { printTable } from './table';
import { hub, seedOf, token } from './worlds';

const mediaType = 'application/vnd.api+json';
const headers = { authorization: `Bearer ${token}`, 'content-type': mediaType };
/** One source of twenty targets: the list is a page of twenty. */
const extent = { profile: 'default', workspaces: 220, pairs: hub(1, 20), clients: 0, projects: 0 } as const;

const listPath = '/workspaces/ws-0/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=outbound';
const showPath = '/run-triggers/rt-0';

type Kind = 'service' | 'bare';

/** What the service answers, answered by fastify: from objects in a map; a create makes an id and keeps the object. */
async function bare(): Promise<string> {
  const service = await createService({ seed: seedOf(extent, true) });
  const read = async (path: string) => (await fetch(service.url + path, { headers })).json();
  const list: unknown = await read(listPath);
  const shown = (await read(showPath)) as { data: object };
  await service.close();
  const kept = new Map<string, object>([['rt-0', shown]]);
  const server = fastify();
  server.addContentTypeParser(mediaType, { parseAs: 'string' }, (_request, body, done) =>
    done(null, JSON.parse(String(body))),
  );
  server.get('/workspaces/:id/run-triggers', async () => list);
  server.get<{ Params: { id: string } }>('/run-triggers/:id', async ({ params: { id } }) => kept.get(id));
  server.post('/workspaces/:id/run-triggers', async (_request, reply) => {
    const id = `rt-${randomBytes(8).toString('hex')}`;
    const document = { data: { ...shown.data, id } };
    kept.set(id, document);
    reply.code(201);
    return document;
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

/** The process that is measured: tells its address, then its CPU whenever it is asked. */
async function serve(kind: Kind): Promise<void> {
  const behaviours = { 'duplicate-trigger': 'accept' };
  const url =
    kind === 'bare' ? await bare() : (await createService({ seed: seedOf(extent, true), behaviours })).url;
  process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
  process.send?.({ url });
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

function send(url: string, method: string, body?: string): Promise<void> {
  return new Promise((done, failed) => {
    const sent = request(url, { method, agent, headers }, (answer) => {
      if ((answer.statusCode ?? 500) >= 300) failed(new Error(`${method} ${url}: ${answer.statusCode}`));
      answer.resume().on('end', done);
    });
    sent.on('error', failed).end(body);
  });
}

const operations: Readonly<Record<string, (url: string, count: number) => Promise<void>>> = {
  list: (url) => send(url + listPath, 'GET'),
  show: (url) => send(url + showPath, 'GET'),
  create: (url, count) => {
    const data = { type: 'workspaces', id: `ws-${count % 20}` };
    const body = { data: { type: 'run-triggers', relationships: { sourceable: { data } } } };
    return send(`${url}/workspaces/ws-${30 + (count % 190)}/run-triggers`, 'POST', JSON.stringify(body));
  },
};

async function load(url: string, work: (url: string, count: number) => Promise<void>, count: number) {
  let open = count;
  const worker = async () => {
    while (open > 0) {
      open -= 1;
      await work(url, open);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}

async function microseconds(child: ChildProcess): Promise<number> {
  const answer = once(child, 'message');
  child.send('cpu');
  const [{ cpu }] = (await answer) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

async function main(): Promise<void> {
  const isFull = sizeOf(process.argv.slice(2)) === 'full';
  const [rounds, count] = isFull ? [21, 1500] : [1, 50];
  const kinds: readonly Kind[] = ['service', 'bare'];
  const children = kinds.map((kind) => fork(__filename, ['serve', kind]));
  try {
    const urls = await Promise.all(
      children.map(async (child) => ((await once(child, 'message')) as [{ url: string }])[0].url),
    );
    const all: ServiceCost[] = [];
    for (const [operation, work] of Object.entries(operations)) {
      const costs = kinds.map((): number[] => []);
      for (let round = -1; round < rounds; round += 1) {
        // They take turns, so that a busy moment hits them all. The first round only warms up.
        for (const [index, child] of children.entries()) {
          const before = await microseconds(child);
          await load(urls[index] ?? '', work, count);
          if (round >= 0) costs[index]?.push(((await microseconds(child)) - before) / count);
        }
      }
      const [own = [], plain = []] = costs;
      // Of each round its own: a machine is slower for minutes, and then faster.
      const ratio = median(own.map((one, round) => (plain[round] ?? Number.NaN) / one));
      all.push({ operation, microseconds: median(own), bare: median(plain), ratio });
    }
    printTable('CPU of a request to the embedded service, in µs', [
      ['', 'service', 'bare fastify', 'bare ÷ service'],
      ...all.map((one) => [
        one.operation,
        Math.round(one.microseconds),
        Math.round(one.bare),
        one.ratio.toFixed(2),
      ]),
    ]);
    publish('service', all);
  } finally {
    agent.destroy();
    for (const child of children) child.kill();
  }
}

const [mode, kind] = process.argv.slice(2);
void (mode === 'serve' ? serve(kind as Kind) : main());
