/** Kills engine and provider at a chosen request of `up`, runs it again, and obeys the advice of a refusal. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { descendants, killAll } from './child-processes';
import { type FaultyProxy, type ProxiedRequest, startFaultyProxy } from './faulty-proxy';
import { engineFolder } from './pulumi-engine';
import { PulumiWorld } from './pulumi-world';

/** A request that never ends: `before` it reaches the service, or `after` it was applied. */
interface Stop {
  readonly method: string;
  readonly path: RegExp;
  readonly when: 'before' | 'after';
}

/** The point at which a run is killed, and the end of the next run. */
export interface KillPoint {
  readonly at: string;
  /** The program after this point. */
  readonly program: () => void;
  readonly stop: Stop;
  /** `finished`, or `adoptId` where a refusal gives that line to paste. */
  readonly ends: 'finished' | 'adoptId';
}

/** True if processes can be found, which killing them needs. */
export const canKill = existsSync('/proc/self/stat');

export class KilledRuns {
  /** Ids that refusals told a person to paste, by the name of the client. */
  readonly adopted = new Map<string, string>();

  private constructor(
    readonly world: PulumiWorld,
    private readonly proxy: FaultyProxy,
  ) {}

  static async start(): Promise<KilledRuns> {
    const world = await PulumiWorld.start();
    const proxy = await startFaultyProxy(world.service.url);
    const value = proxy.origin + new URL(world.service.url).pathname;
    await world.stack.setConfig('tether:address', { value });
    return new KilledRuns(world, proxy);
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.world.close();
  }

  /** Kills `up` at the point, cancels, and runs it again like a user. Fails if that ends in another way. */
  async kill(point: KillPoint): Promise<void> {
    const { world, proxy } = this;
    world.program = async () => point.program();
    const reached = this.reached(point.stop).then(() => {
      killAll(descendants(engineFolder()));
      return 'killed';
    });
    const running = world.up();
    const first = await Promise.race([reached, running.then(({ failure }) => `ended: ${failure}`)]);
    assert.equal(first, 'killed', `${point.at} was not reached`);
    assert.notEqual((await running).failure, undefined, point.at);
    proxy.decide = () => 'passes';
    proxy.afterResponse = () => undefined;
    await world.stack.cancel();
    const ended = await this.finish();
    assert.equal(ended, point.ends, point.at);
  }

  /** Resolves once such a request stands still. */
  private reached({ method, path, when }: Stop): Promise<void> {
    const { proxy } = this;
    return new Promise((resolve) => {
      const hang = (seen: ProxiedRequest) => {
        if (seen.method !== method || !path.test(seen.url)) return undefined;
        resolve();
        return new Promise<never>(() => undefined);
      };
      if (when === 'before') proxy.decide = (seen) => hang(seen) ?? 'passes';
      else proxy.afterResponse = hang;
    });
  }

  private async finish(): Promise<KillPoint['ends']> {
    const { world } = this;
    const { failure } = await world.up();
    if (failure === undefined) return 'finished';
    const [, id] = /adoptId: '(oc-\w+)'/u.exec(failure) ?? [];
    const name = world.service.snapshot().oauthClients.find((client) => client.id === id)?.name;
    if (id === undefined || name === null || name === undefined) assert.fail(failure);
    this.adopted.set(name, id);
    assert.equal((await world.up()).failure, undefined);
    return 'adoptId';
  }
}
