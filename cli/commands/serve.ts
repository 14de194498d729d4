// `tether serve`: runs the embedded service until it is interrupted.

import { randomBytes } from 'node:crypto';
import type { SeedObject, Service } from '../../service';
import type { ServeFlags } from '../flags';
import type { Io, Stream } from '../io';

/** Where `runServe` prints, and what tells it to end. */
interface ServeIo extends Pick<Io, 'signal'> {
  readonly stdout: Pick<Stream, 'write'>;
  readonly stderr: Pick<Stream, 'write'>;
}

/** Serves until the signal aborts. Resolves with the exit code: 0 after a clean end, 1 when it could not start. */
export async function runServe(flags: ServeFlags, io: ServeIo): Promise<number> {
  let service: Service;
  try {
    service = await start(flags, io);
  } catch (error) {
    io.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
  io.stdout.write(`listening on ${service.url}\n`);
  if (service.adminUrl) io.stdout.write(`admin on ${service.adminUrl}\n`);
  await aborted(io.signal);
  await service.close();
  return 0;
}

async function start(flags: ServeFlags, io: ServeIo): Promise<Service> {
  // Loaded only here, so that no other command pays for the web server.
  const { createService } = await import('../../service/index.js');
  const { seed, data, port, host, profile, behaviour = [], admin } = flags;
  const print = (sentence: string) => io.stderr.write(`${sentence}\n`);
  const demo = demoSeed();
  const service = await createService({
    seed: seed ?? demo.seed,
    behaviours: readPairs(behaviour),
    warn: print,
    ...(data === undefined ? {} : { data }),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(profile === undefined ? {} : { profile }),
    ...(admin === undefined ? {} : { admin }),
  });
  if (seed === undefined && service.seeded)
    print(`organization demo, token ${demo.token} (shown only this once)`);
  if (seed !== undefined && !service.seeded) print(`${data} is not empty; ${seed} was not applied`);
  return service;
}

function readPairs(pairs: readonly string[]): Record<string, string> {
  const wrong = pairs.filter((pair) => !/^[^=]+=/.test(pair));
  if (wrong.length > 0) {
    throw new Error(wrong.map((pair) => `--behaviour ${pair}: expected NAME=VALUE`).join('\n'));
  }
  return Object.fromEntries(
    pairs.map((pair) => [pair.split('=', 1).join(), pair.slice(pair.indexOf('=') + 1)]),
  );
}

/** A small organization to try things on, with a fresh token. */
function demoSeed(): { seed: SeedObject; token: string } {
  const token = randomBytes(24).toString('base64url');
  const seed: SeedObject = {
    organizations: {
      demo: {
        agentPools: { 'apool-demo': { name: 'demo' } },
        projects: { 'prj-platform': { name: 'platform' }, 'prj-product': { name: 'product' } },
        workspaces: {
          'ws-network': { name: 'network', project: 'prj-platform' },
          'ws-cluster': { name: 'cluster', project: 'prj-platform' },
          'ws-app': { name: 'app', project: 'prj-product' },
        },
      },
    },
    tokens: { [token]: { demo: 'owner' } },
  };
  return { seed, token };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
