/** A project folder whose packages are links, as pnpm lays them out. */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './pulumi-engine';

/** Makes a folder, or adds the packages to this one. */
export function linkedProject(folder = mkdtempSync(join(tmpdir(), 'tether-project-'))): string {
  mkdirSync(join(folder, 'node_modules', '@pulumi'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'tether-iac'));
  symlinkSync(join(root, 'node_modules/@pulumi/pulumi'), join(folder, 'node_modules/@pulumi/pulumi'));
  return folder;
}
