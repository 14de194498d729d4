/** `tether serve`: runs the embedded service. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { systemCode } from '../../client/errors';
import type { SeedObject } from '../../service';
import type { Call } from '../call';
import { UserError } from '../errors';
import type { Outcome } from '../outcome';

export async function serve(call: Call): Promise<Outcome> {
  const { flags, io } = call;
  const { seed, port = 0, admin = false, behaviour: behaviours = {} } = flags;
  const warn = (sentence: string) => io.stderr.write(`${sentence}\n`);
  const { createService } = await loadService();
  const demo = demoSeed();
  const options = {
    seed: seed ?? demo.seed,
    behaviours,
    warn,
    profile: call.profile ?? 'default',
    port,
    admin,
  };
  const service = await createService(options).catch((error: unknown) => {
    throw new UserError(error instanceof Error ? error.message : String(error));
  });
  if (seed === undefined) {
    warn(`organization demo, token ${demo.token} (shown only this once)`);
    for (const [section, all] of Object.entries(demo.seed.organizations?.demo ?? {})) {
      warn(`  ${section}: ${Object.keys(all).join(', ')}`);
    }
    warn(`In another shell:\n  export TETHER_ADDRESS=${service.url} TETHER_TOKEN=${demo.token}`);
  }
  io.stdout.write(`listening on ${service.url}\n`);
  if (service.adminUrl) io.stdout.write(`admin on ${service.adminUrl}\n`);
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await service.close();
  return 'done';
}

/** Loads the web server, which takes long and is an optional package. Throws a `UserError` if it is not installed. */
async function loadService() {
  try {
    return await import('../../service/index.js');
  } catch (error) {
    if (systemCode(error) !== 'MODULE_NOT_FOUND') throw error;
    throw new UserError('`tether serve` needs two optional packages: npm install fastify light-my-request');
  }
}

function demoSeed(): { readonly seed: SeedObject; readonly token: string } {
  const token = randomBytes(24).toString('base64url');
  const file = join(__dirname, '..', '..', '..', 'examples', 'demo-seed.yaml');
  const seed = parse(readFileSync(file, 'utf8')) as SeedObject;
  return { seed: { ...seed, tokens: { [token]: { demo: 'owner' } } }, token };
}
