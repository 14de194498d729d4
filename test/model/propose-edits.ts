/** Proposals about the manifest: entries, links, and the lines that direct something. */
import type { Action, Edit } from './actions';
import type { Scene } from './course';
import { attachmentOf, desiredOf } from './desired';
import { errorBody } from './gateway';
import type { ClientEntry, SecretField } from './manifests';
import { organization, type ProfileName } from './organization';
import { aPool, declared, linkProposals, type Proposal, someProjects } from './propose-links';

const names = ['github', 'gitlab', 'legacy', 'mirror', 'forge'] as const;
export const hosts = ['https://one.example', 'https://two.example', 'https://three.example'] as const;

const providersOf: Readonly<Record<ProfileName, readonly string[]>> = {
  default: ['provider_a', 'provider_b_hosted', 'provider_c_server'],
  tight: ['provider_a', 'provider_b_hosted', 'provider_c_server'],
  'hcp-terraform': ['github', 'gitlab_hosted', 'ado_server'],
};
export const providers = ({ course }: Scene): readonly string[] =>
  providersOf[course.site.conditions.profile];
const needsKey = (provider: string): boolean => /_server$/u.test(provider);

/** A new variable with a value that no file may ever hold. */
function newSecret(scene: Scene): { source: string; value: Action } {
  const number = scene.fresh();
  const source = `SECRET_${number}`;
  return { source, value: { do: 'value', source, value: spelled(scene, `CANARY-secret-${number}`) } };
}

/** Writes a value as it comes from people's surroundings: with a line break or a BOM, and rarely with what is refused. */
function spelled({ chance }: Scene, value: string): string {
  const forms = [`${value}\n`, `${value}\r\n`, `\uFEFF${value}`];
  if (chance.often(0.75)) return value;
  return chance.often(0.9)
    ? chance.pick(forms)
    : chance.pick([` ${value}`, `"${value}"`, `${value}\n\n${value}`]);
}

function freshEntry(scene: Scene): { entry: ClientEntry; values: Action[] } {
  const { chance } = scene;
  const serviceProvider = chance.pick(providers(scene));
  const host = chance.pick(hosts);
  const values: Action[] = [];
  const entry: ClientEntry = { serviceProvider, httpUrl: host, apiUrl: `${host}/api`, secrets: {} };
  const declare = (field: SecretField): void => {
    const { source, value } = newSecret(scene);
    entry.secrets[field] = source;
    values.push(value);
  };
  if (chance.often(0.7)) entry.name = chance.pick(['One', 'Two', 'Three']);
  if (chance.often(0.3)) entry.key = `key-${chance.below(3)}`;
  if (chance.often(0.4)) entry.organizationScoped = chance.often(0.5);
  if (chance.often(0.3)) entry.agentPool = chance.often(0.3) ? null : aPool(scene);
  if (chance.often(0.4)) entry.projects = someProjects(scene);
  if (needsKey(serviceProvider)) declare('privateKey');
  else if (chance.often(0.6)) declare('oauthTokenString');
  if (chance.often(0.2) && !needsKey(serviceProvider)) declare('secret');
  return { entry, values };
}

function addClient(scene: Scene): Action[] | undefined {
  const free = names.filter((name) => scene.folder.clients[name] === undefined);
  const name = scene.chance.maybe(free);
  if (name === undefined) return undefined;
  const twin = declared(scene);
  if (twin !== undefined && scene.chance.often(0.07)) {
    const entry = structuredClone(scene.folder.clients[twin]) as ClientEntry;
    return [{ edit: 'client', name, entry }];
  }
  const { entry, values } = freshEntry(scene);
  return [...values, { edit: 'client', name, entry }];
}

function editClient(scene: Scene): Action[] | undefined {
  const name = declared(scene);
  if (name === undefined) return undefined;
  const { chance } = scene;
  const field = (one: Extract<Edit, { edit: 'field' }>['field'], value?: unknown): Action[] => [
    { edit: 'field', name, field: one, ...(value === undefined ? {} : { value }) },
  ];
  return chance.pick([
    () => field('name', chance.pick(['One', 'Two', 'Four', null])),
    () => field('name'),
    () => field('key', `key-${chance.below(4)}`),
    () => field('organizationScoped', chance.often(0.5)),
    () => field('organizationScoped'),
    () => field('agentPool', chance.often(0.3) ? null : aPool(scene)),
    () => field('projects', someProjects(scene)),
    () => field('projects'),
  ])();
}

function replaceClient(scene: Scene): Action[] | undefined {
  const name = declared(scene);
  if (name === undefined) return undefined;
  const host = scene.chance.pick(hosts);
  const field = scene.chance.pick(['httpUrl', 'apiUrl'] as const);
  return [{ edit: 'field', name, field, value: field === 'httpUrl' ? host : `${host}/api` }];
}

/** Removes the entry of a client and the lines of its attachments. */
function withoutClient({ folder }: Scene, name: string): Action[] {
  const own = folder.attachments.filter(({ oauthClient }) => oauthClient === name);
  const links: Action[] = own.map((item) => ({ edit: 'attachment', item, on: false }));
  return [...links, { edit: 'client', name, entry: null }];
}

function removeClient(scene: Scene): Action[] | undefined {
  const name = declared(scene);
  if (name === undefined) return undefined;
  const forget: Action[] = scene.chance.often(0.25)
    ? [{ edit: 'forget', address: `OAuthClient/${name}`, on: true }]
    : [];
  return [...withoutClient(scene, name), ...forget];
}

/** One commit has a new client and the approved destroy of a managed one. Mostly the service does not make the new one. */
function swapClient(scene: Scene): Action[] | undefined {
  const { chance, ledger } = scene;
  const name = declared(scene) ?? '';
  const { id } = ledger.objects[`OAuthClient/${name}`] ?? {};
  const added = addClient(scene);
  if (id === undefined || added === undefined) return undefined;
  const treatment = chance.pick([
    { do: 'answer', status: 422, body: errorBody(422, 'no') },
    { do: 'reset' },
  ] as const);
  const trouble = { trouble: 'treat', which: 'create-client', nth: 1, times: 1, treatment } as const;
  return [
    ...withoutClient(scene, name),
    ...added,
    { edit: 'approve', line: { destroy: `OAuthClient/${name}`, id }, on: true },
    { do: 'run', maxDeletes: 100, ...(chance.often(0.75) && { trouble }) },
  ];
}

function renameClient(scene: Scene): Action[] | undefined {
  const { chance } = scene;
  const from = declared(scene);
  const to = chance.pick(names);
  if (from === undefined || from === to) return undefined;
  const key: Action = { edit: 'field', name: to, field: 'key', value: `key-${chance.below(4)}` };
  return [{ edit: 'rename', from, to }, ...(chance.often(0.5) ? [key] : [])];
}

function changeSecret(scene: Scene): Action[] | undefined {
  const name = declared(scene);
  const entry = scene.folder.clients[name ?? ''];
  if (name === undefined || entry === undefined) return undefined;
  const { chance } = scene;
  const [field, source] = chance.maybe(Object.entries(entry.secrets) as [SecretField, string][]) ?? [];
  const choice = chance.below(4);
  if (field !== undefined && source !== undefined && choice < 2) {
    // Some values come back.
    const number = chance.often(0.5) ? chance.below(2) : scene.fresh();
    return [{ do: 'value', source, value: spelled(scene, `CANARY-secret-${number}`) }];
  }
  // Another reference to the same value is no change.
  if (field !== undefined && source !== undefined && choice === 2) {
    const { source: other } = newSecret(scene);
    const value = scene.course.env[source] ?? null;
    return [
      { do: 'value', source: other, value },
      { edit: 'secret', name, field, source: other },
    ];
  }
  if (needsKey(entry.serviceProvider)) return undefined;
  const added = chance.pick(['oauthTokenString', 'secret'] as const);
  if (entry.secrets[added] !== undefined) return [{ edit: 'secret', name, field: added, source: null }];
  const { source: other, value } = newSecret(scene);
  return [value, { edit: 'secret', name, field: added, source: other }];
}

function loseValue({ chance, course }: Scene): Action[] | undefined {
  const source = chance.maybe(Object.keys(course.env));
  return source === undefined ? undefined : [{ do: 'value', source, value: null }];
}

/** An id that exists, mostly one that nobody manages. */
function adopt(scene: Scene): Action[] | undefined {
  const { chance, course, ledger } = scene;
  const reality = [...course.site.reality().clients.values()];
  const recorded = Object.values(ledger.objects).map(({ id }) => id);
  const free = reality.filter(({ id }) => !recorded.includes(id));
  const one = chance.maybe(free.length > 0 && chance.often(0.85) ? free : reality);
  if (one === undefined) return undefined;
  const matching = Object.entries(scene.folder.clients).find(
    ([, entry]) => entry.httpUrl === one.httpUrl && entry.serviceProvider === one.serviceProvider,
  );
  const name = matching !== undefined && chance.often(0.4) ? matching[0] : chance.pick(names);
  if (scene.folder.clients[name] !== undefined) {
    return [{ edit: 'field', name, field: 'id', value: chance.often(0.95) ? one.id : 'oc-999' }];
  }
  const { entry, values } = freshEntry(scene);
  const { serviceProvider, httpUrl, apiUrl } = one;
  const fixed = chance.often(0.85) ? { serviceProvider, httpUrl, apiUrl } : {};
  const isSound =
    needsKey(entry.serviceProvider) === needsKey(fixed.serviceProvider ?? entry.serviceProvider);
  return [
    ...values,
    {
      edit: 'client',
      name,
      entry: { ...entry, ...fixed, secrets: isSound ? entry.secrets : {}, id: one.id },
    },
  ];
}

function dropId(scene: Scene): Action[] | undefined {
  const held = Object.entries(scene.folder.clients).filter(([, { id }]) => id !== undefined);
  const [name] = scene.chance.maybe(held) ?? [];
  return name === undefined ? undefined : [{ edit: 'field', name, field: 'id' }];
}

/** Spells an address as people do: right, with its ends swapped, in another case, or with one letter too many. */
export function misspelt({ chance }: Scene, address: string): string {
  const [kind = '', ...parts] = address.split('/');
  const at = chance.below(parts.length);
  const change = (by: (part: string) => string): string =>
    [kind, ...parts.map((part, index) => (index === at ? by(part) : part))].join('/');
  return chance.pick([
    () => change((part) => `${part}x`),
    () =>
      kind === 'RunTrigger' ? [kind, ...parts.toReversed()].join('/') : change((part) => part.slice(0, -1)),
    () =>
      kind === 'RunTrigger'
        ? change((part) => `${part}-`)
        : change((part) => part[0]?.toUpperCase() + part.slice(1)),
  ])();
}

/** Removes the line of a managed object, with a line under `forget:` that is mostly misspelt. */
function forgetInstead(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const spell = (address: string): string => (chance.often(0.7) ? misspelt(scene, address) : address);
  const trigger = chance.maybe(folder.triggers.filter((item) => !('sources' in item || 'targets' in item)));
  const attachment = chance.maybe(folder.attachments);
  const client = chance.maybe(
    Object.keys(folder.clients).filter((name) => ledger.objects[`OAuthClient/${name}`] !== undefined),
  );
  const by = chance.below(3);
  if (by === 0 && trigger !== undefined && 'target' in trigger && 'source' in trigger) {
    const address = spell(`RunTrigger/${trigger.target}/${trigger.source}`);
    return [
      { edit: 'trigger', item: trigger, on: false },
      { edit: 'forget', address, on: true },
    ];
  }
  if (by === 1 && attachment !== undefined) {
    const address = spell(attachmentOf(attachment.oauthClient, attachment.project));
    return [
      { edit: 'attachment', item: attachment, on: false },
      { edit: 'forget', address, on: true },
    ];
  }
  if (client === undefined) return undefined;
  return [
    ...withoutClient(scene, client),
    { edit: 'forget', address: spell(`OAuthClient/${client}`), on: true },
  ];
}

/** A link or a client that exists, whoever made it. An exact set may cover it. */
function forgetForeign({ chance, course }: Scene): Action[] | undefined {
  const { clients, triggers } = course.site.reality();
  const pairs = triggers.map(({ target, source }) => `RunTrigger/${target}/${source}`);
  const attached = [...clients.values()].flatMap(({ id, projects }) =>
    projects.map((project) => attachmentOf(id, project)),
  );
  const ids = [...clients.keys()].map((id) => `OAuthClient/${id}`);
  const address = chance.maybe(chance.pick([pairs, pairs, attached, ids]));
  return address === undefined ? undefined : [{ edit: 'forget', address, on: true }];
}

/** Any recorded address that is not declared, or a link's. */
function forget(scene: Scene): Action[] | undefined {
  const { chance, folder, ledger } = scene;
  const old = chance.maybe(folder.forget);
  if (old !== undefined && chance.often(0.3)) return [{ edit: 'forget', address: old, on: false }];
  const retiring = Object.values(ledger.objects).flatMap(({ retiring = [] }) => retiring);
  const gone = Object.keys({ ...ledger.objects, ...ledger.pending }).filter(
    (key) => key.startsWith('OAuthClient/') && folder.clients[key.replace('OAuthClient/', '')] === undefined,
  );
  const { triggers } = desiredOf(folder, scene.course.site.conditions.profile);
  const links = Object.keys(ledger.objects).filter(
    (key) => key.startsWith('RunTrigger/') && !triggers.has(key),
  );
  const address = chance.maybe([...gone, ...links, ...retiring.map((id) => `OAuthClient/${id}`)]);
  if (address === undefined) return undefined;
  return [{ edit: 'forget', address: chance.often(0.25) ? misspelt(scene, address) : address, on: true }];
}

/** Approves the requests of the last plan, sometimes with a wrong id or address. */
export function approve(scene: Scene): Action[] {
  const { chance, course } = scene;
  return course.open.approvals.flatMap(({ action, address, id: wanted }): Action[] => {
    const id = chance.often(0.25) ? 'oc-999' : wanted;
    const line = action === 'replace' ? { replace: address, id } : { destroy: address, id };
    return [{ edit: 'approve', line, on: true }];
  });
}

/** Proposes solutions for the problems of the last plan. */
function solve(scene: Scene): Action[] | undefined {
  const { chance, course, folder } = scene;
  const problem = chance.maybe(course.open.problems);
  const name = problem?.address?.replace('OAuthClient/', '') ?? '';
  const entry = folder.clients[name];
  if (problem === undefined || entry === undefined) return undefined;
  if (problem.rule !== 'possible-match')
    return entry.id === undefined ? undefined : [{ edit: 'field', name, field: 'id' }];
  const recorded = new Set(Object.values(course.ledger().objects).map(({ id }) => id));
  const matches = [...course.site.reality().clients.values()].filter(
    (client) =>
      client.httpUrl === entry.httpUrl && client.apiUrl === entry.apiUrl && !recorded.has(client.id),
  );
  const [first] = matches;
  if (first === undefined) return undefined;
  if (chance.often(0.5)) return [{ edit: 'field', name, field: 'id', value: first.id }];
  return [{ edit: 'field', name, field: 'allowDuplicate', value: matches.map(({ id }) => id) }];
}

const otherOrganization = ({ folder }: Scene): Action[] => [
  { edit: 'organization', name: folder.organization === organization ? 'other' : organization },
];

export const editProposals: readonly Proposal[] = [
  ...linkProposals,
  { tag: 'client-added', weight: 6, propose: addClient },
  { tag: 'client-edited', weight: 6, propose: editClient },
  { tag: 'client-replaced', weight: 3.5, propose: replaceClient },
  { tag: 'client-removed', weight: 3, propose: removeClient },
  { tag: 'client-swapped', weight: 1.5, propose: swapClient },
  { tag: 'client-renamed', weight: 2.5, propose: renameClient },
  { tag: 'secret-changed', weight: 2.5, propose: changeSecret },
  { tag: 'secret-unset', weight: 0.5, propose: loseValue },
  { tag: 'adopted', weight: 2, propose: adopt },
  { tag: 'id-dropped', weight: 0.7, propose: dropId },
  { tag: 'forgotten', weight: 1.5, propose: forget },
  { tag: 'forgotten-instead', weight: 2.5, propose: forgetInstead },
  { tag: 'forgotten-foreign', weight: 1.5, propose: forgetForeign },
  { tag: 'solved', weight: 4, propose: solve },
  { tag: 'other-organization', weight: 0.25, propose: otherOrganization },
];
