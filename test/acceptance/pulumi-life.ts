/** The life by the Pulumi classes, as a list of named steps. Each step leaves the service as its program says. */
import { isDeepStrictEqual } from 'node:util';
import { projects as projectsBody, triggerBody } from '../support/api-caller';
import { StepFailed } from './command-folder';
import type { StepAnswer } from './life';
import { type ClientEntry, secretVariable, tokenVariable } from './life-stage';
import type { PulumiStack } from './pulumi-stack';
import { patchBody } from './requests';
import { takesField } from './settings';

export interface PulumiStep {
  readonly name: string;
  /** Throws `StepFailed` when the product did not do what it should. */
  readonly run: (stack: PulumiStack) => Promise<StepAnswer>;
}

function passing(name: string, run: (stack: PulumiStack) => Promise<unknown>): PulumiStep {
  return {
    name: `Pulumi: ${name}`,
    run: async (stack) => {
      await run(stack);
      return 'passes';
    },
  };
}

function findEntry({ stage }: PulumiStack, address: string): ClientEntry {
  const entry = stage.manifest.oauthClients[address];
  if (entry === undefined) throw new Error(`the manifest has no ${address}`);
  return entry;
}

async function expectIds(stack: PulumiStack, change: () => Promise<void>, areKept: boolean): Promise<void> {
  const before = stack.clientIds();
  await change();
  const after = stack.clientIds();
  const isKept = before.attached === after.attached;
  if (isKept !== areKept)
    throw new StepFailed(`The client has ${isKept ? 'the same' : 'another'} id after the change.`);
}

const drift = passing('drift by the API and repaired', async (stack) => {
  const { requests, scope, places, manifest } = stack.stage;
  if (await stack.seesDrift()) throw new StepFailed('A drift job sees drift before there is any.');
  const { triggers } = await stack.stage.expectService();
  const { attached, listed } = stack.clientIds();
  const name = `${scope.prefix}renamed-elsewhere`;
  await requests.send('PATCH', `/oauth-clients/${attached}`, { body: patchBody({ name }) });
  await requests.send('POST', `/oauth-clients/${listed}/relationships/projects`, {
    body: projectsBody(places.projectIds[1]),
  });
  for (const trigger of triggers) await requests.send('DELETE', `/run-triggers/${trigger.id}`);
  const drifted = structuredClone(manifest);
  Object.assign(drifted.oauthClients.attached ?? {}, { name });
  Object.assign(drifted.oauthClients.listed ?? {}, { projects: ['a', 'b'] });
  await stack.stage.expectService({ ...drifted, runTriggers: [] });
  if (!(await stack.seesDrift())) throw new StepFailed('A drift job sees no drift.');
  await stack.refresh();
  await stack.settle();
});

const fields = passing('fields changed in place', (stack) =>
  expectIds(
    stack,
    async () => {
      const { settings, scope, places, vcs } = stack.stage;
      Object.assign(findEntry(stack, 'attached'), {
        name: `${scope.prefix}renamed`,
        ...(takesField(settings, vcs, 'key') && { key: 'tether-acceptance-key' }),
        ...(takesField(settings, vcs, 'secret') && { secret: { fromEnv: secretVariable } }),
        ...(places.agentPoolId && { agentPool: 'pool' }),
      });
      Object.assign(findEntry(stack, 'listed'), { organizationScoped: true, projects: [] });
      await stack.settle();
      if (places.agentPoolId) findEntry(stack, 'attached').agentPool = null;
      Object.assign(findEntry(stack, 'listed'), { organizationScoped: false, projects: ['b'] });
      await stack.settle();
    },
    true,
  ),
);

const rotate = passing('token rotated', (stack) => {
  const { folder, settings } = stack.stage;
  const rotated = `${folder.env[tokenVariable]}-rotated`;
  const change = async () => {
    folder.env[tokenVariable] = rotated;
    await stack.settle();
  };
  return expectIds(stack, change, settings.profile.capabilities.tokenInPatch);
});

const replace: PulumiStep = {
  name: 'Pulumi: client replaced',
  run: async (stack) => {
    const entry = findEntry(stack, 'attached');
    const { httpUrl } = entry;
    entry.httpUrl = `${httpUrl.replace(/\/$/, '')}/tether-acceptance`;
    const before = stack.clientIds().attached;
    const { failure } = await stack.up();
    if (failure === undefined) {
      await stack.settle();
      if (stack.clientIds().attached === before) throw new StepFailed('The client was not replaced.');
      return 'passes';
    }
    entry.httpUrl = httpUrl;
    await stack.settle();
    // Some services fix the URL of a provider that they know.
    return 'not observed';
  },
};

const sets = passing('exact sets', async (stack) => {
  const { manifest, places, requests } = stack.stage;
  const [first, , third] = places.workspaceIds;
  for (const sources of [['first', 'second'], ['second']]) {
    manifest.runTriggers = [{ target: 'third', sources }];
    await stack.settle();
  }
  await requests.send('POST', `/workspaces/${third}/run-triggers`, { body: triggerBody(first) });
  await stack.stage.expectService({
    ...manifest,
    runTriggers: [{ target: 'third', sources: ['first', 'second'] }],
  });
  if (!(await stack.seesDrift())) throw new StepFailed('A drift job sees no further member of the set.');
  await stack.refresh();
  await stack.settle();
  manifest.runTriggers = [{ source: 'first', targets: ['second', 'third'] }];
  await stack.settle();
});

const adoption = passing('adoption in another stack, and destroy', async (stack) => {
  const { stage } = stack;
  const ids = stack.clientIds();
  const oldFolder = stage.folder;
  stage.folder = stage.newFolder();
  const adopting = await stack.openAnother();
  adopting.adoptIds = ids;
  await adopting.settle();
  oldFolder.remove();
  if (!isDeepStrictEqual(adopting.clientIds(), ids)) throw new StepFailed('A client was not adopted.');
  await adopting.destroy();
  await stage.expectService({ oauthClients: {}, projectAttachments: [], runTriggers: [], approved: [] });
});

export const pulumiLife: readonly PulumiStep[] = [
  passing('up', (stack) => stack.settle()),
  drift,
  fields,
  rotate,
  replace,
  sets,
  adoption,
];
