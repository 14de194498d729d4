/** The homes of a ledger on servers, each behind a faulty proxy: a stand-in for GitLab, and the real Gitea and MinIO where they are built. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { type LedgerPlace, parseLedgerPlace } from '../../manifest/ledger-place';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy';
import { root } from './pulumi-engine';
import { type Program, skipWithout } from './required';
import { startStateServer, stateLogin } from './state-server';

export interface RunningHome {
  readonly proxy: FaultyProxy;
  /** The value of `ledger:`. It leads through the proxy. */
  line(name: string): string;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the document without lock and serial. Null removes it. */
  replace(name: string, text: string | null): Promise<void>;
  /** True for a request that saves. */
  isSave(seen: { readonly method: string; readonly url: string }): boolean;
  /** True for a request that asks for the lock. */
  isLock(seen: { readonly method: string; readonly url: string }): boolean;
  close(): Promise<void>;
}

type Start = (context: Mocha.Context) => Promise<RunningHome>;

/** The servers of each form of `ledger:`. A new form does not compile without a server. */
const servers: Readonly<Record<LedgerPlace['home'], Readonly<Record<string, Start>>>> = {
  http: {
    gitlab: async () => {
      const server = await startStateServer();
      return stateHome(server.origin, '/api/v4/projects/7/terraform/state', stateLogin, server.close);
    },
    gitea: (context) => startGitea(builtServer('gitea', context)),
  },
  s3: { minio: (context) => startMinio(builtServer('minio', context)) },
};

const starts = new Map(Object.values(servers).flatMap((named) => Object.entries(named)));

export const homeNames = [...starts.keys()];

/** Skips if the server is not built. Call it in `before`. */
export async function startHome(name: string, context: Mocha.Context): Promise<RunningHome> {
  const start = starts.get(name);
  assert.ok(start, name);
  return start(context);
}

export function parsePlace(home: RunningHome, name: string): LedgerPlace {
  const place = parseLedgerPlace(home.line(name));
  assert.ok(typeof place !== 'string', String(place));
  return place;
}

/** Returns the folder of a built server. Skips without it. */
function builtServer(name: Program, context: Mocha.Context): string {
  const build = join(root, 'tools/servers/build');
  const folder = execFileSync(build, [name, '--where'], { encoding: 'utf8' }).trim();
  skipWithout(name, existsSync(join(folder, name)), context, `make ${name} builds it`);
  return folder;
}

async function stateHome(
  origin: string,
  path: string,
  { user, token }: typeof stateLogin,
  close: () => Promise<void>,
): Promise<RunningHome> {
  const proxy = await startFaultyProxy(origin);
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
  const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
  const send = async (method: string, name: string, body?: string) => {
    const response = await fetch(`${origin}${path}/${name}`, { method, headers, ...(body && { body }) });
    return { status: response.status, text: await response.text() };
  };
  return {
    proxy,
    line: (name) => `${proxy.origin}${path}/${name}`,
    env: { TETHER_LEDGER_CREDENTIALS: proxy.origin.replace('//', `//${user}:${token}@`) },
    replace: async (name, text) => {
      const probe = JSON.stringify({ ...makeLock('probe'), ID: 'probe' });
      const { status, text: held } = await send('POST', `${name}/lock`, probe);
      const lock = status === 200 ? probe : held;
      await send('DELETE', `${name}/lock`, lock);
      await send('DELETE', name);
      if (text !== null) assert.ok((await send('POST', name, text)).status < 300);
      if (status !== 200) await send('POST', `${name}/lock`, lock);
    },
    isSave: ({ method, url }) => method === 'POST' && url.includes('?ID='),
    isLock: ({ method, url }) => method === 'POST' && url.endsWith('/lock'),
    close: async () => {
      await proxy.close();
      await close();
    },
  };
}

function makeLock(who: string) {
  const since = '2026-01-01T00:00:00Z';
  return { Operation: 'test', Info: '', Who: who, Version: '', Created: since, Path: '' };
}

async function startGitea(built: string): Promise<RunningHome> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-gitea-'));
  const port = await freePort();
  const config = join(folder, 'app.ini');
  writeFileSync(
    config,
    `I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
RUN_USER = ${userInfo().username}
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
STATIC_ROOT_PATH = ${built}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[security]
INSTALL_LOCK = true
PASSWORD_HASH_ALGO = pbkdf2_v1
[log]
LEVEL = Error
`,
  );
  const env = { PATH: process.env.PATH, HOME: folder, GITEA_WORK_DIR: folder };
  const command = (...args: readonly string[]) =>
    execFileSync(join(built, 'gitea'), ['-c', config, ...args], { env, stdio: 'pipe' });
  command('migrate');
  const login = { user: 'tether', token: 'gitea-token-canary' };
  command(
    'admin',
    'user',
    'create',
    '--username',
    login.user,
    '--password',
    login.token,
    '--email',
    'tether@example.com',
    '--must-change-password=false',
  );
  const child = spawn(join(built, 'gitea'), ['-c', config, 'web'], { env, stdio: 'ignore' });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(`${origin}/api/healthz`);
  return stateHome(origin, `/api/packages/${login.user}/terraform/state`, login, () => stop(child, folder));
}

async function startMinio(built: string): Promise<RunningHome> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-minio-'));
  mkdirSync(join(folder, 'data'));
  const port = await freePort();
  const [user, secret] = ['minio-user', 'minio-secret-canary'];
  const env = { PATH: process.env.PATH, HOME: folder, MINIO_ROOT_USER: user, MINIO_ROOT_PASSWORD: secret };
  const args = ['server', '--quiet', '--address', `127.0.0.1:${port}`, join(folder, 'data')];
  const child = spawn(join(built, 'minio'), args, { env, stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilReady(`${endpoint}/minio/health/ready`);
  const credentials = { accessKeyId: user, secretAccessKey: secret };
  const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: 'ledgers' }));
  const proxy = await startFaultyProxy(endpoint);
  return {
    proxy,
    line: (name) => `s3://ledgers/tether/${name}.json`,
    env: { AWS_ENDPOINT_URL_S3: proxy.origin, AWS_ACCESS_KEY_ID: user, AWS_SECRET_ACCESS_KEY: secret },
    replace: async (name, text) => {
      const target = { Bucket: 'ledgers', Key: `tether/${name}.json` };
      if (text === null) await client.send(new DeleteObjectCommand(target));
      else await client.send(new PutObjectCommand({ ...target, Body: text }));
    },
    isSave: ({ method, url }) => method === 'PUT' && !url.includes('.lock'),
    isLock: ({ method, url }) => method === 'PUT' && url.includes('.lock'),
    close: async () => {
      client.destroy();
      await proxy.close();
      await stop(child, folder);
    },
  };
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => child.on('close', resolve));
  // A server that has ended by itself closes no second time.
  if (child.kill('SIGKILL')) await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** Resolves once the URL answers with 200. */
async function waitUntilReady(url: string): Promise<void> {
  for (let attempts = 0; attempts < 3000; attempts += 1) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never answered: ${url}`);
}

/** Returns a port below those that the system hands out, so that no other test gets it before the server listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
