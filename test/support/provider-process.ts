/** The SDK's real provider program, spoken to as the engine does, in a folder where packages are links. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from './pulumi-engine';

/** What the engine's calls look like from JavaScript; the SDK ships them without types. */
interface Message {
  toJavaScript(): Record<string, unknown>;
}
type Request = Record<string, (value: unknown) => void>;
type Call = (request: Request, done: (error: Error | null, answer: Answer) => void) => void;
interface Answer {
  getInputs(): Message;
  getFailuresList(): readonly { getProperty(): string; getReason(): string }[];
  getChanges(): number;
  getReplacesList(): readonly string[];
}

// Packages of the SDK, found from it: they are no dependencies of ours.
const fromSdk = createRequire(require.resolve('@pulumi/pulumi/package.json'));

/** Lays out a project folder whose packages are links, as pnpm does. */
export function linkedProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tether-project-'));
  mkdirSync(join(folder, 'node_modules', '@pulumi'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'tether-iac'));
  symlinkSync(join(root, 'node_modules/@pulumi/pulumi'), join(folder, 'node_modules/@pulumi/pulumi'));
  return folder;
}

export class ProviderProcess {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    private readonly client: Record<string, Call>,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ProviderProcess> {
    const folder = linkedProject();
    const script = require.resolve('@pulumi/pulumi/cmd/dynamic-provider');
    const child = spawn(process.execPath, [script, '127.0.0.1:1'], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const port = await new Promise<string>((resolve) => lines.once('line', resolve));
    const { credentials } = fromSdk('@grpc/grpc-js') as { credentials: { createInsecure(): unknown } };
    const { ResourceProviderClient } = fromSdk('./proto/provider_grpc_pb.js') as {
      ResourceProviderClient: new (address: string, credentials: unknown) => Record<string, Call>;
    };
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    return new ProviderProcess(folder, child, client);
  }

  async stop(): Promise<void> {
    (this.client as { close?: () => void }).close?.();
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill();
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  async configure(config: object): Promise<void> {
    await this.call('configure', 'ConfigureRequest', { setArgs: struct(config) });
  }

  async check(olds: object, news: object): Promise<{ inputs: object; failures: readonly string[] }> {
    const request = { setOlds: struct(olds), setNews: struct(news) };
    const answer = await this.call('check', 'CheckRequest', request);
    const failures = answer.getFailuresList().map((one) => `${one.getProperty()}|${one.getReason()}`);
    return { inputs: answer.getInputs().toJavaScript(), failures };
  }

  /** `changes` as the protocol counts them: 0 unknown, 1 none, 2 some. */
  async diff(
    id: string,
    olds: object,
    news: object,
  ): Promise<{ changes: number; replaces: readonly string[] }> {
    const request = { setId: id, setOlds: struct(olds), setNews: struct(news) };
    const answer = await this.call('diff', 'DiffRequest', request);
    return { changes: answer.getChanges(), replaces: answer.getReplacesList() };
  }

  private call(method: string, type: string, values: Readonly<Record<string, unknown>>): Promise<Answer> {
    const types = fromSdk('./proto/provider_pb.js') as Record<string, new () => Request>;
    const Type = types[type];
    if (Type === undefined) throw new Error(`the protocol has no ${type}`);
    const request = new Type();
    for (const [setter, value] of Object.entries(values)) request[setter]?.(value);
    return new Promise((resolve, reject) => {
      this.client[method]?.(request, (error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  }
}

function struct(value: object): unknown {
  const { Struct } = fromSdk('google-protobuf/google/protobuf/struct_pb.js') as {
    Struct: { fromJavaScript(value: object): unknown };
  };
  return Struct.fromJavaScript(value);
}
