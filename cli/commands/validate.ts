/** `tether validate`, `tether graph` and `tether schema`, all offline. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderIssues } from '../../manifest/issues';
import { type ReadManifests, readManifests } from '../../manifest/read';
import { manifestSchema } from '../../manifest/schema';
import { arrowsOf, renderGraph } from '../../reconciler/render/graph';
import { messageSection } from '../../reconciler/render/report';
import { renderJson } from '../../reconciler/render/text';
import { counted } from '../../resources/names';
import { unlessItFails } from '../../resources/plain-file';
import type { Call } from '../call';
import { firstReason, readOptions, readSound } from '../folder';
import { type FolderResult, runFolders, separateFolders } from '../folders';
import type { Outcome } from '../outcome';

/** Files that are named together are one group. */
export function validate(call: Call): Promise<Outcome> {
  const isFile = (path: string) => unlessItFails(() => statSync(resolve(call.io.cwd, path)).isFile());
  const files = call.args.filter(isFile);
  const folders = call.args.filter((path) => !isFile(path));
  const group = files.join(' ');
  const groups = [...folders, ...(files.length === 0 ? [] : [group])];
  return runFolders(call, separateFolders(call, groups), async (path) =>
    validated(call, readManifests(path === group ? files : path, readOptions(call))),
  );
}

function validated(call: Call, { manifests, issues, sources }: ReadManifests): FolderResult {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const warnings = issues.filter(({ severity }) => severity === 'warning');
  const shown = call.admits('warn') ? issues : errors;
  if (shown.length > 0) call.print(`${renderIssues(shown, sources, { color: call.color })}\n\n`);
  const objects = manifests?.entries.length ?? 0;
  const counts = [
    errors.length > 0 ? counted(errors.length, 'error') : `Valid: ${counted(objects, 'object')}`,
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
    `${counted(sources.size, 'file')} read`,
  ];
  const summary = `${counts.join(', ')}.`;
  call.print(`${summary}\n`);
  return {
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
      footer: [],
    },
  };
}

export async function graph(call: Call): Promise<Outcome> {
  const [folder = '.'] = call.args;
  const triggers = arrowsOf(readSound(call, folder).manifests);
  call.print(renderGraph(triggers));
  call.printJson('done', { triggers });
  return 'done';
}

export async function schema(call: Call): Promise<Outcome> {
  call.io.stdout.write(renderJson(manifestSchema()));
  return 'done';
}
