/** Manifests: YAML → desired, with every mistake and its position. */
export * from './desired';
export { parseManifest, type ReadManifests, type ReadOptions, readManifests } from './read-manifests';
export { renderIssues } from './render-issues';
export { Source } from './source';
