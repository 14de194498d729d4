/** Proposals about what the manifests declare: clients, links, sets, secrets. */
import type { Action } from './actions';
import type { Edit } from './edits';
import { type ClientEntry, clientAt, clientNames, filesOf, idOf, type TriggerItem } from './manifests';
import { maxSources, projects, workspaces } from './organization';
import {
  canary,
  declared,
  heldId,
  hosts,
  lines,
  names,
  type Proposal,
  pathIn,
  providers,
  type Scene,
  secretsFor,
  somePool,
  someProject,
  someWorkspace,
  written,
} from './scene';

/** The variable, or the file beside the manifest, of a secret. */
function sourceOf(scene: Scene, name: string, field: string): string {
  return scene.chance.often(0.25) ? `file:secrets/${name}-${field}` : `${name}_${field}`.toUpperCase();
}

export function addClient(scene: Scene, extra: Partial<ClientEntry> = {}): Action[] | undefined {
  const { chance, folder, conditions } = scene;
  const name = chance.maybe(names.filter((one) => clientAt(folder, one) === undefined));
  if (name === undefined) return undefined;
  const serviceProvider = chance.pick(providers[conditions.profile]);
  const httpUrl = chance.pick(hosts);
  const set: Partial<ClientEntry> = { serviceProvider, httpUrl, apiUrl: `${httpUrl}/api`, secrets: {} };
  const actions: Action[] = [];
  for (const field of secretsFor(serviceProvider)) {
    if (field !== 'privateKey' && chance.often(0.5) && serviceProvider !== 'bitbucket_data_center') continue;
    const source = sourceOf(scene, name, field);
    set.secrets = { ...set.secrets, [field]: source };
    actions.push({ do: 'secret', source, value: canary(scene) });
  }
  if (serviceProvider === 'bitbucket_data_center') set.rsaPublicKey = 'ssh-rsa public';
  if (chance.often(0.7)) set.name = chance.pick(['One', 'Two', null]);
  if (chance.often(0.3)) set.key = chance.pick(['key-1', 'key-2']);
  if (chance.often(0.3)) set.organizationScoped = chance.often(0.5);
  if (chance.often(0.3)) set.agentPool = written(scene, 'agentPools', somePool(scene));
  if (chance.often(0.4))
    set.projects = chance.some(projects, 0.4).map((id) => written(scene, 'projects', id));
  Object.assign(set, extra);
  return [{ edit: 'client', name, path: pathIn(scene), set }, ...actions];
}

function editClient(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const name = declared(scene);
  const found = name === undefined ? undefined : clientAt(folder, name);
  if (name === undefined || found === undefined) return undefined;
  const choices: Edit[] = [
    { edit: 'client', name, path: found.path, set: { name: chance.pick(['One', 'Two', 'Three', null]) } },
    { edit: 'client', name, path: found.path, set: { key: chance.pick(['key-1', 'key-2', 'key-3']) } },
    {
      edit: 'client',
      name,
      path: found.path,
      set: { organizationScoped: found.entry.organizationScoped !== true },
    },
    {
      edit: 'client',
      name,
      path: found.path,
      set: { agentPool: chance.often(0.3) ? null : written(scene, 'agentPools', somePool(scene)) },
    },
    {
      edit: 'client',
      name,
      path: found.path,
      set: {},
      drop: [chance.pick(['name', 'key', 'organizationScoped', 'agentPool'] as const)],
    },
  ];
  return [chance.pick(choices)];
}

function editProjects(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const name = chance.maybe(
    clientNames(folder).filter((one) =>
      filesOf(folder).every(([, file]) => file.attachments.every(({ oauthClient }) => oauthClient !== one)),
    ),
  );
  if (name === undefined) return undefined;
  const { path = '', entry } = clientAt(folder, name) ?? {};
  if (entry?.projects !== undefined && chance.often(0.2))
    return [{ edit: 'client', name, path, set: {}, drop: ['projects'] }];
  const list = chance.often(0.2)
    ? []
    : chance.some(projects, 0.5).map((id) => written(scene, 'projects', id));
  return [{ edit: 'client', name, path, set: { projects: list } }];
}

function attachmentLine(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const there = filesOf(folder).flatMap(([, file]) => file.attachments);
  const old = chance.maybe(there);
  if (old !== undefined && chance.often(0.4)) return [{ edit: 'drop-attachment', ...old }];
  const free = clientNames(folder).filter((one) => clientAt(folder, one)?.entry.projects === undefined);
  const strangers = [...scene.reality.clients.keys()].filter(
    (id) => !Object.values(scene.ledger.objects).some((object) => object.id === id),
  );
  const oauthClient = chance.maybe(chance.often(0.75) ? free : strangers);
  const project = someProject(scene);
  if (oauthClient === undefined) return undefined;
  const repeated = there.some(
    (one) => one.oauthClient === oauthClient && idOf(folder, 'projects', one.project) === project,
  );
  if (repeated) return undefined;
  return [
    { edit: 'attachment', path: pathIn(scene), oauthClient, project: written(scene, 'projects', project) },
  ];
}

/** Ends by id of what the lines say, to keep the generator from contradicting itself too often. */
function covers(scene: Scene, target: string, source: string): boolean {
  const id = (text: string): string => idOf(scene.folder, 'workspaces', text);
  return lines(scene).some((item) => {
    if ('sources' in item)
      return (
        id(item.target) === target ||
        item.sources.some((one) => id(one) === source && id(item.target) === target)
      );
    if ('targets' in item) return id(item.source) === source;
    return id(item.target) === target && id(item.source) === source;
  });
}

function sourcesOf(scene: Scene, target: string): number {
  const id = (text: string): string => idOf(scene.folder, 'workspaces', text);
  return lines(scene).reduce((sum, item) => {
    if ('sources' in item) return sum + (id(item.target) === target ? item.sources.length : 0);
    if ('targets' in item) return sum + (item.targets.some((one) => id(one) === target) ? 1 : 0);
    return sum + (id(item.target) === target ? 1 : 0);
  }, 0);
}

function singleTrigger(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const single = lines(scene).filter((item) => 'target' in item && 'source' in item);
  const old = chance.maybe(single);
  if (old !== undefined && chance.often(0.4)) return [{ edit: 'drop-line', item: old }];
  const [target, source] = [someWorkspace(scene), someWorkspace(scene)];
  if (target === source || (covers(scene, target, source) && chance.often(0.95))) return undefined;
  if (sourcesOf(scene, target) >= maxSources[scene.conditions.profile]) return undefined;
  const item = { target: written(scene, 'workspaces', target), source: written(scene, 'workspaces', source) };
  return [{ edit: 'line', path: pathIn(scene), item }];
}

function members(scene: Scene, end: string, side: 'in' | 'out'): string[] {
  const { chance, conditions } = scene;
  const limit = maxSources[conditions.profile];
  const others = chance.shuffled(workspaces.filter((id) => id !== end)).slice(0, chance.below(4));
  const roomy = side === 'in' ? others.slice(0, limit) : others.filter((id) => sourcesOf(scene, id) < limit);
  return roomy.map((id) => written(scene, 'workspaces', id));
}

function exactSet(side: 'in' | 'out') {
  return (scene: Scene): Action[] | undefined => {
    const { chance, folder } = scene;
    const sets = lines(scene).filter((item) => (side === 'in' ? 'sources' in item : 'targets' in item));
    const old = chance.maybe(sets);
    const id = (text: string): string => idOf(folder, 'workspaces', text);
    if (old !== undefined && chance.often(0.7)) {
      if (chance.often(0.2)) return [{ edit: 'drop-line', item: old }];
      const to: TriggerItem =
        'sources' in old
          ? { target: old.target, sources: members(scene, id(old.target), 'in') }
          : 'targets' in old
            ? { source: old.source, targets: members(scene, id(old.source), 'out') }
            : old;
      return [{ edit: 'change-line', from: old, to }];
    }
    const end = someWorkspace(scene);
    const taken = sets.some(
      (item) => id('sources' in item ? item.target : 'targets' in item ? item.source : '') === end,
    );
    if (taken) return undefined;
    const name = written(scene, 'workspaces', end);
    const list = members(scene, end, side);
    const item: TriggerItem =
      side === 'in' ? { target: name, sources: list } : { source: name, targets: list };
    return [{ edit: 'line', path: pathIn(scene), item }];
  };
}

export function replaceClient(scene: Scene, approved = scene.chance.often(0.75)): Action[] | undefined {
  const { chance, folder, conditions } = scene;
  const name = chance.maybe(clientNames(folder).filter((one) => heldId(scene, one) !== undefined));
  const found = name === undefined ? undefined : clientAt(folder, name);
  if (name === undefined || found === undefined) return undefined;
  const { path, entry } = found;
  const id = heldId(scene, name) ?? '';
  const plain = ['provider_a', 'provider_b_hosted', 'github', 'gitlab_hosted'];
  const alike = providers[conditions.profile].filter(
    (one) => plain.includes(one) && plain.includes(entry.serviceProvider),
  );
  const edit: Edit = chance.pick([
    { edit: 'client', name, path, set: { httpUrl: chance.pick(hosts) } },
    { edit: 'client', name, path, set: { apiUrl: `${chance.pick(hosts)}/api/v${1 + chance.below(3)}` } },
    ...(alike.length > 0
      ? [{ edit: 'client' as const, name, path, set: { serviceProvider: chance.pick(alike) } }]
      : []),
  ]);
  const line: Action = { edit: 'approve', path, line: { replace: `OAuthClient/${name}`, id } };
  return approved ? [edit, line] : [edit];
}

export function dropClient(scene: Scene, approved = scene.chance.often(0.75)): Action[] | undefined {
  const name = declared(scene);
  if (name === undefined) return undefined;
  const id = heldId(scene, name);
  const { path = '' } = clientAt(scene.folder, name) ?? {};
  const approve: Action[] =
    id !== undefined && approved
      ? [{ edit: 'approve', path, line: { destroy: `OAuthClient/${name}`, id } }]
      : [];
  return [{ edit: 'drop-client', name }, ...approve];
}

function secretEdit(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const name = declared(scene);
  const entry = name === undefined ? undefined : clientAt(folder, name)?.entry;
  if (name === undefined || entry === undefined) return undefined;
  const field = chance.pick(secretsFor(entry.serviceProvider));
  const source = entry.secrets[field];
  if (source === undefined) {
    const fresh = sourceOf(scene, name, field);
    return [
      { edit: 'secret-line', name, field, source: fresh },
      { do: 'secret', source: fresh, value: canary(scene) },
    ];
  }
  const needed = field === 'privateKey' || entry.serviceProvider === 'bitbucket_data_center';
  if (!needed && chance.often(0.2)) return [{ edit: 'secret-line', name, field, source: null }];
  return [{ do: 'secret', source, value: canary(scene) }];
}

function secretMissing(scene: Scene): Action[] | undefined {
  const source = scene.chance.maybe(Object.keys(scene.env).filter((one) => !one.startsWith('file:')));
  return source === undefined ? undefined : [{ do: 'secret', source, value: null }];
}

type Outward = Extract<TriggerItem, { targets: string[] }>;

/** Two outward sets exchange one target each: where these are full, the deletes must come first. */
function swapMembers(scene: Scene): Action[] | undefined {
  const { chance, conditions, reality } = scene;
  const sets = lines(scene).flatMap((item): Outward[] => ('targets' in item ? [item] : []));
  const id = (text: string): string => idOf(scene.folder, 'workspaces', text);
  const isFull = (name: string): boolean =>
    reality.triggers.filter(({ target }) => target === id(name)).length >= maxSources[conditions.profile];
  const swaps = sets.flatMap((one, at) =>
    sets.slice(at + 1).flatMap((other) =>
      one.targets.flatMap((given) =>
        other.targets.flatMap((taken) => {
          const ends = [id(given), id(taken), id(one.source), id(other.source)];
          return new Set(ends).size === 4 && !one.targets.includes(taken) && !other.targets.includes(given)
            ? [{ one, other, given, taken }]
            : [];
        }),
      ),
    ),
  );
  const full = swaps.filter(({ given, taken }) => isFull(given) && isFull(taken));
  const swap = chance.maybe(full) ?? chance.maybe(swaps);
  if (swap === undefined)
    return exactSet('out')(scene)?.map((action) => ({ ...action, tags: ['set-outward'] }));
  const { one, other, given, taken } = swap;
  if (full.length === 0 && Number.isFinite(maxSources[conditions.profile]) && chance.often(0.8)) {
    // Full first, and applied, so that there is no room for both.
    const fillers = [given, taken].flatMap((name): Action[] => {
      const target = id(name);
      if (sourcesOf(scene, target) >= maxSources[conditions.profile]) return [];
      const source = chance.maybe(workspaces.filter((end) => end !== target && !covers(scene, target, end)));
      return source === undefined
        ? []
        : [{ edit: 'line', path: pathIn(scene), item: { target: name, source } }];
    });
    if (fillers.length > 0) return fillers.map((action) => ({ ...action, tags: ['single-trigger'] }));
    return undefined;
  }
  const exchange = (item: Outward, out: string, back: string): TriggerItem => ({
    ...item,
    targets: [...item.targets.filter((name) => name !== out), back],
  });
  return [
    { edit: 'change-line', from: one, to: exchange(one, given, taken) },
    { edit: 'change-line', from: other, to: exchange(other, taken, given) },
  ];
}

export const entryProposals: readonly Proposal[] = [
  { tag: 'client-added', weight: 6, propose: (scene) => addClient(scene) },
  { tag: 'client-edited', weight: 6, first: 'client-added', propose: editClient },
  { tag: 'client-replaced', weight: 3, first: 'client-added', propose: (scene) => replaceClient(scene) },
  { tag: 'client-dropped', weight: 2, first: 'client-added', propose: (scene) => dropClient(scene) },
  { tag: 'projects-list', weight: 4, first: 'client-added', propose: editProjects },
  { tag: 'attachment-line', weight: 4, first: 'client-added', propose: attachmentLine },
  { tag: 'single-trigger', weight: 5, propose: singleTrigger },
  { tag: 'set-inward', weight: 4, propose: exactSet('in') },
  { tag: 'set-outward', weight: 4, propose: exactSet('out') },
  { tag: 'sets-swapped', weight: 2, propose: swapMembers },
  { tag: 'secret-changed', weight: 3, first: 'client-added', propose: secretEdit },
  { tag: 'secret-missing', weight: 1, first: 'secret-changed', propose: secretMissing },
];
