/** A bare repository behind HTTP with Basic auth, as hosts of git have it: git's own backend, with faults where a test wants them. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The four requests of git: what is there and its objects, and the same for a push. */
export type GitRequest = 'refs' | 'fetch' | 'push refs' | 'push';

/** `lost`: done, and the answer never arrives. `gone`: not done, the connection breaks. `silent`: not done, and no answer ever. */
export type GitFault = 'lost' | 'gone' | 'silent';

export const gitToken = 'canary-git-token';

/** Git in tests: nothing of this machine's settings. */
export const gitEnv = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'ada',
  GIT_AUTHOR_EMAIL: 'ada@acme.example',
  GIT_COMMITTER_NAME: 'ada',
  GIT_COMMITTER_EMAIL: 'ada@acme.example',
};

export class GitRemote {
  readonly folder = mkdtempSync(join(tmpdir(), 'tether-remote-'));
  /** The repository itself. */
  readonly bare = join(this.folder, 'origin.git');
  readonly #server: http.Server;
  #clones = 0;
  /** Name and password that it wants. */
  credentials = `ada:${gitToken}`;
  /** In the order of arrival. */
  readonly requests: GitRequest[] = [];
  /** Called when a request arrives; what it returns happens to it. */
  onRequest: (request: GitRequest) => Promise<GitFault | undefined> | GitFault | undefined = () => undefined;

  private constructor() {
    this.#server = http.createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', this.bare], { env: gitEnv });
    this.git('config', 'core.fsync', 'none');
  }

  static async start(): Promise<GitRemote> {
    const remote = new GitRemote();
    await new Promise<void>((resolve) => remote.#server.listen(0, '127.0.0.1', resolve));
    return remote;
  }

  /** With name and password in it, as CI systems write it. */
  get url(): string {
    return this.plainUrl.replace('//', `//ada:${gitToken}@`);
  }

  get plainUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/origin.git`;
  }

  /** What git prints in the bare repository. */
  git(...args: readonly string[]): string {
    return execFileSync('git', args, {
      cwd: this.bare,
      env: gitEnv,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  }

  /** A file of the ledger's branch. */
  read(path: string): string {
    return this.git('show', `tether-ledger:${path}`);
  }

  /** How many commits the ledger's branch has. */
  get commits(): number {
    return this.git('for-each-ref', 'refs/heads/tether-ledger') === ''
      ? 0
      : Number(this.git('rev-list', '--count', 'tether-ledger'));
  }

  /** A hook of the host: it gets `<old> <new> <ref>` lines. */
  hook(script: string): void {
    mkdirSync(join(this.bare, 'hooks'), { recursive: true });
    const file = join(this.bare, 'hooks', 'pre-receive');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  /** A checkout with one commit on main, which the remote has too. */
  async clone(...options: readonly string[]): Promise<string> {
    this.#clones += 1;
    const folder = join(this.folder, `clone-${this.#clones}`);
    if (this.git('for-each-ref', 'refs/heads/main') === '') {
      const first = this.git('commit-tree', '-m', 'First', this.git('mktree'));
      this.git('update-ref', 'refs/heads/main', first);
    }
    const args = ['clone', '--quiet', ...options, this.url, folder];
    await promisify(execFile)('git', args, { env: gitEnv });
    this.requests.length = 0;
    return folder;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams, search } = new URL(request.url ?? '', 'http://host');
    const wanted = `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    if (request.headers.authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const isPush = pathname.endsWith('receive-pack') || searchParams.get('service') === 'git-receive-pack';
    const isRefs = pathname.endsWith('/info/refs');
    const name = isRefs ? (isPush ? 'push refs' : 'refs') : isPush ? 'push' : 'fetch';
    this.requests.push(name);
    const fault = await this.onRequest(name);
    if (fault === 'silent') return;
    if (fault === 'gone') {
      response.destroy();
      return;
    }
    const backend = spawn('git', ['http-backend'], {
      env: {
        ...gitEnv,
        GIT_PROJECT_ROOT: this.folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? '',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'ada',
        REMOTE_ADDR: '127.0.0.1',
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => {});
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => backend.on('close', resolve));
    if (fault === 'lost') {
      // A gateway that lost it: after a broken connection curl would send the request again by itself.
      response.writeHead(502).end();
      return;
    }
    const output = Buffer.concat(chunks);
    const end = output.indexOf('\r\n\r\n');
    const headers = output
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = Number(headers.find(([header]) => header === 'Status')?.[1].slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(headers.filter(([header]) => header !== 'Status')));
    response.end(output.subarray(end + 4));
  }
}
