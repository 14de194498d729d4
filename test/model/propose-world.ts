/** Proposals about everything else: changes by hand, rights of the token, time, and the ledger. */
import type { Action, Deed, Trouble, Which } from './actions';
import type { Scene } from './course';
import { errorBody, type Treatment } from './gateway';
import { addressNames } from './manifests';
import { agentPools, lacking, organization, projects, type Rights, workspaces } from './organization';
import { hosts, providers } from './propose-edits';
import type { Proposal } from './propose-links';
import { hidableFields, type RealClient } from './reality';

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

const anyClient = ({ chance, course }: Scene): RealClient | undefined =>
  chance.maybe([...course.site.reality().clients.values()]);

/** Any field that the API lets a person change. */
function handField(scene: Scene): Deed | undefined {
  const { chance } = scene;
  const client = anyClient(scene);
  if (client === undefined) return undefined;
  const { id, organizationScoped } = client;
  return chance.pick([
    patch(id, { attributes: { name: chance.pick(['By hand', 'One', null]) } }),
    patch(id, { attributes: { key: `key-of-hand-${chance.below(3)}` } }),
    patch(id, { attributes: { 'organization-scoped': !organizationScoped } }),
    patch(id, {
      relationships: { 'agent-pool': { data: { id: chance.pick(agentPools), type: 'agent-pools' } } },
    }),
    patch(id, { relationships: { 'agent-pool': { data: null } } }),
    patch(id, { attributes: { secret: 'by hand' } }),
  ]);
}

function handProjects(scene: Scene): Deed | undefined {
  const { chance } = scene;
  const client = anyClient(scene);
  if (client === undefined) return undefined;
  const attached = chance.maybe(client.projects);
  const project = attached !== undefined && chance.often(0.5) ? attached : chance.pick(projects);
  const method = client.projects.includes(project) ? 'DELETE' : 'POST';
  return call(method, `/oauth-clients/${client.id}/relationships/projects`, {
    data: [{ id: project, type: 'projects' }],
  });
}

function handTrigger({ chance, course }: Scene): Deed | undefined {
  const old = chance.maybe(course.site.reality().triggers);
  if (old !== undefined && chance.often(0.5)) return call('DELETE', `/run-triggers/${old.id}`);
  const [target = '', source = ''] = chance.shuffled(workspaces);
  return createTrigger(target, source);
}

const plain = (provider: string): boolean => !/server/u.test(provider);

function handClient(scene: Scene): Deed {
  const { chance, folder } = scene;
  const like = chance.maybe(Object.values(folder.clients).filter((one) => plain(one.serviceProvider)));
  const host = chance.pick(hosts);
  const attributes =
    like !== undefined && chance.often(0.5)
      ? {
          'service-provider': like.serviceProvider,
          name: like.name ?? null,
          'http-url': like.httpUrl,
          'api-url': like.apiUrl,
        }
      : {
          'service-provider': chance.pick(providers(scene).filter(plain)),
          name: chance.pick(['One', null]),
          'http-url': host,
          'api-url': `${host}/api`,
        };
  const data = chance.some(projects, 0.3).map((id) => ({ id, type: 'projects' }));
  return call('POST', `/organizations/${organization}/oauth-clients`, {
    data: { type: 'oauth-clients', attributes, relationships: { projects: { data } } },
  });
}

/** A client that equals a declared one that the next apply makes. */
function handTwin({ chance, folder, ledger }: Scene): Deed | undefined {
  const next = Object.entries(folder.clients).filter(
    ([name, { serviceProvider }]) =>
      ledger.objects[`OAuthClient/${name}`] === undefined && plain(serviceProvider),
  );
  const [, like] = chance.maybe(next) ?? [];
  if (like === undefined) return undefined;
  const attributes = {
    'service-provider': like.serviceProvider,
    name: like.name ?? null,
    'http-url': like.httpUrl,
    'api-url': like.apiUrl,
  };
  return call('POST', `/organizations/${organization}/oauth-clients`, {
    data: { type: 'oauth-clients', attributes },
  });
}

function destroyByHand(scene: Scene): Deed | undefined {
  const client = anyClient(scene);
  return client === undefined ? undefined : call('DELETE', `/oauth-clients/${client.id}`);
}

/** Another trigger of a pair that has one: a seed may, whatever the API says. */
function duplicateTrigger(scene: Scene): Deed | undefined {
  const old = scene.chance.maybe(scene.course.site.reality().triggers);
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
    return found === undefined ? undefined : [{ do: 'by-hand', deed: found }];
  };

/** A member of a set is made, destroyed by hand within two minutes, and something else stands in the set. */
function youngSet({ chance, folder }: Scene): Action[] {
  const [target = '', source = '', other = ''] = chance.shuffled(workspaces);
  const around = folder.triggers.filter(
    (item) => ('target' in item && item.target === target) || ('source' in item && item.source === source),
  );
  const set = { target, sources: [source] };
  return [
    ...around.map((item): Action => ({ edit: 'trigger', item, on: false })),
    { edit: 'trigger', item: set, on: true },
    { do: 'run', maxDeletes: 100 },
    { do: 'by-hand', deed: { by: 'call', method: 'DELETE', path: `/run-triggers/of ${target} ${source}` } },
    { do: 'by-hand', deed: createTrigger(target, other) },
  ];
}

/** A set that others see more of than the token does. */
function closedSet({ chance, folder }: Scene): Action[] {
  const [target = '', source = '', other = ''] = chance.shuffled(workspaces);
  const around = folder.triggers.filter((item) => 'target' in item && item.target === target);
  const rights = `without ${[target, source].sort().join(' ')}` as Rights;
  return [
    ...around.map((item): Action => ({ edit: 'trigger', item, on: false })),
    { edit: 'trigger', item: { target, sources: [source] }, on: true },
    { do: 'by-hand', deed: createTrigger(target, other) },
    { do: 'rights', rights },
  ];
}

function someRights({ chance }: Scene): Rights {
  const without = `without ${chance.pick(lacking).join(' ')}` as Rights;
  const choices: Rights[] = ['no-vcs', without, `reads ${chance.pick(workspaces)}`, 'revoked'];
  return chance.often(0.6) ? without : chance.pick(choices);
}

function changeRights(scene: Scene): Action[] {
  const isOwner = scene.course.site.gateway.rights === 'owner';
  return [{ do: 'rights', rights: isOwner ? someRights(scene) : 'owner' }];
}

/** The runs are at another address, or the manifest names several. */
function otherAddress({ chance, course, folder }: Scene): Action[] {
  const { at } = course.site;
  const name = chance.pick(addressNames);
  const named = chance.often(0.85) ? (['first', 'moved'] as const) : addressNames;
  const edit: Action = {
    edit: 'addresses',
    names: folder.addresses.length > 0 && chance.often(0.3) ? [] : [...named],
  };
  const move: Action = { do: 'address', name: name === at ? 'first' : name };
  return chance.pick([[move], [move], [edit], [edit, move], [move, edit]]);
}

/** The answers lack fields, as those of an older service, or have them again. */
const hideFields = ({ chance, course }: Scene): Action[] => [
  {
    do: 'lacks',
    fields:
      course.site.gateway.lacks.size > 0
        ? []
        : chance.pick([['organizationScoped'], ['projects'], [...hidableFields]]),
  },
];

const ledgerFate = ({ chance, course }: Scene): Action[] => {
  const how = course.savedLedgers.length === 0 ? 'save' : chance.pick(['save', 'restore'] as const);
  return [{ do: 'ledger', how: chance.often(0.15) ? 'lose' : how }];
};

export const worldProposals: readonly Proposal[] = [
  { tag: 'hand-field', weight: 3, propose: deed(handField) },
  { tag: 'hand-projects', weight: 2.5, propose: deed(handProjects) },
  { tag: 'hand-trigger', weight: 3, propose: deed(handTrigger) },
  { tag: 'hand-client', weight: 2, propose: deed(handClient) },
  { tag: 'hand-destroy', weight: 1, propose: deed(destroyByHand) },
  { tag: 'duplicate-trigger', weight: 1, propose: deed(duplicateTrigger) },
  { tag: 'young-set', weight: 0.8, propose: youngSet },
  { tag: 'closed-set', weight: 0.6, propose: closedSet },
  { tag: 'rights', weight: 1, propose: changeRights },
  { tag: 'other-address', weight: 1.5, propose: otherAddress },
  { tag: 'lacks', weight: 1.5, propose: hideFields },
  { tag: 'ledger', weight: 1.2, propose: ledgerFate },
];

const someWhich = ({ chance }: Scene): Which =>
  chance.pick(['write', 'write', 'create-client', 'create-client', 'request']);

function treat(scene: Scene, treatments: readonly Treatment[], times: readonly number[]): Trouble {
  const { chance } = scene;
  const which = someWhich(scene);
  const most = { 'create-client': 2, write: 5, request: 14 }[which];
  return {
    trouble: 'treat',
    which,
    nth: 1 + chance.below(most),
    times: chance.pick(times),
    treatment: chance.pick(treatments),
  };
}

const status = ({ chance }: Scene): number => chance.pick([500, 502, 503, 504]);

/** The failures of an apply, with their weights. */
export const troubles: readonly (readonly [number, string, (scene: Scene) => Trouble | undefined])[] = [
  [
    4,
    'answer-lost',
    (scene) => treat(scene, [{ do: 'lose' }, { do: 'lose' }, { do: 'reset' }], [1, 1, 2, 6]),
  ],
  [2, 'answer-late', (scene) => treat(scene, [{ do: 'delay' }], [1])],
  [1, 'answer-late', (scene) => ({ ...treat(scene, [{ do: 'delay' }], [1]), late: true }) as Trouble],
  [2, 'answer-broken', (scene) => treat(scene, [{ do: 'cut' }, { do: 'garble' }], [1, 2, 6])],
  [
    2,
    'answer-broken',
    (scene) =>
      treat(
        scene,
        [
          { do: 'answer', status: status(scene) },
          { do: 'claim', status: status(scene) },
        ],
        [1, 2, 6],
      ),
  ],
  [
    1,
    'rate-limited',
    (scene) =>
      treat(
        scene,
        [
          { do: 'answer', status: 429 },
          { do: 'answer', status: 429, headers: { 'retry-after': '2' } },
        ],
        [1, 3],
      ),
  ],
  [1, 'refused', (scene) => treat(scene, [{ do: 'answer', status: 422, body: errorBody(422, 'no') }], [1])],
  [
    4,
    'kill',
    ({ chance }) => {
      const at = chance.pick(['write', 'create-client', 'save', 'save', 'request'] as const);
      const most = { write: 6, save: 6, request: 14, 'create-client': 2 }[at];
      return { trouble: 'kill', at, nth: 1 + chance.below(most), done: chance.often(0.6) };
    },
  ],
  [
    1,
    'interrupt',
    (scene) => ({ trouble: 'interrupt', which: someWhich(scene), nth: 1 + scene.chance.below(6) }),
  ],
  [
    1,
    'rights-midway',
    (scene) => {
      const from = 1 + scene.chance.below(10);
      return { trouble: 'rights', from, until: from + 1 + scene.chance.below(8), rights: someRights(scene) };
    },
  ],
  [
    3,
    'hand-midway',
    (scene) => {
      const found = scene.chance.pick([handField, handField, handProjects, handTrigger])(scene);
      return found === undefined
        ? undefined
        : { trouble: 'deed', nth: 2 + scene.chance.below(10), deed: found };
    },
  ],
  [
    3,
    'hand-question',
    (scene) => {
      const twin = scene.chance.often(0.7) ? handTwin(scene) : undefined;
      const found = twin ?? scene.chance.pick([handField, handField, handTrigger])(scene);
      return found === undefined ? undefined : { trouble: 'deed', nth: 'question', deed: found };
    },
  ],
  [1, 'second-run', ({ chance }) => ({ trouble: 'second-run', nth: 1 + chance.below(8) })],
];
