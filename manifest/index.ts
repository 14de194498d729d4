/** Manifests: YAML → desired, with every mistake and its position; and what people write them by. */
export * from './desired';
export { manifestReference } from './manifest-reference';
export { type JsonSchema, manifestSchema } from './manifest-schema';
export {
  parseManifest,
  type ReadManifests,
  type ReadOptions,
  readManifestFiles,
  readManifests,
} from './read-manifests';
export { renderIssues } from './render-issues';
export { writeManifest } from './write-manifest';
