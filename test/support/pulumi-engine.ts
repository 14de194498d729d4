/** Finds the Pulumi command line that `tools/pulumi/build` made, and reports if it is missing. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { skipWithout } from './required';
import { compileCache } from './run-process';

/** The project's root. */
export const root = resolve(__dirname, '../../..');

/** The version that tools/pulumi/go.mod names. */
function engineVersion(): string {
  const text = readFileSync(join(root, 'tools/pulumi/go.mod'), 'utf8');
  return /github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/u.exec(text)?.[1] ?? '';
}

/** The folder in which `bin/pulumi` lies, whether it was built or not. */
export function engineFolder(): string {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'tether', `pulumi-${engineVersion()}`);
}

/** Variables of every Pulumi process of a test, its providers included. */
export const engineEnv: Readonly<Record<string, string>> = {
  PULUMI_CONFIG_PASSPHRASE: 'not a secret',
  PULUMI_SKIP_UPDATE_CHECK: 'true',
  NODE_COMPILE_CACHE: compileCache,
  // An engine lives for a second: it ends before collecting what it leaves would pay.
  GOGC: '1000',
};

/** Skips the suite if there is no engine. Call it in `before`. */
export function needEngine(context: Mocha.Context): void {
  const isThere = existsSync(join(engineFolder(), 'bin', 'pulumi'));
  skipWithout('pulumi', isThere, context, 'make pulumi-engine builds it');
}
