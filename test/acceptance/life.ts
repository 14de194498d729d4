/** The life of the suite's objects, as a list of named steps. Each step leaves the service as its manifest says. */
import { generateKeyPairSync } from 'node:crypto';
import { projects as projectsBody, triggerBody } from '../support/api-caller';
import { adoptExport } from './adoption';
import { StepFailed } from './command-folder';
import {
  failure,
  type LifeStage,
  type Manifest,
  projectAliases,
  secretVariable,
  tokenVariable,
  workspaceAliases,
} from './life-stage';
import { patchBody } from './requests';
import type { OwnName } from './scope';
import { takesField } from './settings';

export type StepAnswer = 'passes' | 'refused' | 'not observed';

export interface LifeStep {
  readonly name: string;
  /** Throws `StepFailed` when the product did not do what it should. */
  readonly run: (stage: LifeStage) => Promise<StepAnswer>;
}

function passing(name: string, run: (stage: LifeStage) => Promise<unknown>): LifeStep {
  return {
    name,
    run: async (stage) => {
      await run(stage);
      return 'passes';
    },
  };
}

/** Changes the manifest, applies it, and takes the change back where the service refuses it. */
function changing(
  name: string,
  change: (manifest: Manifest, stage: LifeStage) => void,
  isPossible: (stage: LifeStage) => boolean = () => true,
): LifeStep {
  return {
    name,
    run: async (stage) => {
      if (!isPossible(stage)) return 'not observed';
      return settleOrUndo(stage, () => change(stage.manifest, stage));
    },
  };
}

async function settleOrUndo(stage: LifeStage, change: () => void): Promise<StepAnswer> {
  const before = structuredClone(stage.manifest);
  const ids = idsByAddress(stage);
  change();
  const result = await stage.tryToSettle();
  if (result === 'nothing') throw new StepFailed('The plan did not see the change.');
  if (result === 'done') {
    expectSame(ids, idsByAddress(stage));
    return 'passes';
  }
  Object.assign(stage.manifest, before);
  await stage.settle();
  return 'refused';
}

/** Returns the ids of the clients in the ledger. */
function idsByAddress({ folder }: LifeStage): Readonly<Record<string, string>> {
  const objects = Object.entries(folder.ledger()?.objects ?? {});
  return Object.fromEntries(objects.flatMap(([key, { id }]) => (id?.startsWith('oc-') ? [[key, id]] : [])));
}

function expectSame(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  if (Object.keys(before).some((address) => before[address] !== after[address])) {
    throw new StepFailed('A client has another id after a change that should be made in place.');
  }
}

function findEntry(manifest: Manifest, address: string) {
  const entry = manifest.oauthClients[address];
  if (entry === undefined) throw new Error(`the manifest has no ${address}`);
  return entry;
}

const validate = passing('validate', async (stage) => {
  stage.write();
  const run = await stage.folder.run('validate');
  if (run.code !== 0) throw failure(run, 0);
});

const plan = passing('plan', async (stage) => {
  stage.write();
  const run = await stage.plan();
  const creates = run.plan.steps.filter(({ action }) => action === 'create').length;
  // Two clients, the project of each, and one trigger.
  if (run.code !== 0 || creates !== 5) throw failure(run, 0, `planned ${creates} creates in place of 5`);
  await stage.expectService({ oauthClients: {}, projectAttachments: [], runTriggers: [], approved: [] });
});

const drift = passing('drift by the API', async (stage) => {
  const { requests, places, scope, manifest } = stage;
  const sight = await stage.expectService();
  const attached = sight.clients.find(({ name }) => name === findEntry(manifest, 'attached').name);
  const listed = sight.clients.find(({ name }) => name === findEntry(manifest, 'listed').name);
  const [trigger] = sight.triggers;
  if (!attached || !listed || !trigger || !scope.ownsTrigger(trigger))
    throw new StepFailed('An object is missing.');
  const renamed: OwnName = `${scope.prefix}renamed-elsewhere`;
  await requests.send('PATCH', `/oauth-clients/${attached.id}`, { body: patchBody({ name: renamed }) });
  await requests.send('POST', `/oauth-clients/${listed.id}/relationships/projects`, {
    body: projectsBody(places.projectIds[1]),
  });
  await requests.send('DELETE', `/run-triggers/${trigger.id}`);
  const drifted = structuredClone(manifest);
  findEntry(drifted, 'attached').name = renamed;
  findEntry(drifted, 'listed').projects = ['a', 'b'];
  await stage.expectService({ ...drifted, runTriggers: [] });
  const run = await stage.folder.run('drift');
  const states = (run.printed.drift?.rows ?? []).map(({ state }) => state).sort();
  if (run.code !== 2 || states.join() !== 'added,changed,missing') {
    throw failure(run, 2, `ended with ${run.code} and the rows ${states.join(', ')}`);
  }
});

const repair = passing('drift repaired', async (stage) => {
  await stage.settle();
  const run = await stage.folder.run('drift');
  if (run.code !== 0) throw failure(run, 0);
});

const rotateToken: LifeStep = {
  name: 'token rotated',
  run: async (stage) => {
    const { folder, manifest, settings, vcs } = stage;
    const rotate = async (value: string) => {
      folder.env[tokenVariable] = value;
      if (settings.profile.capabilities.tokenInPatch) return settleOrUndo(stage, () => undefined);
      return replaceApproved(stage, () => undefined);
    };
    const rotated = await rotate(`${vcs.token}-rotated`);
    if (rotated === 'passes') return rotate(vcs.token);
    folder.env[tokenVariable] = vcs.token;
    manifest.approved = [];
    await stage.settle();
    return rotated;
  },
};

const replace: LifeStep = {
  name: 'client replaced with its approval',
  run: async (stage) => {
    const entry = findEntry(stage.manifest, 'attached');
    const { httpUrl } = entry;
    const answer = await replaceApproved(stage, () => {
      entry.httpUrl = `${httpUrl.replace(/\/$/, '')}/tether-acceptance`;
    });
    if (answer === 'passes') return answer;
    entry.httpUrl = httpUrl;
    await stage.settle();
    // Some services fix the URL of a provider that they know.
    return 'not observed';
  },
};

/** Applies a change that replaces clients: first without approval, which writes nothing, then with it. */
async function replaceApproved(stage: LifeStage, change: () => void): Promise<StepAnswer> {
  const { manifest } = stage;
  const ids = idsByAddress(stage);
  const before = structuredClone(manifest);
  change();
  stage.write();
  const blocked = await stage.apply();
  if (blocked.printed.outcome !== 'blocked') throw failure(blocked, 1, 'replaced a client without approval');
  const replaced = (blocked.printed.plan?.steps ?? []).flatMap(({ action, key, objectId }) =>
    action === 'replace' && objectId !== undefined ? [{ replace: key.join('/'), id: objectId }] : [],
  );
  await stage.expectService(before);
  manifest.approved = replaced;
  const result = await stage.tryToSettle();
  manifest.approved = [];
  if (result !== 'done') return 'refused';
  const after = idsByAddress(stage);
  for (const { replace: address, id } of replaced) {
    const isReplaced = ids[address] === id && after[address] !== id;
    const { status } = await stage.requests.read(`/oauth-clients/${id}`);
    if (!isReplaced || status !== 404) throw new StepFailed('The old client of a replace is still there.');
  }
  await stage.settle();
  return 'passes';
}

const attachments = passing('attachments', async (stage) => {
  const { manifest } = stage;
  for (const projects of [['a', 'b'], ['b'], [], ['a']]) {
    manifest.projectAttachments = projects.map((project) => ({ oauthClient: 'attached', project }));
    await stage.settle();
  }
});

const inboundSet = passing('exact set of sources', async (stage) => {
  const { manifest, places, requests } = stage;
  const [first, , third] = places.workspaceIds;
  for (const sources of [['first', 'second'], ['second']]) {
    manifest.runTriggers = [{ target: 'third', sources }];
    await stage.settle();
  }
  // Somebody adds a member that the set does not list.
  await requests.send('POST', `/workspaces/${third}/run-triggers`, { body: triggerBody(first) });
  await stage.expectService({
    ...manifest,
    runTriggers: [{ target: 'third', sources: ['first', 'second'] }],
  });
  await stage.settle();
});

const outboundSet = passing('exact set of targets', async (stage) => {
  const { manifest } = stage;
  for (const targets of [['second', 'third'], ['third'], []]) {
    manifest.runTriggers = [{ source: 'first', targets }];
    await stage.settle();
  }
  manifest.runTriggers = [{ target: 'second', source: 'first' }];
  await stage.settle();
});

const names: LifeStep = {
  name: 'names in place of aliases',
  run: async (stage) => {
    const { places, manifest } = stage;
    const ids = [...places.workspaceIds, ...places.projectIds];
    const isNamed = ids.every((id) => places.names.has(id));
    if (!isNamed || !stage.settings.profile.capabilities.lookupByName) return 'not observed';
    const aliases = [...workspaceAliases, ...projectAliases];
    const toName = (alias: string) => places.names.get(ids[aliases.indexOf(alias)] ?? '') ?? alias;
    const named = structuredClone(manifest);
    for (const entry of Object.values(named.oauthClients)) {
      if (entry.projects) entry.projects = entry.projects.map(toName);
      delete entry.agentPool;
    }
    for (const line of named.projectAttachments) line.project = toName(line.project);
    named.runTriggers = named.runTriggers.flatMap((line) =>
      'source' in line && 'target' in line
        ? [{ target: toName(line.target), source: toName(line.source) }]
        : [],
    );
    stage.writeWith({}, named);
    await stage.expectNothing();
    stage.write();
    return 'passes';
  },
};

const destroy = passing('destroy', async (stage) => {
  const run = await stage.destroy();
  if (run.code !== 0) throw failure(run, 0);
  await stage.expectService({ oauthClients: {}, projectAttachments: [], runTriggers: [], approved: [] });
  const left = Object.keys(stage.folder.ledger()?.objects ?? {}).length;
  if (left > 0) throw failure(run, 0, `left ${left} entries in the ledger`);
});

/** Returns a public key that belongs to nobody. */
function newPublicKey(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return publicKey.export({ type: 'spki', format: 'pem' }).toString();
}

/** Returns the steps with these names. Throws for a name that no step has. */
export function chooseSteps(...names: readonly string[]): readonly LifeStep[] {
  return names.map((name) => {
    const step = life.find((candidate) => candidate.name === name);
    if (step === undefined) throw new Error(`no step is named ${name}`);
    return step;
  });
}

export const life: readonly LifeStep[] = [
  validate,
  plan,
  passing('apply', (stage) => stage.settle()),
  passing('plan again', (stage) => stage.expectNothing()),
  drift,
  repair,
  // No step clears a name: `OwnName` does not let it, because the client would not be the suite's own any more.
  changing('name changed in place', (manifest, { scope }) => {
    findEntry(manifest, 'attached').name = `${scope.prefix}renamed`;
  }),
  changing(
    'key changed in place',
    (manifest) => {
      findEntry(manifest, 'attached').key = 'tether-acceptance-key';
    },
    ({ settings, vcs }) => takesField(settings, vcs, 'key'),
  ),
  changing(
    'secret written in place',
    (manifest) => {
      findEntry(manifest, 'attached').secret = { fromEnv: secretVariable };
    },
    ({ settings, vcs }) => takesField(settings, vcs, 'secret'),
  ),
  changing(
    'RSA public key written in place',
    (manifest) => {
      findEntry(manifest, 'attached').rsaPublicKey = newPublicKey();
    },
    ({ settings, vcs }) => takesField(settings, vcs, 'rsaPublicKey'),
  ),
  changing(
    'agent pool set in place',
    (manifest) => {
      findEntry(manifest, 'attached').agentPool = 'pool';
    },
    ({ places }) => places.agentPoolId !== undefined,
  ),
  changing(
    'agent pool cleared in place',
    (manifest) => {
      findEntry(manifest, 'attached').agentPool = null;
    },
    ({ places }) => places.agentPoolId !== undefined,
  ),
  changing('projects changed in place', (manifest) => {
    findEntry(manifest, 'listed').projects = ['b'];
  }),
  changing('projects emptied in place', (manifest) => {
    findEntry(manifest, 'listed').projects = [];
  }),
  changing('scope widened in place', (manifest) => {
    findEntry(manifest, 'listed').organizationScoped = true;
  }),
  changing('scope narrowed in place', (manifest) => {
    findEntry(manifest, 'listed').organizationScoped = false;
    findEntry(manifest, 'listed').projects = ['a'];
  }),
  rotateToken,
  replace,
  attachments,
  inboundSet,
  outboundSet,
  names,
  passing('export and adoption', adoptExport),
  destroy,
];
