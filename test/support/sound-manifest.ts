/** Manifests of tests that plan: a mistake in one is a mistake of the test. */
import type { Manifests } from '../../manifest/desired';
import { parseManifest } from '../../manifest/read';

/** What this text asks for; throws when it has errors, so that a test never plans nonsense. */
export function soundManifest(
  text: string,
  options: Parameters<typeof parseManifest>[2] = {},
  file = 'acme.tether.yaml',
): Manifests {
  const { manifests, issues } = parseManifest(text, file, options);
  if (manifests === null) throw new Error(issues.map((issue) => issue.message).join('\n'));
  return manifests;
}
