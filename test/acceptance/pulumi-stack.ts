/** A Pulumi stack of the suite: the manifest of a stage as a program of Tether's classes, on the real engine. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { LocalWorkspace, PulumiCommand, Stack } from '@pulumi/pulumi/automation';
import * as tether from '../../provider/pulumi';
import { keyServer } from '../support/key-server';
import { linkedProject } from '../support/linked-project';
import { engineEnv, engineFolder } from '../support/pulumi-engine';
import { ownConnections, type Ran, ran } from '../support/pulumi-world';
import { runProcess } from '../support/run-process';
import { StepFailed } from './command-folder';
import type { ClientEntry, LifeStage } from './life-stage';
import { projectAliases, secretVariable, tokenVariable, workspaceAliases } from './life-stage';
import { Refused } from './settings';

const stackName = 'acceptance';

/** A resource in the state, as far as the suite judges it. */
interface Recorded {
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
}

export class PulumiStack {
  /** The ids of clients to adopt, by their names in the program. */
  adoptIds: Readonly<Record<string, string>> = {};

  private constructor(
    readonly stage: LifeStage,
    private readonly stack: Stack,
    private readonly stateFile: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Makes an empty stack in the folder of the stage. */
  static async open(stage: LifeStage): Promise<PulumiStack> {
    ownConnections();
    const { settings, folder } = stage;
    const project = join(folder.path, 'project');
    const state = join(folder.path, 'state');
    mkdirSync(state);
    linkedProject(project);
    const env = {
      ...engineEnv,
      ...settings.passed,
      PULUMI_HOME: join(folder.path, 'home'),
      PULUMI_CONFIG_PASSPHRASE: randomBytes(16).toString('hex'),
      VAULT_TOKEN: 'none',
      ...(settings.isLoopback && { VAULT_ADDR: await keyServer() }),
      TETHER_ADDRESS: settings.address,
      TETHER_TOKEN: settings.token,
      TETHER_PROFILE: settings.profileName,
    };
    // A key from a passphrase takes the engine a million rounds. On loopback there is no secret to keep.
    const secretsProvider = settings.isLoopback ? 'hashivault://tests' : 'passphrase';
    const rate = settings.passed.TETHER_RATE;
    const reach: { stack?: PulumiStack } = {};
    const workspace = await LocalWorkspace.create({
      program: async () => reach.stack?.declare(),
      workDir: project,
      pulumiHome: env.PULUMI_HOME,
      pulumiCommand: await PulumiCommand.get({ root: engineFolder() }),
      envVars: env,
      secretsProvider,
      projectSettings: { name: 'acceptance', runtime: 'nodejs', backend: { url: `file://${state}` } },
      stackSettings: {
        [stackName]: { secretsProvider, config: rate === undefined ? {} : { 'tether:rate': rate } },
      },
    });
    const stack = await Stack.create(stackName, workspace);
    // The SDK would start the engine three more times after each run.
    stack.outputs = async () => ({});
    stack.info = async () => undefined;
    const stateFile = join(state, '.pulumi/stacks/acceptance', `${stackName}.json`);
    reach.stack = new PulumiStack(stage, stack, stateFile, env);
    return reach.stack;
  }

  /** Makes another stack in the folder that the stage has now. */
  openAnother(): Promise<PulumiStack> {
    return PulumiStack.open(this.stage);
  }

  /** Brings the stack up. Throws `Refused` before that if the state or the service has an object of others. */
  async up(): Promise<Ran> {
    await this.#refuseForeign();
    return ran((told) => this.stack.up(told), true);
  }

  /** Brings the stack up, looks at the service, and expects that a preview finds nothing. */
  async settle(): Promise<void> {
    const { failure } = await this.up();
    if (failure !== undefined) throw new StepFailed(`pulumi up failed.\n${failure}`);
    await this.stage.expectService();
    const preview = await ran((told) => this.stack.preview({ ...told, expectNoChanges: true }), true);
    if (preview.failure !== undefined)
      throw new StepFailed(`pulumi preview found changes.\n${preview.failure}`);
  }

  /** Returns true if a drift job sees that something was changed elsewhere. */
  async seesDrift(): Promise<boolean> {
    const args = [
      'refresh',
      '--preview-only',
      '--expect-no-changes',
      '--stack',
      stackName,
      '--non-interactive',
    ];
    const { code } = await runProcess(join(engineFolder(), 'bin/pulumi'), args, {
      cwd: this.stack.workspace.workDir,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...this.env },
    });
    // The engine ends with 7 where it expected no changes and found some.
    if (code !== 0 && code !== 7) throw new StepFailed(`pulumi refresh --preview-only ended with ${code}.`);
    return code === 7;
  }

  async refresh(): Promise<void> {
    const { failure } = await ran((told) => this.stack.refresh(told));
    if (failure !== undefined) throw new StepFailed(`pulumi refresh failed.\n${failure}`);
  }

  async destroy(): Promise<void> {
    await this.#refuseForeign();
    const { failure } = await ran((told) => this.stack.destroy(told));
    if (failure !== undefined) throw new StepFailed(`pulumi destroy failed.\n${failure}`);
  }

  /** Returns the ids of the clients by their names in the program. */
  clientIds(): Readonly<Record<string, string>> {
    const clients = this.#recorded().filter(({ type }) => type.endsWith(':OAuthClient'));
    return Object.fromEntries(
      clients.flatMap(({ id, inputs }) => {
        const entries = Object.entries(this.stage.manifest.oauthClients);
        const [address] = entries.find(([, { name }]) => name === inputs?.name) ?? [];
        return address === undefined || id === undefined ? [] : [[address, id]];
      }),
    );
  }

  /** Declares what the manifest of the stage says. */
  declare(): void {
    const { manifest, places } = this.stage;
    const workspaceId = (alias: string) => places.workspaceIds[workspaceAliases.indexOf(alias)] ?? '';
    const projectId = (alias: string) => places.projectIds[projectAliases.indexOf(alias)] ?? '';
    const clients = new Map<string, tether.OAuthClient>();
    for (const [address, entry] of Object.entries(manifest.oauthClients)) {
      const adoptId = this.adoptIds[address];
      const args = { ...this.#clientArgs(entry, projectId), ...(adoptId && { adoptId }) };
      clients.set(address, new tether.OAuthClient(address, args, { protect: false }));
    }
    for (const { oauthClient, project } of manifest.projectAttachments) {
      const id = clients.get(oauthClient)?.id ?? '';
      const args = { oauthClientId: id, projectId: projectId(project) };
      new tether.ProjectAttachment(`${oauthClient}-${project}`, args);
    }
    for (const line of manifest.runTriggers) {
      if ('sources' in line) {
        const args = { workspaceId: workspaceId(line.target), sourceableIds: line.sources.map(workspaceId) };
        new tether.InboundRunTriggers(line.target, args);
      } else if ('targets' in line) {
        const args = { sourceableId: workspaceId(line.source), workspaceIds: line.targets.map(workspaceId) };
        new tether.OutboundRunTriggers(line.source, args);
      } else {
        const args = { workspaceId: workspaceId(line.target), sourceableId: workspaceId(line.source) };
        new tether.RunTrigger(`${line.target}-${line.source}`, args);
      }
    }
  }

  #clientArgs(entry: ClientEntry, projectId: (alias: string) => string): tether.OAuthClientArgs {
    const { organization } = this.stage.settings;
    const { places, folder } = this.stage;
    const { name, serviceProvider, httpUrl, apiUrl, organizationScoped, key, agentPool, projects } = entry;
    const secret = (variable: string) => pulumi.secret(folder.env[variable] ?? '');
    return {
      ...{ organization, name, serviceProvider, httpUrl, apiUrl, organizationScoped },
      ...(entry.oauthTokenString && { oauthTokenString: secret(tokenVariable) }),
      ...(entry.secret && { secret: secret(secretVariable) }),
      ...(key !== undefined && { key }),
      ...('agentPool' in entry && { agentPoolId: agentPool ? (places.agentPoolId ?? null) : null }),
      ...(projects && { projectIds: projects.map(projectId) }),
    };
  }

  #recorded(): readonly Recorded[] {
    if (!existsSync(this.stateFile)) return [];
    const state = JSON.parse(readFileSync(this.stateFile, 'utf8')) as {
      checkpoint: { latest?: { resources?: readonly Recorded[] } };
    };
    return (state.checkpoint.latest?.resources ?? []).filter(({ type }) => type.includes('tether:'));
  }

  /** The state is this stack's ledger, and a set deletes what it does not list. */
  async #refuseForeign(): Promise<void> {
    const { scope, places } = this.stage;
    const sight = await this.stage.see();
    scope.note(sight.allClients);
    const isOwnWorkspace = (id: unknown) => places.workspaceIds.some((own) => own === id);
    const strangers = this.#recorded().filter(({ type, id, inputs = {} }) => {
      if (type.endsWith(':OAuthClient')) return !scope.isNoted(id ?? '');
      if (type.endsWith(':ProjectAttachment')) {
        return (
          !scope.isNoted(String(inputs.oauthClientId)) ||
          !places.projectIds.some((own) => own === inputs.projectId)
        );
      }
      const { workspaceId, sourceableId, workspaceIds, sourceableIds } = inputs;
      const ends = [workspaceId, sourceableId, workspaceIds, sourceableIds].flat();
      return !ends.every((end) => end === undefined || isOwnWorkspace(end));
    });
    const used = sight.triggers.filter((trigger) => !scope.ownsTrigger(trigger));
    if (strangers.length > 0 || used.length > 0) {
      throw new Refused(['The stack or the workspaces have objects that are not of this run.']);
    }
  }
}
