// Starts the service: store, seed, rules and sockets put together.

import { setMaxListeners } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { type Admin, type AdminReach, startAdmin } from './admin/admin';
import type { FaultSpec } from './admin/fault';
import { FaultPlan } from './admin/fault-plan';
import { RequestLog, type RequestRecord } from './admin/request-log';
import { type Snapshot, takeSnapshot } from './admin/snapshot';
import { type Clock, systemClock } from './clock';
import { end, listen } from './http/listening';
import { buildServer } from './http/server';
import { type IdSource, randomIds } from './identifiers';
import { readStart, type StartOptions } from './read-start';
import { Visibility } from './rules/visibility';
import type { World } from './rules/world';
import { mergeSeed, replaceSeed } from './seed/apply-seed';
import { type ReadSeed, readSeedObject } from './seed/read-seed';
import type { SeedObject } from './seed/seed';
import { MemoryStore } from './store/memory-store';
import type { Store } from './store/store';

/** How to start the service; everything has a default. */
export interface ServiceOptions extends StartOptions {
  /** Port of the API; a free one when left out. */
  readonly port?: number;
  /** Address to listen on; 127.0.0.1 when left out. */
  readonly host?: string;
  /** Whether to open the admin port too, on a free port of the loopback. */
  readonly admin?: boolean;
  /** Time; the machine's when left out. */
  readonly clock?: Clock;
  /** Chance, from 0 up to 1; Math.random when left out. */
  readonly random?: () => number;
  /** Makes ids; random ones when left out. */
  readonly newId?: IdSource;
}

/** A running service. The methods do in process what the admin port offers. */
export interface Service {
  /** The base URL of the API: `http://127.0.0.1:PORT/api/v2`. */
  readonly url: string;
  /** The admin port's URL, where it was asked for. */
  readonly adminUrl?: string;
  /** Every request to the API since the start or the last clearing, oldest first. */
  requests(): RequestRecord[];
  /** Forgets the requests so far. */
  clearRequests(): void;
  /** Injects one or more faults. */
  fault(spec: FaultSpec | readonly FaultSpec[]): void;
  /** Removes all faults. */
  clearFaults(): void;
  /** Replaces everything by the seed. Throws a SeedError and changes nothing when it has mistakes. */
  seed(seed: SeedObject): void;
  /** Adds the seed to what is there. Throws a SeedError and changes nothing when it has mistakes. */
  patchSeed(seed: SeedObject): void;
  /** What the store holds right now, secrets as digests. */
  snapshot(): Snapshot;
  /** Whether there is no organization, as after a start without a seed on new storage. */
  isEmpty(): boolean;
  /** Ends the service and resolves when its ports are free. */
  close(): Promise<void>;
}

async function listenAll(
  api: FastifyInstance,
  host: string,
  { port, admin }: ServiceOptions,
  reach: AdminReach,
): Promise<{ port: number; admin: Admin | undefined }> {
  const opened = await listen(api, host, port ?? 0);
  return { port: opened, admin: admin ? await startAdmin(reach) : undefined };
}

/** Starts a service. Rejects with a SeedError, ProfileError, BehaviourError or StoreFileError, with a StartError for several, or when the port is taken. */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const clock = options.clock ?? systemClock;
  const newId = options.newId ?? randomIds;
  const { profile, behaviours, seed } = readStart(options, { clock, newId });
  const store = await openStore(options.data ?? 'memory');
  const visibility = new Visibility(store, behaviours, clock);
  const ending = new AbortController();
  // Every request that waits listens to it.
  setMaxListeners(0, ending.signal);
  const random = options.random ?? Math.random;
  const world: World = {
    store,
    behaviours,
    profile,
    clock,
    newId,
    random,
    visibility,
    closing: ending.signal,
  };
  try {
    mergeSeed(store, seed, world);
  } catch (error) {
    store.close();
    throw error;
  }
  const log = new RequestLog();
  const faults = new FaultPlan();
  const replace = (read: ReadSeed) => {
    replaceSeed(store, read, world);
    visibility.clear();
  };
  const merge = (read: ReadSeed) => mergeSeed(store, read, world);
  const host = options.host ?? '127.0.0.1';
  const api = buildServer(world, log, faults);
  const adminReach = { log, faults, replace, merge };
  const { port, admin } = await listenAll(api, host, options, adminReach).catch(async (error: unknown) => {
    await end(api);
    store.close();
    throw error;
  });
  const closeAll = async () => {
    ending.abort();
    await Promise.all([end(api), admin?.close()]);
    store.close();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/v2`,
    ...(admin ? { adminUrl: admin.url } : {}),
    requests: () => log.list(),
    clearRequests: () => log.clear(),
    fault: (spec) => faults.inject([spec].flat()),
    clearFaults: () => faults.clear(),
    seed: (value) => replace(readSeedObject(value)),
    patchSeed: (value) => merge(readSeedObject(value)),
    isEmpty: () => store.all('organizations').length === 0,
    snapshot: () => takeSnapshot(store),
    close,
  };
}

// The database is loaded only where it is used: it is a native module of some size.
async function openStore(place: string): Promise<Store> {
  if (place === 'memory') return new MemoryStore();
  const { openSqliteStore } = await import('./store/sqlite-store.js');
  return openSqliteStore(place);
}
