/** Runs a case with faults, then does what a user would do, and compares the final state with that of a run without faults. */
import assert from 'node:assert/strict';
import { matchesDigest } from '../../reconciler/ledger/digest';
import type { Plan } from '../../reconciler/plan/plan';
import type { Snapshot } from '../../service';
import { bareHead } from '../support/acme';
import { World, type WorldOptions } from '../support/world';
import { type ApplyCase, caseSeed } from './apply-cases';
import { DelayedCalls, FaultInjector, type PlacedFault, type WritePoint } from './fault-injector';

/** The state in which a case begins. */
interface State {
  readonly snapshot: Snapshot;
  readonly ledger: string | null;
  readonly manifest: string;
  readonly env: World['env'];
}

/** A run of the case in which nothing fails. */
export interface FaultlessRun {
  readonly writePoints: readonly WritePoint[];
  readonly finalState: readonly string[];
  readonly deletes: ReadonlySet<string>;
}

interface OpenOptions extends WorldOptions {
  /** The number of steps at once. The default is 1. */
  readonly concurrency?: number;
}

const ledgerName = 'tether.ledger.json';
/** More applies than this never help. */
const maxRounds = 8;
const secrets = ['git-token-value', 'git-secret-value', 'git-secret-second'];

export class FaultWorld {
  readonly delayedCalls: DelayedCalls;
  faultless: FaultlessRun = { writePoints: [], finalState: [], deletes: new Set() };

  private constructor(
    readonly world: World,
    private readonly applyCase: ApplyCase,
    private readonly start: State,
    private readonly concurrency: number,
  ) {
    this.delayedCalls = new DelayedCalls(world.clock);
  }

  static async open(
    applyCase: ApplyCase,
    { concurrency = 1, ...options }: OpenOptions = {},
  ): Promise<FaultWorld> {
    const world = await World.open({ seed: caseSeed, ...options });
    await applyCase.prepare(world);
    const faults = new FaultWorld(world, applyCase, captureState(world), concurrency);
    const injector = await faults.run();
    assert.deepEqual((await world.plan(applyCase.options)).plan.steps, []);
    const finalState = await faults.describeState();
    faults.faultless = { writePoints: injector.writePoints, finalState, deletes: listDeletes(world) };
    return faults;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** Restores the state in which the case begins. Time goes on. */
  reset(): void {
    const { world, start } = this;
    world.service.restore(start.snapshot);
    world.service.clearFaults();
    world.service.clearRequests();
    world.env = { ...start.env };
    world.write(start.manifest);
    world.remove('approved.tether.yaml');
    if (start.ledger === null) world.remove(ledgerName);
    else world.write(start.ledger, ledgerName);
  }

  /** Makes one apply. */
  async run(...faults: readonly PlacedFault[]): Promise<FaultInjector> {
    const { world, delayedCalls, applyCase, concurrency } = this;
    const injector = new FaultInjector(world.service, delayedCalls, faults);
    const store = world.store();
    const more = { api: injector.api(world.api()), store: injector.store(store), concurrency };
    await Promise.race([world.apply(applyCase.options, more), injector.killed]);
    // The lock of a killed run ends by itself.
    await store.unlock();
    for (const text of injector.saved) refuseSecrets(text);
    assert.deepEqual(injector.posted, [...new Set(injector.posted)], 'one run sent two POSTs of a client');
    return injector;
  }

  async pass(milliseconds: number): Promise<void> {
    const { clock } = this.world;
    const end = clock.now() + milliseconds;
    while (clock.now() < end) {
      await this.world.pass(Math.min(end, this.delayedCalls.due) - clock.now());
      await this.delayedCalls.execute();
    }
  }

  /**
   * Applies again until a plan finds nothing. It waits if the plan says so, and after two rounds. With `approving`, it pastes the lines
   * for which the plan asks, and returns them.
   */
  async finish({ approving = false } = {}): Promise<readonly string[]> {
    const approved: string[] = [];
    for (let round = 1; round <= maxRounds; round += 1) {
      const { steps, problems, unknown, blockers } = await this.plan();
      const stops = [...problems, ...unknown];
      const match = problems.find(({ rule }) => rule === 'possible-match');
      if (approving && match !== undefined) {
        // The entry has such a line already.
        const text = this.world.read('main.tether.yaml');
        const ids = match.line?.match(/oc-\w+/g)?.join() ?? '';
        this.world.write(text.replace('allowDuplicate: [', `allowDuplicate: [${ids}, `));
        continue;
      }
      if (steps.length === 0 && stops.length === 0) return approved;
      const unexpected = stops.filter(({ message }) => !isSolvedByTime(message));
      assert.deepEqual(unexpected, [], 'waiting does not solve this');
      if (approving) {
        approved.push(...blockers.flatMap(({ remedy }) => /\{.*\}/.exec(remedy) ?? []));
        const lines = approved.map((line) => `  - ${line}\n`).join('');
        if (blockers.length > 0) this.world.write(`${bareHead}approved:\n${lines}`, 'approved.tether.yaml');
      } else assert.deepEqual(blockers, [], 'the plan is blocked');
      if (steps.length > 0) await this.run();
      if (stops.length > 0 || round > 2) await this.pass(121_000);
    }
    const { steps, problems, unknown } = await this.plan();
    return assert.fail(
      `the plan is not empty after ${maxRounds} rounds: ${JSON.stringify({ steps, problems, unknown })}`,
    );
  }

  async plan(): Promise<Plan> {
    return (await this.world.plan(this.applyCase.options)).plan;
  }

  /** Fails if something was created twice, lost, or deleted that the case does not delete, or if the ledger is wrong. */
  async expectFinalState(): Promise<void> {
    const { finalState, deletes } = this.faultless;
    assert.deepEqual(await this.describeState(), finalState);
    const wrongDeletes = [...listDeletes(this.world)].filter((url) => !deletes.has(url));
    assert.deepEqual(wrongDeletes, [], 'deleted without an approval');
    if (!this.applyCase.options?.destroy) assert.deepEqual((await this.world.drift()).rows, []);
  }

  /**
   * Returns a line for each object of the service and the ledger. An object that the case created has a name in place of its id, because
   * each run gives it another id. `withoutIds` does the same for all objects.
   */
  async describeState({ withoutIds = false } = {}): Promise<readonly string[]> {
    const { world } = this;
    const { oauthClients, runTriggers, workspaces } = world.service.snapshot();
    const before = new Set(
      [...this.start.snapshot.oauthClients, ...this.start.snapshot.runTriggers].map(({ id }) => id),
    );
    const names = new Map<string, string>();
    const nameId = (id: string, name: string) =>
      (before.has(id) && !withoutIds) || names.set(id, `<${name}>`);
    for (const { id, name, httpUrl } of oauthClients) nameId(id, `${name} at ${httpUrl}`);
    for (const { id, workspaceId, sourceableId } of runTriggers) nameId(id, `${workspaceId} ${sourceableId}`);
    const { objects, pending } = await world.ledger();
    const entries = Object.entries(objects).map(async ([key, object]) => {
      const { createdAt: _, digests = {}, values: __, ...rest } = object;
      const secretVariables = await Promise.all(
        Object.entries(digests).map(async ([field, digest]) => [field, await this.findVariable(digest)]),
      );
      return { key, secretVariables, ...rest };
    });
    const lines = [
      ...oauthClients.map(({ createdAt: _, callbackId: __, oauthTokens, projectIds, ...client }) => ({
        ...client,
        projectIds: [...projectIds].sort(),
        tokens: oauthTokens.map(({ digest }) => digest),
      })),
      ...runTriggers.map(({ createdAt: _, ...trigger }) => trigger),
      ...workspaces,
      ...(await Promise.all(entries)),
      ...Object.entries(pending),
    ];
    const render = (line: unknown) =>
      [...names].reduce((text, [id, name]) => text.replaceAll(id, name), JSON.stringify(line, sortMembers));
    return lines.map(render).sort();
  }

  /** Returns the name of the variable whose value has this digest. */
  private async findVariable(digest: string): Promise<string> {
    for (const [name, value = ''] of Object.entries(this.world.env)) {
      if (await matchesDigest(value, digest, this.world.saved)) return name;
    }
    return 'another value';
  }
}

/** True for a message that says to wait, and for one about a link of a client that must wait. */
function isSolvedByTime(message: string): boolean {
  return /blocked until \d|in two minutes|less than two minutes ago|because OAuthClient\S+ is left alone/.test(
    message,
  );
}

/** Returns the URLs of all requests that delete a client or a trigger. */
export function listDeletes({ service }: World): ReadonlySet<string> {
  const deletes = service
    .requests()
    .filter(({ method, url }) => method === 'DELETE' && !url.endsWith('/projects'));
  return new Set(deletes.map(({ url }) => url));
}

function captureState(world: World): State {
  const snapshot = structuredClone(world.service.snapshot());
  world.service.clearRequests();
  const ledger = world.has(ledgerName) ? world.read(ledgerName) : null;
  return { snapshot, ledger, manifest: world.read('main.tether.yaml'), env: { ...world.env } };
}

function refuseSecrets(text: string): void {
  for (const secret of secrets) assert.ok(!text.includes(secret), `the ledger holds ${secret}`);
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Adds a label to the message of a failure. */
export async function labelled(label: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (error instanceof Error) error.message = `${label}: ${error.message}`;
    throw error;
  }
}
