/** Pulumi's language host for Node, as far as tests need it: it runs programs with the SDK's own runner. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

interface RunRequest {
  getPwd(): string;
  getProject(): string;
  getStack(): string;
  getOrganization(): string;
  getMonitorAddress(): string;
  getParallel(): number;
  getDryrun(): boolean;
  getConfigMap(): { entries(): Iterable<readonly [string, string]> };
  getConfigsecretkeysList(): readonly string[];
  getInfo(): { getRootDirectory(): string; getEntryPoint(): string };
}
type Answer = Readonly<Record<string, (value?: unknown) => unknown>>;
type Handler = (
  call: { readonly request: RunRequest },
  done: (error: Error | null, answer?: Answer) => void,
) => void;
interface Server {
  addService(service: unknown, handlers: Readonly<Record<string, Handler>>): void;
  bindAsync(address: string, credentials: unknown, bound: (error: Error | null, port: number) => void): void;
}

// The SDK ships its protocol without types.
const fromSdk = createRequire(require.resolve('@pulumi/pulumi/package.json'));
const { Server, ServerCredentials } = fromSdk('@grpc/grpc-js') as {
  Server: new () => Server;
  ServerCredentials: { createInsecure(): unknown };
};
const services = fromSdk('./proto/language_grpc_pb.js') as Record<string, unknown>;
const messages = {
  ...(fromSdk('./proto/language_pb.js') as Record<string, new () => Answer>),
  ...(fromSdk('./proto/plugin_pb.js') as Record<string, new () => Answer>),
};
const engine = process.argv.at(-1) ?? '';

/** What the runner ends with when it has told the user what is wrong. */
const alreadyTold = 32;

function message(type: string): Answer {
  const Type = messages[type];
  if (Type === undefined) throw new Error(`the protocol has no ${type}`);
  return new Type();
}

const run: Handler = ({ request }, done) => {
  const fromProgram = createRequire(`${request.getPwd()}/`);
  const flags = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    stack: request.getStack(),
    pwd: request.getPwd(),
    'root-directory': request.getInfo().getRootDirectory(),
    parallel: String(request.getParallel()),
  };
  const child = spawn(
    process.execPath,
    [
      fromProgram.resolve('@pulumi/pulumi/cmd/run'),
      ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
      ...(request.getDryrun() ? ['--dry-run'] : []),
      request.getInfo().getEntryPoint() || '.',
    ],
    {
      cwd: request.getPwd(),
      stdio: ['ignore', 'inherit', 'inherit'],
      env: {
        ...process.env,
        PULUMI_NODEJS_TYPESCRIPT: 'true',
        PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
        PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
      },
    },
  );
  child.on('exit', (code) => {
    const response = message('RunResponse');
    if (code === alreadyTold) response.setBail?.(true);
    else if (code !== 0) response.setError?.(`the program ended with ${code}`);
    done(null, response);
  });
};

const server = new Server();
server.addService(services.LanguageRuntimeService, {
  run,
  getPluginInfo: (_, done) => done(null, message('PluginInfo')),
  getRequiredPackages: (_, done) => done(null, message('GetRequiredPackagesResponse')),
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`${port}\n`);
});
