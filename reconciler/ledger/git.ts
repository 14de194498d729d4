/** Calls of git that cannot prompt, have a time limit, and show no credentials. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { unescape as decode } from 'node:querystring';
import { buffer, text } from 'node:stream/consumers';
import { plainLines } from '../../client/text';
import { unlessItFails } from '../../resources/plain-file';
import { LedgerError, ledgerFileName } from './disk';

export const branchName = 'tether-ledger';

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  /** Of the program, with its PATH and what git reads. */
  readonly env: Environment;
  /** For one call; default 60 s. */
  readonly timeoutMs?: number;
  /** The ledger lies on the branch `tether-ledger` of `origin`; else git is only asked whether one does too. */
  readonly holdsLedger: boolean;
}

export type Git = ReturnType<typeof gitIn>;

/** `git` in one folder, with `settings` beside the environment of the program. Arguments never hold a secret. */
export function gitIn(folder: string, options: GitOptions, settings: Environment = {}) {
  const { timeoutMs = 60_000 } = options;
  const env = { ...quiet(options.env), ...settings };
  /** What it prints. Throws `LedgerError` when it fails or has no end in time, and the signal's reason. */
  async function run(args: readonly string[], input = '', signal?: AbortSignal): Promise<Buffer> {
    const late = AbortSignal.timeout(timeoutMs);
    const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
    stop.throwIfAborted();
    // A session of its own: no terminal to prompt at, no Ctrl-C in the midst of a push, and one kill for all its processes.
    const child = spawn('git', args, { cwd: folder, env, detached: true });
    // It may end without having read all.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const output = Promise.all([buffer(child.stdout), text(child.stderr)]);
    const [code] = await once(child, 'close', { signal: stop }).catch((error: unknown) => {
      if (!stop.aborted) throw failure(args, `it could not be started (${String(error)})`);
      unlessItFails(() => process.kill(-Number(child.pid), 'SIGKILL'));
      throw late.aborted ? failure(args, `no answer within ${timeoutMs / 1000} s`) : stop.reason;
    });
    const [stdout, stderr] = await output;
    if (code !== 0) throw failure(args, stderr);
    return stdout;
  }
  const lines = async (...args: readonly string[]) => (await run(args)).toString().split('\n').slice(0, -1);
  return { run, lines };
}

function failure([command]: readonly string[], output: string) {
  const withoutUser = output.replaceAll(/\/\/[^/\s]*@/g, '//');
  const last = plainLines(withoutUser).trim().split('\n').slice(-8).join('\n');
  const remedy = 'Check the remote, the credentials of git, and the network.';
  return new LedgerError('inaccessible', branchName, `git ${command}: ${last || 'no reason given'}.`, remedy);
}

/** Without what points git at another repository, traces, or asks. */
function quiet(env: Environment): Environment {
  const others = /^(?:TETHER_|GIT_(?!SSH|SSL|CONFIG_(?!PARAMETERS)|PROXY|EXEC_PATH))/;
  const kept = Object.entries(env).filter(([name]) => !others.test(name));
  const never = { GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', SSH_ASKPASS: '', SSH_ASKPASS_REQUIRE: 'never' };
  return { ...Object.fromEntries(kept), ...never, GCM_INTERACTIVE: 'never', LC_ALL: 'C' };
}

const transport = '^(https?|credential|ssh|protocol)\\.|^core\\.(sshcommand|gitproxy)$';

/** In a bare repository of its own, with the transport settings of the checkout and its remote's address as `ledger`. */
export async function gitBeside(checkout: Git, format: string, options: GitOptions) {
  const [url = ''] = await checkout.lines('remote', 'get-url', '--push', 'origin');
  const printed = await checkout.run(['config', '-z', '--get-regexp', transport]).catch(() => '');
  const settings = [...printed.toString().matchAll(/([^\0\n]+)(?:\n([^\0]*))?\0/g)].map(
    ([, key = '', value = 'true']) => [key, value],
  );
  const place = /^https?:/i.test(url) && URL.canParse(url) ? new URL(url) : null;
  if (place?.username || place?.password) {
    // A URL is an argument of git's helpers, and its user alone may be a token too.
    const [user, password] = [decode(place.username), decode(place.password)];
    const header = `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const asked = `credential.${place.origin}`;
    if (password !== '') settings.push([`http.${place.origin}/.extraheader`, header]);
    // Last of the helpers: without a password from another one, there is none.
    else settings.push([`${asked}.username`, user], [`${asked}.helper`, '!f() { echo password=; }; f']);
    Object.assign(place, { username: '', password: '' });
  }
  // Nothing in it outlives the process.
  settings.push(
    ['remote.ledger.url', place?.href ?? url],
    ['maintenance.auto', 'false'],
    ['core.fsync', 'none'],
  );
  const variables = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const folder = temporaryFolder();
  const remote = gitIn(folder, options, {
    ...Object.fromEntries(variables),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: folder,
  });
  await remote.run(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`]);
  return remote;
}

let temporaries: string | undefined;

/** Removed with all others when the process ends, however that is. */
function temporaryFolder() {
  if (temporaries === undefined) {
    const root = mkdtempSync(join(tmpdir(), 'tether-git-'));
    process.on('exit', () => rmSync(root, { recursive: true, force: true }));
    temporaries = root;
  }
  return mkdtempSync(join(temporaries, 'repository-'));
}

/** Whether this clone knows of a ledger for the folder on the branch. The remote is not asked. */
export async function isKnownOnBranch(folder: string, options: GitOptions) {
  const known = `refs/remotes/origin/${branchName}:./${ledgerFileName}`;
  const asked = gitIn(folder, options).run(['rev-parse', '--verify', '--quiet', known]);
  // Without git, or outside of a repository, there is no branch either.
  return (await asked.catch(() => null)) !== null;
}
