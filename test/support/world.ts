/** A small world for whole runs: a service with a seed over a socket, a folder with manifests, the real command line. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import type { Ledger } from '../../reconciler/ledger/ledger';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { acmeHead, acmeSeed } from './acme';
import { type Hands, type Running, tether, tetherHere } from './cli';
import type { Ended } from './run-process';
import { bareHead, clientEntry } from './scenario';

export const head = acmeHead;

/** A client whose fields a test may change by their lines. */
export const github = `oauthClients:\n${clientEntry('github')}`;

/** A service that counts no requests, for clients that do not wait. */
const unlimited = { 'rate-limit': 'off' };

export class World {
  /** The way in which `expect` runs commands that write: in this process, or as the real program. */
  writesIn: 'this process' | 'a process' = 'this process';

  private constructor(
    readonly service: Service,
    readonly folder: string,
  ) {}

  static async start(
    seed: SeedObject | string = acmeSeed(),
    options: Omit<ServiceOptions, 'seed'> = {},
  ): Promise<World> {
    const behaviours = { ...unlimited, ...options.behaviours };
    const service = await createService({ ...options, behaviours, seed });
    return new World(service, mkdtempSync(join(tmpdir(), 'tether-world-')));
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The variables that the command line needs, with a secret for the client `github`. */
  get env(): Readonly<Record<string, string>> {
    return {
      TETHER_ADDRESS: this.service.url,
      TETHER_TOKEN: 'owner-token',
      GIT_TOKEN: 'git-secret-canary',
      // Only the client's own tests need the wait before each request.
      TETHER_RATE: '100000',
    };
  }

  /** Somebody else with the owner's token, past every manifest. */
  get somebody(): Api {
    return createClient({ address: this.service.url, token: 'owner-token', rate: 1000 });
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  remove(file: string): void {
    rmSync(join(this.folder, file), { recursive: true, force: true });
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  has(file: string): boolean {
    return existsSync(join(this.folder, file));
  }

  get ledger(): Ledger {
    return JSON.parse(this.read('tether.ledger.json')) as Ledger;
  }

  /** The real program, in this folder; `env` is added to the world's. */
  async tether(args: readonly string[], more: Partial<Running> = {}): Promise<Ended> {
    return tether(args, { cwd: this.folder, ...more, env: { ...this.env, ...more.env } });
  }

  /** The same in this process, for tests that answer questions, press Ctrl-C or turn the clock. */
  async here(args: readonly string[], more: Partial<Hands> = {}): Promise<Ended> {
    return tetherHere(args, { cwd: this.folder, ...more, env: { ...this.env, ...more.env } });
  }

  /** Expects this exit code. A failure shows the output. */
  async expect(code: number, args: readonly string[], more: Partial<Running> = {}): Promise<Ended> {
    const writes = args[0] === 'apply' || args[0] === 'destroy';
    const isProgram = writes && this.writesIn === 'a process';
    const ended = await (isProgram ? this.tether(args, more) : this.here(args, more));
    assert.equal(ended.code, code, `tether ${args.join(' ')}\n${ended.stdout}\n${ended.stderr}`);
    return ended;
  }

  /** Applies, and expects that planning again finds nothing; `args` go to both. */
  async applyAndExpectNothing(args: readonly string[] = [], more: Partial<Running> = {}): Promise<Ended> {
    const applied = await this.expect(0, ['apply', '--yes', ...args], more);
    const again = await this.expect(0, ['plan', ...args], more);
    assert.match(again.stdout, /^No changes\./m);
    return applied;
  }

  /** Approves like a user: writes the printed lines into a file of their own. */
  async approve(args: readonly string[], more: Partial<Running> = {}): Promise<void> {
    const { stdout } = await this.expect(1, args, more);
    const lines = [...stdout.matchAll(/^ *(- \{ (?:destroy|replace): .*\})$/gm)].map(
      ([, line]) => `  ${line}\n`,
    );
    assert.notDeepEqual(lines, [], stdout);
    this.write('approved.tether.yaml', `${bareHead}approved:\n${lines.join('')}`);
  }

  /** Method and route of every write since the last call of this. */
  writes(): string[] {
    const writes = this.service.requests().filter((one) => one.method !== 'GET');
    this.service.clearRequests();
    return writes.map((one) => `${one.method} ${one.route}`);
  }
}
