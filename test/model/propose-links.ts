/** Proposals about the links in the manifest, and how a person writes their ends. */
import type { Action } from './actions';
import type { Scene } from './course';
import { attachmentOf, idOf } from './desired';
import { agentPools, nameOf, nameOfNone, nameOfTwo, projects, workspaces } from './organization';
import { allNames } from './reality';

/** Proposes one kind of event, or nothing if there is no occasion. */
export interface Proposal {
  readonly tag: string;
  /** The weight decides how often it is proposed. */
  readonly weight: number;
  propose(scene: Scene): Action[] | undefined;
}

/** The id, its alias, or its name where names can be looked up; rarely a name that means nothing or two. */
function written(
  { chance, folder, course }: Scene,
  kind: 'workspaces' | 'projects' | 'agentPools',
  id: string,
) {
  const alias = Object.entries(folder.aliases[kind]).find(([, to]) => to === id)?.[0];
  if (alias !== undefined && chance.often(0.6)) return alias;
  if (course.site.conditions.profile !== 'hcp-terraform' || chance.often(0.7)) return id;
  if (chance.often(0.06)) return chance.pick([nameOfNone, nameOfTwo]);
  return nameOf(id);
}

const aWorkspace = (scene: Scene): string => written(scene, 'workspaces', scene.chance.pick(workspaces));
const aProject = (scene: Scene): string => written(scene, 'projects', scene.chance.pick(projects));
export const aPool = (scene: Scene): string => written(scene, 'agentPools', scene.chance.pick(agentPools));
const someWorkspaces = (scene: Scene): string[] =>
  scene.chance.some(workspaces, 0.35).map((id) => written(scene, 'workspaces', id));
export const someProjects = (scene: Scene): string[] =>
  scene.chance.some(projects, 0.4).map((id) => written(scene, 'projects', id));

export const declared = ({ chance, folder }: Scene): string | undefined =>
  chance.maybe(Object.keys(folder.clients));

function attachment(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const old = chance.maybe(folder.attachments);
  if (old !== undefined && chance.often(0.4)) {
    const { id = old.oauthClient } = ledger.objects[`OAuthClient/${old.oauthClient}`] ?? {};
    const client = chance.often(0.6) ? id : old.oauthClient;
    const address = attachmentOf(client, idOf(folder, 'projects', old.project, allNames));
    const forget: Action[] = chance.often(0.5) ? [{ edit: 'forget', address, on: true }] : [];
    return [{ edit: 'attachment', item: { ...old }, on: false }, ...forget];
  }
  const oauthClient = declared(scene);
  if (oauthClient === undefined) return undefined;
  return [{ edit: 'attachment', item: { oauthClient, project: aProject(scene) }, on: true }];
}

function trigger(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const old = chance.maybe(folder.triggers);
  if (old !== undefined && chance.often(0.35)) return [{ edit: 'trigger', item: old, on: false }];
  const [target, source] = [aWorkspace(scene), aWorkspace(scene)];
  return [{ edit: 'trigger', item: { target, source }, on: true }];
}

/** A set in the place of everything else around its end. */
function triggerSet(scene: Scene): Action[] | undefined {
  const { chance, folder } = scene;
  const end = aWorkspace(scene);
  const others = someWorkspaces(scene).filter((workspace) => workspace !== end);
  const isInbound = chance.often(0.6);
  const rest = folder.triggers.filter((item) =>
    isInbound ? 'target' in item && item.target === end : 'source' in item && item.source === end,
  );
  const gone: Action[] = rest.map((item) => ({ edit: 'trigger', item, on: false }));
  const item = isInbound ? { target: end, sources: others } : { source: end, targets: others };
  return [...gone, { edit: 'trigger', item, on: true }];
}

/** Many lines go at once, which the limit on losses is there for. */
function removeMany({ folder, chance }: Scene): Action[] | undefined {
  const triggers: Action[] = folder.triggers.map((item) => ({ edit: 'trigger', item, on: false }));
  const links: Action[] = folder.attachments.map((item) => ({ edit: 'attachment', item, on: false }));
  const all = [...triggers, ...links];
  return all.length < 2 ? undefined : chance.often(0.5) ? all : chance.some(all, 0.8);
}

/** A link goes while another line has a name that means nothing: it may be the one that is meant. */
function unknownName({ chance, course, folder }: Scene): Action[] | undefined {
  if (course.site.conditions.profile !== 'hcp-terraform') return undefined;
  const [target = '', source = '', other = ''] = chance.shuffled(workspaces);
  const isAround = (item: object): boolean =>
    [target, source].some((end) => JSON.stringify(item).includes(end));
  const item = { target, source };
  return [
    ...folder.triggers.filter(isAround).map((old): Action => ({ edit: 'trigger', item: old, on: false })),
    { edit: 'trigger', item, on: true },
    { do: 'run', maxDeletes: 100 },
    { edit: 'trigger', item, on: false },
    { edit: 'trigger', item: { target: other, source: chance.pick([nameOfNone, nameOfTwo]) }, on: true },
  ];
}

/** The scope of a client narrows while one of its projects has a name that means nothing. */
function narrow(scene: Scene): Action[] | undefined {
  const name = declared(scene);
  if (name === undefined || scene.course.site.conditions.profile !== 'hcp-terraform') return undefined;
  return [
    { edit: 'field', name, field: 'organizationScoped', value: true },
    { do: 'run' },
    { edit: 'field', name, field: 'projects', value: [...someProjects(scene), nameOfNone] },
    { edit: 'field', name, field: 'organizationScoped', value: false },
  ];
}

function manyTriggers(scene: Scene): Action[] {
  const [target, ...sources] = scene.chance.shuffled(workspaces);
  const isTight = scene.course.site.conditions.profile === 'tight';
  const pairs = sources.slice(0, isTight ? 2 : 5);
  return pairs.map((source) => ({ edit: 'trigger', item: { target: target ?? 'ws-a', source }, on: true }));
}

function alias(scene: Scene): Action[] {
  const kind = scene.chance.pick(['workspaces', 'projects'] as const);
  const id = scene.chance.pick(kind === 'workspaces' ? workspaces : projects);
  return [{ edit: 'alias', kind, name: `alias-${id}`, id }];
}

export const linkProposals: readonly Proposal[] = [
  { tag: 'attachment', weight: 4, propose: attachment },
  { tag: 'trigger', weight: 5, propose: trigger },
  { tag: 'trigger-set', weight: 4, propose: triggerSet },
  { tag: 'many-removed', weight: 0.8, propose: removeMany },
  { tag: 'many-triggers', weight: 1.2, propose: manyTriggers },
  { tag: 'unknown-name', weight: 2.5, propose: unknownName },
  { tag: 'narrowed', weight: 3, propose: narrow },
  { tag: 'alias', weight: 1, propose: alias },
];
