/** Proposals about where things stand: files, their endings, aliases; and mistakes that must be refused. */
import type { Action } from './actions';
import { type AliasKind, clientAt, clientNames, filesOf, type Spoilt } from './manifests';
import { agentPools, projects, workspaces } from './organization';
import { lines, type Proposal, paths, type Scene } from './scene';

const ids: Readonly<Record<AliasKind, readonly string[]>> = { workspaces, projects, agentPools };
const aliasNames: Readonly<Record<AliasKind, readonly string[]>> = {
  workspaces: ['network', 'app', 'docs', 'jobs', 'web', 'dns', 'images', 'cluster'],
  projects: ['payments', 'platform', 'product', 'research', 'tools', 'extra'],
  agentPools: ['dmz', 'office', 'cloud', 'lab'],
};

const aliasesOf = ({ folder }: Scene, kind: AliasKind): [string, string][] =>
  filesOf(folder).flatMap(([, file]) => Object.entries(file.aliases[kind]));

const someKind = ({ chance }: Scene): AliasKind =>
  chance.pick(['workspaces', 'workspaces', 'projects', 'projects', 'agentPools']);

const somePath = ({ chance, folder }: Scene): string | undefined => chance.maybe(Object.keys(folder.files));

/** Gives an id a name, and writes the name wherever the id stood. */
function addAlias(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const kind = someKind(scene);
  const taken = aliasesOf(scene, kind);
  const id = chance.maybe(ids[kind].filter((one) => !taken.some(([, to]) => to === one)));
  const name = chance.maybe(aliasNames[kind].filter((one) => !taken.some(([alias]) => alias === one)));
  const path = somePath(scene);
  if (id === undefined || name === undefined || path === undefined) return undefined;
  return [
    { edit: 'alias', kind, path, name, id },
    { edit: 'rewrite', kind, from: id, to: name },
  ];
}

function renameAlias(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const kind = someKind(scene);
  const taken = aliasesOf(scene, kind);
  const old = chance.maybe(taken);
  const to = chance.maybe(aliasNames[kind].filter((one) => !taken.some(([alias]) => alias === one)));
  if (old === undefined || to === undefined) return undefined;
  return [{ edit: 'rename-alias', kind, from: old[0], to }];
}

/** The name means something else from now on, and the lines stay as they are. */
function repointAlias(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const kind = someKind(scene);
  const taken = aliasesOf(scene, kind);
  const old = chance.maybe(taken);
  const id = chance.maybe(ids[kind].filter((one) => !taken.some(([, to]) => to === one)));
  if (old === undefined || id === undefined) return undefined;
  return [{ edit: 'alias', kind, path: '', name: old[0], id }];
}

function split(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const from = somePath(scene);
  const path = chance.maybe(paths.filter((one) => one !== from));
  if (from === undefined || path === undefined) return undefined;
  const name = chance.maybe(clientNames(folder));
  if (name !== undefined && chance.often(0.4)) return [{ edit: 'move-client', name, path }];
  if ((folder.files[from]?.triggers.length ?? 0) === 0) return undefined;
  return [{ edit: 'move-lines', from, path, every: 1 + chance.below(3) }];
}

function renameFile(scene: Scene): Action[] | undefined {
  const from = somePath(scene);
  const to = `${scene.chance.pick(['renamed', 'other', 'z-last', 'sub/deep/er'])}-${scene.fresh()}.tether.${scene.chance.pick(['yaml', 'yml', 'json'])}`;
  return from === undefined ? undefined : [{ edit: 'rename-file', from, to }];
}

/** Deletes a file; what it declared is approved to go, mostly, and what names its clients elsewhere goes with it. */
function dropFile(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  if (Object.keys(folder.files).length < 2) return undefined;
  const path = somePath(scene);
  const other = chance.maybe(Object.keys(folder.files).filter((one) => one !== path));
  if (path === undefined || other === undefined) return undefined;
  const actions: Action[] = [];
  for (const name of Object.keys(folder.files[path]?.clients ?? {})) {
    actions.push({ edit: 'drop-client', name });
    const id = ledger.objects[`OAuthClient/${name}`]?.id;
    if (id === undefined || chance.often(0.25)) continue;
    actions.push({ edit: 'approve', path: other, line: { destroy: `OAuthClient/${name}`, id } });
  }
  return [...actions, { edit: 'drop-file', path }];
}

/** Makes a file one that cannot be read; the next time it is put right again. */
function spoil(...ways: readonly Spoilt[]) {
  return (scene: Scene): Action[] | undefined => {
    const path = somePath(scene);
    return path === undefined ? undefined : [{ edit: 'spoil', path, how: scene.chance.pick(ways) }];
  };
}

function misspeltOrganization(scene: Scene): Action[] | undefined {
  const path = somePath(scene);
  return path === undefined
    ? undefined
    : [{ edit: 'organization', path: null, name: scene.chance.pick(['acmee', 'other']) }];
}

function secondOrganization(scene: Scene): Action[] | undefined {
  const path = somePath(scene);
  return path === undefined ? undefined : [{ edit: 'organization', path, name: 'other' }];
}

/** The public key only where the provider takes one: elsewhere another rule refuses it already. */
function keyOfNull(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const centers = clientNames(folder).filter(
    (one) => clientAt(folder, one)?.entry.rsaPublicKey !== undefined,
  );
  const center = chance.often(0.7) ? chance.maybe(centers) : undefined;
  if (center !== undefined) return [{ edit: 'client', name: center, path: '', set: { rsaPublicKey: null } }];
  const name = chance.maybe(clientNames(folder));
  return name === undefined ? undefined : [{ edit: 'client', name, path: '', set: { key: null } }];
}

function contradiction(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const item = chance.maybe(lines(scene));
  const path = somePath(scene);
  if (item === undefined || path === undefined) return undefined;
  return [{ edit: 'line', path, item }];
}

function strayLedger({ chance }: Scene): Action[] {
  return [{ do: 'stray-ledger', where: chance.pick(['above', 'below'] as const) }];
}

export const fileProposals: readonly Proposal[] = [
  { tag: 'stray-ledger', weight: 0.5, mistake: true, propose: strayLedger },
  { tag: 'alias-given', weight: 2, first: 'single-trigger', propose: addAlias },
  { tag: 'alias-renamed', weight: 3, first: 'alias-given', propose: renameAlias },
  { tag: 'alias-repointed', weight: 2, first: 'alias-given', propose: repointAlias },
  { tag: 'file-split', weight: 2, first: 'client-added', propose: split },
  { tag: 'file-renamed', weight: 2, first: 'single-trigger', propose: renameFile },
  { tag: 'file-deleted', weight: 1, first: 'file-split', propose: dropFile },
  { tag: 'wrong-ending', weight: 1, first: 'single-trigger', mistake: true, propose: spoil('ending') },
  {
    tag: 'unreadable-file',
    weight: 1,
    first: 'single-trigger',
    mistake: true,
    propose: spoil('dangling', 'bytes', 'pipe', 'device', 'outside', 'syntax'),
  },
  {
    tag: 'organization-misspelt',
    weight: 1,
    first: 'single-trigger',
    mistake: true,
    propose: misspeltOrganization,
  },
  {
    tag: 'two-organizations',
    weight: 0.5,
    first: 'single-trigger',
    mistake: true,
    propose: secondOrganization,
  },
  { tag: 'key-null', weight: 0.7, first: 'client-added', mistake: true, propose: keyOfNull },
  { tag: 'line-twice', weight: 0.5, first: 'single-trigger', mistake: true, propose: contradiction },
];
