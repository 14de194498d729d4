/**
 * The fixture that every step of `life.ts` gets: the manifest and its folder, the commands that apply it, and the comparison of the service
 * with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { CommandFolder, type CommandRun, type Printed, StepFailed, type Tether } from './command-folder';
import type { Places } from './places';
import type { Requests } from './requests';
import { countLosses, type OwnName, type Scope } from './scope';
import { Refused, type Settings, type Vcs } from './settings';
import { type SeenClient, type Sight, seeAll } from './sight';

export interface ClientEntry {
  id?: string;
  name: OwnName;
  serviceProvider: string;
  httpUrl: string;
  apiUrl: string;
  oauthTokenString?: { fromEnv: string };
  secret?: { fromEnv: string };
  key?: string;
  rsaPublicKey?: string;
  organizationScoped: boolean;
  agentPool?: string | null;
  /** Exactly these. */
  projects?: readonly string[];
}

export type TriggerLine =
  | { target: string; source: string }
  | { target: string; sources: readonly string[] }
  | { source: string; targets: readonly string[] };

/** The part of the manifest that the steps change. */
export interface Manifest {
  oauthClients: Record<string, ClientEntry>;
  projectAttachments: { oauthClient: string; project: string }[];
  runTriggers: TriggerLine[];
  approved: ({ destroy: string; id: string } | { replace: string; id: string })[];
}

/** The aliases of the places, in their order. */
export const workspaceAliases: readonly string[] = ['first', 'second', 'third'];
export const projectAliases: readonly string[] = ['a', 'b'];
export const tokenVariable = 'ACCEPTANCE_VCS_TOKEN';
export const secretVariable = 'ACCEPTANCE_VCS_SECRET';

/** The service may show a change late. The suite looks again until then. */
const patienceMs = { loopback: 10_000, elsewhere: 60_000 };
const pauseMs = { loopback: 20, elsewhere: 1000 };

export interface StageOptions {
  readonly settings: Settings;
  readonly vcs: Vcs;
  readonly places: Places;
  readonly scope: Scope;
  readonly requests: Requests;
  readonly tether: Tether;
}

export class LifeStage {
  readonly settings: Settings;
  readonly vcs: Vcs;
  readonly places: Places;
  readonly scope: Scope;
  readonly requests: Requests;
  readonly manifest: Manifest;
  folder: CommandFolder;

  constructor(private readonly options: StageOptions) {
    const { settings, vcs, places, scope, requests } = options;
    this.settings = settings;
    this.vcs = vcs;
    this.places = places;
    this.scope = scope;
    this.requests = requests;
    const client = (end: string): ClientEntry => ({
      name: `${scope.prefix}${end}`,
      serviceProvider: vcs.serviceProvider,
      httpUrl: vcs.httpUrl,
      apiUrl: vcs.apiUrl,
      oauthTokenString: { fromEnv: tokenVariable },
      organizationScoped: false,
    });
    this.manifest = {
      oauthClients: { attached: client('attached'), listed: { ...client('listed'), projects: ['a'] } },
      projectAttachments: [{ oauthClient: 'attached', project: 'a' }],
      runTriggers: [{ target: 'second', source: 'first' }],
      approved: [],
    };
    this.folder = this.newFolder();
  }

  /** Returns an empty folder with the environment of the suite's commands. */
  newFolder(): CommandFolder {
    const { settings, vcs, tether } = this.options;
    return new CommandFolder(tether, {
      ...settings.passed,
      TETHER_ADDRESS: settings.address,
      TETHER_TOKEN: settings.token,
      TETHER_PROFILE: settings.profileName,
      [tokenVariable]: vcs.token,
      [secretVariable]: 'tether-acceptance-secret',
    });
  }

  see(): Promise<Sight> {
    return seeAll(this.requests, this.settings, this.places);
  }

  /** Writes the manifest, with aliases for the places. */
  write(): void {
    const { workspaceIds, projectIds, agentPoolId } = this.places;
    const aliases = {
      workspaces: Object.fromEntries(workspaceAliases.map((name, index) => [name, workspaceIds[index]])),
      projects: Object.fromEntries(projectAliases.map((name, index) => [name, projectIds[index]])),
      ...(agentPoolId && { agentPools: { pool: agentPoolId } }),
    };
    this.writeWith({ aliases });
  }

  /** Writes the manifest with this in place of the aliases. */
  writeWith(head: object, manifest: object = this.manifest): void {
    const { organization } = this.settings;
    this.folder.write({ apiVersion: 'tether/v1', organization, ...head, ...manifest });
  }

  /** Plans. Throws `Refused` if the ledger or the plan has an object that is not the suite's own. */
  async plan(): Promise<CommandRun & { readonly plan: NonNullable<Printed['plan']> }> {
    const run = await this.folder.run('plan');
    // Somebody may have changed an object before the plan saw it, so the look comes after it.
    await this.#refuseForeignLedger();
    return { ...run, plan: this.#ownPlan(run) };
  }

  /** Applies the plan that was just checked, and no other. */
  async apply(): Promise<CommandRun> {
    const { plan, printed } = await this.plan();
    const losses = String(countLosses(plan.steps));
    const reviewed = ['--yes', '--expect', printed.digest ?? '', '--max-deletes', losses];
    return this.folder.run('apply', ...reviewed);
  }

  /** Applies the manifest, looks at the service, and expects that planning again finds nothing. */
  async settle(): Promise<void> {
    if ((await this.tryToSettle()) === 'refused') throw new StepFailed('The service refused a step.');
  }

  /** Like `settle`, but returns it if the service refused a step, or if there was nothing to do. */
  async tryToSettle(): Promise<'done' | 'refused' | 'nothing'> {
    this.write();
    const run = await this.apply();
    const steps = run.printed.result?.steps ?? [];
    if (run.code !== 0) {
      const failed = steps.filter(({ status }) => status === 'failed');
      const refusals = ['invalid', 'conflict', 'forbidden'];
      if (failed.length > 0 && failed.every(({ code = '' }) => refusals.includes(code))) return 'refused';
      throw failure(run, 0);
    }
    await this.expectService();
    await this.expectNothing();
    return steps.length > 0 ? 'done' : 'nothing';
  }

  async expectNothing(): Promise<void> {
    const run = await this.plan();
    const { steps, problems, unknown, blockers } = run.plan;
    const all = [steps, problems, unknown, blockers].flat().length;
    if (run.code !== 0 || all > 0) throw failure(run, 0, 'found something to do after an apply');
  }

  /** Expects that the service has what the manifest says, and nothing else of the suite. */
  async expectService(manifest: Manifest = this.manifest): Promise<Sight> {
    return this.waitForSight((sight) => {
      const expected = expectedFacts(manifest, this.places);
      return isDeepStrictEqual(shownFacts(sight, expected), expected);
    });
  }

  /** Looks until the condition holds. Throws when it does not within the suite's patience. */
  async waitForSight(condition: (sight: Sight) => boolean): Promise<Sight> {
    const place = this.settings.isLoopback ? 'loopback' : 'elsewhere';
    const end = Date.now() + patienceMs[place];
    for (;;) {
      const sight = await this.see();
      this.scope.note(sight.allClients);
      if (condition(sight)) return sight;
      if (Date.now() > end) throw new StepFailed('The service does not have what the step should leave.');
      await sleep(pauseMs[place]);
    }
  }

  /** Deletes all that the folder's ledger has, after a look at the plan that was blocked before. */
  async destroy(): Promise<CommandRun> {
    await this.#refuseForeignLedger();
    const clients = Object.entries(this.folder.ledger()?.objects ?? {}).flatMap(([key, { id }]) =>
      key.startsWith('OAuthClient/') && id !== undefined ? [{ destroy: key, id }] : [],
    );
    if (clients.length === 0) throw new StepFailed('The ledger has no client before destroy.');
    this.manifest.approved = [];
    this.write();
    // A client without its approval stops `destroy` before its first write, so this only shows the plan.
    const blocked = await this.folder.run('destroy', '--max-deletes', '0', '--yes');
    if (blocked.printed.outcome !== 'blocked') throw failure(blocked, 1, 'was not blocked by approvals');
    const losses = countLosses(this.#ownPlan(blocked).steps);
    this.manifest.approved = clients;
    this.write();
    await this.#refuseForeignLedger();
    return this.folder.run('destroy', '--max-deletes', String(losses), '--yes');
  }

  async #refuseForeignLedger(): Promise<void> {
    const ledger = this.folder.ledger();
    if (ledger === undefined) return;
    this.scope.note((await this.see()).allClients);
    const foreign = this.scope.foreignInLedger(ledger);
    if (foreign.length > 0) throw new Refused(foreign);
  }

  #ownPlan(run: CommandRun): NonNullable<Printed['plan']> {
    const { plan } = run.printed;
    if (plan === undefined) throw failure(run, 0, 'printed no plan');
    const foreign = this.scope.foreignInPlan(plan.steps);
    if (foreign.length > 0) throw new Refused(foreign);
    return plan;
  }
}

export function failure(
  { command, code, stderr, printed }: CommandRun,
  expected: number,
  what = '',
): StepFailed {
  const steps = printed.plan?.steps.map(
    ({ action, key, reason }) => `${action} ${key.join('/')} (${reason})`,
  );
  const details = JSON.stringify({ ...printed, plan: undefined, steps, problems: printed.plan?.problems });
  const wrong = what === '' ? `ended with ${code} in place of ${expected}` : what;
  return new StepFailed(`${command} ${wrong}.\n${stderr}${details}`);
}

interface Shown {
  readonly clients: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly triggers: readonly string[];
}

/** Returns what the service should show for a manifest. */
function expectedFacts(manifest: Manifest, places: Places): Shown {
  const workspaceId = (alias: string) => places.workspaceIds[workspaceAliases.indexOf(alias)];
  const projectId = (alias: string) => places.projectIds[projectAliases.indexOf(alias)];
  const entries = Object.entries(manifest.oauthClients).map(([address, entry]) => {
    const attached = manifest.projectAttachments.filter(({ oauthClient }) => oauthClient === address);
    const projects = entry.projects ?? attached.map(({ project }) => project);
    const facts = {
      'service-provider': entry.serviceProvider,
      'http-url': entry.httpUrl,
      'api-url': entry.apiUrl,
      'organization-scoped': entry.organizationScoped,
      ...(entry.key !== undefined && { key: entry.key }),
      ...(entry.rsaPublicKey !== undefined && { 'rsa-public-key': entry.rsaPublicKey }),
      projects: projects.map(projectId).sort(),
      ...('agentPool' in entry && { pool: entry.agentPool ? places.agentPoolId : undefined }),
    };
    return [entry.name, facts] as const;
  });
  const pairs = manifest.runTriggers.flatMap((line) => {
    if ('targets' in line) return line.targets.map((target) => [target, line.source] as const);
    const sources = 'sources' in line ? line.sources : [line.source];
    return sources.map((source) => [line.target, source] as const);
  });
  const triggers = pairs.map(([target, source]) => `${workspaceId(target)} ${workspaceId(source)}`).sort();
  return { clients: Object.fromEntries(entries), triggers };
}

/**
 * Returns what the service shows, in the form of `expectedFacts`: the expected members of each client. A client or trigger that nothing expects
 * is in it too, so that the comparison fails.
 */
function shownFacts({ clients, triggers }: Sight, expected: Shown): Shown {
  const shown = clients.map((client) => [
    client.name,
    readFacts(client, expected.clients[client.name] ?? {}),
  ]);
  return {
    clients: Object.fromEntries(shown),
    triggers: triggers.map(({ workspaceId, sourceableId }) => `${workspaceId} ${sourceableId}`).sort(),
  };
}

function readFacts(client: SeenClient, expected: Readonly<Record<string, unknown>>) {
  const values = Object.keys(expected).map((name) => {
    if (name === 'projects') return [name, [...client.projectIds].sort()];
    if (name === 'pool') return [name, client.agentPoolId];
    return [name, client.attributes[name]];
  });
  return Object.fromEntries(values);
}
