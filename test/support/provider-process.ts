/** A provider program in a process of its own, spoken to as the engine does, in a folder where packages are links. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ResourceProviderClient } from '@pulumi/pulumi/proto/provider_grpc_pb';
import { fromSdk, grpc } from '../../provider/plugin/wire';
import { root } from './pulumi-engine';

/** Lays out a project folder whose packages are links, as pnpm does. */
export function linkedProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tether-project-'));
  mkdirSync(join(folder, 'node_modules', '@pulumi'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'tether-iac'));
  symlinkSync(join(root, 'node_modules/@pulumi/pulumi'), join(folder, 'node_modules/@pulumi/pulumi'));
  return folder;
}

/** Our plugin as the engine starts it, as its language host does, or the SDK's provider of dynamic resources. */
const programs = {
  plugin: ['plugin/pulumi-resource-tether'],
  'plugin by the language host': ['node_modules/@pulumi/pulumi/cmd/run-plugin', 'plugin'],
  'dynamic provider': ['node_modules/@pulumi/pulumi/cmd/dynamic-provider'],
} as const;

const { Struct } = fromSdk('google-protobuf/google/protobuf/struct_pb') as {
  readonly Struct: { fromJavaScript(value: object): never };
};

/** The value as the protocol carries it. */
export function structOf(value: object): never {
  return Struct.fromJavaScript(value);
}

type Method = (request: object, done: (error: Error | null, answer: never) => void) => unknown;

export class ProviderProcess {
  private constructor(
    private readonly folder: string,
    private readonly child: ChildProcess,
    private readonly client: ResourceProviderClient,
  ) {}

  /** `engine`: the address that it is given. */
  static async start(
    which: keyof typeof programs,
    { env = {}, engine }: { readonly env?: Readonly<Record<string, string>>; readonly engine?: string } = {},
  ): Promise<ProviderProcess> {
    const folder = linkedProject();
    const [script, ...args] = programs[which].map((path) => join(root, path));
    const child = spawn(
      process.execPath,
      [script ?? '', ...args, ...(engine === undefined ? [] : [engine])],
      {
        cwd: folder,
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const [port] = (await once(lines, 'line')) as [string];
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    return new ProviderProcess(folder, child, client);
  }

  /** Calls a method; rejects with what the engine would show. */
  call<Answer>(method: string, request: object): Promise<Answer> {
    const send = Reflect.get(this.client, method) as Method;
    return new Promise((resolve, reject) => {
      send.call(this.client, request, (error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  }

  /** Resolves once it ended by itself. */
  async ended(): Promise<number | null> {
    return this.child.exitCode ?? ((await once(this.child, 'exit')) as [number | null])[0];
  }

  async stop(): Promise<void> {
    this.client.close();
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill();
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
