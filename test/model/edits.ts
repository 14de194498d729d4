/** Edits of the manifests, as people make them: plain values, so that a course can be printed, shortened and played again. */
import {
  type AliasKind,
  type Approval,
  type ClientEntry,
  clientAt,
  emptyFile,
  type Folder,
  filesOf,
  type ManifestFile,
  type SecretField,
  type Spoilt,
  type TriggerItem,
} from './manifests';
import { organization } from './organization';

export type Edit =
  /** Adds an entry, or changes one: `undefined` members cannot be printed, so lines to take out are named in `drop`. */
  | { edit: 'client'; name: string; path: string; set: Partial<ClientEntry>; drop?: (keyof ClientEntry)[] }
  | { edit: 'secret-line'; name: string; field: SecretField; source: string | null }
  | { edit: 'drop-client'; name: string }
  | { edit: 'rename-client'; from: string; to: string }
  | { edit: 'line'; path: string; item: TriggerItem }
  | { edit: 'drop-line'; item: TriggerItem }
  | { edit: 'change-line'; from: TriggerItem; to: TriggerItem }
  | { edit: 'attachment'; path: string; oauthClient: string; project: string }
  | { edit: 'drop-attachment'; oauthClient: string; project: string }
  /** `id: null` takes the alias away; what names it stays as it is. */
  | { edit: 'alias'; kind: AliasKind; path: string; name: string; id: string | null }
  /** The alias and everything that names it. */
  | { edit: 'rename-alias'; kind: AliasKind; from: string; to: string }
  /** Writes the id's alias, or the id, in all lines. */
  | { edit: 'rewrite'; kind: AliasKind; from: string; to: string }
  | { edit: 'move-client'; name: string; path: string }
  | { edit: 'move-lines'; from: string; path: string; every: number }
  | { edit: 'rename-file'; from: string; to: string }
  | { edit: 'drop-file'; path: string }
  | { edit: 'spoil'; path: string; how: Spoilt | null }
  | { edit: 'organization'; path: string | null; name: string }
  | { edit: 'moved'; path: string; from: string; to: string }
  | { edit: 'forget'; path: string; address: string }
  | { edit: 'approve'; path: string; line: Approval }
  | { edit: 'clear-directives' };

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function fileAt(folder: Folder, path: string): ManifestFile {
  folder.files[path] ??= emptyFile(organization);
  return folder.files[path];
}

function editClient(
  folder: Folder,
  { name, path, set, drop = [] }: Extract<Edit, { edit: 'client' }>,
): boolean {
  const found = clientAt(folder, name);
  if (found === undefined && (set.serviceProvider === undefined || path === '')) return false;
  const entry = structuredClone(found?.entry ?? { secrets: {} }) as ClientEntry;
  const before = structuredClone(entry);
  Object.assign(entry, set);
  for (const key of drop) delete entry[key];
  if (found !== undefined && same(before, entry)) return false;
  fileAt(folder, found?.path ?? path).clients[name] = entry;
  return true;
}

function renameClient(folder: Folder, from: string, to: string): boolean {
  const found = clientAt(folder, from);
  if (found === undefined || clientAt(folder, to) !== undefined) return false;
  const file = fileAt(folder, found.path);
  delete file.clients[from];
  file.clients[to] = found.entry;
  for (const [, { attachments }] of filesOf(folder)) {
    for (const line of attachments) if (line.oauthClient === from) line.oauthClient = to;
  }
  return true;
}

/** Replaces a name everywhere it is used for that kind. */
function rewrite(folder: Folder, kind: AliasKind, from: string, to: string): boolean {
  const before = JSON.stringify(folder);
  const swap = (text: string): string => (text === from ? to : text);
  for (const [, file] of filesOf(folder)) {
    if (kind === 'workspaces') {
      file.triggers = file.triggers.map((item) => {
        if ('sources' in item) return { target: swap(item.target), sources: item.sources.map(swap) };
        if ('targets' in item) return { source: swap(item.source), targets: item.targets.map(swap) };
        return { target: swap(item.target), source: swap(item.source) };
      });
    }
    for (const entry of Object.values(file.clients)) {
      if (kind === 'projects' && entry.projects) entry.projects = entry.projects.map(swap);
      if (kind === 'agentPools' && entry.agentPool) entry.agentPool = swap(entry.agentPool);
    }
    if (kind === 'projects') for (const line of file.attachments) line.project = swap(line.project);
  }
  return JSON.stringify(folder) !== before;
}

function setAlias(folder: Folder, edit: Extract<Edit, { edit: 'alias' }>): boolean {
  for (const [, file] of filesOf(folder)) {
    const names = file.aliases[edit.kind];
    if (names[edit.name] === undefined) continue;
    if (edit.id === names[edit.name]) return false;
    if (edit.id === null) delete names[edit.name];
    else names[edit.name] = edit.id;
    return true;
  }
  if (edit.id === null) return false;
  fileAt(folder, edit.path).aliases[edit.kind][edit.name] = edit.id;
  return true;
}

function renameAlias(folder: Folder, { kind, from, to }: Extract<Edit, { edit: 'rename-alias' }>): boolean {
  for (const [, file] of filesOf(folder)) {
    const { [from]: id, ...others } = file.aliases[kind];
    if (id === undefined) continue;
    file.aliases[kind] = { ...others, [to]: id };
    rewrite(folder, kind, from, to);
    return true;
  }
  return false;
}

function changeLine(folder: Folder, from: TriggerItem, to: TriggerItem | null): boolean {
  for (const [, file] of filesOf(folder)) {
    const at = file.triggers.findIndex((item) => same(item, from));
    if (at < 0) continue;
    file.triggers.splice(at, 1, ...(to === null ? [] : [to]));
    return true;
  }
  return false;
}

function moveLines(folder: Folder, { from, path, every }: Extract<Edit, { edit: 'move-lines' }>): boolean {
  const source = folder.files[from];
  if (source === undefined || from === path) return false;
  const moving = source.triggers.filter((_, at) => at % every === 0);
  if (moving.length === 0) return false;
  source.triggers = source.triggers.filter((_, at) => at % every !== 0);
  fileAt(folder, path).triggers.push(...moving);
  return true;
}

function drop<Item>(list: Item[], item: Item): boolean {
  const at = list.findIndex((one) => same(one, item));
  if (at >= 0) list.splice(at, 1);
  return at >= 0;
}

function editFiles(folder: Folder, edit: Edit): boolean {
  switch (edit.edit) {
    case 'rename-file': {
      const file = folder.files[edit.from];
      if (file === undefined || folder.files[edit.to] !== undefined) return false;
      delete folder.files[edit.from];
      folder.files[edit.to] = file;
      return true;
    }
    case 'drop-file':
      return folder.files[edit.path] !== undefined && delete folder.files[edit.path];
    case 'spoil': {
      const file = folder.files[edit.path];
      if (file === undefined || file.spoilt === (edit.how ?? undefined)) return false;
      if (edit.how === null) delete file.spoilt;
      else file.spoilt = edit.how;
      return true;
    }
    case 'organization': {
      const files = filesOf(folder).filter(([path]) => edit.path === null || path === edit.path);
      for (const [, file] of files) file.organization = edit.name;
      return files.length > 0;
    }
    default:
      return false;
  }
}

/** Makes the edit; false, and nothing changed, where it does not apply. */
export function applyEdit(folder: Folder, edit: Edit): boolean {
  switch (edit.edit) {
    case 'client':
      return editClient(folder, edit);
    case 'secret-line': {
      const entry = clientAt(folder, edit.name)?.entry;
      if (entry === undefined || entry.secrets[edit.field] === (edit.source ?? undefined)) return false;
      if (edit.source === null) delete entry.secrets[edit.field];
      else entry.secrets[edit.field] = edit.source;
      return true;
    }
    case 'drop-client': {
      const found = clientAt(folder, edit.name);
      if (found === undefined) return false;
      delete fileAt(folder, found.path).clients[edit.name];
      for (const [, file] of filesOf(folder)) {
        file.attachments = file.attachments.filter(({ oauthClient }) => oauthClient !== edit.name);
      }
      return true;
    }
    case 'rename-client':
      return renameClient(folder, edit.from, edit.to);
    case 'line':
      fileAt(folder, edit.path).triggers.push(structuredClone(edit.item));
      return true;
    case 'drop-line':
      return changeLine(folder, edit.item, null);
    case 'change-line':
      return changeLine(folder, edit.from, structuredClone(edit.to));
    case 'attachment': {
      const { oauthClient, project } = edit;
      fileAt(folder, edit.path).attachments.push({ oauthClient, project });
      return true;
    }
    case 'drop-attachment': {
      const { oauthClient, project } = edit;
      return filesOf(folder).some(([, file]) => drop(file.attachments, { oauthClient, project }));
    }
    case 'alias':
      return setAlias(folder, edit);
    case 'rename-alias':
      return renameAlias(folder, edit);
    case 'rewrite':
      return rewrite(folder, edit.kind, edit.from, edit.to);
    case 'move-client': {
      const found = clientAt(folder, edit.name);
      if (found === undefined || found.path === edit.path) return false;
      delete fileAt(folder, found.path).clients[edit.name];
      fileAt(folder, edit.path).clients[edit.name] = found.entry;
      return true;
    }
    case 'move-lines':
      return moveLines(folder, edit);
    case 'moved':
      fileAt(folder, edit.path).moved.push({ from: edit.from, to: edit.to });
      return true;
    case 'forget':
      fileAt(folder, edit.path).forget.push(edit.address);
      return true;
    case 'approve':
      fileAt(folder, edit.path).approved.push(edit.line);
      return true;
    case 'clear-directives':
      for (const [, file] of filesOf(folder)) Object.assign(file, { moved: [], forget: [], approved: [] });
      return true;
    default:
      return editFiles(folder, edit);
  }
}
