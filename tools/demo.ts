/** `make demo`: runs real commands through the life of an organization on the embedded service. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parse } from 'yaml';
import { ledgerFileName } from '../manifest/ledger-place';
import { type Stage, say, tether } from './demo/command';
import { meddle, type Workspaces } from './demo/meddle';
import { serve } from './demo/serving';

const root = resolve(__dirname, '../..');
const example = join(root, 'examples/gitops');
const token = 'acme-example-token';
const secretNames = [
  'CLOUD_GIT_TOKEN',
  'ENTERPRISE_GIT_TOKEN',
  'AGENCY_GIT_TOKEN',
  'ARCHIVE_GIT_TOKEN',
  'ARCHIVE_SSH_KEY',
];

/** The environment of the demo without the settings of Tether that somebody has exported. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:TETHER|TFE)_/u.test(name)),
);

/** Returns the environment of the demo's commands. */
function environment(url: string): NodeJS.ProcessEnv {
  return {
    ...inherited,
    ...Object.fromEntries(secretNames.map((name) => [name, `example-value-of-${name.toLowerCase()}`])),
    TETHER_ADDRESS: url,
    TETHER_TOKEN: token,
  };
}

async function story(stage: Stage, url: string): Promise<void> {
  say('4 connections, 12 attachments and 60 run triggers, as files. Are they right?');
  await tether(stage, 0, 'validate');
  say('What would change?');
  await tether(stage, 0, 'plan');
  await tether(stage, 0, 'apply', '--yes');
  say('The same plan again: nothing to do.');
  await tether(stage, 0, 'plan');
  const { aliases } = parse(readFileSync(join(stage.folder, 'aliases.tether.yaml'), 'utf8')) as {
    aliases: { workspaces: Workspaces };
  };
  await meddle(url, token, aliases.workspaces);
  say('Drift is found, with exit code 2 …');
  await tether(stage, 2, 'drift');
  say('… repaired …');
  await tether(stage, 0, 'apply', '--yes');
  say('… and gone.');
  await tether(stage, 0, 'drift');
}

async function demo(): Promise<void> {
  const started = Date.now();
  // The manifests are copied, so that the ledger is not written into the source tree.
  const folder = mkdtempSync(join(tmpdir(), 'tether-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(example, folder, {
    recursive: true,
    filter: (path) => !basename(path).startsWith(ledgerFileName),
  });
  const serving = serve(relative(process.cwd(), join(example, 'seed.yaml')), inherited);
  const interrupted = (): void => {
    const leave = (): never => process.exit(130);
    serving.end().then(leave, leave);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const url = await serving.url;
    await story({ folder, env: environment(url) }, url);
  } finally {
    await serving.end();
  }
  const seconds = Math.round((Date.now() - started) / 1000);
  say(`Done in ${seconds} s. The manifests are in examples/gitops, and nothing is left running.`);
}

demo().catch((error: unknown) => {
  process.stderr.write(`\nthe demo stopped: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
