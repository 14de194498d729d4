/** Taking over an organization in tests: what is there, and an export that is held to its promises. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SeedObject } from '../../service';
import { acme, bareHead, type World } from './world';

type Organization = NonNullable<NonNullable<SeedObject['organizations']>[string]>;

/** What every client of a seed has. */
export const made = {
  serviceProvider: 'provider_a',
  httpUrl: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
};

/** acme whose workspaces have names, and more. */
export function acmeWith(more: Organization, tokens: SeedObject['tokens'] = {}): SeedObject {
  const names = ['network', 'dns', 'app', 'jobs', 'web', 'docs'];
  const workspaces = Object.fromEntries(names.map((name) => [`ws-${name}`, { name }]));
  return {
    organizations: { acme: { ...acme.organizations?.acme, workspaces, ...more } },
    tokens: { ...acme.tokens, ...tokens },
  };
}

/** `a>b`: runs of a create runs in b. */
export function triggers(...arrows: string[]): NonNullable<Organization['runTriggers']> {
  return Object.fromEntries(
    arrows.map((arrow, index) => {
      const [source = '', target = ''] = arrow.split('>');
      return [`rt-${index + 1}`, { workspace: `ws-${target}`, sourceable: `ws-${source}` }];
    }),
  );
}

/** A manifest that names one workspace and nothing else. */
export const seeded = `${bareHead}aliases:\n  workspaces: { app: ws-app }\n`;

export const command = ['export', '--organization', 'acme'];

/** Of the folder, by name; not of those below. */
export function filesThere(world: World): Record<string, string> {
  return Object.fromEntries(
    readdirSync(world.folder)
      .filter((file) => statSync(join(world.folder, file)).isFile())
      .map((file) => [file, world.read(file)]),
  );
}

/** Exports with this exit code: manifests stay as they are, a plan finds nothing, a second export writes nothing. */
export async function exported(
  world: World,
  code: number,
  env: Record<string, string> = {},
  args: readonly string[] = command,
): Promise<string> {
  const before = filesThere(world);
  const { stdout } = await world.expect(code, args, { env });
  const after = filesThere(world);
  for (const [file, text] of Object.entries(before)) {
    if (!file.startsWith('tether.ledger.json')) assert.equal(after[file], text);
  }
  const planned = await world.expect(0, ['plan'], { env });
  assert.match(planned.stdout, /^No changes\./m);
  await world.expect(code, args, { env });
  assert.deepEqual(filesThere(world), after, 'a second run writes nothing');
  assert.deepEqual(world.writes(), [], 'only GET was sent');
  return stdout;
}
