/** From an empty folder to a printed plan: what is installed, and how long each takes. Installs from the registry, or from npm's cache. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../test/support/pulumi-engine';
import { World } from '../test/support/world';
import { measureNode } from './measure';
import { publish } from './size';
import { duration, printTable } from './table';
import { manifestOf, ring, seedOf } from './worlds';

/** Of all files below, in bytes. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? sizeOf(path) : statSync(path).size);
  }, 0);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tether-bench-'));
  const extent = { profile: 'default', workspaces: 20, pairs: ring(20, 5), clients: 0, projects: 0 } as const;
  const world = await World.start(seedOf(extent));
  try {
    const npm = (...args: readonly string[]) => execFileSync('npm', args, { cwd: folder, encoding: 'utf8' });
    const tarball = npm('pack', '--silent', '--ignore-scripts', '--pack-destination', folder, root).trim();
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const started = performance.now();
    npm('install', '--silent', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball));
    const installMs = performance.now() - started;
    const megabytes = sizeOf(join(folder, 'node_modules')) / 1e6;
    world.write('acme.tether.yaml', manifestOf(extent));
    const program = join(folder, 'node_modules/tether-iac/dist/cli/main.js');
    const { ms: planMs } = await measureNode([program, 'plan'], { cwd: world.folder, env: world.env });
    const figures = { megabytes, installMs, planMs };
    printTable('From an empty folder to a plan of 100 triggers, at the default rate', [
      ['', 'installed', 'npm install', 'tether plan'],
      ['', `${megabytes.toFixed(1)} MB`, duration(installMs), duration(planMs)],
    ]);
    publish('install', figures);
  } finally {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
