/** The step of the life that exports the organization, keeps the suite's own part of it, and adopts that in a new folder. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { StepFailed } from './command-folder';
import { failure, type LifeStage, type Manifest, projectAliases, workspaceAliases } from './life-stage';

/** Above this number of workspaces, reading the triggers of each would take the rate of other programs. */
const maxWorkspaces = 200;

export async function adoptExport(stage: LifeStage): Promise<void> {
  const { settings, places, scope, manifest } = stage;
  const { clients } = await stage.expectService();
  const ownIds = new Set(clients.filter((client) => scope.ownsClient(client)).map(({ id }) => id));
  const oldFolder = stage.folder;
  stage.folder = stage.newFolder();
  const { workspaceCount } = places;
  const isLarge = workspaceCount === undefined || workspaceCount > maxWorkspaces;
  if (isLarge) stage.folder.env.TETHER_PROFILE = profileWithoutNames(stage);
  const run = await stage.folder.run('export', '--organization', settings.organization);
  stage.folder.env.TETHER_PROFILE = settings.profileName;
  const exported = parse(run.printed.manifest ?? '') as Partial<Manifest>;
  const before = { ...manifest, approved: [] };
  const hasTriggers = !isLarge && settings.profile.capabilities.lookupByName;
  const own = ownPart(stage, exported, ownIds);
  if (Object.keys(own.oauthClients).length !== ownIds.size) throw failure(run, 0, 'printed not all clients');
  if (hasTriggers && own.runTriggers.length !== manifest.runTriggers.length) {
    throw failure(run, 0, 'printed not all triggers');
  }
  Object.assign(manifest, own, hasTriggers ? {} : { runTriggers: before.runTriggers });
  stage.write();
  const planned = await stage.plan();
  const writes = planned.plan.steps.filter(({ action }) => action !== 'adopt');
  if (planned.code !== 0 || writes.length > 0) throw failure(planned, 0, 'would do more than adopt');
  const applied = await stage.apply();
  if (applied.code !== 0) throw failure(applied, 0);
  oldFolder.remove();
  await stage.expectService(before);
  await stage.expectNothing();
}

/** An export prints the whole organization, and only the suite's own part of it may be applied. */
function ownPart(stage: LifeStage, exported: Partial<Manifest>, ownIds: ReadonlySet<string>): Manifest {
  const entries = Object.entries(exported.oauthClients ?? {}).flatMap(([address, { projects, ...entry }]) => {
    if (!ownIds.has(entry.id ?? '')) return [];
    const aliases = projects?.map((written) => findAlias(stage, written) ?? refuse(written));
    return [[address, { ...entry, ...(aliases && { projects: aliases }) }] as const];
  });
  const runTriggers = (exported.runTriggers ?? []).flatMap((line) => {
    if (!('source' in line && 'target' in line)) return [];
    const [target, source] = [findAlias(stage, line.target), findAlias(stage, line.source)];
    return target === undefined || source === undefined ? [] : [{ target, source }];
  });
  return { oauthClients: Object.fromEntries(entries), projectAttachments: [], runTriggers, approved: [] };
}

/** Returns the alias of a place that an export writes by its name or its id. Undefined for a place of others. */
function findAlias({ places }: LifeStage, written: string): string | undefined {
  const ids = [...places.workspaceIds, ...places.projectIds];
  const index = ids.findIndex((id) => id === written || places.names.get(id) === written);
  return [...workspaceAliases, ...projectAliases][index];
}

function refuse(project: string): never {
  throw new StepFailed(`A client of the suite has the project ${project}, which is not the suite's.`);
}

/** Writes a copy of the profile that looks nothing up, so that `export` reads the clients alone. */
function profileWithoutNames({ settings, folder }: LifeStage): string {
  const { environment: _, ...profile } = settings.profile;
  const capabilities = { ...profile.capabilities, lookupByName: false };
  const file = join(folder.path, 'without-names.json');
  writeFileSync(file, JSON.stringify({ ...profile, capabilities }));
  return file;
}
