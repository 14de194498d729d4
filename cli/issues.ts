/** Mistakes and warnings of manifests as text, with their lines. */
import { type ReadManifests, renderIssues } from '../manifest';
import type { RenderOptions } from '../reconciler/render/text';

/** One block per issue, in file order; ends without a line break. */
export function issueText(manifests: ReadManifests, options: RenderOptions): string {
  return renderIssues(manifests.issues, manifests.sources, options);
}
