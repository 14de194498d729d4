/** `tether serve`: runs the embedded service until it is interrupted. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { createService, type Service } from '../../service/create-service';
import type { SeedObject } from '../../service/seed/seed';
import type { Io } from '../call';
import type { Flags } from '../flags';

type ServeFlags = Pick<Flags, 'seed' | 'port' | 'host' | 'profile' | 'behaviour' | 'admin'>;

/** Exit code 0 after a clean end, 1 when it could not start. */
export async function runServe(flags: Flags, io: Pick<Io, 'stdout' | 'stderr' | 'signal'>): Promise<number> {
  const { signal } = io;
  const warn = (sentence: string) => io.stderr.write(`${sentence}\n`);
  let service: Service;
  try {
    service = await start(flags, warn);
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    return 1;
  }
  io.stdout.write(`listening on ${service.url}\n`);
  if (service.adminUrl) io.stdout.write(`admin on ${service.adminUrl}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await service.close();
  return 0;
}

async function start({ seed, behaviour = [], ...options }: ServeFlags, warn: (text: string) => void) {
  const demo = demoSeed();
  const behaviours = readPairs(behaviour);
  const service = await createService({ ...options, seed: seed ?? demo.seed, behaviours, warn });
  if (seed === undefined) {
    warn(`organization demo, token ${demo.token} (shown only this once)`);
    const things = Object.entries(demo.seed.organizations?.demo ?? {});
    for (const [section, all] of things) warn(`  ${section}: ${Object.keys(all).join(', ')}`);
    warn(`In another shell:\n  export TETHER_ADDRESS=${service.url} TETHER_TOKEN=${demo.token}`);
  }
  return service;
}

function readPairs(pairs: readonly string[]): Record<string, string> {
  const wrong = pairs.filter((pair) => !/^[^=]+=/.test(pair));
  if (wrong.length > 0) {
    throw new Error(wrong.map((pair) => `--behaviour ${pair}: expected NAME=VALUE`).join('\n'));
  }
  return Object.fromEntries(pairs.map((pair) => [pair.replace(/=.*/s, ''), pair.replace(/^[^=]*=/, '')]));
}

function demoSeed(): { seed: SeedObject; token: string } {
  const token = randomBytes(24).toString('base64url');
  const file = join(__dirname, '..', '..', '..', 'examples', 'demo-seed.yaml');
  return {
    seed: { ...(load(readFileSync(file, 'utf8')) as SeedObject), tokens: { [token]: { demo: 'owner' } } },
    token,
  };
}
