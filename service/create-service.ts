/** Starts the service from its store, seed, rules and sockets. */
import { setMaxListeners } from 'node:events';
import { startAdmin } from './admin/admin';
import { armFaults, type FaultSpec } from './admin/faults';
import { readBehaviours } from './behaviours';
import { buildServer } from './http/server';
import { type Clock, end, type IdSource, listen, loopbackUrl, randomIds, systemClock } from './machine';
import { readServiceProfile } from './profile';
import { applySeed, type SeedObject, seedDocument } from './seed';
import { type Records, Store, tableNames } from './store';
import type { World } from './world';

export interface ServiceOptions {
  /** A string is the path of a YAML or JSON file. */
  seed?: SeedObject | string;
  profile?: string;
  behaviours?: Readonly<Record<string, string>>;
  port?: number;
  admin?: boolean;
  /** The clock decides delays, lags, limits, `created-at` and the `Date` of responses. */
  clock?: Clock;
  random?: () => number;
  newId?: IdSource;
  warn?: (sentence: string) => void;
}

export type Service = Awaited<ReturnType<typeof createService>>;

/** Rejects with a ServiceError for a wrong option or a port in use. Most methods are also requests of the admin port. */
export async function createService(options: ServiceOptions = {}) {
  const { warn = () => {} } = options;
  const { clock = systemClock, random = Math.random, newId = randomIds } = options;
  const profile = readServiceProfile(options.profile ?? 'default');
  const behaviours = readBehaviours(options.behaviours ?? {}, profile);
  const { 'delete-visible-ms': deletedMs, 'create-hidden-ms': createdMs } = behaviours;
  const store = new Store({ now: () => clock.now(), deletedMs, createdMs });
  const ending = new AbortController();
  const closing = ending.signal;
  // Every waiting request listens to this signal.
  setMaxListeners(0, closing);
  const members = { store, behaviours, profile, clock, newId, random, closing, warn };
  const world: World = { ...members, requests: [], faults: [] };
  applySeed(world, seedDocument(options.seed ?? {}), true);
  const api = buildServer(world);
  let admin: Awaited<ReturnType<typeof startAdmin>> | undefined;
  const close = async () => {
    ending.abort();
    await Promise.all([end(api), admin?.close()]);
  };
  let port: number;
  try {
    port = await listen(api, options.port);
    if (options.admin) admin = await startAdmin(world);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    url: `${loopbackUrl(port)}/api/v2`,
    adminUrl: admin?.url,
    /** The oldest request is first. */
    requests: () => world.requests.map((record) => ({ ...record })),
    clearRequests: () => void world.requests.splice(0),
    fault: (spec: FaultSpec | readonly FaultSpec[]) => void world.faults.push(...armFaults(spec)),
    clearFaults: () => void world.faults.splice(0),
    /** Replaces all records by the seed. A ServiceError changes nothing. */
    seed: (value: SeedObject) => applySeed(world, seedDocument(value), true),
    /** Merges the seed into the records. A ServiceError changes nothing. */
    patchSeed: (value: SeedObject) => applySeed(world, seedDocument(value), false),
    /** Returns all records. Secrets are digests made by `digestSecret`. */
    snapshot: () => store.records(),
    restore: (records: Records) => {
      store.clear();
      for (const name of tableNames) for (const record of records[name]) store.put(name, record);
    },
    /** Resolves when the ports are free. */
    close,
  };
}
