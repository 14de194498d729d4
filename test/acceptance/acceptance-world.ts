/** A service for tests of the acceptance suite: its places, other people's objects, and a clock that moves with each look at it. */
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  createService,
  type SeedObject,
  type Service,
  type ServiceOptions,
  type Snapshot,
  systemClock,
} from '../../service';
import { seedClient } from '../support/acme';
import { tetherHere } from '../support/cli';
import { cleanUp } from './cleanup';
import type { Tether } from './command-folder';
import { findPlaces, namePrefix, type Places } from './places';
import { Requests } from './requests';
import { isNameOfAnyRun, Scope } from './scope';
import { type Environment, readSettings, type Settings } from './settings';
import { runSuite, type SuiteOptions, type SuiteResult } from './suite';

export const token = 'acceptance-token-canary';
export const vcsToken = 'acceptance-vcs-token-canary';

export type Organization = NonNullable<NonNullable<SeedObject['organizations']>[string]>;

export interface AcceptanceWorldOptions extends Omit<ServiceOptions, 'seed' | 'clock'> {
  /** The profile of the suite. That of the service is the same, unless `profile` names another. */
  readonly assumed: string;
  /** What there is besides the places of the suite. */
  readonly others?: Organization;
}

export const places: Organization = {
  agentPools: { 'apool-dmz': { name: 'dmz' } },
  projects: { 'prj-acc-a': { name: `${namePrefix}a` }, 'prj-acc-b': { name: `${namePrefix}b` } },
  workspaces: {
    'ws-acc-1': { name: `${namePrefix}1` },
    'ws-acc-2': { name: `${namePrefix}2` },
    'ws-acc-3': { name: `${namePrefix}3` },
  },
};

/** The same as the suite finds by name. */
export const foundPlaces: Places = {
  workspaceIds: ['ws-acc-1', 'ws-acc-2', 'ws-acc-3'],
  projectIds: ['prj-acc-a', 'prj-acc-b'],
  agentPoolId: 'apool-dmz',
  names: new Map(),
  workspaceCount: 3,
};

/** A client in a seed for the profile `hcp-terraform`. */
export function namedClient(name: string) {
  return seedClient({ name, serviceProvider: 'github' });
}

/** The name of a client of another run. */
export const nameOfAnotherRun = 'tether-acceptance-20260102t030405-0a1b2c3d-attached';

export class AcceptanceWorld {
  private constructor(
    readonly service: Service,
    private readonly assumed: string,
    private readonly move: (milliseconds: number) => void,
  ) {}

  static async start({ assumed, others = {}, ...options }: AcceptanceWorldOptions): Promise<AcceptanceWorld> {
    let now = Date.parse('2026-01-02T03:04:05.000Z');
    const clock = {
      // Delays then end after a number of requests and on every machine alike.
      now: () => {
        now += 5;
        return now;
      },
      // A process that stood still reads what has arrived before the wait ends.
      wait: async (milliseconds: number, signal: AbortSignal) => {
        await systemClock.wait(milliseconds, signal);
        for (let turn = 0; turn < 200; turn += 1) await nextTurn();
      },
    };
    const names = ['agentPools', 'projects', 'workspaces', 'oauthClients', 'runTriggers'] as const;
    const acme = Object.fromEntries(names.map((name) => [name, { ...places[name], ...others[name] }]));
    const seed = { organizations: { acme }, tokens: { [token]: { acme: 'owner' } } } as SeedObject;
    const service = await createService({ profile: assumed, ...options, seed, clock });
    return new AcceptanceWorld(service, assumed, (milliseconds) => {
      now += milliseconds;
    });
  }

  /** Lets time pass for the service. */
  pass(milliseconds: number): void {
    this.move(milliseconds);
  }

  env(more: Environment = {}): Environment {
    const byName = this.assumed !== 'default';
    return {
      TETHER_ADDRESS: this.service.url,
      TETHER_TOKEN: token,
      TETHER_PROFILE: this.assumed,
      TETHER_RATE: '100000',
      TETHER_ACCEPTANCE_ORGANIZATION: 'acme',
      TETHER_ACCEPTANCE_AGENT_POOL: 'apool-dmz',
      TETHER_ACCEPTANCE_VCS_TOKEN: vcsToken,
      ...(!byName && {
        TETHER_ACCEPTANCE_WORKSPACES: foundPlaces.workspaceIds.join(),
        TETHER_ACCEPTANCE_PROJECTS: foundPlaces.projectIds.join(),
      }),
      ...more,
    };
  }

  settings(more: Environment = {}): Settings {
    return readSettings(this.env(more), process.cwd());
  }

  /** Runs the suite with the command in this process. */
  async run(options: Partial<SuiteOptions> = {}): Promise<SuiteResult & { readonly printed: string }> {
    const lines: string[] = [];
    const result = await runSuite({
      settings: this.settings(),
      tether: here,
      signal: new AbortController().signal,
      print: (line) => lines.push(line),
      pause: async (milliseconds) => this.pass(milliseconds),
      ...options,
    });
    return { ...result, printed: lines.join('\n') };
  }

  /** Runs `make acceptance-clean` with this answer to its question. */
  async clean(
    answer: () => boolean = () => true,
  ): Promise<{ readonly code: number; readonly lines: string[] }> {
    const settings = this.settings();
    const requests = new Requests(settings);
    const scope = new Scope(await findPlaces(requests, settings));
    const lines: string[] = [];
    const terminal = { print: (line: string) => void lines.push(line), ask: async () => answer() };
    return { code: await cleanUp(requests, settings, foundPlaces, scope, terminal), lines };
  }

  /** Everything that no run of the suite made. */
  withoutOwn({ oauthClients, runTriggers, ...rest }: Snapshot = this.service.snapshot()): Snapshot {
    return {
      ...rest,
      oauthClients: oauthClients.filter(({ name }) => !isNameOfAnyRun(name ?? '')),
      runTriggers: runTriggers.filter((trigger) => !isOwnTrigger(trigger)),
    };
  }

  /** The number of objects that runs of the suite made and that are still there. */
  countOwn(): number {
    const { oauthClients, runTriggers } = this.service.snapshot();
    const others = this.withoutOwn();
    return (
      oauthClients.length - others.oauthClients.length + (runTriggers.length - others.runTriggers.length)
    );
  }

  countWrites(): number {
    return this.service.requests().filter(({ method }) => method !== 'GET').length;
  }

  close(): Promise<void> {
    return this.service.close();
  }
}

function isOwnTrigger(trigger: { readonly workspaceId: string; readonly sourceableId: string }): boolean {
  return [trigger.workspaceId, trigger.sourceableId].every((id) =>
    Object.hasOwn(places.workspaces ?? {}, id),
  );
}

/** The command in this process, which is much faster than a process for each. */
export const here: Tether = (args, place) => tetherHere(args, place);

/** Opens worlds that are closed after the test. Call it once in a `describe`. */
export function acceptanceWorlds(): (options: AcceptanceWorldOptions) => Promise<AcceptanceWorld> {
  const open: AcceptanceWorld[] = [];
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close();
  });
  return async (options) => {
    const world = await AcceptanceWorld.start(options);
    open.push(world);
    return world;
  };
}

/** Returns the cells of a table by the question of their row. */
export function readTable(table: string | undefined): ReadonlyMap<string, readonly string[]> {
  assert.ok(table !== undefined, 'the suite printed no table');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  return new Map(
    rows.map((line) => {
      const [question = '', ...cells] = line
        .replace(/^\| /, '')
        .split('|')
        .map((cell) => cell.trim());
      return [question, cells];
    }),
  );
}

/** Returns what was seen, by question, of the rows that are marked. */
export function markedRows(table: string | undefined): Readonly<Record<string, string>> {
  const rows = [...readTable(table)].filter(([, cells]) => cells[4] !== '');
  return Object.fromEntries(rows.map(([question, cells]) => [question, cells[2] ?? '']));
}
