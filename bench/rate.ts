/** Measures how much of a service's rate limit is used, and how many calls are rejected. */
import { createClient } from '../client/client';
import { createService } from '../service';
import { runProcess } from '../test/support/run-process';
import { isFull, report } from './row';
import { token } from './worlds';

const limiters = ['token-bucket', 'fixed-window', 'sliding-window'] as const;
const allowed = 30;

const seed = {
  organizations: { acme: { workspaces: { 'ws-app': {} } } },
  tokens: { [token]: { acme: 'owner' } },
} as const;

interface Manner {
  readonly name: string;
  readonly processes: number;
  /** It is null where there is no goal, because two runs share one limit. */
  readonly mostRejected: number | null;
}

const manners: readonly Manner[] = [
  { name: 'alone', processes: 1, mostRejected: 0 },
  { name: 'with stalls of 200 ms', processes: 1, mostRejected: 0 },
  { name: 'two at once', processes: 2, mostRejected: null },
];

/** Makes 300 calls with one client. A stall blocks the process, as a busy machine does. */
async function runCaller(address: string, manner: string): Promise<void> {
  const api = createClient({ address, token, deadlineMs: 600_000 });
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const stall = () => Atomics.wait(cell, 0, 0, 200);
  const timer = manner.includes('stalls') ? setInterval(stall, 2_000) : undefined;
  await Promise.all(Array.from({ length: 300 }, () => api.runTriggers.list('ws-app', 'inbound')));
  clearInterval(timer);
}

async function measure(limiter: string, { name, processes }: Manner) {
  const service = await createService({ seed, behaviours: { 'rate-limit': limiter, rate: String(allowed) } });
  try {
    const args = [__filename, 'caller', service.url, name];
    const options = { cwd: __dirname, env: { PATH: process.env.PATH } };
    const runs = Array.from({ length: processes }, () => runProcess(process.execPath, args, options));
    const failed = (await Promise.all(runs)).find(({ code }) => code !== 0);
    if (failed !== undefined) throw new Error(failed.stderr);
    const requests = service.requests();
    const times = requests.filter(({ status }) => status === 200).map(({ time }) => Date.parse(time));
    const elapsed = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    const rejected = (requests.length - times.length) / requests.length;
    return { used: (times.length - 1) / elapsed / allowed, rejected };
  } finally {
    await service.close();
  }
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

async function main(): Promise<void> {
  if (!isFull) return;
  for (const manner of manners) {
    // Callers mostly wait, so the three services can run side by side.
    const all = await Promise.all(limiters.map((limiter) => measure(limiter, manner)));
    const rejected = Math.max(...all.map((figure) => figure.rejected));
    report({
      what: `calls rejected by three kinds of rate limit, ${manner.name}`,
      goal: manner.mostRejected === null ? 'none' : `${manner.mostRejected}`,
      measured: percent(rejected),
      holds: manner.mostRejected === null || rejected <= manner.mostRejected,
      isCount: false,
    });
    if (manner.name !== 'alone') continue;
    const used = Math.min(...all.map((figure) => figure.used));
    report({
      what: `share of ${allowed} calls a second that is used, ${manner.name}`,
      goal: '≥ 95 %',
      measured: percent(used),
      holds: used >= 0.95,
      isCount: false,
    });
  }
}

const [mode, address = '', manner = ''] = process.argv.slice(2);
void (mode === 'caller' ? runCaller(address, manner) : main());
