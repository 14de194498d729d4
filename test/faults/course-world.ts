/** Plays a course with faults, then does what a person would do, and says what is true afterwards. */
import assert from 'node:assert/strict';
import { matchesDigest } from '../../reconciler/ledger/digest';
import type { Plan } from '../../reconciler/plan/plan';
import type { Snapshot } from '../../service';
import { bareHead } from '../support/acme';
import { World, type WorldOptions } from '../support/world';
import { type Course, courseSeed } from './courses';
import { type FaultAt, LateCalls, type Moment, Tap } from './tap';

interface Mark {
  readonly snapshot: Snapshot;
  readonly ledger: string | null;
  readonly manifest: string;
  readonly env: World['env'];
}

/** What the course does when nothing fails. */
export interface Undisturbed {
  readonly moments: readonly Moment[];
  readonly truth: readonly string[];
  readonly deletes: ReadonlySet<string>;
}

interface Opening extends WorldOptions {
  /** Steps at once; else one call after the other. */
  readonly concurrency?: number;
}

const ledgerName = 'tether.ledger.json';
const secrets = ['git-token-value', 'git-secret-value', 'git-secret-second'];

export class CourseWorld {
  readonly late: LateCalls;
  undisturbed: Undisturbed = { moments: [], truth: [], deletes: new Set() };

  private constructor(
    readonly world: World,
    private readonly course: Course,
    private readonly start: Mark,
    private readonly concurrency: number,
  ) {
    this.late = new LateCalls(world.clock);
  }

  static async open(course: Course, { concurrency = 1, ...options }: Opening = {}): Promise<CourseWorld> {
    const world = await World.open({ seed: courseSeed, ...options });
    await course.prepare(world);
    const opened = new CourseWorld(world, course, markOf(world), concurrency);
    const tap = await opened.run();
    assert.deepEqual((await world.plan(course.options)).plan.steps, []);
    const truth = await opened.truth();
    opened.undisturbed = { moments: tap.moments, truth, deletes: deletesOf(world) };
    return opened;
  }

  close(): Promise<void> {
    return this.world.close();
  }

  /** Back to where the course begins. Time goes on. */
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

  /** One apply. */
  async run(...faults: readonly FaultAt[]): Promise<Tap> {
    const { world, late, course, concurrency } = this;
    const tap = new Tap(world.service, late, faults);
    const store = world.store();
    const more = { api: tap.api(world.api()), store: tap.store(store), concurrency };
    await Promise.race([world.apply(course.options, more), tap.killed]);
    // A lock that nobody holds any more ends by itself.
    await store.unlock();
    for (const text of tap.saved) refuseSecrets(text);
    assert.deepEqual(tap.posted, [...new Set(tap.posted)], 'a client was asked for twice in one run');
    return tap;
  }

  async pass(milliseconds: number): Promise<void> {
    const { clock } = this.world;
    const end = clock.now() + milliseconds;
    while (clock.now() < end) {
      await this.world.pass(Math.min(end, this.late.due) - clock.now());
      await this.late.arrive();
    }
  }

  /**
   * Applies again until a plan finds nothing, and waits where the plan says so, or where two more tries do not help. `approving`
   * pastes the lines for which the plan asks, and returns them.
   */
  async finish({ approving = false } = {}): Promise<readonly string[]> {
    const approved: string[] = [];
    for (let round = 1; round <= 8; round += 1) {
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
      const others = stops.filter((one) => !isAboutTime(one.message));
      assert.deepEqual(others, [], 'the plan stops');
      if (approving) {
        approved.push(...blockers.flatMap(({ remedy }) => /\{.*\}/.exec(remedy) ?? []));
        const lines = approved.map((line) => `  - ${line}\n`).join('');
        if (blockers.length > 0) this.world.write(`${bareHead}approved:\n${lines}`, 'approved.tether.yaml');
      } else assert.deepEqual(blockers, [], 'the plan is blocked');
      if (steps.length > 0) await this.run();
      if (stops.length > 0 || round > 2) await this.pass(121_000);
    }
    const { steps, problems, unknown } = await this.plan();
    return assert.fail(`no end is in sight: ${JSON.stringify({ steps, problems, unknown })}`);
  }

  async plan(): Promise<Plan> {
    return (await this.world.plan(this.course.options)).plan;
  }

  /** Nothing was made twice, lost, or deleted beyond what the course deletes; and the ledger says what is there. */
  async expectTruth(): Promise<void> {
    const { truth, deletes } = this.undisturbed;
    assert.deepEqual(await this.truth(), truth);
    const wrong = [...deletesOf(this.world)].filter((url) => !deletes.has(url));
    assert.deepEqual(wrong, [], 'deleted, and nothing approves it');
    if (!this.course.options?.destroy) assert.deepEqual((await this.world.drift()).rows, []);
  }

  /** All that the service and the ledger hold. What the course made is called by what it is, not by its id; so is all else on demand. */
  async truth({ withoutIds = false } = {}): Promise<readonly string[]> {
    const { world } = this;
    const { oauthClients, runTriggers, workspaces } = world.service.snapshot();
    const before = new Set(
      [...this.start.snapshot.oauthClients, ...this.start.snapshot.runTriggers].map(({ id }) => id),
    );
    const names = new Map<string, string>();
    const call = (id: string, name: string) => (before.has(id) && !withoutIds) || names.set(id, `<${name}>`);
    for (const { id, name, httpUrl } of oauthClients) call(id, `${name} at ${httpUrl}`);
    for (const { id, workspaceId, sourceableId } of runTriggers) call(id, `${workspaceId} ${sourceableId}`);
    const { objects, pending } = await world.ledger();
    const recorded = Object.entries(objects).map(async ([key, object]) => {
      const { createdAt: _, digests = {}, values: __, ...rest } = object;
      const written = await Promise.all(
        Object.entries(digests).map(async ([field, digest]) => [field, await this.variableOf(digest)]),
      );
      return { key, written, ...rest };
    });
    const lines = [
      ...oauthClients.map(({ createdAt: _, callbackId: __, oauthTokens, projectIds, ...client }) => ({
        ...client,
        projectIds: [...projectIds].sort(),
        tokens: oauthTokens.map(({ digest }) => digest),
      })),
      ...runTriggers.map(({ createdAt: _, ...trigger }) => trigger),
      ...workspaces,
      ...(await Promise.all(recorded)),
      ...Object.entries(pending),
    ];
    const named = (line: unknown) =>
      [...names].reduce((text, [id, name]) => text.replaceAll(id, name), JSON.stringify(line, inOrder));
    return lines.map(named).sort();
  }

  /** The variable that holds the value of this digest. */
  private async variableOf(digest: string): Promise<string> {
    for (const [name, value = ''] of Object.entries(this.world.env)) {
      if (await matchesDigest(value, digest, this.world.saved)) return name;
    }
    return 'another value';
  }
}

/** Only waiting helps, and the message says so, or it is about a link of a client for which one does. */
function isAboutTime(message: string): boolean {
  return /blocked until \d|in two minutes|less than two minutes ago|because OAuthClient\S+ is left alone/.test(
    message,
  );
}

/** The URLs of the clients and triggers that were to be deleted. */
export function deletesOf({ service }: World): ReadonlySet<string> {
  const deletes = service
    .requests()
    .filter(({ method, url }) => method === 'DELETE' && !url.endsWith('/projects'));
  return new Set(deletes.map(({ url }) => url));
}

function markOf(world: World): Mark {
  const snapshot = structuredClone(world.service.snapshot());
  world.service.clearRequests();
  const ledger = world.has(ledgerName) ? world.read(ledgerName) : null;
  return { snapshot, ledger, manifest: world.read('main.tether.yaml'), env: { ...world.env } };
}

function refuseSecrets(text: string): void {
  for (const secret of secrets) assert.ok(!text.includes(secret), `the ledger holds ${secret}`);
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [two]) => (one < two ? -1 : 1)));
}

/** Adds what was played to the message of a failure. */
export async function playing(what: string, play: () => Promise<void>): Promise<void> {
  try {
    await play();
  } catch (error) {
    if (error instanceof Error) error.message = `${what}: ${error.message}`;
    throw error;
  }
}
