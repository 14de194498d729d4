/** A stack on the real engine: programs run inline, state in a temporary folder, calls to the embedded service. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EngineEvent,
  LocalWorkspace,
  PulumiCommand,
  type PulumiFn,
  Stack,
  type UpOptions,
} from '@pulumi/pulumi/automation';
import * as runtime from '@pulumi/pulumi/runtime';
import type { Api } from '../../client/api';
import { createClient } from '../../client/client';
import { createService, type SeedObject, type Service, type ServiceOptions } from '../../service';
import { acmeSeed } from './acme';
import { keyServer } from './key-server';
import { linkedProject } from './linked-project';
import { engineEnv, engineFolder } from './pulumi-engine';
import { runProcess } from './run-process';

/** The result of one run of the engine. */
export interface Ran {
  /** Number of resources by operation: `{ create: 2, same: 1 }`; the stack itself is not counted. */
  readonly steps: Readonly<Record<string, number>>;
  /** Every resource step: `update OAuthClient github [name]`. */
  readonly changes: readonly string[];
  readonly output: string;
  /** The message when the engine refused or failed; undefined when all went well. */
  readonly failure: string | undefined;
}

export interface PulumiWorldOptions extends Omit<ServiceOptions, 'seed'> {
  readonly seed?: SeedObject;
  /** Stack configuration besides the address and the rate. */
  readonly config?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

const secretsProvider = 'hashivault://tests';

/** The command line, looked up once for all stacks of this process. */
let engine: Promise<PulumiCommand> | undefined;

export class PulumiWorld {
  /** Variables of the engine and the provider; a test may change them between runs. */
  readonly env: Record<string, string>;
  program: PulumiFn = async () => undefined;

  private constructor(
    readonly service: Service,
    readonly folder: string,
    private readonly stackMade: Stack,
    env: Record<string, string>,
  ) {
    this.env = env;
  }

  static async start(options: PulumiWorldOptions = {}): Promise<PulumiWorld> {
    ownConnections();
    const { seed = acmeSeed(), config = {}, env: more = {}, ...serviceOptions } = options;
    const service = await createService({ ...serviceOptions, seed });
    const folder = mkdtempSync(join(tmpdir(), 'tether-pulumi-'));
    const project = join(folder, 'project');
    mkdirSync(join(folder, 'state'));
    linkedProject(project);
    const env = {
      ...engineEnv,
      PULUMI_HOME: join(folder, 'home'),
      TETHER_TOKEN: 'owner-token',
      VAULT_ADDR: await keyServer(),
      VAULT_TOKEN: 'none',
      ...more,
    };
    engine ??= PulumiCommand.get({ root: engineFolder() });
    const reach: { world?: PulumiWorld } = {};
    const workspace = await LocalWorkspace.create({
      program: async () => await reach.world?.program(),
      workDir: project,
      pulumiHome: join(folder, 'home'),
      pulumiCommand: await engine,
      envVars: env,
      secretsProvider,
      projectSettings: {
        name: 'infra',
        runtime: 'nodejs',
        backend: { url: `file://${join(folder, 'state')}` },
      },
      stackSettings: {
        test: {
          secretsProvider,
          config: { 'tether:address': service.url, 'tether:rate': '1000', ...config },
        },
      },
    });
    const stack = await Stack.create('test', workspace);
    withoutBookkeeping(stack);
    const world = new PulumiWorld(service, folder, stack, env);
    reach.world = world;
    return world;
  }

  async close(): Promise<void> {
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get stack(): Stack {
    this.stackMade.workspace.envVars = this.env;
    return this.stackMade;
  }

  /** Somebody else with the owner's token. */
  get somebody(): Api {
    return createClient({ address: this.service.url, token: 'owner-token', rate: 1000 });
  }

  preview(args: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    return ran((told) => this.stack.preview({ ...args, ...told }), true);
  }

  up(args: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    return ran((told) => this.stack.up({ ...args, ...told }), true);
  }

  refresh(args: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    return ran((told) => this.stack.refresh({ ...args, ...told }));
  }

  /** Brings the stack up, and expects that planning again and looking again find nothing. */
  async settle(args: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    const done = await this.up(args);
    assert.equal(done.failure, undefined);
    await this.expectNothing();
    return done;
  }

  /** Expects that there is nothing to do and that nothing was changed elsewhere. */
  async expectNothing(): Promise<void> {
    assert.equal((await this.preview({ expectNoChanges: true })).failure, undefined);
    assert.equal((await this.refreshPreview()).failure, undefined);
  }

  /** Runs a drift job, which fails if something was changed elsewhere. */
  refreshPreview(): Promise<Pick<Ran, 'failure' | 'output'>> {
    return this.pulumi('refresh', '--preview-only', '--expect-no-changes', '--diff');
  }

  /** A command of the real command line on this stack. */
  async pulumi(...args: readonly string[]): Promise<Pick<Ran, 'failure' | 'output'>> {
    const command = join(engineFolder(), 'bin', 'pulumi');
    const ended = await runProcess(command, [...args, '--stack', 'test', '--non-interactive'], {
      cwd: this.stack.workspace.workDir,
      env: { ...process.env, ...this.env },
    });
    const output = `${ended.stdout}${ended.stderr}`;
    return { failure: ended.code === 0 ? undefined : output, output };
  }

  destroy(args: Readonly<Record<string, unknown>> = {}): Promise<Ran> {
    return ran((told) => this.stack.destroy({ ...args, ...told }));
  }

  /** The state file as it lies on disk: secrets encrypted. */
  stateText(): string {
    return readFileSync(join(this.folder, 'state/.pulumi/stacks/infra/test.json'), 'utf8');
  }

  /** Method and route of every write since the last call of this. */
  writes(): string[] {
    const writes = this.service.requests().filter((request) => request.method !== 'GET');
    this.service.clearRequests();
    return writes.map((write) => `${write.method} ${write.route}`);
  }
}

/**
 * Gives each run of an inline program connections of its own. The SDK's connections outlive their run and are shared by
 * address: when an engine gets the port of an earlier one, the program finds it "unavailable", and the run may still be
 * called a success.
 */
export function ownConnections(): void {
  const options: unknown = Reflect.get(runtime, 'grpcClientOptions');
  assert.ok(
    typeof options === 'object' && options !== null,
    'the SDK keeps its connection options elsewhere',
  );
  Object.assign(options, { 'grpc.use_local_subchannel_pool': 1 });
}

/** The SDK starts the command line twice for the outputs and once for the history after each run; no test looks at them there. */
function withoutBookkeeping(stack: Stack): void {
  stack.outputs = async () => ({});
  stack.info = async () => undefined;
}

/** Returns the errors that the engine printed, without colours. */
function listErrors(events: readonly EngineEvent[]): string {
  return events
    .flatMap(({ diagnosticEvent: told }) => (told?.severity === 'error' ? [told.message] : []))
    .map((message) => message.replace(/<\{%.*?%\}>/gu, '').trim())
    .filter((message) => message !== 'update failed' && message !== 'preview failed')
    .join('\n');
}

/** Where a run tells what happens and what it prints. */
type Told = Pick<Required<UpOptions>, 'onEvent' | 'onOutput' | 'onError'>;

export async function ran(work: (told: Told) => Promise<unknown>, runsProgram = false): Promise<Ran> {
  const events: EngineEvent[] = [];
  let output = '';
  let failure: string | undefined;
  const onOutput = (text: string) => {
    output += text;
  };
  try {
    await work({ onEvent: (event) => events.push(event), onOutput, onError: onOutput });
  } catch (error) {
    failure = listErrors(events) || (error instanceof Error ? error.message : String(error));
  }
  // The SDK calls a run whose connection to the engine broke a success; what follows would be judged by nothing.
  const stack = events.some((event) => event.resourcePreEvent?.metadata.type === 'pulumi:pulumi:Stack');
  assert.ok(
    !runsProgram || failure !== undefined || stack,
    `the program reached no engine, and the run says all went well:\n${output}`,
  );
  const steps: Record<string, number> = {};
  const changes: string[] = [];
  for (const { resourcePreEvent } of events) {
    const step = resourcePreEvent?.metadata;
    if (
      step === undefined ||
      step.type === 'pulumi:pulumi:Stack' ||
      step.type.startsWith('pulumi:providers:')
    ) {
      continue;
    }
    steps[step.op] = (steps[step.op] ?? 0) + 1;
    const fields = Object.keys(step.detailedDiff ?? {}).sort();
    const name = step.urn.slice(step.urn.lastIndexOf('::') + 2);
    if (step.op !== 'same') {
      changes.push(`${step.op} ${step.type.split(':').at(-1)} ${name} [${fields.join(', ')}]`);
    }
  }
  return { steps, changes, output, failure };
}
