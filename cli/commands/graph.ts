/** `tether graph`: the run triggers of the manifests as a picture's text; needs no network, token or secret. */
import { triggerGraph } from '../../manifest/graph';
import { readManifests } from '../../manifest/read';
import { renderGraph } from '../../reconciler/render/graph';
import { registry } from '../../resources/registry';
import type { Call } from '../call';
import type { Documents } from '../documents';
import { folderOf, soundManifests } from '../session';

/** 0 unless the manifests have mistakes; what makes a picture hard to read is told on stderr too. */
export async function graph(call: Call): Promise<number> {
  const manifests = soundManifests(call, readManifests(folderOf(call), call.readOptions));
  const drawn = triggerGraph(manifests, registry);
  const { text, notes } = renderGraph(drawn);
  for (const note of notes) call.log('warn', `note: ${note}`);
  call.print(text);
  return call.end(0, { graph: drawn, notes } satisfies Documents['graph']);
}
