/** Proposals about everything else: what people change by hand, what the token may do, time, and the ledger's fate. */
import type { Action, Deed } from './actions';
import { agentPools, organization, projects, type Rights, workspaces } from './organization';
import { hosts, type Proposal, providers, type Scene, someProject, someWorkspace } from './scene';

const call = (method: string, path: string, body?: unknown): Deed => ({
  by: 'call',
  method,
  path,
  ...(body === undefined ? {} : { body }),
});

const patch = (id: string, data: object): Deed =>
  call('PATCH', `/oauth-clients/${id}`, { data: { type: 'oauth-clients', ...data } });

const createTrigger = (target: string, source: string): Deed =>
  call('POST', `/workspaces/${target}/run-triggers`, {
    data: { relationships: { sourceable: { data: { id: source, type: 'workspaces' } } } },
  });

const byHand = (deed: Deed): Action[] => [{ do: 'by-hand', deed }];

const anyClient = ({ chance, reality }: Scene): string | undefined =>
  chance.maybe([...reality.clients.keys()]);

/** Any field that the API lets a person change. */
export function handField(scene: Scene): Deed | undefined {
  const { chance } = scene;
  const id = anyClient(scene);
  if (id === undefined) return undefined;
  return chance.pick([
    patch(id, { attributes: { name: chance.pick(['By hand', 'One', null]) } }),
    patch(id, { attributes: { key: `key-of-hand-${chance.below(3)}` } }),
    patch(id, {
      attributes: { 'organization-scoped': scene.reality.clients.get(id)?.organizationScoped !== true },
    }),
    patch(id, {
      relationships: { 'agent-pool': { data: { id: chance.pick(agentPools), type: 'agent-pools' } } },
    }),
    patch(id, { relationships: { 'agent-pool': { data: null } } }),
    patch(id, { attributes: { secret: 'by hand' } }),
    patch(id, { attributes: { 'rsa-public-key': 'ssh-rsa by hand' } }),
  ]);
}

export function handProjects(scene: Scene): Deed | undefined {
  const { chance, reality } = scene;
  const id = anyClient(scene);
  if (id === undefined) return undefined;
  const held = reality.clients.get(id)?.projects ?? [];
  const attached = chance.maybe(held);
  const project = attached !== undefined && chance.often(0.5) ? attached : someProject(scene);
  const method = held.includes(project) ? 'DELETE' : 'POST';
  return call(method, `/oauth-clients/${id}/relationships/projects`, {
    data: [{ id: project, type: 'projects' }],
  });
}

export function handTrigger(scene: Scene): Deed | undefined {
  const { chance, reality } = scene;
  const old = chance.maybe(reality.triggers);
  if (old !== undefined && chance.often(0.5)) return call('DELETE', `/run-triggers/${old.id}`);
  const [target, source] = [someWorkspace(scene), someWorkspace(scene)];
  return target === source ? undefined : createTrigger(target, source);
}

function handClient(scene: Scene): Deed | undefined {
  const { chance, conditions } = scene;
  const like = chance.maybe([...scene.reality.clients.values()]);
  const provider = chance.pick(providers[conditions.profile].filter((one) => !/server|center/u.test(one)));
  const host = chance.pick(hosts);
  const attributes =
    like !== undefined && !/server|center/u.test(like.serviceProvider) && chance.often(0.4)
      ? {
          'service-provider': like.serviceProvider,
          name: like.name,
          'http-url': like.httpUrl,
          'api-url': like.apiUrl,
        }
      : {
          'service-provider': provider,
          name: chance.pick(['One', null]),
          'http-url': host,
          'api-url': `${host}/api`,
        };
  const data = chance.some(projects, 0.3).map((id) => ({ id, type: 'projects' }));
  const relationships = { projects: { data } };
  return call('POST', `/organizations/${organization}/oauth-clients`, {
    data: { type: 'oauth-clients', attributes, relationships },
  });
}

function destroyByHand(scene: Scene): Deed | undefined {
  const id = anyClient(scene);
  return id === undefined ? undefined : call('DELETE', `/oauth-clients/${id}`);
}

/** Another trigger of a pair that has one: a seed may, whatever the API says. */
function duplicateTrigger(scene: Scene): Deed | undefined {
  const old = scene.chance.maybe(scene.reality.triggers);
  if (old === undefined) return undefined;
  const id = `rt-twin-${scene.fresh()}`;
  const createdAt = scene.chance.often(0.5) ? { createdAt: '2020-01-01T00:00:00.000Z' } : {};
  const runTriggers = { [id]: { workspace: old.target, sourceable: old.source, ...createdAt } };
  return { by: 'seed', seed: { organizations: { [organization]: { runTriggers } } } };
}

const deed =
  (think: (scene: Scene) => Deed | undefined) =>
  (scene: Scene): Action[] | undefined => {
    const found = think(scene);
    return found === undefined ? undefined : byHand(found);
  };

export function someRights({ chance }: Scene): Rights {
  const workspace = chance.pick(workspaces);
  const choices: Rights[] = ['no-vcs', `without ${workspace}`, `reads ${workspace}`, 'revoked', 'elsewhere'];
  return chance.often(0.4) ? `without ${workspace}` : chance.pick(choices);
}

const loseRights = (scene: Scene): Action[] | undefined =>
  scene.rights === 'owner' ? [{ do: 'rights', rights: someRights(scene) }] : undefined;

/** Only what a round has seen can be given back. */
const giveBack = (scene: Scene): Action[] | undefined =>
  scene.rights === 'owner' || !scene.rightsWereSeen ? undefined : [{ do: 'rights', rights: 'owner' }];

function yesterday({ aside }: Scene): Action[] | undefined {
  if (aside === 'same') return undefined;
  return aside === 'other' ? [{ do: 'ledger', how: 'restore' }] : [{ do: 'ledger', how: 'save', tags: [] }];
}

function timePasses({ conditions }: Scene): Action[] | undefined {
  const late = Object.keys(conditions.behaviours).some((name) => name.endsWith('-ms'));
  return late ? [{ do: 'time', milliseconds: 7_200_000 }] : undefined;
}

export const worldProposals: readonly Proposal[] = [
  { tag: 'hand-field', weight: 4, first: 'hand-client', propose: deed(handField) },
  { tag: 'hand-projects', weight: 3, first: 'hand-client', propose: deed(handProjects) },
  { tag: 'hand-trigger', weight: 3, propose: deed(handTrigger) },
  { tag: 'hand-client', weight: 2, propose: deed(handClient) },
  { tag: 'hand-destroy', weight: 1, first: 'hand-client', propose: deed(destroyByHand) },
  { tag: 'duplicate-trigger', weight: 1, first: 'hand-trigger', propose: deed(duplicateTrigger) },
  { tag: 'rights-lost', weight: 1, propose: loseRights },
  { tag: 'rights-back', weight: 1, first: 'rights-lost', propose: giveBack },
  { tag: 'ledger-yesterday', weight: 2, propose: yesterday },
  { tag: 'ledger-branch', weight: 2, propose: () => [{ do: 'branch' }] },
  {
    tag: 'ledger-lost',
    weight: 0.5,
    propose: (scene) => (scene.ledger.lineage === null ? undefined : [{ do: 'ledger', how: 'lose' }]),
  },
  { tag: 'time-passes', weight: 1, propose: timePasses },
];
