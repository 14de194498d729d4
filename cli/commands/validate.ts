/** `tether validate`, `tether graph` and `tether schema`, all offline. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Manifests, nameInAddress } from '../../manifest/desired';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { arrowsAround, listArrows, maxDrawn, renderGraph } from '../../reconciler/render/graph';
import { messageSection } from '../../reconciler/render/report';
import { renderJson } from '../../reconciler/render/text';
import type { Issue } from '../../resources/kind';
import { counted, suggestion } from '../../resources/names';
import { unlessItFails } from '../../resources/plain-file';
import { findDefinition } from '../../resources/registry';
import { lackingForCreate } from '../../resources/violations';
import type { Call } from '../call';
import { chooseFolders } from '../choose-folders';
import { UserError } from '../errors';
import { readFolder, readOptions, readSound } from '../open-folder';
import type { Outcome } from '../outcome';
import { type FolderResult, firstReason } from '../results';
import { runFolders, toStages } from '../run-folders';

/** Files that are named together are one group. */
export function validate(call: Call): Promise<Outcome> {
  const isFile = (path: string) => unlessItFails(() => statSync(resolve(call.io.cwd, path)).isFile());
  const files = call.args.filter(isFile);
  const folders = call.args.filter((path) => !isFile(path));
  const group = files.join(' ');
  const groups = [...folders, ...(files.length === 0 ? [] : [group])];
  return runFolders(call, toStages(chooseFolders(call, groups)), async (path) => {
    const isGroup = path === group && files.length > 0;
    return validated(call, isGroup ? readManifests(files, readOptions(call)) : readFolder(call, path));
  });
}

/** `validate` reads no ledger, so it cannot know whether a client must be created. */
function neededToCreate({ entries, profile }: Manifests): Issue[] {
  return entries.flatMap((entry) => {
    const definition = findDefinition(entry.kind);
    const lacking = entry.id === undefined ? lackingForCreate(definition, entry, profile) : null;
    if (lacking === null) return [];
    const path = `${definition.section.name}.${nameInAddress(entry.address)}`;
    const message = `if it is not in the ledger yet, ${lacking}`;
    return [{ rule: 'needed-to-create', severity: 'warning', message, path, at: entry.at }];
  });
}

function validated(call: Call, { manifests, sources, ...read }: ReadManifests): FolderResult {
  const issues = [...read.issues, ...(manifests === null ? [] : neededToCreate(manifests))];
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.filter(({ severity }) => severity === 'warning');
  const visible = call.admits('warn') ? issues : errors;
  const objects = manifests?.entries.length ?? 0;
  const counts = [
    errors.length > 0 ? counted(errors.length, 'error') : `Valid: ${counted(objects, 'object')}`,
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
    `${counted(sources.size, 'file')} read`,
  ];
  const summary = `${counts.join(', ')}.`;
  const frames = visible.length === 0 ? '' : `${renderIssues(visible, sources, { color: call.color })}\n\n`;
  return {
    text: `${frames}${summary}\n`,
    outcome: errors.length > 0 ? 'error' : 'done',
    ...(manifests !== null && { organization: manifests.organization }),
    summary,
    reason: firstReason(errors),
    document: { issues, files: [...sources.keys()], objects },
    report: {
      about: manifests?.organization ?? 'manifests',
      sections: [
        ...messageSection('problem', 'Errors', errors),
        ...messageSection('note', 'Warnings', warnings),
      ],
      summary,
    },
  };
}

export async function graph(call: Call): Promise<Outcome> {
  const [folder = '.', ...workspaces] = call.args;
  const { manifests } = readSound(call, folder);
  const all = listArrows(manifests);
  const ends = new Set(all.flatMap(({ source, target }) => [source, target]));
  const names = workspaces.map((text) => manifests.namesById.get(text)?.name ?? text);
  const unknown = names
    .filter((name) => !ends.has(name))
    .map(
      (name) => `${name} is no end of a run trigger in the manifests${suggestion(name, ends, 'the ends')}`,
    );
  if (unknown.length > 0) throw new UserError(unknown.join('\n'));
  const triggers = names.length === 0 ? all : arrowsAround(all, names);
  const text = renderGraph(triggers);
  if (!call.flags.json && (triggers.length > maxDrawn.arrows || text.length > maxDrawn.characters)) {
    call.log(
      'warn',
      `warning: viewers of Mermaid draw at most ${maxDrawn.arrows} triggers and ${maxDrawn.characters} characters, and this graph has ${triggers.length} and ${text.length}: name workspaces after the folder to draw only what is around them`,
    );
  }
  call.print(text);
  call.printJson('done', { triggers });
  return 'done';
}

export async function schema(call: Call): Promise<Outcome> {
  call.io.stdout.write(renderJson(manifestSchema()));
  return 'done';
}
