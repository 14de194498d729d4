/** Manifests: YAML → desired, with every mistake and its position; and what people write them by. */
export * from './desired';
export { renderIssues } from './issues';
export {
  parseManifest,
  type ReadManifests,
  type ReadOptions,
  readManifestFiles,
  readManifests,
} from './read';
export { type JsonSchema, manifestSchema } from './schema';
export { writeManifest } from './write';
