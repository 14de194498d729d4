/** How much of the rate that a service allows is used, and what it rejects: with real processes and real time. */
import { createClient } from '../client/client';
import { createService } from '../service';
import { runProcess } from '../test/support/run-process';
import type { Rate } from './results';
import { publish, sizeOf } from './size';
import { printTable } from './table';
import { token } from './worlds';

const limiters = ['token-bucket', 'fixed-window', 'sliding-window'] as const;
const allowed = 30;

const seed = {
  organizations: { acme: { workspaces: { 'ws-app': {} } } },
  tokens: { [token]: { acme: 'owner' } },
} as const;

/** A program that lists so often, and stands still now and then where it is told so. */
async function runCaller([address = '', calls = '', manner = '']: readonly string[]): Promise<void> {
  const api = createClient({ address, token, deadlineMs: 600_000 });
  const still = new Int32Array(new SharedArrayBuffer(4));
  const timer = manner === 'stalled' ? setInterval(() => Atomics.wait(still, 0, 0, 200), 2_000) : undefined;
  await Promise.all(Array.from({ length: Number(calls) }, () => api.runTriggers.list('ws-app', 'inbound')));
  clearInterval(timer);
}

const manners = [
  ['alone', 1],
  ['stalled', 1],
  ['two at once', 2],
] as const;

async function measure(limiter: string, manner: string, processes: number, calls: number): Promise<Rate> {
  const service = await createService({ seed, behaviours: { 'rate-limit': limiter, rate: String(allowed) } });
  try {
    const args = [__filename, 'caller', service.url, String(calls), manner];
    const options = { cwd: __dirname, env: { PATH: process.env.PATH } };
    const all = Array.from({ length: processes }, () => runProcess(process.execPath, args, options));
    const failed = (await Promise.all(all)).find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(failed.stderr);
    const requests = service.requests();
    const good = requests.filter(({ status }) => status === 200).map(({ time }) => Date.parse(time));
    const seconds = ((good.at(-1) ?? 0) - (good[0] ?? 0)) / 1000;
    const share = (good.length - 1) / seconds / allowed;
    return { limiter, manner, rejected: requests.length - good.length, calls: requests.length, share };
  } finally {
    await service.close();
  }
}

async function main(): Promise<void> {
  const calls = sizeOf(process.argv.slice(2)) === 'full' ? 300 : 15;
  const all: Rate[] = [];
  for (const [manner, processes] of manners) {
    // Most of it is waiting, so the three services can run side by side.
    all.push(...(await Promise.all(limiters.map((one) => measure(one, manner, processes, calls)))));
  }
  printTable(`A limit of ${allowed} a second, ${calls} calls of each process`, [
    ['', 'limiter', 'share of the limit', 'rejected', 'of'],
    ...all.map(({ limiter, manner, rejected, calls: sent, share }) => [
      manner,
      limiter,
      `${(share * 100).toFixed(1)} %`,
      rejected,
      sent,
    ]),
  ]);
  publish('rate', all);
}

const [mode, ...args] = process.argv.slice(2);
void (mode === 'caller' ? runCaller(args) : main());
